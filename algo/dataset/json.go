package dataset

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"baca/algo/graph"
)

// beginsJSON reports whether head begins with an object that has a key, or with a list of such objects.
func beginsJSON(head []byte) bool {
	head = bytes.TrimLeft(head, blanks+"\n")
	if rest, list := bytes.CutPrefix(head, []byte("[")); list {
		head = bytes.TrimLeft(rest, blanks+"\n")
	}
	inside, object := bytes.CutPrefix(head, []byte("{"))
	return object && bytes.HasPrefix(bytes.TrimLeft(inside, blanks+"\n"), []byte(`"`)) && bytes.Contains(inside, []byte(`":`))
}

// beginsNodeLink recognises a plain graph on the first line or in a document.
func beginsNodeLink(head []byte) bool {
	if !beginsJSON(head) {
		return false
	}
	if !isDocument(head) {
		head, _, _ = bytes.Cut(bytes.TrimLeft(head, blanks+"\n"), []byte("\n"))
	}
	return bytes.Contains(head, []byte(`"nodes"`))
}

// isDocument reports whether JSON is other than an object on each line: a list, or an object over several lines. A first
// line that is damaged, followed by an object, is JSONL.
func isDocument(head []byte) bool {
	head = bytes.TrimLeft(head, blanks+"\n")
	first, rest, more := bytes.Cut(head, []byte("\n"))
	rest = bytes.TrimLeft(rest, blanks+"\n")
	return bytes.HasPrefix(head, []byte("[")) || more && !json.Valid(first) && len(rest) > 0 && rest[0] != '{'
}

// A visitor takes an object and its first column. An error says that the object is damaged at an offset.
type visitor func(object []byte, column int) (at int, err error)

// eachObject calls visit for each object of the text: of a JSON document, or else of its lines, each with one object or
// several. Lines that are too long or that visit refuses become refused records. Only a damaged document is an error.
func (s *scanner) eachObject(visit visitor) error {
	if isDocument(s.head) {
		return s.eachInDocument(1, visit)
	}
	s.eachLine(func(line []byte, whole bool) bool {
		text := bytes.TrimLeft(line, blanks)
		column := len(line) - len(text) + 1
		switch text = bytes.TrimRight(text, blanks); {
		case !whole:
			s.refuse(s.line, s.tooLong(s.line))
		case len(text) > 0:
			at, err := visit(text, column)
			if err != nil && severalObjects.Match(text) {
				at, err = 0, s.eachInLine(text, column, visit)
			}
			if err != nil {
				s.refuseAt(text, column, at, err)
			}
		}
		return !s.stopped
	})
	return nil
}

// severalObjects matches a line with more than one object, because a line end is missing.
var severalObjects = regexp.MustCompile(`\}[^{}]{0,8}\{`)

// eachInLine visits the objects of a line as if it were a document. An error has no position.
func (s *scanner) eachInLine(text []byte, column int, visit visitor) error {
	whole := s.window
	s.window = newWindow(bytes.NewReader(text), len(text)+1, len(text)+1)
	s.line = whole.line
	err := s.eachInDocument(column, visit)
	s.window = whole
	if bad, ok := err.(*SyntaxError); ok {
		return bad.Err
	}
	return err
}

// locate returns how many lines lie between the start of a text and an offset in it, and the column there. column is
// that of the start.
func locate[T string | []byte](text T, column, offset int) (lines, at int) {
	for i := range offset {
		if column++; text[i] == '\n' {
			lines, column = lines+1, 1
		}
	}
	return lines, column
}

// refuseAt refuses an object because of an error at an offset. column is the object's first column.
func (s *scanner) refuseAt(object []byte, column, offset int, err error) {
	lines, at := locate(object, column, offset)
	s.refuse(s.line, syntaxError(s.line+lines, at, err))
}

// jsonError returns where package json found damage in an object, and what a user should read about it. Other errors, and
// nil, it returns as they are, at offset 0.
func jsonError(err error) (offset int, plain error) {
	var bad *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &bad):
		return max(int(bad.Offset)-1, 0), fmt.Errorf("no JSON: %w", err)
	case errors.As(err, &kind):
		what := "an object"
		if kind.Field != "" {
			what = strings.ToLower(kind.Field) + " of another type"
		}
		return max(int(kind.Offset)-1, 0), fmt.Errorf("found a JSON %s: want %s", kind.Value, what)
	}
	return 0, err
}

// readJSONL reads an object on each line. As in a table, the first lines decide which value is the SMILES.
func (s *scanner) readJSONL(column string) error {
	keys, err := s.findKeys(column)
	if twins, ok := err.(*twins); ok {
		return twins.values()
	} else if err != nil {
		return err
	}
	read := []string{keys[s.smiles]} // keys that must not occur twice in an object
	for _, i := range s.further {
		read = append(read, keys[i])
	}
	for _, i := range s.own {
		read = append(read, keys[i])
	}
	if s.id >= 0 {
		read = append(read, keys[s.id])
	}
	known := make(map[string]bool, len(keys))
	for _, key := range keys {
		known[key] = true
	}
	return s.eachObject(func(object []byte, column int) (at int, err error) {
		var values map[string]json.RawMessage
		if err := json.Unmarshal(object, &values); err != nil {
			return jsonError(err)
		}
		if keysIn(object) > len(values) { // some key is there twice
			if at, err := Twice(object, read...); err != nil {
				return at, err
			}
		}
		raw := values[keys[s.smiles]]
		text, ok := jsonText(raw)
		if !ok {
			return 0, fmt.Errorf("%s is %s: want text, the SMILES", clip(keys[s.smiles]), clip([]byte(raw)))
		}
		if i := bytes.Index(object, raw); i > 0 && text != "" {
			at = i + 1 // after the quote
		}
		lines, column := locate(object, column, at)
		name := ""
		if s.id >= 0 {
			name, _ = jsonText(values[keys[s.id]])
		}
		rec := Record{Entry: Entry{Line: s.line, at: SyntaxError{Line: s.line + lines, Column: column}}}
		rec.Cells, rec.Own = s.cellsOf(func(i int) string { return jsonCell(values[keys[i]]) })
		s.emitText(rec, []byte(strings.TrimSpace(name)), []byte(text))
		for key := range values {
			if !known[key] {
				s.tellLate(key, s.row)
			}
		}
		return 0, nil
	})
}

// keysIn counts the keys of a valid object, but not those of objects within it.
func keysIn(object []byte) (n int) {
	var j syntax
	for _, c := range object {
		if j.next(c) && c == ':' && len(j.open) == 1 {
			n++
		}
	}
	return n
}

// jsonCell returns text plain and other values as JSON.
func jsonCell(raw json.RawMessage) string {
	text, ok := jsonText(raw)
	if !ok {
		text = string(raw)
	}
	return strings.TrimSpace(text)
}

// Twice returns an error, and its offset, if a valid JSON object itself, not one within it, repeats one of the keys. Package
// encoding/json would use the last one.
func Twice(object []byte, keys ...string) (at int, err error) {
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		seen[key] = false
	}
	var j syntax
	start, end := 0, 0 // of the last text
	for i, c := range object {
		before := j.quoted
		outside := j.next(c)
		switch {
		case j.quoted && !before:
			start = i
		case before && !j.quoted:
			end = i + 1
		}
		if !outside || c != ':' || len(j.open) > 1 { // not behind a key
			continue
		}
		name := object[start+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			text, _ := jsonText(object[start:end])
			name = []byte(text)
		}
		if twice, wanted := seen[string(name)]; twice {
			return start, fmt.Errorf("key %s is there twice: want it once", clip(name))
		} else if wanted {
			seen[string(name)] = true
		}
	}
	return 0, nil
}

// jsonText returns a string, or a number as written. For null and a missing value it returns "". Other values are not ok.
func jsonText(raw json.RawMessage) (text string, ok bool) {
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", true
	case raw[0] == '"':
		return text, json.Unmarshal(raw, &text) == nil
	case raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9':
		return string(raw), true
	}
	return "", false
}

// findKeys returns the keys of the first objects, sorted, and chooses columns among them. Without any key it returns the
// usual ones of SMILES and id.
func (s *scanner) findKeys(column string) ([]string, error) {
	objects := s.firstObjects(s.head, headSize) // a number that they cannot reach
	if len(objects) == 0 {                      // the first object may be longer than headSize
		s.has(s.max - 1)
		objects = s.firstObjects(s.bytes(0, s.end-s.pos), headRows)
	}
	known := map[string]bool{}
	for _, values := range objects {
		for key := range values {
			known[key] = true
		}
	}
	if len(known) > maxColumns {
		return nil, fmt.Errorf("first objects of %d keys: want at most %d", len(known), maxColumns)
	}
	names := slices.Sorted(maps.Keys(known))
	keys := names
	if len(keys) == 0 {
		keys = []string{smilesNames[0], idNames[0]} // each line then reports its mistake
	}
	t := tableOf(keys, func() [][]string {
		rows := [][]string{keys}
		for _, values := range objects[:min(len(objects), headRows)] {
			rows = append(rows, cellsOf(keys, values))
		}
		return rows
	}, column)
	t.Columns = names // only those that exist can be wanted
	return keys, s.choose(t, column)
}

// firstObjects returns at most most objects of the head of a text, and records their first keys in s.firsts.
func (s *scanner) firstObjects(head []byte, most int) (objects []map[string]json.RawMessage) {
	s.firsts = map[string]bool{}
	front := scanner{
		window: newWindow(bytes.NewReader(head), len(head)+1, len(head)+1), head: head, firsts: s.firsts,
		opt: s.opt, emit: func(Record) bool { return true },
	}
	front.eachObject(func(object []byte, _ int) (int, error) { // of a damaged one nothing is told here
		var values map[string]json.RawMessage
		if json.Unmarshal(object, &values) != nil {
			return 0, nil
		}
		if key := firstKey(object); key != "" {
			s.firsts[key] = true
		}
		objects = append(objects, values)
		front.stopped = len(objects) == most
		return 0, nil
	})
	return objects
}

// cellsOf returns the value of each key as a trimmed text, or "" if it is neither text nor number.
func cellsOf(keys []string, values map[string]json.RawMessage) []string {
	row := make([]string, len(keys))
	for i, key := range keys {
		if text, ok := jsonText(values[key]); ok {
			row[i] = strings.TrimSpace(text)
		}
	}
	return row
}

// readNodeLink emits graphs in the node-link form of NetworkX, an object each that begins with one of s.firsts.
func (s *scanner) readNodeLink(string) error {
	s.firsts = map[string]bool{"directed": true, "multigraph": true, "graph": true, "nodes": true, "name": true}
	return s.eachObject(func(object []byte, column int) (int, error) {
		if object[0] != '{' || bytes.Contains(object, []byte("}{")) { // perhaps several objects: the error makes eachObject split them
			if err := json.Unmarshal(object, new(struct{})); err != nil {
				return jsonError(err)
			}
		}
		s.send(Record{Entry: Entry{Line: s.line, at: SyntaxError{Line: s.line, Column: column}, molfile: string(object), linked: true}})
		return 0, nil
	})
}

// A nodeLink is a graph as NetworkX writes it, with the key links, or edges since 3.4.
type nodeLink struct {
	ID    json.RawMessage
	Name  json.RawMessage
	Graph struct{ ID, Name json.RawMessage }

	Directed bool
	Nodes    []struct{ ID json.RawMessage }
	Links    []struct{ Source, Target json.RawMessage }
	Edges    []struct{ Source, Target json.RawMessage }
}

// nodeLinkGraph parses the text of a record's graph. It also sets the id, to the first of these that is a text or number:
// id and name of the key graph, then those of the object. An error is located in the input.
func (r *Record) nodeLinkGraph() (*graph.Graph, error) {
	var n nodeLink
	// Check the size before allocating.
	if most := graph.MaxNodes + graph.MaxEdges; partsOf(r.molfile) > most {
		return nil, r.Fail(fmt.Errorf("a graph of more than %d nodes and edges: want at most %d and %d", most,
			graph.MaxNodes, graph.MaxEdges))
	}
	err := json.Unmarshal([]byte(r.molfile), &n)
	at, err := jsonError(err)
	if err == nil {
		at, err = Twice([]byte(r.molfile), "id", "name", "graph", "nodes", "links", "edges", "directed")
	}
	if err != nil { // locate the offset in the input
		lines, column := locate(r.molfile, r.at.Column, at)
		r.at.Line, r.at.Column = r.at.Line+lines, column
		if within := repeats([]byte(r.molfile)); within > 0 {
			err = fmt.Errorf("%w; %d records are within this one", err, within)
		}
		return nil, r.Fail(err)
	}
	for _, raw := range []json.RawMessage{n.Graph.ID, n.Graph.Name, n.ID, n.Name} {
		if name, ok := jsonText(raw); ok && r.ID == "" && len(name) <= MaxField {
			r.ID = name
		}
	}
	if n.Nodes == nil || n.Links == nil && n.Edges == nil && len(n.Nodes) > 1 {
		return nil, r.Fail(errors.New(`no "nodes" or no "links": want a graph such as {"nodes": [{"id": 0}, …], "links": [{"source": 0, "target": 1}, …]}`))
	}
	known := make(nodes, len(n.Nodes)) // numbers of nodes by their ids
	for i, node := range n.Nodes {
		key, err := nodeKey(node.ID)
		if err != nil {
			return nil, r.Fail(fmt.Errorf("node %d: %w", i+1, err))
		}
		if err := known.add(key); err != nil {
			return nil, r.Fail(err)
		}
	}
	var ends [][2]string // the ids at both ends of each link
	for i, link := range append(n.Links, n.Edges...) {
		from, err := nodeKey(link.Source)
		to, also := nodeKey(link.Target)
		if err = cmp.Or(err, also); err != nil {
			return nil, r.Fail(fmt.Errorf("link %d: %w", i+1, err))
		}
		ends = append(ends, [2]string{from, to})
	}
	edges, bad, err := known.join(ends)
	if err != nil {
		return nil, r.Fail(fmt.Errorf("link %d %w", bad+1, err))
	}
	if n.Directed {
		r.Aside.Directions = uint32(len(edges))
	}
	return r.plain(len(n.Nodes), edges)
}

// partsOf counts the commas in lists and objects within a JSON object: about as many as these have elements.
func partsOf(object string) (n int) {
	var j syntax
	for i := range len(object) {
		if j.next(object[i]) && object[i] == ',' && len(j.open) == 2 {
			n++
		}
	}
	return n
}

// plain makes the graph of a record, and counts the self-loops and repeated edges that it leaves out. It fails for a graph
// without nodes or of more than graph.MaxNodes or MaxEdges.
func (r *Record) plain(n int, edges [][2]int32) (*graph.Graph, error) {
	if n == 0 {
		return nil, r.Fail(errors.New("a graph without nodes: want one at least"))
	}
	g, dropped, err := graph.New(n, edges)
	if err != nil {
		return nil, r.Fail(err)
	}
	r.Aside.Loops, r.Aside.Parallel = uint32(dropped.SelfLoops), uint32(dropped.Duplicates)
	return g, nil
}

// nodeKey returns a node's id as JSON in one spelling, so that equal ids give equal texts. It fails for null and without id.
func nodeKey(raw json.RawMessage) (string, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return "", errors.New("no id: want text or a number")
	}
	if bytes.ContainsAny(raw, " \t") || bytes.IndexByte(raw, '\\') >= 0 {
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			return "", err
		}
		raw, _ = json.Marshal(value)
	}
	return string(raw), nil
}
