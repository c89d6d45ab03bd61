package problem

// The parts of an index definition outside its fields.
var (
	IndexSchemaPrimaryKeyDuplicate = declare("index:schema:primary_key_duplicate", 400,
		"More than one field is declared as the primary key.",
		"Declare one primary key.")
	IndexSchemaPrimaryKeyNotRequired = declare("index:schema:primary_key_not_required", 400,
		"The primary key {name} cannot be optional.",
		"Leave required out or set it to true.")
	IndexSchemaPrimaryKeyLocalesUnsupported = declare("index:schema:primary_key_locales_unsupported", 400,
		"The primary key {name} cannot be locale-specific.",
		"Remove locales from the field.")
	IndexSchemaFeaturesUnsupported = declare("index:schema:features_unsupported", 400,
		"The definition needs features that this node lacks: {features}.",
		"Upgrade the node or leave the features out.")
	IndexLocalesDefaultLocaleRequired = declare("index:locales:default_locale_required", 400,
		"The locales of the index need a default locale.",
		"Set locales.defaultLocale, such as \"en\".")
	IndexLocaleFallbackLocaleUnsupported = declare("index:locale_fallback:locale_unsupported", 400,
		"The locale {locale} is not supported.",
		"Use a tag that docs/reference/locales.md lists, such as en, de or sv.")
	IndexLocaleFallbackLocaleDuplicate = declare("index:locale_fallback:locale_duplicate", 400,
		"The locale {locale} occurs more than once in the chain.",
		"Name each locale once.")
	IndexLocaleFallbackLocaleNotHeld = declare("index:locale_fallback:locale_not_held", 400,
		"No field declares the locale {locale}.",
		"Add the locale to a field or take it out of the chain.")
	IndexLocaleFallbackLocaleFieldsRequired = declare("index:locale_fallback:locale_fields_required", 400,
		"Locale fallback needs at least one locale-specific field.",
		"Give a field locales, or remove localeFallback.")
	IndexResourcesAnalyzersNamed = declare("index:resources:analyzers:named", 400,
		"The analyzer {name} of the resources cannot refer to another by name.",
		"Write the chain out.")
	IndexResourcesSynonymsRuleInvalid = declare("index:resources:synonyms:rule_invalid", 400,
		"A rule of the synonym set {name} is not exactly one of equivalent and mapping.",
		"Give each rule one of the two.")
	IndexResourcesSynonymsWordsTooFew = declare("index:resources:synonyms:words_too_few", 400,
		"A rule of {name} has fewer than two equivalent words.",
		"Add a word or remove the rule.")
	IndexResourcesSynonymsOneSided = declare("index:resources:synonyms:one_sided", 400,
		"A mapping of {name} needs words on both sides.",
		"Fill from and to.")
	IndexResourcesSynonymsWordRequired = declare("index:resources:synonyms:word_required", 400,
		"A word in a rule of {name} is blank.",
		"Remove the blank word.")
	IndexRankingFieldUnknown = declare("index:ranking:field_unknown", 400,
		"The ranking names {name}, which is not a field of the index.",
		"Name a declared field.")
	IndexRankingWildcardUnsupported = declare("index:ranking:wildcard_unsupported", 400,
		"The ranking cannot name the wildcard field {name}.",
		"Name a field without wildcard.")
	IndexRankingFieldNotSortable = declare("index:ranking:field_not_sortable", 400,
		"The field {name} cannot be sorted.",
		"Add sort to {name}.")
	IndexRankingFieldDuplicate = declare("index:ranking:field_duplicate", 400,
		"The field {name} occurs more than once in the tie breakers.",
		"Name each field once.")
	IndexRankingSignalFieldUnknown = declare("index:ranking:signal:field_unknown", 400,
		"The signal names {name}, which is not a field of the index.",
		"Name a declared field.")
	IndexRankingSignalWildcardUnsupported = declare("index:ranking:signal:wildcard_unsupported", 400,
		"A signal cannot read the wildcard field {name}.",
		"Name a field without wildcard.")
	IndexRankingSignalFieldNotSortable = declare("index:ranking:signal:field_not_sortable", 400,
		"The field {name} cannot be read as a signal.",
		"Add sort or signal to {name}.")
	IndexRankingSignalShapeRequired = declare("index:ranking:signal:shape_required", 400,
		"The signal has no shape.",
		"Give it saturation, decay or linear.")
	IndexRankingSignalShapeInvalid = declare("index:ranking:signal:shape_invalid", 400,
		"The signal has more than one shape.",
		"Keep one of saturation, decay and linear.")
	IndexRankingSignalShapeUnsupported = declare("index:ranking:signal:shape_unsupported", 400,
		"The shape {shape} does not fit the type of {name}.",
		"Use saturation or linear for numbers, decay for timestamps.")
	IndexRankingSignalPivotOutOfRange = declare("index:ranking:signal:pivot_out_of_range", 400,
		"The pivot must be a number above 0.",
		"Send a finite number above 0.")
	IndexRankingSignalHalfLifeOutOfRange = declare("index:ranking:signal:half_life_out_of_range", 400,
		"The half-life must be above 0 seconds.",
		"Send a whole number of seconds above 0.")
	IndexRankingSignalCeilingOutOfRange = declare("index:ranking:signal:ceiling_out_of_range", 400,
		"The ceiling must be a number above 0.",
		"Send a finite number above 0.")
	IndexRankingSignalWeightOutOfRange = declare("index:ranking:signal:weight_out_of_range", 400,
		"The weight must be 0 or more.",
		"Send a finite number of at least 0.")
)
