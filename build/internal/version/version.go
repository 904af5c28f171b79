// Package version is that of the programs.
package version

import "baca/algo"

// commit is that which the program was built from, with .dirty where files had changed.
// The Makefile sets it; it is empty in what is built without.
var commit string

// String returns the version, such as 0.1.0+2849ee6ec1db. Rows of two versions may differ.
func String() string {
	if commit == "" {
		return algo.Version
	}
	return algo.Version + "+" + commit
}
