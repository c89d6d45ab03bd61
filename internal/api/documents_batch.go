package api

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/problem"
)

// batch is one request that carries many documents or changes.
type batch struct {
	write    documentWrite
	readers  readers
	skip     bool // list refused entries and continue with the rest
	checker  jsonread.Checker
	isStream bool
	isRows   bool                           // of CSV or tab-separated text, which is also a stream
	isBare   bool                           // a JSON body that is itself the list
	needs    func(*definition.Schema) error // what the index must have, even for no entries; nil: nothing

	refreshing *refreshing // for changes, which are applied in groups; nil: entries are taken one by one

	position  int  // of the current entry
	line      int  // of the current entry; 0 outside of streams
	reached   bool // some entry reached the index
	processed int
	failed    failedEntries
}

// entryWork processes one entry. Its error either refuses the entry or ends the
// request.
type entryWork func(ctx context.Context, schema *definition.Schema, s *engine.WriteStream, raw []byte, at problem.Path) error

// newBatch starts the writes of a batch.
func (a *API) newBatch(r *Request) (*batch, error) {
	name, err := registry.ParseName(r.Param("name"))
	if err != nil {
		return nil, err
	}
	skip, err := onError(r)
	if err != nil {
		return nil, err
	}
	return &batch{write: a.node.Write(name), skip: skip, isStream: r.isStream(), isRows: r.Route.Rows && r.delimiter() != 0, failed: failedEntries{most: a.maxFailed}}, nil
}

// run processes every entry and waits until the accepted ones are durable.
// Entries accepted before a failure stay.
func (b *batch) run(ctx context.Context, r *Request, work entryWork) (token string, err error) {
	if b.isRows {
		err = b.rows(ctx, r, work)
	} else if b.isStream {
		err = b.stream(ctx, r, work)
	} else {
		err = b.list(ctx, r, work)
	}
	if err == nil && !b.reached {
		// An empty batch to an index that accepts no entries must fail too.
		b.reached = true
		err = writeDocument(ctx, b.write, func(schema *definition.Schema, _ *engine.WriteStream) error {
			if b.needs == nil {
				return nil
			}
			return b.needs(schema)
		})
	}
	if err != nil && !b.reached {
		return "", err // caused by the body alone
	}
	token, unsettled := b.write.Finish(ctx)
	// I1: a response that counts entries as accepted is not sent if they are not
	// durable.
	isLost := unsettled != nil && b.processed > 0
	if err != nil && !isLost && !isUnproven(unsettled) {
		return "", err
	}
	return token, unsettled
}

// isUnproven reports whether a write could not be made durable, or a refusal
// could not be verified against the newest state. Such an error takes
// precedence over all others.
func isUnproven(err error) bool {
	return errors.Is(err, problem.StorageIoError) || errors.Is(err, problem.StorageUnknown) || errors.Is(err, problem.IndexReadonly)
}

// list processes the entries of a JSON body.
func (b *batch) list(ctx context.Context, r *Request, work entryWork) error {
	body, err := r.RequiredBody()
	if err != nil {
		return err
	}
	var found problem.List
	root, ok := jsonread.Parse(body, &found)
	if !ok {
		return found.Err()
	}
	if root.Kind() == jsonread.ListKind {
		b.isBare = true
		return b.entries(ctx, root, work)
	}
	var entries jsonread.Value
	root.Members(func(name string, member jsonread.Value) bool {
		if name == "documents" {
			entries = member
		}
		if name != "documents" {
			member.Advise(`Documents stand in a list: send [ … ], {"documents": [ … ]}, one document per line as application/x-ndjson, or rows as text/csv.`,
				problem.RequestPropertyUnknown, "property", name)
		}
		return true
	})
	switch {
	case found.Len() > 0:
	case entries.IsNull():
		found.Report(problem.RequestBodyRequired.New())
	case entries.Kind() != jsonread.ListKind:
		entries.Invalid("expected a list, found " + entries.Kind().String())
	}
	if err := found.Err(); err != nil {
		return err
	}
	return b.entries(ctx, entries, work)
}

func (b *batch) entries(ctx context.Context, list jsonread.Value, work entryWork) error {
	position := 0
	for it := jsonread.Items(list.Raw()); it.Next(); position++ {
		if err := b.take(ctx, Entry{Raw: it.Value(), Position: position}, work); err != nil {
			return err
		}
	}
	return b.takeGathered(ctx, work)
}

// take processes an entry, immediately or together with others.
func (b *batch) take(ctx context.Context, entry Entry, work entryWork) error {
	if b.refreshing != nil {
		return b.gather(ctx, entry, work)
	}
	return b.one(ctx, entry, work)
}

// stream processes the entries of an NDJSON body as they arrive.
func (b *batch) stream(ctx context.Context, r *Request, work entryWork) error {
	entries := r.Entries()
	var failed error // of the entries taken before the next read of the body
	entries.beforeRead = func() error {
		failed = b.takeGathered(ctx, work)
		return failed
	}
	for {
		entry, err := entries.Next()
		switch {
		case failed != nil:
			return failed
		case errors.Is(err, io.EOF):
			return b.takeGathered(ctx, work)
		case err != nil:
			if failed := b.takeGathered(ctx, work); failed != nil {
				return failed
			}
			b.position = entries.Position()
			return b.unreadable(err)
		}
		if err := b.take(ctx, entry, work); err != nil {
			return err
		}
	}
}

// at returns the path of the current entry.
func (b *batch) at() problem.Path {
	if b.isStream || b.isBare {
		return problem.Path{}.Item(b.position)
	}
	return problem.At("documents").Item(b.position)
}

func (b *batch) entry(ctx context.Context, raw []byte, work entryWork) error {
	if err := ctx.Err(); err != nil {
		return err // no client waits for the rest
	}
	b.reached = true
	err := writeDocument(ctx, b.write, func(schema *definition.Schema, s *engine.WriteStream) error {
		return work(ctx, schema, s, raw, b.at())
	})
	if err == nil {
		b.processed++
		return nil
	}
	if errors.Is(err, errMissingListed) {
		return nil
	}
	if !isRefusal(err) {
		return err
	}
	refused := problem.All(err)
	for _, p := range refused {
		b.locate(p)
	}
	if !b.skip {
		return refusedInBatch(err)
	}
	isListed, encodeErr := b.failed.add(failedEntry{Position: b.position, Line: b.line, Errors: Details(refused)})
	switch {
	case encodeErr != nil:
		return encodeErr
	case !isListed: // end the request, as without skip
		for _, p := range refused {
			p.Advise(p.Help() + " The entries refused before fill a response; send the rest, from this position, in another request.")
		}
		return refusedInBatch(err)
	}
	return nil
}

// errMissingListed ends the processing of an entry whose key has no document
// and is listed as missing.
var errMissingListed = errors.New("listed as missing")

// locate adds the position from which a caller can resume. A problem with an
// entry as a whole is reported at the path of the entry.
func (b *batch) locate(p *problem.Problem) {
	if p.Path == "" {
		p.Path = b.at().String()
	}
	p.With("position", b.position).With("processed", b.processed)
	if b.line > 0 {
		p.With("line", b.line)
	}
}

// malformed reports an entry that is not JSON, at the line where parsing
// stopped.
func (b *batch) malformed(entry Entry, err error) error {
	offset, reason := jsonread.Syntax(entry.Raw, err)
	stopped := entry.Raw[:min(offset, int64(len(entry.Raw)))]
	b.line = entry.Line + bytes.Count(stopped, []byte{'\n'})
	p := problem.DocumentMalformed.At(b.at(), "reason", reason)
	b.locate(p)
	return p
}

// unreadable adds how much of a body was processed before it stopped arriving
// or grew too large.
func (b *batch) unreadable(err error) error {
	for _, p := range problem.All(err) {
		switch p.Code {
		case problem.RequestBodyUnreadable, problem.RequestBodyEncodingInvalid, problem.RequestBodyRatioOutOfRange:
			p.With("position", b.position).With("processed", b.processed)
		case problem.RequestBodyTooLarge:
			p.With("processed", b.processed)
		}
	}
	return err
}

// isRefusal reports whether an error refuses one entry and implies nothing
// about the rest.
func isRefusal(err error) bool {
	found := problem.All(err)
	return len(found) > 0 && !slices.ContainsFunc(found, func(p *problem.Problem) bool { return !isEntryCode(p.Code) })
}

// isEntryCode reports whether a code concerns one entry: codes of documents and
// changes, and a value of the wrong kind.
func isEntryCode(code *problem.Code) bool {
	return code == problem.RequestValueInvalid || strings.HasPrefix(code.Name(), "document:")
}
