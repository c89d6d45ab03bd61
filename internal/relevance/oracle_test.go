package relevance

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// The measures agree with ir-measures to the last digits.
// `bench/relevance/oracle.py --sample` generates the file.
func TestMeasuresAgreeWithAnotherLibrary(t *testing.T) {
	text, err := os.ReadFile("testdata/oracle.json")
	if err != nil {
		t.Fatal(err)
	}
	var sample struct {
		Queries []struct {
			Grades                       map[string]float64
			Ranking                      []string
			NDCG, MRR, Precision, Recall float64
		}
	}
	if err := json.Unmarshal(text, &sample); err != nil || len(sample.Queries) < 200 {
		t.Fatalf("%d queries, %v", len(sample.Queries), err)
	}
	for i, q := range sample.Queries {
		for name, pair := range map[string][2]float64{
			"nDCG":      {NDCG(q.Ranking, q.Grades, 10), q.NDCG},
			"MRR":       {ReciprocalRank(q.Ranking, q.Grades, 10), q.MRR},
			"precision": {Precision(q.Ranking, q.Grades, 10), q.Precision},
			"recall":    {Recall(q.Ranking, q.Grades, 100), q.Recall},
		} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Errorf("query %d: %s is %v, and %v by the other library", i, name, pair[0], pair[1])
			}
		}
	}
}
