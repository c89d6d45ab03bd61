package api

import (
	"context"

	"github.com/quiresearch/quire/internal/draft"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

type draftBody struct {
	Definition draftedBody    `json:"definition"`
	Reasons    []draft.Reason `json:"reasons"`
}

type draftedBody struct {
	Fields draft.Fields `json:"fields"`
}

// draftDefinition responds with a definition that could fit some documents. It
// neither creates nor stores anything.
func (a *API) draftDefinition(_ context.Context, r *Request) (*Response, error) {
	body, err := r.RequiredBody()
	if err != nil {
		return nil, err
	}
	documents, options, err := readDraft(body)
	if err != nil {
		return nil, err
	}
	options.Lacks = a.node.LacksData
	drafter := draft.New(options)
	for _, document := range documents {
		drafter.Add(document)
	}
	drafted := drafter.Finish()
	return OK(draftBody{draftedBody{drafted.Fields}, drafted.Reasons}), nil
}

// readDraft parses the body of a draft. Documents beyond the number a draft
// examines are parsed but ignored.
func readDraft(body []byte) ([][]byte, draft.Options, error) {
	var (
		documents [][]byte
		options   draft.Options
		found     problem.List
		isGiven   bool
	)
	value, ok := jsonread.Parse(body, &found)
	if !ok {
		return nil, options, found.Err()
	}
	value.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "documents":
			isGiven = !member.IsNull()
			member.Items(func(_ int, item jsonread.Value) {
				if item.Kind() != jsonread.ObjectKind {
					item.Report(problem.DocumentNotAnObject)
				} else if len(documents) < draft.EnoughDocuments {
					documents = append(documents, item.Raw())
				}
			})
		case "convert":
			options.Convert, _ = member.Bool()
		default:
			return false
		}
		return true
	})
	if !isGiven && found.Err() == nil {
		found.Report(problem.RequestValueRequired.At(problem.At("documents")))
	}
	return documents, options, found.Err()
}
