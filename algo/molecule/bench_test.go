package molecule

import (
	"strings"
	"testing"
)

// BenchmarkGraph measures reading a SMILES and making the features of its atoms.
func BenchmarkGraph(b *testing.B) {
	for _, set := range []string{"bbbp", "hiv", "scale-mix"} {
		b.Run(set, func(b *testing.B) {
			smiles := smilesOf(b, set)
			if len(smiles) > 50_000 {
				smiles = smiles[:50_000]
			}
			for i, s := range smiles {
				smiles[i] = strings.TrimSpace(s)
			}
			var p Parser
			b.ReportAllocs()
			b.ResetTimer()
			bytes := 0
			for i := range b.N {
				s := smiles[i%len(smiles)]
				bytes += len(s)
				if m, err := p.Parse(s); err == nil {
					m.Graph()
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "molecules/s")
			b.ReportMetric(float64(bytes)/1e6/b.Elapsed().Seconds(), "MB/s")
		})
	}
}
