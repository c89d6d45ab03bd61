package problem

// Clauses and matchers of a search.
var (
	SearchClauseFieldRequired = declare("search:clause:field_required", 400,
		"The clause names no field.",
		"Set field to the name of a field, or set type if another kind of clause is meant.")
	SearchClauseMatchRequired = declare("search:clause:match_required", 400,
		"The clause has no matcher.",
		"Set match, such as {\"value\": \"red\"} or {\"type\": \"range\", \"gte\": 10}.")
	SearchClauseTextRequired = declare("search:clause:text_required", 400,
		"The clause has no text.",
		"Set text to the words to search for.")
	SearchClausePathRequired = declare("search:clause:path_required", 400,
		"The clause names no path.",
		"Set path to the name of a nested list.")
	SearchClauseVectorRequired = declare("search:clause:vector_required", 400,
		"The clause has no vector.",
		"Set vector to a list of numbers, as long as the field declares.")
	SearchClauseKRequired = declare("search:clause:k_required", 400,
		"The clause does not give the number of neighbours, k.",
		"Set k to the number of neighbours, such as 10.")
	SearchClauseKOutOfRange = declare("search:clause:k_out_of_range", 400,
		"k must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	SearchClauseWeightOutOfRange = declare("search:clause:weight_out_of_range", 400,
		"The weight must be a number of at least 0.",
		"Send a finite number of at least 0.")
	SearchClauseSlopOutOfRange = declare("search:clause:slop_out_of_range", 400,
		"The slop must be 0 or more.",
		"Send a whole number of at least 0.")
	SearchClauseSlopUnsupported = declare("search:clause:slop_unsupported", 400,
		"Slop only applies to phrases.",
		"Remove slop, or match a phrase.")
	SearchClauseJoinUnsupported = declare("search:clause:join_unsupported", 400,
		"join only applies to user text.",
		"Remove join, or set match to user.")
	SearchClauseRankingsTooFew = declare("search:clause:rankings_too_few", 400,
		"A fusion needs at least two rankings.",
		"Add a ranking.")
	SearchClauseRankingEmpty = declare("search:clause:ranking_empty", 400,
		"A ranking has no clause.",
		"Give each ranking a clause.")
	SearchClauseRankConstantOutOfRange = declare("search:clause:rank_constant_out_of_range", 400,
		"The rank constant must be above 0.",
		"Send a finite number above 0.")
	SearchClauseDepthOutOfRange = declare("search:clause:depth_out_of_range", 400,
		"The depth must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	SearchClauseInterpretFieldsRequired = declare("search:clause:interpret_fields_required", 400,
		"The interpretation names no target.",
		"Name at least one target, or use auto.")
	SearchClauseInterpretWhenUnsupported = declare("search:clause:interpret_when_unsupported", 400,
		"A clause of type {type} is not allowed in when.",
		"Use field, text, and, or, not and boost clauses.")
	SearchMatcherValueRequired = declare("search:matcher:value_required", 400,
		"The matcher has no value.",
		"Send a value at {path}.")
	SearchMatcherRangeEmpty = declare("search:matcher:range_empty", 400,
		"The range has no bound.",
		"Set at least one of gte, gt, lte and lt.")
	SearchMatcherRangeConflicting = declare("search:matcher:range_conflicting", 400,
		"One end of the range is given twice.",
		"Keep one bound per end.")
	SearchMatcherOriginRequired = declare("search:matcher:origin_required", 400,
		"The matcher has no origin.",
		"Set lat and lon.")
	SearchMatcherRadiusRequired = declare("search:matcher:radius_required", 400,
		"The matcher has no radius.",
		"Set radius in meters.")
	SearchMatcherTypeUnsupported = declare("search:matcher:type_unsupported", 400,
		"The matcher {matcher} does not work on a field of type {type}.",
		"Use a matcher that fits {type}; /q/docs describes each.")
	SearchFilterClauseUnsupported = declare("search:filter:clause_unsupported", 400,
		"A filter takes field and nested clauses only, not {type}.",
		"Move the {type} clause to query.")
	SearchFilterScoringUnsupported = declare("search:filter:scoring_unsupported", 400,
		"A filter cannot hold clauses that score.",
		"Move the clause to query.")
	SearchInterpretUnitRequired = declare("search:interpret:unit_required", 400,
		"The field {name} is not a numeric field with a unit.",
		"Name a numeric field that declares a unit.")
	SearchInterpretFallbackUnitMismatch = declare("search:interpret:fallback_unit_mismatch", 400,
		"{name} is measured in {unit}, {field} in {expected}.",
		"Use targets of one unit in a chain.")
	SearchNestedPathNotNested = declare("search:nested:path_not_nested", 400,
		"{path} is not a nested list.",
		"Name a list of objects that the definition declares with mode nested.")
	SearchNestedFieldNotInside = declare("search:nested:field_not_inside", 400,
		"{name} is not inside {path}.",
		"Name a field inside {path}.")
	SearchNestedFieldOutside = declare("search:nested:field_outside", 400,
		"{name} is inside the nested list {path}.",
		"Wrap the clause: {\"type\": \"nested\", \"path\": \"{path}\", \"clauses\": [ … ]}.")
	SearchNestedClauseUnsupported = declare("search:nested:clause_unsupported", 400,
		"A clause of type {type} is not allowed inside a nested clause.",
		"Move the clause outside.")
)
