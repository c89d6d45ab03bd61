package problem

// Search settings of an index.
var (
	SettingsNotFound = declare("settings:not_found", 404,
		"The index {name} has no search settings.",
		"Store settings with PUT /v1alpha1/admin/indexes/{name}/settings.")
	SettingsVersionMismatch = declare("settings:version_mismatch", 412,
		"The stored settings have another version than If-Match names.",
		"Read the settings and repeat the change with their current ETag.")
	SettingsUnrepresentable = declare("settings:unrepresentable", 409,
		"The stored settings use capabilities this node does not know.",
		"Upgrade the node, or replace the settings.")
	SettingsSynonymsFieldUnknown = declare("settings:synonyms:field_unknown", 400,
		"The index has no field called {name}.",
		"Use a field that the definition declares.")
	SettingsSynonymsFieldUnsupported = declare("settings:synonyms:field_unsupported", 400,
		"The field {name} is not searched as text.",
		"Name a field with matching or autocomplete.")
	SettingsSynonymsBoostOutOfRange = declare("settings:synonyms:boost_out_of_range", 400,
		"The boost must be above 0.",
		"Send a finite number above 0.")
	SettingsSynonymsRuleInvalid = declare("settings:synonyms:rule_invalid", 400,
		"The rule has neither two equivalent words nor a mapping with words on both sides.",
		"Give each rule at least two equivalent words, or a mapping with both sides.")
	SettingsTypoExclusionsFieldUnknown = declare("settings:typo_exclusions:field_unknown", 400,
		"The index has no field called {name}.",
		"Use a field that the definition declares.")
	SettingsTypoExclusionsFieldUnsupported = declare("settings:typo_exclusions:field_unsupported", 400,
		"The field {name} is not searched as text.",
		"Name a field with matching or autocomplete.")
	SettingsFieldsFieldUnknown = declare("settings:fields:field_unknown", 400,
		"The index has no field called {name}.",
		"Use a field that the definition declares.")
	SettingsFieldsInterpretUnsupported = declare("settings:fields:interpret_unsupported", 400,
		"Values of {name} cannot be read from text.",
		"Use a string field with filter and facet, without hierarchy.")
	SettingsFieldsSuggestUnsupported = declare("settings:fields:suggest_unsupported", 400,
		"Values of {name} cannot be suggested.",
		"Use a string field with facet, without hierarchy.")
	SettingsFieldsValuesUnsupported = declare("settings:fields:values_unsupported", 400,
		"Values of {name} cannot be declared.",
		"Use a string field with facet, without hierarchy.")
	SettingsFieldsValuesInvalid = declare("settings:fields:values_invalid", 400,
		"The declared values are not valid: {reason}.",
		"Give each value once, with canonical locale tags and labels that are not blank.")
	SettingsPatchPathInvalid = declare("settings:patch:path_invalid", 400,
		"{path} cannot be read as a change path.",
		"Balance the brackets and name each level.")
	SettingsPatchAddReachesInside = declare("settings:patch:add_reaches_inside", 400,
		"{path} adds a value and reaches inside it.",
		"Add the whole value.")
	SettingsPatchFieldUnknown = declare("settings:patch:field_unknown", 400,
		"{path} names a member that settings do not have.",
		"Correct the name {name}.")
	SettingsPatchSelectorUnsupported = declare("settings:patch:selector_unsupported", 400,
		"{path} has a selector on a value that is not a list.",
		"Remove the selector of {name}.")
	SettingsPatchMatchNotAnObject = declare("settings:patch:match_not_an_object", 400,
		"{path} selects by a member, but the values are not objects.",
		"Remove the selector of {name}.")
	SettingsPatchAddUnsupported = declare("settings:patch:add_unsupported", 400,
		"{path} adds to a value that is not a list.",
		"Set {name} without [+].")
	SettingsPatchNotAnObject = declare("settings:patch:not_an_object", 400,
		"{path} reaches inside a value that is not an object.",
		"Set {name} itself.")
	SettingsPatchSelectorRequired = declare("settings:patch:selector_required", 400,
		"{path} reaches inside a list without choosing a value.",
		"Add a selector in brackets.")
	SettingsPatchKeyUnsupported = declare("settings:patch:key_unsupported", 400,
		"{path} selects by key, but the list has none.",
		"Select by member=value.")
	SettingsPatchNoMatch = declare("settings:patch:no_match", 400,
		"{path} matches no value.",
		"Check the selector against the stored settings.")
	SettingsPatchValueInvalid = declare("settings:patch:value_invalid", 400,
		"{path} cannot take this value: {reason}.",
		"Send a value of the documented shape.")
)
