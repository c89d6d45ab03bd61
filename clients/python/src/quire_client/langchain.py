"""A vector store for LangChain. Requires the extra: pip install 'quire-client[langchain]'."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import VectorStore
from langchain_core.vectorstores.utils import maximal_marginal_relevance

from ._schema import Clause, Field, Hit
from ._vectors import KEY, TEXT, VECTOR, Texts, definition, metadata_of
from .client import Index
from .errors import QuireError

__all__ = ["QuireVectorStore", "definition"]

Filter = Mapping[str, Any] | Sequence[Clause]


class QuireVectorStore(VectorStore):
    """Texts with vectors in an index created with ``definition``.

    ``filter`` is a mapping from metadata names to values, or a list of clauses.
    ``hybrid=True`` fuses the nearest texts with those that contain the words
    of the query.
    """

    def __init__(self, index: Index, embedding: Embeddings) -> None:
        self._texts = Texts(index)
        self._embedding = embedding

    @property
    def embeddings(self) -> Embeddings:
        return self._embedding

    @classmethod
    def from_texts(
        cls, texts: list[str], embedding: Embeddings, metadatas: list[dict[str, Any]] | None = None, *, ids: list[str] | None = None,
        index: Index | None = None, fields: Mapping[str, Field] | None = None, **kwargs: Any,
    ) -> QuireVectorStore:
        """Creates the index if it does not exist, and adds texts."""
        if index is None:
            raise ValueError("from_texts needs index=client.index(name)")
        try:
            index.get()
        except QuireError as error:
            if not error.has("index:not_found"):
                raise
            index.put(definition(len(embedding.embed_query("dimensions")), fields))  # services refuse the empty text
        store = cls(index, embedding)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def add_texts(
        self, texts: Iterable[str], metadatas: list[dict[str, Any]] | None = None, *, ids: list[str] | None = None, **kwargs: Any
    ) -> list[str]:
        listed = list(texts)
        keys = [given or str(uuid.uuid4()) for given in ids or [""] * len(listed)]
        self._texts.add(keys, listed, self._embedding.embed_documents(listed), metadatas or [{}] * len(listed))
        return keys

    def delete(self, ids: list[str] | None = None, **kwargs: Any) -> bool | None:
        if ids is None:
            self._texts.index.delete_documents({"all": True})
        elif ids:
            self._texts.index.delete_documents({"keys": ids})
        self._texts.settle()
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        clause: Clause = {"field": KEY, "match": {"type": "in", "values": list(ids)}}
        found = {hit["id"]: _document(hit) for hit in self._texts.index.hits({"filters": [clause], "limit": 1000})}
        return [found[key] for key in ids if key in found]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return [document for document, _ in self.similarity_search_with_score(query, k, **kwargs)]

    def similarity_search_with_score(self, query: str, k: int = 4, *, filter: Filter | None = None, hybrid: bool = False, **kwargs: Any) -> list[tuple[Document, float]]:
        hits = self._texts.nearest(self._embedding.embed_query(query), k, _clauses(filter), query if hybrid else None)
        return [(_document(hit), hit.get("score", 0.0)) for hit in hits]

    def similarity_search_by_vector(self, embedding: list[float], k: int = 4, *, filter: Filter | None = None, **kwargs: Any) -> list[Document]:
        return [_document(hit) for hit in self._texts.nearest(embedding, k, _clauses(filter))]

    def max_marginal_relevance_search(self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any) -> list[Document]:
        return self.max_marginal_relevance_search_by_vector(self._embedding.embed_query(query), k, fetch_k, lambda_mult, **kwargs)

    def max_marginal_relevance_search_by_vector(
        self, embedding: list[float], k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, *, filter: Filter | None = None, **kwargs: Any
    ) -> list[Document]:
        import numpy

        hits = self._texts.nearest(embedding, fetch_k, _clauses(filter))
        vectors = [cast(dict[str, Any], hit["document"])[VECTOR] for hit in hits]
        chosen = maximal_marginal_relevance(numpy.array(embedding), vectors, lambda_mult, k)
        return [_document(hits[position]) for position in chosen]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        # The score of the nearest vectors by cosine is already between 0 and 1.
        return lambda score: score


def _document(hit: Hit) -> Document:
    return Document(id=hit["id"], page_content=cast(dict[str, Any], hit["document"])[TEXT], metadata=metadata_of(hit))


def _clauses(filter: Filter | None) -> Sequence[Clause]:
    if filter is None:
        return []
    if isinstance(filter, Mapping):
        return [{"field": name, "match": {"value": value}} for name, value in filter.items()]
    return filter
