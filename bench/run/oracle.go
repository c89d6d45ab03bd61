package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
)

// oracleTolerance is the maximum deviation from ir-measures.
const oracleTolerance = 1e-9

func (o options) oraclePython() string {
	return filepath.Join(o.work, "venv-relevance", "bin", "python")
}

// installOracle installs ir-measures in its own environment.
func (o options) installOracle() error {
	if _, err := os.Stat(o.oraclePython()); err == nil {
		return nil
	}
	if err := shell("python3", "-m", "venv", filepath.Dir(filepath.Dir(o.oraclePython()))); err != nil {
		return err
	}
	return shell(o.oraclePython(), "-m", "pip", "install", "-q", "-r", "bench/relevance/requirements.txt")
}

// oracle fails if a value measured by the service differs from that of
// ir-measures for the same hits.
func (o options) oracle(s judgedSet, hits rankings, found measured) error {
	type judged struct {
		Grades  map[string]float64 `json:"grades"`
		Ranking []string           `json:"ranking"`
		NDCG    float64            `json:"ndcg"`
		MRR     float64            `json:"mrr"`
		Recall  float64            `json:"recall"`
	}
	var all struct {
		Queries []judged `json:"queries"`
	}
	for _, q := range s.queries {
		ranking := hits[q.ID]
		if ranking == nil {
			ranking = []string{}
		}
		all.Queries = append(all.Queries, judged{Grades: q.grades, Ranking: ranking})
	}
	input, err := json.Marshal(all)
	if err != nil {
		return err
	}
	c := exec.Command(o.oraclePython(), "bench/relevance/oracle.py")
	c.Stdin, c.Stderr = bytes.NewReader(input), os.Stderr
	output, err := c.Output()
	if err != nil {
		return fmt.Errorf("ir-measures: %w", err)
	}
	if err := json.Unmarshal(output, &all); err != nil {
		return err
	}
	for i, q := range s.queries {
		other, ours := all.Queries[i], found[q.ID]
		if math.Abs(other.NDCG-ours.ndcg) > oracleTolerance || math.Abs(other.MRR-ours.mrr) > oracleTolerance || math.Abs(other.Recall-ours.recall) > oracleTolerance {
			return fmt.Errorf("query %s: the service measures %+v, ir-measures %+v", q.ID, ours, other)
		}
	}
	return nil
}
