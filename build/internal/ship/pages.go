package ship

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// link is one of Markdown, to a file beside the page or to a section of one.
var link = regexp.MustCompile(`!?\[([^\]]*)\]\(([^)\s:#]+)(#[^)\s]*)?\)`)

// Unlink makes text of links from a page of the repository to its other files, except to those that are there. It asks of each by its
// path from the root.
func Unlink(root, name string, page []byte, there func(file string) bool) []byte {
	return link.ReplaceAllFunc(page, func(found []byte) []byte {
		parts := link.FindSubmatch(found)
		file := path.Join(path.Dir(name), string(parts[2]))
		if _, err := os.Stat(filepath.Join(root, file)); err != nil || there(file) { // [C@H](C) is no link
			return found
		}
		return parts[1]
	})
}

// Documents are pages of the repository and what they link to: pages, pictures and small tables. Links to all else become text.
func Documents(root string, pages ...string) (files []File, err error) {
	names := map[string]bool{}
	read := func(name string) (f File) {
		names[name] = true
		if f, err = Read(name, filepath.Join(root, name), 0o644); err == nil {
			files = append(files, f)
		}
		return f
	}
	for _, name := range pages {
		if read(name); err != nil {
			return nil, err
		}
	}
	for _, f := range files {
		Unlink(root, f.Name, f.Data, func(file string) bool {
			switch path.Ext(file) {
			case ".md", ".png", ".svg", ".tsv", ".txt", ".ipynb":
				if !names[file] && err == nil {
					read(file)
				}
			}
			return true
		})
	}
	for i, f := range files {
		if path.Ext(f.Name) == ".md" {
			files[i].Data = Unlink(root, f.Name, bytes.ReplaceAll(f.Data, []byte("bin/baca "), []byte("baca ")), func(file string) bool { return names[file] || file == "LICENSE" })
		}
	}
	return files, err
}
