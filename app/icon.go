package app

import (
	"cmp"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/algo/decide"
	"baca/app/table"
)

// The mark: a reference, and one that lies outside.
const markSVG = `<svg class="mark-picture" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true"><path class="mark-hill" d="M1 20C6 20 5.5 4 9.5 4S13 20 18 20Z"/><path class="mark-out" d="M19.5 12l4 4-4 4-4-4z"/></svg>`

// icons have one stroke on a grid of 16.
var icons = map[string]string{
	"down":   `<path d="M4 6l4 4 4-4"/>`,
	"right":  `<path d="M6 4l4 4-4 4"/>`,
	"help":   `<circle cx="8" cy="8" r="6.2"/><path d="M6.2 6.3a1.9 1.9 0 1 1 2.6 1.9c-.6.3-.8.6-.8 1.2M8 11.6v.1"/>`,
	"lock":   `<path d="M3.5 7.2h9v6h-9zM5.3 7V5.2a2.7 2.7 0 0 1 5.4 0V7"/>`,
	"file":   `<path d="M4 2h5l3 3v9H4zM9 2v3h3"/>`,
	"pen":    `<path d="M8 2.2l5 2.9v5.8l-5 2.9-5-2.9V5.1zM8 5.4l2.3 1.3v2.6"/>`,
	"close":  `<path d="M4 4l8 8M12 4l-8 8"/>`,
	"save":   `<path d="M8 2.5v7.5M4.8 7L8 10.2 11.2 7M3 13.3h10"/>`,
	"up":     `<path d="M4 10l4-4 4 4"/>`,
	"search": `<circle cx="7" cy="7" r="4.2"/><path d="M10.2 10.2L14 14"/>`,
	"stop":   `<path d="M4.5 4.5h7v7h-7z"/>`,
	"play":   `<path d="M5 3.2v9.6L12.6 8z"/>`,
	"pause":  `<path d="M5.5 3.5v9M10.5 3.5v9"/>`,
	"left":   `<path d="M10 4l-4 4 4 4"/>`,
}

func icon(name string) app.UI {
	return app.Raw(`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">` + icons[name] + `</svg>`)
}

// classOf is the CSS class of a verdict's colour, or of table.InTraining.
func classOf(v decide.Verdict) string { return "is-" + cmp.Or(string(v), "unscored") }

// wordOf is a verdict's word.
func wordOf(v decide.Verdict) string {
	if v == table.InTraining {
		return "in the training set"
	}
	return cmp.Or(string(v), "waiting")
}

// shape marks a verdict for those who do not see its colour.
func shape(v decide.Verdict) app.UI {
	return sign(classOf(v), map[decide.Verdict]string{
		decide.Inside:     `<circle cx="6" cy="6" r="4"/>`,
		decide.Borderline: `<rect x="2.5" y="2.5" width="7" height="7"/>`,
		decide.Outside:    `<path d="M6 1l5 5-5 5-5-5z"/>`,
		decide.Refused:    `<path class="cross" d="M3 3l6 6M9 3l-6 6"/>`,
		decide.Undecided:  `<circle class="ring" cx="6" cy="6" r="3.5"/>`,
		table.InTraining:  `<path class="ring" d="M1.5 1.5h6v6h-6zM4.5 7.5v3h6v-6h-3"/>`,
	}[v])
}

func sign(class, parts string) app.UI {
	return app.Raw(`<svg class="shape ` + class + `" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">` + parts + `</svg>`)
}
