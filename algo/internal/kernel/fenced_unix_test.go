//go:build unix

package kernel

import (
	"os"
	"syscall"

	"baca/algo/internal/must"
)

var fences [][]byte

// fenced is n bytes of memory, the i-th one in use, after or before a page that cannot be read.
func fenced(i, n int, atStart bool) []byte {
	page := os.Getpagesize()
	for len(fences) <= i {
		fences = append(fences, nil)
	}
	if len(fences[i]) < n {
		room := (n + page - 1) / page * page
		m, err := syscall.Mmap(-1, 0, room+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			panic(err)
		}
		for _, fence := range [][]byte{m[:page], m[page+room:]} {
			must.Do(syscall.Mprotect(fence, syscall.PROT_NONE))
		}
		fences[i] = m[page : page+room]
	}
	m := fences[i]
	if atStart {
		return m[:n]
	}
	return m[len(m)-n:]
}
