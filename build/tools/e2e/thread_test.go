package e2e

import (
	_ "embed"
	"slices"
	"testing"
)

// counting counts what the page does at a time. Chromium tells of changes of the document once for each task.
//
//go:embed testdata/counting.js
var counting string

// What the page does at a time, at most.
type counts struct {
	Received int `json:"received"` // bytes of a message of a worker
	Sent     int `json:"sent"`     // bytes of a message to a worker
	Nodes    int `json:"nodes"`    // added to the document in one task
	Rows     int `json:"rows"`     // of the table in the document
}

// counted is what the page does at a time while f runs.
func (b *tab) counted(f func()) counts {
	b.t.Helper()
	eval[any](b, `(globalThis.testCounts = {}, null)`)
	f()
	b.still()
	return eval[counts](b, `testCounts`)
}

// A step is something that a user does with many records.
type step struct {
	name string
	do   func()
}

// steps begin with reading and scoring a file.
func (b *tab) steps(rows []byte) []step {
	return []step{
		{"reading and scoring", func() {
			b.upload("#file", "many.csv", rows)
			b.phase("done")
			b.Wait(`document.querySelectorAll(".row .c-draw svg").length > 3`)
		}},
		{"scrolling", b.scroll},
		{"sorting", func() {
			b.click(`[data-by="id"]`)
			b.Wait(`document.querySelector("th[aria-sort=ascending] [data-by='id']") !== null`)
			b.click(`[data-by="score"]`)
			b.Wait(`document.querySelector("th[aria-sort=descending] [data-by='score']") !== null`)
		}},
		{"the threshold", func() {
			for _, step := range []string{"20", "90", "60"} {
				b.set("#alpha", "input", step)
			}
			b.Wait(`document.querySelector(".alpha output").textContent === "3.1\u00a0%"`)
		}},
		{"false discoveries", func() {
			b.setting("#rule-batch")
			b.Wait(`document.querySelector("th.c-q") !== null`)
			b.setting("#rule-each")
			b.Wait(`document.querySelector("th.c-q") === null`)
		}},
		{"searching", func() {
			for _, text := range []string{"r", "ro", "row 42"} {
				b.set("#search", "input", text)
			}
			b.Wait(`[...document.querySelectorAll(".row")].every((e) => e.textContent.includes("row 42"))`)
			b.set("#search", "input", "")
			b.Wait(`[...document.querySelectorAll(".row")].some((e) => !e.textContent.includes("row 42"))`)
		}},
		{"a record", func() {
			b.click(`.row`)
			b.Wait(`document.querySelectorAll(".large .towards, .large .away").length > 0`)
		}},
		{"a report", func() {
			b.save("report")
			b.Wait(`/Report saved as/.test(document.querySelector(".export-note")?.textContent)`)
		}},
		{"a file", func() {
			b.save("csv")
			b.Wait(`/rows? saved as/.test(document.querySelector(".export-note")?.textContent)`)
		}},
		{"the lab", func() {
			for _, scene := range scenes {
				b.scene(scene)
			}
			b.click(`.stage-list [data-stage="decision"]`) // which closes it
		}},
	}
}

// atMost are bounds for that many records, on which only what a report is made of depends: four numbers of each, and
// 500 rows. A piece of rows has 1024 of 110 bytes, what the batch of 4096 graphs says of itself has 80 for each, and a
// report brings the script that draws; the window of the table and a record of it are some hundred nodes.
func atMost(records int) counts {
	return counts{Received: 800_000, Sent: 32*records + 200_000, Nodes: 1000, Rows: 40}
}

// bounded checks that the page does no more at a time than it may with that many
// records, whatever its user does but for some steps.
func (b *tab) bounded(records int, but ...string) {
	b.t.Helper()
	most := atMost(records)
	for _, step := range b.steps(smallMolecules(records)) {
		if slices.Contains(but, step.name) {
			continue
		}
		c := b.counted(step.do)
		b.t.Logf("%s: %+v", step.name, c)
		if c.Received > most.Received || c.Sent > most.Sent || c.Nodes > most.Nodes || c.Rows > most.Rows {
			b.t.Errorf("%s: the page does %+v at a time, want %+v at most", step.name, c, most)
		}
	}
	if got := eval[counts](b, `testMost`); got.Received == 0 || got.Sent == 0 || got.Nodes == 0 || got.Rows == 0 {
		b.t.Errorf("%+v: something was not counted", got)
	}
}

// The page is free for its user while many records are read, scored, sorted and scrolled through: what it takes, sends
// and draws at a time does not grow with them. How often it goes through all of them is counted in package app.
func TestThePageStaysFree(t *testing.T) {
	b := ready(t, counting)
	b.bounded(6000)
	b.Quiet()
}

// scroll goes through the whole table in forty steps, one a frame.
func (b *tab) scroll() {
	b.t.Helper()
	eval[any](b, `new Promise((done) => {
		const s = document.getElementById("scroller");
		let k = 0;
		const step = () => {
			s.scrollTop = (s.scrollHeight * k) / 40;
			if (k++ < 40) requestAnimationFrame(step);
			else done(null);
		};
		step();
	})`)
}
