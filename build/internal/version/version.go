// Package version reports the build.
package version

import "baca/algo"

// commit is the commit from which the program was built, with .dirty if files were changed. The Makefile sets it.
var commit string

// String returns the version, such as 0.1.0+2849ee6ec1db.
func String() string {
	if commit == "" {
		return algo.Version
	}
	return algo.Version + "+" + commit
}
