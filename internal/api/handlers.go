package api

// handlers binds every operation of the table of routes to the method that
// answers it.
func (a *API) handlers() map[string]Handler {
	return map[string]Handler{
		"health":        a.healthAll,
		"healthReady":   a.healthReady,
		"healthLive":    a.healthLive,
		"scrapeMetrics": a.scrapeMetrics,
		"describe":      a.describe,
		"describeJSON":  a.describeJSON,
		"docsPage":      a.docsPage,
	}
}
