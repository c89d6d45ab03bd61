"""Which requests are retried, what errors say, how names are escaped; without a node."""

from __future__ import annotations

import base64
import pickle
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from quire_client import AsyncClient, Client, Index, QuireError
from quire_client import _policy


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_policy, "FIRST_PAUSE", 0.0001)


def refusal(status: int, code: str, **headers: str) -> httpx.Response:
    detail = {"code": code, "message": "m", "path": "query[0].field"}
    return httpx.Response(status, json=detail | {"errors": [detail]}, headers={name.replace("_", "-"): value for name, value in headers.items()})


def answered(request: httpx.Request) -> httpx.Response:
    return httpx.Response(204) if request.method == "PATCH" else httpx.Response(200, json={"hits": [], "page": {}, "indexed": 1})


def cut() -> httpx.Response:
    raise httpx.ReadError("cut")


def no_node() -> httpx.Response:
    raise httpx.ConnectError("refused")


class Node:
    """Fails twice, then responds. The index keyed has a primary key."""

    def __init__(self, fail: Callable[[], httpx.Response]) -> None:
        self.fail, self.tries = fail, 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"definition": {"fields": {"id": {"primaryKey": request.url.path.endswith("/keyed")}}}})
        self.tries += 1
        return self.fail() if self.tries < 3 else answered(request)


def search(index: Any) -> Any:
    return index.search()


def add(index: Any) -> Any:
    return index.add([{"id": "1"}])


def add_two(index: Any) -> Any:
    return index.add([{"id": "1"}, {"id": "2"}])


def patch(index: Any) -> Any:
    return index.patch_document("1", {"a[]": 1})


CASES = [
    ("keyed", search, cut, True),
    ("keyed", search, lambda: refusal(503, "search:timeout"), True),
    ("keyed", search, lambda: refusal(400, "search:field_unknown"), False),
    ("keyed", add, cut, True),
    ("plain", add, cut, False),
    ("plain", add, no_node, True),
    ("plain", add, lambda: refusal(409, "indexer:unavailable"), True),
    ("plain", add, lambda: refusal(409, "index:readonly"), True),
    ("plain", add_two, lambda: refusal(409, "index:readonly"), False),
    ("keyed", add_two, lambda: refusal(409, "index:readonly"), True),
    ("keyed", patch, cut, False),
    ("keyed", patch, lambda: refusal(409, "storage:io_error"), True),
]


@pytest.mark.parametrize(("name", "send", "fail", "repeats"), CASES)
def test_requests_are_repeated_only_where_that_is_safe(name: str, send: Callable[[Index], Any], fail: Callable[[], httpx.Response], repeats: bool) -> None:
    node = Node(fail)
    with Client("http://a.example/", transport=httpx.MockTransport(node)) as client:
        if repeats:
            send(client.index(name))
        else:
            with pytest.raises((QuireError, httpx.ReadError)):
                send(client.index(name))
    assert node.tries == (3 if repeats else 1)


@pytest.mark.parametrize(("name", "send", "fail", "repeats"), CASES)
async def test_the_asynchronous_client_repeats_the_same(name: str, send: Callable[[Any], Any], fail: Callable[[], httpx.Response], repeats: bool) -> None:
    node = Node(fail)
    async with AsyncClient("http://a.example/", transport=httpx.MockTransport(node)) as client:
        if repeats:
            await send(client.index(name))
        else:
            with pytest.raises((QuireError, httpx.ReadError)):
                await send(client.index(name))
    assert node.tries == (3 if repeats else 1)


class Forgetful:
    """Cuts some writes, and answers each time differently whether documents have keys."""

    def __init__(self, keyed: list[bool]) -> None:
        self.keyed, self.asked, self.tries, self.cuts = keyed, 0, 0, 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            self.asked += 1
            return httpx.Response(200, json={"definition": {"fields": {"id": {"primaryKey": self.keyed[self.asked - 1]}}}})
        self.tries += 1
        self.cuts -= 1
        return cut() if self.cuts >= 0 else httpx.Response(200, json={"indexed": 1})


ASKED = [
    ("a healthy write asks nothing", [], [0, 0], 0, 2, False),
    ("each retry asks", [True, True], [2], 2, 3, False),
    ("the next write asks again", [True, False], [1, 1], 2, 3, True),
    ("keys that came later count", [False, True], [1, 1], 2, 3, False),
    ("keys that went between two retries count", [True, False], [2], 2, 2, True),
]


@pytest.mark.parametrize(("keyed", "cuts", "asked", "tries", "fails"), [case[1:] for case in ASKED], ids=[case[0] for case in ASKED])
async def test_whether_documents_have_keys_is_asked_each_time(keyed: list[bool], cuts: list[int], asked: int, tries: int, fails: bool) -> None:
    node, failed = Forgetful(keyed), False
    with Client("http://a.example/", transport=httpx.MockTransport(node)) as client:
        for node.cuts in cuts:
            try:
                client.index("x").add([{"id": "1"}])
                failed = False
            except httpx.ReadError:
                failed = True
    assert (node.asked, node.tries, failed) == (asked, tries, fails)
    node = Forgetful(keyed)
    async with AsyncClient("http://a.example/", transport=httpx.MockTransport(node)) as asynchronous:
        for node.cuts in cuts:
            try:
                await asynchronous.index("x").add([{"id": "1"}])
                failed = False
            except httpx.ReadError:
                failed = True
    assert (node.asked, node.tries, failed) == (asked, tries, fails)


@pytest.mark.parametrize("retry_for", [0, 0.3])
async def test_keys_are_asked_for_only_while_there_is_time_for_a_retry(retry_for: float) -> None:
    asked = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += request.method == "GET"
        return httpx.Response(503)

    begin = time.monotonic()
    with Client("http://a.example", retry_for=retry_for, transport=httpx.MockTransport(answer)) as client, pytest.raises(QuireError):
        client.index("x").add([{"id": "1"}])
    assert time.monotonic() - begin < retry_for + 0.2 and (asked > 0) == (retry_for > 0)
    begin, asked = time.monotonic(), 0
    async with AsyncClient("http://a.example", retry_for=retry_for, transport=httpx.MockTransport(answer)) as asynchronous:
        with pytest.raises(QuireError):
            await asynchronous.index("x").add([{"id": "1"}])
    assert time.monotonic() - begin < retry_for + 0.2 and (asked > 0) == (retry_for > 0)


def test_another_node_is_asked_at_once() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(200, json={"hits": [], "page": {}}) if request.url.host == "c.example" else cut()

    with Client("http://a.example", nodes=["http://b.example", "http://c.example"], transport=httpx.MockTransport(answer)) as client:
        client.index("x").search()
        client.index("x").search()
    assert asked == ["a.example", "b.example", "c.example", "c.example"]


def test_repeating_ends_before_a_pause_that_is_too_long() -> None:
    node = Node(lambda: refusal(503, "search:timeout", Retry_After="100"))
    with Client("http://a.example", transport=httpx.MockTransport(node)) as client, pytest.raises(QuireError) as raised:
        client.index("x").search()
    assert (raised.value.retry_after, node.tries) == (100, 1)


def test_errors_are_told_apart_by_code() -> None:
    with Client("http://a.example", transport=httpx.MockTransport(lambda _: refusal(400, "search:field_unknown"))) as client:
        with pytest.raises(QuireError) as raised:
            client.index("x").search()
    assert raised.value.has("search:field_unknown") and not raised.value.has("index:not_found")
    assert raised.value.problems[0].path == "query[0].field"


def test_names_are_escaped() -> None:
    paths = []

    def answer(request: httpx.Request) -> httpx.Response:
        paths.append(request.url.raw_path.decode().split("/documents/")[1])
        return httpx.Response(204)

    with Client("http://a.example", transport=httpx.MockTransport(answer)) as client:
        for key in ("a/b", "..", "ä?"):
            client.index("x@2").delete_document(key)
    assert paths == ["a%2Fb", "%2E%2E", "%C3%A4%3F"]


def encoded(*fields: int) -> str:
    return base64.urlsafe_b64encode(bytes([1, *fields])).decode().rstrip("=")


def test_what_a_write_of_documents_and_one_of_settings_say_is_kept() -> None:
    written, read = "", None

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal read
        if request.method != "GET":
            return httpx.Response(200, json={"indexed": 1, "version": "v", "freshness": written})
        read = request.headers.get("X-Service-Freshness")
        return httpx.Response(200, json={"document": {}})

    with Client("http://a.example", read_your_writes=True, transport=httpx.MockTransport(answer)) as client:
        x = client.index("x")
        written = encoded(1, 1, 9, 3, 1, 8, 4, 1, 5)
        x.add([{}])
        written = encoded(1, 1, 9, 5, 1, 2)
        x.put_settings({})
        x.document("1")
        assert read == encoded(1, 1, 9, 3, 1, 8, 4, 1, 5, 5, 1, 2)
        written = encoded(1, 1, 9, 3, 1, 7, 4, 1, 1)  # the index serves from another generation
        x.add([{}])
        x.document("1")
        assert read == encoded(1, 1, 9, 3, 1, 7, 4, 1, 1, 5, 1, 2)
        written = encoded(1, 1, 3, 3, 1, 7)  # and another index has its name
        x.add([{}])
        x.document("1")
        assert read == written


async def test_what_was_written_to_a_generation_is_seen_after_its_promotion() -> None:
    written, read, promoted = "", None, []

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal read
        if request.method != "GET":
            if request.url.path.endswith("/promote"):
                promoted.append(request.url.raw_path)
            return httpx.Response(200, json={"indexed": 1, "definition": {}, "freshness": written})
        read = request.headers.get("X-Service-Freshness")
        return httpx.Response(200, json={"document": {}})

    with Client("http://a.example", read_your_writes=True, transport=httpx.MockTransport(answer)) as client:
        written = encoded(1, 1, 9, 3, 1, 7, 4, 1, 1)
        client.index("x@next").add([{}])
        client.index("x").document("1")
        assert read is None
        written = encoded(1, 1, 9, 3, 1, 7)
        client.index("x@next").promote()
        client.index("x").document("1")
        assert read == encoded(1, 1, 9, 3, 1, 7, 4, 1, 1)
    async with AsyncClient("http://a.example", read_your_writes=True, transport=httpx.MockTransport(answer)) as client:
        await client.index("x@next").promote()
        await client.index("x").document("1")
        assert read == encoded(1, 1, 9, 3, 1, 7)
    assert promoted == [b"/v1alpha1/admin/indexes/x@next/actions/promote"] * 2


async def test_the_token_of_a_deleted_index_is_forgotten() -> None:
    tokens = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "PUT":
            return httpx.Response(204, headers={"X-Service-Freshness": encoded(1, 1, 9)})
        tokens.append(request.headers.get("X-Service-Freshness"))
        return refusal(400, "search:freshness:index_mismatch") if tokens[-1] else httpx.Response(200, json={"document": {"id": "1"}})

    with Client("http://a.example", retry_for=0, read_your_writes=True, transport=httpx.MockTransport(answer)) as client:
        client.index("x").put_document("1", {})
        assert client.index("x").document("1") == {"id": "1"}
    async with AsyncClient("http://a.example", retry_for=0, read_your_writes=True, transport=httpx.MockTransport(answer)) as asynchronous:
        await asynchronous.index("x").put_document("1", {})
        assert await asynchronous.index("x").document("1") == {"id": "1"}
    assert tokens == [encoded(1, 1, 9), None] * 2


def test_what_no_node_can_change_is_not_repeated() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal tries
        tries += 1
        return httpx.Response(200, text="<html>")

    tries, begin = 0, time.monotonic()
    with Client("http://a.example", transport=httpx.MockTransport(answer)) as client, pytest.raises(QuireError):
        client.index("x").search()
    with pytest.raises(RuntimeError):
        client.index("x").search()  # the client is closed
    assert tries == 1 and time.monotonic() - begin < 5


@pytest.mark.parametrize("key", ["a\n", "a…"])
def test_a_key_that_a_header_cannot_carry_is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="key"):
        Client("http://a.example", key)


def test_an_error_passes_between_processes() -> None:
    with Client("http://a.example", transport=httpx.MockTransport(lambda _: refusal(400, "search:field_unknown"))) as client:
        with pytest.raises(QuireError) as raised:
            client.index("x").search()
    read = pickle.loads(pickle.dumps(raised.value))
    assert (str(read), read.status, read.code, read.problems) == (str(raised.value), 400, "search:field_unknown", raised.value.problems)


def test_the_token_of_the_later_commit_is_kept() -> None:
    def token(sequence: int) -> str:
        return encoded(1, 1, 9, 3, 1, 8, 4, 2, sequence % 128 | 128, sequence // 128)

    written, read = "", None

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal read
        if request.method == "PUT":
            return httpx.Response(204, headers={"X-Service-Freshness": written})
        read = request.headers.get("X-Service-Freshness")
        return httpx.Response(200, json={"hits": [], "page": {}})

    with Client("http://a.example", read_your_writes=True, transport=httpx.MockTransport(answer)) as client:
        for sequence, kept in ((300, 300), (700, 700), (650, 700)):
            written = token(sequence)
            client.index("x").put_document("1", {})
            client.index("x").search()
            assert read == token(kept)
        client.index("y").search()
        assert read is None


@pytest.mark.parametrize("node", ["localhost:8080", "", "http://", "http:///x", "ftp://x", "http://[::1", "http://a:port"])
def test_what_is_not_a_url_is_refused(node: str) -> None:
    with pytest.raises(ValueError, match="http://localhost:8080"):
        Client(node)


@pytest.mark.parametrize(("given", "connect"), [(60, 5), (2, 2), (None, None)])
async def test_connecting_leaves_time_for_other_nodes(given: float | None, connect: float | None) -> None:
    seen = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.extensions["timeout"])
        return answered(request)

    with Client("http://a.example", timeout=given, transport=httpx.MockTransport(answer)) as client:
        client.index("x").search()
    async with AsyncClient("http://a.example", timeout=given, transport=httpx.MockTransport(answer)) as asynchronous:
        await asynchronous.index("x").search()
    assert seen == [{"connect": connect, "read": given, "write": given, "pool": given}] * 2


@pytest.mark.parametrize("error", [httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ConnectError])
async def test_what_was_not_sent_is_repeated(error: type[httpx.TransportError]) -> None:
    tries = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise error("no connection")
        return httpx.Response(204)

    with Client("http://a.example", transport=httpx.MockTransport(answer)) as client:
        client.index("x").patch_document("1", {})
    assert tries == 2
    tries = 0
    async with AsyncClient("http://a.example", transport=httpx.MockTransport(answer)) as asynchronous:
        await asynchronous.index("x").patch_document("1", {})
    assert tries == 2


@pytest.mark.parametrize("error", [httpx.LocalProtocolError, httpx.UnsupportedProtocol])
def test_what_cannot_be_sent_is_not_repeated(error: type[httpx.TransportError]) -> None:
    tries = 0

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal tries
        tries += 1
        raise error("not HTTP")

    with Client("http://a.example", transport=httpx.MockTransport(answer)) as client, pytest.raises(error):
        client.index("x").search()
    assert tries == 1


def test_every_node_is_asked_also_if_one_is_given_twice() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.host)
        return httpx.Response(200, json={"hits": [], "page": {}}) if request.url.host == "b.example" else cut()

    with Client("http://a.example", nodes=["http://a.example", "http://b.example"], retry_for=1, transport=httpx.MockTransport(answer)) as client:
        client.index("x").search()
    assert asked == ["a.example", "a.example", "b.example"]


async def test_a_document_that_is_too_large_does_not_stop_the_others() -> None:
    large = "x" * (5 << 20)

    def answer(request: httpx.Request) -> httpx.Response:
        return refusal(413, "request:body_too_large") if len(request.content) > 5 << 20 else httpx.Response(200, json={"failed": []})

    documents = [{"id": "1"}, {"id": large}, {"id": "2"}]
    with Client("http://a.example", transport=httpx.MockTransport(answer)) as client:
        results = list(client.index("x").add_all(documents))
    assert [(r.position, r.refused.code if r.refused else None) for r in results] == [(0, None), (1, "request:body_too_large"), (2, None)]
    async with AsyncClient("http://a.example", transport=httpx.MockTransport(answer)) as asynchronous:
        assert [r.position async for r in asynchronous.index("x").add_all(documents) if r.refused] == [1]
    with Client("http://a.example", transport=httpx.MockTransport(lambda _: httpx.Response(413))) as client, pytest.raises(QuireError):
        list(client.index("x").add_all([{"id": "1"}, {"id": "2"}]))  # which of them is too large is not known


def test_numbers_that_json_lacks_are_refused() -> None:
    with Client("http://a.example", transport=httpx.MockTransport(cut)) as client, pytest.raises(ValueError):  # type: ignore[arg-type]
        client.index("x").add([{"n": float("nan")}])
