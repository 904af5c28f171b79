//go:build unix

package suite

import (
	"syscall"
	"time"
)

// cpuTime is how long the processor has worked for this program. On a machine that
// others use too it says more than the clock on the wall.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
