// Command sets writes the training files of the models drugs and bioactive, and the built-in background anew:
//
//	go run ./build/tools/sets DATA OUT
//
// DATA holds the public sets (mol/NAME.csv.gz), OUT is the folder to write:
//
//	drugs.csv          name, smiles and source of approved and investigational drugs
//	bioactive.smi      20 000 molecules of ChEMBL
//	not-medicinal.smi  7 100 molecules that are neither in ChEMBL nor drugs: the background of both
//	molecules.smi.gz   the built-in background of other models, with molecules enumerated from grammar.txt
//
// Molecules with the same parent are one, and its first written form stays. Of a record with several drugs each is one.
// What is left out, see clean, is counted on standard output. The same data make the same files.
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
	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
	"baca/build/internal/try"
)

const (
	seed        = 1
	trainSize   = 20_000 // molecules of bioactive.smi
	leastAtoms  = 5      // heavy atoms
	mostAtoms   = 150    // teicoplanin has 132; larger ones are proteins and nucleic acids
	leastOfBBBP = 10     // heavy atoms of a drug of bbbp; the smaller ones are solvents and gases
	leastOfMany = 11     // heavy atoms of a drug of a combination; the smaller ones are monomers and counter-ions
	mix         = "scale-mix"
)

// A part says how many molecules come from a source.
type part struct {
	source string
	count  int
}

var backgroundParts = []part{{"qm9", 2000}, {"zinc-natural-products", 1500}, {"nonfullerene-acceptors", 1500}}

// sources are the data sets of drugs. The one with names comes first.
var sources = []string{"bbbp", "clintox", "sider"}

// generic matches names like international nonproprietary ones. Other rows of bbbp are solvents and numbered research
// compounds.
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

// A compound is a record, or a component of one.
type compound struct {
	text   string // SMILES as written
	parent *molecule.Molecule
	key    string // SMILES of the parent
	others uint16 // number of compounds beside the parent
}

// compoundOf returns the compound of a molecule that is written as text.
func compoundOf(text string, m *molecule.Molecule) compound {
	p, _, aside := smiles.Parent(m)
	return compound{text, p, smiles.Write(p), aside.Others}
}

// components returns the different organic components of m other than counter-ions and solvents. medicine tells whether a
// counter-ion of m is also a medicine; solvents never are.
func components(m *molecule.Molecule) (list []compound, medicine bool) {
	for text := range strings.SplitSeq(smiles.Write(m), ".") {
		part := try.To(smiles.Parse(text))
		is, named := smiles.Listed(part)
		medicine = medicine || named
		c := compoundOf(text, part)
		repeated := slices.ContainsFunc(list, func(other compound) bool { return other.key == c.key })
		if !is && !repeated && smiles.IsOrganic(c.parent) {
			list = append(list, c)
		}
	}
	return list, medicine
}

// organicParent returns the organic parent of a record as a list of one, or says why the record has none.
func organicParent(text string) (list []compound, fault string) {
	m, err := smiles.Parse(text)
	if err != nil {
		return nil, "unreadable"
	}
	c := compoundOf(text, m)
	fault = faultOf(c.parent, 1)
	if fault != "" {
		return nil, fault
	}
	return []compound{c}, ""
}

// clean returns the compounds of a record other than counter-ions and solvents. A combination has several. If there are
// none, fault says why.
func clean(text string) (list []compound, fault string) {
	m, err := smiles.Parse(text)
	if err != nil {
		return nil, "unreadable"
	}
	list = []compound{compoundOf(text, m)}
	parts, medicine := components(m)
	least := leastAtoms
	switch {
	case len(parts) == 0 && !medicine && smiles.IsOrganic(list[0].parent):
		return nil, "counter-ions or solvents"
	case len(parts) == 0: // a counter-ion that is a medicine, or nothing organic, which faultOf refuses
		least = 1
	case list[0].others > 0: // a combination
		list, least = parts, leastOfMany
	}
	return slices.DeleteFunc(list, func(c compound) bool {
		f := faultOf(c.parent, least)
		fault = cmp.Or(fault, f)
		return f != ""
	}), fault
}

// faultOf says why a parent is left out, or returns "". A parent is left out if it is not organic, is a radical, or has
// fewer than least or more than mostAtoms heavy atoms.
func faultOf(p *molecule.Molecule, least int) string {
	switch {
	case !smiles.IsOrganic(p):
		return "without organic carbon"
	case slices.ContainsFunc(p.Atoms, func(a molecule.Atom) bool { return a.Radicals > 0 }):
		return "radicals"
	case len(p.Atoms) < least:
		return fmt.Sprintf("of fewer than %d heavy atoms", least)
	case len(p.Atoms) > mostAtoms:
		return fmt.Sprintf("of more than %d heavy atoms", mostAtoms)
	}
	return ""
}

// A row is a molecule in a table.
type row struct{ name, smiles, source string }

// read returns the rows of a file. source names the column of their sources, if there is one. A record that cannot be
// read ends the program, by package try.
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

// drugs writes drugs.csv, prints what it leaves out, and returns the parents in the file, by their SMILES.
func drugs(data, out string) (parents map[string]bool) {
	lines := [][]string{{"name", "smiles", "source"}}
	place := map[string]int{} // of each parent in lines
	records, left := 0, map[string]int{}
	for _, source := range sources {
		// All rows of clintox were approved or in clinical trials.
		for i, r := range read(table(data, source)) {
			records++
			if source == "bbbp" && !generic.MatchString(r.name) {
				left["of BBBP without a generic name"]++
				continue
			}
			list, fault := clean(r.smiles)
			list = slices.DeleteFunc(list, func(c compound) bool { return source == "bbbp" && len(c.parent.Atoms) < leastOfBBBP })
			if len(list) == 0 {
				left[cmp.Or(fault, fmt.Sprintf("of BBBP with fewer than %d heavy atoms", leastOfBBBP))]++
			}
			for n, c := range list {
				k, ok := place[c.key]
				if !ok {
					place[c.key] = len(lines)
					name := cmp.Or(r.name, fmt.Sprint(source, " ", i+1))
					if len(list) > 1 {
						name += fmt.Sprint(", component ", n+1)
					}
					lines = append(lines, []string{name, c.text, source})
				} else if !strings.HasSuffix(lines[k][2], source) {
					lines[k][2] += " " + source
				}
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
	fmt.Printf("drugs.csv: %d drugs of %d records; left out:%s\n", len(place), records, reasons(left))
	return parents
}

// reasons formats how many records were left out, and why.
func reasons(left map[string]int) string {
	var b strings.Builder
	for _, reason := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(&b, " %d %s;", left[reason], reason)
	}
	return b.String()
}

// bioactive writes bioactive.smi and its background, in which no parent is that of a molecule of ChEMBL or of a drug.
func bioactive(data, out string, drugs map[string]bool) {
	rows, known, left := read(table(data, mix), "source"), map[string]bool{}, map[string]int{}
	train := draw(rows, "chembl", trainSize, known, func(text string) []compound {
		list, fault := clean(text)
		if len(list) == 0 {
			left[fault]++
		}
		return list
	})
	fmt.Printf("bioactive.smi: %d molecules; left out of those drawn:%s\n", len(train), reasons(left))
	ofAnyKind := func(text string) []compound {
		list, _ := organicParent(text)
		return list
	}
	draw(rows, "chembl", len(rows), known, ofAnyKind) // makes all of ChEMBL known
	maps.Copy(known, drugs)
	var outside []string
	for _, p := range backgroundParts {
		outside = append(outside, draw(rows, p.source, p.count, known, ofAnyKind)...)
	}
	writeList(out, "bioactive.smi", train)
	writeList(out, "not-medicinal.smi", append(outside, enumerate(known, broadPerClass)...))
}

// draw returns up to count compounds of random records of a source. It skips compounds with a known parent, and adds the
// parents of the others to known.
func draw(rows []row, source string, count int, known map[string]bool, compounds func(text string) []compound) (list []string) {
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(len(rows)) {
		if rows[i].source != source {
			continue
		}
		for _, c := range compounds(rows[i].smiles) {
			if len(list) == count {
				return list
			}
			if !known[c.key] {
				known[c.key] = true
				list = append(list, c.text)
			}
		}
	}
	return list
}

// writeList sorts a list of SMILES and writes it to the folder out.
func writeList(out, name string, list []string) {
	sortMolecules(list)
	try.Check(os.WriteFile(filepath.Join(out, name), []byte(strings.Join(list, "\n")+"\n"), 0o644))
}

// sortMolecules sorts lines by the length of their SMILES, then alphabetically.
func sortMolecules(lines []string) {
	length := func(line string) int {
		text, _, _ := strings.Cut(line, "\t")
		return len(text)
	}
	slices.SortFunc(lines, func(a, b string) int {
		return cmp.Or(cmp.Compare(length(a), length(b)), cmp.Compare(a, b))
	})
}
