"""Shared by the vector stores for LangChain and LlamaIndex: an index of texts with vectors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from ._calls import plain
from ._schema import Clause, Definition, Field, Hit, SearchRequest
from .client import Index

KEY, TEXT, VECTOR, METADATA = "id", "text", "vector", "metadata"


def definition(dimensions: int, fields: Mapping[str, Field] | None = None, similarity: str = "cosine") -> Definition:
    """Returns the definition of an index for a vector store.

    All metadata is kept as JSON, times as text. What is filtered by is declared in ``fields``, as
    {"year": {"type": "int32", "filter": {}}}.
    """
    vector = cast(Field, {"type": "vector", "dimensions": dimensions, "similarity": similarity})
    declared: dict[str, Field] = {
        KEY: {"type": "string", "role": "id"},
        TEXT: {"type": "string", "role": "description"},
        VECTOR: vector,
        METADATA: {"type": "string"},
    }
    return {"fields": {**declared, **(fields or {})}}


class Texts:
    """Texts with vectors and metadata in one index."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self._filterable: list[str] | None = None

    def filterable(self) -> list[str]:
        """Returns the declared fields that metadata is copied to."""
        if self._filterable is None:
            declared = self.index.get()["definition"].get("fields", {})
            self._filterable = [name for name in declared if name not in (KEY, TEXT, VECTOR, METADATA)]
        return self._filterable

    def add(self, keys: Sequence[str], texts: Sequence[str], vectors: Sequence[Sequence[float]], metadatas: Sequence[Mapping[str, Any]]) -> None:
        """Adds texts. Raises the error of the first one that is rejected."""
        names = self.filterable()
        rows = zip(keys, texts, vectors, metadatas, strict=True)
        documents = (
            {KEY: key, TEXT: text, VECTOR: list(vector), METADATA: json.dumps(metadata, default=plain, ensure_ascii=False)}
            | {name: metadata[name] for name in names if metadata.get(name) is not None}
            for key, text, vector, metadata in rows
        )
        for result in self.index.add_all(documents):
            if result.refused:
                raise result.refused
        self.settle()

    def settle(self) -> None:
        """Commits, unless the client sees its own writes anyway."""
        if not self.index.client.read_your_writes:
            self.index.commit()

    def nearest(self, vector: Sequence[float], k: int, filters: Sequence[Clause], text: str | None = None) -> list[Hit]:
        """Returns the nearest texts; if text is given, fused with those that contain its words."""
        near: Clause = {"type": "knn", "field": VECTOR, "vector": list(vector), "k": k, "filter": filters}
        clause = near
        if text is not None:
            words: Clause = {"type": "text", "text": text, "match": "any", "fields": {TEXT: None}}
            clause = {"type": "fuse", "rankings": [{"clauses": [near]}, {"clauses": [words]}], "filter": filters}
        request: SearchRequest = {"query": [clause], "limit": k}
        return list(self.index.search(request)["hits"])


def metadata_of(hit: Hit) -> dict[str, Any]:
    """Returns the metadata of a hit, as it was added."""
    return cast(dict[str, Any], json.loads(cast(dict[str, Any], hit["document"])[METADATA]))
