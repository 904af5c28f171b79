//go:build page

package web

import (
	"embed"
	"io/fs"
)

// What build/tools/page has made.
//
//go:embed all:site
var site embed.FS

// Site returns the files of the built page, for package site.
func Site() (fs.FS, error) { return fs.Sub(site, "site") }
