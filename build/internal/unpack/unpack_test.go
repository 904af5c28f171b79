package unpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/xi2/xz"

	"baca/algo/dataset"
	"baca/build/internal/try"
)

// xz wrote the file.
func TestXZ(t *testing.T) {
	data := try.To(os.ReadFile("../../../algo/dataset/testdata/other/a.csv.xz"))
	var got []string
	for rec, err := range dataset.Records(bytes.NewReader(data), dataset.Options{Name: "a.csv.xz", Unpack: All}) {
		try.Check(err)
		got = append(got, rec.ID+" "+rec.SMILES)
	}
	if want := "DB00945 CC(=O)Oc1ccccc1C(=O)O, DB00201 Cn1cnc2c1c(=O)n(C)c(=O)n2C"; strings.Join(got, ", ") != want {
		t.Errorf("%q, want %s", got, want)
	}
	read := func(data []byte) (string, error) {
		r, err := XZ(bytes.NewReader(data))
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(r)
		return string(text), err
	}
	whole := try.To(read(data))
	if _, err := read(data[:len(data)/2]); err == nil {
		t.Error("a cut file is read")
	}
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x55
		if text, err := read(damaged); err == nil && text != whole {
			t.Errorf("with byte %d damaged it is read as %q", i, text)
		}
	}
	// A dictionary of 4 GiB: 40 stands behind the id and the size of the only filter, and the checksum of
	// the block's header is at its end.
	header := data[12 : 12+4*(int(data[12])+1)]
	at := bytes.Index(header, []byte{0x21, 1})
	header[at+2] = 40
	binary.LittleEndian.PutUint32(header[len(header)-4:], crc32.ChecksumIEEE(header[:len(header)-4]))
	if _, err := read(data); err != xz.ErrMemlimit {
		t.Errorf("a dictionary of 4 GiB: %v", err)
	}
}

// 64 MiB of xz are refused before the first row.
func TestBombs(t *testing.T) {
	data := try.To(os.ReadFile("../../../algo/dataset/testdata/other/bomb.smi.xz"))
	for rec, err := range dataset.Records(bytes.NewReader(data), dataset.Options{Unpack: All}) {
		if bomb := new(dataset.ExpandError); !errors.As(err, &bomb) {
			t.Fatalf("%+v, %v", rec, err)
		}
	}
}

func TestBrotli(t *testing.T) {
	var packed bytes.Buffer
	w := brotli.NewWriter(&packed)
	io.WriteString(w, "CCO\n")
	w.Close()
	r := try.To(Brotli(&packed))
	if text, err := io.ReadAll(r); err != nil || string(text) != "CCO\n" {
		t.Errorf("%q, %v", text, err)
	}
}
