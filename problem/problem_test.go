package problem

import (
	"errors"
	"fmt"
	"testing"
)

func TestPath(t *testing.T) {
	for _, test := range []struct {
		path Path
		want string
	}{
		{Path{}, ""},
		{Path{}.Field("documents").Item(1).Field("title"), "documents[1].title"},
		{Path{}.Item(2).Field("a"), "[2].a"},
		{Path{}.Field("metadata").Field("a.b"), `metadata["a.b"]`},
		{Path{}.Field("labels").Field("x[0]"), `labels["x[0]"]`},
		{At("query[0]").Field("clauses").Item(3), "query[0].clauses[3]"},
		{Path{}.Item(1).Append("variants[a=b].price"), "[1].variants[a=b].price"},
		{Path{}.Field("ranking").Append("[x]"), "ranking[x]"},
	} {
		if got := test.path.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestProblemRendersItsMessageAndAnswersToItsCode(t *testing.T) {
	err := fmt.Errorf("open: %w", IndexNotFound.New("name", "books"))
	if !errors.Is(err, IndexNotFound) || errors.Is(err, SettingsNotFound) {
		t.Error("errors.Is does not distinguish codes")
	}
	found := All(err)
	if len(found) != 1 || found[0].Message() != "No index or generation is called books." {
		t.Errorf("got %v", found)
	}
}

func TestAnOrdinaryErrorBecomesNodeError(t *testing.T) {
	cause := errors.New("disk on fire")
	found := All(cause)
	if len(found) != 1 || found[0].Code != NodeError || !errors.Is(found[0], cause) {
		t.Errorf("got %v", found)
	}
	if All(nil) != nil {
		t.Error("nil holds a problem")
	}
}

// TestAProblemAmongSeveralErrors checks that a problem is found among joined
// errors.
func TestAProblemAmongSeveralErrors(t *testing.T) {
	plain := errors.New("plain")
	for _, err := range []error{
		errors.Join(IndexReadonly.New()), errors.Join(plain, IndexReadonly.New()), fmt.Errorf("move: %w: %w", IndexReadonly.New(), plain),
	} {
		if found := All(err); len(found) != 1 || found[0].Code != IndexReadonly {
			t.Errorf("%v holds %v", err, found)
		}
	}
	if found := All(errors.Join(plain, plain)); len(found) != 1 || found[0].Code != NodeError {
		t.Errorf("two plain errors hold %v", found)
	}
}

func TestListErr(t *testing.T) {
	var list List
	if list.Err() != nil {
		t.Error("an empty list is an error")
	}
	list.Report(RequestBodyRequired.New())
	if p, ok := list.Err().(*Problem); !ok || p.Code != RequestBodyRequired {
		t.Errorf("one problem gives %v", list.Err())
	}
	list.Add(fmt.Errorf("field: %w", RequestValueRequired.At(At("a"))))
	if ps, ok := list.Err().(Problems); !ok || len(ps) != 2 || ps[1].Path != "a" {
		t.Errorf("two problems give %v", list.Err())
	}
}
