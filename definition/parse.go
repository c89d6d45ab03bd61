package definition

// Parse reads a definition body. The error holds every problem found. Problems of
// shape are reported alone, as is a shorthand that cannot be expanded.
func Parse(body []byte, capabilities Capabilities) (*Definition, error) {
	return parse(body, &reader{capabilities: capabilities})
}

// ParseStored is Parse for a definition that a node stores or returns. The bounds
// of analysis for new definitions do not apply to it.
func ParseStored(body []byte, capabilities Capabilities) (*Definition, error) {
	return parse(body, &reader{capabilities: capabilities, isStored: true})
}

func parse(body []byte, r *reader) (*Definition, error) {
	d := r.read(body)
	if err := r.shape.Err(); err != nil {
		return nil, err
	}
	r.expand(d)
	if err := r.translation.Err(); err != nil {
		return nil, err
	}
	r.check(d)
	if !r.isStored {
		r.checkBounds(d)
	}
	if err := r.rules.Err(); err != nil {
		return nil, err
	}
	return d, nil
}
