// Command view serves a page that build/tools/page has written to a folder, with the
// headers of `baca serve`, for looking at it while it is worked on.
//
//	go run ./build/tools/page -fast -out /tmp/page && go run ./build/tools/e2e/view -dir /tmp/page
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"

	"baca/build/site"
	"baca/weights"
)

func main() {
	dir := flag.String("dir", "web/site", "folder that build/tools/page has written")
	addr := flag.String("addr", "127.0.0.1:8123", "host:port to listen on")
	flag.Parse()
	s, err := site.Open(os.DirFS(*dir), weights.Bytes)
	if err == nil {
		fmt.Fprintf(os.Stderr, "http://%s/\n", *addr)
		err = http.ListenAndServe(*addr, s)
	}
	fmt.Fprintln(os.Stderr, "view:", err)
	os.Exit(1)
}
