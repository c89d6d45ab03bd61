package api

import (
	"slices"

	"github.com/quiresearch/quire/internal/auth"
	"github.com/quiresearch/quire/internal/freshness"
	"github.com/quiresearch/quire/internal/metrics"
	"github.com/quiresearch/quire/problem"
)

// Tags group the operations of the description.
const (
	tagIndexes   = "Indexes"
	tagSettings  = "Search settings"
	tagReindexes = "Reindexes"
	tagIndexers  = "Indexers"
	tagRegistry  = "Registry"
	tagKeys      = "API keys"
	tagDocuments = "Documents"
	tagSearch    = "Search"
	tagNode      = "Node"
)

// tagText says what the operations of a tag are for.
var tagText = map[string]string{
	tagIndexes:   "Create, read, change and delete indexes and their generations.",
	tagSettings:  "Ranking, synonyms, typo exclusions and suggestions of an index, changed without reindexing.",
	tagReindexes: "Jobs that fill a generation from another one.",
	tagIndexers:  "Which node writes which index.",
	tagRegistry:  "Compare and repair the list of indexes in the bucket.",
	tagKeys:      "Credentials and what they may do.",
	tagDocuments: "Add, read, change and delete documents.",
	tagSearch:    "Search, explain, suggest and complete facet values.",
	tagNode:      "Health, meters and this description.",
}

const (
	adminIndexes = "/v1alpha1/admin/indexes"
	adminIndex   = adminIndexes + "/{name}"
	adminJobs    = "/v1alpha1/admin/reindexes"
	adminKeys    = "/v1alpha1/admin/keys"
	dataIndex    = "/v1alpha1/indexes/{name}"
	dataDocument = dataIndex + "/documents/{key}"
)

var listingQuery = []string{"prefix", "limit", "after"}

// routes is the only list of operations. The name of an operation is the name
// of its handler, bound in handlers.go.
var routes = []Route{
	{Method: "GET", Path: adminIndexes, Operation: "listIndexes", Tag: tagIndexes,
		Summary:    "List the indexes the key can see.",
		Permission: auth.IndexesRead, Scope: auth.ScopeAnyIndex, RunsOn: AnyNode,
		Query: listingQuery, Answers: []Answer{{200, "IndexList", "The indexes, ordered by name."}},
		Codes: codes(problem.RequestLimitOutOfRange, problem.StorageIoError)},
	{Method: "GET", Path: adminIndex, Operation: "getIndex", Tag: tagIndexes,
		Summary:    "Read the definition and status of an index or generation.",
		Permission: auth.IndexesRead, Scope: auth.ScopeIndex, RunsOn: AnyNode,
		Headers: []string{"If-None-Match"},
		Answers: []Answer{{200, "Index", "The index with its version as ETag."}, {304, "", "The version is still the one If-None-Match names."}},
		Codes:   codes(nameCodes, problem.IndexNoLiveGeneration, problem.IndexUnsupported, problem.IndexDefinitionUnrepresentable, problem.IndexFieldTypeUnrepresentable)},
	{Method: "PUT", Path: adminIndex, Operation: "putIndex", Tag: tagIndexes,
		Summary:    "Create an index or a generation, or replace its definition.",
		Permission: auth.IndexesWrite, Scope: auth.ScopeIndex, RunsOn: Writer, Creates: true,
		Query: []string{"allowStaleDocuments", "reindex"}, Headers: []string{"If-Match"}, Body: "Definition",
		Answers: []Answer{{200, "Index", "The definition was replaced."}, {201, "Index", "The index or generation was created."}},
		Codes: codes(nameCodes, bodyCodes, writerCodes, definitionCodes, problem.IndexVersionMismatch, problem.IndexAlreadyExists, problem.ReindexTargetBusy,
			problem.IndexGenerationAlreadyExists, problem.IndexGenerationNotCreatable, problem.IndexGenerationReindexWithoutCreation,
			problem.IndexGenerationStorageHeld, problem.IndexDefinitionIncompatible, problem.IndexDefinitionUnrepresentable,
			problem.ReindexPromoteInvalid, reindexStartCodes)},
	{Method: "DELETE", Path: adminIndex, Operation: "deleteIndex", Tag: tagIndexes,
		Summary:    "Delete an index with all generations, or one generation.",
		Permission: auth.IndexesDelete, Scope: auth.ScopeIndex, RunsOn: Writer,
		Answers: []Answer{{204, "", "Removed."}},
		Codes:   codes(nameCodes, writerCodes, problem.IndexGenerationIsLive)},
	{Method: "POST", Path: adminIndex + "/actions/promote", Operation: "promoteGeneration", Tag: tagIndexes,
		Summary:    "Serve the index from this generation.",
		Permission: auth.IndexesPromote, Scope: auth.ScopeIndex, RunsOn: Writer,
		Answers: []Answer{{200, "Index", "The generation is live; freshness names the state."}},
		Codes: codes(nameCodes, writerCodes, problem.IndexGenerationNameRequired, problem.ReindexTargetBusy, problem.IndexGenerationLiveMoved,
			problem.ReindexDocumentRefused)},
	{Method: "POST", Path: adminIndex + "/actions/commit", Operation: "commitIndex", Tag: tagIndexes,
		Summary:    "Commit pending changes now.",
		Permission: auth.IndexesCommit, Scope: auth.ScopeIndex, RunsOn: Writer,
		Answers: []Answer{{200, "Index", "Committed; freshness names the state."}},
		Codes:   codes(nameCodes, writerCodes, problem.IndexNoLiveGeneration, problem.IndexOutOfDate)},
	{Method: "POST", Path: adminIndex + "/actions/pull", Operation: "pullIndex", Tag: tagIndexes,
		Summary:    "Fetch the latest state to this node now.",
		Permission: auth.IndexesPull, Scope: auth.ScopeIndex, RunsOn: AnyNode,
		Answers: []Answer{{200, "Index", "The index as this node sees it."}},
		Codes:   codes(nameCodes, problem.IndexNoLiveGeneration, problem.StorageIoError)},
	{Method: "POST", Path: adminIndex + "/actions/reindex", Operation: "startReindex", Tag: tagReindexes,
		Summary:    "Fill this generation from another.",
		Permission: auth.IndexesReindex, Scope: auth.ScopeIndex, RunsOn: Writer,
		Body: "ReindexRequest", OptionalBody: true,
		Answers: []Answer{{202, "ReindexJob", "The job was accepted; Location names it."}},
		Codes:   codes(nameCodes, bodyCodes, writerCodes, problem.ReindexPromoteInvalid, reindexStartCodes)},

	{Method: "POST", Path: "/v1alpha1/admin/actions/draft", Operation: "draftDefinition", Tag: tagIndexes,
		Summary:    "Draft a definition from documents. Nothing is created.",
		Permission: auth.IndexesWrite, Scope: auth.ScopeAnyIndex, RunsOn: AnyNode,
		Body: "DraftRequest", Answers: []Answer{{200, "Draft", "The definition, and a reason for every field."}},
		Codes: codes(bodyCodes, problem.DocumentNotAnObject)},

	{Method: "GET", Path: adminIndex + "/settings", Operation: "getSearchSettings", Tag: tagSettings,
		Summary:    "Read the search settings as stored.",
		Permission: auth.IndexesRead, Scope: auth.ScopeIndex, RunsOn: AnyNode, BareIndex: true,
		Headers: []string{"If-None-Match"},
		Answers: []Answer{{200, "SearchSettings", "The settings with their version as ETag."}, {304, "", "The version is still the one If-None-Match names."}},
		Codes:   codes(nameCodes, problem.SettingsNotFound, problem.StorageIoError, problem.StorageUnavailable)},
	{Method: "PUT", Path: adminIndex + "/settings", Operation: "putSearchSettings", Tag: tagSettings,
		Summary:    "Replace the search settings.",
		Permission: auth.SettingsWrite, Scope: auth.ScopeIndex, RunsOn: Writer, BareIndex: true,
		Headers: []string{"If-Match"}, Body: "SearchSettings",
		Answers: []Answer{{200, "SearchSettings", "The settings were replaced."}, {201, "SearchSettings", "The first settings of the index were stored."}},
		Codes:   codes(nameCodes, bodyCodes, writerCodes, settingsCodes, problem.SettingsNotFound, problem.SettingsVersionMismatch, problem.StorageConflict)},
	{Method: "PATCH", Path: adminIndex + "/settings", Operation: "patchSearchSettings", Tag: tagSettings,
		Summary:    "Change parts of the search settings.",
		Permission: auth.SettingsWrite, Scope: auth.ScopeIndex, RunsOn: Writer, BareIndex: true,
		Headers: []string{"If-Match"}, Body: "Changes",
		Answers: []Answer{{200, "SearchSettings", "The settings were changed."}, {201, "SearchSettings", "The first settings of the index were stored."}},
		Codes: codes(nameCodes, bodyCodes, writerCodes, settingsCodes, settingsPatchCodes, problem.SettingsNotFound, problem.SettingsVersionMismatch,
			problem.SettingsUnrepresentable, problem.StorageConflict)},
	{Method: "DELETE", Path: adminIndex + "/settings", Operation: "deleteSearchSettings", Tag: tagSettings,
		Summary:    "Remove the search settings.",
		Permission: auth.SettingsWrite, Scope: auth.ScopeIndex, RunsOn: Writer, BareIndex: true,
		Answers: []Answer{{204, "", "There are no settings; X-Service-Freshness names the state."}},
		Codes:   codes(nameCodes, writerCodes, problem.StorageConflict)},

	{Method: "GET", Path: adminJobs, Operation: "listReindexes", Tag: tagReindexes,
		Summary:    "List the reindex jobs of the indexes the key can see.",
		Permission: auth.IndexesRead, Scope: auth.ScopeAnyIndex, RunsOn: AnyNode,
		Query: append([]string{"index", "phase"}, listingQuery...), Answers: []Answer{{200, "ReindexList", "The jobs, ordered by index."}},
		Codes: codes(problem.Validation, problem.RequestLimitOutOfRange, problem.ReindexPhaseInvalid, problem.StorageIoError)},
	{Method: "GET", Path: adminJobs + "/{name}", Operation: "getReindex", Tag: tagReindexes,
		Summary:    "Read the reindex job of an index.",
		Permission: auth.IndexesRead, Scope: auth.ScopeIndex, RunsOn: AnyNode,
		Answers: []Answer{{200, "ReindexJob", "The job."}},
		Codes:   codes(nameCodes, problem.ReindexNotFound, problem.StorageIoError)},
	{Method: "POST", Path: adminJobs + "/{name}/actions/cancel", Operation: "cancelReindex", Tag: tagReindexes,
		Summary:    "Stop a reindex job.",
		Permission: auth.IndexesReindex, Scope: auth.ScopeIndex, RunsOn: Writer,
		Answers: []Answer{{200, "ReindexJob", "The job after cancellation."}},
		Codes:   codes(nameCodes, writerCodes, problem.ReindexNotFound, problem.IndexNoLiveGeneration)},

	{Method: "GET", Path: "/v1alpha1/admin/indexers", Operation: "listIndexers", Tag: tagIndexers,
		Summary:    "Tell which node writes which index.",
		Permission: auth.IndexesRead, Scope: auth.ScopeAnyIndex, RunsOn: AnyNode,
		Answers: []Answer{{200, "Indexers", "Candidates and claims."}},
		Codes:   codes(problem.IndexerLeadershipUnreadable, problem.StorageIoError)},
	{Method: "GET", Path: "/v1alpha1/admin/registry/audit", Operation: "auditRegistry", Tag: tagRegistry,
		Summary:    "Compare the registry with the storage.",
		Permission: auth.RegistryAudit, Scope: auth.ScopeDeployment, RunsOn: AnyNode,
		Answers: []Answer{{200, "RegistryAudit", "What the registry and the storage hold."}},
		Codes:   codes(problem.IndexRegistryAuditUnavailable, problem.StorageIoError)},
	{Method: "POST", Path: "/v1alpha1/admin/registry/actions/repair", Operation: "repairRegistry", Tag: tagRegistry,
		Summary:    "Register what the storage holds.",
		Permission: auth.RegistryRepair, Scope: auth.ScopeDeployment, RunsOn: AnyNode,
		Body: "RegistryRepairRequest", OptionalBody: true,
		Answers: []Answer{{200, "RegistryRepair", "What was registered."}},
		Codes:   codes(bodyCodes, nameCodes, problem.IndexRegistryAuditUnavailable, problem.StorageConflict, problem.StorageIoError)},

	{Method: "GET", Path: adminKeys, Operation: "listKeys", Tag: tagKeys,
		Summary:    "List the keys and how this node authenticates.",
		Permission: auth.KeysRead, Scope: auth.ScopeDeployment, RunsOn: AnyNode,
		Query: listingQuery, Answers: []Answer{{200, "KeyList", "The keys, ordered by id."}},
		Codes: codes(problem.RequestLimitOutOfRange, keyStoreCodes)},
	{Method: "POST", Path: adminKeys, Operation: "createKey", Tag: tagKeys,
		Summary:    "Create a key.",
		Permission: auth.KeysWrite, Scope: auth.ScopeDeployment, RunsOn: AnyNode,
		Body: "KeyRequest", Answers: []Answer{{201, "KeyWithCredential", "The key; the credential is shown only now."}},
		Codes: codes(bodyCodes, keyStoreCodes, problem.AuthKeyGrantsRequired, problem.AuthKeyPermissionsRequired, problem.AuthKeyRoleUnknown,
			problem.AuthKeyPermissionUnknown, problem.AuthKeyIndexesRequired, problem.AuthKeyIndexesUnsupported,
			problem.AuthKeyIndexPatternInvalid, problem.AuthKeyExpiryInvalid, problem.AuthKeyExpiryInPast)},
	{Method: "DELETE", Path: adminKeys + "/{id}", Operation: "revokeKey", Tag: tagKeys,
		Summary:    "Revoke a key.",
		Permission: auth.KeysWrite, Scope: auth.ScopeDeployment, RunsOn: AnyNode,
		Answers: []Answer{{204, "", "Revoked."}},
		Codes:   codes(keyStoreCodes, problem.AuthKeyNotFound, problem.AuthKeyLastAdministrator, problem.AuthKeyInUseAsAnonymous)},
	{Method: "POST", Path: adminKeys + "/{id}/actions/rotate", Operation: "rotateKey", Tag: tagKeys,
		Summary:    "Replace the credential of a key.",
		Permission: auth.KeysWrite, Scope: auth.ScopeDeployment, RunsOn: AnyNode,
		Answers: []Answer{{200, "KeyWithCredential", "The key; the credential is shown only now."}},
		Codes:   codes(keyStoreCodes, problem.AuthKeyNotFound)},

	{Method: "GET", Path: "/v1alpha1/access", Operation: "getAccess", Tag: tagKeys,
		Summary: "Read what the credential of this request may do.",
		Scope:   auth.ScopeCredential, Anonymous: true, RunsOn: AnyNode,
		Answers: []Answer{{200, "Access", "The key, when it expires and what it may do on which indexes."}}},

	{Method: "POST", Path: dataIndex + "/documents", Operation: "addDocuments", Tag: tagDocuments,
		Summary:    "Add documents, replacing those under the same keys.",
		Permission: auth.DocumentsWrite, Scope: auth.ScopeIndex, RunsOn: Writer,
		Query: []string{"onError"}, Body: "DocumentBatch", Streams: true,
		Answers: []Answer{{200, "AddResult", "What was indexed and what was refused."}},
		Codes:   codes(nameCodes, bodyCodes, writerCodes, documentWriteCodes, documentCodes, problem.DocumentMalformed, problem.DocumentOnErrorInvalid)},
	{Method: "GET", Path: dataIndex + "/documents", Operation: "listDocuments", Tag: tagDocuments,
		Summary:    "List documents in order of their keys.",
		Permission: auth.DocumentsRead, Scope: auth.ScopeIndex, RunsOn: AnyNode, Lines: true,
		Query: []string{"after", "limit"}, Headers: []string{freshness.Header},
		Answers: []Answer{{200, "DocumentList", "One page of committed documents."}},
		Codes: codes(nameCodes, readCodes, problem.Validation, problem.RequestLimitOutOfRange, problem.SearchValueInvalid, problem.IndexNoPrimaryKey,
			problem.DocumentSourceNotKept)},
	{Method: "POST", Path: dataIndex + "/documents/actions/update", Operation: "updateDocuments", Tag: tagDocuments,
		Summary:    "Change parts of documents.",
		Permission: auth.DocumentsWrite, Scope: auth.ScopeIndex, RunsOn: Writer,
		Query: []string{"missing", "onError"}, Body: "ChangeBatch", Streams: true,
		Answers: []Answer{{200, "UpdateResult", "What was changed, missing and refused."}},
		Codes: codes(nameCodes, bodyCodes, writerCodes, documentWriteCodes, documentCodes, documentPatchCodes, problem.DocumentMalformed,
			problem.DocumentOnErrorInvalid, problem.DocumentPatchMissingInvalid, problem.DocumentKeyRequired, problem.DocumentNotFound,
			problem.DocumentSourceNotKept, problem.IndexNoPrimaryKey)},
	{Method: "POST", Path: dataIndex + "/documents/actions/delete", Operation: "deleteDocuments", Tag: tagDocuments,
		Summary:    "Delete documents by key, by query, or all.",
		Permission: auth.DocumentsDelete, Scope: auth.ScopeIndex, RunsOn: Writer,
		Body: "DeleteRequest", Answers: []Answer{{200, "DeleteResult", "How many were deleted."}},
		Codes: codes(nameCodes, bodyCodes, writerCodes, documentWriteCodes, clauseCodes, problem.DocumentDeleteTargetRequired,
			problem.DocumentDeleteTargetConflicting, problem.DocumentDeleteQueryEmpty, problem.DocumentDeleteLocaleWithoutQuery,
			problem.DocumentKeyRequired, problem.IndexNoPrimaryKey)},
	{Method: "GET", Path: dataDocument, Operation: "getDocument", Tag: tagDocuments,
		Summary:    "Read one document.",
		Permission: auth.DocumentsRead, Scope: auth.ScopeIndex, RunsOn: AnyNode,
		Headers: []string{freshness.Header}, Answers: []Answer{{200, "DocumentAnswer", "The document as it was indexed."}},
		Codes: codes(nameCodes, readCodes, problem.DocumentNotFound, problem.SearchValueInvalid, problem.IndexNoPrimaryKey, problem.DocumentSourceNotKept)},
	{Method: "PUT", Path: dataDocument, Operation: "putDocument", Tag: tagDocuments,
		Summary:    "Index one document under a key.",
		Permission: auth.DocumentsWrite, Scope: auth.ScopeIndex, RunsOn: Writer,
		Body: "Document", Answers: []Answer{{204, "", "Indexed; X-Service-Freshness names the state."}},
		Codes: codes(nameCodes, bodyCodes, writerCodes, documentWriteCodes, documentCodes, problem.DocumentKeyConflicting, problem.SearchValueInvalid,
			problem.IndexNoPrimaryKey)},
	{Method: "PATCH", Path: dataDocument, Operation: "patchDocument", Tag: tagDocuments,
		Summary:    "Change parts of one document.",
		Permission: auth.DocumentsWrite, Scope: auth.ScopeIndex, RunsOn: Writer,
		Body: "Changes", Answers: []Answer{{204, "", "Changed; X-Service-Freshness names the state."}},
		Codes: codes(nameCodes, bodyCodes, writerCodes, documentWriteCodes, documentCodes, documentPatchCodes, problem.DocumentKeyConflicting,
			problem.DocumentNotFound, problem.DocumentSourceNotKept, problem.SearchValueInvalid, problem.IndexNoPrimaryKey)},
	{Method: "DELETE", Path: dataDocument, Operation: "deleteDocument", Tag: tagDocuments,
		Summary:    "Delete the document under a key.",
		Permission: auth.DocumentsDelete, Scope: auth.ScopeIndex, RunsOn: Writer,
		Answers: []Answer{{204, "", "Nothing is under the key; X-Service-Freshness names the state."}},
		Codes:   codes(nameCodes, writerCodes, documentWriteCodes, problem.SearchValueInvalid, problem.IndexNoPrimaryKey)},

	{Method: "POST", Path: dataIndex + "/search", Operation: "search", Tag: tagSearch,
		Summary:    "Search documents.",
		Permission: auth.Search, Scope: auth.ScopeIndex, Anonymous: true, RunsOn: AnyNode,
		Headers: []string{freshness.Header}, Body: "SearchRequest", OptionalBody: true,
		Answers: []Answer{{200, "SearchResult", "The hits."}},
		Codes:   codes(nameCodes, bodyCodes, readCodes, clauseCodes, searchCodes), meter: (*metrics.Set).Search},
	{Method: "POST", Path: dataIndex + "/search/actions/explain", Operation: "explain", Tag: tagSearch,
		Summary:    "Explain the score of one hit.",
		Permission: auth.Search, Scope: auth.ScopeIndex, Anonymous: true, RunsOn: AnyNode,
		Query: []string{"key", "index"}, Headers: []string{freshness.Header}, Body: "SearchRequest", OptionalBody: true,
		Answers: []Answer{{200, "ExplainResult", "How the score came about."}},
		Codes: codes(nameCodes, bodyCodes, readCodes, clauseCodes, searchCodes, problem.SearchExplainKeyRequired, problem.SearchExplainIndexOutOfRange,
			problem.SearchExplainDocumentNotFound, problem.SearchExplainValueNotFound, problem.IndexNoPrimaryKey), meter: (*metrics.Set).Explain},
	{Method: "POST", Path: dataIndex + "/suggest", Operation: "suggest", Tag: tagSearch,
		Summary:    "Suggest values as text is typed.",
		Permission: auth.Search, Scope: auth.ScopeIndex, Anonymous: true, RunsOn: AnyNode,
		Headers: []string{freshness.Header}, Body: "SuggestRequest", OptionalBody: true,
		Answers: []Answer{{200, "SuggestResult", "The suggestions."}},
		Codes:   codes(nameCodes, bodyCodes, readCodes, clauseCodes, problem.SearchSuggestLimitOutOfRange, problem.SearchTimeout), meter: (*metrics.Set).Suggest},
	{Method: "POST", Path: dataIndex + "/facets/{field}/values", Operation: "facetValues", Tag: tagSearch,
		Summary:    "Complete the values of one facet.",
		Permission: auth.Search, Scope: auth.ScopeIndex, Anonymous: true, RunsOn: AnyNode,
		Headers: []string{freshness.Header}, Body: "FacetValuesRequest", OptionalBody: true,
		Answers: []Answer{{200, "FacetValuesResult", "The values."}},
		Codes: codes(nameCodes, bodyCodes, readCodes, clauseCodes, problem.SearchFacetLimitOutOfRange, problem.SearchFacetPrefixUnsupported,
			problem.SearchTimeout), meter: (*metrics.Set).FacetValues},

	{Method: "GET", Path: "/q/health", Operation: "health", Tag: tagNode, RunsOn: AnyNode,
		Summary: "Every health check.", Answers: healthAnswers},
	{Method: "GET", Path: "/q/health/ready", Operation: "healthReady", Tag: tagNode, RunsOn: AnyNode,
		Summary: "Whether the node will serve requests.", Answers: healthAnswers},
	{Method: "GET", Path: "/q/health/live", Operation: "healthLive", Tag: tagNode, RunsOn: AnyNode,
		Summary: "Whether the node still does its work.", Answers: healthAnswers},
	{Method: "GET", Path: "/q/metrics", Operation: "scrapeMetrics", Tag: tagNode, RunsOn: AnyNode,
		Summary: "The meters as Prometheus text.", Answers: []Answer{{200, "", "The meters."}}},
	{Method: "GET", Path: "/q/openapi", Operation: "describe", Tag: tagNode, RunsOn: AnyNode,
		Summary: "This description, as YAML or JSON.", Query: []string{"format"}, Answers: []Answer{{200, "", "OpenAPI 3.1."}}},
	{Method: "GET", Path: "/q/openapi.json", Operation: "describeJSON", Tag: tagNode, RunsOn: AnyNode,
		Summary: "This description as JSON.", Answers: []Answer{{200, "", "OpenAPI 3.1."}}},
	{Method: "GET", Path: "/q/docs", Operation: "docsPage", Tag: tagNode, RunsOn: AnyNode,
		Summary: "This description as a page for people.", Answers: []Answer{{200, "", "The page."}}},
}

var healthAnswers = []Answer{{200, "Health", "Every check is up."}, {503, "Health", "A check is down."}}

// Routes returns the table of routes.
func Routes() []Route { return slices.Clone(routes) }
