"""The client for asyncio: the same methods as in client.py, with await."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Mapping, Sequence
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


class AsyncClient:
    """A connection to the nodes of one deployment.

    ``nodes`` are further nodes, tried when one does not respond. A request is
    retried for up to ``retry_for`` seconds, but only where that is safe. With
    ``read_your_writes``, reads of an index see what this client wrote to it.
    A client may be used by any number of tasks of one event loop.
    """

    def __init__(
        self, node: str, key: str = "", *, nodes: Sequence[str] = (), retry_for: float = 20, read_your_writes: bool = False,
        timeout: float | None = 60, transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._state = State([node, *nodes], key, retry_for, read_your_writes)
        self._http = httpx.AsyncClient(timeout=limits(timeout), transport=transport)

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()

    @property
    def read_your_writes(self) -> bool:
        return self._state.read_your_writes

    def index(self, name: str) -> AsyncIndex:
        """Returns a handle on an index, or on a generation, written index@generation."""
        return AsyncIndex(self, name)

    async def indexes(self) -> AsyncIterator[IndexListIndexesItem]:
        """Yields the indexes that the key can see, in order of their names."""
        after: dict[str, str] = {}
        while True:
            page = await self._send(Call("GET", "/v1alpha1/admin/indexes", after, answers="indexes", repeats="always"))
            for item in page["indexes"]:
                yield item
            if not page.get("next"):
                return
            after = {"after": page["next"]}

    async def _send(self, call: Call) -> Any:
        """Sends a request, retrying it where that is safe, and returns the response."""
        tries = Tries(self._state, call)
        while True:
            headers = self._state.headers(call)
            try:
                return await self._try(tries.node, call, headers)
            except (QuireError, httpx.TransportError) as error:
                if self._state.is_of_deleted(call, headers.get(FRESHNESS), error):
                    continue
                outcome = tries.outcome(call, error)
                if outcome == "refused":
                    raise
                pause = tries.pause(error)
                if pause is None or (outcome == "unknown" and not await self._may_repeat(call, tries.deadline - pause)):
                    raise
                await asyncio.sleep(pause)

    async def _try(self, node: str, call: Call, headers: dict[str, str]) -> Any:
        chunks = []
        async with self._http.stream(call.method, node + call.path, params=call.params, content=call.body, headers=headers) as response:
            try:
                async for chunk in response.aiter_bytes():
                    chunks.append(chunk)
            except httpx.RequestError as error:
                unreadable(response, error)
        return self._state.answered(call, response, b"".join(chunks))

    async def _may_repeat(self, call: Call, deadline: float) -> bool:
        if call.repeats != "keyed":
            return call.repeats == "always"
        try:
            return has_key(await self._send(calls.get_index(call.index, deadline)))
        except Exception:
            return False


class AsyncIndex:
    """A handle on one index."""

    def __init__(self, client: AsyncClient, name: str) -> None:
        self.client = client
        self.name = name

    async def get(self) -> IndexDescription:
        """Returns the definition and status of the index."""
        return cast(IndexDescription, await self.client._send(calls.get_index(self.name)))

    async def put(self, definition: Definition) -> IndexDescription:
        """Creates the index or replaces its definition."""
        call = Call("PUT", calls.admin(self.name), body=calls.encode(definition), answers="definition", repeats="always")
        return cast(IndexDescription, await self.client._send(call))

    async def commit(self) -> IndexDescription:
        """Makes everything acknowledged so far visible to searches."""
        call = Call("POST", calls.admin(self.name, "actions", "commit"), answers="definition", index=self.name, repeats="always")
        return cast(IndexDescription, await self.client._send(call))

    async def promote(self) -> IndexDescription:
        """Makes the generation that the handle names the live one of the index."""
        return cast(IndexDescription, await self.client._send(calls.promote(self.name)))

    async def delete(self) -> None:
        """Deletes the index with all its generations, or only the generation that the handle names."""
        await self.client._send(Call("DELETE", calls.admin(self.name)))

    async def settings(self) -> SearchSettings:
        """Returns the search settings."""
        return cast(SearchSettings, await self.client._send(Call("GET", calls.admin(self.name, "settings"), answers="version", repeats="always")))

    async def put_settings(self, settings: SearchSettings) -> SearchSettings:
        """Replaces the search settings."""
        call = Call("PUT", calls.admin(self.name, "settings"), body=calls.encode(settings), answers="version", index=self.name, repeats="always")
        return cast(SearchSettings, await self.client._send(call))

    async def add(self, documents: Iterable[Document]) -> AddResult:
        """Adds documents, replacing those with the same keys.

        It stops at the first rejected document; those before it stay added.
        """
        return cast(AddResult, await self.client._send(calls.add(self.name, calls.documents_of(documents))))

    async def add_all(self, documents: Iterable[Document] | AsyncIterable[Document] | Any) -> AsyncIterator[calls.Result]:
        """Adds a stream of documents, or a pandas DataFrame, and yields a result for each, in order.

        Documents are consumed as batches are sent. A rejected document does
        not stop the others. An error ends the stream; documents after the last
        result may or may not have been added.
        """
        batches = calls.Batches()
        async for document in _documents(documents):
            if full := batches.add(document):
                for item in await self._add_batch(full):
                    yield item
        if rest := batches.rest():
            for item in await self._add_batch(rest):
                yield item

    async def _add_batch(self, batch: calls.Batch) -> list[calls.Result]:
        try:
            return batch.results(await self.client._send(batch.call(self.name)))
        except QuireError as error:
            return batch.too_large(error)

    async def document(self, key: str) -> dict[str, Any]:
        """Returns the document with a key."""
        return cast(dict[str, Any], (await self.client._send(calls.get_document(self.name, key)))["document"])

    async def put_document(self, key: str, document: Document) -> None:
        """Adds a document with a key, replacing the one that has it."""
        await self.client._send(calls.put_document(self.name, key, document))

    async def patch_document(self, key: str, changes: Mapping[str, Any]) -> None:
        """Changes parts of a document.

        It is not retried if the outcome is unknown, because a change may append.
        """
        await self.client._send(calls.patch_document(self.name, key, changes))

    async def delete_document(self, key: str) -> None:
        """Deletes the document with a key, if there is one."""
        await self.client._send(calls.delete_document(self.name, key))

    async def delete_documents(self, request: DeleteRequest) -> int:
        """Deletes documents by key, by query, or all of them, and returns how many were deleted."""
        return cast(int, (await self.client._send(calls.delete_documents(self.name, request)))["deleted"])

    async def documents(self) -> AsyncIterator[dict[str, Any]]:
        """Yields the documents in order of their keys."""
        after = ""
        while True:
            page = await self.client._send(calls.list_documents(self.name, after))
            for item in page["documents"]:
                yield item
            after = page.get("next", "")
            if not after:
                return

    async def search(self, request: SearchRequest | None = None) -> SearchResult:
        """Runs a search and returns one page of hits."""
        return cast(SearchResult, await self.client._send(calls.read(self.name, "hits", calls.data(self.name, "search"), request)))

    async def pages(self, request: SearchRequest | None = None) -> AsyncIterator[SearchResult]:
        """Runs a search and yields its result pages."""
        following: Mapping[str, Any] | None = request or {}
        while following is not None:
            page = await self.search(cast(SearchRequest, following))
            yield page
            following = calls.next_page(following, page)

    async def hits(self, request: SearchRequest | None = None) -> AsyncIterator[Hit]:
        """Yields the hits of all pages of a search."""
        async for page in self.pages(request):
            for item in page["hits"]:
                yield item

    async def explain(self, request: SearchRequest, key: str, position: int = 0) -> ExplainResult:
        """Explains the score of one document.

        ``position`` is that of the list value if hits are list values.
        """
        return cast(ExplainResult, await self.client._send(calls.explain(self.name, request, key, position)))

    async def suggest(self, request: SuggestRequest) -> SuggestResult:
        """Completes typed text."""
        return cast(SuggestResult, await self.client._send(calls.read(self.name, "suggestions", calls.data(self.name, "suggest"), request)))

    async def facet_values(self, field: str, request: FacetValuesRequest | None = None) -> FacetValuesResult:
        """Returns the values of one facet, for completing typed text."""
        call = calls.read(self.name, "values", calls.data(self.name, "facets", field, "values"), request)
        return cast(FacetValuesResult, await self.client._send(call))


async def _documents(source: Any) -> AsyncIterator[Document]:
    """Yields the documents of an asynchronous iterable, an iterable or a DataFrame."""
    if hasattr(source, "__aiter__"):
        async for document in source:
            yield document
        return
    for document in calls.documents_of(source):
        yield document
