package api

import (
	"context"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"

	documents "github.com/quiresearch/quire/docs"
	"github.com/quiresearch/quire/internal/markdown"
	"github.com/quiresearch/quire/problem"
)

// docsFolders are the folders of documents that a node serves.
var docsFolders = []string{"guides", "reference"}

// servedDocument is one document served by the node.
type servedDocument struct {
	Path  string // guides/shop
	Title string
	About string // first sentence of the text
}

// servedDocuments returns the documents ordered by folder and name.
func servedDocuments() ([]servedDocument, error) {
	var found []servedDocument
	for _, folder := range docsFolders {
		names, err := fs.Glob(documents.Files, folder+"/*.md")
		if err != nil {
			return nil, fmt.Errorf("list the documents: %w", err)
		}
		for _, name := range names {
			text, err := documents.Files.ReadFile(name)
			if err != nil {
				return nil, fmt.Errorf("read a document: %w", err)
			}
			found = append(found, servedDocument{strings.TrimSuffix(name, ".md"), markdown.Title(string(text)), firstSentence(string(text))})
		}
	}
	return found, nil
}

// firstSentence returns the first sentence below the title.
func firstSentence(text string) string {
	for block := range strings.SplitSeq(text, "\n\n") {
		block = strings.Join(strings.Fields(block), " ")
		if block == "" || strings.HasPrefix(block, "#") || strings.HasPrefix(block, "<") || strings.HasPrefix(block, "|") {
			continue
		}
		sentence, _, found := strings.Cut(block, ". ")
		if found {
			sentence += "."
		}
		return sentence
	}
	return ""
}

// docsIndex responds with the list of documents as a page.
func (a *API) docsIndex(context.Context, *Request) (*Response, error) {
	all, err := servedDocuments()
	if err != nil {
		return nil, err
	}
	var list strings.Builder
	list.WriteString("# Quire\n\n- [The interface](/q/docs): every operation with examples\n- [OpenAPI](/q/openapi) for machines\n- [The console](/console/)\n")
	folder := ""
	for _, one := range all {
		if before, _, _ := strings.Cut(one.Path, "/"); before != folder {
			folder = before
			list.WriteString("\n## " + strings.ToUpper(folder[:1]) + folder[1:] + "\n\n")
		}
		fmt.Fprintf(&list, "- [%s](/q/docs/%s): %s\n", one.Title, one.Path, one.About)
	}
	return docsHTML("Quire", markdown.HTML(list.String(), func(address string) string { return address }))
}

// docsList responds with the list of documents as llms.txt, the entry point for
// language models.
func (a *API) docsList(context.Context, *Request) (*Response, error) {
	all, err := servedDocuments()
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	out.WriteString("# Quire\n\n> A search service in one static binary: JSON documents in named indexes, and full-text, filtered, faceted, nested, vector and " +
		"fused searches over them.\n\n## Interface\n\n- [OpenAPI](/q/openapi.json): every operation, body and error code\n\n## Documents\n\n")
	for _, one := range all {
		fmt.Fprintf(&out, "- [%s](/q/docs/%s.md): %s\n", one.Title, one.Path, one.About)
	}
	return docsText(out.String()), nil
}

func docsText(text string) *Response {
	return &Response{Status: http.StatusOK, JSON: []byte(text), ContentType: "text/markdown; charset=utf-8"}
}

// pictureTypes maps file extensions of pictures to content types.
var pictureTypes = map[string]string{".png": "image/png", ".svg": "image/svg+xml"}

// docsDocument responds with one document: NAME as a page, NAME.md as Markdown,
// or one of the pictures they show.
func (a *API) docsDocument(_ context.Context, r *Request) (*Response, error) {
	folder, name := r.Param("folder"), r.Param("page")
	if kind := pictureTypes[path.Ext(name)]; kind != "" {
		picture, err := documents.Files.ReadFile(folder + "/" + name)
		if err != nil {
			return nil, problem.RequestNotFound.New()
		}
		return (&Response{Status: http.StatusOK, JSON: picture, ContentType: kind}).With("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"), nil
	}
	base := strings.TrimSuffix(name, ".md")
	text, err := documents.Files.ReadFile(folder + "/" + base + ".md")
	if err != nil {
		return nil, problem.RequestNotFound.New()
	}
	if base != name {
		return docsText(string(text)), nil
	}
	return docsHTML(markdown.Title(string(text)), markdown.HTML(string(text), func(address string) string { return docsLink(folder, address) }))
}

// docsLink converts a link in a document of a folder to a path on this node.
// Links to files that the node does not serve, such as code, lead to the list
// of documents.
func docsLink(folder, address string) string {
	if strings.Contains(address, "://") || strings.HasPrefix(address, "/") || strings.HasPrefix(address, "#") {
		return address
	}
	target, anchor, hasAnchor := strings.Cut(address, "#")
	file := path.Join(folder, target)
	if _, err := fs.Stat(documents.Files, file); err != nil {
		return "/q/docs/"
	}
	file = "/q/docs/" + strings.TrimSuffix(file, ".md")
	if hasAnchor {
		file += "#" + anchor
	}
	return file
}

const docsStyle = `body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:0 auto;padding:1rem;color:#1d2430;background:#fff}
pre{background:#f4f6f9;padding:.75rem;overflow-x:auto}code{font-family:ui-monospace,monospace;font-size:.9em}
table{border-collapse:collapse;display:block;overflow-x:auto}th,td{border:1px solid #d5dbe5;padding:.3rem .6rem;text-align:left;vertical-align:top}
img{max-width:100%}a{color:#0b57b0}@media(prefers-color-scheme:dark){body{color:#e5e9f0;background:#14181f}pre{background:#1f2530}th,td{border-color:#3a4453}a{color:#7ab7ff}}`

var docsFrame = template.Must(template.New("document").Parse(
	`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
		`<title>{{.Title}} · Quire</title><style>{{.Style}}</style></head><body><nav><a href="/q/docs/">Documents</a></nav>{{.Body}}</body></html>`))

// docsHTML responds with a page that loads only pictures of the node and runs
// no script.
func docsHTML(title, body string) (*Response, error) {
	var page strings.Builder
	err := docsFrame.Execute(&page, struct {
		Title string
		Style template.CSS
		Body  template.HTML
	}{title, docsStyle, template.HTML(body)}) // generated by markdown, which escapes everything
	if err != nil {
		return nil, fmt.Errorf("render a document: %w", err)
	}
	response := &Response{Status: http.StatusOK, JSON: []byte(page.String()), ContentType: "text/html; charset=utf-8"}
	return response.With("Content-Security-Policy", docsPolicy(response.JSON)+"; img-src 'self'"), nil
}
