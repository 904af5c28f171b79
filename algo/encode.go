package algo

import (
	"context"

	"baca/algo/attention"
	"baca/algo/contrast"
	"baca/algo/graph"
)

// watchedChunk graphs are encoded between two calls of Watch.Stage.
const watchedChunk = 128

// DeviceChunk is how many graphs a device beside the processor gets at once.
const DeviceChunk = 1024

// Chunk is how many graphs are best given to Score at once, of many that there are:
// 0 for any number, or more where a device beside the processor encodes them.
func (s *Scorer) Chunk() int {
	if s.model.Encoder.Device == nil {
		return 0
	}
	return DeviceChunk
}

// encode represents the graphs of a batch, in chunks if somebody watches. Each row
// depends on its graph alone, so the chunks do not show.
func (s *Scorer) encode(ctx context.Context, gs []*graph.Graph) (*contrast.Representation, error) {
	m, o := s.model, s.options
	if o.Watch == nil {
		return contrast.Describe(ctx, o.Workers, m.Encoder, gs)
	}
	all := &contrast.Representation{Width: m.Encoder.Width()}
	chunk := max(watchedChunk, s.Chunk())
	for done := 0; done < len(gs); {
		o.Watch.Report(attention.Encoding, done, len(gs))
		r, err := contrast.Describe(ctx, o.Workers, m.Encoder, gs[done:min(len(gs), done+chunk)])
		if err != nil {
			return nil, err
		}
		all.Append(r)
		done += r.Len()
	}
	o.Watch.Report(attention.Encoding, len(gs), len(gs))
	return all, nil
}
