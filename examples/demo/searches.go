package main

import (
	"context"
	"fmt"
	"net/http"
	"sort"
	"strings"

	"github.com/quiresearch/quire/internal/demo"
)

// example is a search for demonstration.
type example struct {
	title string
	body  string
}

var searches = []example{
	{"Typed text with a typo and a price in it, counted by brand",
		`{"query":[{"type":"text","text":"jaket under 150 eur","match":"user"}],"facets":[{"field":"brand","limit":4}],"fields":["name","price","brand"],"limit":3}`},
	{"Red in size M, in one and the same variant, cheapest first",
		`{"filters":[{"type":"nested","path":"variants","clauses":[{"field":"variants.colour","match":{"value":"red"}},{"field":"variants.size","match":{"value":"M"}}]}],"matched":{"fields":{"variants":{"limit":1}}},"sort":[{"field":"price","order":"asc"}],"fields":["name","price","brand"],"limit":3}`},
	{"In Swedish, with highlights",
		`{"locale":"sv","query":[{"type":"text","text":"varma yllestrumpor","match":"any"}],"highlight":{"fields":{"name":{}}},"fields":["name","price","brand"],"limit":3}`},
}

type searchAnswer struct {
	Hits []struct {
		ID       string
		Score    float64
		Document struct {
			Name  map[string]string // one variant
			Price float64
			Brand string
		}
		Highlights map[string][]string
		Matched    map[string]struct{ Values []demo.Variant }
	}
	Total struct {
		Count int64
		Exact bool
	}
	Facets map[string]struct {
		Values []struct {
			Value string
			Count int64
		}
	}
	TookMs float64
}

// show runs the search and prints the results and how to repeat it.
func (s example) show(ctx context.Context, base string) error {
	var answer searchAnswer
	url := base + "/v1alpha1/indexes/" + index + "/search"
	if err := send(ctx, http.MethodPost, url, []byte(s.body), &answer); err != nil {
		return err
	}
	fmt.Printf("%s\n%s\n", s.title, strings.Repeat("-", len(s.title)))
	for _, hit := range answer.Hits {
		fmt.Printf("  %-6s %-34s %7.1f EUR  %s", hit.ID, anyOf(hit.Document.Name), hit.Document.Price, hit.Document.Brand)
		for _, values := range hit.Matched {
			for _, v := range values.Values {
				fmt.Printf("  [%s, %s, %d in stock]", v.Colour, v.Size, v.Stock)
			}
		}
		for _, fragments := range hit.Highlights {
			fmt.Printf("  %s", strings.Join(fragments, " … "))
		}
		fmt.Println()
	}
	about := ""
	if !answer.Total.Exact {
		about = "at least "
	}
	fmt.Printf("  %s%d hits in %.1f ms\n", about, answer.Total.Count, answer.TookMs)
	names := make([]string, 0, len(answer.Facets))
	for name := range answer.Facets {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		var counts []string
		for _, value := range answer.Facets[name].Values {
			counts = append(counts, fmt.Sprintf("%s %d", value.Value, value.Count))
		}
		fmt.Printf("  %s: %s\n", name, strings.Join(counts, ", "))
	}
	fmt.Printf("\n  curl -s %s -H 'Content-Type: application/json' -d '%s'\n\n", url, s.body)
	return nil
}

// anyOf returns the value of a field with a single variant.
func anyOf(variants map[string]string) string {
	for _, value := range variants {
		return value
	}
	return ""
}
