package job

import "testing"

func TestModelName(t *testing.T) {
	for file, want := range map[string]string{
		"bbbp.csv.gz": "bbbp", "PTC_MR": "ptc_mr", "BZR.zip": "bzr", "a.b.smi": "a.b", "IMDB-MULTI": "imdb-multi", "Mine.smi.zst": "mine",
	} {
		if got := ModelName(file); got != want {
			t.Errorf("ModelName(%q) = %q, want %q", file, got, want)
		}
	}
}
