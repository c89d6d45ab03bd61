package problem

// Documents and changes to them.
var (
	DocumentMalformed = declare("document:malformed", 400,
		"The entry is not valid JSON: {reason}.",
		"Correct the line.")
	DocumentNotAnObject = declare("document:not_an_object", 400,
		"A document must be a JSON object.",
		"Send an object.")
	DocumentNotFound = declare("document:not_found", 404,
		"There is no document under the key {key}.",
		"Check the key, or add the document first.")
	DocumentOnErrorInvalid = declare("document:on_error_invalid", 400,
		"{value} is not a way to treat refused documents.",
		"Use fail or skip.")
	DocumentKeyRequired = declare("document:key_required", 400,
		"The key of the document is missing.",
		"Send the primary key field.")
	DocumentKeyConflicting = declare("document:key_conflicting", 400,
		"The body names another key than the path.",
		"Leave the key field out of the body, or repeat the key of the path.")
	DocumentSourceNotKept = declare("document:source_not_kept", 400,
		"The index does not keep the documents as they were sent.",
		"Use an index with source full.")
	DocumentFieldUnknown = declare("document:field_unknown", 400,
		"The definition declares no field called {name}.",
		"Declare the field, or leave it out.")
	DocumentFieldInsideObject = declare("document:field_inside_object", 400,
		"{name} lies inside an object.",
		"Send the object with the field in it.")
	DocumentFieldRequired = declare("document:field_required", 400,
		"The field {name} is required.",
		"Send a value.")
	DocumentLocaleUnknown = declare("document:locale_unknown", 400,
		"The field {name} does not hold the locale {locale}.",
		"Use a locale the field declares.")
	DocumentLocaleUnsupported = declare("document:locale_unsupported", 400,
		"The field {name} is not locale-specific.",
		"Send the value itself.")
	DocumentObjectRequired = declare("document:object_required", 400,
		"The field {name} is an object.",
		"Send an object.")
	DocumentObjectUnsupported = declare("document:object_unsupported", 400,
		"The field {name} is not an object.",
		"Send a single value.")
	DocumentMultipleUnsupported = declare("document:multiple_unsupported", 400,
		"The field {name} holds one value.",
		"Send a single value, or declare multiple.")
	DocumentMultiplePerLocaleUnsupported = declare("document:multiple_per_locale_unsupported", 400,
		"The field {name} holds one value per locale.",
		"Send a single value for {locale}.")
	DocumentObjectKeyDuplicate = declare("document:object_key_duplicate", 400,
		"Two values of {name} have the key {key}.",
		"Give each value a key of its own.")
	DocumentStringValueTooLong = declare("document:string:value_too_long", 400,
		"The value of {name} has {length} bytes as it is compared; at most {limit} can be filtered, counted, sorted or used as a key.",
		"Shorten the value, or declare the field without filter, facet, hierarchy, sort and key.")
	DocumentNumberValueInvalid = declare("document:number:value_invalid", 400,
		"The field {name} takes a number of type {type}.",
		"Send a number that the type can hold.")
	DocumentNumberValueOutOfRange = declare("document:number:value_out_of_range", 400,
		"{value} lies outside the bounds of {name}.",
		"Send a value within the bounds.")
	DocumentGeoPointValueInvalid = declare("document:geo_point:value_invalid", 400,
		"The field {name} takes an object with the numbers lat and lon.",
		"Send both coordinates.")
	DocumentGeoPointValueOutOfRange = declare("document:geo_point:value_out_of_range", 400,
		"The point of {name} does not lie on the earth.",
		"Send a latitude within 90 and a longitude within 180 degrees.")
	DocumentTimestampValueInvalid = declare("document:timestamp:value_invalid", 400,
		"The field {name} takes an ISO 8601 timestamp with an offset.",
		"Send a timestamp such as 2026-02-01T08:00:00Z.")
	DocumentVectorValueInvalid = declare("document:vector:value_invalid", 400,
		"The field {name} takes one array of numbers.",
		"Send a flat array of numbers.")
	DocumentVectorValueNotFinite = declare("document:vector:value_not_finite", 400,
		"The vector of {name} holds a number that is not finite.",
		"Send numbers a 32-bit float can hold.")
	DocumentVectorDimensionsMismatch = declare("document:vector:dimensions_mismatch", 400,
		"The vector of {name} has {actual} numbers, the field declares {expected}.",
		"Send a vector of the declared length.")
	DocumentVectorValueZero = declare("document:vector:value_zero", 400,
		"The vector of {name} is all zeros, which has no direction.",
		"Send a vector with a length, or use another similarity.")
	DocumentPatchPathInvalid = declare("document:patch:path_invalid", 400,
		"{path} cannot be read as a change path.",
		"Balance the brackets and name each level.")
	DocumentPatchMissingInvalid = declare("document:patch:missing_invalid", 400,
		"{value} is not a way to treat absent documents.",
		"Use fail or skip.")
	DocumentPatchAddReachesInside = declare("document:patch:add_reaches_inside", 400,
		"{path} adds a value and reaches inside it.",
		"Add the whole value.")
	DocumentPatchFieldUnknown = declare("document:patch:field_unknown", 400,
		"{path} names a field that the definition does not declare.",
		"Correct the name.")
	DocumentPatchSelectorUnsupported = declare("document:patch:selector_unsupported", 400,
		"{path} selects in a field with neither locales nor object values.",
		"Remove the selector.")
	DocumentPatchMatchNotAnObject = declare("document:patch:match_not_an_object", 400,
		"{path} selects by a field, but the values are no objects.",
		"Remove the selector.")
	DocumentPatchAddUnsupported = declare("document:patch:add_unsupported", 400,
		"{path} adds a value to a field that holds one.",
		"Set the field, or declare multiple.")
	DocumentPatchNotAnObject = declare("document:patch:not_an_object", 400,
		"{path} reaches inside a value that is no object.",
		"Name the field itself.")
	DocumentPatchSelectorRequired = declare("document:patch:selector_required", 400,
		"{path} reaches inside a list of objects without choosing a value.",
		"Add a selector in brackets.")
	DocumentPatchKeyUnsupported = declare("document:patch:key_unsupported", 400,
		"{path} selects by key, but the list declares none.",
		"Select by field=value.")
	DocumentPatchNoMatch = declare("document:patch:no_match", 400,
		"{path} matches no value.",
		"Check the selector against the stored document.")
	DocumentDeleteTargetRequired = declare("document:delete:target_required", 400,
		"The request names nothing to delete.",
		"Send keys, query or all.")
	DocumentDeleteTargetConflicting = declare("document:delete:target_conflicting", 400,
		"The request names more than one way to choose documents.",
		"Send one of keys, query and all.")
	DocumentDeleteQueryEmpty = declare("document:delete:query_empty", 400,
		"The query has no clause.",
		"Send a clause, or all to empty the index.")
	DocumentDeleteLocaleWithoutQuery = declare("document:delete:locale_without_query", 400,
		"A locale only belongs to a query.",
		"Remove locale.")
)
