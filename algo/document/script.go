package document

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
)

// loader unpacks and runs the script.
const loader = `
const packed = Uint8Array.from(atob(document.getElementById("script").textContent), (c) => c.charCodeAt(0));
const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
new Response(stream).text().then((text) => {
  const script = document.createElement("script");
  script.textContent = text;
  document.body.append(script);
});
`

// scriptPolicy returns the part of a content security policy that allows the loader and the script by hash.
func scriptPolicy(script []byte) string {
	if script == nil {
		return ""
	}
	hash := func(text []byte) string {
		sum := sha256.Sum256(text)
		return base64.StdEncoding.EncodeToString(sum[:])
	}
	return fmt.Sprintf("; script-src 'sha256-%s' 'sha256-%s'", hash([]byte(loader)), hash(script))
}

// script embeds the packed script at the end of the page. It may be nil.
func (p *Page) script(script []byte) {
	if script == nil {
		return
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is a constant
	}
	w.Write(script)
	w.Close()
	p.Add("<script type=\"text/plain\" id=\"script\">%s</script>\n<script>%s</script>\n", base64.StdEncoding.EncodeToString(b.Bytes()), loader)
}
