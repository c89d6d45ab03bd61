package problem

// Judgement sets of an index and their evaluation.
var (
	JudgementsNotFound = declare("judgements:not_found", 404,
		"The index {name} has no judgement set called {set}.",
		"List the sets of the index, or store one with PUT.")
	JudgementsNameInvalid = declare("judgements:name_invalid", 400,
		"{set} is not a name of a judgement set.",
		"Use 1 to 64 lower-case letters, digits, - and _, beginning with a letter or digit.")
	JudgementsVersionMismatch = declare("judgements:version_mismatch", 412,
		"The stored judgement set has another version than If-Match names.",
		"Read the set and repeat the change on its current version.")
	JudgementsTooMany = declare("judgements:too_many", 400,
		"There may be at most {max} {what}.",
		"Leave some out, or divide them among several sets.")
	JudgementsQueryInvalid = declare("judgements:query_invalid", 400,
		"The query cannot be judged: {reason}.",
		"Give each query a text or a search, and grades, a known key or expectations.")
	JudgementsGradeOutOfRange = declare("judgements:grade_out_of_range", 400,
		"The grade {value} is not between 0 and 10.",
		"Grade with numbers from 0, irrelevant, to 10.")
	JudgementsBoundOutOfRange = declare("judgements:bound_out_of_range", 400,
		"The bound {value} is not between 0 and 1.",
		"Send a number from 0 to 1.")
	EvaluationNotFound = declare("evaluation:not_found", 404,
		"The index {name} has no evaluation {id}.",
		"The node that writes the index keeps evaluations in memory, until newer ones take their place or it stops; evaluate again.")
	EvaluationInProgress = declare("evaluation:in_progress", 409,
		"An evaluation of {name} is already running or queued.",
		"Wait for it to end, or cancel it.")
	IndexPromotionVerificationFailed = declare("index:promotion:verification_failed", 409,
		"{name} was not promoted: by the judgement set {set}, {failures}. Worst queries: {queries}.",
		"Improve the definition or the settings, change the bounds of the set, or promote with force=true.")
)
