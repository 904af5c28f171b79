package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// choose chooses an option of a menu.
func (b *tab) choose(menu, option string) {
	b.t.Helper()
	b.anew()
	eval[any](b, fmt.Sprintf(`((e) => { e.value = %q; e.dispatchEvent(new Event("change", { bubbles: true })); return null; })(document.querySelector(%q))`, option, menu))
}

// column is what the menu of columns shows, empty where there is none.
func (b *tab) column() string {
	b.t.Helper()
	return eval[string](b, `document.getElementById("column")?.value ?? ""`)
}

// names are those of the rows in the table, in order.
func (b *tab) names() string {
	b.t.Helper()
	return eval[string](b, `[...document.querySelectorAll(".row-name")].map((e) => e.lastChild.textContent).sort().join("|")`)
}

const namelessTable = "ID,Parent,Salt\na,CCO,CCO.[Na+].[Cl-]\nb,CCN,CCN.Cl\n"

// A table whose columns have other names is read, and the choice is the user's.
func TestColumnsAreOffered(t *testing.T) {
	b := ready(t)
	b.write(namelessTable)
	b.phase("done")
	if got := b.column(); got != "Parent" {
		t.Errorf("the SMILES are in %q, want Parent", got)
	}
	if got := b.text(".column-menu"); !strings.Contains(got, "SMILES column") || !strings.Contains(got, "found by what it holds") {
		t.Errorf("the page says %q of the column", got)
	}
	if got := b.names(); got != "a|b" {
		t.Errorf("the names are %q", got)
	}
	b.choose("#column", "Salt")
	b.phase("done")
	b.wait(`document.getElementById("column").value === "Salt" && document.querySelectorAll(".row").length === 2`)
	// After a reload a file with the same first row is read so, too.
	b.run("reloading", chromedp.Reload())
	b.wait(`document.documentElement.dataset.state === "running"`)
	b.usable()
	b.before = -1
	b.upload("#file", "salts.csv", []byte(namelessTable+"c,CCC,CCC.Cl\n"))
	b.phase("done")
	if got := b.column(); got != "Salt" {
		t.Errorf("the SMILES are in %q after a reload, want Salt", got)
	}
	// Where no column has SMILES the way on is the menu.
	b.drop("words.csv", []byte("key,drug,remark\n1,aspirin,CC(\n2,ethanol,CX\n"))
	b.phase("broken")
	if got := b.text(".notice"); !strings.Contains(got, `words.csv: no column holds SMILES: there are "key", "drug", "remark"`) {
		t.Errorf("the page says %q", got)
	}
	b.choose("#column", "remark")
	b.phase("done")
	b.wait(`document.getElementById("input-status").textContent.includes("0 read, 2 refused")`)
	b.quiet()
}

// What people paste is read as they mean it.
func TestPastesAreRecognised(t *testing.T) {
	b := ready(t)
	for _, test := range []struct{ text, names string }{
		{"aspirin CC(=O)Oc1ccccc1C(=O)O\nacetic acid CC(=O)O\n", "acetic acid|aspirin"},
		{"Name\tStructure\tMW\nacetic acid\tCC(=O)O\t60\nethanol\tCCO\t46\n", "acetic acid|ethanol"},
		{"1. CCO ethanol\n2. CC(=O)O acetic acid\n", "acetic acid|ethanol"},
		{"\"ChEMBL ID\";\"Name\";\"Smiles\"\n\"CHEMBL25\";\"ASPIRIN\";\"CC(=O)Oc1ccccc1C(=O)O\"\n\"CHEMBL545\";\"ALCOHOL\";\"CCO\"\n", "CHEMBL25|CHEMBL545"},
	} {
		b.write(test.text)
		b.phase("done")
		b.wait(`document.querySelectorAll(".row").length === 2`)
		if got := b.names(); got != test.names {
			t.Errorf("the names of %q are %q, want %q", test.text, got, test.names)
		}
		b.empty()
	}
	b.quiet()
}

// Files come in all encodings. Those that the text area cannot show stay files.
func TestEncodings(t *testing.T) {
	b := ready(t)
	for _, test := range []struct{ name, data, names string }{
		{"mac.txt", "Name\tStructure\rethyl amine\tCCN\racetic acid\tCC(=O)O\r", "acetic acid|ethyl amine"},
		{"windows.csv", "\ufeffName;Structure\r\nethyl amine;CCN\r\nacetic acid;CC(=O)O\r\n", "acetic acid|ethyl amine"},
		{"latin.txt", "CCN \xe9thyl amine\nCC(=O)O acetic acid\n", "acetic acid|éthyl amine"},
		{"wide.txt", "C\x00C\x00N\x00 \x00a\x00\r\x00\n\x00C\x00C\x00C\x00 \x00b\x00\r\x00\n\x00", "a|b"},
	} {
		b.drop(test.name, []byte(test.data))
		b.phase("done")
		b.wait(fmt.Sprintf(`document.querySelectorAll(".row").length === 2 && [...document.querySelectorAll(".row-name")].some((e) => e.lastChild.textContent === %q)`, strings.Split(test.names, "|")[0]))
		if got := b.names(); got != test.names {
			t.Errorf("%s: the names are %q, want %q", test.name, got, test.names)
		}
	}
	b.quiet()
}

// What is no text of molecules gets one sentence, and no list of refusals.
func TestForeignFilesGetOneSentence(t *testing.T) {
	b := ready(t)
	for _, test := range []struct{ name, data, want string }{
		{"shelf.xlsx", "PK\x03\x04\x14\x00\x06\x00[Content_Types].xml xl/workbook.xml", "shelf.xlsx: this is an Excel workbook: save it as CSV and give that"},
		{"picture.csv", "\x89PNG\r\n\x1a\n\x00\x00", "picture.csv: this is a PNG picture"},
		{"dump.csv", "id,smiles\n1,CC\x00\x01\x02\n", "dump.csv: this is binary data, line 2 has a zero byte"},
		{"empty.csv", "", "There is no structure in it."},
		{"blank.csv", " \n\n\t\n", "There is no structure in it."},
		{"prose.csv", strings.Repeat("smiles are nice\n", 1122), "prose.csv: no"},
		{"keys.csv", "id,key\n1,LFQSCWFLJHTTHZ-UHFFFAOYSA-N\n", "these are InChIKeys"},
	} {
		b.drop(test.name, []byte(test.data))
		b.phase("broken", "done")
		b.wait(fmt.Sprintf(`document.querySelector(".notice").textContent.includes(%q)`, test.want))
		if n := eval[int](b, `document.querySelectorAll(".problem").length`); n > 0 {
			t.Errorf("%s: %d refusals", test.name, n)
		}
	}
	b.empty()
	b.write(strings.Repeat("The quick brown fox\n", 1122))
	b.phase("broken")
	if got := b.text(".notice"); !strings.Contains(got, "None of the first 50 lines holds a structure") {
		t.Errorf("the page says %q of prose", got)
	}
	// A few mistakes are named one by one.
	b.empty()
	b.write("C1CC ring\nc1ccccc1N( branch\n")
	b.phase("done")
	b.wait(`document.querySelectorAll(".problem").length === 2`)
	b.quiet()
}

// besideGutter tells how far the text begins behind the gutter and by how much a line of
// text and its number are apart, in pixels.
const besideGutter = `(() => {
	const area = document.getElementById("smiles"), gutter = document.querySelector(".gutter");
	const a = area.getBoundingClientRect(), g = gutter.getBoundingClientRect();
	const style = getComputedStyle(area);
	const numbers = [...document.querySelectorAll(".gutter-number")];
	const height = parseFloat(style.lineHeight);
	const off = numbers.map((e) => {
		const r = e.getBoundingClientRect();
		const top = a.top + area.clientTop + parseFloat(style.paddingTop) + (Number(e.textContent) - 1) * height - area.scrollTop;
		return Math.abs((r.top + r.bottom) / 2 - (top + height / 2));
	});
	return {
		Behind: a.left + area.clientLeft - g.right,
		Cut: g.left - Math.min(...numbers.map((e) => e.getBoundingClientRect().left)),
		Over: Math.max(...numbers.map((e) => e.getBoundingClientRect().right)) - g.right,
		Off: Math.max(...off), Lines: numbers.length,
	};
})()`

// The text stands beside the numbers of its lines on every screen, scrolled or not.
func TestTextStandsBesideTheGutter(t *testing.T) {
	b := ready(t)
	b.write(strings.Repeat("CC(=O)Oc1ccccc1C(=O)OCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC a long name behind a long molecule\nCX typo\n", 600))
	b.phase("done")
	for _, width := range []int{390, 1024, 1440} {
		b.run("resizing", chromedp.EmulateViewport(int64(width), 900))
		for _, to := range []string{"0, 0", "300, 0", "0, 13211", "200, 1e9"} {
			eval[any](b, fmt.Sprintf(`(document.getElementById("smiles").scrollTo(%s), null)`, to))
			b.wait(besideGutter + ".Off < 4")
			type place struct{ Behind, Cut, Over, Off, Lines float64 }
			got := eval[place](b, besideGutter)
			if got.Behind < 0 || got.Cut > 0 || got.Over > 0 || got.Lines < 5 {
				t.Errorf("%d pixels wide, scrolled to %s: %+v", width, to, got)
			}
		}
	}
	b.quiet()
}
