package problem

// Indexes, generations and their states.
var (
	IndexNameInvalid = declare("index:name_invalid", 400,
		"{name} is not a valid index name: it is 1 to 64 lower-case letters, digits, - and _, beginning with a letter or digit.",
		"Use 1 to 64 lower-case letters, digits, - and _, beginning with a letter or digit.")
	IndexNotFound = declare("index:not_found", 404,
		"No index or generation is called {name}.",
		"Check the name; GET /v1alpha1/admin/indexes lists the indexes the key can see.")
	IndexAlreadyExists = declare("index:already_exists", 409,
		"Another request created the index {name} at the same time.",
		"Read the index, then repeat the request if it still applies.")
	IndexNoPrimaryKey = declare("index:no_primary_key", 400,
		"The definition of the index declares no primary key.",
		"Declare a primary key in a new generation, such as {\"type\": \"string\", \"role\": \"id\"}.")
	IndexNoLiveGeneration = declare("index:no_live_generation", 409,
		"The index has no live generation.",
		"Promote a generation with POST …/actions/promote, or name one as index@generation.")
	IndexReadonly = declare("index:readonly", 409,
		"This node cannot write the index at the moment.",
		"Send the request again; GET /v1alpha1/admin/indexers shows which node writes the index.")
	IndexOutOfDate = declare("index:out_of_date", 409,
		"The node is synchronizing the generation.",
		"Send the request again in a moment.")
	IndexUnsupported = declare("index:unsupported", 409,
		"The index needs features that this node lacks: {features}.",
		"Upgrade the node.")
	IndexVersionMismatch = declare("index:version_mismatch", 412,
		"The stored definition has another version than If-Match names.",
		"Read the index and repeat the change with its current ETag.")
	IndexClosed = declare("index:closed", 503,
		"The index was closing when the request arrived.",
		"Send the request again; the node opens the index for it.")
	IndexIoError = declare("index:io_error", 500,
		"The node could not read or write the files of the index.",
		"Check the disk of the node: free space, permissions, faults. Its log names the file.")
	IndexRegistryAuditUnavailable = declare("index:registry:audit_unavailable", 409,
		"Audit and repair need object storage; this node keeps its data locally.",
		"Use them on a deployment in object mode.")
	IndexGenerationNameInvalid = declare("index:generation:name_invalid", 400,
		"{name} is not a valid generation name: it is 1 to 32 lower-case letters, digits, - and _, beginning with a letter or digit.",
		"Use 1 to 32 lower-case letters, digits, - and _, beginning with a letter or digit.")
	IndexGenerationNameRequired = declare("index:generation:name_required", 400,
		"The action needs a generation, written {name}@generation.",
		"Name the generation in the path, such as {name}@2.")
	IndexGenerationNotCreatable = declare("index:generation:not_creatable", 400,
		"An index is created by its own name, not by a generation.",
		"PUT the index name first.")
	IndexGenerationReindexWithoutCreation = declare("index:generation:reindex_without_creation", 400,
		"The reindex parameter is only for a request that creates a generation.",
		"Leave reindex out, or PUT a new index@generation.")
	IndexGenerationUnsettled = declare("index:generation:unsettled", 400,
		"The live generation kept changing during the write.",
		"Send the request again.")
	IndexGenerationAlreadyExists = declare("index:generation:already_exists", 409,
		"Another request created the generation {name} at the same time.",
		"Read the generation, then repeat the request if it still applies.")
	IndexGenerationIsLive = declare("index:generation:is_live", 409,
		"The generation {name} is live and cannot be deleted.",
		"Promote another generation first, or delete the whole index.")
	IndexGenerationStorageHeld = declare("index:generation:storage_held", 409,
		"The storage already holds data under the generation {generation}.",
		"Choose another name, or register the data with a registry repair.")
	IndexGenerationLiveMoved = declare("index:generation:live_moved", 409,
		"The live generation is now {live}, not {expected}.",
		"Start the reindex again from the generation that is live now.")
	IndexDefinitionIncompatible = declare("index:definition:incompatible", 409,
		"The definition changes how documents are indexed, and the generation holds documents.",
		"Create a new generation with this definition and reindex into it, or allow stale documents.")
	IndexDefinitionUsageAdded = declare("index:definition:usage_added", 409,
		"The usage {usage} of {field} is added.",
		"Create a new generation and reindex into it.")
	IndexDefinitionAnalysisChanged = declare("index:definition:analysis_changed", 409,
		"The analysis of {field} changes.",
		"Create a new generation and reindex into it.")
	IndexDefinitionSettingChanged = declare("index:definition:setting_changed", 409,
		"The setting {setting} of {field} changes.",
		"Create a new generation and reindex into it.")
	IndexDefinitionLocaleFallbackChanged = declare("index:definition:locale_fallback_changed", 409,
		"The locale fallback changes.",
		"Create a new generation and reindex into it.")
	IndexDefinitionSourceAdded = declare("index:definition:source_added", 409,
		"Documents already indexed lack the source.",
		"Create a new generation and reindex into it from the original documents.")
	IndexDefinitionUnrepresentable = declare("index:definition:unrepresentable", 409,
		"The stored definition uses settings that this node does not know.",
		"Upgrade the node.")
)
