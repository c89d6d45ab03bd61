package relevance

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s is %v, want %v", name, got, want)
	}
}

func TestMeasures(t *testing.T) {
	grades := map[string]float64{"a": 3, "b": 1, "c": 0}
	ranking := []string{"x", "a", "b", "c"}
	best := 7/math.Log2(2) + 1/math.Log2(3)
	near(t, "NDCG", NDCG(ranking, grades, 10), (7/math.Log2(3)+1/math.Log2(4))/best)
	near(t, "NDCG of the best two", NDCG(ranking, grades, 2), 7/math.Log2(3)/best)
	near(t, "NDCG of the best one", NDCG(ranking, grades, 1), 0)
	near(t, "reciprocal rank", ReciprocalRank(ranking, grades, 10), 0.5)
	near(t, "reciprocal rank of the best one", ReciprocalRank(ranking, grades, 1), 0)
	near(t, "precision", Precision(ranking, grades, 10), 0.2)
	near(t, "precision of the best two", Precision(ranking, grades, 2), 0.5)
	near(t, "recall", Recall(ranking, grades, 2), 0.5)
	near(t, "judged", Judged(ranking, grades, 10), 0.75)
	for _, empty := range []map[string]float64{nil, {"a": 0}} {
		near(t, "NDCG without relevant keys", NDCG(ranking, empty, 10), 0)
		near(t, "recall without relevant keys", Recall(ranking, empty, 10), 0)
	}
	near(t, "judged share of no hits", Judged(nil, grades, 10), 0)
	if Rank(ranking, "b") != 3 || Rank(ranking, "z") != 0 {
		t.Error("ranks count from 1, and a missing key has rank 0")
	}
}

func TestMeasuresStayInRange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	keys := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	for range 2000 {
		grades := map[string]float64{}
		for _, key := range keys {
			if random.IntN(2) == 0 {
				grades[key] = float64(random.IntN(11))
			}
		}
		ranking := append([]string(nil), keys[:random.IntN(len(keys)+1)]...)
		random.Shuffle(len(ranking), func(i, j int) { ranking[i], ranking[j] = ranking[j], ranking[i] })
		k := 1 + random.IntN(12)
		for name, value := range map[string]float64{
			"ndcg": NDCG(ranking, grades, k), "mrr": ReciprocalRank(ranking, grades, k), "precision": Precision(ranking, grades, k),
			"recall": Recall(ranking, grades, k), "judged": Judged(ranking, grades, k),
		} {
			if !(value >= 0 && value <= 1+1e-12) {
				t.Fatalf("%s is %v for %v by %v at %d", name, value, ranking, grades, k)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	c := Compare([]float64{1, 1, 1, 0.2}, []float64{0.5, 0.5, 0.5, 0.2}, 100)
	near(t, "p of three wins", c.P, 0.25)
	near(t, "difference", c.Difference, 0.375)
	if c.Better != 3 || c.Worse != 0 {
		t.Errorf("%d better and %d worse, want 3 and 0", c.Better, c.Worse)
	}
	if same := Compare([]float64{1, 2}, []float64{1, 2}, 100); same.P != 1 || same.Difference != 0 {
		t.Errorf("equal values differ: %+v", same)
	}
}

// Sampled signs must agree with all signs where both are feasible.
func TestCompareDrawsAgree(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		differences := make([]float64, 12)
		for i := range differences {
			differences[i] = random.NormFloat64() + 0.3
		}
		if all, some := exact(differences), drawn(differences, 20_000); math.Abs(all-some) > 0.02 {
			t.Errorf("p is %v by all signs and %v by draws", all, some)
		}
	}
}

func TestCompareManyQueries(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	a, b, noise := make([]float64, 300), make([]float64, 300), make([]float64, 300)
	for i := range a {
		b[i] = random.Float64()
		a[i], noise[i] = b[i]+0.1*random.Float64(), b[i]+random.NormFloat64()*0.1
	}
	if c := Compare(a, b, 2000); c.P > 0.001 || c.Better != 300 {
		t.Errorf("300 wins of 300 are not significant: %+v", c)
	}
	if c := Compare(noise, b, 2000); c.P < 0.01 {
		t.Errorf("noise is called significant: %+v", c)
	}
	if c := Compare(b, a, 2000); c.Difference >= 0 || c.Worse != 300 {
		t.Errorf("300 losses of 300 look like %+v", c)
	}
}
