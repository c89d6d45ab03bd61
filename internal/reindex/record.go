package reindex

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/versioned"
	"github.com/quiresearch/quire/problem"
)

// Phase is how far a job has come.
type Phase string

// The phases of a job.
const (
	Pending   Phase = "pending"
	Copying   Phase = "copying"
	Replaying Phase = "replaying"
	Ready     Phase = "ready"
	Promoting Phase = "promoting"
	Done      Phase = "done"
	Failed    Phase = "failed"
	Cancelled Phase = "cancelled"
)

var phases = []Phase{Pending, Copying, Replaying, Ready, Promoting, Done, Failed, Cancelled}

// IsPhase reports whether text names a phase.
func IsPhase(text string) bool { return slices.Contains(phases, Phase(text)) }

// IsFinished reports whether a job in this phase will not change any more.
func (p Phase) IsFinished() bool { return p == Done || p == Failed || p == Cancelled }

// The ways to promote.
const (
	Auto   = "auto"
	Manual = "manual"
)

// Record is a job as callers see it.
type Record struct {
	ID              *string    `json:"id"`
	Index           string     `json:"index"`
	Target          string     `json:"target"`
	Source          string     `json:"source"`
	Phase           Phase      `json:"phase"`
	Promote         string     `json:"promote"`
	DocumentsCopied int64      `json:"documentsCopied"`
	SourceDocuments int64      `json:"sourceDocuments"`
	Backlog         int64      `json:"backlog"`
	Error           *string    `json:"error"`
	StartedBy       *string    `json:"startedBy"`
	Node            *string    `json:"node"`
	StartedAt       time.Time  `json:"startedAt"`
	UpdatedAt       time.Time  `json:"updatedAt"`
	FinishedAt      *time.Time `json:"finishedAt"`
	Freshness       *string    `json:"freshness"`

	Verify       *string       `json:"verify,omitempty"` // judgement set whose bounds the target must keep
	Verification *Verification `json:"verification,omitempty"`
}

// stored is the object jobs/<iid>: the record and where the job continues.
type stored struct {
	Record Record `json:"record"`

	IndexID  registry.ID `json:"indexId"`
	SourceID registry.ID `json:"sourceId"`
	TargetID registry.ID `json:"targetId"`
	// Cursor is the last copied key, which the target holds durably.
	Cursor *string `json:"cursor,omitzero"`
	// Epoch counts the nodes that ran the job.
	Epoch uint64 `json:"epoch"`

	Unknown jsontext.Value `json:",embed"`
}

func (s stored) id() string { return textOf(s.Record.ID) }

// source and target are the generations that the record names, with the ids it was
// started for.
func (s stored) source() registry.Entry { return s.entry(s.Record.Source, s.SourceID) }
func (s stored) target() registry.Entry { return s.entry(s.Record.Target, s.TargetID) }

func (s stored) entry(text string, generation registry.ID) registry.Entry {
	name, err := registry.ParseName(text)
	if err != nil {
		return registry.Entry{}
	}
	return registry.Entry{Name: name, Index: s.IndexID, Generation: generation}
}

const (
	resource     = "reindex records"
	recordPrefix = "jobs/"
)

// records keeps one record per index.
type records struct {
	bucket bucket.Bucket
}

func recordKey(index registry.ID) string { return recordPrefix + index.String() }

func (r records) store(index registry.ID) *versioned.Store[stored] {
	return versioned.New[stored](r.bucket, recordKey(index), resource)
}

func (r records) read(ctx context.Context, index registry.ID) (versioned.Object[stored], error) {
	return r.store(index).Read(ctx)
}

// isOther reports whether a record was replaced or deleted since it was read.
func (r records) isOther(ctx context.Context, held versioned.Object[stored]) (bool, error) {
	_, isOther, err := r.store(held.Value.IndexID).ReadUnless(ctx, held)
	return isOther, err
}

// indexes returns the ids of the indexes that have a record.
func (r records) indexes(ctx context.Context) (map[registry.ID]bool, error) {
	listing, err := r.bucket.List(ctx, recordPrefix, "")
	if err != nil {
		return nil, problem.StorageIoError.New("resource", resource).Because(err)
	}
	found := make(map[registry.ID]bool, len(listing.Entries))
	for _, entry := range listing.Entries {
		if id, err := registry.ParseID(strings.TrimPrefix(entry.Key, recordPrefix)); err == nil {
			found[id] = true
		}
	}
	return found, nil
}

// replace writes a record in place of the one this node last read or wrote.
// versioned.ErrLost means that another node has the job.
func (r records) replace(ctx context.Context, held versioned.Object[stored], next stored) (versioned.Object[stored], error) {
	next.Record.UpdatedAt = now()
	return r.store(next.IndexID).Replace(ctx, held, next)
}

func (r records) delete(ctx context.Context, index registry.ID) error {
	_, err := r.bucket.Delete(ctx, recordKey(index), bucket.Always)
	if err != nil && !errors.Is(err, bucket.ErrNotFound) {
		return fmt.Errorf("delete the job record of %s: %w", index, err)
	}
	return nil
}

// now is the time of records, in the precision they are shown with.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

func newJobID() *string {
	var id [8]byte
	rand.Read(id[:])
	text := hex.EncodeToString(id[:])
	return &text
}
