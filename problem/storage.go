package problem

// Shared storage and the node that writes an index.
var (
	IndexerUnavailable = declare("indexer:unavailable", 409,
		"No node can write the index at the moment.",
		"Start a node that takes part in indexing and has an address.")
	IndexerUnreachable = declare("indexer:unreachable", 502,
		"The node that writes the index did not answer.",
		"Send the request again. Whether it was done is not known; what describes a desired state can be repeated.")
	IndexerLeadershipUnreadable = declare("indexer:leadership_unreadable", 503,
		"Which node writes which index could not be read.",
		"Send the request again.")
	StorageIoError = declare("storage:io_error", 409,
		"The storage of {resource} failed; nothing was changed.",
		"Check the storage, then send the request again.")
	StorageConflict = declare("storage:conflict", 409,
		"{resource} kept being changed by others; nothing was changed.",
		"Send the request again.")
	StorageUnavailable = declare("storage:unavailable", 409,
		"The node has nowhere to keep {resource}.",
		"Configure storage for it.")
	StorageUnknown = declare("storage:unknown", 503,
		"The storage did not say whether {resource} was written.",
		"Read the state, then send the request again.")
)
