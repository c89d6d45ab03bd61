package problem

// Fields of an index definition.
var (
	IndexFieldNameInvalid = declare("index:field:name_invalid", 400,
		"{name} is not a valid field name: it may hold letters, digits and _, and * in a pattern.",
		"Rename the field; use letters, digits and _.")
	IndexFieldTypeRequired = declare("index:field:type_required", 400,
		"The field {name} has no type.",
		"Give {name} a type, such as string, double, boolean or timestamp.")
	IndexFieldTypeUnsupported = declare("index:field:type_unsupported", 400,
		"The type {type} of {name} cannot be indexed.",
		"Use one of string, boolean, int32, int64, float, double, timestamp, geo_point, vector and object.")
	IndexFieldTypeUnrepresentable = declare("index:field:type_unrepresentable", 409,
		"The stored type {type} of {name} is not known to this node.",
		"Upgrade the node.")
	IndexFieldRequiredWildcardUnsupported = declare("index:field:required:wildcard_unsupported", 400,
		"The wildcard field {name} cannot be required.",
		"Remove required.")
	IndexFieldPrimaryKeyWildcardUnsupported = declare("index:field:primary_key:wildcard_unsupported", 400,
		"The wildcard field {name} cannot be the primary key.",
		"Use a field without wildcard.")
	IndexFieldPrimaryKeyMultipleUnsupported = declare("index:field:primary_key:multiple_unsupported", 400,
		"The primary key {name} cannot hold several values.",
		"Remove multiple.")
	IndexFieldPrimaryKeyTypeUnsupported = declare("index:field:primary_key:type_unsupported", 400,
		"A field of type {type} cannot be the primary key.",
		"Use string, int32 or int64.")
	IndexFieldSortMultipleUnsupported = declare("index:field:sort:multiple_unsupported", 400,
		"The field {name} holds several values and cannot be sorted.",
		"Remove multiple or sort from {name}.")
	IndexFieldSortTypeUnsupported = declare("index:field:sort:type_unsupported", 400,
		"A field of type {type} cannot be sorted.",
		"Remove sort.")
	IndexFieldSortCollationUnsupported = declare("index:field:sort:collation_unsupported", 400,
		"Collation is for string fields only.",
		"Remove collation.")
	IndexFieldFacetTypeUnsupported = declare("index:field:facet:type_unsupported", 400,
		"A field of type {type} cannot be counted as a facet.",
		"Remove facet.")
	IndexFieldSignalTypeUnsupported = declare("index:field:signal:type_unsupported", 400,
		"A field of type {type} cannot be a signal.",
		"Use a number type.")
	IndexFieldSignalWildcardUnsupported = declare("index:field:signal:wildcard_unsupported", 400,
		"The wildcard field {name} cannot be a signal.",
		"Use a field without wildcard.")
	IndexFieldSignalUsageConflicting = declare("index:field:signal:usage_conflicting", 400,
		"The signal field {name} cannot have {usage} as well.",
		"Remove the usage or use a second field.")
	IndexFieldRoleTypeUnsupported = declare("index:field:role:type_unsupported", 400,
		"The role {role} is not available for the type {type}.",
		"Use a role for {type}, or name the usages of {name}: filter, sort, facet, matching.")
	IndexFieldRoleObjectUnsupported = declare("index:field:role:object_unsupported", 400,
		"The role {role} is not available inside an object.",
		"Name the usages of {name} instead: filter, stored.")
	IndexFieldLocalesLocaleUnsupported = declare("index:field:locales:locale_unsupported", 400,
		"The locale {locale} is not supported.",
		"Use a tag that docs/reference/locales.md lists, such as en, de or sv.")
	IndexFieldLocalesLocaleUnknown = declare("index:field:locales:locale_unknown", 400,
		"The index does not declare the locale {locale}.",
		"Add {locale} to locales.supported of the index.")
	IndexFieldLocalesDefaultNotInOnly = declare("index:field:locales:default_not_in_only", 400,
		"The default locale {locale} is missing from only.",
		"Add {locale} to only.")
	IndexFieldLocalesOnlyWithoutDeclaration = declare("index:field:locales:only_without_declaration", 400,
		"only needs locales declared on the index.",
		"Declare locales on the index, or list them on the field.")
	IndexFieldLocalesListWithDeclaration = declare("index:field:locales:list_with_declaration", 400,
		"The index declares its locales, so the field cannot list its own.",
		"Use only to pick from the declared locales.")
	IndexFieldLocalesFallbackWithoutIndex = declare("index:field:locales:fallback_without_index", 400,
		"The field sets fallback, but the index has no localeFallback.",
		"Add localeFallback to the definition.")
	IndexFieldMatchingWeightOutOfRange = declare("index:field:matching:weight_out_of_range", 400,
		"The weight of {name} must be above 0.",
		"Send a finite number above 0.")
	IndexFieldMatchingTypoMinLengthOutOfRange = declare("index:field:matching:typo_min_length_out_of_range", 400,
		"The minimum word length for typos must be at least 1.",
		"Send a whole number of at least 1.")
	IndexFieldMatchingTypoLengthsConflicting = declare("index:field:matching:typo_lengths_conflicting", 400,
		"The minimum length for two typos is below that for one typo.",
		"Make minLengthTwoTypos at least minLengthOneTypo.")
	IndexFieldMatchingTypoPrefixOutOfRange = declare("index:field:matching:typo_prefix_out_of_range", 400,
		"The prefix length cannot be negative.",
		"Send a whole number of at least 0.")
	IndexFieldAutocompleteWeightOutOfRange = declare("index:field:autocomplete:weight_out_of_range", 400,
		"The weight of {name} must be above 0.",
		"Send a finite number above 0.")
	IndexFieldExactBoostOutOfRange = declare("index:field:exact:boost_out_of_range", 400,
		"The boost of {name} must be above 0.",
		"Send a finite number above 0.")
	IndexFieldHierarchySeparatorInvalid = declare("index:field:hierarchy:separator_invalid", 400,
		"The separator is empty.",
		"Send at least one character.")
	IndexFieldAnalyzerInvalid = declare("index:field:analyzer:invalid", 400,
		"The analyzer of {name} is not exactly one of preset, custom and named.",
		"Give one of the three.")
	IndexFieldAnalyzerConflicting = declare("index:field:analyzer:conflicting", 400,
		"The usage has both its own chain and a named one.",
		"Keep one of the two.")
	IndexFieldAnalyzerChainUnknown = declare("index:field:analyzer:chain_unknown", 400,
		"The resources declare no analyzer called {resource}.",
		"Add it to resources.analyzers or correct the name.")
	IndexFieldAnalyzerComponentInvalid = declare("index:field:analyzer:component_invalid", 400,
		"A component of the analyzer {name} is not exactly one known kind.",
		"Give each component one key naming its kind.")
	IndexFieldAnalyzerDecompoundConflicting = declare("index:field:analyzer:decompound_conflicting", 400,
		"decompound only applies to an analyzer built by the engine.",
		"Remove decompound, or use the filter of that name in the chain.")
	IndexFieldAnalyzerStopwordsUnknown = declare("index:field:analyzer:stopwords_unknown", 400,
		"The resources declare no stopword list called {resource}.",
		"Add it to resources.stopwords or correct the name.")
	IndexFieldAnalyzerSynonymsUnknown = declare("index:field:analyzer:synonyms_unknown", 400,
		"The resources declare no synonym set called {resource}.",
		"Add it to resources.synonyms or correct the name.")
	IndexFieldAnalyzerLocaleUnsupported = declare("index:field:analyzer:locale_unsupported", 400,
		"The locale {locale} is not supported.",
		"Use a tag that docs/reference/locales.md lists, such as en, de or sv.")
	IndexFieldAnalyzerDecompoundLocaleUnsupported = declare("index:field:analyzer:decompound_locale_unsupported", 400,
		"There is no compound data for the locale {locale}.",
		"Use one of da, de, fi, is, nb, nl, nn, no and sv, or set decompound to none.")
	IndexFieldAnalyzerGramsInvalid = declare("index:field:analyzer:grams_invalid", 400,
		"The n-gram sizes of {name} are not valid.",
		"Make minGram at least 1, and maxGram at least minGram, at most 255 and at most 32 above it.")
	IndexFieldAnalyzerPatternInvalid = declare("index:field:analyzer:pattern_invalid", 400,
		"{pattern} is not a valid regular expression: {reason}.",
		"Correct the pattern of {name}.")
	IndexFieldNumberBoundInvalid = declare("index:field:number:bound_invalid", 400,
		"The bound {value} of {name} is not a value of type {type}.",
		"Send a finite number that {type} can hold.")
	IndexFieldNumberBoundsConflicting = declare("index:field:number:bounds_conflicting", 400,
		"The lower bound of {name} is above the upper one.",
		"Make min at most max.")
	IndexFieldNumberUnitInvalid = declare("index:field:number:unit_invalid", 400,
		"The unit of {name} is blank.",
		"Name a unit or leave it out.")
	IndexFieldVectorDimensionsRequired = declare("index:field:vector:dimensions_required", 400,
		"The vector field {name} needs its number of dimensions.",
		"Set dimensions to the length of the vectors.")
	IndexFieldVectorDimensionsOutOfRange = declare("index:field:vector:dimensions_out_of_range", 400,
		"The dimensions of {name} must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	IndexFieldVectorHnswMOutOfRange = declare("index:field:vector:hnsw_m_out_of_range", 400,
		"m of {name} must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	IndexFieldVectorHnswEfConstructionOutOfRange = declare("index:field:vector:hnsw_ef_construction_out_of_range", 400,
		"efConstruction of {name} must be between 1 and {max}.",
		"Send a whole number between 1 and {max}.")
	IndexFieldVectorFilterUnsupported = declare("index:field:vector:filter_unsupported", 400,
		"A vector field cannot be filtered.",
		"Remove filter; search it with a knn clause.")
	IndexFieldVectorMultipleUnsupported = declare("index:field:vector:multiple_unsupported", 400,
		"A vector field holds one vector.",
		"Remove multiple.")
	IndexFieldVectorLocalesUnsupported = declare("index:field:vector:locales_unsupported", 400,
		"A vector field cannot be locale-specific.",
		"Remove locales.")
	IndexFieldObjectFieldsRequired = declare("index:field:object:fields_required", 400,
		"The object {name} declares no fields.",
		"Declare at least one field inside it.")
	IndexFieldObjectUsageUnsupported = declare("index:field:object:usage_unsupported", 400,
		"An object cannot have the usage {usage} itself.",
		"Set the usage on the fields inside it.")
	IndexFieldObjectInnerUsageUnsupported = declare("index:field:object:inner_usage_unsupported", 400,
		"The field {name} cannot have {usage} inside an object.",
		"Declare it at the top level.")
	IndexFieldObjectModeRequired = declare("index:field:object:mode_required", 400,
		"The list of objects {name} needs a mode.",
		"Set mode to nested, to match each object as a whole, or to flattened.")
	IndexFieldObjectModeWithoutMultiple = declare("index:field:object:mode_without_multiple", 400,
		"Only a list of objects has a mode.",
		"Remove mode, or set multiple.")
	IndexFieldObjectKeyWithoutMultiple = declare("index:field:object:key_without_multiple", 400,
		"Only a list of objects has a key.",
		"Remove key, or set multiple.")
	IndexFieldObjectKeyUnknown = declare("index:field:object:key_unknown", 400,
		"The key {key} is not a field of the object {name}.",
		"Name a field that {name} declares.")
	IndexFieldObjectKeyInvalid = declare("index:field:object:key_invalid", 400,
		"The field {key} cannot be the key of the list: {reason}.",
		"Use a required, single-valued string or whole-number child.")
	IndexFieldObjectNestedInNested = declare("index:field:object:nested_in_nested", 400,
		"The nested list {name} is inside another nested list.",
		"Make one of the two flattened.")
	IndexFieldObjectFlattenedSortUnsupported = declare("index:field:object:flattened_sort_unsupported", 400,
		"The field {name} is inside a flattened list and cannot be sorted.",
		"Remove sort, or make the list nested.")
	IndexFieldObjectFlattenedStoredUnsupported = declare("index:field:object:flattened_stored_unsupported", 400,
		"The field {name} is inside a flattened list and cannot be stored on its own.",
		"Remove stored.")
)
