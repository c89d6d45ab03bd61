"""The requests on an index, as data that both clients send."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ._policy import Call
from .errors import Problem, QuireError

# The limits of one request of add_all.
BATCH_DOCUMENTS = 1000
BATCH_BYTES = 4 << 20


@dataclass(frozen=True)
class Result:
    """The result of add_all for one document.

    ``position`` is that of the document among those given, from 0. ``refused``
    says why it was rejected; it is None if the document was added.
    """

    position: int
    refused: QuireError | None = None


def data(index: str, *parts: str) -> str:
    return "/v1alpha1/indexes/" + "/".join(_escape(part) for part in (index, *parts))


def admin(index: str, *parts: str) -> str:
    return "/v1alpha1/admin/indexes/" + "/".join(_escape(part) for part in (index, *parts))


def _escape(segment: str) -> str:
    # Dot segments would be resolved before they reach the node.
    return segment.replace(".", "%2E") if segment in (".", "..") else quote(segment, safe="@")


def encode(value: Any) -> bytes:
    return json.dumps(value, default=plain, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


def plain(value: Any) -> Any:
    """Converts NumPy numbers and arrays, and times. The node rejects times without a time zone."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} does not encode to JSON")


def read(index: str, answers: str, path: str, request: Mapping[str, Any] | None, params: Mapping[str, str] | None = None) -> Call:
    return Call("POST", path, params, encode(request or {}), answers=answers, index=index, reads=True, repeats="always")


def get_index(index: str, deadline: float | None = None) -> Call:
    return Call("GET", admin(index), answers="definition", repeats="always", deadline=deadline)


def promote(index: str) -> Call:
    return Call("POST", admin(index, "actions", "promote"), answers="definition", index=index, repeats="always", promotes=True)


def get_document(index: str, key: str) -> Call:
    return Call("GET", data(index, "documents", key), answers="document", index=index, reads=True, repeats="always")


def put_document(index: str, key: str, document: Mapping[str, Any]) -> Call:
    return Call("PUT", data(index, "documents", key), body=encode(document), index=index, repeats="always")


def patch_document(index: str, key: str, changes: Mapping[str, Any]) -> Call:
    return Call("PATCH", data(index, "documents", key), body=encode(changes), index=index)


def delete_document(index: str, key: str) -> Call:
    return Call("DELETE", data(index, "documents", key), index=index, repeats="always")


def delete_documents(index: str, request: Mapping[str, Any]) -> Call:
    return Call("POST", data(index, "documents", "actions", "delete"), body=encode(request), answers="deleted", index=index, repeats="always")


def list_documents(index: str, after: str) -> Call:
    params = {"limit": "1000"} | ({"after": after} if after else {})
    return Call("GET", data(index, "documents"), params, answers="documents", index=index, reads=True, repeats="always")


def add(index: str, documents: Iterable[Mapping[str, Any]]) -> Call:
    return _add(index, [encode(document) for document in documents], None)


def _add(index: str, lines: list[bytes], params: Mapping[str, str] | None) -> Call:
    return Call(
        "POST", data(index, "documents"), params, b"\n".join(lines), "application/x-ndjson", "failed" if params else "indexed", index,
        repeats="keyed", several=len(lines) > 1,
    )


def explain(index: str, request: Mapping[str, Any], key: str, position: int) -> Call:
    params = {"key": key} | ({"index": str(position)} if position else {})
    return read(index, "matched", data(index, "search", "actions", "explain"), request, params)


def next_page(request: Mapping[str, Any], page: Any) -> dict[str, Any] | None:
    """Returns the request for the page after this one, None after the last page."""
    if not page["page"].get("next") or not page["hits"]:
        return None
    return {name: value for name, value in request.items() if name not in ("offset", "before")} | {"after": page["page"]["next"]}


@dataclass
class Batch:
    """The lines of documents of one request."""

    first: int
    lines: list[bytes]

    def call(self, index: str) -> Call:
        return _add(index, self.lines, {"onError": "skip"})

    def too_large(self, error: QuireError) -> list[Result]:
        """Returns the result of a single document that is too large. Any other error ends the stream."""
        if error.status != 413 or len(self.lines) > 1:
            raise error
        return [Result(self.first, error)]

    def results(self, answer: Any) -> list[Result]:
        refused = {}
        for failed in answer["failed"]:
            problems = [Problem.read(detail) for detail in failed["errors"]]
            refused[failed["position"]] = QuireError(400, problems[0].code if problems else "", "; ".join(p.message for p in problems), problems)
        return [Result(self.first + i, refused.get(i)) for i in range(len(self.lines))]


class Batches:
    """Collects documents into batches: add returns a batch when it is full."""

    def __init__(self) -> None:
        self._batch = Batch(0, [])
        self._size = 0

    def add(self, document: Mapping[str, Any]) -> Batch | None:
        line = encode(document)
        full = None
        if len(self._batch.lines) == BATCH_DOCUMENTS or (self._batch.lines and self._size + len(line) > BATCH_BYTES):
            full = self.rest()
        self._batch.lines.append(line)
        self._size += len(line)
        return full

    def rest(self) -> Batch | None:
        full = self._batch
        self._batch, self._size = Batch(full.first + len(full.lines), []), 0
        return full if full.lines else None


def documents_of(source: Any) -> Iterator[Mapping[str, Any]]:
    """Yields the documents of an iterable, or the rows of a pandas DataFrame without their missing values."""
    if hasattr(source, "columns") and hasattr(source, "itertuples"):
        names = [str(name) for name in source.columns]
        for row in source.itertuples(index=False, name=None):
            yield {name: value for name, value in zip(names, row, strict=True) if not _is_missing(value)}
        return
    yield from source


def _is_missing(value: Any) -> bool:
    """Reports whether a value is None, NaN, NaT or NA. Elements of lists are not checked."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
