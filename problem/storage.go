package problem

// Shared storage and the node that writes an index.
var (
	IndexerUnavailable = declare("indexer:unavailable", 409,
		"No node can write the index at the moment.",
		"Start a node with SERVICE_INDEXER_ENABLED=true and an address that others can reach.")
	IndexerUnreachable = declare("indexer:unreachable", 502,
		"The node that writes the index did not answer.",
		"Send the request again. Whether it was done is not known; what describes a desired state can be repeated.")
	IndexerLeadershipUnreadable = declare("indexer:leadership_unreadable", 503,
		"Which node writes which index could not be read.",
		"Send the request again.")
	StorageIoError = declare("storage:io_error", 409,
		"The storage of {resource} failed; nothing was changed.",
		"Check the storage of the node, then send the request again.")
	StorageConflict = declare("storage:conflict", 409,
		"{resource} kept being changed by others; nothing was changed.",
		"Send the request again.")
	StorageUnavailable = declare("storage:unavailable", 409,
		"The node has nowhere to keep {resource}.",
		"Configure storage for {resource}; docs/reference/variables.md lists the variables.")
	StorageUnknown = declare("storage:unknown", 503,
		"The storage did not say whether {resource} was written.",
		"Read the state of {resource}, then send the request again.")
)
