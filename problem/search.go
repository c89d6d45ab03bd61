package problem

// Search, suggest, facet values and explain as a whole.
var (
	SearchLimitOutOfRange = declare("search:limit_out_of_range", 400,
		"The limit must be between 0 and {max}.",
		"Send a limit between 0 and {max}; page with after for more.")
	SearchOffsetOutOfRange = declare("search:offset_out_of_range", 400,
		"The offset must be 0 or more.",
		"Send a whole number of at least 0.")
	SearchPagingConflicting = declare("search:paging_conflicting", 400,
		"Only one of offset, after and before can be given.",
		"Keep one of them.")
	SearchPagingTooDeep = declare("search:paging_too_deep", 400,
		"Paging by offset ends at {max} results.",
		"Pass next of an answer as after to go on, or narrow the search.")
	SearchLocaleUnsupported = declare("search:locale_unsupported", 400,
		"The locale {locale} is not supported.",
		"Use a tag that docs/reference/locales.md lists, such as en, de or sv.")
	SearchClausesTooMany = declare("search:clauses_too_many", 400,
		"The request holds more than {max} clauses.",
		"Send at most {max} clauses; a field clause takes a list of values as values.")
	SearchClausesTooDeep = declare("search:clauses_too_deep", 400,
		"Clauses are nested more than {max} levels deep.",
		"Nest clauses at most {max} levels deep.")
	SearchFieldUnknown = declare("search:field_unknown", 400,
		"The index has no field called {name}.",
		"Use a field that the definition declares.")
	SearchUsageUnsupported = declare("search:usage_unsupported", 400,
		"The field {name} is not indexed for {usage}.",
		"Add {usage} to the field {name}; on an index with documents that takes a new generation.")
	SearchValueInvalid = declare("search:value_invalid", 400,
		"The value does not fit {name}: {expected} is expected.",
		"Send {expected} for {name}.")
	SearchSourceNotKept = declare("search:source_not_kept", 400,
		"{name} can only be returned when the index keeps the source.",
		"Name fields with \"stored\": true instead of {name}.")
	SearchNoSearchableFields = declare("search:no_searchable_fields", 400,
		"No field of the index can be searched as text.",
		"Give a string field matching or autocomplete, for example by the role title.")
	SearchAnalysisFailed = declare("search:analysis_failed", 500,
		"The text could not be analysed for {name}.",
		"Look at the log of the node for the cause.")
	SearchTimeout = declare("search:timeout", 503,
		"The search took longer than {timeout}.",
		"Narrow the search, or raise SERVICE_SEARCH_TIMEOUT (for suggestions SERVICE_SUGGEST_TIMEOUT).")
	SearchAnswerTooLarge = declare("search:answer_too_large", 400,
		"The answer would have more than {limit} bytes.",
		"Ask for fewer hits, fields or facet values, or raise SERVICE_SEARCH_MAX_ANSWER_SIZE.")
	SearchCursorInvalid = declare("search:cursor:invalid", 400,
		"The cursor cannot be read.",
		"Pass next or previous of an answer back unchanged.")
	SearchCursorSortMismatch = declare("search:cursor:sort_mismatch", 400,
		"The cursor belongs to another sort.",
		"Repeat the sort of the search that returned the cursor, or start from the first page.")
	SearchCursorStale = declare("search:cursor:stale", 400,
		"The cursor no longer fits the fields it was made from.",
		"Start from the first page.")
	SearchPagesWithoutLimit = declare("search:pages:without_limit", 400,
		"Pages need a limit above 0.",
		"Send a limit of at least 1, or leave pages out.")
	SearchPagesWithoutOffset = declare("search:pages:without_offset", 400,
		"Pages cannot be numbered starting from this cursor.",
		"Use offset, or a cursor from a numbered page.")
	SearchPagesMaxOutOfRange = declare("search:pages:max_out_of_range", 400,
		"The number of pages must be at least 1.",
		"Send a whole number of at least 1.")
	SearchFreshnessInvalid = declare("search:freshness:invalid", 400,
		"The freshness token cannot be read.",
		"Pass the freshness of an answer back unchanged.")
	SearchFreshnessVersionUnsupported = declare("search:freshness:version_unsupported", 400,
		"The freshness token has version {version}, which this node does not read.",
		"Upgrade the node to the version that issued the token.")
	SearchFreshnessIndexMismatch = declare("search:freshness:index_mismatch", 400,
		"The freshness token belongs to {index}, not to {expected}.",
		"Use a token that {expected} returned.")
	SearchFreshnessUnavailable = declare("search:freshness:unavailable", 503,
		"The state the token names is not available: {reason}.",
		"Send the request again.")
	SearchExplainKeyRequired = declare("search:explain:key_required", 400,
		"The key of the document to explain is missing.",
		"Add ?key= with the primary key of the document.")
	SearchExplainIndexOutOfRange = declare("search:explain:index_out_of_range", 400,
		"The position {value} is not 0 or more.",
		"Send a whole number of at least 0.")
	SearchExplainDocumentNotFound = declare("search:explain:document_not_found", 404,
		"No document has the key {key}.",
		"Check the key {key}; documents can be explained after the next commit.")
	SearchExplainValueNotFound = declare("search:explain:value_not_found", 404,
		"The document {key} has no value at position {index}.",
		"Send a position below the number of values; the first is 0.")
	SearchSuggestLimitOutOfRange = declare("search:suggest:limit_out_of_range", 400,
		"The limit must be between 1 and {max}.",
		"Send a limit between 1 and {max}.")
)
