package api

// handlers maps every operation in the table of routes to its method.
func (a *API) handlers() map[string]Handler {
	return map[string]Handler{
		"listIndexes":       a.listIndexes,
		"getIndex":          a.getIndex,
		"putIndex":          a.putIndex,
		"previewDefinition": a.previewDefinition,
		"deleteIndex":       a.deleteIndex,
		"promoteGeneration": a.promoteGeneration,
		"commitIndex":       a.commitIndex,
		"pullIndex":         a.pullIndex,
		"startReindex":      a.startReindex,
		"draftDefinition":   a.draftDefinition,

		"getSearchSettings":    a.getSearchSettings,
		"putSearchSettings":    a.putSearchSettings,
		"patchSearchSettings":  a.patchSearchSettings,
		"deleteSearchSettings": a.deleteSearchSettings,
		"previewSettings":      a.previewSettings,

		"listJudgements":   a.listJudgements,
		"getJudgements":    a.getJudgements,
		"putJudgements":    a.putJudgements,
		"patchJudgements":  a.patchJudgements,
		"deleteJudgements": a.deleteJudgements,
		"listSearches":     a.listSearches,
		"deleteSearches":   a.deleteSearches,
		"draftJudgements":  a.draftJudgements,
		"evaluateIndex":    a.evaluateIndex,
		"listEvaluations":  a.listEvaluations,
		"getEvaluation":    a.getEvaluation,
		"cancelEvaluation": a.cancelEvaluation,

		"listReindexes": a.listReindexes,
		"getReindex":    a.getReindex,
		"cancelReindex": a.cancelReindex,

		"listIndexers":   a.listIndexers,
		"auditRegistry":  a.auditRegistry,
		"repairRegistry": a.repairRegistry,

		"listKeys":  a.listKeys,
		"createKey": a.createKey,
		"revokeKey": a.revokeKey,
		"rotateKey": a.rotateKey,

		"getAccess": a.getAccess,

		"addDocuments":    a.addDocuments,
		"listDocuments":   a.listDocuments,
		"updateDocuments": a.updateDocuments,
		"deleteDocuments": a.deleteDocuments,
		"getDocument":     a.getDocument,
		"putDocument":     a.putDocument,
		"patchDocument":   a.patchDocument,
		"deleteDocument":  a.deleteDocument,

		"search":      a.search,
		"searchByURL": a.searchByURL,
		"explain":     a.explain,
		"suggest":     a.suggest,
		"facetValues": a.facetValues,

		"health":        a.healthAll,
		"healthReady":   a.healthReady,
		"healthLive":    a.healthLive,
		"scrapeMetrics": a.scrapeMetrics,
		"describe":      a.describe,
		"describeJSON":  a.describeJSON,
		"docsIndex":     a.docsIndex,
		"docsList":      a.docsList,
		"docsDocument":  a.docsDocument,
		"docsPage":      a.docsPage,
	}
}
