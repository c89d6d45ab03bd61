"""The synchronous client."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, cast

import httpx

from . import _calls as calls
from ._policy import FRESHNESS, Call, State, Tries, has_key, limits, unreadable
from ._schema import (
    AddResult, Definition, DeleteRequest, ExplainResult, FacetValuesRequest, FacetValuesResult, Hit, IndexListIndexesItem, SearchRequest,
    SearchResult, SearchSettings, SuggestRequest, SuggestResult,
)
from ._schema import Index as IndexDescription
from .errors import QuireError

Document = Mapping[str, Any]


class Client:
    """A connection to the nodes of one deployment.

    ``nodes`` are further nodes, tried when one does not respond. A request is
    retried for up to ``retry_for`` seconds, but only where that is safe. With
    ``read_your_writes``, reads of an index see what this client wrote to it.
    A client may be used by any number of threads.
    """

    def __init__(
        self, node: str, key: str = "", *, nodes: Sequence[str] = (), retry_for: float = 20, read_your_writes: bool = False,
        timeout: float | None = 60, transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._state = State([node, *nodes], key, retry_for, read_your_writes)
        self._http = httpx.Client(timeout=limits(timeout), transport=transport)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @property
    def read_your_writes(self) -> bool:
        return self._state.read_your_writes

    def index(self, name: str) -> Index:
        """Returns a handle on an index, or on a generation, written index@generation."""
        return Index(self, name)

    def indexes(self) -> Iterator[IndexListIndexesItem]:
        """Yields the indexes that the key can see, in order of their names."""
        after: dict[str, str] = {}
        while True:
            page = self._send(Call("GET", "/v1alpha1/admin/indexes", after, answers="indexes", repeats="always"))
            yield from page["indexes"]
            if not page.get("next"):
                return
            after = {"after": page["next"]}

    def _send(self, call: Call) -> Any:
        """Sends a request, retrying it where that is safe, and returns the response."""
        tries = Tries(self._state, call)
        while True:
            headers = self._state.headers(call)
            try:
                return self._try(tries.node, call, headers)
            except (QuireError, httpx.TransportError) as error:
                if self._state.is_of_deleted(call, headers.get(FRESHNESS), error):
                    continue
                outcome = tries.outcome(call, error)
                if outcome == "refused":
                    raise
                pause = tries.pause(error)
                if pause is None or (outcome == "unknown" and not self._may_repeat(call, tries.deadline - pause)):
                    raise
                time.sleep(pause)

    def _try(self, node: str, call: Call, headers: dict[str, str]) -> Any:
        chunks = []
        with self._http.stream(call.method, node + call.path, params=call.params, content=call.body, headers=headers) as response:
            try:
                for chunk in response.iter_bytes():
                    chunks.append(chunk)
            except httpx.RequestError as error:
                unreadable(response, error)
        return self._state.answered(call, response, b"".join(chunks))

    def _may_repeat(self, call: Call, deadline: float) -> bool:
        if call.repeats != "keyed":
            return call.repeats == "always"
        try:
            return has_key(self._send(calls.get_index(call.index, deadline)))
        except Exception:
            return False


class Index:
    """A handle on one index."""

    def __init__(self, client: Client, name: str) -> None:
        self.client = client
        self.name = name

    def get(self) -> IndexDescription:
        """Returns the definition and status of the index."""
        return cast(IndexDescription, self.client._send(calls.get_index(self.name)))

    def put(self, definition: Definition) -> IndexDescription:
        """Creates the index or replaces its definition."""
        call = Call("PUT", calls.admin(self.name), body=calls.encode(definition), answers="definition", repeats="always")
        return cast(IndexDescription, self.client._send(call))

    def commit(self) -> IndexDescription:
        """Makes everything acknowledged so far visible to searches."""
        call = Call("POST", calls.admin(self.name, "actions", "commit"), answers="definition", index=self.name, repeats="always")
        return cast(IndexDescription, self.client._send(call))

    def promote(self) -> IndexDescription:
        """Makes the generation that the handle names the live one of the index."""
        return cast(IndexDescription, self.client._send(calls.promote(self.name)))

    def delete(self) -> None:
        """Deletes the index with all its generations, or only the generation that the handle names."""
        self.client._send(Call("DELETE", calls.admin(self.name)))

    def settings(self) -> SearchSettings:
        """Returns the search settings."""
        return cast(SearchSettings, self.client._send(Call("GET", calls.admin(self.name, "settings"), answers="version", repeats="always")))

    def put_settings(self, settings: SearchSettings) -> SearchSettings:
        """Replaces the search settings."""
        call = Call("PUT", calls.admin(self.name, "settings"), body=calls.encode(settings), answers="version", index=self.name, repeats="always")
        return cast(SearchSettings, self.client._send(call))

    def add(self, documents: Iterable[Document]) -> AddResult:
        """Adds documents, replacing those with the same keys.

        It stops at the first rejected document; those before it stay added.
        """
        return cast(AddResult, self.client._send(calls.add(self.name, calls.documents_of(documents))))

    def add_all(self, documents: Iterable[Document] | Any) -> Iterator[calls.Result]:
        """Adds a stream of documents, or a pandas DataFrame, and yields a result for each, in order.

        Documents are consumed as batches are sent. A rejected document does
        not stop the others. An error ends the stream; documents after the last
        result may or may not have been added.
        """
        batches = calls.Batches()
        for document in calls.documents_of(documents):
            if full := batches.add(document):
                yield from self._add_batch(full)
        if rest := batches.rest():
            yield from self._add_batch(rest)

    def _add_batch(self, batch: calls.Batch) -> list[calls.Result]:
        try:
            return batch.results(self.client._send(batch.call(self.name)))
        except QuireError as error:
            return batch.too_large(error)

    def document(self, key: str) -> dict[str, Any]:
        """Returns the document with a key."""
        return cast(dict[str, Any], self.client._send(calls.get_document(self.name, key))["document"])

    def put_document(self, key: str, document: Document) -> None:
        """Adds a document with a key, replacing the one that has it."""
        self.client._send(calls.put_document(self.name, key, document))

    def patch_document(self, key: str, changes: Mapping[str, Any]) -> None:
        """Changes parts of a document.

        It is not retried if the outcome is unknown, because a change may append.
        """
        self.client._send(calls.patch_document(self.name, key, changes))

    def delete_document(self, key: str) -> None:
        """Deletes the document with a key, if there is one."""
        self.client._send(calls.delete_document(self.name, key))

    def delete_documents(self, request: DeleteRequest) -> int:
        """Deletes documents by key, by query, or all of them, and returns how many were deleted."""
        return cast(int, self.client._send(calls.delete_documents(self.name, request))["deleted"])

    def documents(self) -> Iterator[dict[str, Any]]:
        """Yields the documents in order of their keys."""
        after = ""
        while True:
            page = self.client._send(calls.list_documents(self.name, after))
            yield from page["documents"]
            after = page.get("next", "")
            if not after:
                return

    def search(self, request: SearchRequest | None = None) -> SearchResult:
        """Runs a search and returns one page of hits."""
        return cast(SearchResult, self.client._send(calls.read(self.name, "hits", calls.data(self.name, "search"), request)))

    def pages(self, request: SearchRequest | None = None) -> Iterator[SearchResult]:
        """Runs a search and yields its result pages."""
        following: Mapping[str, Any] | None = request or {}
        while following is not None:
            page = self.search(cast(SearchRequest, following))
            yield page
            following = calls.next_page(following, page)

    def hits(self, request: SearchRequest | None = None) -> Iterator[Hit]:
        """Yields the hits of all pages of a search."""
        for page in self.pages(request):
            yield from page["hits"]

    def explain(self, request: SearchRequest, key: str, position: int = 0) -> ExplainResult:
        """Explains the score of one document.

        ``position`` is that of the list value if hits are list values.
        """
        return cast(ExplainResult, self.client._send(calls.explain(self.name, request, key, position)))

    def suggest(self, request: SuggestRequest) -> SuggestResult:
        """Completes typed text."""
        return cast(SuggestResult, self.client._send(calls.read(self.name, "suggestions", calls.data(self.name, "suggest"), request)))

    def facet_values(self, field: str, request: FacetValuesRequest | None = None) -> FacetValuesResult:
        """Returns the values of one facet, for completing typed text."""
        call = calls.read(self.name, "values", calls.data(self.name, "facets", field, "values"), request)
        return cast(FacetValuesResult, self.client._send(call))
