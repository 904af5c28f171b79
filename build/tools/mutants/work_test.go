package mutants

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"baca/algo/dataset"
	"baca/algo/parquet"
	"baca/algo/table"
	"baca/build/internal/try"
	"baca/build/internal/unpack"
)

// A cost is what reading a file takes, independent of the machine: statements that ran, in these packages, and bytes.
type cost struct {
	statements, allocated, peak, rows int64
	end                               string // the last error
}

const counted = "baca/algo/...,archive/tar,archive/zip,bytes,compress/bzip2,compress/flate,compress/gzip,encoding/csv,encoding/json,encoding/xml,maps,slices,sort,strings"

// costs returns a function that reads a file in another process, which counts.
func costs(t *testing.T) func(name string, data []byte) cost {
	if testing.Short() {
		t.Skip("builds a test that counts statements")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "counts")
	if text, err := exec.Command("go", "test", "-c", "-o", program, "-covermode=count", "-coverpkg="+counted, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return func(name string, data []byte) (c cost) {
		file, profile := filepath.Join(folder, name), filepath.Join(folder, "profile")
		try.Check(os.WriteFile(file, data, 0o666))
		child := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -t 30; exec "$@"`, "", program, "-test.run=TestReadCounted", "-test.coverprofile="+profile)
		child.Env = append(os.Environ(), "BACA_COUNTED="+file, "GOGC=50")
		text, err := child.Output()
		if err != nil {
			return cost{end: fmt.Sprintf("30 s of the processor are not enough, or it crashed: %v: %s", err, text)}
		}
		line, end, _ := strings.Cut(string(text), "\n")
		try.To(fmt.Sscan(line, &c.allocated, &c.peak, &c.rows))
		c.end, _, _ = strings.Cut(end, "\n")
		for line := range strings.Lines(string(try.To(os.ReadFile(profile)))) {
			if _, numbers, ok := strings.Cut(line, " "); ok && !strings.HasPrefix(line, "mode:") {
				var size, times int64
				try.To(fmt.Sscan(numbers, &size, &times))
				c.statements += size * times
			}
		}
		return c
	}
}

// TestReadCounted is that other process.
func TestReadCounted(t *testing.T) {
	name := os.Getenv("BACA_COUNTED")
	if name == "" {
		t.Skip("costs runs it")
	}
	data := try.To(os.ReadFile(name))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rows, end := 0, ""
	opt := dataset.Options{Name: filepath.Base(name), Plain: true, Unpack: unpack.All, Own: func(_, names []string) { table.OwnFields(names) }}
	for rec, err := range dataset.Records(bytes.NewReader(data), opt) {
		if err != nil {
			end = err.Error()
		} else if rec.Parsed().Err == nil {
			rows++
		}
	}
	runtime.ReadMemStats(&after)
	fmt.Println(after.TotalAlloc-before.TotalAlloc, int64(after.HeapSys-before.HeapSys), rows)
	fmt.Printf("%.100q\n", end)
}

// many writes a text for each of n numbers.
func many(n int, format string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

func sheetOf(rows, styles, texts string) []byte {
	parts := workbook("<worksheet><sheetData>" + rows + "</sheetData></worksheet>")
	parts[2].text = "<sst>" + texts + "</sst>"
	parts[3].text = "<styleSheet>" + styles + "</styleSheet>"
	return zipOf(parts)
}

func files(n int, name string) (list []entry) {
	for i := range n {
		list = append(list, entry{fmt.Sprintf(name, i), "CCO a\n"})
	}
	return list
}

func columnsOf(n int) []byte {
	list := []parquet.Cells{{Name: "smiles", Texts: []string{"CCO"}}}
	for i := range n {
		list = append(list, parquet.Cells{Name: fmt.Sprint("c", i), Texts: []string{"x"}})
	}
	var b bytes.Buffer
	w := parquet.NewWriter(&b, "mutants", list)
	w.Write(list)
	try.Check(w.Close())
	return b.Bytes()
}

const cell = `<c t="inlineStr"><is><t>CCO</t></is></c>`

// Of twice as many the work is at most 2.3 times as much.
func TestWorkDoubles(t *testing.T) {
	read := costs(t)
	atom := molfileOf("O")
	for _, test := range []struct {
		what, name string
		n          int
		file       func(n int) []byte
	}{
		{"rows", "a.csv", 4000, func(n int) []byte { return []byte("smiles,id\n" + many(n, "CCO,%d\n")) }},
		{"columns", "a.csv", 8000, func(n int) []byte { return []byte("smiles" + many(n, ",c%d") + "\nCCO" + many(n, ",%d") + "\n") }},
		{"equal names", "a.csv", 400, func(n int) []byte { return []byte("smiles" + many(n, ",c") + "\nCCO" + many(n, ",%d") + "\n") }},
		{"names alike", "a.csv", 200, func(n int) []byte { return []byte("smiles" + many(n, ",my Id,my_id,MY-ID") + "\nCCO\nCCO\n") }},
		{"names with smiles", "a.csv", 4000, func(n int) []byte { return []byte("id" + many(n, ",smiles %d") + "\na" + many(n, ",CCO") + "\n") }},
		{"no header", "a.csv", 2000, func(n int) []byte { return []byte(strings.Repeat("CCO"+many(n, ",%d")+"\n", 5)) }},
		{"quotes without end", "a.csv", 4000, func(n int) []byte { return []byte("smiles,id\n" + many(n, "\"CCO,%d\n")) }},
		{"fields of SDF", "a.sdf", 4000, func(n int) []byte { return []byte(atom + many(n, "> <f%d>\n1\n\n") + "$$$$\n") }},
		{"equal fields of SDF", "a.sdf", 4000, func(n int) []byte { return []byte(atom + many(n, "> <f>\n1\n\n") + "$$$$\n") }},
		{"fields of a later record", "a.sdf", 4000, func(n int) []byte {
			return []byte(atom + "> <a>\n1\n\n$$$$\n" + atom + many(n, "> <f%d>\n1\n\n") + "$$$$\n")
		}},
		{"keys of JSON", "a.jsonl", 4000, func(n int) []byte { return []byte(`{"smiles": "CCO"` + many(n, `, "k%d": 1`) + "}\n") }},
		{"equal keys of JSON", "a.jsonl", 4000, func(n int) []byte { return []byte(`{"smiles": "CCO"` + many(n, `, "k": 1`) + "}\n") }},
		{"objects that each lack a quote", "a.json", 2000, func(n int) []byte { return []byte("[" + many(n, `{"smiles": "CCO, "id": "%d"}, `) + "{}]") }},
		{"objects without end", "a.json", 4000, func(n int) []byte { return []byte("[" + many(n, `{"a": `)) }},
		{"lists without end", "a.json", 8000, func(n int) []byte { return []byte(many(n, `{"smiles":1 [`)) }},
		{"texts without end", "a.json", 4000, func(n int) []byte { return []byte("[" + many(n, `{"a": "x}, `)) }},
		{"lists in lists", "a.json", 4000, func(n int) []byte { return []byte(`[{"smiles": "CCO", "a": ` + many(n, "[") + many(n, "]") + "}]") }},
		{"links", "a.json", 4000, func(n int) []byte {
			return []byte(`[{"nodes": [{"id": 0}` + many(n, `, {"id": "%d"}`) + `], "links": [{"source": 0, "target": 0}` + many(n, `, {"source": 0, "target": "%d"}`) + "]}]")
		}},
		{"keys of GraphML", "a.graphml", 4000, func(n int) []byte {
			return []byte("<graphml>" + many(n, `<key id="k%d" for="graph" attr.name="a%d"/>`) + `<graph id="a"><node id="a"/>` + many(n, `<data key="k%d">1</data>`) + "</graph></graphml>")
		}},
		{"edges of GraphML", "a.graphml", 4000, func(n int) []byte {
			return []byte(`<graphml><graph><node id="a"/>` + many(n, `<node id="%d"/><edge source="a" target="%d"/>`) + "</graph></graphml>")
		}},
		{"attributes of GraphML", "a.graphml", 4000, func(n int) []byte {
			return []byte(`<graphml><graph><node id="a"` + many(n, ` a%d="b"`) + "/></graph></graphml>")
		}},
		{"graphs", "a.graphml", 2000, func(n int) []byte {
			return []byte("<graphml>" + many(n, `<graph><node id="a"/></graph>`) + "</graphml>")
		}},
		{"files of a zip", "a.zip", 1000, func(n int) []byte { return zipOf(files(n, "%d.smi")) }},
		{"other files of a zip", "a.zip", 3000, func(n int) []byte { return zipOf(append(files(n, "%d.dat"), entry{"a.smi", "CCO\n"})) }},
		{"files of a tar", "a.tar", 1000, func(n int) []byte { return tarOf(files(n, "%d.smi")) }},
		{"other files of a tar", "a.tar", 3000, func(n int) []byte { return tarOf(append(files(n, "%d.dat"), entry{"a.smi", "CCO\n"})) }},
		{"members of a gzip", "a.smi.gz", 2000, func(n int) []byte { return bytes.Repeat(gz([]byte("CCO\n")), n) }},
		{"shared texts", "a.xlsx", 4000, func(n int) []byte { return sheetOf("<row>"+cell+"</row>", "", many(n, "<si><t>%d</t></si>")) }},
		{"runs of a text", "a.xlsx", 8000, func(n int) []byte {
			return sheetOf("<row>"+cell+"</row>", "", "<si>"+many(n, "<r><t>%d</t></r>")+"</si>")
		}},
		{"cells of a row", "a.xlsx", 4000, func(n int) []byte { return sheetOf("<row>"+cell+many(n, "<c><v>%d</v></c>")+"</row>", "", "") }},
		{"rows of a sheet", "a.xlsx", 2000, func(n int) []byte { return sheetOf(many(n, "<row>"+cell+"</row>"), "", "") }},
		{"styles", "a.xlsx", 4000, func(n int) []byte {
			return sheetOf("<row>"+cell+"</row>", "<numFmts>"+many(n, `<numFmt numFmtId="%d" formatCode="yyyy"/>`)+"</numFmts><cellXfs>"+many(n, `<xf numFmtId="%d"/>`)+"</cellXfs>", "")
		}},
		{"columns of Parquet", "a.parquet", 1000, columnsOf},
		{"words", "a.smi", 4000, func(n int) []byte { return []byte("CCO" + many(n, " w%d") + "\n") }},
	} {
		t.Run(test.what, func(t *testing.T) {
			once, twice := read(test.name, test.file(test.n)), read(test.name, test.file(2*test.n))
			work, memory := float64(twice.statements)/float64(once.statements), float64(twice.allocated)/float64(once.allocated)
			if !(work <= 2.3 && memory <= 2.3) {
				t.Errorf("twice as many take %.1f times the statements and %.1f times the memory: %+v, %+v", work, memory, once, twice)
			}
		})
	}
}

func molfileOf(name string) string {
	return fmt.Sprintf(strings.TrimSuffix(molfile, "> <y>\n%[3]d\n\n"), "", name)
}

// sharedBody is a zip archive whose n entries have the same compressed bytes.
func sharedBody(n int, text string) []byte {
	data := zipOf([]entry{{"00000.smi", text}})
	at := bytes.Index(data, []byte("PK\x01\x02"))
	end := bytes.Index(data, []byte("PK\x05\x06"))
	directory := data[at:end]
	data = data[:at:at]
	for i := range n {
		data = append(data, bytes.Replace(directory, []byte("00000"), fmt.Appendf(nil, "%05d", i), 1)...)
	}
	tail := binary.LittleEndian.AppendUint16([]byte("PK\x05\x06\x00\x00\x00\x00"), uint16(n))
	tail = binary.LittleEndian.AppendUint16(tail, uint16(n))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(data)-at))
	tail = binary.LittleEndian.AppendUint32(tail, uint32(at))
	return append(append(data, tail...), 0, 0)
}

// noise does not get smaller.
func noise(n int) string {
	data := make([]byte, n/2)
	rand.NewChaCha8([32]byte{}).Read(data)
	return hex.EncodeToString(data)
}

// A file of 1 MB costs at most 2 s and 200 MB more than its rows do as plain SMILES.
func TestWorkBounded(t *testing.T) {
	const (
		mostStatements = 2_000_000_000 // in about as many seconds as 10⁹ of them
		mostAllocated  = 8 << 30
		mostPeak       = 200 << 20
		mostSize       = 1_000_000
	)
	read := costs(t)
	plain := read("plain.smi", []byte(many(10_000, "CCO %d\n")))
	atom := molfileOf("O")
	texts := "<si><t>" + noise(60_000) + "</t></si><si><t>" + noise(1_000_000) + "</t></si>" // so that much else may be small
	repeat := func(text string) []byte { return bytes.Repeat([]byte(text), mostSize/len(text)) }
	unhex := func(text string) string { return string(try.To(hex.DecodeString(text))) }
	for _, test := range []struct {
		what, name string
		file       []byte
	}{
		{"entries that share a body", "a.zip", sharedBody(9000, strings.Repeat("C\n", 100_000)+noise(200_000))},
		{"many files in a zip", "a.zip", zipOf(files(7500, "%d.smi"))},
		{"many files in a tar", "a.tar.gz", gz(tarOf(files(50_000, "%d.smi")))},
		{"many other files in a tar", "a.tar.gz", gz(tarOf(append(files(50_000, "%d.dat"), entry{"a.smi", "CCO\n"})))},
		{"holes in a tar", "a.tar.gz", try.To(os.ReadFile("../../../algo/dataset/testdata/other/sparse.tar.gz"))},
		{"empty members of gzip", "a.smi.gz", repeat(string(gz(nil)))},
		{"empty frames of zstd that want 128 MB", "a.smi.zst", repeat(unhex("28b52ffd0088010000"))},
		{"empty streams of xz", "a.smi.xz", repeat(unhex("fd377a585a000004e6d6b446000000001cdf44211fb6f37d010000000004595a"))},
		{"empty streams of bzip2", "a.smi.bz2", repeat(unhex("425a683917724538509000000000"))},
		{"refused lines", "a.smi.gz", gz([]byte("CCO a\n" + strings.ReplaceAll(noise(600_000), "0", "\n#") + "\n" + strings.Repeat("(\n", 20_000_000)))},
		{"equal names", "a.csv", []byte("smiles" + many(60_000, ",c") + "\n" + many(5, "CCO"+many(60_000, ",1")+"\n"))},
		{"names alike", "a.csv", []byte("smiles" + many(20_000, ",my Id,my_id,MY-ID") + "\nCCO\nCCO\n")},
		{"names of ids", "a.csv", []byte("smiles" + many(60_000, ",id") + "\nCCO\nCCO\n")},
		{"names with smiles", "a.csv", []byte("id" + many(60_000, ",smiles %d") + "\na" + many(50_000, ",C") + "\n")},
		{"commas", "a.csv", append([]byte("smiles,id\n"), repeat(",,")[20:]...)},
		{"quotes", "a.csv", append([]byte("smiles,id\n"), repeat("\"\n")[20:]...)},
		{"fields of SDF", "a.sdf", []byte(atom + many(55_000, "> <f%d>\n1\n\n") + "$$$$\n")},
		{"lists in lists", "a.json", repeat("[")},
		{"objects without end", "a.json", append([]byte("["), repeat(`{"a":`)[10:]...)},
		{"texts without end", "a.json", append([]byte("["), repeat(`{"a": "x}, `)[20:]...)},
		{"objects in objects", "a.jsonl", append([]byte(`{"smiles": "CCO"}`+"\n"), repeat(`{"a":`)[50:]...)},
		{"objects that each lack a quote", "a.json", append([]byte("["), repeat(`{"smiles": "CCO, "id": "1"}, `)[40:]...)},
		{"keys of JSON", "a.jsonl", []byte(`{"smiles": "CCO"` + many(70_000, `,"k%d":1`) + "}\n")},
		{"keys of GraphML", "a.graphml", []byte("<graphml>" + many(18_000, `<key id="k%d" for="graph" attr.name="a%d"/>`) + `<graph><node id="a"/></graph></graphml>`)},
		{"equal attributes", "a.graphml", []byte("<graphml><graph" + many(100_000, ` a="1"`) + `><node id="a"/></graph></graphml>`)},
		{"runs of a text", "a.xlsx", sheetOf("<row>"+cell+"</row>", "", "<si>"+strings.Repeat("<r><t>a</t></r>", 131_072)+"</si>")},
		{"empty texts", "a.xlsx", sheetOf("<row>"+cell+"</row>", "", texts+strings.Repeat("<si/>", 6_000_000))},
		{"cells in the last column", "a.xlsx", sheetOf(strings.Repeat("<row>"+cell+`<c r="XFD1"><v>1</v></c></row>`, 100_000), "", texts)},
		{"a text for many cells", "a.xlsx", sheetOf("<row>"+cell+"</row>"+strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 100_000), "", texts)},
		{"rows left out", "a.xlsx", sheetOf("<row>"+cell+`</row><row r="1048576">`+cell+"</row>", "", "")},
		{"columns of Parquet", "a.parquet", columnsOf(4000)},
	} {
		t.Run(test.what, func(t *testing.T) {
			c := read(test.name, test.file)
			statements := c.statements - c.rows*plain.statements/plain.rows
			allocated := c.allocated - c.rows*plain.allocated/plain.rows
			if len(test.file) > mostSize || c.statements == 0 || statements > mostStatements || allocated > mostAllocated || c.peak > mostPeak {
				t.Errorf("%d bytes take %d statements and %d bytes more than their rows: %+v", len(test.file), statements, allocated, c)
			}
		})
	}
}
