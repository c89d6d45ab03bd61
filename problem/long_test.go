package problem

import (
	"strings"
	"testing"
)

// TestLongNamesAndValuesAreShortened checks that long input is not repeated in
// full: a thousand problems with one long name would take a thousand times its
// size.
func TestLongNamesAndValuesAreShortened(t *testing.T) {
	long := strings.Repeat("é", 1<<20)
	p := DocumentFieldUnknown.At(At("documents").Item(0).Field(long).Field("x").Append("y["+long+"]"), "name", long)
	if len(p.Path) > 2*maxName+maxArgument || !strings.HasPrefix(p.Path, "documents[0].éé") || !strings.Contains(p.Path, "…") {
		t.Errorf("%d bytes of path: %.60s", len(p.Path), p.Path)
	}
	if name := p.Arguments["name"]; len(name) > maxArgument+3 || !strings.HasSuffix(name, "é…") {
		t.Errorf("%d bytes of argument", len(name))
	}
	if at := At("").Field("short"); at.String() != "short" {
		t.Error(at)
	}
}

// TestProblemsBeyondTheBoundAreCounted checks that problems beyond the bound are
// counted, so that what they concern is rejected.
func TestProblemsBeyondTheBoundAreCounted(t *testing.T) {
	var found List
	for range MaxReported + 10 {
		found.Report(IndexNotFound.New())
	}
	if found.Len() != MaxReported+10 || len(found.Problems()) != MaxReported {
		t.Errorf("%d counted, %d told", found.Len(), len(found.Problems()))
	}
}
