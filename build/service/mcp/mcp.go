// Package mcp offers package service as tools of the Model Context Protocol (Serve): score, explain
// and models.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"baca/algo"
	"baca/algo/table"
	"baca/build/service"
)

// Limits of a call keep answers readable.
const (
	MaxScored    = 1000
	MaxExplained = 20
)

const instructions = `BaCa tells which molecules lie outside what a model was trained on, so that its answers about them are not to be trusted.
score gives for each molecule a score (higher is further outside), a p-value (how often a molecule like the training set scores as high) and a verdict: inside,
borderline, outside, or undecided where the model cannot tell. Inside does not mean safe, active or right. explain says why, for few molecules. models lists the models.`

// A Scoring is the input of score and explain.
type Scoring struct {
	SMILES []string `json:"smiles" jsonschema:"molecules as SMILES, in order"`
	Model  string   `json:"model,omitempty" jsonschema:"a model that models lists"`
	Alpha  float64  `json:"alpha,omitempty" jsonschema:"share of molecules from inside that may be called outside"`
	By     string   `json:"by,omitempty" jsonschema:"alone judges each molecule by itself; batch and attention judge the whole list together, which takes 20"`
}

type Row struct {
	SMILES   string   `json:"smiles"`
	Score    *float64 `json:"score,omitempty" jsonschema:"higher is further outside"`
	P        *float64 `json:"p_value,omitempty" jsonschema:"how often a molecule like the training set scores as high"`
	Verdict  string   `json:"verdict,omitempty" jsonschema:"inside, borderline, outside or undecided"`
	SetAside string   `json:"set_aside,omitempty" jsonschema:"what the model did not read of it, such as stereo, 1 counter-ion"`
	Error    string   `json:"error,omitempty" jsonschema:"why the molecule was refused; it then has no score"`
	Why      *Why     `json:"why,omitempty"`
}

// Why explains a score.
type Why struct {
	Counted   string     `json:"counted,omitempty" jsonschema:"what p_value counts: how many of the held-out molecules and this one score as high"`
	TrainedOn bool       `json:"trained_on" jsonschema:"the model was likely trained on it"`
	Reasons   []string   `json:"reasons" jsonschema:"what is unusual about it, the most unusual first, or which training molecule it is"`
	Atoms     []*float64 `json:"atoms" jsonschema:"what each atom, in the order of the SMILES, adds to the score"`
	Nearest   []Neighbor `json:"nearest" jsonschema:"the most similar training molecules"`
}

type Neighbor struct {
	SMILES     string  `json:"smiles,omitempty"`
	Name       string  `json:"name,omitempty"`
	Similarity float64 `json:"similarity" jsonschema:"from 0 to 1"`
}

type Scored struct {
	Model string         `json:"model"`
	Rows  []Row          `json:"rows" jsonschema:"one for each molecule, in order"`
	Whole *service.Whole `json:"whole,omitempty" jsonschema:"what the list is like as a whole, if by is batch or attention"`
}

type Listed struct {
	Models []service.Summary `json:"models"`
}

// New returns a server for a service.
func New(s *service.Service) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "baca", Title: "BaCa", Version: algo.Version}, &sdk.ServerOptions{Instructions: instructions})
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
	sdk.AddTool(server, &sdk.Tool{
		Name: "score", Annotations: reads, InputSchema: scoring(),
		Description: fmt.Sprintf("Score up to %d molecules by how far they lie outside what a model was trained on.", MaxScored),
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in Scoring) (*sdk.CallToolResult, *Scored, error) {
		out, err := score(ctx, s, in, false, MaxScored)
		return nil, out, err
	})
	sdk.AddTool(server, &sdk.Tool{
		Name: "explain", Annotations: reads, InputSchema: scoring(),
		Description: fmt.Sprintf("Say why up to %d molecules have the scores that they get by themselves: reasons in words, what each atom adds, the most similar training molecules.", MaxExplained),
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in Scoring) (*sdk.CallToolResult, *Scored, error) {
		out, err := score(ctx, s, in, true, MaxExplained)
		return nil, out, err
	})
	sdk.AddTool(server, &sdk.Tool{Name: "models", Annotations: reads, Description: "List the built-in models, and what they were trained on."},
		func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, *Listed, error) {
			list, err := service.Models()
			return nil, &Listed{list}, err
		})
	return server
}

// scoring is the schema of a Scoring, with defaults.
func scoring() *jsonschema.Schema {
	s, err := jsonschema.For[Scoring](nil)
	if err != nil {
		panic(err) // the type is known
	}
	o := algo.DefaultOptions()
	for name, usual := range map[string]any{"model": service.Default, "alpha": o.Alpha, "by": o.By} {
		if s.Properties[name].Default, err = json.Marshal(usual); err != nil {
			panic(err)
		}
	}
	return s
}

func score(ctx context.Context, s *service.Service, in Scoring, explain bool, most int) (*Scored, error) {
	if len(in.SMILES) == 0 || len(in.SMILES) > most {
		return nil, fmt.Errorf("%d molecules: want 1 to %d in one call", len(in.SMILES), most)
	}
	how := service.How{Alpha: in.Alpha, By: in.By, Seed: algo.DefaultOptions().Seed, Explain: explain}
	if err := how.Check(); err != nil {
		return nil, err
	}
	m, err := s.Model(ctx, in.Model)
	if err != nil {
		return nil, err
	}
	rows, whole, err := m.Score(ctx, service.List{SMILES: in.SMILES}, how)
	if err != nil {
		return nil, err
	}
	out := &Scored{Model: in.Model, Rows: make([]Row, len(rows)), Whole: whole}
	for i := range rows {
		out.Rows[i] = rowOf(&rows[i])
	}
	return out, nil
}

func rowOf(s *table.Scored) Row {
	r := Row{SMILES: table.Printable(s.SMILES)}
	if s.Err != nil {
		r.Error = table.Printable(s.Err.Error())
		return r
	}
	r.Score, r.P, r.Verdict, r.SetAside = number(s.Scores.Score), number(s.Scores.P), string(s.Scores.Verdict), s.Aside.String()
	if s.Why == nil {
		return r
	}
	r.Why = &Why{Counted: s.Why.Counted, TrainedOn: s.Why.Duplicate, Reasons: []string{}, Atoms: []*float64{}, Nearest: []Neighbor{}}
	for _, reason := range s.Why.Reasons {
		r.Why.Reasons = append(r.Why.Reasons, reason.Text)
	}
	for _, x := range s.Why.Atoms {
		r.Why.Atoms = append(r.Why.Atoms, number(x))
	}
	for _, n := range s.Why.Nearest {
		r.Why.Nearest = append(r.Why.Nearest, Neighbor{n.SMILES, strings.TrimSpace(n.Name), *number(n.Similarity)})
	}
	return r
}

// number has the command's six digits, nil for NaN.
func number(x float64) *float64 {
	six, err := strconv.ParseFloat(table.Number(x), 64)
	if err != nil {
		return nil
	}
	return &six
}
