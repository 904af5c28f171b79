// Package spool keeps data until it can be used: in memory, and beyond a limit in a temporary file.
package spool

import (
	"bytes"
	"io"
	"os"
)

// A Spool is written first and read afterwards. It must be closed, even if it was not used.
type Spool struct {
	Memory int    // the most bytes in memory
	Folder string // folder of the file; empty means the system's temporary folder

	size   int64
	memory []byte // everything, until there is a file
	file   *os.File
}

// Write keeps b in memory up to s.Memory bytes in all, and in a temporary file beyond.
func (s *Spool) Write(b []byte) (int, error) {
	if s.file == nil && len(s.memory)+len(b) <= s.Memory {
		s.memory = append(s.memory, b...)
		s.size += int64(len(b))
		return len(b), nil
	}
	if err := s.spill(); err != nil {
		return 0, err
	}
	n, err := s.file.Write(b)
	s.size += int64(n)
	return n, err
}

// spill moves what is in memory to a file. The file has no name if the system allows that, and then ends with the process.
func (s *Spool) spill() (err error) {
	if s.file != nil {
		return nil
	}
	if s.file, err = os.CreateTemp(s.Folder, "baca-"); err != nil {
		return err
	}
	os.Remove(s.file.Name())
	_, err = s.file.Write(s.memory)
	s.memory = nil
	return err
}

// Size returns the number of bytes written.
func (s *Spool) Size() int64 { return s.size }

// ReadAt reads what was written.
func (s *Spool) ReadAt(b []byte, at int64) (int, error) {
	if s.file != nil {
		return s.file.ReadAt(b, at)
	}
	return bytes.NewReader(s.memory).ReadAt(b, at)
}

// Reader returns a reader of everything that was written.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s, 0, s.size) }

// Close closes and removes the file.
func (s *Spool) Close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name()) // if it still has a name
	}
}
