package definition

// Parse reads a definition body. The error holds every problem found; problems
// of the body's shape are reported alone, and so is a shorthand that cannot be
// expanded.
func Parse(body []byte, capabilities Capabilities) (*Definition, error) {
	r := &reader{capabilities: capabilities}
	d := r.read(body)
	if err := r.shape.Err(); err != nil {
		return nil, err
	}
	r.expand(d)
	if err := r.translation.Err(); err != nil {
		return nil, err
	}
	r.check(d)
	if err := r.rules.Err(); err != nil {
		return nil, err
	}
	return d, nil
}
