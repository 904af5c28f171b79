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

	"baca/algo/internal/must"
)

// What people paste and drop, and what is read of it with nothing said about it.
func TestPastes(t *testing.T) {
	const aspirin = "CC(=O)Oc1ccccc1C(=O)O"
	for _, test := range []struct {
		name, file, text string
		want             []string // SMILES <id>
	}{
		{"SMILES alone", "", "CCO\nCCN\n", []string{"CCO <>", "CCN <>"}},
		{"SMILES and names with blanks", "", "CC(=O)O acetic acid\nCCO\tethanol, dry\n", []string{"CC(=O)O <acetic acid>", "CCO <ethanol, dry>"}},
		{"one name first", "", "aspirin " + aspirin + "\n", []string{aspirin + " <aspirin>"}},
		{"names first", "", "aspirin " + aspirin + "\nethanol CCO\nmethane C\n", []string{aspirin + " <aspirin>", "CCO <ethanol>", "C <methane>"}},
		{"names with blanks first", "", "acetic acid CC(=O)O\nethanol CCO\n2-methyl propane CC(C)C\n", []string{"CC(=O)O <acetic acid>", "CCO <ethanol>", "CC(C)C <2-methyl propane>"}},
		{"names with commas first", "", "2,4-D, OC(=O)COc1ccc(Cl)cc1Cl\naspirin, " + aspirin + "\n1,2-dichloroethane ClCCCl\n",
			[]string{"OC(=O)COc1ccc(Cl)cc1Cl <2,4-D>", aspirin + " <aspirin>", "ClCCCl <1,2-dichloroethane>"}},
		{"names with colons", "", "acetic acid: CC(=O)O\naspirin: " + aspirin, []string{"CC(=O)O <acetic acid>", aspirin + " <aspirin>"}},
		{"a header of names first", "", "Name SMILES\naspirin " + aspirin + "\nethanol CCO\n", []string{aspirin + " <aspirin>", "CCO <ethanol>"}},
		{"names like SMILES", "", "CCO CO\nCCN NO\nCCC CNS\n", []string{"CCO <CO>", "CCN <NO>", "CCC <CNS>"}},
		{"canonical pairs", "", "OCC CCO\nNCC CCN\n", []string{"OCC <CCO>", "NCC <CCN>"}},
		{"typos alone", "", "C1CC propanol\nCX ethanol\n", []string{"C1CC <propanol>", "CX <ethanol>"}},
		{"a name first that is a typo elsewhere", "", "aspirin " + aspirin + "\nethanol CC(\nphenol Oc1ccccc1\n", []string{aspirin + " <aspirin>", "CC( <ethanol>", "Oc1ccccc1 <phenol>"}},
		{"numbered", "", "1. CCO\n2. CCN\n", []string{"CCO <1>", "CCN <2>"}},
		{"numbered, with names", "", "1) CCO ethanol\n2) CCN ethyl amine\n", []string{"CCO <ethanol>", "CCN <ethyl amine>"}},
		{"bullets", "", "- CCO ethanol\n- CCN ethyl amine\n", []string{"CCO <ethanol>", "CCN <ethyl amine>"}},
		{"number, SMILES, weight", "", "CHEMBL25 " + aspirin + " 180.16\nCHEMBL545 CCO 46.07\n", []string{aspirin + " <CHEMBL25>", "CCO <CHEMBL545>"}},
		{"ZINC", "x.smi", "smiles zinc_id\nCCO ZINC01\nCCN ZINC02\n", []string{"CCO <ZINC01>", "CCN <ZINC02>"}},
		{"Enamine REAL", "x.smiles", "smiles\tidnumber\tType\tMW\nCCO\tZ1\tM\t46.1\nCCN\tZ2\tM\t45.1\n", []string{"CCO <Z1>", "CCN <Z2>"}},
		{"MolPort", "x.smi", "SMILES\tMOLPORTID\nCCO\tMolPort-001\n", []string{"CCO <MolPort-001>"}},
		{"PubChem CID-SMILES", "", "1\tCC(=O)OC(CC(=O)[O-])C[N+](C)(C)C\n4\tCC(CN)O\n", []string{"CC(=O)OC(CC(=O)[O-])C[N+](C)(C)C <1>", "CC(CN)O <4>"}},
		{"id, number, SMILES in .smi", "x.smi", "id logp smiles\nZ1 0.5 CCO\nZ2 0.7 CC(=O)O\n", []string{"CCO <Z1>", "CC(=O)O <Z2>"}},
		{"five words, SMILES the third", "", "Z1 ok CCO 1 a\nZ2 ok CC(=O)O 2 b\n", []string{"CCO <Z1>", "CC(=O)O <Z2>"}},
		{"columns in .smi, tabs", "x.smi", "logp\tid\tstructure\n0.5\tZ1\tCCO\n0.7\tZ2\tCC(=O)O\n", []string{"CCO <Z1>", "CC(=O)O <Z2>"}},
		{"CXSMILES", "x.cxsmiles", "C[C@H](O)CC |&1:1| rac-butanol\nCC |$a;b$| ethane, labelled\nCO\n", []string{"C[C@H](O)CC <rac-butanol>", "CC <ethane, labelled>", "CO <>"}},
		{"CXSMILES with a header", "x.cxsmiles", "smiles\tid\tMW\nC[C@H](O)CC |o1:1|\tZ1\t74\nCCO\tZ2\t46\n", []string{"C[C@H](O)CC <Z1>", "CCO <Z2>"}},
		{"CXSMILES, coordinates with blanks", "", "CO |(0.0, 1.5,;1.2, 3.0,)| methanol\nCCO |LN:| x\n", []string{"CO <methanol>", "CCO <x>"}},
		{"CXSMILES behind names", "x.cxsmiles", "a1 C[C@H](O)CC |o1:1|\na2 CCO\n", []string{"C[C@H](O)CC <a1>", "CCO <a2>"}},
		{"CXSMILES in CSV", "x.csv", "id,smiles\n1,\"C[C@H](O)CC |o1:1,$a,b$|\"\n2,CCO\n", []string{"C[C@H](O)CC <1>", "CCO <2>"}},
		{"a bar without another", "", "CCO |x\nCCN |a|b\n", []string{"CCO <|x>", "CCN <|a|b>"}},
		{"three columns in .smi", "x.smi", "CCO\tZ1\t46.1\nCCN\tZ2\t45.1\n", []string{"CCO <Z1>", "CCN <Z2>"}},
		{"commas in .smi", "x.smi", "CCO,Z1\nCCN,Z2\n", []string{"CCO <Z1>", "CCN <Z2>"}},
		{"PubChem CSV", "x.csv", "cid,cmpdname,mw,mf,inchi,isosmiles,canonicalsmiles,inchikey\n2244,Aspirin,180.16,C9H8O4,\"InChI=1S/C9H8O4/c1-6(10)13-8-5-3-2-4-7(8)9(11)12/h2-5H,1H3,(H,11,12)\"," + aspirin + "," + aspirin + ",BSYNRYMUTXBXSQ-UHFFFAOYSA-N\n",
			[]string{aspirin + " <2244>"}},
		{"PubChem CSV of 2025", "x.csv", "Compound_CID,Name,Molecular_Formula,SMILES,InChI\n702,Ethanol,C2H6O,CCO,\"InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3\"\n", []string{"CCO <702>"}},
		{"ChEMBL CSV", "x.csv", "\"ChEMBL ID\";\"Name\";\"Synonyms\";\"Molecular Weight\";\"Smiles\"\n\"CHEMBL25\";\"ASPIRIN\";\"Acetylsalicylic Acid|BAY1019036\";\"180.16\";\"" + aspirin + "\"\n", []string{aspirin + " <CHEMBL25>"}},
		{"ChEMBL, saved by a spreadsheet", "", "Molecule ChEMBL ID;Canonical Smiles;Activity, nM\nCHEMBL1;CCO;1,5\nCHEMBL2;CCN;2,5\n", []string{"CCO <CHEMBL1>", "CCN <CHEMBL2>"}},
		{"DataWarrior", "x.txt", "Structure\tCompound Name\tcLogP\nCCO\tethanol\t-0.1\nCCN\tethyl amine\t-0.2\n", []string{"CCO <ethanol>", "CCN <ethyl amine>"}},
		{"a column of another name", "x.csv", "ID,Structure,pIC50\na,CCO,5.1\nb,CCN,6.2\n", []string{"CCO <a>", "CCN <b>"}},
		{"a column without a name", "x.csv", "ID,,pIC50\na,CCO,5.1\nb,CCN,6.2\n", []string{"CCO <a>", "CCN <b>"}},
		{"a column named mol, semicolons", "", "Nr;mol;note\n1;CCO;x\n2;CCN;y\n", []string{"CCO <1>", "CCN <2>"}},
		{"bars", "", "name|structure|mw\nethanol|CCO|46.1\namine|CCN|45.1\n", []string{"CCO <ethanol>", "CCN <amine>"}},
		{"bars, no header", "x.csv", "ethanol|CCO\namine|CCN\n", []string{"CCO <ethanol>", "CCN <amine>"}},
		{"comments before the header", "x.csv", "# exported 2024, by me\n#\nID,SMILES,MW\na,CCO,46.1\nb,CCN,45.1\n", []string{"CCO <a>", "CCN <b>"}},
		{"a header after a cross", "x.csv", "#,SMILES,MW\n1,CCO,46.1\n2,CCN,45.1\n", []string{"CCO <>", "CCN <>"}},
		{"title rows", "x.csv", "Compounds of 2024;;;\nby;me;;\n;;;\nNr;Structure;Batch;MW\n1;CCO;x;46.1\n2;CCN;x;45.1\n", []string{"CCO <1>", "CCN <2>"}},
		{"a title in .tsv", "x.tsv", "all of them\nStructure\tMW\nCCO\t46.1\nCCN\t45.1\n", []string{"CCO <>", "CCN <>"}},
		{"DrugBank", "x.csv", "Group,DrugBank ID,SMILES\napproved,DB1,CCO\napproved,DB2,CCN\n", []string{"CCO <DB1>", "CCN <DB2>"}},
		{"a French name", "x.csv", "SMILES;Nom;Prix\nCCO;éthanol;1,5\nCCN;amine;2\n", []string{"CCO <éthanol>", "CCN <amine>"}},
		{"CAS and a formula", "x.csv", "formula,CAS,structure\nC2H6O,64-17-5,CCO\nC2H7N,75-04-7,CCN\n", []string{"CCO <64-17-5>", "CCN <75-04-7>"}},
		{"texts that differ", "x.csv", "class,ref,SMILES\nx,a1,CCO\nx,a2,CCN\ny,a3,CCC\n", []string{"CCO <a1>", "CCN <a2>", "CCC <a3>"}},
		{"measurements are no ids", "x.csv", "MW,SMILES,class\n46.1,CCO,x\n45.1,CCN,x\n44.1,CCC,y\n", []string{"CCO <>", "CCN <>", "CCC <>"}},
		{"InChI and structures are no ids", "x.csv", "InChI,old,SMILES\nInChI=1,CCO,OCC\nInChI=2,CCN,NCC\nInChI=3,CCC,C(C)C\n", []string{"OCC <>", "NCC <>", "C(C)C <>"}},
		{"two columns of SMILES", "x.csv", "smiles_raw,smiles_std\nCCO,OCC\nCCN,NCC\n", []string{"CCO <>", "CCN <>"}},
		{"two, one with words", "x.csv", "smiles_source,canonical-smiles\nvendor,OCC\nvendor,NCC\n", []string{"OCC <>", "NCC <>"}},
		{"Excel, with a header", "", "Name\tStructure\nacetic acid\tCC(=O)O\nethanol\tCCO\n", []string{"CC(=O)O <acetic acid>", "CCO <ethanol>"}},
		{"Excel, without", "", "acetic acid\tCC(=O)O\t60.05\nethanol\tCCO\t46.07\n", []string{"CC(=O)O <acetic acid>", "CCO <ethanol>"}},
		{"Excel, quoted cells and empty ones", "", "\"two\nlines\"\tCCO\t\nethyl amine\tCCN\t\n", []string{"CCO <two\nlines>", "CCN <ethyl amine>"}},
		{"Excel, one column, Windows", "", "Structure\r\nCCO\r\nCCN\r\n", []string{"CCO <>", "CCN <>"}},
		{"commas, no header", "", "CCO,ethanol\nCC(=O)O,\"acetic acid, glacial\"\n", []string{"CCO <ethanol>", "CC(=O)O <acetic acid, glacial>"}},
		{"commas and blanks, no header", "", "acetic acid, CC(=O)O\nethanol, CCO\n", []string{"CC(=O)O <acetic acid>", "CCO <ethanol>"}},
		{"trailing commas", "x.csv", "CCO,ethanol,,\nCCN,ethyl amine,,,,\n", []string{"CCO <ethanol>", "CCN <ethyl amine>"}},
		{"a first row that is a typo", "x.csv", "C1CC,typo\nCCO,ethanol\nCCN,amine\n", []string{"C1CC <typo>", "CCO <ethanol>", "CCN <amine>"}},
		{"numbers beside", "x.csv", "0,1.5,CCO\n1,1.5,CCN\n", []string{"CCO <0>", "CCN <1>"}},
		{"single atoms", "", "C,methane\nN,ammonia\n", []string{"C <methane>", "N <ammonia>"}},
		{"old Mac", "", "Name\tStructure\rethanol\tCCO\ramine\tCCN\r", []string{"CCO <ethanol>", "CCN <amine>"}},
		{"Latin-1", "", "CCO \xe9thanol\nCCN amine\n", []string{"CCO <éthanol>", "CCN <amine>"}},
	} {
		for how, r := range map[string]io.Reader{"": strings.NewReader(test.text), " in bytes": iotest.OneByteReader(strings.NewReader(test.text))} {
			var got []string
			for rec, err := range Records(r, Options{Name: test.file}) {
				must.Do(errors.Join(err, rec.Err))
				got = append(got, fmt.Sprintf("%s <%s>", rec.SMILES, rec.ID))
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s%s:\n got %q\nwant %q", test.name, how, got, test.want)
			}
		}
		checkLine(t, test.name, test.file, test.text)
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
	for _, test := range []struct{ name, file, text, want string }{
		{"png", "x.smi", "\x89PNG\r\n\x1a\n\x00\x00", "x.smi: this is a PNG picture: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file"},
		{"pdf", "paper.csv", "%PDF-1.7\n", "paper.csv: this is a PDF: copy its structures out as SMILES"},
		{"workbook", "x.xlsx", "PK\x03\x04\x14\x00\x06\x00[Content_Types].xml\x00xl/workbook.xml", "x.xlsx: an Excel workbook that cannot be unpacked: zip: not a valid zip file"},
		{"workbook called csv", "x.csv", "PK\x03\x04\x14\x00_rels/.rels xl/workbook.xml", "x.csv: an Excel workbook that cannot be unpacked: zip: not a valid zip file"},
		{"docx", "", "PK\x03\x04\x14\x00[Content_Types].xml word/document.xml", "input: this is a Word document: copy its structures out as SMILES"},
		{"ods", "", "PK\x03\x04\x14\x00mimetypeapplication/vnd.oasis.opendocument.spreadsheetPK", "input: this is a LibreOffice spreadsheet: save it as CSV and give that"},
		{"xls", "x.xls", "\xd0\xcf\x11\xe0\xa1\xb1", "x.xls: this is an old Excel or Word file: save it as CSV and give that"},
		{"parquet", "", "PAR1\x15\x04", "input: a Parquet file of 6 bytes, it looks truncated"},
		{"lfs", "", "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", "input: this is the address of a file in Git LFS: get the file by `git lfs pull`"},
		{"sqlite", "", "SQLite format 3\x00", "input: this is an SQLite database: save it as CSV and give that"},
		{"pickle", "", "\x80\x04\x95\x00", "input: this is a Python pickle: write it as CSV"},
		{"binary", "", "CCO\nCC\x00N\x01\x02", "input: this is binary data, line 2 has a zero byte: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file"},
		{"packed binary", "x.gz", string(zipped(t, "\x89PNG\r\n")), "x.gz: this is a PNG picture: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file"},
		{"json", "", "{\"a\": 1}\n", "input: no column holds SMILES: there are \"a\""},
		{"list of texts", "", "[\"CCO\", \"CCN\"]\n", "input: this is JSON of texts: want an object with a SMILES for each molecule"},
		{"Arrow", "x.arrow", "ARROW1\x00\x00\xff\xff\xff\xff\x10\x01\x00\x00", "x.arrow: this is an Arrow or Feather file: write it as Parquet or CSV"},
		{"Feather", "x.feather", "ARROW1\x00\x00", "x.feather: this is an Arrow or Feather file: write it as Parquet or CSV"},
		{"a stream of Arrow", "", "\xff\xff\xff\xff\x10\x01\x00\x00", "input: this is a stream of Arrow: write it as Parquet or CSV"},
		{"packed Arrow", "x.arrow.gz", string(zipped(t, "ARROW1\x00\x00")), "x.arrow.gz: this is an Arrow or Feather file: write it as Parquet or CSV"},
		{"old Feather", "", "FEA1\x00\x00", "input: this is a Feather file: write it as Parquet or CSV"},
		{"page", "", "\n<!DOCTYPE html>\n", "input: this is a web page: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file"},
		{"pdb", "", "HEADER    HYDROLASE\nATOM      1\n", "input: this is a PDB file: write it as SDF or SMILES, for example with Open Babel"},
		{"fasta", "", ">sp|P1\nMKV\n", "input: this is FASTA, sequences of amino or nucleic acids: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file"},
		{"InChI", "", "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3\n", "input: " + errInChI.Error()},
		{"InChI, named", "", lines("ethanol InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3", 3), "input: " + errInChI.Error()},
		{"InChI in a table", "x.csv", "id,InChI\n1,\"InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3\"\n", "x.csv: " + errInChI.Error()},
		{"InChIKeys", "", lines("LFQSCWFLJHTTHZ-UHFFFAOYSA-N", 2), "input: " + errInChIKey.Error()},
		{"prose", "", lines("The quick brown fox", 50), "input: none of the first 50 lines holds a structure: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file; the first is \"The\": column 1: "},
		{"a column of words", "x.csv", "id,smiles\n" + lines("1,unknown", 50), "x.csv: none of the first 50 lines holds a structure: want SMILES, one a line, or a CSV, TSV, Excel, SDF or Parquet file; the first is \"unknown\": a name, not a structure; BaCa looks nothing up"},
		{"a table of words", "x.csv", "id,drug\n" + lines("1,aspirin", 50), "x.csv: no column holds SMILES: there are \"id\", \"drug\""},
		{"as many semicolons as commas", "x.csv", "id;x,drug\n1;2,aspirin\n", "x.csv: no column holds SMILES: there are \"id;x\", \"drug\""},
		{"grades", "x.csv", "id,grade\n1,C\n2,B\n3,N\n", "x.csv: no column holds SMILES: there are \"id\", \"grade\""},
	} {
		for how, r := range map[string]io.Reader{"": strings.NewReader(test.text), " in bytes": iotest.OneByteReader(strings.NewReader(test.text))} {
			got := list(r, Options{Name: test.file})
			if len(got) != 1 || !strings.HasPrefix(got[0], "end: "+test.want) {
				t.Errorf("%s%s:\n got %q\nwant %q", test.name, how, got, test.want)
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
	const second, none, selfies, smarts, name = "a second SMILES", "no SMILES", "this is SELFIES", "this is SMARTS", "a name, not a structure; BaCa looks nothing up"
	for text, want := range map[string]string{
		"CCO\nCCC": second, "CCO CCC": second, "CCO\tCCC": second, "CCO\u00a0CCC": second, "CCO\u2028ethanol": second, "[Na+] . [Cl-]": second, "CCO |$R1$| CCC": second,
		"CCO ethanol": "CCO", "CCO\u00a0ethanol": "CCO", "CCO |$R1$|": "CCO", " CCO\u2003": "CCO", "“CCO”": "CCO", "\ufeff‘CCO’ ": "CCO",
		"NA": none, "nan": none, "None": none, "NULL": none, "N/A": none, "#N/A": none, "-": none, " \u00a0": none, "“”": none, "[Na]": "[Na]", "N": "N", "[Na+].[Cl-]": "[Na+].[Cl-]",
		"[C][C][O]": selfies, "[C][=O]": selfies, "[C][C][Branch1][C][O][C]": selfies, "[O][=Ring1]": selfies, "[CH3][CH2][OH]": "[CH3][CH2][OH]", "[H][H]": "[H][H]", "[C-]#[O+]": "[C-]#[O+]", "[C]": "[C]",
		"[#6]-[#7]": smarts, "[C;H1]": smarts, "[!C]": smarts, "[C,N]": smarts, "C!@C": smarts, "[$(CO)]": smarts, "[R]": smarts, "[D2]": smarts, "[X4]C": smarts, "C~C": "C~C",
		"50-78-2": "a CAS number", "1150-78-2-1": "a ring bond must follow", "PEPTIDE1{A.R.G}$$$$": "this is HELM", "RNA1{R(A)P.R(G)P}$$$$V2.0": "this is HELM",
		"ACGTACGTAC": "nucleic acids", "AUGGCUACGAUG": "nucleic acids", "MKTAYIAKQRQISFVKSHFSRQ": "amino acids", "ACETYLSALICYLATE": name, "ETHANOL": name,
		"aspirin": name, "Acetylsalicylic acid": name, "2-(acetyloxy)benzoic acid": name, "benzo[a]pyrene": name, "spiro[4,5]decane": name, "ASPIRIN": name, "EtOH": name,
		"InChI=1S/CH4/h1H4": "these are InChI,", "LFQSCWFLJHTTHZ-UHFFFAOYSA-N": "these are InChIKeys",
		"CCOH": "no such atom", "C1CC": "never closed", "c1ccccc1Brr": "no such atom", "CC(C": "never closed", "ClCCX": "no such atom", "cccc": "aromatic", "[Xx]": "no such element",
	} {
		in := Listed(1, text).Parsed()
		if in.Err != nil && !strings.Contains(in.Err.Error(), want) || in.Err == nil && in.SMILES != want {
			t.Errorf("%q: %q, %v, want %s", text, in.SMILES, in.Err, want)
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
	for _, test := range []struct {
		text, column string
		want         Table
	}{
		{"id,Structure,y\na,CCO,1\nb,CCN,2\n", "", Table{Columns: []string{"id", "Structure", "y"}, SMILES: 1, ID: 0, Header: true, Guessed: true}},
		{"id,Structure,y\na,CCO,1\nb,CCN,2\n", "y", Table{Columns: []string{"id", "Structure", "y"}, SMILES: 2, ID: 0, Header: true}},
		{"id,SMILES,y\na,CCO,1\n", "", Table{Columns: []string{"id", "SMILES", "y"}, SMILES: 1, ID: 0, Header: true}},
		{"SMILES,Batch No\n", "", Table{Columns: []string{"SMILES", "Batch No"}, SMILES: 0, ID: -1, Header: true}},
		{"id,drug\n1,aspirin\n", "", Table{Columns: []string{"id", "drug"}, SMILES: -1, ID: 0, Header: true, Guessed: true}},
		{"id,drug\n1,aspirin\n", "smell", Table{Columns: []string{"id", "drug"}, SMILES: -1, ID: 0, Header: true}},
		{"a,CCO,CCN\nb,CCC,CCS\n", "", Table{Columns: []string{"column 1", "column 2", "column 3"}, SMILES: 1, ID: 0, Guessed: true}},
		{"a,CCO,CCN\nb,CCC,CCS\n", "column 3", Table{Columns: []string{"column 1", "column 2", "column 3"}, SMILES: 2, ID: 0}},
		{"CCO,a\nCCC,b\n", "column 1", Table{Columns: []string{"column 1", "column 2"}, SMILES: 0, ID: 1}},
		{"a,CCO,CCN\nb,CCC,CCS\n", "column 4", Table{Columns: []string{"a", "CCO", "CCN"}, SMILES: -1, ID: -1, Header: true}},
		{"a,CCO,CCN\nb,CCC,CCS\n", "2", Table{Columns: []string{"a", "CCO", "CCN"}, SMILES: -1, ID: -1, Header: true}},
		{"id,,y\na,CCO,CCN\nb,CCC,CCS\n", "", Table{Columns: []string{"id", "column 2", "y"}, SMILES: 1, ID: 0, Header: true, Guessed: true}},
		{"id,,y\na,CCO,CCN\nb,CCC,CCS\n", "column 2", Table{Columns: []string{"id", "column 2", "y"}, SMILES: 1, ID: 0, Header: true}},
		{"smiles,y,smiles,y\nC,1,N,2\n", "", Table{Columns: []string{"column 1", "column 2", "column 3", "column 4"}, SMILES: -1, ID: -1, Header: true, twins: &twins{0, 2, `"smiles"`, false}}},
		{"smiles,y,smiles,y\nC,1,N,2\n", "column 3", Table{Columns: []string{"column 1", "column 2", "column 3", "column 4"}, SMILES: 2, ID: -1, Header: true}},
		{"SMILES,Smiles\nC,N\n", "", Table{Columns: []string{"SMILES", "Smiles"}, SMILES: -1, ID: -1, Header: true, twins: &twins{0, 1, `"SMILES" and "Smiles"`, false}}},
	} {
		text := must.Have(NewText(strings.NewReader(test.text), Unpack{}))
		first, _, _ := strings.Cut(test.text, "\n")
		test.want.First = strings.Split(first, ",")
		if got, ok := text.Table(CSV, test.column); !ok || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q, column %q:\n got %+v\nwant %+v", test.text, test.column, got, test.want)
		}
		if _, ok := text.Table(SMI, ""); ok {
			t.Error("SMI has columns")
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
