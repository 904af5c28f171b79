package promise

import (
	"errors"
	"syscall/js"
)

// Await returns what a promise is fulfilled with, or the reason why it is not.
func Await(promise js.Value) (js.Value, error) {
	type result struct {
		value js.Value
		err   error
	}
	got := make(chan result, 1)
	done := js.FuncOf(func(_ js.Value, args []js.Value) any {
		got <- result{value: args[0]}
		return nil
	})
	defer done.Release()
	failed := js.FuncOf(func(_ js.Value, args []js.Value) any {
		got <- result{err: errors.New(args[0].Get("message").String())}
		return nil
	})
	defer failed.Release()
	promise.Call("then", done, failed)
	r := <-got
	return r.value, r.err
}
