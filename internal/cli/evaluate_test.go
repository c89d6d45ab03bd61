package cli

import (
	"strings"
	"testing"
)

func TestEvaluateInCI(t *testing.T) {
	node := serveNode(t)
	url := "--url=" + node
	load := write(t, "lamps.ndjson", `{"id":"1","name":"red lamp"}`+"\n"+`{"id":"2","name":"blue lamp"}`+"\n")
	if code, _, failure := run(nil, "load", url, load, "--index", "lamps"); code != exitDone {
		t.Fatalf("load: %d %s", code, failure)
	}
	good := write(t, "good.json", `{"queries":[{"text":"red lamp","known":"1"}],"bounds":{"minNdcg":0.9}}`)
	code, out, failure := run(nil, "evaluate", url, "lamps", "base", "--judgements", good, "--compare")
	if code != exitDone || !strings.Contains(out, "nDCG@10") || !strings.Contains(out, "1.0000") || !strings.Contains(out, "may be chance") || !strings.Contains(out, "the bounds are met") {
		t.Errorf("a set whose bounds hold: %d %s %s", code, out, failure)
	}
	bad := write(t, "bad.ndjson", `{"bounds":{"minNdcg":0.9}}`+"\n"+`{"text":"green chair","known":"1"}`+"\n")
	code, out, failure = run(nil, "evaluate", url, "lamps", "base", "--judgements", bad)
	if code != exitFailed || !strings.Contains(out, "green chair") || !strings.Contains(failure, "nDCG is 0.0000, below 0.9000") {
		t.Errorf("a set whose bounds do not hold: %d %s %s", code, out, failure)
	}
	if code, _, failure := run(nil, "evaluate", url, "lamps", "other"); code != exitFailed || !strings.Contains(failure, "judgements:not_found") && !strings.Contains(failure, "no judgement set") {
		t.Errorf("a set that is not there: %d %s", code, failure)
	}
	settings := write(t, "settings.json", `{"synonyms":{"seats":{"rules":[{"equivalent":["chair","lamp"]},{"equivalent":["green","red"]}]}}}`)
	if code, out, _ := run(nil, "evaluate", url, "lamps", "base", "--settings", settings, "--json", "--against", "live"); code != exitDone || !strings.Contains(out, `"wins":1`) {
		t.Errorf("settings that are not stored: %d %s", code, out)
	}
}

func TestJudgementFiles(t *testing.T) {
	queries := write(t, "queries.tsv", "q1\tred lamp\nq2\tblue lamp\n"+`{"id":"q3","text":"green lamp"}`+"\n")
	const want = `{"id":"q1","text":"red lamp","grades":{"1":2,"2":0}}` + "\n" + `{"id":"q3","text":"green lamp","grades":{"3":1}}` + "\n"
	qrels := write(t, "judged.qrels", "q1 0 1 2\nq1 0 2 -1\nq2 0 9 0\nq3 0 3 1\n")
	if body, kind, err := readJudgements(qrels, queries); err != nil || kind != linesType || string(body) != want {
		t.Errorf("qrels become %s %s, %v", kind, body, err)
	}
	table := write(t, "judged.csv", "\ufeffQuery,Key,Grade\nred lamp,1,2\n\"blue, lamp\",2,1\n")
	if body, _, err := readJudgements(table, ""); err != nil || string(body) != `{"text":"red lamp","grades":{"1":2}}`+"\n"+`{"text":"blue, lamp","grades":{"2":1}}`+"\n" {
		t.Errorf("a table becomes %s, %v", body, err)
	}
	for name, content := range map[string]string{"a.csv": "a,b\n1,2\n", "b.csv": "text,key,grade\nx,1,best\n", "c.qrels": "q1 0 1\n", "d.qrels": "q9 0 1 1\n", "e.tsv": "", "f.csv": "text,key,grade\nx\n"} {
		if body, _, err := readJudgements(write(t, name, content), queries); err == nil {
			t.Errorf("%s becomes %s", content, body)
		}
	}
	if _, _, err := readJudgements(qrels, ""); err == nil || !strings.Contains(err.Error(), "--queries") {
		t.Errorf("qrels without texts: %v", err)
	}
}
