// Package console serves the web console of a node: a page at /console/ and its
// modules, styles and icons.
//
// The files are embedded as they are written; nothing is built. They are
// compressed once, when the console is created, and have ETags. The console
// uses only the public API, so this package knows nothing of indexes or keys:
// requests for anything but the files go to the next handler.
//
// A Console never changes and may be used by any number of goroutines.
package console

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/quiresearch/quire/internal/demo"
)

// Path is the path of the console.
const Path = "/console/"

const documentsPath = Path + "demo/documents.ndjson"

//go:embed files/*.* files/lib/*.js files/rooms/*.js files/vendor/*.js files/vendor/*.css files/vendor/*.txt
var embedded embed.FS

// policy lets a page load only what this node serves: no inline script, no
// script created from text, nothing from or to another host, and no framing.
// Styles set through the DOM need no exception.
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Console serves its files and passes all other requests on.
type Console struct {
	files     map[string]*file // by path
	documents func() (*file, error)
	next      http.Handler
	bounded   func(http.Handler) http.Handler
}

type file struct {
	contentType string
	etag        string
	plain       []byte
	gzip        []byte
}

// New returns a console in front of the handler of the API. bounded wraps a handler so
// that it gives up on slow clients; the files are served through it.
func New(next http.Handler, bounded func(http.Handler) http.Handler) (*Console, error) {
	c := &Console{files: make(map[string]*file), next: next, bounded: bounded}
	err := fs.WalkDir(embedded, "files", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := embedded.ReadFile(name)
		if err != nil {
			return err
		}
		return c.add(strings.TrimPrefix(name, "files/"), content)
	})
	if err != nil {
		return nil, fmt.Errorf("read the console: %w", err)
	}
	c.files[Path] = c.files[Path+"index.html"]
	for name, content := range map[string][]byte{"demo/definition.json": demo.Definition, "demo/settings.json": demo.Settings} {
		if err := c.add(name, content); err != nil {
			return nil, err
		}
	}
	// The catalogue offered by an empty node is generated when a client requests
	// it.
	c.documents = sync.OnceValues(func() (*file, error) {
		lines, err := demo.Lines()
		if err != nil {
			return nil, err
		}
		return newFile(documentsPath, lines)
	})
	return c, nil
}

var contentTypes = map[string]string{
	".html":   "text/html; charset=utf-8",
	".js":     "text/javascript; charset=utf-8",
	".css":    "text/css; charset=utf-8",
	".svg":    "image/svg+xml",
	".txt":    "text/plain; charset=utf-8",
	".json":   "application/json",
	".ndjson": "application/x-ndjson",
}

func (c *Console) add(name string, content []byte) (err error) {
	c.files[Path+name], err = newFile(name, content)
	return err
}

func newFile(name string, content []byte) (*file, error) {
	contentType := contentTypes[path.Ext(name)]
	if contentType == "" {
		return nil, fmt.Errorf("%s: no content type is known for it", name)
	}
	var compressed bytes.Buffer
	writer, err := gzip.NewWriterLevel(&compressed, gzip.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := writer.Write(content); err != nil {
		return nil, err
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	digest := sha256.Sum256(content)
	return &file{
		contentType: contentType, etag: `"` + hex.EncodeToString(digest[:12]) + `"`, plain: content, gzip: compressed.Bytes(),
	}, nil
}

// ServeHTTP answers one request.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if serve := c.find(r); serve != nil {
		c.bounded(serve).ServeHTTP(w, r)
		return
	}
	c.next.ServeHTTP(w, r)
}

// find returns the handler of a request, or nil if the console does not serve it.
func (c *Console) find(r *http.Request) http.HandlerFunc {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}
	requested := r.URL.Path
	switch {
	case requested == "/" && acceptsHTML(r), requested == strings.TrimSuffix(Path, "/"):
		return redirect
	case c.files[requested] != nil:
		return c.files[requested].serve
	case requested == documentsPath:
		return c.serveDocuments
	}
	return nil
}

func redirect(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, Path, http.StatusFound)
}

func (c *Console) serveDocuments(w http.ResponseWriter, r *http.Request) {
	f, err := c.documents()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	f.serve(w, r)
}

// acceptsHTML reports whether the request comes from a browser: programs that
// accept anything do not name HTML.
func acceptsHTML(r *http.Request) bool {
	for _, value := range r.Header.Values("Accept") {
		if strings.Contains(value, "text/html") {
			return true
		}
	}
	return false
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cross-Origin-Resource-Policy", "same-origin")
	header.Set("Cache-Control", "no-cache")
	header.Set("Vary", "Accept-Encoding")
	header.Set("ETag", f.etag)
	if names(r.Header.Get("If-None-Match"), f.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := f.plain
	if acceptsGzip(r) {
		content = f.gzip
		header.Set("Content-Encoding", "gzip")
	}
	header.Set("Content-Type", f.contentType)
	header.Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodGet {
		_, _ = w.Write(content) // a client that left needs no response
	}
}

// names reports whether an If-None-Match header matches an ETag.
func names(header, etag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == etag || candidate == "*" {
			return true
		}
	}
	return false
}

func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		coding, parameters, _ := strings.Cut(strings.TrimSpace(part), ";")
		if coding == "gzip" && strings.TrimSpace(parameters) != "q=0" {
			return true
		}
	}
	return false
}
