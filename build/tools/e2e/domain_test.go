package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/build/internal/try"
	"baca/build/site"
	"baca/web"
)

// published publishes ESOL's molecules with their predictions, from a file of that name, and returns the folder.
func published(t *testing.T, training []byte, more ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	baca(t, "esol.csv", training, append([]string{"model", "publish", "--observed", "logS", "--held-out", "logS_pred", "--keep-structures",
		"--page", try.To(built()), "--site", dir}, more...)...)
	return dir
}

// trustOf are the command's verdicts on predictions.
func trustOf(t *testing.T, model string, list []byte) (verdicts []string) {
	t.Helper()
	rows := try.To(csv.NewReader(strings.NewReader(baca(t, "list.csv", list, "trust", "--model", model, "--predicted", "logS_pred"))).ReadAll())
	k := slices.Index(rows[0], "trust")
	for _, row := range rows[1:] {
		verdicts = append(verdicts, row[k])
	}
	return verdicts
}

// publishInTab trains on the same table in the tab, sees what visitors will see and what the file reveals, and saves the
// folder, which it unpacks. It returns the date of the publication, too.
func publishInTab(t *testing.T, training []byte) (dir, date string) {
	t.Helper()
	b := ready(t)
	b.downloads()
	b.upload("#own-file", "esol.csv", training)
	b.Wait(`!document.getElementById("train-start").disabled && document.getElementById("train-predicted")?.value === "logS_pred"`)
	b.click("#train-held-out", "#train-structures", "#train-start")
	b.Wait(`document.getElementById("train-publish") !== null`)
	b.click("#train-publish")
	b.Wait(`document.querySelector("#publish[open] .visit") !== null`)
	b.says("#publish", "Is your molecule inside esol?", "723 molecules of esol.csv", "the SMILES and names of 644 training molecules", "each beside its row number")
	b.look("publish")
	b.click("#publish-save")
	b.Wait(`document.getElementById("publish-note").textContent.startsWith("Saved esol.zip.")`)
	r := try.To(zip.OpenReader(b.path("esol.zip")))
	defer r.Close()
	dir = t.TempDir()
	try.Check(os.CopyFS(dir, r))
	dir = filepath.Join(dir, "esol")
	card := struct{ Date string }{}
	try.Check(json.Unmarshal(try.To(os.ReadFile(filepath.Join(dir, "domains", "esol.json"))), &card))
	b.Quiet()
	return dir, card.Date
}

// filesBelow returns the content of each file below a folder, by path.
func filesBelow(dir string) map[string]string {
	all := map[string]string{}
	files := os.DirFS(dir)
	try.Check(fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all[name] = string(try.To(fs.ReadFile(files, name)))
		}
		return err
	}))
	return all
}

// The folder that the tab saves has the files of `baca model publish`, byte for byte: all but the compressed copies, which a
// browser cannot make, and the list that a later publication reads.
func TestTheTabPublishesAsTheCommand(t *testing.T) {
	training, _ := web.Solubilities()
	dir, date := publishInTab(t, training)
	got, want := filesBelow(dir), filesBelow(published(t, training, "--date", date))
	maps.DeleteFunc(want, func(name, _ string) bool {
		plain := strings.TrimSuffix(strings.TrimSuffix(name, ".br"), ".gz")
		return name == site.List || plain != name && want[plain] != ""
	})
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: %d bytes, and %d in the command's folder", name, len(got[name]), len(text))
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d files: %q; the command has %d", len(got), slices.Sorted(maps.Keys(got)), len(want))
	}
}

// Whoever opens the link of a published domain in a new profile sees its card and its map, pastes molecules, and reads
// which predictions to use. The verdicts are the command's; TRUST.md says how many are right.
func TestPublishedDomain(t *testing.T) {
	open(t)
	training, list := web.Solubilities()
	dir := published(t, training)
	s := serve(t, http.FileServer(http.Dir(dir)))
	b := browse(t)
	b.visit(s.URL + "/#domain=esol")
	b.Wait(`document.getElementById("map-canvas")?.dataset.shown !== undefined`)
	b.says("#visit", "Is your molecule inside esol?", "published 20", "723 molecules of esol.csv", "errors of 716 predictions", "the SMILES and names of 644 training molecules")
	b.look("domain")

	all := try.To(csv.NewReader(bytes.NewReader(list)).ReadAll())
	model := try.To(filepath.Glob(filepath.Join(dir, "domains", "esol.*.msgpack")))[0]
	verdicts := trustOf(t, model, list)
	var ten bytes.Buffer
	w := csv.NewWriter(&ten)
	w.Write([]string{"name", "smiles", "logS_pred"})
	var errors []float64
	var wants []string
	for _, kind := range []string{"trust", "do-not-use"} { // the first five of each
		for i, left := 0, 5; left > 0; i++ {
			if row := all[1+i]; verdicts[i] == kind {
				left--
				w.Write([]string{row[0], row[1], row[3]})
				errors = append(errors, math.Abs(try.To(strconv.ParseFloat(row[2], 64))-try.To(strconv.ParseFloat(row[3], 64))))
				wants = append(wants, strings.ReplaceAll(kind, "-", " "))
			}
		}
	}
	w.Flush()
	b.write(ten.String())
	b.phase("done")
	b.Wait(`document.querySelectorAll(".row .trust-mark").length === 10`)
	b.look("domain-verdicts")
	said := b.text("#limit")
	var limit float64
	if _, after, found := strings.Cut(said, "above "); found {
		fmt.Sscanf(after, "%g", &limit)
	}
	right := 0
	for i, e := range errors {
		mark := b.text(fmt.Sprintf(`.row[data-row="%d"] .trust-mark`, i))
		if mark != wants[i] {
			t.Errorf("row %d: the page says %q, the command %q", i+1, mark, wants[i])
		}
		if (mark == "trust") == (e <= limit) {
			right++
		}
		t.Logf("row %d: %s, and the error is %.2f", i+1, mark, e)
	}
	t.Logf("an error above %g is large: %d of 10 verdicts are right", limit, right)
	if right <= 5 {
		t.Errorf("%d of 10 verdicts are right, no more than by chance, by %q", right, said)
	}
	// The card and the map stand beside the rows.
	b.Wait(`document.querySelector(".inspector #map-canvas")?.dataset.shown === "10"`)
	b.says(".inspector .visit", "Is your molecule inside esol?", "What the model's file reveals")
	// A link that is none of a name opens nothing.
	b.visit(s.URL + "/other/../#domain=..%2Fdomains%2Fesol")
	b.Wait(`document.querySelector(".notice.bad")?.textContent.includes("want a name of up to 40 small letters")`)
	// A visited domain is there without a network. It says how far a prediction for a molecule would be off.
	b.Wait(`(globalThis.kept ||= 0, caches.match(new URL("domains/` + filepath.Base(model) + `", location).href).then((found) => (globalThis.kept = found ? 1 : 0)), globalThis.kept === 1)`)
	s.Close()
	b.visit(s.URL + "/?alpha=0.05#domain=esol")
	b.Wait(`document.querySelector(".model-name").textContent === "esol" && document.getElementById("map-canvas")?.dataset.shown !== undefined`)
	b.anew()
	b.set("#smiles", "input", "CCO ethanol\nCCCCCC hexane\n")
	b.phase("done")
	b.Wait(`[...document.querySelectorAll(".row")].filter((row) => /± \d/.test(row.textContent) && row.querySelector(".trust-mark")).length === 2`)
	b.Wait(`document.querySelector(".inspector #map-canvas")?.dataset.shown === "2"`)
	b.look("domain-bare")
	b.Quiet()
}
