"""Measures rankings with ir-measures, as a second opinion on internal/relevance.

Reads {"queries": [{"grades": {key: grade}, "ranking": [key, ...]}, ...]} from
standard input and writes the same, with "ndcg", "mrr", "precision" and "recall"
of each query added. With --sample it generates the queries itself, from a fixed seed.
"""
import json
import random
import sys

import ir_measures
from ir_measures import RR, P, Qrel, R, ScoredDoc, nDCG

K, RECALL_K = 10, 100


def sample():
    draw = random.Random(7)
    queries = []
    for _ in range(300):
        keys = [f"d{i}" for i in range(draw.choice([3, 12, 150]))]
        judged = draw.sample(keys, draw.randint(1, len(keys)))
        grades = {key: draw.randint(0, 10) for key in judged}
        if not any(grades.values()):
            continue
        ranking = draw.sample(keys, draw.randint(0, len(keys)))
        queries.append({"grades": grades, "ranking": ranking})
    return queries


def values(queries, measure, depth, of_grade):
    """Returns one value per query. Rankings are cut to the depth, because not every
    measure of the library has one. Queries without hits have the value 0."""
    qrels = [Qrel(str(i), key, of_grade(grade)) for i, q in enumerate(queries) for key, grade in q["grades"].items()]
    run = [ScoredDoc(str(i), key, float(len(q["ranking"]) - at))
           for i, q in enumerate(queries) for at, key in enumerate(q["ranking"][:depth])]
    found = {int(m.query_id): m.value for m in ir_measures.iter_calc([measure], qrels, run)}
    return [found.get(i, 0.0) for i in range(len(queries))]


def main():
    queries = sample() if "--sample" in sys.argv else json.load(sys.stdin)["queries"]
    # trec_eval uses the grade itself as the gain, so the exponential gain is passed as the grade.
    measures = {
        "ndcg": (nDCG @ K, K, lambda grade: 2 ** int(grade) - 1),
        "mrr": (RR, K, lambda grade: int(grade > 0)),
        "precision": (P @ K, K, lambda grade: int(grade > 0)),
        "recall": (R @ RECALL_K, RECALL_K, lambda grade: int(grade > 0)),
    }
    for name, (measure, depth, of_grade) in measures.items():
        for q, value in zip(queries, values(queries, measure, depth, of_grade)):
            q[name] = value
    json.dump({"queries": queries}, sys.stdout)


main()
