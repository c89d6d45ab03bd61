package clustertest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// faults lists, for each fault of the catalogue, the tests that cause it.
var faults = map[string][]string{
	"F1 killed at each point":                       {"clustertest.TestKilledAtEveryRequest", "clustertest.TestKilledProcessLosesNothingAcknowledged", "campaign.TestStoppedNodesLoseNothingAcknowledged", "engine.TestKilledProcessLosesNothingAcknowledged"},
	"F2 restarted with empty disks":                 {"clustertest.TestKilledProcessLosesNothingAcknowledged", "clustertest.TestKilledAtEveryRequest", "clustertest.TestSimulation"},
	"F3 power loss":                                 {"engine.TestPowerLossAtEveryCall", "engine.TestPowerLossUnderLoad", "log.TestPowerLossAtEveryCall", "node.TestPowerLossDuringReindex", "clustertest.TestSimulation"},
	"F4 log cut at every byte, bits flipped":        {"log.TestCutAtEveryByte", "log.TestEveryFlippedBit"},
	"F5 fsync fails once":                           {"log.TestFailedSyncStopsAcknowledging", "engine.TestFailedSyncAnywhere", "clustertest.TestSimulation"},
	"F7 replies lost":                               {"clustertest.TestEveryAnswerIsLostOnce", "replication.TestLostRepliesAreSettled", "versioned.TestALostReplyOfAnObjectThatIsDamagedThen", "clustertest.TestSimulation"},
	"F8 applied late, after takeover":               {"replication.TestLateAppends", "node.TestAPromotionAfterTheSourceWasFenced", "clustertest.TestSimulation"},
	"F9 storms of 409 and 503, stalls":              {"clustertest.TestStormsDoNotStopTheWork", "bucket/s3.TestAnAnswerThatStopsComingIsAskedForAgain", "bucket/s3.TestAWriteThatStandsStillIsNotKnown", "replication.TestBytesThatStopComingAreAskedForAgain", "clustertest.TestSimulation"},
	"F11 writer stopped, then continued":            {"clustertest.TestAStoppedProcessAcknowledgesNothing", "replication.TestAFencedWriterNeitherAcknowledgesNorPublishes", "clustertest.TestSimulation"},
	"F12 stopped beyond the grace":                  {"replication.TestAWriterThatSleptBeyondTheGraceIsFenced", "clustertest.TestSimulation"},
	"F13 clocks":                                    {"clustertest.TestSimulation", "clustertest.TestClocksDecideNothing"},
	"F15 two claims at once":                        {"ownership.TestOneOfManyClaimsWins", "clustertest.TestSimulation"},
	"F16 holder dies around create":                 {"clustertest.TestKilledAtEveryRequest", "clustertest.TestSimulation"},
	"F18 takeover with a definition change":         {"clustertest.TestKilledAtEveryRequest", "clustertest.TestSimulation"},
	"F19 eviction with unpushed documents":          {"generations.TestEvictionKeepsWhatIsNotPushed", "clustertest.TestSimulation"},
	"F21 files damaged":                             {"engine.TestDamagedFilesAreRefused", "replication.TestPullVerifiesEveryFile", "generations.TestAWrongObjectIsNotFetchedOverAndOver", "campaign.TestDamagedFilesOfAStoppedNode"},
	"F22 manifest, registry missing or damaged":     {"node.TestALostRegistryDeletesNothing", "node.TestALostManifestIsAFault", "registry.TestRegistryThatIsGoneRefusesChangesAndForgetsNothing", "registry.TestOlderRegistryIsNotTakenOver", "engine.TestMissingAndOlderManifests", "clustertest.TestSimulation"},
	"F25 aborted pushes, sweep":                     {"replication.TestAbortedPushesLeaveNothing", "replication.TestSweepKeepsWhatAGraceNames", "clustertest.TestSimulation"},
	"F26 deleted and created again":                 {"clustertest.TestSimulation", "node.TestDeletedDataIsRestoredWithinTheGraceAndSweptAfterIt"},
	"F27 repair against delete and create":          {"registry.TestDeleteDuringRepairStays", "registry.TestARepairThatIsAppliedLateUndoesNothing", "registry.TestARemovalMarkThatArrivesLateRemovesNothing", "node.TestRepairDuringACreation", "node.TestAnIndexIsWrittenOnceTheRegistryIsRepaired", "node.TestDeletedDataIsRestoredWithinTheGraceAndSweptAfterIt", "clustertest.TestSimulation"},
	"F28 rejoining node, lost registry":             {"node.TestALostRegistryDeletesNothing", "clustertest.TestSimulation"},
	"F6 disk full, then freed":                      {"engine.TestFullDiskResumes", "engine.TestOpeningOnAFullDisk", "log.TestFullDiskResumes", "campaign.TestFullDiskRefusesWritesAndSearchesOn", "campaign.TestStartOnAFullDisk"},
	"F10 forwarded request delivered twice":         {"api.TestAForwardedRequestIsSentOnce"},
	"F14 writer cut off":                            {"node.TestAnotherNodeGoesOnAfterACrash", "node.TestAFailedWriterOfALostIndexStaysShut", "clustertest.TestSimulation"},
	"F17 handover under load":                       {"clustertest.TestABusyIndexIsHandedOver", "clustertest.TestTwoProcessesShareABucket", "clustertest.TestSimulation"},
	"F20 one slow index, others fail over":          {"node.TestASlowIndexDelaysNoOtherTakeover"},
	"F23 bucket emptied":                            {"node.TestARepairRemovesNoCopy", "node.TestNodesGiveBackWhatTheBucketLost", "node.TestAnEarlierCopyIsGivenBack", "node.TestALostRegistryDeletesNothing", "clustertest.TestSimulation"},
	"F24 slow reader through merges and sweeps":     {"replication.TestSweepKeepsWhatAGraceNames", "clustertest.TestSimulation"},
	"F30 random kills, monotone reads":              {"campaign.TestStoppedNodesLoseNothingAcknowledged", "clustertest.TestSimulation"},
	"F31 reindex under updates, kills, cancels":     {"node.TestJobIsCancelledInEveryPhase", "node.TestJobResumesInEveryPhase", "node.TestAJobWhoseEndWasNotRecordedLosesNothing", "node.TestAJobGoesOnWhenTheBucketIsBack", "node.TestAWriteAfterAPromotionThatIsNotKnownIsKept", "node.TestAJobFindsOutWhetherItPromoted", "node.TestAChangeAfterAPromotionThatIsNotKnownIsMadeWhereItAnswers", "campaign.TestReindexSurvivesKillsInEveryPhase", "clustertest.TestSimulation"},
	"F32 refused reindex, two promotions":           {"node.TestReindexStartConditions", "node.TestPromotionOfAnotherGenerationFailsTheJob", "node.TestDeletedGenerationFailsTheJobAtOnce"},
	"F33 settings and keys from several nodes":      {"auth.TestKeysOfSeveralNodesAreNotLost", "auth.TestLastAdministratorStays", "settingstore.TestChangesOfSeveralNodesAreNotLost"},
	"F34 key store away, corrupt, old":              {"auth.TestKeysAreBelievedForAWhileWithoutStorage", "auth.TestStartIsRefused"},
	"F35 forwarding":                                {"api.TestAWriterThatDoesNotAnswerIsGivenUp", "api.TestForwardingIsNotChangedByTheCaller", "api.TestTheWriterChecksAgain", "clustertest.TestTwoProcessesShareABucket"},
	"F36 SIGTERM under load":                        {"campaign.TestStoppedNodesLoseNothingAcknowledged", "campaign.TestReindexIsStoppedAndGoesOn", "clustertest.TestTwoProcessesShareABucket", "clustertest.TestRollingRestartsFailNoRequest", "api.TestARequestWaitsForTheNextWriter", "clustertest.TestSimulation"},
	"F37 newer formats":                             {"campaign.TestDamagedFilesOfAStoppedNode", "freshness.TestTokenOfAnotherVersionIsUnsupported"},
	"F38 mapped file truncated":                     {"campaign.TestTruncatedFileUnderARunningNode", "engine.TestUnreadablePageIsAnError", "vfs.TestProtectSurvivesAFileCutUnderItsView"},
	"F39 limits of the process":                     {"campaign.TestSoakHoldsOnToNothing", "campaign.TestSlowClients"},
	"F40 store that ignores conditions":             {"bucket/s3.TestProbeRefusesFlawedStores"},
	"F41 long soak":                                 {"campaign.TestSoakHoldsOnToNothing", "clustertest.TestSimulation"},
	"F42 bucket emptied or exchanged at the start":  {"node.TestANodeStaysWithItsDeployment", "node.TestAnUnlistedCopyComesBackByName"},
	"F43 single objects lost":                       {"node.TestOwnersHealTheBucket", "node.TestACommitStoresALostManifestAgain", "node.TestARepairRemovesNoCopy"},
	"F45 owner stopped, pooled connections":         {"api.TestAConnectionServesOnAfterAWriterWasGivenUp"},
	"F46 owner paused with requests queued":         {"node.TestAFencedWriterAnswersNothingDefinite", "clustertest.TestAPausedOwnerAnswersNothingOld", "clustertest.TestSimulation"},
	"F29 tokens promised, forged, foreign, earlier": {"node.TestATokenIsReachedAfterAHalfTakeover", "node.TestATakeoverThatFailedIsTriedAgain", "engine.TestPromisesAreKeptOverFailedCommitsAndCrashes", "node.TestFreshnessIsWaitedFor", "freshness.TestTextThatIsNoTokenIsInvalid", "freshness.TestTokenOfAnotherVersionIsUnsupported", "campaign.TestTokensAreHostile", "clustertest.TestSimulation"},
}

// Every fault has its tests, and every listed test exists.
func TestEveryFaultHasItsTests(t *testing.T) {
	root := filepath.Join("..", "..")
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil {
		t.Skip("the source is not here")
	}
	for number := 1; number <= 41; number++ {
		found := false
		for name, tests := range faults {
			found = found || strings.HasPrefix(name, fmt.Sprintf("F%d ", number)) && len(tests) > 0
		}
		if !found {
			t.Errorf("F%d has no test", number)
		}
	}
	declared := make(map[string]map[string]bool)
	for name, tests := range faults {
		for _, test := range tests {
			pkg, function, _ := strings.Cut(test, ".")
			if declared[pkg] == nil {
				declared[pkg] = testsOf(t, root, pkg)
			}
			if !declared[pkg][function] {
				t.Errorf("%s: there is no %s", name, test)
			}
		}
	}
}

// testsOf returns the names of the tests of a package.
func testsOf(t *testing.T, root, pkg string) map[string]bool {
	t.Helper()
	directory := filepath.Join(root, "internal", pkg)
	if pkg == "engine" {
		directory = filepath.Join(root, pkg)
	}
	files, err := filepath.Glob(filepath.Join(directory, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", pkg, err)
	}
	all := make(map[string]bool)
	for _, name := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil {
				all[f.Name.Name] = true
			}
		}
	}
	return all
}
