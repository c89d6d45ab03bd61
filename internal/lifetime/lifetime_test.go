package lifetime

import (
	"context"
	"testing"
)

func TestContextEndsWithTheLifetime(t *testing.T) {
	l := New()
	first, cancelFirst := l.Context(t.Context())
	defer cancelFirst()
	second, cancelSecond := l.Context(t.Context())
	if first.Err() != nil || second.Err() != nil || l.HasEnded() {
		t.Fatal("a context ended before the lifetime")
	}
	cancelSecond()
	if second.Err() == nil || first.Err() != nil {
		t.Fatal("canceling one context must end that one alone")
	}
	if len(l.derived) != 1 {
		t.Fatalf("the lifetime keeps %d contexts, want the one that has not ended", len(l.derived))
	}
	l.End()
	l.End()
	if first.Err() == nil || !l.HasEnded() {
		t.Fatal("a context outlived the lifetime")
	}
	<-l.Done()
	late, cancelLate := l.Context(t.Context())
	defer cancelLate()
	if late.Err() == nil {
		t.Fatal("a context began after the lifetime ended")
	}
}

func TestContextEndsWithItsParent(t *testing.T) {
	l := New()
	parent, leave := context.WithCancel(t.Context())
	ctx, cancel := l.Context(parent)
	defer cancel()
	leave()
	if ctx.Err() == nil || l.HasEnded() {
		t.Fatal("a context must end with its parent, and the lifetime must not")
	}
}
