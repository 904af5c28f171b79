package worker

import (
	"errors"
	"fmt"
	"io"
	"syscall/js"

	"baca/wasm/message"
	"baca/wasm/worker/engine"
	"baca/wasm/worker/promise"
)

// A blob is a browser's file, read in place as a stream: pieces requested one by one stay in memory
// until garbage collection. It implements [engine.Source].
type blob struct {
	value  js.Value
	reader js.Value // undefined before the first read
	sink   js.Value // consumes what was read
	at     int64    // offset of the next byte
	rest   []byte   // read and not yet returned
}

// File implements engine.Host.
func (h *host) File(number int) (engine.Source, error) {
	value := h.self.Get("baca").Get("files").Call("get", number)
	if !value.Truthy() {
		return nil, errors.New("the file has not come with the message")
	}
	// A message to nobody is freed at once; garbage collection would come after a large file is all in memory.
	channel := h.self.Get("MessageChannel").New()
	channel.Get("port2").Call("close")
	return &blob{value: value, sink: channel.Get("port1")}, nil
}

// Size implements engine.Source.
func (b *blob) Size() int64 { return int64(b.value.Get("size").Float()) }

// ReadAt implements io.ReaderAt.
func (b *blob) ReadAt(p []byte, off int64) (n int, err error) {
	size := b.Size()
	if off < 0 || off >= size {
		return 0, io.EOF
	}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	// The file may be changed or removed after it was chosen.
	const gone = "the browser cannot read the file any more"
	defer caught(&err, gone)
	if off != b.at || b.reader.IsUndefined() {
		b.close()
		b.reader, b.at = b.value.Call("slice", float64(off)).Call("stream").Call("getReader"), off
	}
	for n < len(p) {
		if len(b.rest) == 0 {
			result, err := promise.Await(b.reader.Call("read"))
			switch {
			case err != nil:
				return n, fmt.Errorf("%s: %w", gone, err)
			case result.Get("done").Bool() && b.at < size:
				return n, fmt.Errorf("%s: it ends after %d of %d bytes", gone, b.at, size)
			case result.Get("done").Bool():
				return n, io.EOF
			}
			piece := result.Get("value")
			b.rest = bytesOf(piece)
			b.sink.Call("postMessage", js.Null(), []any{piece.Get("buffer")})
		}
		k := copy(p[n:], b.rest)
		b.rest = b.rest[k:]
		n, b.at = n+k, b.at+int64(k)
	}
	return n, nil
}

func (b *blob) close() {
	if !b.reader.IsUndefined() {
		b.reader.Call("cancel").Call("catch", js.Global().Get("Boolean")) // not awaited
	}
	b.reader, b.rest = js.Undefined(), nil
}

// Zstd returns a reader of decompressed data. The first call loads the decompressor. It implements engine.Host.
func (h *host) Zstd(r io.Reader) (io.Reader, error) {
	if !h.self.Get("bacaZstd").Truthy() {
		if _, err := promise.Await(h.self.Get("baca").Call("run", "web/lib/zstd.js")); err != nil {
			return nil, fmt.Errorf("the part of the page that decompresses zstd cannot be loaded; compress the file by gzip, or unpack it: %w", err)
		}
	}
	return &unpacked{r: r, decoder: h.self.Call("bacaZstd")}, nil
}

// caught, when deferred, converts a script's exception to an error that begins with what. Other panics pass.
func caught(err *error, what string) {
	switch e := recover().(type) {
	case nil:
	case js.Error:
		*err = fmt.Errorf("%s: %s", what, e.Get("message").String())
	default:
		panic(e)
	}
}

// unpacked reads from a script that decompresses.
type unpacked struct {
	r       io.Reader
	decoder js.Value
	in      [2 << 10]byte // few compressed bytes may hold many
	out     []byte
	ended   bool
}

// Read implements io.Reader.
func (u *unpacked) Read(p []byte) (n int, err error) {
	defer caught(&err, "zstd data are damaged")
	for len(u.out) == 0 {
		if u.ended {
			return 0, io.EOF
		}
		k, err := io.ReadFull(u.r, u.in[:])
		u.ended = err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !u.ended {
			return 0, err
		}
		u.out = bytesOf(u.decoder.Call("push", arrayOf(u.in[:k]), u.ended))
	}
	n = copy(p, u.out)
	u.out = u.out[n:]
	return n, nil
}

// Cores implements engine.Host. It returns 1 if the browser does not tell.
func (h *host) Cores() int {
	if n := h.self.Get("navigator").Get("hardwareConcurrency"); n.Type() == js.TypeNumber {
		return n.Int()
	}
	return 1
}

// Spawn implements engine.Host.
func (h *host) Spawn(receive func([]byte), died func(string)) message.Port {
	return Spawn(receive, died)
}
