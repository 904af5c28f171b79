// Package paper repeats what the paper reports, and measures what it leaves out: baca-paper
// eval and baca-paper bench.
//
// No step of an experiment can go on without the one before, so an error ends the command or the cell
// that it happens in, see package try. Functions return errors only to callers that do something about them.
package paper

import (
	"context"
	"embed"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"baca/algo/metric"
	"baca/algo/training"
)

// The number of epochs that the paper trains for, and the most that may be asked for.
const (
	paperEpochs = 400
	mostEpochs  = 1_000_000
)

// A Trainer trains an encoder and returns its model file. With the path of that file it continues where training was cut
// short. It may be called by several goroutines.
type Trainer func(ctx context.Context, stderr io.Writer, t training.Training, path string) ([]byte, error)

// Texts has what help says of them, see [command.Paper].
//
//go:embed help
var Texts embed.FS

// Commands are baca-paper eval and baca-paper bench.
func Commands(train Trainer) []*cobra.Command {
	return []*cobra.Command{newEval(train), newBench(train)}
}

// A rate is a number that is null in JSON where it is not defined.
type rate float64

// none is a rate that is not defined.
var none = rate(math.NaN())

func (r rate) defined() bool { return !math.IsNaN(float64(r)) }

func (r rate) MarshalJSON() ([]byte, error) {
	if !r.defined() || math.IsInf(float64(r), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(r))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (r *rate) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*r = none
		return nil
	}
	return json.Unmarshal(data, (*float64)(r))
}

// percent formats the rate in percent, or as a dash.
func (r rate) percent(decimals int) string {
	if !r.defined() {
		return "–"
	}
	return strconv.FormatFloat(100*float64(r), 'f', decimals, 64)
}

// meanStd returns the mean and the standard deviation of rates.
func meanStd(rates []rate) (mean, std rate) {
	m, s := metric.MeanStd(mapped(rates, func(r rate) float64 { return float64(r) }))
	return rate(m), rate(s)
}

// mean returns the mean of a list, NaN for none.
func mean[F ~float64](list []F) F {
	var sum F
	for _, x := range list {
		sum += x
	}
	return sum / F(len(list))
}

// meanDefined returns the mean of the numbers that are not NaN.
func meanDefined(list []float64) float64 { return mean(slices.DeleteFunc(list, math.IsNaN)) }

// meanOf returns the mean of a property of a list's elements.
func meanOf[T any](list []T, of func(T) rate) rate { return mean(mapped(list, of)) }

// mapped applies a function to each element of a list.
func mapped[T, U any](list []T, of func(T) U) []U {
	made := make([]U, len(list))
	for i, x := range list {
		made[i] = of(x)
	}
	return made
}
