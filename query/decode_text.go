package query

import (
	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

func (d *decoder) textClause(v jsonread.Value) Clause {
	c := &TextClause{At: v.Path(), Combine: CombineTerm}
	d.text(v, &c.Text, func(name string, member jsonread.Value) bool {
		switch name {
		case "fields":
			c.Fields = d.textFields(member)
		case "combine":
			if word, ok := member.Word(string(CombineTerm), string(CombineField)); ok {
				c.Combine = Combine(word)
			}
		default:
			return false
		}
		return true
	})
	return c
}

// textFields reads the map from field to weight; null stands for the field's own
// weight.
func (d *decoder) textFields(v jsonread.Value) []TextField {
	var fields []TextField
	if v.Kind() == jsonread.ListKind {
		v.Advise(`Send fields with their weights, such as {"title": 3, "description": null}; null is the weight of the definition.`,
			problem.RequestValueInvalid, "reason", "expected an object, found a list")
		return nil
	}
	membersUpTo(v, MaxListedFields, func(name string, member jsonread.Value) {
		field := TextField{At: member.Path(), Field: name}
		if !member.IsNull() {
			if weight, ok := d.number(member, problem.SearchClauseWeightOutOfRange, isWeight); ok {
				field.Weight = &weight
			}
		}
		if blank(name) {
			member.Report(problem.SearchClauseFieldRequired)
		}
		fields = append(fields, field)
	})
	return fields
}

// text reads the members common to text clauses and text matchers; other reads the
// members that only one of them has.
func (d *decoder) text(v jsonread.Value, t *Text, other func(string, jsonread.Value) bool) {
	*t = Text{Match: MatchAll, Join: JoinAll, Prefix: PrefixLastToken, Typos: TyposAuto, Relax: RelaxUnmatched}
	hasText, hasJoin, hasMatch := false, false, true
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "text":
			hasText = !member.IsNull()
			t.Text, _ = member.Text()
		case "match":
			if word, ok := member.Word(string(MatchAll), string(MatchAny), string(MatchPhrase), string(MatchUser)); ok {
				t.Match = TextMatch(word)
			} else {
				hasMatch = member.IsNull()
			}
		case "join":
			hasJoin = !member.IsNull()
			if word, ok := member.Word(string(JoinAll), string(JoinAny)); ok {
				t.Join = Join(word)
			}
		case "prefix":
			if word, ok := member.Word(string(PrefixLastToken), string(PrefixOff)); ok {
				t.Prefix = Prefix(word)
			}
		case "typos":
			if word, ok := member.Word(string(TyposAuto), string(TyposOff)); ok {
				t.Typos = Typos(word)
			}
		case "slop":
			if n, ok := d.whole(member, 0, unbounded, problem.SearchClauseSlopOutOfRange); ok {
				t.Slop = n
			}
		case "relax":
			if word, ok := member.Word(string(RelaxUnmatched), string(RelaxWords), string(RelaxOff)); ok {
				t.Relax = Relax(word)
			}
		case "interpret":
			t.Interpret = d.interpret(member)
		default:
			return other(name, member)
		}
		return true
	})
	if !hasText {
		d.found.Report(problem.SearchClauseTextRequired.At(v.Path().Field("text")))
	}
	if !hasMatch {
		return // the rules for its other members are unknown
	}
	if hasJoin && t.Match != MatchUser {
		d.found.Report(problem.SearchClauseJoinUnsupported.At(v.Path().Field("join")))
	}
	if t.Slop > 0 && (t.Match == MatchAll || t.Match == MatchAny) {
		d.found.Report(problem.SearchClauseSlopUnsupported.At(v.Path().Field("slop")))
	}
}

// interpret reads auto, off, or an object of targets.
func (d *decoder) interpret(v jsonread.Value) Interpret {
	switch v.Kind() {
	case jsonread.NullKind:
		return Interpret{}
	case jsonread.ObjectKind:
	default:
		word, _ := v.Word("auto", "off")
		return Interpret{Off: word == "off"}
	}
	var i Interpret
	empty := true
	v.Members(func(name string, member jsonread.Value) bool {
		if name != "fields" {
			return false
		}
		empty = isShort(member, jsonread.ListKind, 1)
		i.Targets = d.targets(member, problem.SearchClauseInterpretWhenUnsupported, problem.SearchClauseFieldRequired)
		return true
	})
	if empty {
		d.found.Report(problem.SearchClauseInterpretFieldsRequired.At(v.Path().Field("fields")))
	}
	return i
}

// targets reads the targets of a value chain.
func (d *decoder) targets(v jsonread.Value, unsupported, fieldRequired *problem.Code) []Target {
	var targets []Target
	v.Items(func(_ int, item jsonread.Value) {
		t := Target{At: item.Path()}
		read := item.Members(func(name string, member jsonread.Value) bool {
			switch name {
			case "field":
				t.Field = d.name(member)
			case "when":
				t.When, t.WhenText = d.when(member, unsupported), spelled(member)
			case "fallback":
				t.Fallback, t.FallbackText = d.targets(member, unsupported, fieldRequired), spelled(member)
			default:
				return false
			}
			return true
		})
		if read {
			d.required(item, "field", t.Field, fieldRequired)
		}
		targets = append(targets, t)
	})
	return targets
}

// spelled returns the raw JSON of a member, or nil for null.
func spelled(v jsonread.Value) []byte {
	if v.IsNull() {
		return nil
	}
	return v.Raw()
}

// when reads the clauses of a value chain. It reports nested, knn and fuse at any
// depth.
func (d *decoder) when(v jsonread.Value, unsupported *problem.Code) []Clause {
	outer := d.nested
	d.nested = false
	clauses := d.clauses(v)
	d.nested = outer
	var check func([]Clause)
	check = func(clauses []Clause) {
		for _, c := range clauses {
			switch c.(type) {
			case *NestedClause, *KnnClause, *FuseClause:
				d.found.Report(unsupported.At(c.Path(), "type", c.Type()))
			default:
				check(Children(c))
			}
		}
	}
	check(clauses)
	return clauses
}
