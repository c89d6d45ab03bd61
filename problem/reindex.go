package problem

// Reindex jobs.
var (
	ReindexNotFound = declare("reindex:not_found", 404,
		"The index {name} has no reindex job.",
		"Start one with the reindex action.")
	ReindexTargetGenerationRequired = declare("reindex:target_generation_required", 400,
		"The target of a reindex is written index@generation.",
		"Name the generation in the path.")
	ReindexTargetIsLive = declare("reindex:target_is_live", 400,
		"The target generation is live.",
		"Fill a generation that is not live.")
	ReindexTargetNotEmpty = declare("reindex:target_not_empty", 400,
		"The target generation already holds documents.",
		"Use an empty generation.")
	ReindexSourceIsTarget = declare("reindex:source_is_target", 400,
		"Source and target are the same generation.",
		"Name another source.")
	ReindexSourceOtherIndex = declare("reindex:source_other_index", 400,
		"The source belongs to another index.",
		"Name a generation of the same index.")
	ReindexPrimaryKeyMismatch = declare("reindex:primary_key_mismatch", 400,
		"Source and target have different primary keys.",
		"Declare the same key field and type.")
	ReindexPromoteInvalid = declare("reindex:promote_invalid", 400,
		"{value} is not a way to promote.",
		"Use auto or manual.")
	ReindexPhaseInvalid = declare("reindex:phase_invalid", 400,
		"{value} is not a phase of a reindex job.",
		"Use one of the documented phases.")
	ReindexInProgress = declare("reindex:in_progress", 409,
		"The index already has an unfinished reindex job.",
		"Wait for it or cancel it.")
	ReindexTargetBusy = declare("reindex:target_busy", 409,
		"A reindex job is filling the generation.",
		"Write to the index itself, or wait for the job.")
	ReindexDocumentRefused = declare("reindex:document_refused", 500,
		"The target refused the document {key}: {reason}.",
		"Correct the document in the source, then start again.")
)
