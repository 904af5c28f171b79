package main

import (
	"syscall/js"

	"baca/wasm/message"
)

// A thread is a dedicated worker that the script page.js has started.
type thread struct {
	port          js.Value
	receive, died js.Func
}

// spawn starts a worker. It implements message.Spawn.
func spawn(receive func([]byte), died func(string)) message.Port {
	w := &thread{
		receive: js.FuncOf(func(_ js.Value, args []js.Value) any {
			data := make([]byte, args[0].Get("byteLength").Int())
			js.CopyBytesToGo(data, args[0])
			receive(data)
			return nil
		}),
		died: js.FuncOf(func(_ js.Value, args []js.Value) any {
			died(args[0].String())
			return nil
		}),
	}
	w.port = js.Global().Get("baca").Call("spawn", w.receive, w.died)
	return w
}

// Post implements message.Port. The bytes are copied out of this program's memory,
// and the copy then moves to the worker.
func (w *thread) Post(data []byte) {
	array := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	buffer := array.Get("buffer")
	w.port.Call("postMessage", buffer, []any{buffer})
}

// Terminate implements message.Port.
func (w *thread) Terminate() {
	w.port.Call("terminate")
	w.receive.Release()
	w.died.Release()
}
