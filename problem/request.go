package problem

// Problems of a request that are found before an endpoint handles it.
var (
	Validation = declare("validation", 400,
		"Request contains {count} errors",
		"Look at each entry of errors; each has its own help.")
	RequestBodyRequired = declare("request:body_required", 400,
		"The request needs a body.",
		"Send a JSON body; /q/docs shows the body of every operation with an example.")
	RequestBodyMalformed = declare("request:body_malformed", 400,
		"The body is not valid JSON at line {line}, column {column}: {reason}.",
		"Correct the JSON at line {line}, column {column}.")
	RequestBodyUnreadable = declare("request:body_unreadable", 400,
		"The body stopped arriving before it was complete.",
		"Send the request again; documents that a stream delivered before it broke are applied.")
	RequestBodyTooLarge = declare("request:body_too_large", 413,
		"The body is larger than {limit} bytes.",
		"Send at most {limit} bytes in one request, or raise SERVICE_API_MAX_BODY_SIZE.")
	RequestBodyRatioOutOfRange = declare("request:body_ratio_out_of_range", 413,
		"The body unpacks to more than {max} times its size.",
		"Send the body with less compression, or without Content-Encoding.")
	RequestBodyEncodingInvalid = declare("request:body_encoding_invalid", 400,
		"The body is not valid {encoding}, which its Content-Encoding names.",
		"Send the body compressed as {encoding}, or remove the header Content-Encoding.")
	RequestPropertyUnknown = declare("request:property_unknown", 400,
		"There is no property called {property} here.",
		"Remove {path}, or correct its name.")
	RequestValueInvalid = declare("request:value_invalid", 400,
		"The value is not valid: {reason}.",
		"Send a value of the documented kind; /q/docs lists every property.")
	RequestValueRequired = declare("request:value_required", 400,
		"{path} has no value, and one is needed there.",
		"Send a value at {path}; leave a null out of a list or map.")
	RequestLimitOutOfRange = declare("request:limit_out_of_range", 400,
		"The limit {value} is not between 1 and {max}.",
		"Send a limit between 1 and {max}, or leave it out.")
	RequestPathInvalid = declare("request:path_invalid", 400,
		"The path holds an unencoded semicolon.",
		"Write the semicolon as %3B.")
	RequestRefused = declare("request:refused", 400,
		"The request was refused: {reason}.",
		"Send a well-formed HTTP request.")
	RequestNotFound = declare("request:not_found", 404,
		"No operation has this path.",
		"Check the path against the operations listed at /q/docs.")
	RequestMethodNotAllowed = declare("request:method_not_allowed", 405,
		"The path does not support the method {method}.",
		"Use one of the methods {allowed}.")
	RequestNotAcceptable = declare("request:not_acceptable", 406,
		"The node cannot answer in any of the accepted media types.",
		"Accept application/json, or leave the Accept header out.")
	RequestUnsupportedMediaType = declare("request:unsupported_media_type", 415,
		"The Content-Type or Content-Encoding of the body is not read here; most bodies are application/json, documents also application/x-ndjson, text/csv and text/tab-separated-values.",
		"Send application/json; added documents may also be application/x-ndjson, text/csv or text/tab-separated-values. Bodies may be compressed as gzip or zstd.")
	RequestHostForbidden = declare("request:host_forbidden", 403,
		"The node does not answer requests sent to the host {host}.",
		"Use a host name the node is configured to answer to; with --dev, localhost.")
	RequestOriginForbidden = declare("request:origin_forbidden", 403,
		"The node requires no credential, so it refuses requests from web pages of {origin}.",
		"Allow the origin by CORS, or let the page call a node that requires a credential.")
	NodeError = declare("node:error", 500,
		"The node failed while it served the request.",
		"Send the request again; the log of the node names the cause.")
)
