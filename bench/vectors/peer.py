"""Nearest-neighbour libraries on the data that the Go side wrote: one JSON
command per line on standard input, one JSON answer per line on standard
output. Batches are searched inside the library, so that Python costs nothing.
"""
import json
import resource
import sys
import time

import numpy as np


def read(name, dtype, width):
    return np.fromfile(name, dtype=dtype).reshape(-1, width)


class Clock:
    """Seconds: of a thread by processor time, which other work hardly
    disturbs, or of all by the clock."""

    def __init__(self, threads, busy):
        self.now = (lambda: time.process_time() / threads) if busy else time.perf_counter
        self.began = self.now()

    def seconds(self):
        return self.now() - self.began


def memory(name):
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith(name + ":"):
                return int(line.split()[1]) << 10
    return 0


def start_peak():
    """Forget the most memory used so far."""
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    return memory("VmRSS")


class Hnswlib:
    def __init__(self, base, m, ef, threads):
        import hnswlib
        self.version = "hnswlib " + __import__("importlib.metadata").metadata.version("hnswlib")
        self.index = hnswlib.Index(space="ip", dim=base.shape[1])
        self.index.init_index(max_elements=len(base), M=m, ef_construction=ef, random_seed=7)
        self.index.add_items(base, num_threads=threads)

    def search(self, queries, k, ef, threads, keep, busy):
        self.index.set_ef(ef)
        clock = Clock(threads, busy)
        labels, _ = self.index.knn_query(queries, k=k, num_threads=threads)
        return labels, clock.seconds()


class Usearch:
    def __init__(self, base, m, ef, threads, dtype):
        from usearch.index import Index
        self.version = "usearch " + __import__("importlib.metadata").metadata.version("usearch") + " " + dtype
        self.index = Index(ndim=base.shape[1], metric="cos", dtype=dtype, connectivity=m, expansion_add=ef)
        self.index.add(np.arange(len(base)), base, threads=threads)

    def search(self, queries, k, ef, threads, keep, busy):
        self.index.expansion_search = ef
        clock = Clock(threads, busy)
        matches = self.index.search(queries, k, threads=threads)
        return matches.keys, clock.seconds()


class Faiss:
    def __init__(self, base, m, ef, threads):
        import faiss
        self.faiss = faiss
        self.version = "faiss " + faiss.__version__ + " HNSWFlat"
        faiss.omp_set_num_threads(threads)
        self.index = faiss.IndexHNSWFlat(base.shape[1], m, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = ef
        self.index.add(base)

    def search(self, queries, k, ef, threads, keep, busy):
        self.faiss.omp_set_num_threads(threads)
        parameters = self.faiss.SearchParametersHNSW(efSearch=ef)
        if keep is not None:
            self.selector = self.faiss.IDSelectorBitmap(np.packbits(keep, bitorder="little"))
            parameters = self.faiss.SearchParametersHNSW(efSearch=ef, sel=self.selector)
        clock = Clock(threads, busy)
        _, labels = self.index.search(queries, k, params=parameters)
        return labels, clock.seconds()


def main():
    indexes = {}
    base = queries = None
    truth, keep = {}, {}
    for line in sys.stdin:
        c = json.loads(line)
        answer = {}
        try:
            if c["do"] == "data":
                base = read(c["base"], np.float32, c["dimensions"])
                queries = read(c["queries"], np.float32, c["dimensions"])
                truth = {name: read(file, np.int32, c["k"]) for name, file in c["truth"].items()}
                keep = {name: np.fromfile(file, dtype=np.uint8) for name, file in c["keep"].items()}
                indexes = {}
            elif c["do"] == "build":
                held = start_peak()
                before = resource.getrusage(resource.RUSAGE_SELF)
                began = time.perf_counter()
                kind = c["engine"]
                if kind == "hnswlib":
                    index = Hnswlib(base, c["m"], c["ef"], c["threads"])
                elif kind.startswith("usearch"):
                    index = Usearch(base, c["m"], c["ef"], c["threads"], kind.split("-")[1])
                else:
                    index = Faiss(base, c["m"], c["ef"], c["threads"])
                after = resource.getrusage(resource.RUSAGE_SELF)
                indexes[kind] = index
                answer = {"seconds": time.perf_counter() - began, "version": index.version, "peak": memory("VmHWM") - held,
                          "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}
            elif c["do"] == "search":
                wanted = truth[c["filter"]]
                asked = np.tile(queries, (c["repeats"], 1))
                found, seconds = indexes[c["engine"]].search(asked, wanted.shape[1], c["ef"], c["threads"], keep.get(c["filter"]), c["busy"])
                hits = sum(len(set(a) & set(b)) for a, b in zip(found[:len(queries)].tolist(), wanted.tolist()))
                answer = {"recall": hits / wanted.size, "qps": len(asked) / seconds}
            else:
                answer = {"error": "unknown command"}
        except Exception as e:  # noqa: BLE001
            answer = {"error": repr(e)}
        print(json.dumps(answer), flush=True)


main()
