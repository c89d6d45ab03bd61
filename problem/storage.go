package problem

// Shared storage and the node that writes an index.
var (
	IndexerUnavailable = declare("indexer:unavailable", 409,
		"No node can write the index at the moment.",
		"Start a node with SERVICE_INDEXER_ENABLED=true and an address that others can reach.")
	IndexerUnreachable = declare("indexer:unreachable", 502,
		"The node that writes the index did not answer.",
		"Send the request again. The node may have completed it, so repeat it only if it is idempotent, such as PUT, DELETE and adding documents with a key.")
	IndexerLeadershipUnreadable = declare("indexer:leadership_unreadable", 503,
		"The node could not read which node writes the index.",
		"Send the request again.")
	StorageIoError = declare("storage:io_error", 409,
		"The storage of {resource} failed; nothing was changed.",
		"Check the storage of the node, then send the request again.")
	StorageConflict = declare("storage:conflict", 409,
		"Other requests kept changing {resource}; nothing was changed.",
		"Send the request again.")
	StorageUnavailable = declare("storage:unavailable", 409,
		"The node has no storage for {resource}.",
		"Configure storage for {resource}; docs/reference/variables.md lists the variables.")
	StorageUnknown = declare("storage:unknown", 503,
		"The storage did not confirm whether {resource} was written.",
		"Read the state of {resource}, then send the request again.")
)
