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
			bytes := 0
			for i, s := range smiles {
				smiles[i] = strings.TrimSpace(s)
				bytes += len(smiles[i])
			}
			var p Parser
			b.ReportAllocs()
			b.SetBytes(int64(bytes / len(smiles)))
			b.ResetTimer()
			for i := range b.N {
				if m, err := p.Parse(smiles[i%len(smiles)]); err == nil {
					m.Graph()
				}
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "molecules/s")
		})
	}
}
