package table

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"

	"baca/algo/internal/must"
)

// The columns that a number promised are there, with their types. The file never changes; columns that are added need
// not be in it, and anything else needs a new number.
func TestSchemaKeepsItsPromise(t *testing.T) {
	type schema struct {
		Schema     int
		Required   []string
		Properties map[string]struct{ Type, Items any }
	}
	read := func(data []byte, err error) (s schema) {
		t.Helper()
		must.Do(err)
		must.Do(json.Unmarshal(data, &s))
		return s
	}
	promised := read(os.ReadFile(fmt.Sprintf("testdata/rows-v%d.json", SchemaVersion)))
	now := read(json.Marshal(Schema()))
	if now.Schema != promised.Schema || len(promised.Properties) < 40 {
		t.Fatalf("schema %d of %d columns, want %d", now.Schema, len(promised.Properties), promised.Schema)
	}
	for name, want := range promised.Properties {
		if got := now.Properties[name]; !reflect.DeepEqual(got, want) {
			t.Errorf("column %s is %v, promised was %v", name, got, want)
		}
	}
	for _, name := range promised.Required {
		if !slices.Contains(now.Required, name) {
			t.Errorf("column %s was promised to be in every row", name)
		}
	}
}
