package load

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/quiresearch/quire/internal/remote"
)

// Sizes of a batch: large enough that the cost of a request, which ends with a
// sync of the node's disk, is small per document, and small enough that the two
// batches in memory stay far below 200 MB.
const (
	batchBytes = 8 << 20
	batchRows  = 50_000
)

// Job adds the rows of sources to an index.
type Job struct {
	Node    *remote.Node
	Index   string
	HasKey  bool                            // documents have keys, so that adding one again replaces it
	Refused func(file string, r Refusal)    // called for every reason why a row is not added
	Moved   func(source *Source, rows Done) // called after every batch
}

// Done counts rows.
type Done struct {
	Read, Added, Refused int
}

// batch is a group of documents to be sent.
type batch struct {
	lines    []byte
	rows     []int // row number of each line
	ends     []int // end offsets of the lines
	refusals []Refusal
	held     int // bytes of refused documents
	read     int
}

func (b *batch) reset() {
	*b = batch{lines: b.lines[:0], rows: b.rows[:0], ends: b.ends[:0]}
}

// line returns the document at a position.
func (b *batch) line(position int) []byte {
	return bytes.TrimSuffix(b.between(position, position+1), []byte("\n"))
}

// between returns the lines from one position up to another.
func (b *batch) between(from, to int) []byte {
	start := 0
	if from > 0 {
		start = b.ends[from-1]
	}
	return b.lines[start:b.ends[to-1]]
}

// addResult is the response to added documents.
type addResult struct {
	Indexed int `json:"indexed"`
	Failed  []struct {
		Position int             `json:"position"`
		Errors   []remote.Detail `json:"errors"`
	} `json:"failed"`
	Freshness string `json:"freshness"`
}

// Run reads a source to its end and adds its rows. Reading and converting
// continue while a batch is being sent; at most one more batch waits.
func (j *Job) Run(ctx context.Context, source *Source, converter *Converter, done *Done) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ready, empty := make(chan *batch), make(chan *batch, 2)
	empty <- new(batch)
	empty <- new(batch)
	failed := make(chan error, 1)
	go func() {
		defer close(ready)
		failed <- fill(ctx, source, converter, ready, empty)
	}()
	for b := range ready {
		if err := j.send(ctx, source, b, done); err != nil {
			stop()
			for range ready { // let the reader finish
			}
			<-failed
			return err
		}
		b.reset()
		empty <- b
	}
	return <-failed
}

// fill converts rows into batches.
func fill(ctx context.Context, source *Source, converter *Converter, ready chan<- *batch, empty <-chan *batch) error {
	b := <-empty
	for {
		err := b.add(ctx, source, converter)
		isEnd := errors.Is(err, io.EOF)
		if err != nil && !isEnd || isEnd && b.read == 0 {
			if isEnd {
				return nil
			}
			if b.read > 0 {
				select { // send the rows read so far
				case ready <- b:
				case <-ctx.Done():
				}
			}
			return fmt.Errorf("%s: %w", source.Name, err)
		}
		if !isEnd && len(b.lines)+b.held < batchBytes && b.read < batchRows {
			continue
		}
		select {
		case ready <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
		if isEnd {
			return nil
		}
		select {
		case b = <-empty:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// add reads one row into the batch.
func (b *batch) add(ctx context.Context, source *Source, converter *Converter) error {
	row, err := source.Next(ctx)
	var bad *RowError
	if errors.As(err, &bad) {
		b.read++
		b.refusals = append(b.refusals, Refusal{Row: bad.Number, Value: bad.Text, Reason: bad.Err.Error(), Remedy: "Correct the row."})
		return nil
	}
	if err != nil {
		return err
	}
	b.read++
	document, refusals := converter.Convert(row)
	if len(refusals) > 0 {
		original := bytes.Clone(row.Document)
		b.held += len(original)
		for _, one := range refusals {
			one.Document = original
			b.refusals = append(b.refusals, one)
		}
		return nil
	}
	b.lines = append(append(b.lines, document...), '\n')
	b.rows, b.ends = append(b.rows, row.Number), append(b.ends, len(b.lines))
	return nil
}

// send sends a batch and reports refused rows.
func (j *Job) send(ctx context.Context, source *Source, b *batch, done *Done) error {
	done.Read += b.read
	refused := make(map[int]bool)
	for _, r := range b.refusals {
		refused[r.Row] = true
		j.Refused(source.Name, r)
	}
	if err := j.add(ctx, source, b, 0, len(b.rows), refused, done); err != nil {
		return err
	}
	done.Refused += len(refused)
	if j.Moved != nil {
		j.Moved(source, *done)
	}
	return nil
}

// add adds the documents of a batch from one position up to another. If they are too
// large for the node, it adds them in parts; a document that is too large alone is
// refused.
func (j *Job) add(ctx context.Context, source *Source, b *batch, from, to int, refused map[int]bool, done *Done) error {
	if from == to {
		return nil
	}
	var answer addResult
	err := j.Node.Do(ctx, remote.Request{Method: "POST", Path: remote.IndexPath("data", j.Index) + "/documents?onError=skip",
		ContentType: "application/x-ndjson", Body: b.between(from, to), Once: !j.HasKey}, &answer)
	var refusal *remote.Refusal
	switch {
	case errors.As(err, &refusal) && refusal.Status == http.StatusRequestEntityTooLarge && to-from == 1:
		refused[b.rows[from]] = true
		j.Refused(source.Name, Refusal{Row: b.rows[from], Reason: refusal.Message, Remedy: refusal.Help, Document: b.line(from)})
		return nil
	case errors.As(err, &refusal) && refusal.Status == http.StatusRequestEntityTooLarge:
		middle := (from + to) / 2
		if err := j.add(ctx, source, b, from, middle, refused, done); err != nil {
			return err
		}
		return j.add(ctx, source, b, middle, to, refused, done)
	case errors.Is(err, remote.ErrLost):
		return fmt.Errorf("%w; rows %d to %d of %s may or may not have been added: the index has no primary key, so they are not sent again",
			err, b.rows[from], b.rows[to-1], source.Name)
	case err != nil:
		return fmt.Errorf("rows %d to %d of %s: %w", b.rows[from], b.rows[to-1], source.Name, err)
	}
	done.Added += answer.Indexed
	for _, one := range answer.Failed {
		if one.Position < 0 || one.Position >= to-from {
			continue
		}
		row := b.rows[from+one.Position]
		refused[row] = true
		for _, detail := range one.Errors {
			j.Refused(source.Name, Refusal{Row: row, Column: columnOf(detail.Path), Reason: detail.Message, Remedy: detail.Help, Document: b.line(from + one.Position)})
		}
	}
	return nil
}

// columnOf strips the position from the path of a problem: [17].price becomes
// price.
func columnOf(path string) string {
	if _, rest, ok := strings.Cut(path, "]"); ok && strings.HasPrefix(path, "[") {
		return strings.TrimPrefix(rest, ".")
	}
	return path
}
