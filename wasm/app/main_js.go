// Command app is the program of the page. In the tab itself it draws, in the workers that it starts it computes. One
// program for both is a third smaller to load than two, and compiled once.
package main

import (
	"runtime/debug"
	"syscall/js"

	goapp "github.com/maxence-charriere/go-app/v10/pkg/app"

	"baca/app"
	"baca/wasm/message"
	"baca/wasm/worker"
)

func main() {
	if js.Global().Get("document").IsUndefined() {
		worker.RunPage() // does not return
	}
	debug.SetGCPercent(200) // half of the collections, for some megabytes
	app.Mount(message.NewClient(worker.Spawn))
	goapp.RunWhenOnBrowser()
}
