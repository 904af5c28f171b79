//go:build !unix

package smiles

import "time"

// start is when the program began.
var start = time.Now()

// cpuTime is the time on the wall where that of the processor is not known.
func cpuTime() time.Duration { return time.Since(start) }
