package node

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quiresearch/quire/definition"
	"github.com/quiresearch/quire/engine"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/generations"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/search"
	"github.com/quiresearch/quire/internal/settingstore"
	"github.com/quiresearch/quire/internal/snapshot"
	"github.com/quiresearch/quire/problem"
	"github.com/quiresearch/quire/settings"
)

// IndexSnapshot is one consistent view of an index: one snapshot of one generation
// and one version of the settings.
type IndexSnapshot struct {
	Name       registry.Name // with the generation that answers
	Snapshot   *snapshot.Snapshot
	Schema     *definition.Schema
	Definition *definition.Definition
	Settings   *settings.Settings // those in force; nil when there are none
	Generation *generations.Generation

	settingsRevision uint64
}

// Freshness returns the token of the state that the view holds.
func (r *IndexSnapshot) Freshness() string {
	return token(r.Generation.Entry, r.Snapshot.Sequence, r.settingsRevision)
}

// Close releases the view.
func (r *IndexSnapshot) Close() {
	r.Snapshot.Release()
	r.Generation.Release()
}

// View returns what a search runs on.
func (r *IndexSnapshot) View() search.View {
	return search.View{
		Snapshot: r.Snapshot, Schema: r.Schema, Settings: r.Settings, Chains: r.Generation.Chains(),
		Index: r.Name.Index, Generation: r.Name.Generation, Freshness: r.Freshness(),
	}
}

// Peek returns the view of a generation if it is open, else nil. The caller closes
// the view. It does not count as use.
func (n *Node) Peek(ctx context.Context, generation registry.ID) *IndexSnapshot {
	g := n.generations.Peek(generation)
	if g == nil {
		return nil
	}
	held, err := n.settings.Current(ctx, g.Entry.Index)
	if err == nil {
		if r := newIndexSnapshot(g, held); r != nil {
			return r
		}
	}
	g.Release()
	return nil
}

// Suspect notes that answering from a name met bytes that could not be read or
// differ from what was written.
func (n *Node) Suspect(text string) {
	name, err := registry.ParseName(text)
	if err != nil {
		return
	}
	entry, err := n.registry.Resolve(name)
	if err != nil {
		return
	}
	if g := n.generations.Peek(entry.Generation); g != nil {
		defer g.Release()
		n.generations.Suspect(g)
	}
}

// newIndexSnapshot returns a view that takes over the generation, or nil when the
// generation is closed.
func newIndexSnapshot(g *generations.Generation, held settingstore.Held) *IndexSnapshot {
	schema := g.Schema()
	view := g.Snapshot()
	if view == nil {
		return nil
	}
	return &IndexSnapshot{
		Name: g.Entry.Name, Snapshot: view, Schema: schema, Definition: schema.Definition(),
		Settings: held.Settings.InForce(), Generation: g, settingsRevision: held.Revision,
	}
}

// Ask makes the node at an address, which writes the index, reach the state of a
// token by committing.
type Ask func(ctx context.Context, address, token string) error

// Read returns the view that a name answers from, once it holds the state that the
// token names; the zero Token asks for none. ask is used when another node writes
// the index, and may be nil. The errors are problems.
func (n *Node) Read(ctx context.Context, name registry.Name, atLeast freshness.Token, ask Ask) (*IndexSnapshot, error) {
	return n.deployment.read(ctx, name, atLeast, ask)
}

// readOpen is read, tried once more when the generation closes under the request.
func (n *Node) readOpen(ctx context.Context, name registry.Name, atLeast freshness.Token, ask Ask) (*IndexSnapshot, error) {
	r, err := n.read(ctx, name, atLeast, ask)
	if errors.Is(err, problem.IndexClosed) && ctx.Err() == nil {
		r, err = n.read(ctx, name, atLeast, ask)
	}
	return r, err
}

func (n *Node) read(ctx context.Context, name registry.Name, atLeast freshness.Token, ask Ask) (*IndexSnapshot, error) {
	entry, err := n.resolveAt(ctx, name, atLeast)
	if err != nil {
		return nil, err
	}
	held, err := n.settingsAt(ctx, entry.Index, atLeast.Settings)
	if err != nil {
		return nil, err
	}
	g, err := n.generations.AcquireToRead(ctx, entry)
	if err != nil {
		return nil, err
	}
	switch {
	case atLeast.Generation == freshness.ID{}:
	case atLeast.Generation != entry.Generation:
		// Another generation took its place. The state of the earlier one is in the
		// bucket; a copy that was already open may lack it, and so may a writer
		// that does not know yet that another node took over.
		if err := errors.Join(n.generations.Pull(ctx, g), g.Prove(ctx)); err != nil {
			g.Release()
			return nil, n.unavailable(err)
		}
	default:
		if g, err = n.arrive(ctx, g, atLeast.Sequence, ask); err != nil {
			g.Release()
			return nil, err
		}
	}
	r := newIndexSnapshot(g, held)
	if r == nil {
		g.Release()
		return nil, problem.IndexClosed.New()
	}
	return r, nil
}

// settingsAt returns the settings of an index at a revision or later. It looks up a
// revision that this node does not know yet in storage, once.
func (n *Node) settingsAt(ctx context.Context, index registry.ID, revision uint64) (settingstore.Held, error) {
	held, err := n.settings.Current(ctx, index)
	if err != nil || revision <= held.Revision {
		return held, err
	}
	if held, err = n.settings.Read(ctx, index); err != nil {
		return held, n.unavailable(err)
	}
	if held.Revision < revision {
		return held, n.unavailable(errSettingsUnknown)
	}
	return held, nil
}

// arrive brings a generation to a commit and returns the one to continue with. It
// opens a writer that has failed again, because that one will not make the commit.
func (n *Node) arrive(ctx context.Context, g *generations.Generation, sequence uint64, ask Ask) (*generations.Generation, error) {
	g, err := n.replaceFailed(ctx, g, sequence)
	if err == nil {
		g, err = n.deployment.awaitCopy(ctx, g, sequence, ask)
	}
	if err == nil {
		err = n.awaitCommit(ctx, g, sequence)
	}
	if err != nil && !g.IsCopy() && g.Err() != nil && ctx.Err() == nil { // it failed meanwhile
		if g, err = n.replaceFailed(ctx, g, sequence); err == nil {
			err = n.awaitCommit(ctx, g, sequence)
		}
	}
	return g, err
}

// replaceFailed opens a generation again if its writer has failed and is behind a
// commit. It returns the generation to continue with.
func (n *Node) replaceFailed(ctx context.Context, g *generations.Generation, sequence uint64) (*generations.Generation, error) {
	if g.IsCopy() || g.Err() == nil || sequence <= g.Sequence() {
		return g, nil
	}
	waiting, cancel := context.WithTimeout(ctx, max(n.options.FreshnessWait, time.Second))
	defer cancel()
	writer, err := n.generations.AcquireFor(waiting, g.Entry, generations.ForRequest)
	if err != nil {
		return g, n.unavailable(err)
	}
	g.Release()
	return writer, nil
}

// awaitCommit makes the generation commit and waits until the commit is visible. It
// does not wait for a sequence that was never promised.
func (n *Node) awaitCommit(ctx context.Context, g *generations.Generation, sequence uint64) error {
	if sequence <= g.Sequence() {
		return nil
	}
	if n.options.FreshnessWait <= 0 {
		if _, err := g.Commit(ctx, engine.ByFreshness); err != nil || sequence > g.Sequence() {
			return n.unavailable(err)
		}
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, n.options.FreshnessWait)
	defer cancel()
	if err := g.WaitFor(waiting, sequence); err != nil {
		return n.unavailable(err)
	}
	return nil
}

func (n *Node) unavailable(cause error) error {
	if errors.Is(cause, problem.SearchFreshnessUnavailable) {
		return cause
	}
	wait := n.options.FreshnessWait.Milliseconds()
	return problem.SearchFreshnessUnavailable.New("wait", wait, "reason", whyUnavailable(cause, wait)).Because(cause)
}

// whyUnavailable returns why a node does not have the state of a token. wait is how
// long the node waits for one, in milliseconds.
func whyUnavailable(cause error, wait int64) string {
	switch {
	case errors.Is(cause, engine.ErrNotPromised):
		return "no writer has promised it"
	case errors.Is(cause, errSettingsUnknown):
		return "settings of that version were never stored"
	case errors.Is(cause, problem.IndexReadonly), errors.Is(cause, engine.ErrFenced):
		return "another node has taken over the index"
	case errors.Is(cause, context.DeadlineExceeded) && wait > 0:
		return fmt.Sprintf("it did not arrive within %d ms", wait)
	case cause == nil:
		return "it has not arrived"
	}
	return "it cannot be read from storage"
}

var errSettingsUnknown = errors.New("the settings of the token were never stored")
