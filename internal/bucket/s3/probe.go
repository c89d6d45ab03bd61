package s3

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quiresearch/quire/internal/bucket"
)

// racers is how many writers the probe sends at once: several stores pass when
// writers come one after the other and fail when they come together. The first of
// the rounds opens connections, so that the writers of the second arrive together.
const (
	racers = 32
	rounds = 2
	tries  = 4 // attempts while the store does not decide
)

// Probe checks that a store really enforces conditions and shows every write at
// once (I21), and returns an error that names the violation. It writes a few small
// objects under probe/ and removes them.
func Probe(ctx context.Context, b bucket.Bucket) error {
	p := prober{b, "probe/" + rand.Text()}
	defer p.clean(ctx)
	if err := p.conditions(ctx); err != nil {
		return fmt.Errorf("storage probe: %w", err)
	}
	if err := p.races(ctx); err != nil {
		return fmt.Errorf("storage probe: %w", err)
	}
	if err := p.removal(ctx); err != nil {
		return fmt.Errorf("storage probe: %w", err)
	}
	return nil
}

type prober struct {
	bucket bucket.Bucket
	prefix string
}

func (p prober) main() string { return p.prefix + "-a" }

func (p prober) created(round int) string { return fmt.Sprintf("%s-%d", p.prefix, round) }

// clean removes the objects of the probe, even when the caller's context has ended.
func (p prober) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	_, _ = p.bucket.Delete(ctx, p.main(), bucket.Always)
	for round := range rounds {
		_, _ = p.bucket.Delete(ctx, p.created(round), bucket.Always)
	}
}

// put writes, and retries while the store does not decide.
func (p prober) put(ctx context.Context, key, text string, condition bucket.Condition) (bucket.Written, error) {
	for try := 1; ; try++ {
		written, err := p.bucket.PutIf(ctx, key, content(text), condition)
		if !errors.Is(err, bucket.ErrUndecided) || try == tries || !wait(ctx, try) {
			return written, err
		}
	}
}

// wait pauses before another attempt and reports whether there is time for one.
func wait(ctx context.Context, try int) bool {
	timer := time.NewTimer(100 * time.Millisecond << try)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// conditions checks conditions one after the other, and that a write is visible.
func (p prober) conditions(ctx context.Context) error {
	first, err := p.put(ctx, p.main(), "one", bucket.Absent())
	if err != nil {
		return err
	}
	if first.Date.IsZero() {
		return errors.New("answers carry no date")
	}
	if _, err := p.put(ctx, p.main(), "two", bucket.Absent()); !errors.Is(err, bucket.ErrCondition) {
		return fmt.Errorf("creating an existing object was not refused (%w)", orNone(err))
	}
	second, err := p.put(ctx, p.main(), "three", bucket.Matches(first.Tag))
	if err != nil {
		return fmt.Errorf("replacing the newest version: %w", err)
	}
	if second.Tag == first.Tag {
		return errors.New("the version does not follow the content")
	}
	if _, err := p.put(ctx, p.main(), "four", bucket.Matches(first.Tag)); !errors.Is(err, bucket.ErrCondition) {
		return fmt.Errorf("replacing an older version was not refused (%w)", orNone(err))
	}
	return p.sees(ctx, "three", first.Tag, second.Tag)
}

// sees checks that reads, also conditional ones, and listings show the last write.
func (p prober) sees(ctx context.Context, text string, before, now bucket.Tag) error {
	for _, unless := range []bucket.Tag{"", before} {
		seen, object, err := bucket.ReadAll(ctx, p.bucket, p.main(), unless, 1<<10)
		if err != nil {
			return fmt.Errorf("read the last write: %w", err)
		}
		if string(seen) != text || object.Tag != now {
			return errors.New("a read does not see the last write")
		}
		if object.Date.IsZero() {
			return errors.New("answers to reads carry no date")
		}
	}
	if object, err := p.bucket.Get(ctx, p.main(), now); !errors.Is(err, bucket.ErrNotModified) {
		if err == nil {
			_ = object.Body.Close()
		}
		return fmt.Errorf("reading an unchanged object again was not spared (%w)", orNone(err))
	}
	listed, err := p.bucket.List(ctx, p.main(), "")
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if len(listed.Entries) != 1 || listed.Entries[0].Key != p.main() || listed.Entries[0].Size != int64(len(text)) {
		return errors.New("a listing does not see the last write")
	}
	if listed.Date.IsZero() || listed.Entries[0].Modified.IsZero() {
		return errors.New("listings carry no date")
	}
	return nil
}

// removal checks that an older version cannot be removed and that a removed object
// is gone at once.
func (p prober) removal(ctx context.Context) error {
	_, object, err := bucket.ReadAll(ctx, p.bucket, p.main(), "", 1<<10)
	if err != nil {
		return err
	}
	newer, err := p.put(ctx, p.main(), "last", bucket.Matches(object.Tag))
	if err != nil {
		return err
	}
	if _, err := p.bucket.Delete(ctx, p.main(), bucket.Matches(object.Tag)); !errors.Is(err, bucket.ErrCondition) {
		return fmt.Errorf("removing an older version was not refused (%w)", orNone(err))
	}
	if _, err := p.bucket.Delete(ctx, p.main(), bucket.Matches(newer.Tag)); err != nil {
		return fmt.Errorf("remove the newest version: %w", err)
	}
	if _, _, err := bucket.ReadAll(ctx, p.bucket, p.main(), "", 1<<10); !errors.Is(err, bucket.ErrNotFound) {
		return fmt.Errorf("a read sees what was removed (%w)", orNone(err))
	}
	listed, err := p.bucket.List(ctx, p.main(), "")
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	if len(listed.Entries) != 0 {
		return errors.New("a listing sees what was removed")
	}
	return nil
}

// races sends concurrent writers: creations of one object, then replacements of one
// version.
func (p prober) races(ctx context.Context) error {
	for round := range rounds {
		if err := p.race(ctx, p.created(round), bucket.Absent(), round, "creations"); err != nil {
			return err
		}
		_, object, err := bucket.ReadAll(ctx, p.bucket, p.main(), "", 1<<10)
		if err != nil {
			return err
		}
		if err := p.race(ctx, p.main(), bucket.Matches(object.Tag), round, "replacements"); err != nil {
			return err
		}
	}
	return nil
}

// race sends concurrent writers, of which exactly one may win. It retries if the
// store accepts none of them.
func (p prober) race(ctx context.Context, key string, condition bucket.Condition, round int, what string) error {
	for try := 1; ; try++ {
		won, failed := p.run(ctx, key, condition, round)
		switch {
		case len(won) > 1:
			return fmt.Errorf("of %d %s at once %d were accepted", racers, what, len(won))
		case len(won) == 1:
			return p.holds(ctx, key, won[0], failed, what)
		case failed != nil:
			return fmt.Errorf("of %d %s at once none was accepted: %w", racers, what, failed)
		case try == tries || !wait(ctx, try):
			return fmt.Errorf("of %d %s at once none was accepted", racers, what)
		}
	}
}

type winner struct {
	text string
	tag  bucket.Tag
}

// run returns the winners of a race, and an error whose writer may have won without
// an answer. Every round writes other content: versions of the same content may be
// equal.
func (p prober) run(ctx context.Context, key string, condition bucket.Condition, round int) (won []winner, failed error) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	start := make(chan struct{})
	for i := range racers {
		wg.Go(func() {
			<-start
			own := fmt.Sprintf("racer %d of round %d", i, round)
			written, err := p.bucket.PutIf(ctx, key, content(own), condition)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				won = append(won, winner{own, written.Tag})
			case errors.Is(err, bucket.ErrCondition), errors.Is(err, bucket.ErrUndecided), errors.Is(err, bucket.ErrNotFound):
			default:
				failed = err
			}
		})
	}
	close(start)
	wg.Wait()
	return won, failed
}

// holds checks that the content written by the winner of a race is stored.
func (p prober) holds(ctx context.Context, key string, won winner, failed error, what string) error {
	seen, object, err := bucket.ReadAll(ctx, p.bucket, key, "", 1<<10)
	if err != nil {
		return fmt.Errorf("read the winner of %s: %w", what, err)
	}
	if string(seen) == won.text && object.Tag == won.tag {
		return nil
	}
	if failed != nil {
		return fmt.Errorf("of %d %s at once one was accepted, and another whose answer is not known is stored: %w", racers, what, failed)
	}
	return fmt.Errorf("of %d %s at once, the stored one is not the accepted one", racers, what)
}

func content(text string) bucket.Body { return bucket.Bytes([]byte(text)) }

func orNone(err error) error {
	if err == nil {
		return errors.New("it was accepted")
	}
	return err
}
