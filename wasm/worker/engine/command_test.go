//go:build !js

package engine

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"baca/algo"
	"baca/algo/table"
	"baca/wasm/message"
)

// trainKept is the command of trainHeldOut.
const trainKept = "train --epochs 1 --background none --keep-structures --observed observed --held-out predicted --name h "

// Each row is what the page has of an input, and the command that writes the same.
var pageAndCommand = []struct {
	input, command string
	page           func(e *Engine, h *host) string
}{
	{"few.smi", "score --to jsonl --model bbbp", scoreRows(message.Score{})},
	{"refused.smi", "score --to jsonl --model bbbp", scoreRows(message.Score{})},
	{"mixed.smi", "score --to jsonl --model bbbp", scoreRows(message.Score{})},
	{"mixed.smi", "score --to jsonl --by both --alpha 0.2 --model bbbp", scoreRows(message.Score{Batch: true, Alpha: 0.2})},
	{"mixed.smi", "score --to jsonl --by both --explain --model bbbp", func(e *Engine, h *host) string {
		rows, _ := rowsOfScore(e, h, message.Score{Batch: true})
		_, why := must[*message.Explained](e, h, &message.Reasons{Record: upTo(table.Rows(rows))})
		return fileOf(h.t, "jsonl", append(rows, why.Rows...))
	}},
	{"mixed.smi", "report --fdr 0.2 --out out.html --model bbbp", func(e *Engine, h *host) string {
		events, s := must[*message.Scored](e, h, &message.Score{Batch: true})
		_, file := must[*message.Exported](e, h, reportOf(events, s, algo.ByAlone, 0.2))
		return string(file.Data)
	}},
	{"few.smi", "report --qprf --out out.json --model bbbp", func(e *Engine, h *host) string {
		_, file := must[*message.Exported](e, h, &message.Domain{Form: "qprf", Format: "json", Alpha: 0.05, Record: upTo(7)})
		return string(file.Data)
	}},
	{"mixed.smi", "drift --plot out.svg --model bbbp", func(e *Engine, h *host) string {
		_, found := must[*message.Found](e, h, &message.Ask{Tool: "drift"})
		return regexp.MustCompile(`(?s)<svg.*</svg>`).FindString(found.HTML)
	}},
	{"amines.smi", "compare --html out.html --model bbbp acids.smi", func(e *Engine, h *host) string {
		acids, _ := lists()
		_, found := must[*message.Found](e, h, &message.Compare{With: message.Open{Name: "acids.smi", Data: []byte(acids)}})
		return string(found.File.Data)
	}},
	{"priced.csv", "suggest -n 8 --price EUR --budget 25 --exclude measured --alpha 0.1 --spreadsheet-safe --model bbbp", func(e *Engine, h *host) string {
		_, found := must[*message.Found](e, h, &message.Suggest{Most: 8, Alpha: 0.1, Price: "EUR", Exclude: "measured", Budget: 25})
		return string(found.File.Data)
	}},
	{"train.csv", trainKept + "--out h.msgpack", trainHeldOut},
	{"new.csv", "trust --predicted predicted --to jsonl --model h.msgpack", trustRows("train.csv")},
	{"classes.csv", trainKept + "--out c.msgpack", trainHeldOut},
	{"new-classes.csv", "trust --predicted predicted --to jsonl --model c.msgpack", trustRows("classes.csv")},
}

// inputs are the files of pageAndCommand.
func inputs(t *testing.T) map[string]string {
	train, fresh := hydration(t)
	acids, amines := lists()
	return map[string]string{
		"few.smi": alkanes(7), "refused.smi": "C1CC\n", "mixed.smi": strange + alkanes(120), "acids.smi": acids, "amines.smi": amines, "priced.csv": priced(),
		"train.csv": train + "broken,C1CC,1,1\n", "new.csv": fresh + "broken,C1CC,1,1\n",
		"classes.csv": classes(), "new-classes.csv": newClasses,
	}
}

// trustRows are judged by a model that was trained on another table.
func trustRows(train string) func(*Engine, *host) string {
	return func(e *Engine, h *host) string {
		fresh := e.input
		must[*message.Opened](e, h, &message.Open{Name: train, Data: []byte(inputs(h.t)[train])})
		trainHeldOut(e, h)
		e.input = fresh
		rows, _ := rowsOfScore(e, h, message.Score{})
		_, judged := must[*message.Trusted](e, h, &message.Trust{Predicted: "predicted", Scores: rows.Numbers("score")})
		return fileOf(h.t, "jsonl", append(rows, judged.Rows...))
	}
}

// scoreRows are the file of a score.
func scoreRows(r message.Score) func(*Engine, *host) string {
	return func(e *Engine, h *host) string {
		rows, _ := rowsOfScore(e, h, r)
		return fileOf(h.t, "jsonl", rows)
	}
}

// upTo are the first n records.
func upTo(n int) (list message.Ints) {
	for i := range n {
		list = append(list, int32(i))
	}
	return list
}

// What the page has of an input is what the command writes. The command's rows have more columns, such as the model's
// name, which package app adds.
func TestThePageIsTheCommand(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command")
	}
	dir := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "baca"), "baca/build/baca").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files := inputs(t)
	for name, text := range files {
		succeed(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	for _, c := range pageAndCommand {
		t.Run(c.command+" "+c.input, func(t *testing.T) {
			e, h := loaded(t, "bbbp")
			must[*message.Opened](e, h, &message.Open{Name: c.input, Data: []byte(files[c.input])})
			got, want := c.page(e, h), commandSays(t, dir, c.command+" "+c.input)
			if strings.Contains(c.command, "jsonl") {
				sameRows(t, got, want)
				return
			}
			theirs := strings.Split(apart.ReplaceAllString(want, ""), "\n")
			for i, line := range strings.Split(apart.ReplaceAllString(got, ""), "\n") {
				if i >= len(theirs) || line != theirs[i] {
					t.Fatalf("line %d is %.500q in the page, %.500q of the command", i+1, line, theirs[min(i, len(theirs)-1)])
				}
			}
		})
	}
}

// commandSays is the output of a command line, or the file that it names. Its exit status is not 0 where all is refused.
func commandSays(t *testing.T, dir, line string) string {
	t.Helper()
	c := exec.Command("./baca", strings.Fields(line)...)
	var said bytes.Buffer
	c.Dir, c.Stderr = dir, &said
	text, err := c.Output()
	if m := regexp.MustCompile(`--(?:out|html|plot) (\S+)`).FindStringSubmatch(line); m != nil {
		text, err = os.ReadFile(filepath.Join(dir, m[1]))
	}
	if len(text) == 0 {
		t.Fatalf("%v: %s", err, &said)
	}
	return string(text)
}

// apart is what the files of both have of their own: drawings, where they come from, warnings, and what a picture needs alone.
var apart = regexp.MustCompile(`(?s)<p>(?:There are no drawings|With the same).*?</p>|<dl>.*?</dl>|<pre>.*?</pre>| xmlns="[^"]*" font-family="[^"]*" font-size="11"|"program": .*?\n|"warnings": \[.*`)

// sameRows compares rows of the page with the command's.
func sameRows(t *testing.T, page, command string) {
	t.Helper()
	got, want := strings.Split(page, "\n"), strings.Split(command, "\n")
	if len(got) != len(want) {
		t.Fatalf("%d rows in the page, %d of the command", len(got), len(want))
	}
	for i := range len(got) - 1 {
		var row, theirs map[string]json.RawMessage
		succeed(errors.Join(json.Unmarshal([]byte(got[i]), &row), json.Unmarshal([]byte(want[i]), &theirs)))
		// The command has p-values by S_BaCa only where these decide; package app leaves them out of files.
		delete(row, "baca_p")
		for name, value := range row {
			if !bytes.Equal(value, theirs[name]) {
				t.Errorf("row %d: %s is %s in the page, %s of the command", i+1, name, value, theirs[name])
			}
		}
	}
}
