package smiles

import "baca/algo/molecule"

// Listed reports whether components.tsv lists m, which has one component, as a counter-ion or solvent. medicine tells
// whether the table also names it as a medicine, which solvents never are.
func Listed(m *molecule.Molecule) (is, medicine bool) {
	settled, _ := settleCharges(canonicalClasses(flat(m)))
	kind, is := listed()[bareText(settled)]
	return is, kind == drugAcid || kind == drugBase
}
