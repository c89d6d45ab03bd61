package problem

// Reindex jobs.
var (
	ReindexNotFound = declare("reindex:not_found", 404,
		"The index {name} has no reindex job.",
		"Start one with POST /v1alpha1/admin/indexes/{name}@generation/actions/reindex.")
	ReindexTargetGenerationRequired = declare("reindex:target_generation_required", 400,
		"The target of a reindex is written {name}@generation.",
		"Name the generation in the path, such as {name}@2.")
	ReindexTargetIsLive = declare("reindex:target_is_live", 400,
		"The target generation {name} is live.",
		"Fill a generation that is not live.")
	ReindexTargetNotEmpty = declare("reindex:target_not_empty", 400,
		"The target generation {name} already holds documents.",
		"Use an empty generation.")
	ReindexSourceIsTarget = declare("reindex:source_is_target", 400,
		"The source and the target are the same generation, {name}.",
		"Name another source.")
	ReindexSourceOtherIndex = declare("reindex:source_other_index", 400,
		"The source {name} belongs to another index.",
		"Name a generation of the same index.")
	ReindexPrimaryKeyMismatch = declare("reindex:primary_key_mismatch", 400,
		"Source and target have different primary keys.",
		"Declare the same key field and type.")
	ReindexPromoteInvalid = declare("reindex:promote_invalid", 400,
		"promote cannot be {value}.",
		"Use auto or manual.")
	ReindexPhaseInvalid = declare("reindex:phase_invalid", 400,
		"{value} is not a phase of a reindex job.",
		"Use a phase that /q/docs lists for reindex jobs.")
	ReindexInProgress = declare("reindex:in_progress", 409,
		"The index {name} already has an unfinished reindex job.",
		"Wait for it, or cancel it with POST /v1alpha1/admin/reindexes/{name}/actions/cancel.")
	ReindexTargetBusy = declare("reindex:target_busy", 409,
		"A reindex job is filling the generation {name}.",
		"Write to the index itself, or wait for the job.")
	ReindexDocumentRefused = declare("reindex:document_refused", 500,
		"The target refused the document {key}: {reason}.",
		"Correct the document in the source, then start again.")
)
