package words

import (
	"cmp"
	"strings"

	"baca/wasm/message"
)

// mostCause is the number of characters after which the cause of a worker's end is cut.
const mostCause = 160

// FailureWords returns what went wrong, in a few words, and what to do about it. The second is the worker's text,
// unless the worker died or the user cancelled.
func FailureWords(f *message.Failed) (headline, what string) {
	switch f.Code {
	case message.CodeDied:
		cause := strings.TrimSuffix(Shorten(f.Text, mostCause), ".")
		return "The worker stopped", "The part of the page that computes ended by itself (" + cause +
			"). Your input is still here."
	case message.CodeCancelled:
		return "Cancelled", "Cancelled."
	}
	return cmp.Or(headlines[f.Code], "That did not work"), f.Text
}

var headlines = map[string]string{
	message.CodeMemory: "Not enough memory", message.CodeBadInput: "This input cannot be read",
	message.CodeBadModel: "The model does not fit", message.CodeBadOption: "A setting is out of range",
}

// FailureLine is FailureWords as one text.
func FailureLine(f *message.Failed) string {
	headline, what := FailureWords(f)
	return headline + ". " + what
}

// FailureText says what went wrong, without a headline.
func FailureText(f *message.Failed) string {
	_, what := FailureWords(f)
	return what
}

// TrustFailure says why there are no judgements.
func TrustFailure(f *message.Failed) string {
	if f.Code == message.CodeBadModel {
		return Capital(f.Text) + ". A model that you train on predictions that were held out knows them."
	}
	return FailureText(f)
}

// ReasonOf is the reason, without the place if known.
func ReasonOf(p *message.Problem) string {
	if p.Reason != "" {
		return p.Reason
	}
	return p.Text
}

// ColumnWords name a SMILES column that is not obvious.
func ColumnWords(h *message.Header) string {
	switch {
	case h == nil || len(h.Columns) < 2:
		return ""
	case h.Column == "":
		return "Choose the column that holds SMILES."
	case h.Guessed:
		return "found by what it holds"
	}
	return ""
}

// StageCount is the number beside a stage: how much of it is done if it runs now, or else its total. It is empty for a
// stage of one step. Reading counts records, and the attention counts steps as t up to T, as the paper does.
func StageCount(p message.Progress, now bool) string {
	switch {
	case p.Stage == message.StageParse:
		return Count(p.Records)
	case p.Total <= 1:
		return ""
	case p.Stage == message.StageAttention && now:
		return "t = " + Count(p.Done) + " / " + Count(p.Total)
	case p.Stage == message.StageAttention:
		return "T = " + Count(p.Total)
	case now && p.Done < p.Total:
		return Count(p.Done) + " / " + Count(p.Total)
	}
	return Count(p.Total)
}

// Stages are the stages of runs and tasks. Those of a comparison describe themselves.
var Stages = map[string]string{
	message.StageScore: "scored", message.StageSample: "sampled", message.StageEncode: "encoded", message.StageEstimate: "graphons", message.StageMixup: "mixup",
	message.StageAttention: "attention", message.StageRatio: "density ratio", message.StageCompare: "compared",
	message.StageParse: "reading the file", message.StageLists: "reading the input", message.StageChoose: "trying each",
	message.StageAsk: "one after the other", message.StageExplain: "why", message.StageTrust: "judging", message.StageCompute: "molecules",
}
