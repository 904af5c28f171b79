package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"baca/algo/internal/lists"
)

// columnName normalises the spelling of a column's name, so that case, blanks and dashes do not matter.
func columnName[T string | []byte](text T) string {
	return columnNames.Replace(strings.ToLower(string(text)))
}

var columnNames = strings.NewReplacer(" ", "_", "-", "_")

// smilesNames are names of SMILES columns, the best first. Of PubChem's columns the one with stereo comes first.
var smilesNames = []string{"smiles", "isomeric_smiles", "isosmiles", "canonical_smiles", "canonicalsmiles", "smile",
	"cxsmiles", "structure_smiles", "smi"}

// idNames are the names of id columns, the best first.
var idNames = []string{
	"id", "mol_id", "molecule_id", "compound_id", "cid", "chembl_id", "cmpd_chemblid", "molecule_chembl_id",
	"zinc_id", "molport_id", "molportid",
	"idnumber", "catalog_id", "catalog_number", "compound_cid", "name", "title", "compound_name", "molecule_name",
	"cmpdname", "drug_name", "drug",
	"iupac", "iupac_name", "iupacname", "cas", "cas_number", "cas_no",
}

// idWords are last words of further names of id columns, such as DrugBank ID.
var idWords = []string{
	"id", "key", "inchikey", "code", "no", "nr", "cas", "name", "nom", "nombre", "compound", "substance", "drug",
	"ligand", "molecule", "accession",
}

// namesID reports whether the last word of a name is one of idWords.
func namesID(name string) bool {
	name = columnName(strings.TrimRight(name, ".:# "))
	return slices.Contains(idWords, name[strings.LastIndexByte(name, '_')+1:])
}

// idColumn returns the column whose name is the best of idNames, or −1. If two columns have that name, it returns the
// first one, and both as twins.
func idColumn(columns []string) (int, *twins) {
	names := columnNamesOf(columns)
	for _, wanted := range idNames {
		if i := slices.Index(names, wanted); i >= 0 {
			k := slices.Index(names[i+1:], wanted)
			if k < 0 {
				return i, nil
			}
			t := twinsIn(columns, i, i+1+k)
			t.ids = true
			return i, t
		}
	}
	return -1, nil
}

// columnNamesOf returns the names in the form in which columnName compares them.
func columnNamesOf(columns []string) []string {
	return lists.Map(columns, columnName[string])
}

// twins are two columns that match a wanted name equally well.
type twins struct {
	first, second int    // from 0
	names         string // for messages
	ids           bool   // they are columns of ids, not of SMILES
}

// twinsIn returns the error for the columns first and second, which match a wanted name equally well.
func twinsIn(columns []string, first, second int) *twins {
	t := &twins{first: first, second: second, names: clip(columns[first])}
	if columns[first] != columns[second] {
		t.names += " and " + clip(columns[second])
	}
	return t
}

// Error says which columns have the same name, and how to choose one of them.
func (t *twins) Error() string {
	what := fmt.Sprintf("columns %d and %d are both called %s: want ", t.first+1, t.second+1, t.names)
	if t.ids {
		return what + "one column of ids"
	}
	return what + fmt.Sprintf(`one of that name, or its place as "column %d"`, t.first+1)
}

// values is the error for input other than tables.
func (t *twins) values() error { return fmt.Errorf("two values called %s: want one", t.names) }

// columnOrPlace is columnCalled, but if no column has the name, one such as "column 2" gives a column by its number.
func columnOrPlace(columns []string, name string) (int, *twins) {
	i, err := columnCalled(columns, name)
	if n, ok := numberedColumn(columnName(strings.TrimSpace(name))); i < 0 && ok && n <= len(columns) {
		i = n - 1
	}
	return i, err
}

// columnCalled returns the column spelled like name. Otherwise it returns the one that differs in case, blanks and dashes
// only, with an error if there are two. It returns −1 if there is none.
func columnCalled(columns []string, name string) (int, *twins) {
	name = strings.TrimSpace(name)
	wanted := columnName(name)
	place, exact := -1, false
	var err *twins
	for i, c := range columns {
		same := c == name
		switch {
		case columnName(c) != wanted || exact && !same: // another name, or a worse match than the one at place
		case place < 0 || same && !exact: // the first match, or a better one
			place, exact, err = i, same, nil
		case err == nil: // a second match that is as good
			err = twinsIn(columns, place, i)
		}
	}
	return place, err
}

// noColumn is the error for a column that is not among front, the first row. It lists the first columns.
func noColumn(front []string, column string) error {
	shown := make([]string, 0, 2*maxNamed)
	for _, name := range front[:min(len(front), cap(shown))] {
		shown = append(shown, clip(name))
	}
	if len(front) > len(shown) {
		shown = append(shown, fmt.Sprintf("and %d more", len(front)-len(shown)))
	}
	list := strings.Join(shown, ", ")
	if wantsSMILES(column) {
		return fmt.Errorf("no column holds SMILES: there are %s", list)
	}
	return fmt.Errorf("no column %q: want its name to be one of the header, which has %s", column, list)
}

// wantsSMILES reports whether no particular column was asked for: none, or smiles.
func wantsSMILES(column string) bool {
	return column == "" || columnName(column) == smilesNames[0]
}

// numberedColumn returns the number, from 1, in a normalised name such as "column_2". For other names it returns false.
func numberedColumn(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, "column_")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}
