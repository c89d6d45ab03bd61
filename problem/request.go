package problem

// What can be wrong with a request before an endpoint looks at it.
var (
	Validation = declare("validation", 400,
		"Request contains {count} errors",
		"Look at each entry of errors.")
	RequestBodyRequired = declare("request:body_required", 400,
		"The request needs a body.",
		"Send the body the endpoint describes.")
	RequestBodyMalformed = declare("request:body_malformed", 400,
		"The body is not valid JSON: {reason}.",
		"Correct the JSON at the given line and column.")
	RequestBodyUnreadable = declare("request:body_unreadable", 400,
		"The body stopped arriving before it was complete.",
		"Send the request again; what a stream delivered before is applied.")
	RequestBodyTooLarge = declare("request:body_too_large", 413,
		"The body is larger than {limit} bytes.",
		"Send less in one request, or raise the limit of the deployment.")
	RequestPropertyUnknown = declare("request:property_unknown", 400,
		"The property {property} is not known here.",
		"Remove the property or correct its name.")
	RequestValueInvalid = declare("request:value_invalid", 400,
		"The value is not valid: {reason}.",
		"Send a value of the documented kind.")
	RequestValueRequired = declare("request:value_required", 400,
		"A value is needed here, null was given.",
		"Send a value or leave the entry out.")
	RequestLimitOutOfRange = declare("request:limit_out_of_range", 400,
		"The limit {value} is not between 1 and {max}.",
		"Send a limit within the range.")
	RequestPathInvalid = declare("request:path_invalid", 400,
		"The path holds an unencoded semicolon.",
		"Write the semicolon as %3B.")
	RequestRefused = declare("request:refused", 400,
		"The request was refused: {reason}.",
		"Send a well-formed HTTP request.")
	RequestNotFound = declare("request:not_found", 404,
		"No endpoint answers this path.",
		"Check the path against the interface description at /q/openapi.")
	RequestMethodNotAllowed = declare("request:method_not_allowed", 405,
		"The path does not answer this method.",
		"Use one of the methods named by the Allow header.")
	RequestNotAcceptable = declare("request:not_acceptable", 406,
		"None of the accepted media types can be answered.",
		"Accept application/json.")
	RequestUnsupportedMediaType = declare("request:unsupported_media_type", 415,
		"The Content-Type or encoding of the body is not read here; most bodies are application/json, documents also application/x-ndjson.",
		"Send application/json without compression; document streams also take application/x-ndjson.")
	RequestHostForbidden = declare("request:host_forbidden", 403,
		"The node does not answer requests sent to the host {host}.",
		"Use a host name the node is configured to answer to; with --dev, localhost.")
	RequestOriginForbidden = declare("request:origin_forbidden", 403,
		"The node asks for no credential and refuses web pages of {origin}.",
		"Allow the origin by CORS, or let the page call a node that asks for a credential.")
	NodeError = declare("node:error", 500,
		"The node failed while it served the request.",
		"Send the request again; the log of the node names the cause.")
)
