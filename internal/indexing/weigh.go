package indexing

import (
	"math"
	"strings"
	"sync"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/analysis"
	"github.com/quiresearch/quire/internal/document"
)

// Weigh returns a field whose text exceeds the document's allowance of analysis
// steps, or nil when there is none. The lengths of the texts are nearly always
// proof enough that there is none. Otherwise it analyses the texts, one document at
// a time for all callers that share turn, because chains that multiply tokens take
// memory. An Indexer omits tokens beyond the allowance.
func Weigh(chains *analysis.Chains, d *document.Document, turn sync.Locker) (*definition.ResolvedField, error) {
	w := weighing{chains: chains}
	if err := w.each(d, w.bound); err != nil {
		return nil, err
	}
	if w.most <= StepsOf(d) {
		return nil, nil
	}
	turn.Lock()
	defer turn.Unlock()
	w.buffer = new(analysis.Buffer)
	w.buffer.Limit(StepsOf(d))
	err := w.each(d, w.analyze)
	return w.heaviest, err
}

// StepsOf returns the allowance of analysis steps for a document.
func StepsOf(d *document.Document) int64 {
	bytes := 0
	count := func(values []document.Value) {
		for i := range values {
			bytes += len(values[i].Text)
		}
	}
	count(d.Root)
	for i := range d.Children {
		count(d.Children[i].Values)
	}
	return analysis.DocumentSteps(bytes)
}

// weighing is the state of one call of Weigh.
type weighing struct {
	chains   *analysis.Chains
	most     int64            // steps of all texts, saturated
	buffer   *analysis.Buffer // nil while only lengths are considered
	heaviest *definition.ResolvedField
}

// each calls visit for every analysis of a text by a chain from the definition.
func (w *weighing) each(d *document.Document, visit func(v *document.Value, chain *analysis.Chain, isExact bool)) error {
	if err := w.values(d.Root, visit); err != nil {
		return err
	}
	for i := range d.Children {
		if err := w.values(d.Children[i].Values, visit); err != nil {
			return err
		}
	}
	return nil
}

func (w *weighing) values(values []document.Value, visit func(v *document.Value, chain *analysis.Chain, isExact bool)) error {
	for i := range values {
		v := &values[i]
		f := v.Field
		if f.Type != definition.String {
			continue
		}
		tag := v.Variant
		if tag == "" {
			tag = f.DefaultLocale
		}
		for _, autocomplete := range []bool{false, true} {
			usage := f.Matching
			if autocomplete {
				usage = f.Autocomplete
			}
			if usage == nil || usage.Chain == nil {
				continue
			}
			chain, err := w.chains.IndexChain(f, autocomplete, tag)
			if err != nil {
				return err
			}
			visit(v, chain, usage.Exact && (!autocomplete || f.Matching == nil))
		}
	}
	return nil
}

func (w *weighing) bound(v *document.Value, chain *analysis.Chain, isExact bool) {
	steps := chain.Bound(len(v.Text))
	if isExact {
		steps = saturated(steps, steps)
	}
	w.most = saturated(w.most, steps)
}

func saturated(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func (w *weighing) analyze(v *document.Value, chain *analysis.Chain, isExact bool) {
	if w.heaviest != nil {
		return
	}
	chain.Analyze(w.buffer, v.Text)
	if isExact {
		chain.Normalize(w.buffer, strings.TrimSpace(v.Text))
	}
	if w.buffer.IsExhausted() {
		w.heaviest = v.Field
	}
}
