package api

import (
	"context"
	"errors"
	"io"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/tabular"
	"github.com/quiresearch/quire/problem"
)

// rows processes the documents of a CSV or tab-separated body as they arrive.
// The meaning of a value depends on the type of its field, so a row is
// converted once the schema it is written with is known.
func (b *batch) rows(ctx context.Context, r *Request, work entryWork) error {
	rows := tabular.NewReader(r.text, r.delimiter(), r.maxEntry)
	names, err := rows.Header()
	if errors.Is(err, io.EOF) {
		return problem.RequestBodyRequired.New()
	}
	if err != nil {
		return b.badRow(r, err)
	}
	var convert rowConverter
	for ; ; b.position++ {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var refused *tabular.RowError
		isRefused := errors.As(err, &refused) && !refused.IsLast
		if err != nil && !isRefused {
			return b.badRow(r, err)
		}
		b.line = row.Line
		if isRefused {
			b.line = refused.Line
		}
		err = b.entry(ctx, nil, func(ctx context.Context, schema *definition.Schema, s *engine.WriteStream, _ []byte, at problem.Path) error {
			if isRefused {
				return b.malformedRow(refused)
			}
			raw, err := convert.row(schema, names, rows.Decimal(), row.Values)
			if errors.As(err, &refused) {
				return b.malformedRow(refused)
			}
			return work(ctx, schema, s, raw, at)
		})
		if err != nil {
			return err
		}
	}
}

// rowConverter caches the header for the schema of the last row.
type rowConverter struct {
	schema *definition.Schema
	header *tabular.Header
	buffer []byte
}

func (c *rowConverter) row(schema *definition.Schema, names []string, decimal byte, values []string) ([]byte, error) {
	if c.schema != schema {
		header, err := tabular.NewHeader(names, schema, decimal)
		if err != nil {
			return nil, err
		}
		c.schema, c.header = schema, header
	}
	c.buffer = c.header.Append(c.buffer[:0], values)
	return c.buffer, nil
}

func (b *batch) malformedRow(row *tabular.RowError) error {
	b.line = row.Line
	return problem.DocumentMalformed.At(b.at(), "reason", row.Reason, "line", row.Line).
		Advise("Correct the line; the first line names the columns, and each further line has a value for each of them.")
}

// badRow returns the error that ends the request: a problem with the body, or
// with a row after which reading cannot continue.
func (b *batch) badRow(r *Request, err error) error {
	var row *tabular.RowError
	switch {
	case errors.As(err, &row):
		p := b.malformedRow(row)
		for _, one := range problem.All(p) {
			b.locate(one)
		}
		return p
	case errors.Is(err, tabular.ErrTooLong):
		err = problem.RequestBodyTooLarge.New("limit", r.maxEntry)
	}
	return b.unreadable(err)
}
