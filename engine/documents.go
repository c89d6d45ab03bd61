package engine

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/internal/document"
	"github.com/quiresearch/quire/internal/indexing"
	"github.com/quiresearch/quire/internal/log"
	"github.com/quiresearch/quire/internal/segment"
	"github.com/quiresearch/quire/problem"
)

// isKeyed reports whether documents have a primary key of their own.
func (g *Generation) isKeyed() bool { return g.Schema().PrimaryKey() != nil }

// addition makes the operation for a new document, which takes ownership of the
// document. Signal values of the replaced document are kept unless the new one
// gives others.
func (g *Generation) addition(key string, d *document.Document) (*operation, error) {
	var carried []signalValue
	if signals := len(g.Schema().Signals()); signals > 0 && len(d.Key) > 0 && givenSignals(d) < signals {
		current, exists, err := g.newest(key)
		if err != nil {
			return nil, err
		}
		if exists {
			carried = current.signals
		}
	}
	return g.replacement(key, d, carried)
}

// admitAnalysis rejects a document whose texts take more analysis steps than a
// document of its size may. The steps are counted, not timed, so that every node
// decides alike.
func (g *Generation) admitAnalysis(d *document.Document) error {
	f, err := indexing.Weigh(g.pipeline.Load().chains, d, &g.options.Budget.weighing)
	if err != nil {
		return fmt.Errorf("weigh the analysis: %w", err)
	}
	if f != nil {
		return problem.DocumentAnalysisTooLarge.At(problem.At(f.Path), "name", f.Path, "limit", indexing.StepsOf(d))
	}
	return nil
}

// givenSignals counts the signal fields for which a document has a value.
func givenSignals(d *document.Document) int {
	given := 0
	for _, signal := range d.Signals {
		if !signal.Clear {
			given++
		}
	}
	return given
}

// replacement makes the operation for a document with the signal values carried
// over to it.
func (g *Generation) replacement(key string, d *document.Document, carried []signalValue) (*operation, error) {
	if schema := g.Schema(); d.Schema() != schema {
		// The definition has changed since the caller parsed the document.
		again, err := readWhole(document.NewReader(schema), d.JSON())
		if err != nil {
			return nil, err
		}
		d.Release()
		d = again
	}
	if err := g.admitAnalysis(d); err != nil {
		return nil, err
	}
	if err := g.admitNames(d); err != nil {
		return nil, err
	}
	signals := mergeSignals(carried, signalValues(d.Signals))
	signals = slices.DeleteFunc(slices.Clone(signals), func(s signalValue) bool { return !s.Has })
	head := noSignals
	if len(signals) > 0 {
		head = appendSignals(make([]byte, 0, 16+32*len(signals)), signals)
	}
	return &operation{
		Operation: log.Operation{Kind: log.Add, Key: key, Head: head, Body: d.JSON()},
		source:    d.JSON(),
		signals:   signals,
		document:  d,
	}, nil
}

// noSignals is the head of a document without signal values. It must not be
// changed.
var noSignals = appendSignals(nil, nil)

// signalValues returns the values of a write, sorted by field.
func signalValues(signals []document.Signal) []signalValue {
	return appendSignalValues(make([]signalValue, 0, len(signals)), signals)
}

// appendSignalValues is signalValues into the memory of values, which must be
// empty.
func appendSignalValues(values []signalValue, signals []document.Signal) []signalValue {
	for _, signal := range signals {
		values = append(values, signalValue{Field: signal.Field.Path, Value: signal.Number, Has: !signal.Clear})
	}
	return sortedSignals(values)
}

// sortedSignals sorts values by field; if a field occurs twice the last value wins.
func sortedSignals(values []signalValue) []signalValue {
	if len(values) < 2 {
		return values
	}
	slices.SortStableFunc(values, func(a, b signalValue) int { return strings.Compare(a.Field, b.Field) })
	kept := values[:0]
	for i, value := range values {
		if i+1 < len(values) && values[i+1].Field == value.Field {
			continue
		}
		kept = append(kept, value)
	}
	return kept
}

// readWhole parses one document on its own.
func readWhole(reader *document.Reader, source []byte) (*document.Document, error) {
	var found problem.List
	d := reader.Read(source, problem.Path{}, &found)
	if err := found.Err(); err != nil {
		return nil, err
	}
	return d, nil
}

// addTo adds a document to a run with the key and the signal values of its entry,
// and releases the memory of the document.
func addTo(r *run, d *document.Document, e *entry) (segment.DocID, error) {
	defer d.Release()
	d.Key = document.Key(e.key)
	d.Signals = d.Signals[:0]
	for _, value := range e.signals {
		field, ok := d.Schema().Resolve(value.Field)
		if ok && field.Signal {
			d.Signals = append(d.Signals, document.Signal{Field: field, Number: value.Value})
		}
	}
	return r.indexer.Add(r.builder, d)
}

// sourceOfRecord returns the document of a stored record as it was sent.
func sourceOfRecord(schema *definition.Schema, data []byte) ([]byte, error) {
	if len(data) == 0 {
		return nil, problem.DocumentSourceNotKept.New()
	}
	record, err := document.OpenRecord(data)
	if err != nil {
		return nil, err
	}
	if !record.HasSource() {
		return nil, problem.DocumentSourceNotKept.New()
	}
	return document.AsSent(schema).Append(nil, record, nil), nil
}
