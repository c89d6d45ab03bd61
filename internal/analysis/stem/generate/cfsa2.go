package main

import (
	"errors"
	"fmt"
	"strings"
)

// An automaton in CFSA2 format is a header (the magic \fsa, the version 0xC6,
// two bytes of features, the frequent labels) and the arcs of its states, one
// state after the other. An arc is a byte of flags with the number of a
// frequent label, the label itself if it is not among them, and the target
// unless the arc leads to the next state.
const (
	toNext   = 1 << 7 // leads to the following state
	lastArc  = 1 << 6 // the last arc of its state
	finalArc = 1 << 5 // an entry ends here
	labels   = 1<<5 - 1
)

var errAutomaton = errors.New("no CFSA2 automaton")

type automaton struct {
	frequent []byte
	arcs     []byte
}

// readAutomaton returns the form and base form of every entry.
func readAutomaton(data []byte) ([][2]string, error) {
	if len(data) < 8 || string(data[:4]) != `\fsa` || data[4] != 0xC6 {
		return nil, errAutomaton
	}
	if features := uint16(data[5])<<8 | uint16(data[6]); features&(1<<3) != 0 {
		return nil, fmt.Errorf("%w without numbers", errAutomaton)
	}
	size := int(data[7])
	a := automaton{frequent: data[8 : 8+size], arcs: data[8+size:]}
	var entries [][2]string
	var failed error
	a.walk(a.target(0), nil, func(entry []byte) {
		form, base, err := decode(string(entry))
		if err != nil {
			failed = err
			return
		}
		entries = append(entries, [2]string{form, base})
	})
	return entries, failed
}

func (a *automaton) walk(state int, prefix []byte, visit func([]byte)) {
	for arc := state; ; arc = a.skip(arc) {
		label := a.label(arc)
		entry := append(prefix, label)
		if a.arcs[arc]&finalArc != 0 {
			visit(entry)
		}
		if to := a.target(arc); to != 0 {
			a.walk(to, entry, visit)
		}
		if a.arcs[arc]&lastArc != 0 {
			return
		}
	}
}

func (a *automaton) label(arc int) byte {
	if n := a.arcs[arc] & labels; n > 0 {
		return a.frequent[n]
	}
	return a.arcs[arc+1]
}

// target returns the state an arc leads to, 0 if none.
func (a *automaton) target(arc int) int {
	if a.arcs[arc]&toNext != 0 {
		for a.arcs[arc]&lastArc == 0 {
			arc = a.skip(arc)
		}
		return a.skip(arc)
	}
	at := arc + 1
	if a.arcs[arc]&labels == 0 {
		at++
	}
	to, _ := a.number(at)
	return to
}

func (a *automaton) skip(arc int) int {
	flags := a.arcs[arc]
	arc++
	if flags&labels == 0 {
		arc++
	}
	if flags&toNext == 0 {
		_, arc = a.number(arc)
	}
	return arc
}

func (a *automaton) number(at int) (value, behind int) {
	for shift := 0; ; shift += 7 {
		b := a.arcs[at]
		at++
		value |= int(b&0x7f) << shift
		if b < 0x80 {
			return value, at
		}
	}
}

// decode parses an entry: the form, the construction of its base form (a letter
// that encodes how many bytes to cut, then what to append) and the tag,
// separated by +.
func decode(entry string) (form, base string, err error) {
	parts := strings.SplitN(entry, "+", 3)
	if len(parts) < 2 || parts[1] == "" {
		return "", "", fmt.Errorf("entry %q has no base form", entry)
	}
	cut := int(parts[1][0] - 'A')
	if cut == 255 { // the whole form
		cut = len(parts[0])
	}
	if cut > len(parts[0]) {
		return "", "", fmt.Errorf("entry %q cuts %d bytes", entry, cut)
	}
	return parts[0], parts[0][:len(parts[0])-cut] + parts[1][1:], nil
}
