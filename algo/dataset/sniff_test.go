package dataset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"baca/algo/internal/golden"
	"baca/algo/internal/must"
)

// What people paste and drop, and what is read of it with nothing said about it.
func TestPastes(t *testing.T) {
	type pasteCase struct {
		Case, Name, Text string
		Want             []string // SMILES <id>
	}
	for _, test := range golden.Cases(t, "pastes.jsonl", pasteCase{"Latin-1", "", "CCO \xe9thanol\nCCN amine\n", []string{"CCO <éthanol>",
		"CCN <amine>"}}) {
		for how, r := range map[string]io.Reader{"": strings.NewReader(test.Text),
			" in bytes": iotest.OneByteReader(strings.NewReader(test.Text))} {
			var got []string
			for rec, err := range Records(r, Options{Name: test.Name}) {
				must.Do(errors.Join(err, rec.Err))
				got = append(got, fmt.Sprintf("%s <%s>", rec.SMILES, rec.ID))
			}
			if !reflect.DeepEqual(got, test.Want) {
				t.Errorf("%s%s:\n got %q\nwant %q", test.Case, how, got, test.Want)
			}
		}
		checkLine(t, test.Case, test.Name, test.Text)
	}
}

// checkLine puts one more record behind those of a text.
func checkLine(t *testing.T, name, file, input string) {
	t.Helper()
	o := Options{Name: file}
	text, format := must.Both(o.Text(strings.NewReader(input)))
	whole := must.Have(io.ReadAll(text))
	again, _ := must.Both(o.Text(strings.NewReader(string(whole))))
	line := again.Line(format, "")
	more := strings.TrimRight(string(whole), "\n") + "\n" + strings.NewReplacer(LineSMILES, "NCCCN", LineName, "drawn").Replace(line)
	var last Record
	for rec, err := range Records(strings.NewReader(more), o) {
		must.Do(err)
		last = rec
	}
	wanted := "drawn"
	if !strings.Contains(line, LineName) {
		wanted = ""
	}
	if last.Err != nil || last.SMILES != "NCCCN" || last.ID != wanted {
		t.Errorf("%s: one more line %q is read as %+v", name, line, last)
	}
}

// What cannot be read is refused as a whole, with one sentence.
func TestForeign(t *testing.T) {
	lines := func(line string, n int) string { return strings.Repeat(line+"\n", n) }
	type foreignCase struct{ Case, Name, Text, Want string }
	for _, test := range golden.Cases(t, "foreign.jsonl", []foreignCase{
		{"png", "x.smi", "\x89PNG\r\n\x1a\n\x00\x00", "x.smi: this is a PNG picture: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file"},
		{"xls", "x.xls", "\xd0\xcf\x11\xe0\xa1\xb1", "x.xls: this is an old Excel or Word file: save it as CSV and give that"},
		{"xlsx with a password", "x.xlsx", oldOffice + "\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 5000) + "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00",
			"x.xlsx: this is a password-protected Excel or Word file: save it without a password and give that"},
		{"pickle", "", "\x80\x04\x95\x00", "input: this is a Python pickle: write it as CSV"},
		{"packed binary", "x.gz", string(zipped(t, "\x89PNG\r\n")), "x.gz: this is a PNG picture: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file"},
		{"Arrow", "x.arrow", "ARROW1\x00\x00\xff\xff\xff\xff\x10\x01\x00\x00", "x.arrow: this is an Arrow or Feather file: write it as Parquet or CSV"},
		{"a stream of Arrow", "", "\xff\xff\xff\xff\x10\x01\x00\x00", "input: this is a stream of Arrow: write it as Parquet or CSV"},
		{"packed Arrow", "x.arrow.gz", string(zipped(t, "ARROW1\x00\x00")), "x.arrow.gz: this is an Arrow or Feather file: write it as Parquet or CSV"},
		{"prose", "", lines("The quick brown fox", 50), "input: none of the first 50 lines holds a structure: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file; the first is \"The\": column 1: "},
		{"a column of words", "x.csv", "id,smiles\n" + lines("1,unknown", 50), "x.csv: none of the first 50 lines holds a structure: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file; the first is \"unknown\": a name, not a structure; BaCa looks nothing up"},
		{"a table of words", "x.csv", "id,drug\n" + lines("1,aspirin", 50), "x.csv: no column holds SMILES: there are \"id\", \"drug\""},
	}...) {
		for how, r := range map[string]io.Reader{"": strings.NewReader(test.Text),
			" in bytes": iotest.OneByteReader(strings.NewReader(test.Text))} {
			got := list(r, Options{Name: test.Name})
			if len(got) != 1 || !strings.HasPrefix(got[0], "end: "+test.Want) {
				t.Errorf("%s%s:\n got %q\nwant %q", test.Case, how, got, test.Want)
			}
		}
	}
	// A short list of mistakes, and one that goes on with molecules, are read.
	for text, want := range map[string]int{lines("CX ethanol", 49): 49, lines("CX ethanol", 49) + lines("CCO ethanol", 10): 59, lines("CX", 49) + "C\n" + lines("N(", 500): 550} {
		if got := list(strings.NewReader(text), Options{}); len(got) != want || strings.HasPrefix(got[0], "end: ") {
			t.Errorf("%d records of %q…, want %d", len(got), text[:20], want)
		}
	}
	// So is what is said to be of a format.
	if got := list(strings.NewReader(lines("aspirin", 60)), Options{Format: SMI}); len(got) != 60 {
		t.Errorf("%d records of 60 lines in a format that was given", len(got))
	}
}

// What is no SMILES gets a sentence that says what it is, in a list, in a cell and in a line, and
// what only looks like that does not.
func TestNotations(t *testing.T) {
	type notationCase struct{ Text, Want string } // the SMILES, or a part of the sentence
	for _, test := range golden.Cases[notationCase](t, "notations.jsonl") {
		text, want := test.Text, test.Want
		in := Listed(1, text).Parsed()
		if in.Err != nil && !strings.Contains(in.Err.Error(), want) || in.Err == nil && in.SMILES != want {
			t.Errorf("%q: %q, %v, want %s", text, in.SMILES, in.Err, want)
		}
		again := Listed(1, text)
		if _, err := again.Parse(); fmt.Sprint(err) != fmt.Sprint(in.Err) {
			t.Errorf("%q: parsed alone %v, with its graph %v", text, err, in.Err)
		}
		quoted := "id,smiles\n1,\"" + text + "\"\n"
		for rec, err := range Molecules(context.Background(), strings.NewReader(quoted), Options{Format: CSV}) {
			if err != nil || (rec.Err == nil) != (in.Err == nil) || rec.Err != nil && !strings.Contains(rec.Err.Error(), want) {
				t.Errorf("%q in a cell: %v, %v, want %s", text, err, rec.Err, want)
			}
		}
	}
	// A list of SELFIES is refused as a whole, and so is a column.
	for _, text := range []string{strings.Repeat("[C][C][O]\n", 3), "id,selfies\n1,[C][=O]\n"} {
		if got := list(strings.NewReader(text), Options{}); len(got) != 1 || got[0] != "end: input: "+errSELFIES.Error() {
			t.Errorf("%q: %q", text, got)
		}
	}
	// Behind a line of SMI stands a name, also where it is a SMILES, or a line.
	text := "CCO CCC\nC\vN\fO\u0085S\u2028CC\u2029 NN\u00a0no-break space\n\fP\n“CN” curly\n"
	want := []string{
		"1@1 CCO <CCC>", "2@2 C <2>", "3@2 N <3>", "4@2 O <4>", "5@2 S <5>", "6@2 CC <6>",
		"7@2 NN <no-break space>", "8@3 P <8>", "9@4 CN <curly>",
	}
	if got := shown(strings.NewReader(text), Options{Format: SMI}); !slices.Equal(got, want) {
		t.Errorf("lines %q, want %q", got, want)
	}
	// A bond of any order is what type 8 is in SDF.
	drawn := strings.Replace(molBlock("", "C"), "  1  2  1", "  1  2  8", 1)
	for rec, err := range Molecules(context.Background(), strings.NewReader(drawn), Options{Format: SDF}) {
		if any := Listed(1, "C~C").Parsed(); err != nil || rec.Err != nil || !reflect.DeepEqual(rec.Graph, any.Graph) {
			t.Errorf("type 8: %v, %v, %v", err, rec, any)
		}
	}
	if err := list(strings.NewReader("C\f \f“”\n"), Options{Format: SMI, Name: "x"})[1]; err != "2@1 refused x:1:11: no SMILES: want a molecule" {
		t.Errorf("behind a form feed: %s", err)
	}
}

func TestTable(t *testing.T) {
	type tableCase struct {
		Text, Column string
		Want         Table
	}
	for _, test := range golden.Cases(t, "tables.jsonl", []tableCase{
		{"smiles,y,smiles,y\nC,1,N,2\n", "",
			Table{Columns: []string{"column 1", "column 2", "column 3", "column 4"},
				SMILES: -1, ID: -1, Header: true, twins: &twins{0, 2, `"smiles"`, false}}},
		{"SMILES,Smiles\nC,N\n", "", Table{Columns: []string{"SMILES", "Smiles"}, SMILES: -1, ID: -1, Header: true, twins: &twins{0, 1, `"SMILES" and "Smiles"`, false}}},
	}...) {
		text := must.Have(NewText(strings.NewReader(test.Text), Unpack{}))
		first, _, _ := strings.Cut(test.Text, "\n")
		test.Want.First = strings.Split(first, ",")
		if got, ok := text.Table(CSV, test.Column); !ok || !reflect.DeepEqual(got, test.Want) {
			t.Errorf("%q, column %q:\n got %+v\nwant %+v", test.Text, test.Column, got, test.Want)
		}
		if _, ok := text.Table(SMI, ""); ok {
			t.Error("SMI has columns")
		}
		cells := make([]string, len(test.Want.Columns))
		if test.Want.ID >= 0 {
			cells[test.Want.ID] = LineName
		}
		line := ""
		if test.Want.SMILES >= 0 {
			cells[test.Want.SMILES] = LineSMILES
			line = strings.Join(cells, ",")
		}
		if got := text.Line(CSV, test.Column); got != line {
			t.Errorf("%q, column %q: one more line is %q, want %q", test.Text, test.Column, got, line)
		}
	}
}

// FuzzSniff has the guesses hold for the whole text, however it arrives.
func FuzzSniff(f *testing.F) {
	for _, s := range []string{"a CCO\nb CCN", "id;mol\n1;CCO\n", "\"a\nb\"\tCCO\n", "1. CCO\n2. CC x\n", ",,\nCC\n", "C\x00C\x00\n\x00", "PK\x03\x04xl/", "InChI=1S/", "\"", "smiles\n\"\n\""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, input string) {
		whole := list(strings.NewReader(input), Options{})
		if bytewise := list(iotest.OneByteReader(strings.NewReader(input)), Options{}); !reflect.DeepEqual(whole, bytewise) {
			t.Fatalf("whole %q, byte by byte %q", whole, bytewise)
		}
		text, format, err := Options{}.Text(strings.NewReader(input))
		if err != nil {
			if len(whole) != 1 {
				t.Fatalf("%v, but %q is read", err, whole)
			}
			return
		}
		// What is told of the columns is what the reader does.
		columns, ok := text.Table(format, "")
		if !ok {
			return
		}
		if columns.SMILES >= len(columns.Columns) || columns.ID >= len(columns.Columns) || len(columns.First) != len(columns.Columns) {
			t.Fatalf("%+v", columns)
		}
		none := len(whole) == 1 && (strings.Contains(whole[0], "no column holds SMILES") || columns.twins != nil && !columns.twins.ids)
		if none != (columns.SMILES < 0) && !strings.Contains(whole[0], "header: ") {
			t.Fatalf("%+v, but the records are %q", columns, whole)
		}
	})
}
