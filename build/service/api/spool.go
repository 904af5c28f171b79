package api

import (
	"bytes"
	"io"
	"net/http"
	"os"
)

// Limits of an answer: in memory, then in a file.
const (
	spoolMemory = 1 << 20
	spoolFile   = 4 << 30
)

// A spool holds an answer until it is complete. So a problem has a status of its own, clients may
// send everything before they read, and a slow one keeps nobody's turn.
type spool struct {
	folder string
	memory bytes.Buffer // precedes the file's content
	file   *os.File
	size   int64 // of the file
}

func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil && s.memory.Len()+len(b) <= spoolMemory {
		return s.memory.Write(b)
	}
	if s.file == nil {
		var err error
		if s.file, err = os.CreateTemp(s.folder, "baca-rows-"); err != nil {
			return 0, err
		}
		os.Remove(s.file.Name()) // where possible, so that it ends with the process
	}
	if s.size += int64(len(b)); s.size > spoolFile {
		return 0, problemf(http.StatusRequestEntityTooLarge, "an answer of more than %d bytes: send fewer records at once", int64(spoolFile))
	}
	return s.file.Write(b)
}

// send sends what was written.
func (s *spool) send(w io.Writer) error {
	if _, err := s.memory.WriteTo(w); err != nil || s.file == nil {
		return err
	}
	_, err := io.Copy(w, io.NewSectionReader(s.file, 0, s.size))
	return err
}

// drop removes the file.
func (s *spool) drop() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
