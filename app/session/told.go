package session

// Told is a sentence for the user that is neither a result nor a failure of one.
type Told struct{ Headline, What string }

// Tell says something until the user has read it, or something else is to be said.
func (s *Session) Tell(headline, what string) {
	s.Told = &Told{headline, what}
	s.Rev.All()
}

// Dismiss takes away what was said.
func (s *Session) Dismiss() {
	s.Told = nil
	s.Rev.All()
}
