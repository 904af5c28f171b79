package algo

import (
	"context"
	"errors"
)

// WithHoldout returns what scores alone by a model that differs from that of a in the
// graphs of the holdout only. It costs no more than scoring these.
func (a *Alone) WithHoldout(ctx context.Context, m *Model) (*Alone, error) {
	if m.Bank != a.model.Bank || m.Encoder != a.model.Encoder {
		return nil, errors.New("a model of another bank or encoder: want one with another holdout only")
	}
	b := *a
	b.model = m
	list, d, err := b.singles(ctx, b.workers, m.Holdout, m.HoldoutTraits)
	b.holdout, b.holdoutNearness = scoresOf(list), d
	return &b, err
}
