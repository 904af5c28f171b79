package dataset

import (
	"fmt"
	"strings"
	"testing"
)

// Whatever byte of JSON is missing or wrong, every object is a row or refused, or an error says
// otherwise. Without one quote or two the count is exact.
func TestDamagedJSON(t *testing.T) {
	const records = 8
	for name, form := range map[string][4]string{
		"on one line": {`[`, `{"smiles":"CC%d","id":"a b","y":[{"z":1}]}`, `,`, `]`},
		"a list":      {"[\n", `{"id": "x, {y}", "smiles": "CC%d", "of": {"a": 1}}`, ",\n", "\n]\n"},
		"indented":    {"[\n  {\n", "    \"id\": 1,\n    \"smiles\": \"CC%d\"\n", "  },\n  {\n", "  }\n]"},
		"objects":     {"{\n", "  \"id\": 1,\n  \"smiles\": \"CC%d\"\n", "}\n{\n", "}\n"},
		"lines":       {"", `{"smiles":"CC%d","id":"a","y":1}`, "\n", "\n"},
	} {
		var objects []string
		for i := range records {
			objects = append(objects, fmt.Sprintf(form[1], i))
		}
		text := form[0] + strings.Join(objects, form[2]) + form[3]
		check := func(what, damaged string, exact bool) {
			got := list(strings.NewReader(damaged), Options{Format: JSONL})
			ended := strings.HasPrefix(got[len(got)-1], "end: ")
			if n := len(got); n < records && !ended || exact && n != records && (n > records || !ended) {
				t.Errorf("%s, %s: %q", name, what, got)
			}
		}
		for i := len(form[0]); i < len(text)-len(form[3]); i++ {
			for _, c := range []string{"", "#", `"`, "{", "}", "[", "]", ",", ":", "\\", "\n"} {
				quote := text[i] == '"' && c == ""
				check(fmt.Sprintf("%q instead of byte %d, %q", c, i, text[i]), text[:i]+c+text[i+1:], quote)
				if far := i + 15; quote && far < len(text) && strings.Contains(text[far:], `"`) {
					check(fmt.Sprintf("no quote at %d, and another", i), text[:i]+text[i+1:far]+strings.Replace(text[far:], `"`, "", 1), true)
				}
			}
		}
	}
	for text, want := range map[string]string{
		`[{"smiles":"C","y":[{"z":1},{"z":2}],},{"smiles":"N"}]`: "1@1 refused line 1, column 38: no JSON: invalid character '}' looking for beginning of object key string; " +
			"reading resumes on line 1, column 40; about 2 objects are within the damage",
		"[\n{\"smiles\":\"C}\n,{\"smiles\":\"N\"}]": "1@2 refused line 2, column 14: no JSON: invalid character '\\n' in string literal; reading resumes on line 3, column 2",
	} {
		if got := list(strings.NewReader(text), Options{Format: JSONL}); len(got) != 2 || got[0] != want || !strings.Contains(got[1], " N <") {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		`[{"smiles":"C"}] more`:           `end: input: line 1, column 18: found "m": want an object in a list`,
		`[{"smiles":"C"}]]`:               `end: input: line 1, column 17: found "]": want an object in a list`,
		`[{"smiles":"C"}][{"smiles":"N"}`: "end: input: line 1, column 32: the document ends early, the file looks truncated",
		`[{"smiles":"C"};{"smiles":"N"}]`: `end: input: line 1, column 16: found ";": want an object in a list`,
	} {
		if got := list(strings.NewReader(text), Options{Format: JSONL}); len(got) != 1+strings.Count(text, "{") || got[len(got)-1] != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
