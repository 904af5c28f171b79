package session

// Told is a notice that is no result and no failure.
type Told struct{ Headline, What string }

// Tell shows a notice until it is dismissed or replaced.
func (s *Session) Tell(headline, what string) {
	s.Told = &Told{headline, what}
	s.Rev.All()
}

func (s *Session) Dismiss() {
	s.Told = nil
	s.Rev.All()
}
