package problem

// Sort, facets, signals, highlights and hits of a search.
var (
	SearchSortFieldRequired = declare("search:sort:field_required", 400,
		"The sort entry names no field.",
		"Set field, such as {\"field\": \"price\", \"order\": \"asc\"}.")
	SearchSortOriginRequired = declare("search:sort:origin_required", 400,
		"Sorting by distance needs an origin.",
		"Sort by {\"type\": \"distance\", \"field\": \"location\", \"lat\": 59.33, \"lon\": 18.07}.")
	SearchSortNestedUnsupported = declare("search:sort:nested_unsupported", 400,
		"{name} is inside a nested list and cannot be sorted by distance.",
		"Sort by another field.")
	SearchSortTypeUnsupported = declare("search:sort:type_unsupported", 400,
		"Only numbers and timestamps can have when and fallback; {name} is neither.",
		"Remove when and fallback.")
	SearchSortFallbackTypeMismatch = declare("search:sort:fallback_type_mismatch", 400,
		"{name} is {type}, {field} is {expected}.",
		"Use fields of one type in a chain.")
	SearchFacetNameInvalid = declare("search:facet:name_invalid", 400,
		"The name of the facet is blank.",
		"Name the facet or leave the name out.")
	SearchFacetNameDuplicate = declare("search:facet:name_duplicate", 400,
		"Two facets are called {name}.",
		"Give each facet a name of its own.")
	SearchFacetFieldRequired = declare("search:facet:field_required", 400,
		"The facet names no field.",
		"Set field to the name of a field with facet.")
	SearchFacetLimitOutOfRange = declare("search:facet:limit_out_of_range", 400,
		"The limit must be between 1 and {max}.",
		"Send a limit between 1 and {max}.")
	SearchFacetPathInvalid = declare("search:facet:path_invalid", 400,
		"The path of the facet is blank.",
		"Name a level or leave path out.")
	SearchFacetDepthOutOfRange = declare("search:facet:depth_out_of_range", 400,
		"The depth must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	SearchFacetExcludeFiltersInvalid = declare("search:facet:exclude_filters_invalid", 400,
		"A field in excludeFilters is blank.",
		"Name a field of a filter, or remove the blank entry.")
	SearchFacetPrefixUnsupported = declare("search:facet:prefix_unsupported", 400,
		"Values of the hierarchy {name} cannot be completed.",
		"Use a field without hierarchy.")
	SearchFacetRangesRequired = declare("search:facet:ranges_required", 400,
		"The facet has no ranges.",
		"Add a range, or leave ranges out.")
	SearchFacetRangesTooMany = declare("search:facet:ranges_too_many", 400,
		"The facet has more than {max} ranges.",
		"Send at most {max} ranges.")
	SearchFacetRangesConflicting = declare("search:facet:ranges_conflicting", 400,
		"Ranges take neither limit nor order.",
		"Remove limit and order.")
	SearchFacetRangesWithTree = declare("search:facet:ranges_with_tree", 400,
		"Ranges take neither path nor depth.",
		"Remove path and depth.")
	SearchFacetRangeEmpty = declare("search:facet:range_empty", 400,
		"The range has no bound.",
		"Set from or to.")
	SearchFacetRangeInvalid = declare("search:facet:range_invalid", 400,
		"The upper end of the range is not above the lower.",
		"Make to larger than from.")
	SearchFacetFallbackTypeMismatch = declare("search:facet:fallback_type_mismatch", 400,
		"{name} is {type}, {field} is {expected}.",
		"Use fields of one type in a chain.")
	SearchFacetFallbackUnsupported = declare("search:facet:fallback_unsupported", 400,
		"Only facets with ranges can have when and fallback.",
		"Remove when and fallback, or add ranges.")
	SearchSignalFieldRequired = declare("search:signal:field_required", 400,
		"The signal names no field.",
		"Set field to a number or timestamp with sort or signal.")
	SearchSignalShapeInvalid = declare("search:signal:shape_invalid", 400,
		"The signal needs exactly one shape.",
		"Give it one of saturation, decay and linear.")
	SearchSignalPivotOutOfRange = declare("search:signal:pivot_out_of_range", 400,
		"The pivot must be a number above 0.",
		"Send a finite number above 0.")
	SearchSignalCeilingOutOfRange = declare("search:signal:ceiling_out_of_range", 400,
		"The ceiling must be a number above 0.",
		"Send a finite number above 0.")
	SearchSignalHalfLifeOutOfRange = declare("search:signal:half_life_out_of_range", 400,
		"The half-life must be above 0 seconds.",
		"Send a whole number of seconds above 0.")
	SearchSignalWeightOutOfRange = declare("search:signal:weight_out_of_range", 400,
		"The weight must be 0 or more.",
		"Send a finite number of at least 0.")
	SearchSignalModeWithoutSignals = declare("search:signal:mode_without_signals", 400,
		"signalsMode needs signals.",
		"Send signals, or remove signalsMode.")
	SearchRescoreWindowRequired = declare("search:rescore:window_required", 400,
		"The second pass has no window.",
		"Set window to the number of hits to order again, such as 100.")
	SearchRescoreWindowOutOfRange = declare("search:rescore:window_out_of_range", 400,
		"The window must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	SearchRescoreWindowTooSmall = declare("search:rescore:window_too_small", 400,
		"The page ends outside the window of {window}.",
		"Make window at least offset plus limit, or page less deep.")
	SearchRescoreEmpty = declare("search:rescore:empty", 400,
		"The second pass has neither boost nor signals.",
		"Add boost or signals.")
	SearchRescoreWeightOutOfRange = declare("search:rescore:weight_out_of_range", 400,
		"The weight must be 0 or more.",
		"Send a finite number of at least 0.")
	SearchRescoreHitsUnsupported = declare("search:rescore:hits_unsupported", 400,
		"A second pass cannot order values of a list.",
		"Remove rescore or hits.")
	SearchHighlightFieldsRequired = declare("search:highlight:fields_required", 400,
		"The highlight names no field.",
		"Name a text field with highlight, or leave highlight out.")
	SearchHighlightFieldRequired = declare("search:highlight:field_required", 400,
		"A field of the highlight is blank.",
		"Name a text field with highlight, or remove the blank entry.")
	SearchHighlightFragmentsOutOfRange = declare("search:highlight:fragments_out_of_range", 400,
		"The number of fragments must be at least 1.",
		"Send a whole number of at least 1.")
	SearchHighlightLengthOutOfRange = declare("search:highlight:length_out_of_range", 400,
		"The length must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	SearchMatchedFieldsRequired = declare("search:matched:fields_required", 400,
		"matched names no list.",
		"Name a list of objects with mode nested, such as variants.")
	SearchMatchedFieldRequired = declare("search:matched:field_required", 400,
		"A list in matched is blank.",
		"Name a list of objects with mode nested, or remove the blank entry.")
	SearchMatchedLimitOutOfRange = declare("search:matched:limit_out_of_range", 400,
		"The limit must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	SearchMatchedFieldsEmpty = declare("search:matched:fields_empty", 400,
		"The list of fields is empty.",
		"Name a field, or leave fields out.")
	SearchMatchedFieldNotInside = declare("search:matched:field_not_inside", 400,
		"{field} is not inside {path}.",
		"Name fields inside the list.")
	SearchMatchedFieldNotNested = declare("search:matched:field_not_nested", 400,
		"{name} is not a nested list.",
		"Name a list of objects with mode nested.")
	SearchHitsPathRequired = declare("search:hits:path_required", 400,
		"hits names no path.",
		"Set path to a list of objects with mode nested, such as variants.")
	SearchHitsPathNotNested = declare("search:hits:path_not_nested", 400,
		"{path} is not a nested list.",
		"Name a list of objects with mode nested.")
	SearchHitsFieldsEmpty = declare("search:hits:fields_empty", 400,
		"The list of fields is empty.",
		"Name a field, or leave fields out.")
	SearchHitsFieldNotInside = declare("search:hits:field_not_inside", 400,
		"{field} is not inside {path}.",
		"Name fields inside the list.")
	SearchHitsMatchedUnsupported = declare("search:hits:matched_unsupported", 400,
		"matched cannot be combined with hits.",
		"Remove one of the two.")
	SearchHitsKnnUnsupported = declare("search:hits:knn_unsupported", 400,
		"A knn clause outside a nested clause cannot be combined with hits.",
		"Put the clause inside a nested clause on the path.")
	SearchHitsSortUnsupported = declare("search:hits:sort_unsupported", 400,
		"Values of a list cannot be sorted this way.",
		"Sort by score or by a field inside the list.")
	SearchHitsSortFallbackUnsupported = declare("search:hits:sort_fallback_unsupported", 400,
		"Values of {path} cannot be sorted by a chain on {name}.",
		"Remove when and fallback.")
	SearchHitsHighlightFieldNotInside = declare("search:hits:highlight_field_not_inside", 400,
		"{field} is not inside {path}.",
		"Highlight fields inside the list.")
	SearchHitsFacetUnsupported = declare("search:hits:facet_unsupported", 400,
		"A facet cannot count a field of another nested list.",
		"Count a root field or a field inside the list.")
	SearchHitsWhenClauseUnsupported = declare("search:hits:when_clause_unsupported", 400,
		"when takes field and nested clauses only, not {type}.",
		"Use field and nested clauses.")
	SearchHitsWhenScoringUnsupported = declare("search:hits:when_scoring_unsupported", 400,
		"when cannot hold clauses that score.",
		"Use plain filters.")
	SearchHitsWhenSortUnsupported = declare("search:hits:when_sort_unsupported", 400,
		"With when, hits are ordered by score.",
		"Remove the field from sort.")
)
