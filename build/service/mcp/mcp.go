// Package mcp offers package service as tools of the Model Context Protocol (Serve): score, explain,
// trust and models.
package mcp

import (
	"bytes"
	"context"
	_ "embed" // instructions
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"baca/algo"
	"baca/algo/document"
	"baca/algo/table"
	"baca/build/service"
)

// Limits of a call, in molecules. They keep answers readable.
const (
	MaxScored    = 1000
	MaxExplained = 20
)

//go:embed instructions.txt
var instructions string

// A Scoring is the input of score and explain.
type Scoring struct {
	SMILES []string `json:"smiles" jsonschema:"molecules as SMILES, in order"`
	Model  string   `json:"model,omitempty" jsonschema:"a model that models lists"`
	Alpha  float64  `json:"alpha,omitempty" jsonschema:"share of molecules from inside that may be called outside"`
	By     string   `json:"by,omitempty" jsonschema:"alone judges each molecule by itself; both says beside it what the batch says; batch and attention judge the whole list together, which takes 20"`
}

// A Trusting is the input of trust.
type Trusting struct {
	SMILES []string `json:"smiles" jsonschema:"molecules as SMILES, in order"`
	Model  string   `json:"model" jsonschema:"a model that models lists, trained with observed and held-out predicted values"`
	service.Predictions
	service.Judging
}

type Scored struct {
	Model string           `json:"model"`
	Rows  []map[string]any `json:"rows" jsonschema:"one for each molecule, in order, with the columns of the command"`
	Notes []string         `json:"notes,omitempty" jsonschema:"what judgements of predictions rest on"`
	Whole *service.Whole   `json:"whole,omitempty" jsonschema:"what the list is like as a whole, if by is batch or attention"`
}

type Listed struct {
	Models []service.Summary `json:"models"`
}

// New returns a server for a service.
func New(s *service.Service) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "baca", Title: "BaCa", Version: algo.Version},
		&sdk.ServerOptions{Instructions: instructions})
	server.AddReceivingMiddleware(withoutNull)
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(bool)}
	sdk.AddTool(server, &sdk.Tool{
		Name: "score", Annotations: reads, InputSchema: scoring(), OutputSchema: answering(table.Usual),
		Description: fmt.Sprintf("Score up to %d molecules by how far they lie outside what a model was trained on.", MaxScored),
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in Scoring) (*sdk.CallToolResult, *Scored, error) {
		out, err := score(ctx, s, in, table.Usual, nil)
		return nil, out, err
	})
	sdk.AddTool(server, &sdk.Tool{
		Name: "explain", Annotations: reads, InputSchema: scoring(), OutputSchema: answering(explained),
		Description: fmt.Sprintf("Say why up to %d molecules have the scores that they get by themselves: reasons in words, what each atom adds, the most similar training molecules.", MaxExplained),
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in Scoring) (*sdk.CallToolResult, *Scored, error) {
		out, err := score(ctx, s, in, explained, nil)
		return nil, out, err
	})
	sdk.AddTool(server, &sdk.Tool{
		Name: "trust", Annotations: reads, OutputSchema: answering(judged),
		Description: fmt.Sprintf("Say which of your predictions for up to %d molecules to trust: expected error, interval of the observed value, trust, check or do-not-use, reasons, the nearest training molecules and what was measured of them.", MaxExplained),
	}, func(ctx context.Context, _ *sdk.CallToolRequest, in Trusting) (*sdk.CallToolResult, *Scored, error) {
		o := algo.DefaultOptions()
		out, err := score(ctx, s, Scoring{SMILES: in.SMILES, Model: in.Model, Alpha: o.Alpha, By: o.By}, judged, &in)
		return nil, out, err
	})
	sdk.AddTool(server, &sdk.Tool{Name: "models", Annotations: reads, Description: "List the models, and what they were trained on."},
		func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, *Listed, error) {
			list, err := s.Models()
			return nil, &Listed{list}, err
		})
	return server
}

// withoutNull treats the arguments null of a call as none, because the SDK would panic when it sets defaults in them.
func withoutNull(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if call, ok := r.(*sdk.CallToolRequest); ok && string(call.Params.Arguments) == "null" {
			call.Params.Arguments = nil
		}
		return next(ctx, method, r)
	}
}

// scoring returns the schema of a Scoring, with defaults.
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

// The columns of answers.
const (
	explained = table.Usual | table.OfReasons | table.OfNeighbors
	judged    = explained | table.OfValues | table.OfTrust
)

// score answers a call with some columns. If predictions is not nil, it also judges them.
func score(ctx context.Context, s *service.Service, in Scoring, columns table.Group, predictions *Trusting) (*Scored, error) {
	most := MaxScored
	if columns != table.Usual {
		most = MaxExplained
	}
	if len(in.SMILES) == 0 || len(in.SMILES) > most {
		return nil, fmt.Errorf("%d molecules: want 1 to %d in one call", len(in.SMILES), most)
	}
	how := service.How{Alpha: in.Alpha, By: in.By, Seed: algo.DefaultOptions().Seed, Explain: columns != table.Usual}
	if err := how.Check(); err != nil {
		return nil, err
	}
	m, err := s.Model(ctx, in.Model)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	p := m.Plan(how)
	p.Open = func([]table.Field) (rows, rejects *table.Sink, err error) {
		return table.NewSink(&b, "jsonl", table.Text{}, false, fields(columns|p.Columns&table.OfBatch)), nil, nil
	}
	out := &Scored{Model: in.Model}
	list := service.List{SMILES: in.SMILES}
	if predictions != nil {
		values, err := predictions.Values()
		if err == nil {
			err = predictions.Join(ctx, &p, list, values)
		}
		if err != nil {
			return nil, err
		}
		out.Notes = p.Predictions.Sentences()
	}
	if out.Whole, err = m.Score(ctx, list, p); err != nil {
		return nil, err
	}
	out.Rows, err = rowsOf(b.Bytes())
	return out, err
}

// fields returns the columns of an answer, without the id.
func fields(columns table.Group) []table.Field {
	return slices.DeleteFunc(table.Fields(columns), func(f table.Field) bool { return f.Name == "id" })
}

// rowsOf parses lines of JSON. It leaves out what is null, and makes texts printable.
func rowsOf(lines []byte) (list []map[string]any, err error) {
	for line := range bytes.Lines(lines) {
		var row map[string]any
		err = errors.Join(err, json.Unmarshal(line, &row))
		for name, value := range row {
			if text, ok := value.(string); ok {
				row[name] = document.Printable(text)
			} else if value == nil {
				delete(row, name)
			}
		}
		list = append(list, row)
	}
	return list, err
}

// answering returns the schema of a Scored whose rows have these columns and those of a batch.
func answering(columns table.Group) *jsonschema.Schema {
	s, err := jsonschema.For[Scored](nil)
	if err != nil {
		panic(err) // the type is known
	}
	row := s.Properties["rows"].Items
	row.Properties = map[string]*jsonschema.Schema{}
	columns |= table.OfBatch
	for i, c := range table.Of(fields(columns), nil) {
		row.Properties[c.Name] = &jsonschema.Schema{Type: table.JSONType(c.Kind), Description: fields(columns)[i].Doc}
	}
	return s
}
