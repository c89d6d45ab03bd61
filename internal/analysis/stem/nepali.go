package stem

// nepali is the Nepali stemmer of Snowball.
type nepali struct{ tables func() tables }

func (n nepali) AppendStem(_ *Scratch, dst, word []byte) []byte {
	t := n.tables()
	w := word
	if r, size, ok := t["case"].suffix(w, 0); ok {
		rest := w[:len(w)-size]
		if r.to == "1" || !hasSuffix(rest, "ए") && !hasSuffix(rest, "े") {
			w = rest
		}
	}
	for {
		if r, size, ok := t["vowel"].suffix(w, 0); ok {
			rest := w[:len(w)-size]
			switch {
			case r.to == "2":
				if hasSuffix(rest, "त्र") {
					w = rest
				}
			case hasSuffix(rest, "यौ"), hasSuffix(rest, "छौ"), hasSuffix(rest, "नौ"), hasSuffix(rest, "थे"):
				w = rest
			}
		}
		_, size, ok := t["verb"].suffix(w, 0)
		if !ok {
			return append(dst, w...)
		}
		w = w[:len(w)-size]
	}
}
