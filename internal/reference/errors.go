package reference

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/quiresearch/quire/internal/api"
	"github.com/quiresearch/quire/problem"
)

// errorExample is an error that the page of error codes shows with its
// response.
type errorExample struct {
	title string
	err   error
}

var errorExamples = []errorExample{
	{"A name that the search does not know",
		problem.SearchFieldUnknown.At(problem.At("filters[0].field"), "name", "pirce").AmongNames("pirce", "id", "price", "title")},
	{"Two problems in one document", problem.Problems{
		problem.DocumentFieldUnknown.At(problem.At("documents[0].titel"), "name", "titel", "position", 0, "processed", 0).AmongNames("titel", "title"),
		problem.DocumentTimestampValueInvalid.At(problem.At("documents[0].added"), "name", "added", "value", `"2026-02-01"`, "position", 0, "processed", 0)}},
	{"A body that is not JSON",
		problem.RequestBodyMalformed.New("reason", "there is a comma before the closing ]", "line", 3, "column", 1)},
	{"No credential", problem.AuthUnauthenticated.New()},
}

func (p *page) example(e errorExample) {
	status, body, err := api.ErrorAnswer(e.err)
	var indented bytes.Buffer
	if err == nil {
		err = json.Indent(&indented, body, "", "  ")
	}
	if err != nil {
		panic("reference: " + err.Error()) // the bodies of errors are always JSON
	}
	fmt.Fprintf(p, "%s, status %d:\n\n```json\n%s\n```\n\n", e.title, status, indented.String())
}
