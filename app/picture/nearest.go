package picture

import "strings"

// MissingSMILES lists those of some molecules whose drawings are not there.
func (a *Album) MissingSMILES(molecules []string) []string {
	var list []string
	for _, m := range molecules {
		if a.thumbs[m] == nil && !strings.ContainsAny(m, "\n\r") {
			list = append(list, m)
		}
	}
	return list
}
