package draft

import (
	"fmt"
	"strings"

	"github.com/quiresearch/quire/definition"
)

func (f *deciding) declareNumber(c *column, column *Column) (*Field, []string) {
	declared := &Field{Type: definition.Int64, Filter: used(), Sort: &Sort{}}
	if c.fractions > 0 || c.text.numbers > c.text.wholeNumbers {
		declared.Type = definition.Double
	}
	if c.text.numbers > 0 {
		column.Form = AsNumber
		column.Decimal = f.decimal(c, declared)
	}
	if c == f.key { // digits of a key are a name; only JSON numbers stay numbers
		declared.PrimaryKey = true
		if c.text.numbers == 0 && declared.Type == definition.Int64 {
			return declared, []string{"int64, key: complete and unique"}
		}
		column.Form = AsText
		return c.declareKey()
	}
	why := []string{string(declared.Type)}
	if column.Form == AsNumber && column.Decimal == ',' {
		why = append(why, "decimal comma")
	}
	if unit, reason := c.unit(); unit != "" {
		declared.Unit = unit
		why = append(why, reason)
	}
	if !c.hasOtherUnit(declared.Unit) {
		column.Unit = declared.Unit
	}
	if c == f.price {
		declared.Unit = noCurrency
		why = append(why, "no currency is named, so the unit is XXX: set one if you know it")
	}
	if n := len(c.distinct); !c.isFull && n <= 100 && n*2 <= c.values || isCurrency(declared.Unit) || hasWord(c.name, countedNames) {
		declared.Facet = used()
	}
	return declared, why
}

// decimal decides the decimal mark: from the column, otherwise from all
// columns, otherwise by a question.
func (f *deciding) decimal(c *column, declared *Field) byte {
	mark, decided := c.text.marks.Decimal()
	if !decided {
		others := c.text.marks
		for _, one := range c.columns.ordered {
			others.Merge(one.text.marks)
		}
		mark, decided = others.Decimal()
		if !decided {
			q := Question{AskDecimal, c.name, fmt.Sprintf("In %s, is the comma or point of %q a decimal mark?", c.name, c.openExample()), []string{"thousands", "decimal"}}
			f.draft.Questions = append(f.draft.Questions, q)
			mark = '.'
			if (f.chosen[q.Kind+"\x00"+q.Column] == "decimal") == strings.Contains(c.openExample(), ",") {
				mark = ','
			}
		}
	}
	for _, value := range c.sample { // 1.234 is whole if the comma is the decimal mark
		if strings.ContainsRune(value, rune(mark)) {
			declared.Type = definition.Double
			return mark
		}
	}
	if c.fractions == 0 && mark == ',' && c.text.marks.IsOpen() {
		declared.Type = definition.Int64
	}
	return mark
}

// openExample returns a sample number whose decimal mark is ambiguous.
func (c *column) openExample() string {
	for _, value := range c.sample {
		if strings.ContainsAny(value, ",.") {
			return value
		}
	}
	return ""
}

// hasOtherUnit reports whether numbers stand beside another unit than their header names.
func (c *column) hasOtherUnit(unit string) bool {
	for beside := range c.text.units {
		if OtherUnit(beside, unit) != "" {
			return true
		}
	}
	return false
}

// valueUnit returns the unit written next to the numbers.
func (c *column) valueUnit() (unit, word string) {
	for beside := range c.text.units {
		if known := unitBeside(beside); known != "" {
			return known, beside
		}
	}
	return "", ""
}

func (f *deciding) declareTimestamp(c *column, column *Column) (*Field, []string) {
	declared, why := &Field{Type: definition.Timestamp, Role: "timestamp"}, []string{"timestamp"}
	switch {
	case c.epochs+c.text.epochs == c.values:
		column.Form = AsTimestamp
		why = append(why, "counts since 1970")
	case c.text.offsets < c.texts:
		column.Form = AsTimestamp
		why = append(why, "dates without an offset are read as UTC")
		var decided bool
		column.DayFirst, decided = c.text.order.Decide()
		if !decided {
			q := Question{AskDayFirst, c.name, fmt.Sprintf("In %s, does %q begin with the day or with the month?", c.name, c.sample[0]), []string{"day", "month"}}
			f.draft.Questions = append(f.draft.Questions, q)
			column.DayFirst = f.chosen[q.Kind+"\x00"+q.Column] != "month"
		}
		if !column.DayFirst {
			why = append(why, "month first")
		} else if c.text.order.HasOrder() {
			why = append(why, "day first")
		}
	}
	return declared, why
}
