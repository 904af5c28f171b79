package session_test

import (
	goapp "github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app"
	"baca/app/session"
)

func init() {
	session.DrawPage = func(s *session.Session) (string, error) {
		p := app.Page(s)
		err := goapp.NewTestEngine().Load(p)
		return goapp.HTMLString(p), err
	}
}
