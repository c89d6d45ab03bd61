package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/query"
	"github.com/quiresearch/quire/settings"
)

// timed runs all bodies repeatedly, one after the other, and returns the
// fastest time of each in microseconds.
func timed(c command, ask func(body []byte) error) (any, error) {
	fastest := make([]float64, len(c.Bodies))
	for round := range max(1, c.Repeat) {
		for i, body := range c.Bodies {
			began := time.Now()
			if err := ask(body); err != nil {
				return nil, fmt.Errorf("%s %s: %w", c.At, body, err)
			}
			took := float64(time.Since(began).Nanoseconds()) / 1e3
			if round == 0 || took < fastest[i] {
				fastest[i] = took
			}
		}
	}
	return map[string]any{"us": fastest}, nil
}

// set applies settings to the open index.
func (d *driver) set(c command) (any, error) {
	if d.open == nil {
		return nil, errors.New("no open index")
	}
	s, err := settings.Decode(c.Body)
	if err == nil {
		err = s.Validate(d.open.Schema())
	}
	d.settings = s
	return map[string]any{}, err
}

// ask measures requests from their body to the body of the answer.
func (d *driver) ask(c command) (any, error) {
	if d.open == nil {
		return nil, errors.New("no open index")
	}
	var out []byte
	return timed(c, func(body []byte) error {
		s := d.open.Snapshot()
		defer s.Release()
		view := search.View{Snapshot: s, Schema: d.open.Schema(), Chains: d.open.Chains(), Settings: d.settings}
		ctx, limits := context.Background(), query.DefaultLimits()
		var answer interface{ AppendJSON(out []byte) []byte }
		var err error
		switch {
		case c.At == "search":
			var request *query.Search
			if request, err = query.DecodeSearch(body, limits); err == nil {
				answer, err = d.searcher.Run(ctx, view, request)
			}
		case c.At == "suggest":
			var request *query.Suggest
			if request, err = query.DecodeSuggest(body, limits); err == nil {
				answer, err = d.searcher.Suggest(ctx, view, request)
			}
		default:
			var request *query.FacetValues
			field := strings.TrimSuffix(strings.TrimPrefix(c.At, "facets/"), "/values")
			if request, err = query.DecodeFacetValues(body, limits); err == nil {
				answer, err = d.searcher.FacetValues(ctx, view, field, request)
			}
		}
		if err == nil {
			out = answer.AppendJSON(out[:0])
		}
		return err
	})
}

func (r *remote) set(c command) (any, error) {
	_, err := r.send(http.MethodPut, "/v1alpha1/admin/indexes/"+remoteIndex+"/settings", "application/json", bytes.NewReader(c.Body))
	return map[string]any{}, err
}

func (r *remote) ask(c command) (any, error) {
	w, err := r.dial()
	if err != nil {
		return nil, err
	}
	defer w.Close()
	return timed(c, func(body []byte) error {
		_, err := post(w, c.At, body)
		return err
	})
}
