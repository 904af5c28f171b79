package message

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/vmihailenco/msgpack/v5"

	"baca/algo/table"
)

// fill gives every field of a value something else than its zero.
func fill(v reflect.Value, n *int) {
	*n++
	if v.Type() == reflect.TypeFor[Columns]() {
		v.Set(reflect.ValueOf(Columns{{Name: "a", Kind: table.NumberLists, Texts: []string{}, Numbers: nil, NumberLists: [][]float64{{1}, {2, 3}}}}))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		fill(v.Elem(), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), n)
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.String:
		v.SetString(strings.Repeat("é", *n%5) + "x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64, reflect.Float32:
		v.SetFloat(float64(*n) + 0.5)
	case reflect.Int, reflect.Int32:
		v.SetInt(int64(-*n))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(*n % 200))
	default:
		panic(v.Kind())
	}
}

func TestEveryMessageComesBack(t *testing.T) {
	if len(kinds) < 25 {
		t.Fatalf("%d kinds of message", len(kinds))
	}
	for name, kind := range kinds {
		for _, full := range []bool{false, true} {
			want := reflect.New(kind)
			if full {
				fill(want, new(int))
			}
			if got := there(t, want.Interface()); !reflect.DeepEqual(got, want.Interface()) {
				t.Errorf("%s: got %+v, want %+v", name, got, want.Interface())
			}
		}
		p := reflect.New(kind).Interface()
		_, request := p.(Request)
		_, event := p.(Event)
		_, reply := p.(Reply)
		if n := map[bool]int{true: 1}; n[request]+n[event]+n[reply] != 1 {
			t.Errorf("%s is a request %v, an event %v, a reply %v; want one of them", name, request, event, reply)
		}
	}
}

// written is a message as it is sent, and there one as it arrives.
func written(t testing.TB, number uint32, m any) []byte {
	t.Helper()
	data, err := Encode(number, m)
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	return data
}

func there(t *testing.T, m any) any {
	t.Helper()
	number, got, err := Decode(written(t, 1234567, m))
	if err != nil || number != 1234567 {
		t.Fatalf("%T: number %d, error %v", m, number, err)
	}
	return got
}

func orNone[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

func TestColumns(t *testing.T) {
	want := Columns{
		table.TextColumn("id", []string{"a", "", "日本"}), table.NumberColumn("s_pre", []float64{math.Inf(1), math.Copysign(0, -1), 1e-300}),
		{Name: "duplicate", Kind: table.Truths, Numbers: []float64{0, 1, 1}},
		{Name: "reasons", Kind: table.TextLists, TextLists: [][]string{{"x", ""}, nil, {}}},
		{Name: "atoms", Kind: table.NumberLists, NumberLists: [][]float64{nil, {1, 2}, {}}},
	}
	for i, c := range there(t, &Rows{From: 3, Rows: want, Known: []byte{0, 1, 0}}).(*Rows).Rows {
		// An empty list of another kind is as good as none.
		c = table.Column{Name: c.Name, Kind: c.Kind, Texts: orNone(c.Texts), Numbers: orNone(c.Numbers), TextLists: c.TextLists, NumberLists: c.NumberLists}
		if !reflect.DeepEqual(c, want[i]) {
			t.Errorf("got %+v, want %+v", c, want[i])
		}
	}
	uneven := written(t, 0, &Part{Rows: Columns{want[0], table.NumberColumn("score", []float64{1})}})
	if _, _, err := Decode(uneven); err == nil || !strings.Contains(err.Error(), `column "score" of 1 rows: want as many as the first, 3`) {
		t.Errorf("columns of 3 rows and 1: %v", err)
	}
	nan := &Iteration{AUC: math.NaN(), KL: math.NaN()}
	if got := there(t, nan).(*Iteration); !math.IsNaN(got.AUC) || !math.IsNaN(got.KL) {
		t.Errorf("got %+v, want NaN", got)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for _, m := range []any{nil, Hello{}, &struct{}{}, "text", new(int), &Columns{}} {
		if _, err := Encode(1, m); err == nil {
			t.Errorf("%T is encoded", m)
		}
	}
}

// encoded is a message put together by hand.
func encoded(t testing.TB, parts ...any) []byte {
	t.Helper()
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.UseCompactInts(true)
	e.EncodeArrayLen(len(parts))
	for _, p := range parts {
		if err := e.Encode(p); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func TestDecodeRefuses(t *testing.T) {
	type m map[string]any
	for name, data := range map[string][]byte{
		"nothing":        nil,
		"no array":       {0xc0},
		"too few parts":  encoded(t, Version, 1, "Hello"),
		"too many parts": encoded(t, Version, 1, "Hello", m{}, 1),
		"no number":      encoded(t, Version, "one", "Hello", m{}),
		"unknown kind":   encoded(t, Version, 1, "Columns", m{}),
		"unknown field":  encoded(t, Version, 1, "Detail", m{"Nonsense": 1}),
		"wrong type":     encoded(t, Version, 1, "Detail", m{"Record": "one"}),
		"data behind":    append(encoded(t, Version, 1, "Hello", m{}), 0),
		"half a float":   encoded(t, Version, 1, "Reference", m{"Score": make([]byte, 12)}),
		"half an int":    encoded(t, Version, 1, "Parted", m{"Inside": make([]byte, 3)}),
		// Five bytes that ask for gigabytes.
		"a bin of 4 GB":       append(encoded(t, Version, 1, "Exported")[:0], 0x94, Version, 1, 0xa8, 'E', 'x', 'p', 'o', 'r', 't', 'e', 'd', 0x81, 0xa4, 'D', 'a', 't', 'a', 0xc6, 255, 255, 255, 255),
		"a list of 4 billion": {0x94, 1, 1, 0xa7, 'W', 'e', 'l', 'c', 'o', 'm', 'e', 0x81, 0xa6, 'M', 'o', 'd', 'e', 'l', 's', 0xdd, 255, 255, 255, 255},
	} {
		if _, got, err := Decode(data); err == nil {
			t.Errorf("%s: decoded as %+v", name, got)
		}
	}
	if _, _, err := Decode(encoded(t, Version+1, 1, "Hello", m{})); !errors.Is(err, ErrVersion) {
		t.Errorf("another version: error %v, want ErrVersion", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, kind := range kinds {
		v := reflect.New(kind)
		fill(v, new(int))
		f.Add(written(f, 7, v.Interface()))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, m, err := Decode(data); err == nil {
			there(t, m)
		}
	})
}
