package snapshot

import "testing"

func TestWhoWaitsForAReleaseIsToldOnce(t *testing.T) {
	s := New(1, nil, nil)
	told := 0
	s.WhenReleased("who", func() { told++ })
	s.WhenReleased("who", func() { told += 10 })
	s.Acquire()
	s.Release()
	if told != 0 {
		t.Fatal("told before the last release")
	}
	s.Release()
	if told != 1 {
		t.Fatalf("told %d", told)
	}
	s.WhenReleased("late", func() { told += 100 })
	if told != 101 {
		t.Errorf("told %d", told)
	}
}
