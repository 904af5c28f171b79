package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"baca/build/internal/try"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"baca-paper": main}) }

// $DATA is the folder of public data beside the repository, which the condition [data]
// tells to be there.
func TestScripts(t *testing.T) {
	data := try.To(filepath.Abs("../../../shared/data"))
	_, missing := os.Stat(data)
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", data)
			return nil
		},
		Condition: func(c string) (bool, error) {
			if c == "data" {
				return missing == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", c)
		},
	})
}
