package molfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"baca/algo/internal/must"
	"baca/algo/molecule"
	"baca/algo/molecule/internal/check"
)

// molfiles are those of testdata.
func molfiles(t testing.TB) (all []check.Reference) {
	t.Helper()
	for d := json.NewDecoder(check.Unzipped(t, "testdata/molfiles.jsonl.gz")); d.More(); {
		var want check.Reference
		must.Do(d.Decode(&want))
		all = append(all, want)
	}
	return all
}

// listSDF reads all records as text, the final error last.
func listSDF(records iter.Seq2[Record, error]) []string {
	var got []string
	for rec, err := range records {
		switch {
		case err != nil:
			got = append(got, "end: "+err.Error())
		case rec.Err != nil:
			got = append(got, fmt.Sprintf("%d refused %v", rec.Line, rec.Err))
		default:
			got = append(got, fmt.Sprintf("%d %q", rec.Line, rec.Text))
		}
	}
	return got
}

func TestSDF(t *testing.T) {
	long := strings.Repeat("x", 30) + "\n" + strings.Repeat("y", 30)
	const refused = "refused line %[1]d, column 1: record of more than 50 bytes: want a shorter one, is a line $$$$ missing?"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "", nil},
		{"blank", "\n \r\n\t\n", nil},
		{"one without an end", "a\nb", []string{`1 "a\nb"`}},
		{"two", "a\n$$$$\nb\n$$$$\n", []string{`1 "a\n"`, `3 "b\n"`}},
		{"blank end", "a\n$$$$\n\n\n", []string{`1 "a\n"`}},
		{"carriage returns", "a\r\n$$$$\r\nb\r\n$$$$\r\n", []string{`1 "a\r\n"`, `3 "b\r\n"`}},
		{"empty records", "$$$$\n$$$$\n", []string{`1 ""`, `2 ""`}},
		{"text behind the end", "a\n$$$$ and more\nb\n$$$$", []string{`1 "a\n"`, `3 "b\n"`}},
		{"dollars elsewhere", "a $$$$\n$$$\n $$$$\n$$$$\nb$", []string{`1 "a $$$$\n$$$\n $$$$\n"`, `5 "b$"`}},
		{"long record", "a\n$$$$\n" + long + "\n$$$$\nb\n", []string{`1 "a\n"`, fmt.Sprintf("3 "+refused, 3), `6 "b\n"`}},
		{"long last record", "a\n$$$$\n" + long + "\n" + long, []string{`1 "a\n"`, fmt.Sprintf("3 "+refused, 3)}},
		{"of just the limit", strings.Repeat("x", 49) + "\n$$$$\n" + strings.Repeat("x", 50), []string{fmt.Sprintf("1 %q", strings.Repeat("x", 49)+"\n"), fmt.Sprintf("3 %q", strings.Repeat("x", 50))}},
		{"one more", strings.Repeat("x", 50) + "\n$$$$\n" + strings.Repeat("x", 51), []string{fmt.Sprintf("1 "+refused, 1), fmt.Sprintf("3 "+refused, 3)}},
		{"long end", "a\n$$$$" + long + "\nb", []string{`1 "a\n"`, fmt.Sprintf("3 %q", strings.Repeat("y", 30)+"\nb")}},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.text), iotest.OneByteReader(strings.NewReader(c.text)), iotest.DataErrReader(strings.NewReader(c.text))} {
			if got := listSDF(splitSDF(r, 50)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
			}
		}
	}
	// A text that breaks ends with the error, and what may be half a record is left out.
	r := io.MultiReader(strings.NewReader("a\n$$$$\nb\n"), iotest.ErrReader(errors.New("broken")))
	if got, want := listSDF(SDF(r)), []string{`1 "a\n"`, "end: line 3: broken"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	n := 0
	for range SDF(strings.NewReader("a\n$$$$\nb\n$$$$\n")) {
		n++
		break
	}
	if n != 1 {
		t.Errorf("%d records behind a break", n)
	}
}

func TestRecord(t *testing.T) {
	good := v2000("ethane\n\n", []string{"0 0 0 C", "1 0 0 C"}, "  1  2  1", "M  END")
	bad := v2000("bad\n\n", []string{"0 0 0 C", "1 0 0 Zz"}, "  1  2  1", "M  END")
	text := good + "> <ID>  (3)\n7\n\n>  DT1 <two lines>\nx\n  y \n\n> no name\nz\n\n><empty>\n\nstray\n> <last>\nw\n$$$$\n" +
		bad + "$$$$\n" + strings.ReplaceAll(strings.Replace(good, "END", "END  ", 1)+"> <ID>\n8\n9\n\n", "\n", "\r\n") + "$$$$\r\n" +
		good + "> <A>\n1\n \n> <B>\nx\n \ny\n\t\n> <C>\n \n> <D>\n> z\n \n$$$$\n" +
		strings.Replace(good, "M  END\n", "> <ID>\n9\n", 1)
	var got []string
	for rec, err := range SDF(strings.NewReader(text)) {
		must.Do(err)
		s := fmt.Sprintf("%d %s", rec.Line, rec.Name())
		for name, value := range rec.Fields() {
			s += fmt.Sprintf(" %s=%q", name, value)
		}
		m, err := Parse(rec.Text)
		if err != nil {
			s += fmt.Sprintf(" %v", err)
		} else {
			s += " " + check.Sketch(m)
			if m.Name != rec.Name() {
				t.Errorf("name %q", m.Name)
			}
			if end := rec.Molfile(); !strings.HasPrefix(rec.Text, end) || !strings.HasSuffix(strings.TrimSpace(end), "M  END") {
				t.Errorf("molfile %q", end)
			}
		}
		got = append(got, s)
	}
	want := []string{
		`1 ethane ID="7" two lines="x\n  y " empty="" last="w" CH3 CH3 | 0-1`,
		`25 bad line 6, column 32: "Zz" is no element: want a symbol such as C or Cl`,
		`34 ethane ID="8\n9" CH3 CH3 | 0-1`,
		`47 ethane A="1" B="x\n \ny" C="" D="> z" CH3 CH3 | 0-1`,
		`69 ethane ID="9" line 10, column 1: the text ends before M  END`,
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}

// The time to split a text is in proportion to its length, whatever is in it: with
// the square of it this test would run into go test's limit.
func TestSDFLinear(t *testing.T) {
	for _, line := range []string{"$", "$$$$", "$$$$\n", "$$$\n", "x$$$$\n", "\n", ">", "> <a>\n", "> <a>\n\n", "> <a>\n \n", " \n", "M  END\n"} {
		text := strings.Repeat(line, 4<<20/len(line))
		n := 0
		for rec, err := range splitSDF(strings.NewReader(text), 1<<20) {
			must.Do(err)
			for range rec.Fields() {
				n++
			}
			Parse(rec.Text)
		}
	}
}

// Memory is in proportion to a record.
func TestSDFMemory(t *testing.T) {
	text := strings.Repeat("x", 10_000) + "\n$$$$\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	listSDF(SDF(strings.NewReader(text)))
	if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
		t.Errorf("%d bytes allocated for a record of %d", after.TotalAlloc-before.TotalAlloc, len(text))
	}
}

func FuzzSDF(f *testing.F) {
	f.Add(v2000(flat, halogens, "  1  2  1  1", "  1  3  1", "  1  4  1", "M  CHG  1   1   1", "M  END") + "> <ID>\n1\n\n$$$$\n")
	f.Add(v2000(flat, []string{"0 0 0 C", "1 0 1 R#", "2 0 0 H"}, "  1  2  2  3", "  1  3  8  4  0  2", "M  RGP  1   2   1", "M  STY  1   1 DAT", "M  SAL   1  1   1",
		"M  SDT   1 MRV_IMPLICIT_H", "M  SED   1 IMPL_H1", "M  ALS   1  1 F N   ", "M  ZBO  1   2   0", "S  SKP  1", "x", "M  END"))
	f.Add("n\n\n\n  0  0  0     0  0            999 V3000\nM  V30 BEGIN CTAB\nM  V30 COUNTS 2 1 1 0 0\nM  V30 BEGIN ATOM\nM  V30 1 \"NOT [C,N]\" 0 0 0 0 RGROUPS=(1 2)\nM  V30 2 C 1 0 -\nM  V30 1 0 CHG=1 MASS=13 VAL=-1\n" +
		"M  V30 END ATOM\nM  V30 BEGIN BOND\nM  V30 1 1 1 2 CFG=1 TOPO=1\nM  V30 END BOND\nM  V30 BEGIN SGROUP\nM  V30 DEFAULT CLASS=X\nM  V30 1 SUP 0 ATOMS=(1 1) XBONDS=(1 1) CSTATE=(4 1 0 0 0) LABEL=\"a\"\"b\" SAP=(3 1 2 1)\n" +
		"M  V30 END SGROUP\nM  V30 BEGIN COLLECTION\nM  V30 MDLV30/STEABS ATOMS=(1 1)\nM  V30 END COLLECTION\nM  V30 END CTAB\nM  END\n$$$$\n")
	f.Add("\r\n$$$$")
	// Long seeds would have the time go into making what is found shorter.
	for _, c := range molfiles(f) {
		if len(c.M) < 300 {
			f.Add(c.M)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		whole := listSDF(splitSDF(strings.NewReader(text), 2000))
		if single := listSDF(splitSDF(iotest.OneByteReader(strings.NewReader(text)), 2000)); !reflect.DeepEqual(single, whole) {
			t.Fatalf("%q, byte by byte %q", whole, single)
		}
		lines := strings.Count(text, "\n") + 1
		for rec, err := range SDF(strings.NewReader(text)) {
			must.Do(err)
			for range rec.Fields() {
			}
			m, err := Parse(rec.Text)
			if rec.Err != nil {
				err = rec.Err
			}
			if err != nil {
				var e *molecule.SyntaxError
				if !errors.As(err, &e) || e.Line < 1 || e.Line > lines || e.Column < 1 {
					t.Fatalf("%#v in a record on line %d of %d", err, rec.Line, lines)
				}
				e.Caret("")
				continue
			}
			m.Graph()
			again, err := Parse(strings.Clone(rec.Molfile()))
			if err != nil || !reflect.DeepEqual(again, m) {
				t.Fatalf("%+v without the data, %+v with them (%v)", again, m, err)
			}
		}
	})
}
