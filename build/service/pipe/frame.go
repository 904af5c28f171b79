// Package pipe is the conversation of a program with a BaCa that it has started: frames on standard input and output.
//
// A frame has two lengths of four bytes each, little-endian, then a header of the first length, which is a JSON object,
// and a body of the second. The header of a question has op and an id, and its answer has the same id. Answers come in the
// order of the questions, after any number of frames with progress. A question that cannot be answered gets an answer with
// error, and the next one is read.
//
// The body of op score, explain, neighbors, trust and train is a list. If the table below names columns of values, they
// come before it, each with a float64 for every row, NaN for an unknown value. A list of molecules has the length of each
// SMILES in bytes, four bytes little-endian, and then all SMILES in UTF-8. A list of plain graphs has the number of nodes
// of each graph, then the number of edges of each, then the two ends of each edge, all of four bytes. The header says how
// many rows the list has, and of which kind.
//
//	op        asks with                                      is answered by
//	models                                                   models: names
//	open      body: a model file                             model: how to name it in questions
//	about     model, alpha, confidence                       about, see service.About
//	file      model                                          body: its file
//	score     model, alpha, confidence, by, seed, kind,      refused, set_aside; body: scores, p-values (float64), verdicts (a
//	          rows, first; body: a list                      byte each); of a batch also p-values alone (float64),
//	                                                         batch_foreign (a byte each), and whole, see service.Whole
//	explain   the same                                       body: rows as JSON lines, as of baca score --explain
//	neighbors the same with neighbors, a number              body: rows as JSON lines, as of baca score --neighbors
//	column    body: the head of a CSV file                   column: the place of the SMILES, from 0; -1 for none
//	trust     model, alpha, kind, rows, first, coverage,     body: rows as JSON lines, as of baca trust
//	          tolerance, large_errors, errors_by, values;
//	          body: columns of values and a list
//	train     kind, rows, epochs, seed, name, as_written,    refused, warning; body: a model file
//	          values; body: columns of values and a list
//	fingerprints  kind, rows, first; body: a list            refused, scaffolds: a number of each row's; body: service.Features
//	                                                         counts, a byte each, for each row
//	foreign   the numbers of verdicts, see decide.Counts     warning: that the model does not know such a list; none else
//	q_values  body: p-values (float64)                       body: q-values (float64)
//
// set_aside lists the rows of which the model did not read everything, each with what was left out. refused lists the
// refused rows, each with the reason. A refused row has NaN for numbers and 255 for its verdict. Other verdicts are
// indices into a list of words that the answer has.
//
// With by alone, which is also the default, and with by approximate, a long list may be asked about in pieces. With by
// batch or attention the list of one question is the batch.
//
// Up to Ahead questions are read before the first of them is answered. A client that never has more questions without
// an answer cannot block for ever, however little fits into a pipe.
package pipe

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"baca/algo/decide"
	"baca/build/service"
)

// Limits of a frame.
const (
	maxHeader = 64 << 20
	maxBody   = 256 << 20
)

// A question is the header of a frame, and its body.
type question struct {
	ID    uint64  `json:"id"`
	Op    string  `json:"op"`
	Model string  `json:"model"`
	Alpha float64 `json:"alpha"`
	By    string  `json:"by"`   // a decider, or approximate
	Kind  string  `json:"kind"` // molecules or graphs
	Rows  int     `json:"rows"`
	First int     `json:"first"`

	Confidence float64 `json:"confidence"`
	Neighbors  int     `json:"neighbors"` // number of neighbours for each record

	Values []string `json:"values"` // names of the columns of values before the list

	service.Recipe // for op train; its seed is also that of scores

	decide.Counts // for op foreign

	service.Judging // for op trust

	body []byte
}

// readFrame reads a question. It returns io.EOF if the input ends between two frames.
func readFrame(r io.Reader) (*question, error) {
	var lengths [8]byte
	if _, err := io.ReadFull(r, lengths[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, fmt.Errorf("reading a frame: %w", err)
	}
	header, body := binary.LittleEndian.Uint32(lengths[:4]), binary.LittleEndian.Uint32(lengths[4:])
	if header > maxHeader || body > maxBody {
		return nil, fmt.Errorf("a frame with a header of %d bytes and a body of %d: want at most %d and %d", header,
			body, maxHeader, maxBody)
	}
	text, err := readBytes(r, header)
	if err != nil {
		return nil, fmt.Errorf("reading a header: %w", err)
	}
	q := &question{}
	if err := json.Unmarshal(text, q); err != nil {
		return nil, fmt.Errorf("the header of a frame: %w", err)
	}
	if q.body, err = readBytes(r, body); err != nil {
		return nil, fmt.Errorf("reading a body: %w", err)
	}
	return q, nil
}

// readBytes reads n bytes, or returns io.ErrUnexpectedEOF. Since n may be hostile, it allocates memory only for bytes
// that come.
func readBytes(r io.Reader, n uint32) ([]byte, error) {
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, int64(n)); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	return b.Bytes(), nil
}

// writeFrame writes a frame with a header, as JSON, and a body.
func writeFrame(w io.Writer, header any, body []byte) error {
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	frame := make([]byte, 0, 8+len(text)+len(body))
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(text)))
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(body)))
	frame = append(append(frame, text...), body...)
	_, err = w.Write(frame)
	return err
}
