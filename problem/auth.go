package problem

// Credentials and API keys.
var (
	AuthUnauthenticated = declare("auth:unauthenticated", 401,
		"No credential that this node accepts was given.",
		"Send a key that this node knows in the header Authorization: Bearer <key>.")
	AuthForbidden = declare("auth:forbidden", 403,
		"The credential lacks the permission {permission}.",
		"Use a key with a grant of {permission}; POST /v1alpha1/admin/keys creates one.")
	AuthKeyNotFound = declare("auth:key:not_found", 404,
		"No key has the id {id}.",
		"List the keys with GET /v1alpha1/admin/keys for the ids that exist.")
	AuthKeyGrantsRequired = declare("auth:key:grants_required", 400,
		"A key needs at least one grant.",
		"Send grants, such as [{\"role\": \"reader\", \"indexes\": [\"*\"]}].")
	AuthKeyPermissionsRequired = declare("auth:key:permissions_required", 400,
		"The grant names neither a role nor permissions.",
		"Give the grant a role (admin, writer or reader) or a list of permissions.")
	AuthKeyRoleUnknown = declare("auth:key:role_unknown", 400,
		"There is no role called {role}; the roles are {roles}.",
		"Use one of the roles {roles}, or list permissions.")
	AuthKeyPermissionUnknown = declare("auth:key:permission_unknown", 400,
		"There is no permission called {permission}.",
		"Use a permission of the interface, in lower case, such as documents.write.")
	AuthKeyIndexesRequired = declare("auth:key:indexes_required", 400,
		"The permissions {permissions} need the indexes they apply to.",
		"Add indexes to the grant: names, or prefixes such as \"shop-*\"; \"*\" is every index.")
	AuthKeyIndexesUnsupported = declare("auth:key:indexes_unsupported", 400,
		"The grant reaches no index, so it takes no indexes.",
		"Remove indexes from the grant.")
	AuthKeyIndexPatternInvalid = declare("auth:key:index_pattern_invalid", 400,
		"{pattern} is not an index name or a prefix followed by an asterisk.",
		"Write an index name, or the start of one followed by *, such as shop-*.")
	AuthKeyExpiryInvalid = declare("auth:key:expiry_invalid", 400,
		"{value} is not a timestamp that a key can hold.",
		"Send a timestamp with an offset, such as 2030-01-31T00:00:00Z.")
	AuthKeyExpiryInPast = declare("auth:key:expiry_in_past", 400,
		"{value} has already passed.",
		"Send a later time than now, or leave expiresAt out.")
	AuthKeyLastAdministrator = declare("auth:key:last_administrator", 409,
		"The key {id} is the last that may manage keys, and the node has no root key.",
		"Create another key with keys.write first, or configure a root key.")
	AuthKeyInUseAsAnonymous = declare("auth:key:in_use_as_anonymous", 409,
		"The key {id} serves requests without a credential on this node.",
		"Name another key in SERVICE_AUTH_ANONYMOUS_KEY first.")
)
