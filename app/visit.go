package app

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app/picture"
	"baca/app/run"
	"baca/app/words"
	"baca/wasm/message"
)

// visiting reports that the page was opened for a published domain, and has no input.
func visiting(s *desk) bool { return s.Models.Visit != "" && s.Phase == run.Empty }

// visited is the card of the domain that the page was opened for.
func visited(s *desk) app.UI {
	return shown(visiting(s), app.Section().ID("visit").Class("question visit").Aria("label", "The domain"), func() []app.UI {
		m := s.Models.Used.Value
		if m == nil || m.Published == nil {
			return []app.UI{app.H2().Text(s.Models.Visit), quietLine(modelLine(&s.Models))}
		}
		return []app.UI{card(m.Published)}
	})
}

// card is what visitors are told of a domain.
func card(p *message.Published) app.UI {
	return app.Raw("<div>" + words.Grouped(p.HTML) + "<p><a class=\"link small\" target=\"_blank\" href=\"domains/" + p.Name +
		".html\">The domain as section 5 of a QMRF</a></p></div>")
}

// visitedMap is the map of the visited domain's training set, hidden once there is an input.
func visitedMap(s *desk, album *picture.Album) app.UI {
	return shown(visiting(s), app.Section().ID("visit-map").Class("visit-map").Aria("label", "Map of the training set"), func() []app.UI {
		return []app.UI{&mapPane{S: s, Album: album, Rev: s.Rev, Visit: true}}
	})
}
