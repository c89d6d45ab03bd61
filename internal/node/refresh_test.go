package node

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
	"github.com/quiresearch/quire/internal/bucket/faultbucket"
	"github.com/quiresearch/quire/internal/bucket/memory"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/registry"
	"github.com/quiresearch/quire/internal/vfs"
	"github.com/quiresearch/quire/problem"
)

// three returns two candidates and a node that only searches, which uses a
// connection that can be cut.
func three(t *testing.T) (a, b, c *fixture, cut *cutBucket) {
	t.Helper()
	under := memory.New(nil)
	cut = &cutBucket{Bucket: under}
	a, b = sharedNode(t, under, vfs.Memory(), "a"), sharedNode(t, under, vfs.Memory(), "b")
	return a, b, sharedNodeBy(t, cut, vfs.Memory(), "c", false), cut
}

// commitAll writes documents and commits them, and returns the token of the write.
func (f *fixture) commitAll(name string, documents ...string) string {
	f.Helper()
	token := f.mustWrite(name, documents...)
	if _, err := f.Commit(f.Context(), parse(f, name)); err != nil {
		f.Fatal(err)
	}
	return token
}

// I7, F26: a token of the newest index of a name is reached on a node that still
// knows the previous one; a token of the previous one is refused (R15).
func TestATokenOfAnIndexThatWasCreatedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b, c, _ := three(t)
		b.mustPut("books", books)
		before := b.commitAll("books", book(1, "one"))
		if got := c.documents("books", before); len(got) != 1 {
			t.Fatalf("before: %v", got)
		}
		if err := b.Delete(t.Context(), parse(t, "books")); err != nil {
			t.Fatal(err)
		}
		b.mustPut("books", books)
		after := b.commitAll("books", book(2, "two"), book(3, "three"))
		if got, err := c.tryDocuments("books", after); err != nil || len(got) != 2 {
			t.Errorf("with the token of the newest index: %v, %v", got, err)
		}
		_, err := c.tryDocuments("books", before)
		refused(t, "with the token of the index that was deleted", err, problem.SearchFreshnessIndexMismatch)
	})
}

// I7: a token makes a node find an index or a generation that it does not know,
// also right after it looked for another name.
func TestATokenOfWhatANodeDoesNotKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c, cut := three(t)
		for _, f := range []*fixture{a, c} {
			_, err := f.tryDocuments("nothing", "")
			refused(t, "a name that does not exist", err, problem.IndexNotFound)
		}
		b.mustPut("books", books)
		token := b.commitAll("books", book(1, "one"))
		for _, f := range []*fixture{a, c} {
			_, err := f.tryDocuments("books", "")
			refused(t, "without a token", err, problem.IndexNotFound)
		}
		for _, f := range []*fixture{a, c} {
			if got, err := f.tryDocuments("books", token); err != nil || len(got) != 1 {
				t.Errorf("a new index: %v, %v", got, err)
			}
		}
		b.mustPut("books@2", books)
		token = b.commitAll("books@2", book(1, "one"), book(2, "two"))
		for _, f := range []*fixture{a, c} {
			if got, err := f.tryDocuments("books@2", token); err != nil || len(got) != 2 {
				t.Errorf("a new generation: %v, %v", got, err)
			}
		}
		// Another generation of the same name.
		if err := b.Delete(t.Context(), parse(t, "books@2")); err != nil {
			t.Fatal(err)
		}
		b.mustPut("books@2", books)
		token = b.commitAll("books@2", book(1, "one"), book(2, "two"), book(3, "three"))
		for _, f := range []*fixture{a, c} {
			if got, err := f.tryDocuments("books@2", token); err != nil || len(got) != 3 {
				t.Errorf("a generation that was created anew: %v, %v", got, err)
			}
		}
		// A name that does not exist is not found, whatever token is sent.
		_, err := c.tryDocuments("nothing", token)
		refused(t, "a name that does not exist, with a token", err, problem.IndexNotFound)
		b.mustPut("more", books)
		token = b.commitAll("more", book(1, "one"))
		cut.off.Store(true)
		began := time.Now()
		_, err = c.tryDocuments("more", token)
		unreached(t, "while the bucket is away", err, "it cannot be read from storage")
		if took := time.Since(began); took < 10*time.Second || took > 12*time.Second {
			t.Errorf("answered after %v", took)
		}
	})
}

// A read with a token waits for a bucket that is away if the node never opened the
// index and so holds nothing of it.
func TestATokenOfWhatWasNeverOpenedWaitsForTheBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, b, c, cut := three(t)
		b.mustPut("books", books)
		token := b.commitAll("books", book(1, "one"))
		time.Sleep(2 * defaultRefreshInterval)
		cut.off.Store(true)
		_, err := c.tryDocuments("books", "")
		refused(t, "without a token", err, problem.StorageIoError)
		began := time.Now()
		_, err = c.tryDocuments("books", token)
		refused(t, "with a token", err, problem.SearchFreshnessUnavailable)
		if took := time.Since(began); took < 10*time.Second || took > 12*time.Second {
			t.Errorf("answered after %v", took)
		}
		time.AfterFunc(3*time.Second, func() { cut.off.Store(false) })
		if got, err := c.tryDocuments("books", token); err != nil || len(got) != 1 {
			t.Errorf("with the bucket back: %v, %v", got, err)
		}
	})
}

// counted counts the reads of the registry and makes each take a while.
type counted struct {
	bucket.Bucket
	reads, atOnce, most atomic.Int64
}

func (c *counted) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if key == "registry" {
		c.reads.Add(1)
		c.most.Store(max(c.most.Load(), c.atOnce.Add(1)))
		defer c.atOnce.Add(-1)
		time.Sleep(5 * time.Millisecond)
	}
	return c.Bucket.Get(ctx, key, unless)
}

// S19: invented tokens make a node read the bucket no more often than the pause
// between two refreshes allows, and never twice at once.
func TestMadeUpTokensDoNotFloodTheBucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		reads := &counted{Bucket: under}
		sharedNode(t, under, vfs.Memory(), "a").mustPut("books", books)
		c := sharedNodeBy(t, reads, vfs.Memory(), "c", false)
		c.documents("books", "")
		before, began := reads.reads.Load(), time.Now()
		var asking sync.WaitGroup
		for range 50 {
			asking.Go(func() {
				for i := range 20 {
					token := freshness.Token{Index: registry.NewID(), IndexName: "books", Generation: registry.NewID()}.String()
					_, err := c.tryDocuments("books", token)
					refused(t, "a made up token", err, problem.SearchFreshnessIndexMismatch)
					_, err = c.tryDocuments(fmt.Sprint("nothing", i), token)
					refused(t, "a made up name", err, problem.IndexNotFound)
				}
			})
		}
		asking.Wait()
		took := time.Since(began)
		if got, most := reads.reads.Load()-before, int64(took/refreshPause)+took.Milliseconds()/5000+2; got > most {
			t.Errorf("%d reads in %v, %d are allowed", got, took, most)
		}
		if reads.most.Load() > 2 { // one for tokens besides that of the refresh
			t.Errorf("%d reads at once", reads.most.Load())
		}
	})
}

// A caller that leaves does not end the refresh of the others.
func TestALookGoesOnForThoseWhoStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under := memory.New(nil)
		b := sharedNode(t, under, vfs.Memory(), "b")
		c := sharedNodeBy(t, &counted{Bucket: under}, vfs.Memory(), "c", false)
		b.mustPut("books", books)
		token := b.commitAll("books", book(1, "one"))
		leaving, leave := context.WithCancel(t.Context())
		left := make(chan error)
		go func() { left <- c.deployment.refresh(leaving) }()
		synctest.Wait()
		time.AfterFunc(time.Millisecond, leave)
		if got, err := c.tryDocuments("books", token); err != nil || len(got) != 1 {
			t.Errorf("%v, %v", got, err)
		}
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left: %v", err)
		}
	})
}

// A definition that is put again is an update, even on a node that does not know
// yet that another node created the index or the generation.
func TestADefinitionIsPutAgainOnAnotherNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, c, _ := three(t)
		for _, f := range []*fixture{a, c} {
			_, err := f.tryDocuments("nothing", "")
			refused(t, "a name that does not exist", err, problem.IndexNotFound)
		}
		for i := range 8 { // names decide which node gets an index without a writer
			name := fmt.Sprint("books", i)
			b.mustPut(name, books)
			time.Sleep(time.Millisecond)
			for _, f := range []*fixture{a, c} {
				if address, err := f.WriterAddress(t.Context(), name, true); err != nil || address != "http://b" {
					t.Errorf("%s goes to %q, %v", name, address, err)
				}
			}
		}
		b.mustPut("shop", books)
		for _, f := range []*fixture{a, c} {
			if address, err := f.WriterAddress(t.Context(), "shop@2", true); err != nil || address != "http://b" {
				t.Errorf("a generation goes to %q, %v", address, err)
			}
		}
		// A generation that a repair on another node brought back.
		b.mustPut("shop@2", books)
		b.commitAll("shop@2", book(1, "one"))
		if err := b.Delete(t.Context(), parse(t, "shop@2")); err != nil {
			t.Fatal(err)
		}
		if done, err := c.RepairRegistry(t.Context(), registry.RepairRequest{Restore: []registry.Name{parse(t, "shop@2")}}); err != nil || len(done.Restored) != 1 {
			t.Fatalf("restored %v, %v", done, err)
		}
		if address, err := b.WriterAddress(t.Context(), "shop@2", true); err != nil || address != "" {
			t.Errorf("the generation goes to %q, %v", address, err)
		}
		if _, created, err := b.put("shop@2", books); err != nil || created {
			t.Errorf("the generation is put again: created %v, %v", created, err)
		}
	})
}

// slowRegistry is a bucket whose registry takes a second to read.
type slowRegistry struct{ bucket.Bucket }

func (s slowRegistry) Get(ctx context.Context, key string, unless bucket.Tag) (bucket.Object, error) {
	if key == "registry" {
		time.Sleep(time.Second)
	}
	return s.Bucket.Get(ctx, key, unless)
}

// Requests that come while an unknown name is looked up wait for that look-up.
func TestAllRequestsForAnIndexThatAnotherNodeCreatedFindIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(nil)
		a, c := sharedNode(t, b, vfs.Memory(), "a"), sharedNode(t, slowRegistry{b}, vfs.Memory(), "c")
		time.Sleep(2*defaultRefreshInterval + 10*time.Second) // between two refreshes
		a.mustPut("books", books)
		var requests sync.WaitGroup
		for i := range 4 {
			requests.Go(func() {
				time.Sleep(time.Duration(i) * 100 * time.Millisecond)
				if _, err := c.resolve(t.Context(), parse(t, "books")); err != nil {
					t.Errorf("request %d: %v", i, err)
				}
			})
		}
		requests.Wait()
	})
}

// A name that a caller creates is looked up once; if the bucket hangs, the creation
// waits no longer than that.
func TestAnUnknownNameIsLookedUpOnceBeforeACreation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int32
		quiet := &still{Bucket: faultbucket.New(memory.New(nil), func(call faultbucket.Call) faultbucket.Fault {
			if call.Op == "get" && call.Key == "registry" {
				reads.Add(1)
			}
			return faultbucket.None
		})}
		f := sharedNode(t, quiet, vfs.Memory(), "a")
		time.Sleep(time.Minute + 7*time.Millisecond) // when nothing else is due
		synctest.Wait()
		before := reads.Load()
		if address, err := f.WriterAddress(t.Context(), "books", true); err != nil || address != "" {
			t.Errorf("%q, %v", address, err)
		}
		if now := reads.Load(); now != before+1 {
			t.Errorf("the registry was read %d times", now-before)
		}
		time.Sleep(time.Minute)
		quiet.reads.Store(true)
		began := time.Now()
		if address, err := f.WriterAddress(t.Context(), "books", true); err != nil || address != "" {
			t.Errorf("%q, %v", address, err)
		}
		if took := time.Since(began); took > refreshLimit {
			t.Errorf("answered after %v", took)
		}
		quiet.reads.Store(false)
	})
}
