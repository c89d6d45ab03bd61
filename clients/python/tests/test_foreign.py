"""Every response of an intermediary becomes an error of the client and is retried by its status."""

from __future__ import annotations

import contextlib
import datetime
import email.utils
import json
import math
import pathlib
import threading
import unicodedata
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import pytest

from quire_client import AsyncClient, Client, QuireError
from quire_client import _policy

# The answers that all clients are tested with.
FOREIGN: list[dict[str, Any]] = json.loads((pathlib.Path(__file__).parents[2] / "testing/foreign.json").read_text())


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_policy, "FIRST_PAUSE", 0.0001)


def is_cut(answer: dict[str, Any]) -> bool:
    """Whether a node may have sent a successful answer, of which the rest was lost."""
    return "missing" in answer or "encoding" in answer


class Server:
    """Answers the first request as an intermediary does, and later ones as a node."""

    def __init__(self, answer: dict[str, Any], status: int) -> None:
        self.answer, self.status, self.tries = answer, status, 0

    def respond(self, handler: BaseHTTPRequestHandler) -> None:
        handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        self.tries += 1
        if self.tries > 1:
            body = b'{"hits":[],"page":{}}' if handler.command == "POST" else b""
            handler.send_response(200 if body else 204)
            if body:
                handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
            return
        body = (self.answer["body"] * self.answer.get("times", 1)).encode("latin-1")
        handler.send_response(self.status)
        handler.send_header("Content-Length", str(len(body) + self.answer.get("missing", 0)))
        for header, member in (("Content-Type", "type"), ("Content-Encoding", "encoding")):
            if member in self.answer:
                handler.send_header(header, self.answer[member])
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = "missing" in self.answer


@contextlib.contextmanager
def serve(answer: dict[str, Any], status: int) -> Iterator[tuple[Server, str]]:
    server = Server(answer, status)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            server.respond(self)

        do_GET = do_PATCH = do_DELETE = do_POST

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.005})
        thread.start()
        try:
            yield server, f"http://127.0.0.1:{http.server_address[1]}"
        finally:
            http.shutdown()
            thread.join()


def client(url: str, **options: Any) -> Client:
    return Client(url, transport=httpx.HTTPTransport(verify=False), **options)  # without reading certificates, which takes long


def asynchronous_client(url: str, **options: Any) -> AsyncClient:
    return AsyncClient(url, transport=httpx.AsyncHTTPTransport(verify=False), **options)


def check(error: QuireError, answer: dict[str, Any], status: int) -> None:
    assert (error.status, error.code, error.problems, error.has("index:not_found")) == (status, "", [], False)
    assert str(error) == error.message
    assert error.message.startswith(f"{status} ") and answer["says"] in error.message and len(error.message) < 400
    assert error.message.strip() == error.message and not any(unicodedata.category(c) == "Cc" for c in error.message)


def search(index: Any) -> Any:
    return index.search()


def patch(index: Any) -> Any:
    return index.patch_document("1", {})


STATUSES = [
    (200, search, False), (301, search, False), (400, search, False), (404, patch, False), (500, search, False), (520, patch, False),
    (429, search, True), (502, search, True), (503, search, True), (504, search, True),
    (429, patch, True), (502, patch, False), (503, patch, False), (504, patch, False),
]


@pytest.mark.parametrize("answer", FOREIGN, ids=[answer["name"] for answer in FOREIGN])
async def test_answers_of_proxies_are_errors_of_the_client(answer: dict[str, Any]) -> None:
    for status, send, repeats in STATUSES:
        if status == 200 and is_cut(answer):
            continue
        with serve(answer, status) as (server, url), client(url) as waiting:
            if repeats:
                send(waiting.index("x"))
            else:
                with pytest.raises(QuireError) as raised:
                    send(waiting.index("x"))
                check(raised.value, answer, status)
            assert server.tries == (2 if repeats else 1)
        with serve(answer, status) as (server, url):
            async with asynchronous_client(url, retry_for=0) as asynchronous:
                with pytest.raises(QuireError) as raised:
                    await send(asynchronous.index("x"))
                check(raised.value, answer, status)


@pytest.mark.parametrize("answer", [answer for answer in FOREIGN if answer["body"].strip() and not is_cut(answer)], ids=lambda answer: str(answer["name"]))
def test_an_answer_with_a_body_is_not_that_of_a_write(answer: dict[str, Any]) -> None:
    with serve(answer, 200) as (_, url), client(url) as waiting, pytest.raises(QuireError) as raised:
        waiting.index("x").delete_document("1")
    check(raised.value, answer, 200)


@pytest.mark.parametrize("answer", [{"body": '{"hits":[', "missing": 3}, {"body": '{"hits":[]}', "encoding": "gzip"}], ids=["cut", "not compressed"])
async def test_an_answer_that_was_cut_is_asked_for_again(answer: dict[str, Any]) -> None:
    with serve(answer, 200) as (server, url), client(url) as waiting:
        waiting.index("x").search()
        assert server.tries == 2
    with serve(answer, 200) as (server, url):
        async with asynchronous_client(url) as asynchronous:
            await asynchronous.index("x").search()
        assert server.tries == 2
    with serve(answer, 200) as (_, url), client(url, retry_for=0) as waiting, pytest.raises(httpx.TransportError) as raised:
        waiting.index("x").search()
    assert str(raised.value.request.url).startswith(url)


@pytest.mark.parametrize(("value", "least", "most"), [
    ("7", 7, 7), ("-7", 0, 0), ("soon", 0, 0), ("", 0, 0), ("²", 0, 0), ("1.5", 0, 0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
    ("Wed, 99 Oct 2015 99:28:00 GMT", 0, 0), (email.utils.format_datetime(datetime.datetime.now(datetime.UTC) + datetime.timedelta(hours=1), usegmt=True), 3000, 3600),
    ("9" * 5000, 1e6, math.inf),
], ids=range(10))
def test_retry_after_is_seconds_or_a_time(value: str, least: float, most: float) -> None:
    response = httpx.Response(503, headers={"Retry-After": value.encode("latin-1")})
    with Client("http://a.example", retry_for=0, transport=httpx.MockTransport(lambda _: response)) as waiting, pytest.raises(QuireError) as raised:
        waiting.index("x").search()
    assert least <= raised.value.retry_after <= most
