package domain_test

import (
	"strings"
	"testing"

	"baca/algo/alone"
	"baca/algo/feature/domain"
	"baca/algo/internal/must"
	"baca/algo/training/trainingtest"
)

// A link names a file in one folder and nothing else.
func TestLinkNames(t *testing.T) {
	for name, want := range map[string]string{
		"esol": "esol", "My Model (v2)": "my-model-v2", "../../etc/passwd": "etc-passwd", "//evil.example/x": "evil-example-x",
		"a--b": "a-b", "Łódź": "d", "": "", "...": "", "%2e%2e": "2e-2e", strings.Repeat("ab-", 30): strings.Repeat("ab-", 13) + "a",
	} {
		got := domain.LinkName(name)
		if got != want || domain.LinkName(got) != got {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
		if path, err := domain.CardPath(name); (err == nil) != (name == want && name != "") || err == nil && path != "domains/"+name+".json" {
			t.Errorf("the card of %q: %q, %v", name, path, err)
		}
	}
}

// What is published is read again. A card that is not of this form is refused.
func TestPublish(t *testing.T) {
	s := must.Have(alone.New(t.Context(), trainingtest.Model(), 1))
	sum := strings.Repeat("0123456789abcdef", 4)
	publish := func(date string) ([]domain.File, error) {
		return domain.Publish(s, []byte("the model"), sum, date, "baca")
	}
	files := must.Have(publish("2026-11-29"))
	date, hash, path, err := domain.ReadCard("a", files[0].Data)
	if files[0].Path != "domains/a.json" || files[1].Path != "domains/a.html" || string(files[2].Data) != "the model" ||
		err != nil || date != "2026-11-29" || hash != sum || path != files[2].Path || path != "domains/a.0123456789abcdef.msgpack" {
		t.Errorf("%q is read as %s, %s, %s: %v", files[0].Data, date, hash, path, err)
	}
	if _, err := publish("29.11.2026"); err == nil || !strings.Contains(err.Error(), "29.11.2026") {
		t.Errorf("%v", err)
	}
	text := string(files[0].Data)
	for _, bad := range []string{"", "[]", "null", strings.Replace(text, sum, sum[1:], 1), strings.Replace(text, sum, strings.Repeat("../", 21)+"a", 1),
		strings.Replace(text, "2026-11-29", "today", 1), strings.Replace(text, "baca domain 1", "baca domain 2", 1)} {
		if _, _, _, err := domain.ReadCard("a", []byte(bad)); err == nil || !strings.Contains(err.Error(), "its card is no") {
			t.Errorf("%.60q: %v", bad, err)
		}
	}
}
