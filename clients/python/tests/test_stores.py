"""The vector stores with the real packages and a deterministic embedding."""

from __future__ import annotations

import datetime
import math
from collections.abc import Iterator

import numpy
import pytest
from conftest import EXAMPLES, KEY
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from llama_index.core import Document as Source
from llama_index.core import MockEmbedding, Settings, StorageContext, VectorStoreIndex
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.llms import MockLLM
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery, VectorStoreQueryMode

from quire_client import Client, Index
from quire_client import langchain, llamaindex

WORDS = ["cat", "dog", "bird", "fish", "house", "garden"]


def embed(text: str) -> list[float]:
    """Returns a vector of length 1 that counts words of the text."""
    counts = [float(text.lower().count(word)) + 0.01 for word in WORDS]
    length = math.sqrt(sum(n * n for n in counts))
    return [n / length for n in counts]


@pytest.fixture
def index(node: str, request: pytest.FixtureRequest) -> Iterator[Index]:
    with Client(node, KEY) as client:
        index = client.index(request.node.name.replace("_", "-")[:60])
        yield index
        index.delete()


class Words(Embeddings):
    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [embed(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        assert text, "services refuse the empty text"
        return embed(text)


TEXTS = ["a cat in the house", "a dog in the garden", "a bird in the garden", "a cat and a dog"]


def test_langchain(index: Index) -> None:
    metadatas = [{"year": 2000 + i, "tags": ["x", {"deep": i}]} for i in range(len(TEXTS))]
    store = langchain.QuireVectorStore.from_texts(TEXTS, Words(), metadatas, ids=list("abcd"), index=index, fields={"year": {"type": "int32", "filter": {}}})
    found = store.similarity_search_with_score("cat house", k=2)
    assert [document.id for document, _ in found] == ["a", "d"]
    assert found[0][0] == Document(id="a", page_content=TEXTS[0], metadata=metadatas[0])
    assert found[0][1] > found[1][1] > 0
    assert all(0 <= score <= 1 for _, score in store.similarity_search_with_relevance_scores("cat", k=4))
    assert [d.id for d in store.similarity_search("cat", k=4, filter={"year": 2003})] == ["d"]
    assert {d.id for d in store.similarity_search("cat", k=4, filter=[{"field": "year", "match": {"type": "range", "lt": 2002}}])} == {"a", "b"}
    assert store.similarity_search("garden bird", k=1, hybrid=True)[0].id == "c"
    assert [d.id for d in store.similarity_search_by_vector(embed("dog garden"), k=1)] == ["b"]
    assert len(store.max_marginal_relevance_search("cat dog", k=2, fetch_k=4)) == 2
    assert [d.id for d in store.get_by_ids(["c", "missing", "a"])] == ["c", "a"]
    assert [d.id for d in store.as_retriever(search_kwargs={"k": 1}).invoke("bird")] == ["c"]
    added = store.add_documents([Document(page_content="fish", metadata={"at": datetime.datetime(2026, 1, 2), "size": numpy.float64(1.5)})])
    assert store.get_by_ids(added)[0].metadata == {"at": "2026-01-02T00:00:00", "size": 1.5}
    assert store.similarity_search("fish", k=1)[0].id == added[0]
    store.delete(["a", added[0]])
    assert store.get_by_ids(["a", added[0]]) == []
    store.delete()
    assert store.similarity_search("cat") == []


def test_the_vector_store_of_the_readme(node: str) -> None:
    code = EXAMPLES[1].replace("store.similarity_search(", "found = store.similarity_search(")
    metadatas = [{"year": 2000 + i} for i in range(len(TEXTS))]
    with Client(node, KEY) as client:
        names = {"client": client, "texts": TEXTS, "embeddings": Words(), "metadatas": metadatas}
        exec(code, names)
        client.index("notes").delete()
    assert [document.page_content for document in names["found"]] == [TEXTS[3]]
    assert len(EXAMPLES) == 2, "every example runs in a test"


class WordsOfLlama(BaseEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        return embed(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return embed(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return embed(query)


def test_llamaindex(index: Index) -> None:
    Settings.llm, Settings.embed_model = MockLLM(), MockEmbedding(embed_dim=1)
    index.put(llamaindex.definition(len(WORDS), {"year": {"type": "int32", "filter": {}}}))
    store = llamaindex.QuireVectorStore(index)
    sources = [Source(text=text, id_=f"s{i}", metadata={"year": 2000 + i, "nested": {"deep": i}}) for i, text in enumerate(TEXTS)]
    over = VectorStoreIndex.from_documents(sources, storage_context=StorageContext.from_defaults(vector_store=store), embed_model=WordsOfLlama())
    best = over.as_retriever(similarity_top_k=2).retrieve("cat house")
    assert [node.text for node in best] == [TEXTS[0], TEXTS[3]]
    assert best[0].metadata == {"year": 2000, "nested": {"deep": 0}} and best[0].node.ref_doc_id == "s0" and (best[0].score or 0) > (best[1].score or 0)

    def ask(*filters: MetadataFilter | MetadataFilters, condition: FilterCondition = FilterCondition.AND, text: str = "cat", mode: VectorStoreQueryMode = VectorStoreQueryMode.DEFAULT) -> list[str]:
        chosen = MetadataFilters(filters=list(filters), condition=condition) if filters else None
        result = store.query(VectorStoreQuery(query_embedding=embed(text), query_str=text, similarity_top_k=4, filters=chosen, mode=mode))
        return sorted(node.ref_doc_id or "" for node in result.nodes or [])

    year = lambda operator, value: MetadataFilter(key="year", operator=operator, value=value)
    assert ask(year(FilterOperator.EQ, 2001)) == ["s1"]
    assert ask(year(FilterOperator.GTE, 2001), year(FilterOperator.LT, 2003)) == ["s1", "s2"]
    assert ask(year(FilterOperator.EQ, 2001), year(FilterOperator.EQ, 2003), condition=FilterCondition.OR) == ["s1", "s3"]
    assert ask(year(FilterOperator.NE, 2001)) == ["s0", "s2", "s3"]
    assert ask(year(FilterOperator.NIN, [2001, 2002])) == ["s0", "s3"]
    assert ask(text="bird garden", mode=VectorStoreQueryMode.HYBRID) == ["s0", "s1", "s2", "s3"]
    with pytest.raises(ValueError, match="not supported"):
        ask(MetadataFilter(key="year", operator=FilterOperator.TEXT_MATCH, value="x"))

    def among(**restriction: list[str]) -> list[str]:
        result = store.query(VectorStoreQuery(query_embedding=embed("cat"), similarity_top_k=4, **restriction))
        return sorted(node.ref_doc_id or "" for node in result.nodes or [])

    assert among(doc_ids=["s1", "s2"]) == ["s1", "s2"]
    assert among(node_ids=[best[0].node_id]) == ["s0"]
    assert among(node_ids=[], doc_ids=[]) == ["s0", "s1", "s2", "s3"]

    [node] = store.get_nodes(filters=MetadataFilters(filters=[year(FilterOperator.EQ, 2002)]))
    assert node.get_content() == TEXTS[2]
    store.delete("s0")
    assert ask() == ["s1", "s2", "s3"]
    store.delete_nodes([node.node_id])
    assert ask() == ["s1", "s3"]
    store.add([TextNode(id_="own", text="fish", embedding=embed("fish"))])
    assert [n.node_id for n in store.get_nodes(["own"])] == ["own"]
    store.clear()
    assert ask() == []
