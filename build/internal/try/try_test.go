package try

import (
	"errors"
	"testing"
)

// An error from below comes out as it is, work without one goes on, and other panics pass.
func TestCatch(t *testing.T) {
	broken := errors.New("broken")
	work := func(below error) (done bool, err error) {
		defer Catch(&err)
		Check(nil)
		return To(true, below), nil
	}
	if done, err := work(nil); !done || err != nil {
		t.Errorf("without an error: %v, %v", done, err)
	}
	if done, err := work(broken); done || err != broken {
		t.Errorf("%v, %v: want %v", done, err, broken)
	}
	defer func() {
		if x := recover(); x != "a mistake" {
			t.Errorf("%v, want the panic to pass", x)
		}
	}()
	func() (err error) {
		defer Catch(&err)
		panic("a mistake")
	}()
	t.Error("the panic did not pass")
}
