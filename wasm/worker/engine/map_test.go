package engine

import (
	"math"
	"testing"

	"baca/algo/metric"
	"baca/wasm/message"
	"baca/web"
	"baca/weights"
)

// On the map of the examples what lies outside is farther from all training molecules than what lies inside, training
// molecules left out; and like training molecules lie beside each other more than on the axes of their embeddings.
func TestMapOfExamples(t *testing.T) {
	train, fresh := web.Solubilities()
	e, h := bare(t)
	must[*message.Opened](e, h, &message.Open{Name: "a.csv", Data: train})
	_, own := must[*message.Trained](e, h, &message.Train{Name: "solubility", Structures: true, Observed: "logS", Predicted: "logS_pred", HeldOut: true})
	for _, c := range []struct {
		name        string
		model, list []byte
		want        float64
	}{
		{"the mixed shelf, with the medicines", have(weights.Bytes("drugs")), web.Examples(), 0.85},
		{"solubilities", own.Data, fresh, 0.85},
	} {
		must[*message.Model](e, h, &message.LoadModel{Name: "m", Data: c.model})
		must[*message.Opened](e, h, &message.Open{Name: "x.csv", Data: c.list})
		rows, _ := rowsOfScore(e, h, message.Score{})
		_, m := must[*message.Computed](e, h, &message.Compute{What: message.OfPlaces, Record: everyRecord(e)})
		var known []bool
		for r := range e.input.records(nil, e.form()) {
			known = append(known, e.model.Trained(r.Parsed().Graph))
		}
		alone := func(places message.Singles, i int, but int) (least float64, at int) {
			least = math.Inf(1)
			for k := range len(m.Training) / 2 {
				if d := math.Hypot(float64(m.Training[2*k]-places[2*i]), float64(m.Training[2*k+1]-places[2*i+1])); d < least && k != but {
					least, at = d, k
				}
			}
			return least, at
		}
		var far []float64
		var outside []bool
		for i, v := range rows.Texts("verdict") {
			if d, _ := alone(m.Places, i, -1); !known[i] && (v == "inside" || v == "outside") {
				far, outside = append(far, d), append(outside, v == "outside")
			}
		}
		if got := metric.AUROC(far, outside); got < c.want {
			t.Errorf("%s: the distance on the map tells outside from inside with an AUROC of %.3f, want %.2f", c.name, got, c.want)
		}
		like := func() (sum float64) {
			for k := range e.chart.at {
				_, at := alone(m.Training, k, k)
				e.chart.nearest(e.chart.index.Print(k), 1)
				sum += e.chart.similar[at] / float64(len(e.chart.at))
			}
			return sum
		}
		onMap := like()
		bank := e.model.Bank
		var embeddings [][]float32
		for k := range bank.Len() {
			embeddings = append(embeddings, bank.Q[k*bank.Dim():][:bank.Dim()])
		}
		m.Training = newPlane(embeddings, nil, nil, bank.Len()).training
		if onAxes := like(); onMap < 1.2*onAxes {
			t.Errorf("%s: neighbours on the map have a similarity of %.3f, on the axes of %.3f", c.name, onMap, onAxes)
		} else {
			t.Logf("%s: AUROC %.3f, similarity of neighbours %.3f, on the axes %.3f", c.name, metric.AUROC(far, outside), onMap, onAxes)
		}
	}
}
