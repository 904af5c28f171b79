package e2e

import (
	"baca/build/internal/try"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/systeminfo"
	"github.com/chromedp/chromedp"
)

// smallMolecules is a CSV file of n short molecules, of which every hundredth is refused.
func smallMolecules(n int) []byte {
	var b bytes.Buffer
	b.WriteString("id,smiles\n")
	ends := []string{"O", "N", "C(=O)O", "c1ccccc1", "C(F)(F)F", "S"}
	for i := range n {
		smiles := strings.Repeat("C", 1+i%13) + ends[i/13%6]
		if i%100 == 7 {
			smiles += "("
		}
		fmt.Fprintf(&b, "row %d,%s\n", i, smiles)
	}
	return b.Bytes()
}

// memory is how much of the machine's memory the process of the tab has, its workers included but not the browser's own
// program, now and at its peak: 0 where the system does not say.
func (b *tab) memory() (now, peak int) {
	b.t.Helper()
	info := try.To(chromedp.CallBrowser(b.Ctx, systeminfo.GetProcessInfo, cdp.Empty{}))
	for _, p := range info.ProcessInfo {
		if p.Type != "renderer" {
			continue
		}
		status, err := os.ReadFile(filepath.Join("/proc", strconv.FormatInt(int64(p.ID), 10), "status"))
		if err != nil {
			continue
		}
		kB := map[string]int{}
		for line := range strings.Lines(string(status)) {
			var n int
			name, text, _ := strings.Cut(line, ":")
			if _, err := fmt.Sscanf(text, "%d kB", &n); err == nil {
				kB[name] = n
			}
		}
		now, peak = max(now, (kB["VmRSS"]-kB["RssFile"])<<10), max(peak, (kB["VmHWM"]-kB["RssFile"])<<10)
	}
	return now, peak
}

// With a hundred thousand rows the page does no more at a time than with six thousand, and memory stays within bounds.
// The lab is left out: it waits for the batch, which has 4096 graphs with either.
func TestAHundredThousandRows(t *testing.T) {
	onlyAll(t)
	b := readyIn(t, browseAlone, counting)
	b.bounded(100_000, "the lab")
	b.says("#input-status", "99\u00a0000 read, 1\u00a0000 refused")
	now, peak := b.memory()
	t.Logf("%s; the tab has %d MiB, at most %d", b.text("#took"), now>>20, peak>>20)
	if most := 600 << 20; peak > most {
		t.Errorf("the tab had %d MiB, want %d at most", peak>>20, most>>20)
	}
	b.Quiet()
}

// A file that is mostly other things than molecules does not pass through the
// memory of the page or the worker: both read a piece of it at a time.
func TestLargeFilesStayWhereTheyAre(t *testing.T) {
	b := readyIn(t, browseAlone)
	b.example(1)
	_, before := b.memory()
	if before == 0 {
		t.Skip("the system does not tell how much memory a process has")
	}
	const size = 160 << 20
	note := strings.Repeat("measured at 25 °C, ", 4000) // 76 kB
	name := filepath.Join(t.TempDir(), "notes.csv")
	f := try.To(os.Create(name))
	fmt.Fprintln(f, "name,smiles,note")
	rows := 0
	for written := 0; written < size; rows++ {
		written += try.To(fmt.Fprintf(f, "row %d,%sO,%s\n", rows, strings.Repeat("C", 1+rows%30), `"`+note+`"`))
	}
	try.Check(f.Close())
	b.Run("choosing it", chromedp.SetUploadFiles("#file", []string{name}))
	b.Wait(fmt.Sprintf(`document.getElementById("input-status").textContent.replace(/\D/g, "") === "%d"`, rows))
	b.phase("done")
	_, after := b.memory()
	t.Logf("a file of %d MiB took %d MiB of memory, for %d records", size>>20, (after-before)>>20, rows)
	if after-before > size*3/4 {
		t.Errorf("a file of %d MiB took %d MiB of memory", size>>20, (after-before)>>20)
	}
	b.Quiet()
}
