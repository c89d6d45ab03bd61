package query

// AtLeast returns the token of the state that the answer must hold, "" for any.
func (s *Search) AtLeast() string { return s.Freshness }

// AtLeast returns the token of the state that the answer must hold, "" for any.
func (s *Suggest) AtLeast() string { return s.Freshness }

// AtLeast returns the token of the state that the answer must hold, "" for any.
func (f *FacetValues) AtLeast() string { return f.Freshness }
