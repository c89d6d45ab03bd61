package problem

// Documents and changes to them.
var (
	DocumentMalformed = declare("document:malformed", 400,
		"Line {line} cannot be read: {reason}.",
		"Correct line {line}; each line holds one JSON object.")
	DocumentNotAnObject = declare("document:not_an_object", 400,
		"A document must be a JSON object.",
		"Send an object in braces, such as {\"id\": \"1\"}.")
	DocumentNotFound = declare("document:not_found", 404,
		"No document has the key {key}.",
		"Check the key {key}, or add the document first; documents are readable after the next commit.")
	DocumentOnErrorInvalid = declare("document:on_error_invalid", 400,
		"onError cannot be {value}.",
		"Use fail or skip.")
	DocumentKeyRequired = declare("document:key_required", 400,
		"The key of the document is missing.",
		"Send the primary key field {name}.")
	DocumentKeyConflicting = declare("document:key_conflicting", 400,
		"The key in the body differs from the key in the path, {key}.",
		"Leave {name} out of the body, or repeat the key of the path.")
	DocumentSourceNotKept = declare("document:source_not_kept", 400,
		"The index does not keep the source of its documents.",
		"Use an index whose definition does not say \"source\": \"none\".")
	DocumentFieldUnknown = declare("document:field_unknown", 400,
		"The definition declares no field called {name}.",
		"Leave {name} out, or declare it with PUT of the definition: new fields may be added at any time.")
	DocumentFieldInsideObject = declare("document:field_inside_object", 400,
		"{name} is the path of a field inside an object.",
		"Send the object with the field in it instead of a dotted name.")
	DocumentFieldRequired = declare("document:field_required", 400,
		"The field {name} is required.",
		"Send a value for {name}.")
	DocumentLocaleUnknown = declare("document:locale_unknown", 400,
		"The field {name} does not declare the locale {locale}.",
		"Use a locale that {name} declares, or add {locale} in a new generation.")
	DocumentLocaleUnsupported = declare("document:locale_unsupported", 400,
		"The field {name} is not locale-specific.",
		"Send the value of {name} itself instead of an object keyed by locale.")
	DocumentObjectRequired = declare("document:object_required", 400,
		"The field {name} is an object.",
		"Send {name} as an object in braces.")
	DocumentObjectUnsupported = declare("document:object_unsupported", 400,
		"The field {name} is not an object.",
		"Send a single value for {name}.")
	DocumentMultipleUnsupported = declare("document:multiple_unsupported", 400,
		"The field {name} holds one value.",
		"Send a single value for {name}, or declare the field with \"multiple\": true in a new generation.")
	DocumentMultiplePerLocaleUnsupported = declare("document:multiple_per_locale_unsupported", 400,
		"The field {name} holds one value per locale.",
		"Send a single value of {name} for {locale}.")
	DocumentObjectKeyDuplicate = declare("document:object_key_duplicate", 400,
		"Two values of {name} have the key {key}.",
		"Give each value of {name} a key of its own.")
	DocumentNamesTooMany = declare("document:names_too_many", 400,
		"The index already has {limit} names in wildcard fields, which is the limit; {name} would be one more.",
		"Reuse existing names, or declare a nested list of names and values.")
	DocumentValuesTooMany = declare("document:values_too_many", 400,
		"The document holds more than {limit} values in nested lists.",
		"Split the document, or declare the list as flattened.")
	DocumentAnalysisTooLarge = declare("document:analysis_too_large", 400,
		"The analysis of {name} takes more than the {limit} steps that a document of this size has: its patterns, synonyms or grams multiply what the text holds.",
		"Shorten the text of {name}, or simplify its analyzer in a new generation.")
	DocumentStringValueTooLong = declare("document:string:value_too_long", 400,
		"The value of {name} has {length} bytes as it is compared; at most {limit} can be filtered, counted, sorted or used as a key.",
		"Shorten the value, or PUT the definition with null for filter, facet, hierarchy and sort of {name}, which needs no reindex; a key must be shorter.")
	DocumentNumberValueInvalid = declare("document:number:value_invalid", 400,
		"{value} is not a number of type {type}, which the field {name} takes.",
		"Send a JSON number without quotes that fits {type}.")
	DocumentNumberValueOutOfRange = declare("document:number:value_out_of_range", 400,
		"{value} lies outside the bounds of {name}.",
		"Send a value within the bounds that the definition gives {name}.")
	DocumentGeoPointValueInvalid = declare("document:geo_point:value_invalid", 400,
		"The field {name} takes an object with the numbers lat and lon.",
		"Send both coordinates, such as {\"lat\": 59.91, \"lon\": 10.75}.")
	DocumentGeoPointValueOutOfRange = declare("document:geo_point:value_out_of_range", 400,
		"The coordinates {lat}, {lon} of {name} are out of range.",
		"Send a latitude between -90 and 90 and a longitude between -180 and 180.")
	DocumentTimestampValueInvalid = declare("document:timestamp:value_invalid", 400,
		"{value} is not an ISO 8601 timestamp with an offset, which the field {name} takes.",
		"Send a timestamp with an offset, such as 2026-02-01T08:00:00Z.")
	DocumentVectorValueInvalid = declare("document:vector:value_invalid", 400,
		"The field {name} takes one array of numbers.",
		"Send {name} as one flat list of numbers.")
	DocumentVectorValueNotFinite = declare("document:vector:value_not_finite", 400,
		"The vector of {name} holds a number that is not finite.",
		"Send numbers a 32-bit float can hold.")
	DocumentVectorDimensionsMismatch = declare("document:vector:dimensions_mismatch", 400,
		"The vector of {name} has {actual} numbers, the field declares {expected}.",
		"Send {expected} numbers for {name}.")
	DocumentVectorValueZero = declare("document:vector:value_zero", 400,
		"The vector of {name} is all zeros, which has no direction.",
		"Send a vector that is not all zeros, or declare another similarity than cosine.")
	DocumentPatchPathInvalid = declare("document:patch:path_invalid", 400,
		"{path} cannot be read as a change path.",
		"Balance the brackets of {path} and name each level, as in variants[sku=A1].price.")
	DocumentPatchMissingInvalid = declare("document:patch:missing_invalid", 400,
		"missing cannot be {value}.",
		"Use fail or skip.")
	DocumentPatchAddReachesInside = declare("document:patch:add_reaches_inside", 400,
		"{path} adds a value and reaches inside it.",
		"Add the whole value.")
	DocumentPatchFieldUnknown = declare("document:patch:field_unknown", 400,
		"{path} names a field that the definition does not declare.",
		"Correct the name {name}.")
	DocumentPatchSelectorUnsupported = declare("document:patch:selector_unsupported", 400,
		"{path} has a selector on a field that has neither locales nor object values.",
		"Remove the selector of {name}.")
	DocumentPatchMatchNotAnObject = declare("document:patch:match_not_an_object", 400,
		"{path} selects by a field, but the values are not objects.",
		"Remove the selector of {name}.")
	DocumentPatchAddUnsupported = declare("document:patch:add_unsupported", 400,
		"{path} adds a value to a field that holds one.",
		"Set {name} without [+], or declare it with \"multiple\": true.")
	DocumentPatchNotAnObject = declare("document:patch:not_an_object", 400,
		"{path} reaches inside a value that is not an object.",
		"Set {name} itself.")
	DocumentPatchSelectorRequired = declare("document:patch:selector_required", 400,
		"{path} reaches inside a list of objects without choosing a value.",
		"Choose a value of {name} in brackets, such as {name}[sku=A1].")
	DocumentPatchKeyUnsupported = declare("document:patch:key_unsupported", 400,
		"{path} selects by key, but the list declares none.",
		"Select a value of {name} by field=value.")
	DocumentPatchNoMatch = declare("document:patch:no_match", 400,
		"{path} matches no value.",
		"Check the selector of {name} against the stored document.")
	DocumentDeleteTargetRequired = declare("document:delete:target_required", 400,
		"The request names nothing to delete.",
		"Send one of keys, query and all, such as {\"keys\": [\"1\"]}.")
	DocumentDeleteTargetConflicting = declare("document:delete:target_conflicting", 400,
		"The request names more than one way to choose documents.",
		"Send one of keys, query and all.")
	DocumentDeleteQueryEmpty = declare("document:delete:query_empty", 400,
		"The query has no clause.",
		"Send a clause, or {\"all\": true} to empty the index.")
	DocumentDeleteLocaleWithoutQuery = declare("document:delete:locale_without_query", 400,
		"locale is only allowed together with query.",
		"Remove locale.")
)
