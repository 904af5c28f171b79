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
