package api

import (
	"testing"

	"github.com/quiresearch/quire/problem"
)

// Clients are asked to retry only temporary failures.
func TestWhatPassesSaysWhenToRepeat(t *testing.T) {
	for _, code := range []*problem.Code{problem.IndexReadonly, problem.IndexClosed, problem.IndexerUnavailable, problem.IndexerUnreachable,
		problem.IndexerLeadershipUnreadable, problem.StorageIoError, problem.StorageConflict, problem.StorageUnknown, problem.SearchFreshnessUnavailable} {
		if response, _ := errorResponse(code.New()); response.Header.Get("Retry-After") == "" {
			t.Errorf("%s has no Retry-After", code.Name())
		}
	}
	for _, code := range []*problem.Code{problem.IndexAlreadyExists, problem.IndexDefinitionIncompatible, problem.IndexNotFound} {
		if response, _ := errorResponse(code.New()); response.Header.Get("Retry-After") != "" {
			t.Errorf("%s has a Retry-After", code.Name())
		}
	}
}
