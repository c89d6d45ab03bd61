package api

// handlers binds every operation of the table of routes to the method that
// answers it.
func (a *API) handlers() map[string]Handler {
	return map[string]Handler{
		"listKeys":  a.listKeys,
		"createKey": a.createKey,
		"revokeKey": a.revokeKey,
		"rotateKey": a.rotateKey,

		"health":        a.healthAll,
		"healthReady":   a.healthReady,
		"healthLive":    a.healthLive,
		"scrapeMetrics": a.scrapeMetrics,
		"describe":      a.describe,
		"describeJSON":  a.describeJSON,
		"docsPage":      a.docsPage,
	}
}
