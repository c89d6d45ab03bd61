"""A vector store for LlamaIndex. Requires the extra: pip install 'quire-client[llamaindex]'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore, FilterCondition, FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery, VectorStoreQueryMode,
    VectorStoreQueryResult,
)
from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

from ._schema import Clause, Field, Hit, Matcher
from ._vectors import KEY, TEXT, VECTOR, Texts, metadata_of
from ._vectors import definition as _definition
from .client import Index

__all__ = ["QuireVectorStore", "definition"]

# The field with the id of the document that a node was split from; nodes are deleted by it.
SOURCE = "ref_doc_id"


def definition(dimensions: int, fields: dict[str, Field] | None = None) -> Any:
    """Returns the definition of an index for this store; ``fields`` declares the metadata to filter by."""
    return _definition(dimensions, {SOURCE: {"type": "string", "filter": {}}, **(fields or {})})


class QuireVectorStore(BasePydanticVectorStore):
    """Nodes with vectors in an index created with ``definition``. The query mode HYBRID fuses vectors and words."""

    stores_text: bool = True
    flat_metadata: bool = False
    _texts: Texts = PrivateAttr()

    def __init__(self, index: Index) -> None:
        super().__init__(stores_text=True)
        self._texts = Texts(index)

    @classmethod
    def class_name(cls) -> str:
        return "QuireVectorStore"

    @property
    def client(self) -> Any:
        return self._texts.index.client

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        keys = [node.node_id for node in nodes]
        metadatas = [{SOURCE: node.ref_doc_id} | node_to_metadata_dict(node, remove_text=True, flat_metadata=False) for node in nodes]
        self._texts.add(keys, [node.get_content(MetadataMode.NONE) for node in nodes], [node.get_embedding() for node in nodes], metadatas)
        return keys

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        self._texts.index.delete_documents({"query": [{"field": SOURCE, "match": {"value": ref_doc_id}}]})
        self._texts.settle()

    def delete_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None, **delete_kwargs: Any) -> None:
        query = _clauses(filters)
        if node_ids:
            query = [*query, _among(KEY, node_ids)]
        if query:
            self._texts.index.delete_documents({"query": query})
            self._texts.settle()

    def clear(self) -> None:
        self._texts.index.delete_documents({"all": True})
        self._texts.settle()

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        query = _clauses(filters)
        if node_ids is not None:
            query = [*query, _among(KEY, node_ids)]
        return [_node(hit) for hit in self._texts.index.hits({"query": query, "limit": 1000})]

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        if query.query_embedding is None:
            raise ValueError("the query has no vector")
        if query.mode not in (VectorStoreQueryMode.DEFAULT, VectorStoreQueryMode.HYBRID):
            raise ValueError(f"the query mode {query.mode} is not supported")
        text = query.query_str if query.mode == VectorStoreQueryMode.HYBRID else None
        filters = _clauses(query.filters)
        if query.doc_ids:
            filters = [*filters, _among(SOURCE, query.doc_ids)]
        if query.node_ids:  # a retriever of every node gives an empty list
            filters = [*filters, _among(KEY, query.node_ids)]
        hits = self._texts.nearest(query.query_embedding, query.similarity_top_k, filters, text)
        return VectorStoreQueryResult(nodes=[_node(hit) for hit in hits], similarities=[hit.get("score", 0.0) for hit in hits], ids=[hit["id"] for hit in hits])


def _node(hit: Hit) -> BaseNode:
    document = cast(dict[str, Any], hit["document"])
    node = metadata_dict_to_node(metadata_of(hit), text=document[TEXT])
    node.embedding = document[VECTOR]
    return node


_BOUNDS = {FilterOperator.GT: "gt", FilterOperator.GTE: "gte", FilterOperator.LT: "lt", FilterOperator.LTE: "lte"}


def _clauses(filters: MetadataFilters | None) -> list[Clause]:
    if filters is None or not filters.filters:
        return []
    clauses = [_group(entry) if isinstance(entry, MetadataFilters) else _clause(entry) for entry in filters.filters]
    if filters.condition == FilterCondition.OR:
        return [{"type": "or", "clauses": clauses}]
    if filters.condition == FilterCondition.NOT:
        return [{"type": "not", "clauses": clauses}]
    return clauses


def _among(field: str, values: list[str]) -> Clause:
    return {"field": field, "match": {"type": "in", "values": values}}


def _group(filters: MetadataFilters) -> Clause:
    return {"type": "and", "clauses": _clauses(filters)}


def _clause(entry: MetadataFilter) -> Clause:
    match: Matcher
    if entry.operator in _BOUNDS:
        match = cast(Matcher, {"type": "range", _BOUNDS[entry.operator]: entry.value})
    elif entry.operator in (FilterOperator.IN, FilterOperator.NIN):
        match = {"type": "in", "values": cast(list[Any], entry.value)}
    elif entry.operator in (FilterOperator.EQ, FilterOperator.NE, FilterOperator.CONTAINS):
        match = {"value": entry.value}
    else:
        raise ValueError(f"the filter operator {entry.operator} is not supported")
    clause: Clause = {"field": entry.key, "match": match}
    return {"type": "not", "clauses": [clause]} if entry.operator in (FilterOperator.NE, FilterOperator.NIN) else clause
