package metrics

import "time"

// Search times a search.
func (s *Set) Search(index string, ended Outcome, took time.Duration) {
	s.observe("service.search", took, s.searchTags(ended, index)...)
}

// Suggest times a suggest request.
func (s *Set) Suggest(index string, ended Outcome, took time.Duration) {
	s.observe("service.suggest", took, s.searchTags(ended, index)...)
}

// FacetValues times a facet values request.
func (s *Set) FacetValues(index string, ended Outcome, took time.Duration) {
	s.observe("service.facet.values", took, s.searchTags(ended, index)...)
}

// Explain times an explain request.
func (s *Set) Explain(index string, ended Outcome, took time.Duration) {
	s.observe("service.explain", took, s.searchTags(ended, index)...)
}

// Relaxed counts words dropped before a query matched.
func (s *Set) Relaxed(reason string, words int) {
	s.count("service.search.relaxation", words, reason)
}

// Interpreted counts filters read from typed text; kind is number or value.
func (s *Set) Interpreted(kind string, filters int) {
	s.count("service.search.interpretation", filters, kind)
}

// Pieces counts collected pieces; thread is pool or request.
func (s *Set) Pieces(thread string, pieces int) {
	s.count("service.search.pieces", pieces, thread)
}

// The operations of Write and WriteDocuments.
const (
	OperationAdd           = "add"
	OperationUpdate        = "update"
	OperationDelete        = "delete"
	OperationDeleteByQuery = "delete_by_query"
)

// Write times a document write.
func (s *Set) Write(operation string, ended Outcome, took time.Duration) {
	s.observe("service.write", took, operation, string(ended))
}

// WriteDocuments counts the documents of a successful write.
func (s *Set) WriteDocuments(operation string, documents int) {
	s.count("service.write.documents", documents, operation)
}

// Forwarded counts a write forwarded to the node that writes the index; outcome is
// success, unreachable, unavailable, stale or abandoned.
func (s *Set) Forwarded(outcome string) { s.count("service.write.forwarded", 1, outcome) }

// APIError counts a failed request.
func (s *Set) APIError(code string) { s.count("service.api.error", 1, code) }

// AuthFailure counts a refused credential; reason is unauthenticated,
// forbidden or not_covered.
func (s *Set) AuthFailure(reason string) { s.count("service.auth.failure", 1, reason) }

// Panic counts a panic caught while a request was served.
func (s *Set) Panic() { s.count("service.api.panic", 1) }
