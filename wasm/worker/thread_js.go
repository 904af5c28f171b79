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

// Spawn starts a worker, from the page or from another worker. receive gets its messages, and died the reason if it
// ends by itself. It implements message.Spawn.
func Spawn(receive func([]byte), died func(string)) message.Port {
	w := &thread{
		receive: js.FuncOf(func(_ js.Value, args []js.Value) any {
			receive(bytesOf(args[0]))
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
	w.port.Call("post", arrayOf(data).Get("buffer"), file)
}

// bytesOf returns a copy of a Uint8Array.
func bytesOf(array js.Value) []byte {
	data := make([]byte, array.Get("byteLength").Int())
	js.CopyBytesToGo(data, array)
	return data
}

// arrayOf returns a Uint8Array with a copy of the data.
func arrayOf(data []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	return array
}

// Terminate implements message.Port.
func (w *thread) Terminate() {
	w.port.Call("terminate")
	w.receive.Release()
	w.died.Release()
}
