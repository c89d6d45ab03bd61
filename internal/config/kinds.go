package config

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Kind is how the text of a variable is read.
type Kind string

// The kinds of variables.
const (
	KindText     Kind = "text"
	KindWord     Kind = "word"     // one of a few words
	KindBoolean  Kind = "boolean"  // true or false
	KindNumber   Kind = "number"   // a whole number
	KindSize     Kind = "size"     // bytes, with suffix K, M, G or T
	KindDuration Kind = "duration" // such as 500ms, 10s, 5m, 1h
	KindList     Kind = "list"     // words separated by commas
)

// Variable is one row of the table of variables.
type Variable struct {
	Name    string
	Kind    Kind
	Default string // empty: none
	Bounds  string // as the reference page shows them; empty: any value of the kind
	Meaning string
	Secret  bool
	Mode    string // the storage mode that reads it; empty: both

	set func(c *Config, text string) error
}

// secret marks a variable whose value is never printed.
func (v Variable) secret() Variable {
	v.Secret = true
	return v
}

// onlyObject marks a variable that local mode never reads.
func (v Variable) onlyObject() Variable {
	v.Mode = modeObject
	return v
}

func text[T ~string](name, standard, meaning string, to func(*Config) *T) Variable {
	return Variable{Name: name, Kind: KindText, Default: standard, Meaning: meaning,
		set: func(c *Config, text string) error {
			*to(c) = T(text)
			return nil
		}}
}

func word(name, standard, meaning string, words []string, to func(*Config) *string) Variable {
	return Variable{Name: name, Kind: KindWord, Default: standard, Bounds: strings.Join(words, ", "), Meaning: meaning,
		set: func(c *Config, text string) error {
			if text != "" && !slices.Contains(words, text) {
				return fmt.Errorf("%q is none of %s", text, strings.Join(words, ", "))
			}
			*to(c) = text
			return nil
		}}
}

func boolean(name string, standard bool, meaning string, to func(*Config) *bool) Variable {
	return Variable{Name: name, Kind: KindBoolean, Default: strconv.FormatBool(standard), Bounds: "true, false", Meaning: meaning,
		set: func(c *Config, text string) error {
			switch text {
			case "true":
				*to(c) = true
			case "false":
				*to(c) = false
			default:
				return fmt.Errorf("%q is neither true nor false", text)
			}
			return nil
		}}
}

func number(name, standard string, least, most int, meaning string, to func(*Config) *int) Variable {
	v := Variable{Name: name, Kind: KindNumber, Default: standard, Bounds: bounds(least, most), Meaning: meaning}
	v.set = func(c *Config, text string) error {
		if text == "unlimited" && standard == "unlimited" {
			*to(c) = 0
			return nil
		}
		if text == "auto" && standard == "auto" {
			*to(c) = -1
			return nil
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		if n < least || n > most {
			return fmt.Errorf("%d is not %s", n, v.Bounds)
		}
		*to(c) = n
		return nil
	}
	return v
}

func bounds(least, most int) string {
	if most == math.MaxInt {
		return fmt.Sprintf("at least %d", least)
	}
	return fmt.Sprintf("between %d and %d", least, most)
}

// zeroWords stand for no bound or for off, which is 0.
var zeroWords = []string{"unlimited", "off", "none", "auto"}

func size(name, standard, meaning string, to func(*Config) *int64) Variable {
	return Variable{Name: name, Kind: KindSize, Default: standard, Bounds: "at least 0", Meaning: meaning,
		set: func(c *Config, text string) error {
			if text == standard && slices.Contains(zeroWords, text) {
				*to(c) = 0
				return nil
			}
			n, err := parseSize(text)
			if err != nil {
				return err
			}
			*to(c) = n
			return nil
		}}
}

// parseSize reads bytes with an optional binary suffix.
func parseSize(text string) (int64, error) {
	shift := 0
	digits := text
	if n := len(text); n > 0 {
		if at := strings.IndexByte("KMGT", text[n-1]); at >= 0 {
			shift, digits = 10*(at+1), text[:n-1]
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 0 || digits[0] == '+' {
		return 0, fmt.Errorf("%q is not a size such as 512K, 10M or 2G", text)
	}
	if n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is too large", text)
	}
	return n << shift, nil
}

func duration(name, standard string, least time.Duration, meaning string, to func(*Config) *time.Duration) Variable {
	v := Variable{Name: name, Kind: KindDuration, Default: standard, Bounds: "at least " + shortDuration(least), Meaning: meaning}
	v.set = func(c *Config, text string) error {
		d, err := time.ParseDuration(text)
		if text == "0" {
			d, err = 0, nil
		}
		if err != nil {
			return fmt.Errorf("%q is not a duration such as 500ms, 10s, 5m or 1h", text)
		}
		if d < least {
			return fmt.Errorf("%s is not %s", text, v.Bounds)
		}
		*to(c) = d
		return nil
	}
	return v
}

func shortDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	return d.String()
}

func list(name, meaning string, to func(*Config) *[]string) Variable {
	return Variable{Name: name, Kind: KindList, Meaning: meaning,
		set: func(c *Config, text string) error {
			*to(c) = nil
			for part := range strings.SplitSeq(text, ",") {
				if part = strings.TrimSpace(part); part != "" {
					*to(c) = append(*to(c), part)
				}
			}
			return nil
		}}
}

// required makes v reject an absent value.
func (v Variable) required() Variable {
	set := v.set
	v.Bounds = "required"
	v.set = func(c *Config, text string) error {
		if text == "" {
			return errors.New("must be set: " + v.Meaning)
		}
		return set(c, text)
	}
	return v
}
