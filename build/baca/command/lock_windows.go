package command

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockOutput takes the lock on a file that is open for writing, which ends with the process. If
// another process has it, the error is errLocked; Windows does not tell which. A file
// system without locks is no error.
func lockOutput(f *os.File) (holder int, err error) {
	// Others cannot read what is locked, so it is a byte far behind the end.
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err = windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return 0, errLocked
	}
	return 0, nil
}
