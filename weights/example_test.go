package weights_test

import (
	"errors"
	"fmt"

	"baca/weights"
)

func ExampleLoad() {
	_, err := weights.Load([]byte("CCO ethanol\n"))
	fmt.Println(errors.Is(err, weights.ErrMagic))
	fmt.Println(err)
	// Output:
	// true
	// not a BaCa file: it starts with "CCO etha", want "\x89BaCa\r\n\x1a"
}
