package invariant

import "testing"

func TestCheckPanicsOnlyWhenEnabled(t *testing.T) {
	panicked := func(holds bool) (did bool) {
		defer func() { did = recover() != nil }()
		Check(holds, "T1: %d", 1)
		return false
	}
	if panicked(true) {
		t.Fatal("a condition that holds must not panic")
	}
	if panicked(false) != Enabled {
		t.Fatalf("broken condition: want panic %v", Enabled)
	}
}
