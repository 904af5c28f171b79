//go:build !unix

package suite

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
