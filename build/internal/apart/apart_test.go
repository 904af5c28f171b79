package apart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"baca/build/internal/try"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	try.Check(os.Mkdir(at("folder"), 0o777))
	for _, name := range []string{"a", "b"} {
		try.Check(os.WriteFile(at(name), nil, 0o666))
	}
	try.Check(os.Link(at("a"), at("hard")))
	try.Check(os.Symlink("a", at("soft")))
	try.Check(os.Symlink("folder", at("other")))
	try.Check(os.Symlink("folder/new", at("dangling")))
	try.Check(os.Symlink("circle", at("circle")))
	stream := try.To(os.Open(at("a")))
	defer stream.Close()
	t.Chdir(dir)
	file := func(name string) File { return File{Role: "--out", Name: name} }
	for _, c := range []struct {
		reads, writes []File
		want          string // part of the error, or empty
	}{
		{[]File{{Role: "the input", Name: "a"}}, []File{file("b"), file("new"), file("")}, ""},
		{[]File{{Role: "the input", Name: "a"}}, []File{file("b"), file("./a")}, "--out ./a is the input a: want another file"},
		{[]File{{Role: "the input", Name: at("a")}}, []File{file("folder/../a")}, "is the input"},
		{[]File{{Role: "the input", Name: "a"}}, []File{file("hard")}, "--out hard is the input a"},
		{[]File{{Role: "the input", Name: "soft"}}, []File{file("hard")}, "is the input"},
		{[]File{{Role: "the input", Name: "a"}, {Role: "the input", Name: "a"}}, []File{file("b")}, ""},
		{[]File{{Role: "the input", Name: "a"}}, []File{{Role: "standard output", Stream: stream}}, "standard output is the input a: want"},
		{[]File{{Role: "standard input", Stream: stream}}, []File{file("soft")}, "--out soft is standard input: want"},
		{nil, []File{file("new"), {Role: "--rejects", Name: "folder/../new"}}, "--rejects folder/../new is --out new"},
		{nil, []File{file("folder/new"), {Role: "--rejects", Name: "other/new"}}, "--rejects other/new is --out folder/new"},
		{nil, []File{file("folder/new"), {Role: "--rejects", Name: "dangling"}}, "is --out"},
		{nil, []File{file("nowhere/new"), {Role: "--rejects", Name: "./nowhere/new"}}, "is --out"},
		{nil, []File{file("new"), {Role: "--rejects", Name: "folder/new"}, {Role: "--plot", Name: "circle"}}, ""},
		{nil, []File{file(os.DevNull), {Role: "--rejects", Name: os.DevNull}}, ""},
	} {
		err := Check(c.reads, c.writes)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v: %v, want %q", c.reads, c.writes, err, c.want)
		}
	}
}
