package table

import (
	"cmp"
	"slices"
)

// SchemaVersion numbers the columns of rows. Within a number columns are added, and none is renamed, removed or given
// another type.
const SchemaVersion = 1

// JSONType returns the name of the type of a column's values in a JSON Schema. Lists are arrays.
func JSONType(kind Kind) string {
	return cmp.Or(map[Kind]string{Texts: "string", Numbers: "number", Truths: "boolean"}[kind], "array")
}

// Schema returns the JSON Schema of a row, with all columns that rows of one model can have except the input's own. null
// is no value.
func Schema() map[string]any {
	all := append(slices.Clone(fields), (&Run{FDR: 1}).Fields()...)
	properties, required := map[string]any{}, []string{}
	for i, c := range Of(all, nil) {
		property := map[string]any{"type": []string{JSONType(c.Kind), "null"}, "description": all[i].Doc}
		switch c.Kind {
		case TextLists:
			property["items"] = map[string]any{"type": "string"}
		case NumberLists:
			property["items"] = map[string]any{"type": []string{"number", "null"}}
		}
		if properties[c.Name] = property; all[i].Group == OfRecord {
			required = append(required, c.Name)
		}
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A row of baca score", "schema": SchemaVersion,
		"type": "object", "required": required, "properties": properties,
	}
}
