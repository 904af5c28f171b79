// Package message is the protocol of page and worker. The page sends a [Request]; the worker answers with events and
// one reply, all with the request's number. A message is msgpack in one ArrayBuffer:
//
//	[version, number of the request, kind, {field: value, …}]
//
// The kind is the Go type's name. Columns are msgpack bins, decoded at once. Both programs are
// built together; the version detects an old cached page.
//
// Decode allocates at most a small multiple of its input.
package message

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/vmihailenco/msgpack/v5"
)

// Version changes with any message.
const Version = 18

// MaxSize bounds a message in bytes; inputs are the longest.
const MaxSize = 512 << 20

// ErrVersion is the cause of a version mismatch.
var ErrVersion = errors.New("message of another version")

// A Request comes from the page. Its comment names its events and reply; any reply may be a [Failed].
type Request interface{ request() }

// An Event reports progress.
type Event interface{ event() }

// A Reply ends a request.
type Reply interface{ reply() }

// kinds are all messages by name.
var kinds = map[string]reflect.Type{}

func init() {
	for _, m := range []any{
		Hello{}, LoadModel{}, Open{}, Score{}, Share{}, Piece{}, Detail{}, Trace{}, Graphons{}, Reasons{}, Compute{},
		Ask{}, Compare{}, Suggest{}, Trust{}, Report{}, Domain{}, Publish{}, Train{}, Pause{},
		Progress{}, Header{}, Records{}, Parted{}, Iteration{}, Reference{}, Fitted{}, Rows{}, Epoch{}, Checkpoint{},
		Welcome{}, Model{}, Opened{}, Scored{}, Ready{}, Part{}, Detailed{}, Traced{}, GraphonPair{}, Explained{},
		Computed{}, Exported{}, Publication{}, Found{}, Trusted{}, Trained{}, Paused{}, Failed{},
	} {
		t := reflect.TypeOf(m)
		kinds[t.Name()] = t
	}
}

// Encode encodes m, a pointer to a message, for the request of that number.
func Encode(number uint32, m any) ([]byte, error) {
	t := reflect.TypeOf(m)
	if t == nil || t.Kind() != reflect.Pointer || kinds[t.Elem().Name()] != t.Elem() {
		return nil, fmt.Errorf("%T is no message", m)
	}
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.UseCompactInts(true)
	e.EncodeArrayLen(4)
	e.EncodeUint(Version)
	e.EncodeUint(uint64(number))
	e.EncodeString(t.Elem().Name())
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("message %s: %w", t.Elem().Name(), err)
	}
	if b.Len() > MaxSize {
		return nil, fmt.Errorf("message %s has %d bytes, the most is %d", t.Elem().Name(), b.Len(), MaxSize)
	}
	return b.Bytes(), nil
}

// Decode decodes a message, as a pointer, and its request's number.
func Decode(data []byte) (number uint32, m any, err error) {
	if len(data) > MaxSize {
		return 0, nil, fmt.Errorf("message of %d bytes, the most is %d", len(data), MaxSize)
	}
	r := bytes.NewReader(data)
	d := msgpack.NewDecoder(r)
	// Unknown fields are refused, not skipped, which bounds nesting.
	d.DisallowUnknownFields(true)
	n, err := d.DecodeArrayLen()
	if err != nil {
		return 0, nil, fmt.Errorf("message is no array: %w", err)
	}
	if n != 4 {
		return 0, nil, fmt.Errorf("message has %d parts, want 4", n)
	}
	version, err := d.DecodeUint64()
	if err != nil {
		return 0, nil, fmt.Errorf("version of the message: %w", err)
	}
	if version != Version {
		return 0, nil, fmt.Errorf("%w: %d, this program speaks %d; load the page again", ErrVersion, version, Version)
	}
	if number, err = d.DecodeUint32(); err != nil {
		return 0, nil, fmt.Errorf("number of the request: %w", err)
	}
	name, err := d.DecodeString()
	if err != nil {
		return number, nil, fmt.Errorf("kind of the message: %w", err)
	}
	t, ok := kinds[name]
	if !ok {
		return number, nil, fmt.Errorf("unknown kind of message %.40q", name)
	}
	v := reflect.New(t)
	if err := d.Decode(v.Interface()); err != nil {
		return number, nil, fmt.Errorf("message %s: %w", name, err)
	}
	if r.Len() > 0 {
		return number, nil, fmt.Errorf("message %s: %d bytes after its end", name, r.Len())
	}
	return number, v.Interface(), nil
}
