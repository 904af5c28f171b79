package dataset

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// Other programs wrote the files of testdata/other, see write.py there.
func TestOtherPrograms(t *testing.T) {
	aspirin, caffeine, ethanol := "CC(=O)Oc1ccccc1C(=O)O <DB00945>", "Cn1cnc2c1c(=O)n(C)c(=O)n2C <DB00201>", "CCO <DB00898>"
	wants := map[string][]string{
		"records.json":       {"1@1 " + aspirin, "2@1 " + caffeine, "3@1 " + ethanol},
		"indented.json":      {"1@2 " + aspirin, "2@7 " + caffeine, "3@12 " + ethanol},
		"graph.json":         {"1@1  <1> 3 nodes, 2 edges"},
		"two.zip":            {"1@2 " + aspirin, "2@3 " + caffeine, "3@2 " + ethanol},
		"two.tar":            {"1@2 " + aspirin, "2@3 " + caffeine, "3@2 " + ethanol},
		"two.tar.gz":         {"1@2 " + aspirin, "2@3 " + caffeine, "3@2 " + ethanol},
		"streamed.zip":       {`streamed.zip: this is an archive of "-": want one with CSV, SMI, SDF or other files of molecules, or a TUDataset set`},
		"dot.tgz":            {"1@2 " + aspirin, "2@3 " + caffeine, "3@2 " + ethanol},
		"python.zip":         {"1@2 " + aspirin, "2@3 " + caffeine, "3@2 " + ethanol},
		"python-pax.tar.bz2": {"1@2 " + aspirin, "2@3 " + caffeine, "3@2 " + ethanol},
		"password.zip":       {`password.zip: "a.csv": protected by a password: want an archive without one`},
		"a.csv.xz":           {"a.csv.xz: xz-compressed data: want plain text or gzip, decompress it first"},
	}
	for name, orient := range map[string]string{
		"columns": "columns", "labelled-columns": "columns", "index": "index", "labelled-index": "index", "split": "split", "values": "values", "table": "table",
	} {
		wants[name+".json"] = []string{fmt.Sprintf("%s.json: this is JSON as pandas writes it with orient=%q: want a list of objects, as with orient=\"records\"", name, orient)}
	}
	for name, want := range wants {
		data := must.Have(os.ReadFile(filepath.Join("testdata/other", name)))
		for how, r := range map[string]io.Reader{"": bytes.NewReader(data), " in bytes": iotest.OneByteReader(bytes.NewReader(data))} {
			if got := shown(r, Options{Name: name, Plain: true}); !slices.Equal(got, want) {
				t.Errorf("%s%s:\n got %q\nwant %q", name, how, got, want)
			}
		}
	}
}

// shown lists records or graphs, from 1, and errors.
func shown(r io.Reader, opt Options) (list []string) {
	for rec, err := range Molecules(context.Background(), r, opt) {
		if err = errors.Join(err, rec.Err); err != nil {
			list = append(list, err.Error())
			continue
		}
		line := fmt.Sprintf("%d@%d %s <%s>", rec.Row, rec.Line, rec.SMILES, rec.ID)
		if rec.SMILES == "" {
			line += fmt.Sprintf(" %d nodes, %d edges", rec.Graph.N(), rec.Graph.M())
		}
		list = append(list, line)
	}
	return list
}

// A packed file of an archive.
type packedFile struct{ Name, Text string }

func zipOf(t testing.TB, files ...packedFile) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w := must.Have(z.Create(f.Name))
		io.WriteString(w, f.Text)
	}
	must.Do(z.Close())
	return b.Bytes()
}

func tarOf(t *testing.T, files ...packedFile) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		header := &tar.Header{Name: f.Name, Size: int64(len(f.Text)), Mode: 0o644}
		if strings.HasSuffix(f.Name, "/") {
			header.Typeflag = tar.TypeDir
		}
		must.Do(w.WriteHeader(header))
		io.WriteString(w, f.Text)
	}
	must.Do(w.Close())
	return b.Bytes()
}

func TestArchives(t *testing.T) {
	type archiveCase struct {
		Case  string
		Files []packedFile
		Want  []string
	}
	for _, test := range golden.Cases(t, "archives.jsonl",
		archiveCase{"a picture", []packedFile{{"x.smi", "\x89PNG"}}, []string{"in: x.smi: this is a PNG picture: " + wantText}},
	) {
		for kind, data := range map[string][]byte{"zip": zipOf(t, test.Files...), "tar": tarOf(t, test.Files...), "tar.gz": zipped(t,
			string(tarOf(t, test.Files...)))} {
			if got := shown(bytes.NewReader(data), Options{Name: "in", Own: func(_, _ []string) {}}); !reflect.DeepEqual(got, test.Want) {
				t.Errorf("%s, %s:\n got %q\nwant %q", test.Case, kind, got, test.Want)
			}
		}
	}
}

// Own columns of a later file of molfiles are those of the first.
func TestOwnInArchive(t *testing.T) {
	file := func(name, data string) packedFile { return packedFile{name, molBlock("x", "N") + data + "$$$$\n"} }
	data := zipOf(t, file("a.sdf", "> <y>\n1\n\n> <z>\n2\n\n"), file("b.sdf", "> <z>\n4\n\n> <w>\n5\n\n"))
	var got [][]string
	for rec, err := range Records(bytes.NewReader(data), Options{Own: func(_, names []string) { got = append(got, names) }}) {
		must.Do(err)
		got = append(got, rec.Own)
	}
	if want := [][]string{{"y", "z"}, {"1", "2"}, {"", "4"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Compressed data within compressed data, since a limit for each of two layers would be no limit, bombs, many files, and
// archives that are cut or damaged are errors.
func TestHostileArchives(t *testing.T) {
	smi := packedFile{"a.smi", "CCO\n"}
	bomb := packedFile{"a.smi", strings.Repeat("C\n", 4<<20)}
	many := slices.Repeat([]packedFile{{"a.png", ""}}, maxFiles+1)
	whole := tarOf(t, packedFile{"a.smi", strings.Repeat("CCO\n", 1000)})
	holes := must.Have(os.ReadFile("testdata/other/sparse.tar.gz"))
	gz := func(data []byte) []byte { return zipped(t, string(data)) }
	packed := packedFile{"a.smi.gz", string(gz([]byte("CCO\n")))}
	// changed is a zip archive of two files with one byte of the second's entry in the list changed.
	changed := func(at int) []byte {
		data := zipOf(t, smi, packedFile{"b.smi", "CCN\n"})
		data[bytes.LastIndex(data, []byte("PK\x01\x02"))+at]++
		return data
	}
	shared := zipOf(t, smi, smi)
	list := bytes.LastIndex(shared, []byte("PK\x01\x02"))
	copy(shared[list+42:list+46], make([]byte, 4)) // the place of the first file
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"a wrong checksum":      {changed(16), zip.ErrChecksum},
		"a password":            {changed(8), errors.New(`in: "b.smi": protected by a password: want an archive without one`)},
		"another compression":   {changed(10), errors.New(`in: "b.smi": compressed by method 9: want an archive that any program can unpack, with method deflate`)},
		"shared bytes":          {shared, errShared},
		"tar without its end":   {whole[:len(whole)-1024], errArchiveEnds},
		"tar behind tar":        {slices.Concat(whole, whole), errBehindEnd},
		"gzip in gzip":          {gz(gz([]byte("C"))), errTwice},
		"zip in gzip":           {gz(zipOf(t, smi)), errTwice},
		"gzip in zip":           {zipOf(t, packed), errTwice},
		"zip in zip":            {zipOf(t, packedFile{"a.xlsx", string(zipOf(t, smi))}), errTwice},
		"gzip in a packed tar":  {gz(tarOf(t, packed)), errTwice},
		"tar in a packed tar":   {gz(tarOf(t, packedFile{"a.smi", string(tarOf(t, smi))})), errTwice},
		"bomb in zip":           {zipOf(t, bomb), errBomb},
		"bomb in a packed tar":  {gz(tarOf(t, bomb)), errBomb},
		"8 GB of holes":         {holes, errBomb},
		"many files in zip":     {zipOf(t, many...), errManyFiles},
		"tar cut in a file":     {whole[:3000], io.ErrUnexpectedEOF},
		"tar.gz cut at its end": {gz(whole)[:len(gz(whole))-1], io.ErrUnexpectedEOF},
		"tar with a bad header": {append(tarOf(t, smi)[:1024], bytes.Repeat([]byte{7}, 1024)...), tar.ErrHeader},
	} {
		var last error
		rows := -1
		for _, err := range Records(bytes.NewReader(test.data), Options{Name: "in"}) {
			last = err
			rows++
		}
		if last == nil || !errors.Is(last, test.want) && last.Error() != test.want.Error() || strings.HasPrefix(name, "bomb") && rows > 0 {
			t.Errorf("%s: %d rows, then %v, want %v", name, rows, last, test.want)
		}
	}
}

// A damaged bit of compressed data is an error, or changes no row.
func TestEveryBitOfArchives(t *testing.T) {
	for _, name := range []string{"two.zip", "two.tar.gz"} {
		data := must.Have(os.ReadFile(filepath.Join("testdata/other", name)))
		read := func(data []byte) (rows, said []string) {
			for rec, err := range Records(bytes.NewReader(data), Options{Note: func(s string) { said = append(said, s) }}) {
				if err = errors.Join(err, rec.Err); err != nil {
					said = append(said, err.Error())
				}
				rows = append(rows, rec.ID+" "+rec.SMILES)
			}
			return rows, said
		}
		whole, beside := read(data)
		step := 1
		if testing.Short() { // as WebAssembly
			step = 13
		}
		for bit := 0; bit < 8*len(data); bit += step {
			damaged := bytes.Clone(data)
			damaged[bit/8] ^= 1 << (bit % 8)
			if rows, said := read(damaged); slices.Equal(said, beside) && !slices.Equal(rows, whole) {
				t.Errorf("%s with bit %d damaged is read as %q", name, bit, rows)
			}
		}
	}
}

// What an archive holds beside molecules is told, files are found in the folder "." as well, and Stop ends reading.
func TestArchiveNotes(t *testing.T) {
	files := []packedFile{{"./", ""}, {"./b.pdf", "%PDF"}, {"./a.smi", "C\nN\n"}, {"./README.md", ""}, {"__MACOSX/._a.smi", "x"}}
	stop := errors.New("stop")
	for kind, data := range map[string][]byte{"zip": zipOf(t, files...), "tar": tarOf(t, files...)} {
		var got []string
		for rec, err := range Records(bytes.NewReader(data), Options{Note: func(s string) { got = append(got, s) }}) {
			must.Do(err)
			got = append(got, rec.SMILES)
		}
		slices.Sort(got)
		if want := []string{"C", "N", `not read: "./b.pdf", "./README.md", "__MACOSX/._a.smi"`}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
		rows := 0
		for rec, err := range Records(bytes.NewReader(data), Options{Stop: func() error {
			if rows > 0 {
				return stop
			}
			return nil
		}}) {
			if rows++; err != nil && !errors.Is(err, stop) || rows > 2 || rows == 2 && err == nil {
				t.Errorf("%s: row %d %+v, %v, want the first and then the end", kind, rows, rec, err)
			}
		}
	}
}

func FuzzArchive(f *testing.F) {
	for _, name := range []string{"two.zip", "two.tar", "streamed.zip"} {
		f.Add(must.Have(os.ReadFile(filepath.Join("testdata/other", name))))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for rec, err := range Records(bytes.NewReader(data), Options{Plain: true}) {
			if err == nil {
				rec.Parsed()
			}
		}
	})
}
