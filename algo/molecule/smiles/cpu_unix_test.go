//go:build unix

package smiles

import (
	"syscall"
	"time"
)

// cpuTime is how long the processor has worked for this program, which other programs
// on the machine change less than the clock on the wall.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
