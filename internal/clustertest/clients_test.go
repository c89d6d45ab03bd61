package clustertest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/node"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/reindex"
	"github.com/quiresearch/quire/problem"
)

func (s *simulation) create(p *process, name registry.Name) {
	for {
		_, _, err := p.node.Put(context.Background(), node.Put{Name: name, Body: []byte(definition[0])})
		if err == nil || errors.Is(err, problem.IndexAlreadyExists) {
			return
		}
		time.Sleep(time.Second)
	}
}

func (s *simulation) anyProcess(random *rand.Rand) *process {
	return s.machines[random.IntN(len(s.machines))].process()
}

// patience is how long a client waits for an answer.
const patience = time.Minute

// client writes its own keys one after the other and reads them back.
func (s *simulation) client(number int, random *rand.Rand) {
	version := 0
	for !s.isOver() {
		s.rest(between(random, 10*time.Millisecond, 300*time.Millisecond))
		p := s.anyProcess(random)
		if p == nil {
			continue
		}
		version++
		key := fmt.Sprintf("c%d-%d", number, random.IntN(12))
		raw := fmt.Sprintf(`{"id":%q,"v":%d}`, key, version)
		if random.IntN(8) == 0 {
			raw = ""
		}
		if s.peers != nil {
			s.visit(p, key, raw, random)
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		token, err := s.write(ctx, p, books, key, raw)
		s.trace.Note(p.link.name, "write "+raw, told(err))
		cancel()
		if err != nil {
			s.failed(key, raw, err)
		} else {
			s.acknowledged(key, raw)
		}
		s.ask(s.machines[version%len(s.machines)].process(), key)
		if err != nil || random.IntN(4) > 0 {
			continue
		}
		reader := s.anyProcess(random)
		if reader == nil {
			continue
		}
		ctx, cancel = context.WithTimeout(context.Background(), patience)
		var shown view
		isTruthful := s.store.Truthful(func() { shown, err = reader.read(ctx, books, token) })
		s.trace.Note(reader.link.name, "read "+key+" "+shown.documents[key], told(err))
		cancel()
		if errors.Is(err, errWentBack) {
			s.t.Errorf("seed %d: %v", s.seed, err)
		}
		if err == nil && isTruthful && shown.documents[key] != raw {
			s.t.Errorf("seed %d: a read with the token of %s %q shows %q", s.seed, key, raw, shown.documents[key])
		}
	}
}

// ask asks the writer of a key for its newest state, by a change that is refused: a
// definite answer that needs no log record (I23).
func (s *simulation) ask(p *process, key string) {
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var (
		shown string
		err   error
	)
	isTruthful := s.store.Truthful(func() { shown, err = s.newest(ctx, p, books, key) })
	s.trace.Note(p.link.name, "ask "+key+" "+shown, told(err))
	if why := s.wrong(key, shown); err == nil && isTruthful && why != "" {
		s.t.Errorf("seed %d: I23: a writer %s", s.seed, why)
	}
}

// told returns the kind of answer that a client gets.
func told(err error) int {
	switch {
	case err == nil:
		return 0
	case isOpen(err):
		return 1
	}
	return 2
}

// truth returns the registry as the bucket holds it, or as it was before it was
// lost.
func (s *simulation) truth() *registry.Registry {
	held := memory.New(nil)
	for _, key := range []string{"registry", "deployment"} {
		content, _ := s.store.Last(key)
		if object, err := s.store.content(key); err == nil && !s.store.IsLost(key) {
			content = object
		}
		_, _ = held.PutIf(context.Background(), key, bucket.Bytes(content), bucket.Always)
	}
	known, err := registry.Open(context.Background(), held, slog.New(slog.DiscardHandler))
	if err != nil {
		s.t.Errorf("seed %d: the registry cannot be read: %v", s.seed, err)
	}
	return known
}

// idOf returns the id that the bucket holds for a name, or the zero id.
func (s *simulation) idOf(name registry.Name) registry.ID {
	if entry, err := s.truth().Resolve(name); err == nil {
		return entry.Generation
	}
	return registry.ID{}
}

// existing returns the id of the index or generation with a name, or the zero id
// when there is none. Whether an index has a live generation does not count: a
// repair concurrent with a request may give it one.
func (s *simulation) existing(name registry.Name) registry.ID {
	if name.HasGeneration() {
		return s.idOf(name)
	}
	if index, err := s.truth().Find(name); err == nil {
		return index.ID
	}
	return registry.ID{}
}

// attempt makes a change to the indexes and checks I17: a refused change had no
// effect, and a change that was made is not refused.
func (s *simulation) attempt(what string, name registry.Name, wantsIt bool, do func() error) error {
	before := s.existing(name)
	err := do()
	after := s.existing(name)
	_, isVague := s.vague.Load(name) // an earlier request may have been made by now
	switch {
	case err == nil:
		s.vague.Delete(name)
	case isOpen(err):
		s.vague.Store(name, true)
	}
	switch {
	case err == nil && wantsIt == after.IsZero():
		s.t.Errorf("seed %d: %s of %s succeeded and was not made", s.seed, what, name)
	case err != nil && !isOpen(err) && before != after && !isVague:
		s.t.Errorf("seed %d: I17: %s of %s was refused and made: %v", s.seed, what, name, err)
	}
	return err
}

// unlessCut returns the answer that a client gets, which is none from a process
// that was killed.
func (p *process) unlessCut(err error) error {
	if p.link.IsCut() {
		return &answered{}
	}
	return err
}

// recreate deletes an index and creates it again under the same name: nothing of
// the old one may show (I15). Now and then the old one is restored with everything
// it held.
func (s *simulation) recreate(random *rand.Rand) {
	name := registry.Name{Index: "temporary"}
	last := life{}
	for number := 1; !s.isOver(); number++ {
		s.rest(between(random, time.Second, 8*time.Second))
		p := s.anyProcess(random)
		if p == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		holder, err := s.writer(ctx, p, name.Index)
		if err == nil {
			err = s.attempt("delete", name, false, func() error { return holder.unlessCut(holder.node.Delete(ctx, name)) })
		}
		switch {
		case err != nil && !errors.Is(err, problem.IndexNotFound):
		case last.token != "" && random.IntN(3) == 0 && !s.store.IsLost("registry"): // and it is not lost until that is done
			s.restore(ctx, p, name, last)
		default:
			before := last
			err = s.attempt("create", name, true, func() error {
				_, _, err := holder.node.Put(ctx, node.Put{Name: name, Body: []byte(definition[0])})
				return holder.unlessCut(err)
			})
			if last = (life{}); err == nil {
				last = s.live(ctx, holder, name, number)
				s.old(ctx, holder, name, before)
			}
		}
		cancel()
	}
}

// life is what an index held between its creation and its removal.
type life struct {
	raw, token string // empty: unknown
}

func (s *simulation) live(ctx context.Context, p *process, name registry.Name, number int) life {
	raw := fmt.Sprintf(`{"id":"life","v":%d}`, number)
	token, err := s.write(ctx, p, name, "life", raw)
	if err != nil {
		return life{}
	}
	shown, err := p.read(ctx, name, token)
	if err == nil && (len(shown.documents) != 1 || shown.documents["life"] != raw) {
		s.t.Errorf("seed %d: life %d of an index shows %v", s.seed, number, shown.documents)
	}
	return life{raw, token}
}

// old reads a new index with the token of an earlier one with the same name (I7).
func (s *simulation) old(ctx context.Context, p *process, name registry.Name, before life) {
	if before.token == "" {
		return
	}
	if _, err := p.read(ctx, name, before.token); err == nil && s.idOf(name) != (registry.ID{}) {
		s.t.Errorf("seed %d: an index answers the token of one that had its name before", s.seed)
	}
}

// restore restores a deleted index, which must hold exactly what it held before.
func (s *simulation) restore(ctx context.Context, p *process, name registry.Name, last life) {
	var err error
	s.store.Repair(func() {
		_, err = p.node.RepairRegistry(ctx, registry.RepairRequest{Restore: []registry.Name{name}})
	})
	if err != nil || s.idOf(name).IsZero() {
		return
	}
	shown, err := p.read(ctx, name, last.token)
	if err == nil && (len(shown.documents) != 1 || shown.documents["life"] != last.raw) {
		s.t.Errorf("seed %d: I15: an index that was restored shows %v, it held %s", s.seed, shown.documents, last.raw)
	}
}

// settingsKey is the key of the search settings in the story.
const settingsKey = "settings"

// configure changes the search settings and reads them back.
func (s *simulation) configure(random *rand.Rand) {
	for number := 1; !s.isOver(); number++ {
		s.rest(between(random, time.Second, 6*time.Second))
		p := s.anyProcess(random)
		if p == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		word := fmt.Sprintf("w%d", number)
		var stored node.Settings
		holder, err := s.writer(ctx, p, books.Index)
		if err == nil {
			stored, _, err = holder.node.PutSettings(ctx, books, nil, fmt.Appendf(nil, `{"typoExclusions":{"all":{"words":[%q]}}}`, word))
		}
		if err != nil {
			s.failed(settingsKey, word, err)
			cancel()
			continue
		}
		s.acknowledged(settingsKey, word)
		if reader := s.anyProcess(random); reader != nil {
			shown, err := reader.read(ctx, books, stored.Freshness)
			if err == nil && shown.word != word {
				s.t.Errorf("seed %d: a read with the token of settings %s shows %q", s.seed, word, shown.word)
			}
		}
		cancel()
	}
}

// reindex moves the documents from generation to generation while they are written
// (I16), and removes generations that are no longer live.
func (s *simulation) reindex(random *rand.Rand) {
	for number := 2; !s.isOver(); number++ {
		s.rest(between(random, 2*time.Second, 15*time.Second))
		p := s.anyProcess(random)
		if p == nil {
			continue
		}
		target := books.At(fmt.Sprint(number))
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		holder, err := s.writer(ctx, p, books.Index)
		if err == nil {
			err = s.attempt("reindex", target, true, func() error {
				_, _, err := holder.node.Put(ctx, node.Put{Name: target, Body: []byte(definition[random.IntN(2)]),
					HasReindex: true, Reindex: reindex.Auto})
				return holder.unlessCut(err)
			})
		}
		cancel()
		if err != nil {
			s.count("refused")
			continue
		}
		phase := s.await(random, target)
		s.count(string(phase))
		if random.IntN(2) == 0 {
			s.removeOthers(random)
		}
	}
}

// await waits for the job of books as long as there is time.
func (s *simulation) await(random *rand.Rand, target registry.Name) reindex.Phase {
	for !s.isOver() {
		s.rest(between(random, time.Second, 3*time.Second))
		p := s.anyProcess(random)
		if p == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		record, err := p.node.Reindex(ctx, books)
		if err == nil && !record.Phase.IsFinished() && random.IntN(20) == 0 {
			if holder, err := s.writer(ctx, p, books.Index); err == nil {
				_, _ = holder.node.CancelReindex(ctx, books)
			}
		}
		cancel()
		if err == nil && record.Target == target.String() && record.Phase.IsFinished() {
			return record.Phase
		}
	}
	return "unfinished"
}

// removeOthers deletes the generations of books that are not live.
func (s *simulation) removeOthers(random *rand.Rand) {
	p := s.anyProcess(random)
	if p == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	index, err := s.truth().Find(books)
	if err != nil {
		return
	}
	for _, name := range index.GenerationNames() {
		holder, err := s.writer(ctx, p, books.Index)
		if err != nil || name == index.Live {
			continue
		}
		_ = s.attempt("delete", books.At(name), false, func() error { return holder.unlessCut(holder.node.Delete(ctx, books.At(name))) })
	}
}
