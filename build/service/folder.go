package service

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"baca/weights"
)

// An offered model is a file in the offered folder.
type offered struct {
	Summary
	path string
}

// Offer adds the models of a folder, each by the name of its file without .msgpack. It loads all of them once, so that a
// damaged file is found before the first question. Questions never become paths.
func (s *Service) Offer(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".msgpack")
		path := filepath.Join(dir, e.Name())
		if info, err := os.Stat(path); !ok || err == nil && !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		m, err := weights.Load(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if slices.ContainsFunc(s.names(), func(other string) bool { return strings.EqualFold(other, name) }) {
			return fmt.Errorf("%s: there is another model %s: rename the file", path, name)
		}
		s.folder = append(s.folder, offered{summary(m, name, Sum(data)), path})
	}
	if s.folder == nil {
		return fmt.Errorf("%s: want model files, NAME.msgpack, and there are none", dir)
	}
	return nil
}

// names lists the built-in models and those of the folder.
func (s *Service) names() []string {
	list := weights.Names()
	for _, o := range s.folder {
		list = append(list, o.Name)
	}
	return list
}

// file returns the bytes of the file of a model by name. It fails with [ErrUnknown] if no model has the name, and if a
// file of the folder has changed since the start.
func (s *Service) file(name string) ([]byte, error) {
	data, err := weights.Bytes(name)
	if !errors.Is(err, ErrUnknown) {
		return data, err
	}
	i := slices.IndexFunc(s.folder, func(o offered) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		return nil, fmt.Errorf("%w %q: want one of %s", ErrUnknown, name, strings.Join(s.names(), ", "))
	}
	o := s.folder[i]
	if data, err = os.ReadFile(o.path); err != nil || Sum(data) != o.SHA256 {
		return nil, fmt.Errorf("the file of model %s has changed or gone since the server started", o.Name)
	}
	return data, nil
}

// Models describes the built-in models, and then the folder's.
func (s *Service) Models() ([]Summary, error) {
	list := []Summary{}
	for _, name := range weights.Names() {
		file, err := weights.Bytes(name)
		if err != nil {
			return nil, err
		}
		m, err := weights.Load(file)
		if err != nil {
			return nil, fmt.Errorf("model %s: %w", name, err)
		}
		list = append(list, summary(m, name, Sum(file)))
	}
	for _, o := range s.folder {
		list = append(list, o.Summary)
	}
	return list, nil
}
