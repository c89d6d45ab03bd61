package load

import (
	"context"
	"errors"
	"io"

	"github.com/quiresearch/quire/internal/draft"
)

// Sample buffers the first rows of a source that can be read only once, so that
// they can be read again.
type Sample struct {
	source Reader
	rows   []Row
	failed []error // error returned instead of a row
	next   int
}

// Next returns the buffered rows first, then the rest.
func (s *Sample) Next(ctx context.Context) (Row, error) {
	if s.next < len(s.rows) {
		s.next++
		if err := s.failed[s.next-1]; err != nil {
			return Row{}, err
		}
		return s.rows[s.next-1], nil
	}
	s.rows, s.failed = nil, nil
	return s.source.Next(ctx)
}

// Draft adds the rows of a source to a drafter. It reads the whole source if later
// documents may have other members, or if a column has no value in the sample. Of other
// CSV and Parquet, and of sources that can be read only once, it reads a sample, at least
// the first row, which names the columns. With keeps, the rows read are buffered to be
// read again.
func Draft(ctx context.Context, source *Source, drafter *draft.Drafter, keeps bool) error {
	kept := &Sample{source: source.Reader}
	_, isCSV := source.Reader.(*csvReader)
	_, isParquet := source.Reader.(*parquetReader)
	readsAll := !isCSV && !isParquet
	for isFirst := true; ; isFirst = false {
		isEnough := drafter.HasEnough() && !isFirst
		if isEnough && keeps {
			drafter.ExpectMore()
			break
		}
		readsAll = readsAll || isEnough && drafter.LacksValues()
		if isEnough && !readsAll {
			break
		}
		row, err := source.Next(ctx)
		var bad *RowError
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.As(err, &bad) {
			return err
		}
		if keeps {
			row.Document = append([]byte(nil), row.Document...)
			kept.rows, kept.failed = append(kept.rows, row), append(kept.failed, err)
		}
		switch {
		case err != nil:
			if source.Refused == nil {
				source.Refused = bad
			}
		case drafter.HasEnough():
			drafter.AddLate(row.Document)
		default:
			drafter.Add(row.Document)
		}
	}
	if keeps {
		source.Reader = kept
	}
	return nil
}
