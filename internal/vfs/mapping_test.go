package vfs

import "testing"

func TestWhoWaitsForAReleaseIsToldOnce(t *testing.T) {
	m := NewMapping("a", []byte("x"), nil)
	told := 0
	m.WhenReleased("who", func() { told++ })
	m.WhenReleased("who", func() { told += 10 })
	m.Retain()
	must(t, m.Release())
	if told != 0 {
		t.Fatal("told before the last release")
	}
	must(t, m.Release())
	if told != 1 {
		t.Fatalf("told %d", told)
	}
	m.WhenReleased("late", func() { told += 100 })
	if told != 101 {
		t.Errorf("told %d", told)
	}
}
