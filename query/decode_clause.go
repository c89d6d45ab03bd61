package query

import (
	"strings"

	"github.com/quiresearch/quire/internal/jsonread"
	"github.com/quiresearch/quire/problem"
)

// clauseExample is the help for values that are not clauses or lists of clauses.
const clauseExample = `Send a list of clauses, such as [{"type": "text", "text": "red shoes", "match": "user"}].`

// clauses reads a list of clauses.
func (d *decoder) clauses(v jsonread.Value) []Clause {
	if kind := v.Kind(); kind != jsonread.ListKind && kind != jsonread.NullKind {
		v.Advise(clauseExample, problem.RequestValueInvalid, "reason", "expected a list, found "+kind.String())
		return nil
	}
	var clauses []Clause
	v.Items(func(_ int, item jsonread.Value) {
		if c := d.clause(item); c != nil {
			clauses = append(clauses, c)
		}
	})
	return clauses
}

// filters reads the filters of a search: field and nested clauses that do not
// score.
func (d *decoder) filters(v jsonread.Value) []Clause {
	return d.narrowing(v, problem.SearchFilterClauseUnsupported, problem.SearchFilterScoringUnsupported)
}

func (d *decoder) narrowing(v jsonread.Value, unsupported, scoring *problem.Code) []Clause {
	clauses := d.clauses(v)
	for _, c := range clauses {
		switch c.(type) {
		case *FieldClause, *NestedClause:
			if Scores(c) {
				d.found.Report(scoring.At(c.Path()))
			}
		default:
			d.found.Report(unsupported.At(c.Path(), "type", c.Type()))
		}
	}
	return clauses
}

// tag returns the `type` of a tagged union, or otherwise if it is absent.
func tag(v jsonread.Value, otherwise string) (string, bool) {
	kind, ok := otherwise, true
	var name []byte
	members := jsonread.Members(v.Raw())
	for members.Next() {
		if string(members.Name(&name)) != "type" {
			continue
		}
		member := jsonread.New(members.Value(), v.Path().Field("type"), v.Found())
		if member.IsNull() {
			continue
		}
		kind, ok = member.Text()
	}
	return kind, ok
}

var clauseTypes = []string{"field", "text", "knn", "nested", "and", "or", "not", "boost", "fuse"}

// typeHints maps properties that a clause without a type holds by mistake to the
// type that was probably meant.
var typeHints = map[string]string{"text": "text", "vector": "knn", "k": "knn", "path": "nested", "clauses": "and"}

// clause reads one clause and returns nil when its kind is unclear.
func (d *decoder) clause(v jsonread.Value) Clause {
	if v.Kind() != jsonread.ObjectKind {
		v.Advise(clauseExample, problem.RequestValueInvalid, "reason", "expected a clause object, found "+v.Kind().String())
		return nil
	}
	kind, ok := tag(v, "field")
	if !ok {
		return nil
	}
	if d.nested && (kind == "nested" || kind == "fuse") {
		v.Report(problem.SearchNestedClauseUnsupported, "type", kind)
	}
	switch kind {
	case "field":
		return d.fieldClause(v)
	case "text":
		return d.textClause(v)
	case "knn":
		return d.knnClause(v)
	case "nested":
		return d.nestedClause(v)
	case "and":
		return &AndClause{At: v.Path(), Clauses: d.inner(v)}
	case "or":
		return &OrClause{At: v.Path(), Clauses: d.inner(v)}
	case "not":
		return &NotClause{At: v.Path(), Clauses: d.inner(v)}
	case "boost":
		return d.boostClause(v)
	case "fuse":
		return d.fuseClause(v)
	}
	v.At(v.Path().Field("type")).Unknown(kind, "unknown clause type "+kind+"; expected one of "+strings.Join(clauseTypes, ", "), clauseTypes)
	return nil
}

// inner reads the clauses of and, or and not.
func (d *decoder) inner(v jsonread.Value) []Clause {
	var clauses []Clause
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "clauses":
			clauses = d.clauses(member)
		default:
			return false
		}
		return true
	})
	return clauses
}

func (d *decoder) fieldClause(v jsonread.Value) Clause {
	c := &FieldClause{At: v.Path()}
	hasMatch := false
	typed, _ := tag(v, "")
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "field":
			c.Field = d.name(member)
		case "match":
			if !member.IsNull() {
				hasMatch = true
				c.Match = d.matcher(member)
			}
		default:
			hint := typeHints[name]
			if hint == "" || typed != "" {
				return false
			}
			member.Advise(`Add "type": "`+hint+`" to the clause; without a type it is a field clause.`, problem.RequestPropertyUnknown, "property", name)
		}
		return true
	})
	d.required(v, "field", c.Field, problem.SearchClauseFieldRequired)
	if !hasMatch {
		d.found.Report(problem.SearchClauseMatchRequired.At(v.Path().Field("match")))
	}
	if c.Match == nil {
		c.Match = &AnyMatcher{At: v.Path().Field("match")}
	}
	return c
}

func (d *decoder) knnClause(v jsonread.Value) Clause {
	c := &KnnClause{At: v.Path()}
	hasVector, hasK := false, false
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "field":
			c.Field = d.name(member)
		case "vector":
			hasVector = !member.IsNull()
			c.Vector = d.vector(member)
		case "k":
			hasK = !member.IsNull()
			if n, ok := d.whole(member, 1, capped(d.limits.MaxKnnK), problem.SearchClauseKOutOfRange); ok {
				c.K = n
			}
		case "filter":
			c.Filter = d.clauses(member)
		default:
			return false
		}
		return true
	})
	d.required(v, "field", c.Field, problem.SearchClauseFieldRequired)
	if !hasVector {
		d.found.Report(problem.SearchClauseVectorRequired.At(v.Path().Field("vector")))
	}
	if !hasK {
		d.found.Report(problem.SearchClauseKRequired.At(v.Path().Field("k")))
	}
	return c
}

func (d *decoder) nestedClause(v jsonread.Value) Clause {
	c := &NestedClause{At: v.Path(), Score: ScoreMax}
	outer := d.nested
	d.nested = true
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "path":
			c.List = d.name(member)
		case "clauses":
			c.Clauses = d.clauses(member)
		case "score":
			if word, ok := member.Word(string(ScoreMax), string(ScoreMin), string(ScoreAvg), string(ScoreTotal)); ok {
				c.Score = NestedScore(word)
			}
		default:
			return false
		}
		return true
	})
	d.nested = outer
	d.required(v, "path", c.List, problem.SearchClausePathRequired)
	return c
}

func (d *decoder) boostClause(v jsonread.Value) Clause {
	c := &BoostClause{At: v.Path()}
	hasWeight := false
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "weight":
			hasWeight = !member.IsNull()
			c.Weight, _ = d.number(member, problem.SearchClauseWeightOutOfRange, isWeight)
		case "clauses":
			c.Clauses = d.clauses(member)
		default:
			return false
		}
		return true
	})
	if !hasWeight {
		d.found.Report(problem.SearchClauseWeightOutOfRange.At(v.Path().Field("weight")))
	}
	return c
}

func (d *decoder) fuseClause(v jsonread.Value) Clause {
	c := &FuseClause{At: v.Path(), Depth: min(DefaultFuseDepth, capped(d.limits.MaxFuseDepth)), RankConstant: DefaultRankConstant}
	tooFew := true
	v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "type":
		case "rankings":
			tooFew = isShort(member, jsonread.ListKind, 2)
			member.Items(func(_ int, item jsonread.Value) {
				c.Rankings = append(c.Rankings, d.ranking(item))
			})
		case "depth":
			if n, ok := d.whole(member, 1, capped(d.limits.MaxFuseDepth), problem.SearchClauseDepthOutOfRange); ok {
				c.Depth = n
			}
		case "rankConstant":
			if f, ok := d.number(member, problem.SearchClauseRankConstantOutOfRange, aboveZero); ok {
				c.RankConstant = f
			}
		case "filter":
			c.Filter = d.clauses(member)
		default:
			return false
		}
		return true
	})
	if tooFew {
		d.found.Report(problem.SearchClauseRankingsTooFew.At(v.Path().Field("rankings")))
	}
	return c
}

func (d *decoder) ranking(v jsonread.Value) Ranking {
	r := Ranking{At: v.Path(), Weight: 1}
	empty := true
	read := v.Members(func(name string, member jsonread.Value) bool {
		switch name {
		case "clauses":
			empty = isShort(member, jsonread.ListKind, 1)
			r.Clauses = d.clauses(member)
		case "weight":
			if f, ok := d.number(member, problem.SearchClauseWeightOutOfRange, isWeight); ok {
				r.Weight = f
			}
		default:
			return false
		}
		return true
	})
	if read && empty {
		d.found.Report(problem.SearchClauseRankingEmpty.At(v.Path().Field("clauses")))
	}
	return r
}

// vector reads a list of numbers. A number beyond the range of a double becomes
// infinite, which every field rejects.
func (d *decoder) vector(v jsonread.Value) []float64 {
	vector := []float64{}
	if v.Kind() != jsonread.ListKind {
		v.Items(nil) // reports the kind found
		return vector
	}
	items := jsonread.Items(v.Raw())
	for position := 0; items.Next(); position++ {
		f, ok := jsonread.Float64(items.Value())
		if !ok && jsonread.KindOf(items.Value()) != jsonread.NumberKind {
			item := jsonread.New(items.Value(), v.Path().Item(position), v.Found())
			if item.IsNull() {
				item.Report(problem.RequestValueRequired)
			} else {
				item.Invalid("expected a number, found " + item.Kind().String())
			}
		}
		vector = append(vector, f)
	}
	return vector
}

// misread stands for a name of the wrong kind, which was reported and is not
// missing.
const misread = "\x00"

// name reads the name of a field or list.
func (d *decoder) name(v jsonread.Value) string {
	text, ok := v.Text()
	if !ok && !v.IsNull() {
		return misread
	}
	return text
}

// required reports code for a member that is missing or blank.
func (d *decoder) required(v jsonread.Value, member, value string, code *problem.Code) {
	if blank(value) {
		d.found.Report(code.At(v.Path().Field(member)))
	}
}

// capped returns a bound, or the largest one for 0.
func capped(max int) int {
	if max == 0 {
		return 1<<31 - 1
	}
	return max
}
