package molecule_test

import (
	"fmt"

	"baca/algo/molecule"
	"baca/algo/molecule/smiles"
)

// What is found out about the atoms of pyridine.
func Example() {
	m, err := smiles.Parse("n1ccccc1")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range m.Atoms[:2] {
		fmt.Printf("%s: %d neighbours, %d hydrogens, aromatic %t, sp2 %t\n",
			molecule.Symbol(int(a.Element)), a.Degree, a.Hydrogens, a.Aromatic, a.Hybridization == molecule.SP2)
	}
	// Output:
	// N: 2 neighbours, 0 hydrogens, aromatic true, sp2 true
	// C: 2 neighbours, 1 hydrogens, aromatic true, sp2 true
}

// The features of a graph's nodes are those of the Open Graph Benchmark.
func ExampleMolecule_Graph() {
	m, err := smiles.Parse("C[NH3+]")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Graph()
	for i := range g.N() {
		x := g.X[i*molecule.Features:][:molecule.Features]
		fmt.Printf("%s: charge %+g, %g hydrogens\n", molecule.Symbol(int(x[molecule.ColumnElement])+1),
			x[molecule.ColumnCharge]-molecule.Neutral, x[molecule.ColumnHydrogens])
	}
	// Output:
	// C: charge +0, 3 hydrogens
	// N: charge +1, 3 hydrogens
}

// The parent of a salt is its largest fragment.
func ExampleCore() {
	m, err := smiles.Parse("CC(=O)[O-].[Na+]")
	if err != nil {
		fmt.Println(err)
		return
	}
	g := m.Graph()
	fmt.Println(g.N(), "atoms,", molecule.Core(g).N(), "without the counter-ion")
	// Output:
	// 5 atoms, 4 without the counter-ion
}

// A reader of another format fills a draft and takes it through the stages.
func ExampleDraft() {
	carbon, oxygen := molecule.ElementOf('C', 0), molecule.ElementOf('O', 0)
	var d molecule.Draft
	d.Text = "C=O"
	d.Atoms = []molecule.DraftAtom{{Element: carbon, At: 0, Size: 1}, {Element: oxygen, At: 2, Size: 1}}
	d.Bonds = []molecule.Bond{{From: 0, To: 1, Order: molecule.Double}}
	d.Dirs = []molecule.Direction{molecule.Level}
	d.Chain = 1
	d.Link()
	d.FoldHydrogens()
	if err := d.Perceive(); err != nil {
		fmt.Println(err)
		return
	}
	d.CleanTags()
	m := d.Molecule("formaldehyde")
	fmt.Println(m.Name, "has", m.Atoms[0].Hydrogens, "hydrogens at its carbon")
	// Output:
	// formaldehyde has 2 hydrogens at its carbon
}
