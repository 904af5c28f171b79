//go:build !page

package web

import (
	"errors"
	"io/fs"
)

// Site returns the files of the built page, for package site. This program was
// built without them.
func Site() (fs.FS, error) {
	return nil, errors.New("this program was built without the page: `make build` builds it with the page")
}
