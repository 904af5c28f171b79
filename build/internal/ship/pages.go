package ship

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
)

// link matches a link in Markdown to a file beside the page, or to a section of one.
var link = regexp.MustCompile(`!?\[([^\]]*)\]\(([^)\s:#]+)(#[^)\s]*)?\)`)

// Unlink replaces the links of a page to other files of the repository by their text, except to files for which there
// returns true. name and file are paths from the root.
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

// Documents returns pages of the repository, and the pages, pictures and small tables to which these link. In them,
// links to other files of the repository become text, and commands lose the folder bin/.
func Documents(root string, pages ...string) (files []File, err error) {
	names := map[string]bool{}
	read := func(name string) (f File) { // appends a file, or sets err
		names[name] = true
		if f, err = Read(name, filepath.Join(root, name), 0o644); err == nil {
			files = append(files, f)
		}
		return f
	}
	for _, name := range pages {
		read(name)
		if err != nil {
			return nil, err
		}
	}
	for _, f := range files { // pages alone: links of what they link to are not followed
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
