package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"baca/build/internal/try"
	"baca/web"
)

// published publishes ESOL's molecules with their predictions, from a file of that name, and returns the folder.
func published(t *testing.T, training []byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "site")
	baca(t, "esol.csv", training, "model", "publish", "--observed", "logS", "--held-out", "logS_pred", "--keep-structures",
		"--page", try.To(built()), "--site", dir)
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
	// A reload opens the domain again, and a link that is none of a name opens nothing.
	b.reload()
	b.Wait(`location.hash === "#domain=esol" && document.querySelector(".model-name").textContent === "esol"`)
	b.visit(s.URL + "/other/../#domain=..%2Fdomains%2Fesol")
	b.Wait(`document.querySelector(".notice.bad")?.textContent.includes("want a name of up to 40 small letters")`)
	b.Quiet()
}
