package smiles

import (
	"strings"
	"testing"
)

// BenchmarkGraph measures reading a SMILES and making the features of its atoms, with
// and without a molecule on the way. Rates are by processor time.
func BenchmarkGraph(b *testing.B) {
	for _, set := range []string{"bbbp", "hiv", "scale-mix"} {
		smiles := smilesOf(b, set)
		if len(smiles) > 5000 { // as many as testdata/speed.py gives to RDKit
			smiles = smiles[:5000]
		}
		for i, s := range smiles {
			smiles[i] = strings.TrimSpace(s)
		}
		run := func(name string, read func(p *Parser, s string)) {
			b.Run(name, func(b *testing.B) {
				var p Parser
				b.ReportAllocs()
				b.ResetTimer()
				bytes, begin := 0, cpuTime()
				for i := range b.N {
					s := smiles[i%len(smiles)]
					bytes += len(s)
					read(&p, s)
				}
				seconds := max(cpuTime()-begin, 1).Seconds()
				b.ReportMetric(float64(b.N)/seconds, "molecules/s")
				b.ReportMetric(float64(bytes)/1e6/seconds, "MB/s")
			})
		}
		run(set, func(p *Parser, s string) { p.ParseGraph(s) })
		run(set+"/molecule", func(p *Parser, s string) {
			if m, err := p.Parse(s); err == nil {
				m.Graph()
			}
		})
	}
}
