package api

import "github.com/quiresearch/quire/problem"

// Groups of codes that many operations share.
var (
	// everyCodes can be returned by every operation with a permission.
	everyCodes = []*problem.Code{
		problem.AuthUnauthenticated, problem.AuthForbidden, problem.RequestHostForbidden, problem.RequestOriginForbidden, problem.RequestPathInvalid, problem.RequestRefused,
		problem.RequestMethodNotAllowed, problem.RequestNotAcceptable, problem.RequestBodyTooLarge, problem.NodeError,
	}
	nameCodes = []*problem.Code{
		problem.IndexNotFound, problem.IndexNameInvalid, problem.IndexGenerationNameInvalid, problem.IndexClosed, problem.IndexUnsupported,
		problem.IndexIoError, problem.IndexDefinitionUnrepresentable, problem.IndexFieldTypeUnrepresentable, problem.StorageIoError,
	}
	bodyCodes = []*problem.Code{
		problem.Validation, problem.RequestBodyRequired, problem.RequestBodyMalformed, problem.RequestBodyUnreadable,
		problem.RequestBodyEncodingInvalid, problem.RequestBodyRatioOutOfRange, problem.RequestPropertyUnknown, problem.RequestValueInvalid, problem.RequestValueRequired, problem.RequestUnsupportedMediaType,
	}
	writerCodes = []*problem.Code{
		problem.IndexerUnavailable, problem.IndexerUnreachable, problem.IndexerLeadershipUnreadable, problem.IndexReadonly,
		problem.StorageIoError, problem.StorageConflict, problem.StorageUnknown, problem.StorageUnavailable,
	}
	readCodes = []*problem.Code{
		problem.IndexNoLiveGeneration, problem.SearchFreshnessInvalid, problem.SearchFreshnessVersionUnsupported,
		problem.SearchFreshnessIndexMismatch, problem.SearchFreshnessUnavailable, problem.StorageIoError,
	}
	keyStoreCodes = []*problem.Code{problem.StorageUnavailable, problem.StorageIoError, problem.StorageConflict, problem.StorageUnknown}

	documentWriteCodes = []*problem.Code{
		problem.IndexOutOfDate, problem.ReindexTargetBusy, problem.IndexGenerationUnsettled, problem.IndexNoLiveGeneration,
	}
	reindexStartCodes = []*problem.Code{
		problem.ReindexTargetGenerationRequired, problem.ReindexTargetIsLive, problem.ReindexTargetNotEmpty, problem.ReindexSourceIsTarget,
		problem.ReindexSourceOtherIndex, problem.ReindexPrimaryKeyMismatch, problem.ReindexInProgress, problem.IndexNoLiveGeneration,
		problem.IndexNoPrimaryKey, problem.DocumentSourceNotKept, problem.IndexGenerationUnsettled,
	}

	definitionCodes    = family("index:field:", "index:schema:", "index:locales:", "index:locale_fallback:", "index:resources:", "index:ranking:", "index:definition:")
	settingsCodes      = family("settings:synonyms:", "settings:typo_exclusions:", "settings:fields:", "index:ranking:")
	settingsPatchCodes = family("settings:patch:")
	judgementCodes     = family("judgements:")
	documentPatchCodes = family("document:patch:")
	documentCodes      = append(family("document:string:", "document:number:", "document:geo_point:", "document:timestamp:", "document:vector:"),
		problem.DocumentNotAnObject, problem.DocumentFieldUnknown, problem.DocumentFieldInsideObject, problem.DocumentFieldRequired,
		problem.DocumentLocaleUnknown, problem.DocumentLocaleUnsupported, problem.DocumentObjectRequired, problem.DocumentObjectUnsupported,
		problem.DocumentMultipleUnsupported, problem.DocumentMultiplePerLocaleUnsupported, problem.DocumentObjectKeyDuplicate,
		problem.DocumentValuesTooMany, problem.DocumentNamesTooMany, problem.DocumentAnalysisTooLarge)
	clauseCodes = append(family("search:clause:", "search:matcher:", "search:filter:", "search:nested:", "search:interpret:"),
		problem.SearchClausesTooMany, problem.SearchClausesTooDeep, problem.SearchFieldUnknown, problem.SearchUsageUnsupported,
		problem.SearchValueInvalid, problem.SearchNoSearchableFields, problem.SearchLocaleUnsupported, problem.SearchAnalysisFailed)
	searchCodes = append(family("search:sort:", "search:facet:", "search:signal:", "search:rescore:", "search:highlight:",
		"search:matched:", "search:hits:", "search:cursor:", "search:pages:"),
		problem.SearchLimitOutOfRange, problem.SearchOffsetOutOfRange, problem.SearchPagingConflicting, problem.SearchPagingTooDeep,
		problem.SearchSourceNotKept, problem.SearchTimeout, problem.SearchAnswerTooLarge)
)

// family returns the codes with one of the prefixes.
func family(prefixes ...string) []*problem.Code {
	var found []*problem.Code
	for _, code := range problem.Codes() {
		for _, prefix := range prefixes {
			if len(code.Name()) > len(prefix) && code.Name()[:len(prefix)] == prefix {
				found = append(found, code)
			}
		}
	}
	return found
}

// codes concatenates codes and groups of codes.
func codes(parts ...any) []*problem.Code {
	var all []*problem.Code
	for _, part := range parts {
		switch p := part.(type) {
		case *problem.Code:
			all = append(all, p)
		case []*problem.Code:
			all = append(all, p...)
		}
	}
	return all
}
