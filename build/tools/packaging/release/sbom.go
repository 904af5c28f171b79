package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"baca/algo"
	"baca/build/internal/ship"
	"baca/build/internal/try"
)

// A bom is a CycloneDX document. It says what the command and the page in it are made of.
type bom struct {
	Format      string `json:"bomFormat"`
	SpecVersion string `json:"specVersion"`
	Version     int    `json:"version"`
	Metadata    struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

type component struct {
	Type        string    `json:"type"`
	Name        string    `json:"name"`
	Version     string    `json:"version,omitempty"`
	Publisher   string    `json:"publisher,omitempty"`
	Description string    `json:"description,omitempty"`
	PURL        string    `json:"purl,omitempty"`
	Hashes      []hash    `json:"hashes,omitempty"`
	Licenses    []licence `json:"licenses,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	Expression string `json:"expression"`
}

// materials returns the document of a release for some systems.
func materials(root string, targets []ship.Program) []byte {
	b := bom{Format: "CycloneDX", SpecVersion: "1.6", Version: 1}
	b.Metadata.Component = component{Type: "application", Name: "baca", Version: algo.Version,
		PURL: "pkg:generic/baca@" + algo.Version, Licenses: []licence{{"MIT"}}}
	version := strings.TrimPrefix(runtime.Version(), "go")
	b.Components = []component{{Type: "library", Name: "Go standard library", Version: version, PURL: "pkg:golang/std@" + version}}
	for _, m := range try.To(ship.Modules(root, append(slices.Clone(targets), pageProgram)...)) {
		b.Components = append(b.Components,
			component{Type: "library", Name: m.Path, Version: m.Version,
				PURL: "pkg:golang/" + m.Path + "@" + m.Version})
	}
	b.Components = append(b.Components, scriptsOf(filepath.Join(root, "web", "package-lock.json"))...)
	b.Components = append(b.Components, sets(string(try.To(os.ReadFile(filepath.Join(root, "weights", "DATA-LICENSES.txt")))))...)
	return append(try.To(json.MarshalIndent(b, "", "  ")), '\n')
}

// sets returns the data sets in the text of DATA-LICENSES.txt.
func sets(text string) (list []component) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if key == "name" {
			list = append(list, component{Type: "data", Name: value})
		}
		if len(list) == 0 {
			continue
		}
		switch c := &list[len(list)-1]; {
		case key == "as":
			c.Description = value
		case key == "by":
			c.Publisher = value
		case key == "licence" && value != "not stated":
			c.Licenses = []licence{{value}}
		}
	}
	return list
}

// scriptsOf returns the packages in a lockfile from which the page is bundled.
func scriptsOf(lock string) (list []component) {
	var locked struct {
		Packages map[string]struct {
			Version, Integrity, License string
			Dev                         bool
		}
	}
	try.Check(json.Unmarshal(try.To(os.ReadFile(lock)), &locked))
	for _, path := range slices.Sorted(maps.Keys(locked.Packages)) {
		p := locked.Packages[path]
		name, found := strings.CutPrefix(path, "node_modules/")
		if !found || p.Dev {
			continue
		}
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
		if err != nil {
			try.Check(fmt.Errorf("%s: the hash of %s: %w", lock, name, err))
		}
		list = append(list, component{
			Type: "library", Name: name, Version: p.Version, PURL: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + p.Version,
			Hashes: []hash{{"SHA-512", hex.EncodeToString(sum)}}, Licenses: []licence{{p.License}},
		})
	}
	return list
}
