package worker

import (
	"syscall/js"

	"baca/wasm/message"
)

// A thread is a worker started by thread.js.
type thread struct {
	port          js.Value
	receive, died js.Func
}

// Spawn starts a worker, from the page or from another worker. It implements
// message.Spawn.
func Spawn(receive func([]byte), died func(string)) message.Port {
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

// Post copies the bytes out of this program's memory and transfers the copy.
func (w *thread) Post(data []byte, file int) {
	array := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	w.port.Call("post", array.Get("buffer"), file)
}

// Terminate implements message.Port.
func (w *thread) Terminate() {
	w.port.Call("terminate")
	w.receive.Release()
	w.died.Release()
}
