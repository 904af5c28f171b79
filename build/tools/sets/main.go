// Command sets writes the training files of the models drugs and bioactive, and the built-in background anew:
//
//	go run ./build/tools/sets DATA OUT
//
// DATA holds the public sets (mol/NAME.csv.gz), OUT is the folder to write:
//
//	drugs.csv          name, smiles and source of approved and investigational drugs
//	bioactive.smi      20 000 molecules of ChEMBL
//	not-medicinal.smi  5 000 molecules that are neither in ChEMBL nor drugs: the background of both
//	molecules.smi.gz   the built-in background of other models, with molecules enumerated from grammar.txt
//
// Molecules with the same parent are one, and its first written form stays. Molecules
// without organic carbon and those whose parent has more than 70 heavy atoms are left out.
// The same data make the same files.
package main

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"baca/algo/dataset"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
)

const (
	seed        = 1
	trainSize   = 20_000 // molecules of bioactive.smi
	maxAtoms    = 70     // heavy atoms of a small molecule: paclitaxel has 62, cyclosporin 85
	leastOfBBBP = 10     // heavy atoms of a drug of bbbp; the smaller ones are solvents and gases
	mix         = "scale-mix"
)

// A part is how many molecules come from the rows with this source.
type part struct {
	source string
	count  int
}

var backgroundParts = []part{{"qm9", 2000}, {"zinc-natural-products", 1500}, {"nonfullerene-acceptors", 1500}}

// sources are those of drugs, the one with names first.
var sources = []string{"bbbp", "clintox", "sider"}

// generic are names such as the international nonproprietary ones. The other rows of bbbp
// are research compounds by a number, and solvents.
var generic = regexp.MustCompile(`^[a-z][a-z()-]{5,}$`)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sets DATA OUT")
		os.Exit(2)
	}
	if err := write(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "sets:", err)
		os.Exit(1)
	}
}

// write writes all sets.
func write(data, out string) (err error) {
	defer try.Catch(&err)
	writeBackground(out)
	bioactive(data, out, drugs(data, out))
	return nil
}

// small returns the canonical SMILES of the parent of a small organic molecule and its heavy
// atoms, else nothing.
func small(text string) (key string, heavy int) {
	m, err := smiles.Parse(text)
	if err != nil {
		return "", 0
	}
	p, _, _ := smiles.Parent(m)
	if len(p.Atoms) > maxAtoms || !smiles.IsOrganic(p) {
		return "", 0
	}
	return smiles.Write(p), len(p.Atoms)
}

// A row is a molecule of a table.
type row struct{ name, smiles, source string }

// read returns the rows of a file, with their source if there is such a column.
func read(path string, source ...string) (rows []row) {
	f := try.To(os.Open(path))
	defer f.Close()
	for r, err := range dataset.Records(f, dataset.Options{Name: path, Cells: source}) {
		try.Check(cmp.Or(err, r.Err))
		one := row{name: r.ID, smiles: r.SMILES}
		if len(r.Cells) > 0 {
			one.source = r.Cells[0]
		}
		rows = append(rows, one)
	}
	return rows
}

func table(data, name string) string { return filepath.Join(data, "mol", name+".csv.gz") }

// drugs writes drugs.csv and returns the parents in it. All rows of clintox were approved
// or in clinical trials.
func drugs(data, out string) (parents map[string]bool) {
	lines := [][]string{{"name", "smiles", "source"}}
	place := map[string]int{} // of each parent in lines
	for _, source := range sources {
		for i, r := range read(table(data, source)) {
			key, heavy := small(r.smiles)
			if key == "" || source == "bbbp" && (heavy < leastOfBBBP || !generic.MatchString(r.name)) {
				continue
			}
			k, ok := place[key]
			if !ok {
				place[key] = len(lines)
				lines = append(lines, []string{cmp.Or(r.name, fmt.Sprint(source, " ", i+1)), r.smiles, source})
			} else if !strings.HasSuffix(lines[k][2], source) {
				lines[k][2] += " " + source
			}
		}
	}
	parents = map[string]bool{}
	for key := range place {
		parents[key] = true
	}
	var b strings.Builder
	try.Check(csv.NewWriter(&b).WriteAll(lines))
	try.Check(os.WriteFile(filepath.Join(out, "drugs.csv"), []byte(b.String()), 0o644))
	return parents
}

// bioactive writes bioactive.smi and its background, which has no parent of any molecule
// of ChEMBL or of the drugs.
func bioactive(data, out string, drugs map[string]bool) {
	rows, known := read(table(data, mix), "source"), map[string]bool{}
	train := draw(rows, "chembl", trainSize, known)
	draw(rows, "chembl", len(rows), known)
	maps.Copy(known, drugs)
	var outside []string
	for _, p := range backgroundParts {
		outside = append(outside, draw(rows, p.source, p.count, known)...)
	}
	writeList(out, "bioactive.smi", train)
	writeList(out, "not-medicinal.smi", outside)
}

// draw returns up to count small molecules of a source at random, none with a known parent,
// and adds their parents to the known ones.
func draw(rows []row, source string, count int, known map[string]bool) (list []string) {
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(rows)) {
		if len(list) == count {
			break
		}
		if rows[i].source != source {
			continue
		}
		if key, _ := small(rows[i].smiles); key != "" && !known[key] {
			known[key] = true
			list = append(list, rows[i].smiles)
		}
	}
	return list
}

// writeList writes a list of SMILES.
func writeList(out, name string, list []string) {
	sortMolecules(list)
	try.Check(os.WriteFile(filepath.Join(out, name), []byte(strings.Join(list, "\n")+"\n"), 0o644))
}

// sortMolecules sorts lines by the length of their SMILES, then by the alphabet.
func sortMolecules(lines []string) {
	length := func(line string) int {
		text, _, _ := strings.Cut(line, "\t")
		return len(text)
	}
	slices.SortFunc(lines, func(a, b string) int {
		return cmp.Or(cmp.Compare(length(a), length(b)), cmp.Compare(a, b))
	})
}
