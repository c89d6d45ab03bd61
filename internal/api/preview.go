package api

import (
	"context"
	"strings"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// preview is a search with settings that are not stored.
type preview struct {
	*query.Search
	settings *settings.Settings
	problems error // of the settings alone; a generation may add more
}

// previewSettings runs a search with other settings. It stores nothing.
func (a *API) previewSettings(ctx context.Context, r *Request) (*Response, error) {
	if err := r.Principal.CheckIndex(auth.Search, r.Param("name")); err != nil {
		return nil, err
	}
	return answerSearch(ctx, a, r, readPreview, func(ctx context.Context, view search.View, p preview) (*query.Answer, error) {
		var found problem.List
		found.Add(p.problems)
		found.Add(under("settings", p.settings.Validate(view.Schema)))
		if err := found.Err(); err != nil {
			return nil, err
		}
		view.Settings, view.IsPreview = p.settings, true
		answer, err := a.searcher.Run(ctx, view, p.Search)
		return answer, under("search", err)
	})
}

// readPreview parses settings and a search, each as its own operation does.
func readPreview(body []byte, limits query.Limits) (preview, error) {
	var (
		found  problem.List
		given  preview
		wanted = []byte("{}")
		asked  = []byte("{}")
	)
	value, ok := jsonread.Parse(body, &found)
	if !ok {
		return given, found.Err()
	}
	value.Members(func(name string, member jsonread.Value) bool {
		switch {
		case name == "settings" && !member.IsNull():
			wanted = member.Raw()
		case name == "search" && !member.IsNull():
			asked = member.Raw()
		}
		return name == "settings" || name == "search"
	})
	decoded, err := settings.Decode(wanted)
	if given.settings, given.problems = decoded, under("settings", err); decoded == nil {
		found.Add(given.problems)
	}
	given.Search, err = query.DecodeSearch(asked, limits)
	found.Add(under("search", err))
	return given, found.Err()
}

// under moves the paths of problems below a member of a body. A problem without
// a path concerns the member as a whole, or nothing in the body.
func under(member string, err error) error {
	for _, p := range problem.All(err) {
		if p.Path != "" || strings.HasPrefix(p.Code.Name(), "request:") {
			p.Path = problem.At(member).Append(p.Path).String()
		}
	}
	return err
}
