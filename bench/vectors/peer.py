"""Measures nearest-neighbour libraries on the data that the Go side wrote: one
JSON command per line on standard input, one JSON response per line on standard
output. Batches are searched inside the library, so Python adds no cost beyond
what the library itself spends in it.
"""
import json
import os
import resource
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version

import numpy as np


def read(name, dtype, width):
    return np.fromfile(name, dtype=dtype).reshape(-1, width)


class Clock:
    """Measures seconds: processor time per thread, which other work hardly
    disturbs, or wall-clock time."""

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
    """Resets the peak memory usage and returns the current usage."""
    with open("/proc/self/clear_refs", "w") as refs:
        refs.write("5")
    return memory("VmRSS")


class Data:
    """Vectors, queries, and per filter name the rows that it keeps and the true
    neighbours of the queries among them."""

    def __init__(self, c):
        self.base = read(c["base"], np.float32, c["dimensions"])
        self.queries = read(c["queries"], np.float32, c["dimensions"])
        self.truth = {name: read(file, np.int32, c["k"]) for name, file in c["truth"].items()}
        self.keep = {name: np.fromfile(file, dtype=np.uint8) for name, file in c["keep"].items()}
        self.directory = os.path.dirname(c["base"])

    def batches(self, size=1000):
        """Yields row numbers with their vectors as lists, a batch at a time."""
        for at in range(0, len(self.base), size):
            yield list(enumerate(self.base[at:at + size].tolist(), at))


def disk_usage(directory):
    return sum(os.stat(os.path.join(at, file)).st_blocks * 512 for at, _, files in os.walk(directory) for file in files)


class Hnswlib:
    filters = False

    def __init__(self, data, m, ef, threads):
        import hnswlib
        self.version = "hnswlib " + version("hnswlib")
        self.index = hnswlib.Index(space="ip", dim=data.base.shape[1])
        self.index.init_index(max_elements=len(data.base), M=m, ef_construction=ef, random_seed=7)
        self.index.add_items(data.base, num_threads=threads)

    def search(self, queries, k, ef, threads, name, busy):
        self.index.set_ef(ef)
        clock = Clock(threads, busy)
        labels, _ = self.index.knn_query(queries, k=k, num_threads=threads)
        return labels.tolist(), clock.seconds()


class Usearch:
    filters = False

    def __init__(self, data, m, ef, threads, dtype):
        from usearch.index import Index
        self.version = "usearch " + version("usearch") + " " + dtype
        self.index = Index(ndim=data.base.shape[1], metric="cos", dtype=dtype, connectivity=m, expansion_add=ef)
        self.index.add(np.arange(len(data.base)), data.base, threads=threads)

    def search(self, queries, k, ef, threads, name, busy):
        self.index.expansion_search = ef
        clock = Clock(threads, busy)
        matches = self.index.search(queries, k, threads=threads)
        return matches.keys.tolist(), clock.seconds()


class Faiss:
    filters = True

    def __init__(self, data, m, ef, threads):
        import faiss
        self.faiss = faiss
        self.keep = data.keep
        self.version = "faiss " + faiss.__version__ + " HNSWFlat"
        faiss.omp_set_num_threads(threads)
        self.index = faiss.IndexHNSWFlat(data.base.shape[1], m, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = ef
        self.index.add(data.base)

    def search(self, queries, k, ef, threads, name, busy):
        self.faiss.omp_set_num_threads(threads)
        parameters = self.faiss.SearchParametersHNSW(efSearch=ef)
        if name in self.keep:
            self.selector = self.faiss.IDSelectorBitmap(np.packbits(self.keep[name], bitorder="little"))
            parameters = self.faiss.SearchParametersHNSW(efSearch=ef, sel=self.selector)
        clock = Clock(threads, busy)
        _, labels = self.index.search(queries, k, params=parameters)
        return labels.tolist(), clock.seconds()


class Qdrant:
    """One shard, optimized to one segment. The filters are values of an indexed
    keyword field, declared before the points are added, so that the graph gets
    extra links for filters that keep too many points to scan."""
    filters = True

    def __init__(self, data, m, ef, threads):
        import qdrant_edge as q
        self.q = q
        self.keep = data.keep
        self.version = "qdrant-edge-py " + version("qdrant-edge-py")
        self.directory = tempfile.TemporaryDirectory(dir=data.directory)
        self.shard = q.EdgeShard.create(self.directory.name, q.EdgeConfig(
            vectors=q.EdgeVectorParams(size=data.base.shape[1], distance=q.Distance.Cosine),
            # Below 10,000 kB, the default of a server, filtered vectors are scanned.
            hnsw_config=q.HnswIndexConfig(m=m, ef_construct=ef, full_scan_threshold=10_000, max_indexing_threads=threads),
            optimizers=q.EdgeOptimizersConfig(default_segment_number=1),
            max_search_threads=threads))
        self.shard.update(q.UpdateOperation.create_field_index("kept", q.PayloadSchemaType.Keyword))
        for batch in data.batches():
            self.shard.update(q.UpdateOperation.upsert_points([
                q.Point(id=row, vector=vector, payload={"kept": [name for name, keep in data.keep.items() if keep[row]]})
                for row, vector in batch]))
        self.shard.optimize()
        self.shard.flush()
        self.bytes = disk_usage(self.directory.name)

    def search(self, queries, k, ef, threads, name, busy):
        q = self.q
        only = None
        if name in self.keep:
            only = q.Filter(must=[q.FieldCondition(key="kept", match=q.MatchValue(name))])
        asked = [q.QueryRequest(limit=k, query=q.Query.Nearest(vector), filter=only, params=q.SearchParams(hnsw_ef=ef))
                 for vector in queries.tolist()]
        parts = [q.QueryBatchRequest(asked[thread::threads]) for thread in range(threads)]
        with ThreadPoolExecutor(threads) as pool:
            clock = Clock(threads, busy)
            answers = list(pool.map(self.shard.query_batch, parts))
            seconds = clock.seconds()
        found = [None] * len(asked)
        for thread, answer in enumerate(answers):
            found[thread::threads] = [[point.id for point in points] for points in answer]
        return found, seconds


class Milvus:
    """One collection with an HNSW index. Each filter is a Boolean field with an
    inverted index. faiss searches the vectors; its threads are set here."""
    filters = True

    def __init__(self, data, m, ef, threads):
        import faiss
        from milvus_lite import CollectionSchema, DataType, FieldSchema, MilvusLite
        self.faiss = faiss
        self.version = "milvus-lite " + version("milvus-lite")
        self.fields = {name: f"kept{i}" for i, name in enumerate(data.keep)}
        self.directory = tempfile.TemporaryDirectory(dir=data.directory)
        self.database = MilvusLite(self.directory.name)
        self.collection = self.database.create_collection("vectors", CollectionSchema(fields=[
            FieldSchema(name="id", dtype=DataType.INT64, is_primary=True),
            FieldSchema(name="vector", dtype=DataType.FLOAT_VECTOR, dim=data.base.shape[1]),
            *(FieldSchema(name=field, dtype=DataType.BOOL) for field in self.fields.values())]))
        faiss.omp_set_num_threads(threads)
        for batch in data.batches():
            self.collection.insert([
                {"id": row, "vector": vector, **{self.fields[name]: bool(keep[row]) for name, keep in data.keep.items()}}
                for row, vector in batch])
        self.collection.flush()
        self.collection.create_index("vector", {"index_type": "HNSW", "metric_type": "COSINE", "params": {"M": m, "efConstruction": ef}})
        for field in self.fields.values():
            self.collection.create_index(field, {"index_type": "INVERTED"})
        self.collection.load()
        self.bytes = disk_usage(self.directory.name)

    def search(self, queries, k, ef, threads, name, busy):
        self.faiss.omp_set_num_threads(threads)
        only = f"{self.fields[name]} == true" if name in self.fields else None
        asked = queries.tolist()
        clock = Clock(threads, busy)
        found = self.collection.search(asked, top_k=k, metric_type="COSINE", expr=only, output_fields=[], search_params={"ef": ef})
        seconds = clock.seconds()
        return [[hit["id"] for hit in hits] for hits in found], seconds


ENGINES = {
    "hnswlib": Hnswlib,
    "usearch-f32": lambda *settings: Usearch(*settings, "f32"),
    "usearch-i8": lambda *settings: Usearch(*settings, "i8"),
    "faiss": Faiss,
    "qdrant": Qdrant,
    "milvus": Milvus,
}


def build(data, c):
    held = start_peak()
    before = resource.getrusage(resource.RUSAGE_SELF)
    began = time.perf_counter()
    index = ENGINES[c["engine"]](data, c["m"], c["ef"], c["threads"])
    seconds = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_SELF)
    return index, {"seconds": seconds, "version": index.version, "peak": memory("VmHWM") - held, "bytes": getattr(index, "bytes", 0), "filters": index.filters,
                   "cpu_seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def search(data, index, c):
    wanted = data.truth[c["filter"]]
    asked = np.tile(data.queries, (c["repeats"], 1))
    found, seconds = index.search(asked, wanted.shape[1], c["ef"], c["threads"], c["filter"], c["busy"])
    hits = sum(len(set(a) & set(b)) for a, b in zip(found[:len(data.queries)], wanted.tolist()))
    return {"recall": hits / wanted.size, "qps": len(asked) / seconds}


def main():
    indexes = {}
    data = None
    for line in sys.stdin:
        c = json.loads(line)
        answer = {}
        try:
            if c["do"] == "data":
                data, indexes = Data(c), {}
            elif c["do"] == "build":
                indexes[c["engine"]], answer = build(data, c)
            elif c["do"] == "search":
                answer = search(data, indexes[c["engine"]], c)
            else:
                answer = {"error": "unknown command"}
        except Exception as e:  # noqa: BLE001
            answer = {"error": repr(e)}
        print(json.dumps(answer), flush=True)


main()
