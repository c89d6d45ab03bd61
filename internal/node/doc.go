// Package node is everything one node does with many indexes: it finds the
// generation a name answers from, opens it, waits for the state a freshness token
// asks for, and creates, replaces, promotes and deletes. It knows nothing of HTTP
// and checks no permissions; its callers did.
//
// A read holds one consistent view:
//
//	token, err := freshness.Parse(text, problem.At("freshness.atLeast")) // zero Token: none
//	r, err := n.Read(ctx, name, token, nil)
//	defer r.Close()
//	… r.Name, r.Snapshot, r.Schema, r.Settings …
//	answer.Freshness = r.Freshness()
//
// A write resolves its generation for each entry, so that a promotion in the middle
// of a long stream loses nothing:
//
//	w := n.Write(name)
//	for each entry {
//		err := w.Do(ctx, func(g *generations.Generation, s *engine.WriteStream) error {
//			… read the entry by g.Schema(), then s.Add, s.Update or s.Delete …
//		})
//	}
//	token, err := w.Finish(ctx) // when everything taken so far is durable
//
// Do resolves the name and passes the generation that answers, and a stream to it,
// to work; no promotion comes between. Work must keep neither, and must not hold up
// writes itself (DeleteMatching and DeleteAll are methods of Node). Finish must be
// called once, also after an error. It returns the token of the last generation
// written, or of the current state when nothing was.
//
// A Node may be used by any number of goroutines; an IndexSnapshot and a Write
// belong to one.
package node
