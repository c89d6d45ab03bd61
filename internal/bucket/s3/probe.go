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

// racers is how many writers the probe sends at once: several stores pass one
// after the other and fail together.
const racers = 32

// Probe finds out whether a store truly enforces conditions (I21) and returns
// an error that says which one it breaks. It writes a few small objects under
// probe/ and removes them.
func Probe(ctx context.Context, b bucket.Bucket) error {
	prefix := "probe/" + rand.Text()
	keys := []string{prefix + "-a", prefix + "-b"}
	defer func() {
		// The caller's context may be done; leaving nothing behind matters more.
		clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		for _, key := range keys {
			_, _ = b.Delete(clean, key, bucket.Always)
		}
	}()
	first, err := b.PutIf(ctx, keys[0], content("one"), bucket.Absent())
	if err != nil {
		return fmt.Errorf("storage probe: %w", err)
	}
	if first.Date.IsZero() {
		return errors.New("storage probe: answers carry no date")
	}
	if _, err := b.PutIf(ctx, keys[0], content("two"), bucket.Absent()); !errors.Is(err, bucket.ErrCondition) {
		return fmt.Errorf("storage probe: creating an existing object was not refused (%w)", orNone(err))
	}
	second, err := b.PutIf(ctx, keys[0], content("three"), bucket.Matches(first.Tag))
	if err != nil {
		return fmt.Errorf("storage probe: %w", err)
	}
	if second.Tag == first.Tag {
		return errors.New("storage probe: the version does not follow the content")
	}
	if _, err := b.PutIf(ctx, keys[0], content("four"), bucket.Matches(first.Tag)); !errors.Is(err, bucket.ErrCondition) {
		return fmt.Errorf("storage probe: replacing an older version was not refused (%w)", orNone(err))
	}
	seen, object, err := bucket.ReadAll(ctx, b, keys[0], "", 1<<10)
	if err != nil {
		return fmt.Errorf("storage probe: %w", err)
	}
	if string(seen) != "three" || object.Tag != second.Tag {
		return errors.New("storage probe: a read does not see the last write")
	}
	listed, err := b.List(ctx, keys[0], "")
	if err != nil {
		return fmt.Errorf("storage probe: %w", err)
	}
	if len(listed.Entries) != 1 || listed.Entries[0].Key != keys[0] {
		return errors.New("storage probe: a listing does not see the last write")
	}
	if err := race(ctx, b, keys[1], bucket.Absent(), "creates"); err != nil {
		return err
	}
	return race(ctx, b, keys[0], bucket.Matches(second.Tag), "replaces")
}

// race sends writers at once, of which exactly one may win.
func race(ctx context.Context, b bucket.Bucket, key string, condition bucket.Condition, what string) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var winners int
	var winner string
	var failed error
	start := make(chan struct{})
	for i := range racers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			own := fmt.Sprintf("racer %d", i)
			_, err := b.PutIf(ctx, key, content(own), condition)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				winners++
				winner = own
			case errors.Is(err, bucket.ErrCondition), errors.Is(err, bucket.ErrUndecided), errors.Is(err, bucket.ErrNotFound):
			default:
				failed = err
			}
		}()
	}
	close(start)
	wg.Wait()
	if winners > 1 {
		return fmt.Errorf("storage probe: of %d %s at once %d were accepted", racers, what, winners)
	}
	if winners == 0 {
		if failed == nil {
			failed = errors.New("none was accepted")
		}
		return fmt.Errorf("storage probe: of %d %s at once: %w", racers, what, failed)
	}
	seen, _, err := bucket.ReadAll(ctx, b, key, "", 1<<10)
	if err != nil {
		return fmt.Errorf("storage probe: %w", err)
	}
	if string(seen) != winner && failed == nil {
		return fmt.Errorf("storage probe: of %d %s at once another than the winner is stored", racers, what)
	}
	return nil
}

func content(text string) bucket.Body { return bucket.Bytes([]byte(text)) }

func orNone(err error) error {
	if err == nil {
		return errors.New("it was accepted")
	}
	return err
}
