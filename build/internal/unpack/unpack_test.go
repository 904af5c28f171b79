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
	"github.com/mikelolasagasti/xz"

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
	read := func(data []byte) (text string, err error) {
		for rec, err := range dataset.Records(bytes.NewReader(data), dataset.Options{Format: dataset.SMI, Unpack: All}) {
			if err != nil {
				return text, err
			}
			text += rec.ID + rec.SMILES + "\n"
		}
		return text, nil
	}
	// Blocks, streams with each checksum, and zeros between these are one text.
	several := try.To(os.ReadFile("../../../algo/dataset/testdata/other/several.smi.xz"))
	streams := map[int]bool{} // where a stream or its zeros end, a file may
	for i := range several {
		streams[i] = i%4 == 0 && bytes.HasSuffix(bytes.TrimRight(several[:i], "\x00"), []byte("YZ"))
	}
	for _, whole := range [][]byte{data, several} {
		want := try.To(read(whole))
		for i := range whole {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 0x55
			if text, err := read(damaged); err == nil && text != want {
				t.Errorf("with byte %d damaged it is read as %q", i, text)
			}
			if text, err := read(whole[:i]); err == nil && i > 5 && !streams[i] {
				t.Errorf("cut at %d of %d it is read as %q", i, len(whole), text)
			}
		}
	}
	// A dictionary of 4 GiB: 40 stands behind the id and the size of the only filter, and the checksum of
	// the block's header is at its end.
	header := data[12 : 12+4*(int(data[12])+1)]
	at := bytes.Index(header, []byte{0x21, 1})
	header[at+2] = 40
	binary.LittleEndian.PutUint32(header[len(header)-4:], crc32.ChecksumIEEE(header[:len(header)-4]))
	if _, err := read(data); !errors.Is(err, xz.ErrMemlimit) {
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
