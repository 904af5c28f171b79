package algo

import "cmp"

// Reads describes how models of a schema read molecules.
func Reads(schema string) string {
	return cmp.Or(map[string]string{
		OGB: "molecules as written, in the order of their atoms", OGBCanonical: "molecules as written",
		OGBParent: "the parent compound", Constant: "plain graphs",
	}[schema], schema)
}
