package generations

// This file is the life of a generation on one node: a finite state machine. It is
// a pure table, from state and event to next state and actions; it holds no lock
// and calls nothing. Set.fire is the only place that changes a state, and performs
// the actions. LIFECYCLE.md shows the table as a diagram.
//
// For example, a node reads an index and then takes it over:
//
//	absent          askCopy    -> opening copy     start copy
//	opening copy    opened     -> copy
//	copy            askWriter  -> promoting        promote
//	promoting       askCopy    -> promoting        use copy      reads go on
//	promoting       failed     -> copy             fall back, back off
//	copy            askWriter  -> promoting        promote       after the backoff
//	promoting       opened     -> writer           retire copy
//	writer          demote     -> leaving          shut          another node took over
//	leaving         askCopy    -> opening copy     start copy    waits for the close
//	opening copy    left       -> opening copy
//
// In local mode this node writes every generation, so the states of copies do not
// occur.

// state is the state of a generation on this node.
type state uint8

const (
	absent        state = iota // not open; the directory may hold a copy
	openingCopy                // being opened read-only
	openingWriter              // being opened to write; reads wait for it too
	servingCopy                // open read-only, and brought up to date by pulls
	promoting                  // being opened to write while the copy answers reads
	writing                    // open to write; it may have failed and wait to be replaced
	leaving                    // being closed, or losing its files; the next open waits for the end
	removed                    // deleted by a client; opened only after it is restored
	states        = iota
)

var stateNames = [states]string{"absent", "opening copy", "opening writer", "copy", "promoting", "writer", "leaving", "removed"}

func (s state) String() string { return stateNames[s] }

// isHeld reports whether something is open or being opened that counts towards
// Options.MaxOpen.
func (s state) isHeld() bool {
	return s == openingCopy || s == openingWriter || s == servingCopy || s == promoting || s == writing
}

// event is what happens to a generation.
type event uint8

const (
	askCopy   event = iota // a read of an index that another node writes
	askEither              // a read of an index that this node writes
	askWriter              // a write, or a log that must be finished
	opened                 // the engine is open
	failed                 // the engine failed to open
	shutDown               // the generation is evicted, or the node stops
	demote                 // another node writes the index now
	replace                // the writer takes no more writes and must be opened again
	drop                   // the files of the copy must be removed to free disk space
	left                   // the generation was closed, or its files were dropped
	remove                 // a client deleted it
	restore                // the registry lists it again
	events    = iota
)

var eventNames = [events]string{"askCopy", "askEither", "askWriter", "opened", "failed", "shutDown", "demote", "replace", "drop", "left", "remove", "restore"}

func (e event) String() string { return eventNames[e] }

// action is something that a transition makes the Set do.
type action uint8

const (
	startCopy   action = iota // open the engine read-only, after the departure under way
	startWriter               // open the engine to write, after the departure under way; refused during a backoff
	promote                   // open a writer over the copy; refused during a backoff
	supersede                 // close the copy that is being opened once it is open
	useCurrent                // give the caller the instance that is open or being opened
	useCopy                   // give the caller the copy that the writer will replace
	retireCopy                // close the copy that a writer replaced, if there is one
	fallBack                  // go back to the copy, if there is one
	backOff                   // do not open a writer again for a while
	shut                      // close what is open, in the background
	dropFiles                 // delete the directory, which the bucket holds in full
	abandon                   // end the open under way and all last commits
	deleteFiles               // delete the directory for good
	refuse                    // answer index:closed
	actions     = iota
)

var actionNames = [actions]string{"start copy", "start writer", "promote", "supersede", "use current", "use copy", "retire copy", "fall back", "back off", "shut", "drop files", "abandon", "delete files", "refuse"}

func (a action) String() string { return actionNames[a] }

// transition is the effect of an event in a state.
type transition struct {
	next     state
	actions  []action
	isListed bool // false: the event cannot happen in the state
}

func to(next state, actions ...action) transition {
	return transition{next: next, actions: actions, isListed: true}
}

// has reports whether the transition includes an action.
func (t transition) has(wanted action) bool {
	for _, one := range t.actions {
		if one == wanted {
			return true
		}
	}
	return false
}

// opensWriter reports whether the transition begins to open a writer, which
// replaces the manifest and adds to the log. Such a transition is not made during a
// backoff.
func (t transition) opensWriter() bool { return t.has(startWriter) || t.has(promote) }

// lifecycle is the table. A pair that is not listed cannot happen (GN6).
var lifecycle = [states][events]transition{
	absent: {
		askCopy:   to(openingCopy, startCopy),
		askEither: to(openingWriter, startWriter),
		askWriter: to(openingWriter, startWriter),
		demote:    to(absent),
		drop:      to(leaving, dropFiles),
		remove:    to(removed, deleteFiles),
	},
	openingCopy: {
		askCopy:   to(openingCopy, useCurrent),
		askEither: to(openingWriter, supersede, startWriter),
		askWriter: to(openingWriter, supersede, startWriter),
		opened:    to(servingCopy),
		failed:    to(absent, fallBack),
		demote:    to(openingCopy),
		left:      to(openingCopy),
		remove:    to(removed, abandon, deleteFiles),
	},
	openingWriter: {
		askCopy:   to(openingWriter, useCurrent),
		askEither: to(openingWriter, useCurrent),
		askWriter: to(openingWriter, useCurrent),
		opened:    to(writing),
		failed:    to(absent, fallBack, backOff),
		demote:    to(openingWriter), // checked again once it is open
		left:      to(openingWriter),
		remove:    to(removed, abandon, deleteFiles),
	},
	servingCopy: {
		askCopy:   to(servingCopy, useCurrent),
		askEither: to(servingCopy, useCurrent),
		askWriter: to(promoting, promote),
		shutDown:  to(leaving, shut),
		demote:    to(servingCopy),
		remove:    to(removed, abandon, deleteFiles),
	},
	promoting: {
		askCopy:   to(promoting, useCopy),
		askEither: to(promoting, useCopy),
		askWriter: to(promoting, useCurrent),
		opened:    to(writing, retireCopy),
		failed:    to(servingCopy, fallBack, backOff),
		demote:    to(promoting),
		remove:    to(removed, abandon, deleteFiles),
	},
	writing: {
		askCopy:   to(writing, useCurrent),
		askEither: to(writing, useCurrent),
		askWriter: to(writing, useCurrent),
		shutDown:  to(leaving, shut),
		demote:    to(leaving, shut),
		replace:   to(leaving, shut),
		remove:    to(removed, abandon, deleteFiles),
	},
	leaving: {
		askCopy:   to(openingCopy, startCopy),
		askEither: to(openingWriter, startWriter),
		askWriter: to(openingWriter, startWriter),
		demote:    to(leaving),
		left:      to(absent),
		remove:    to(removed, abandon, deleteFiles),
	},
	removed: {
		askCopy:   to(removed, refuse),
		askEither: to(removed, refuse),
		askWriter: to(removed, refuse),
		opened:    to(removed, retireCopy), // the removal waits for it, then shuts it
		failed:    to(removed, fallBack),
		shutDown:  to(removed, shut),
		demote:    to(removed),
		drop:      to(removed, dropFiles),
		left:      to(removed),
		remove:    to(removed, abandon, deleteFiles),
		restore:   to(absent),
	},
}

// step returns the transition of an event in a state.
func step(s state, e event) transition { return lifecycle[s][e] }
