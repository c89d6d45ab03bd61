"""The state and the retry policy of a client, shared by the synchronous and the asynchronous client."""

from __future__ import annotations

import base64
import random
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import httpx

from .errors import QuireError, parse, read_error

FRESHNESS = "X-Service-Freshness"

# Responses that mean that nothing was done, so every request may be retried.
UNTAKEN = ("indexer:unavailable", "indexer:leadership_unreadable", "search:freshness:unavailable", "storage:unavailable", "storage:conflict")
# Responses about documents that were not written; others of the same request may have been.
UNWRITTEN = ("storage:io_error", "index:closed", "index:readonly", "index:generation:unsettled")

# Errors of requests without a connection, and of requests that cannot be sent.
NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
NOT_HTTP = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)

# How long to wait for a connection. A machine that is gone sends nothing, and other
# nodes must be asked before the time for retries ends.
CONNECT_LIMIT = 5.0

FIRST_PAUSE = 0.05
LAST_PAUSE = 2.0

Repeats = Literal["always", "keyed", "never"]


@dataclass
class Call:
    """One request, which may be sent several times.

    ``answers`` names a member that every response of a node has; if it is
    empty, the response has no body. Any other response comes from an
    intermediary such as a proxy.
    ``repeats`` says when it may be retried after an unknown outcome: always,
    if the index has a primary key, or never. ``several`` marks a request with
    several documents, of which those before a failed one stay. ``promotes``
    marks one after which the index serves from this generation: its readers
    then see what was written to it. ``deadline`` is the time after which the
    request is not retried, None for that of the client.
    """

    method: str
    path: str
    params: Mapping[str, str] | None = None
    body: bytes | None = None
    media: str = "application/json"
    answers: str = ""
    index: str = ""
    reads: bool = False
    repeats: Repeats = "never"
    several: bool = False
    promotes: bool = False
    deadline: float | None = None


class State:
    """The nodes, and the newest freshness token of each index that was written."""

    def __init__(self, nodes: list[str], key: str, retry_for: float, read_your_writes: bool) -> None:
        for node in nodes:
            if not _is_url(node):
                raise ValueError(f"expected a URL such as http://localhost:8080, found {node}")
        if not key.isascii() or not key.isprintable():
            raise ValueError("the key has a character that a header cannot carry, such as the end of a line")
        self.nodes = [node.rstrip("/") for node in nodes]
        self.key = key
        self.retry_for = retry_for
        self.read_your_writes = read_your_writes
        self.preferred = 0
        self._tokens: dict[str, str] = {}
        self._lock = threading.Lock()  # of what reads and then changes the tokens

    def headers(self, call: Call) -> dict[str, str]:
        headers = {"Accept": "application/json"}
        if call.body is not None:
            headers["Content-Type"] = call.media
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        token = self._tokens.get(call.index) if self.read_your_writes and call.reads else None
        if token:
            headers[FRESHNESS] = token
        return headers

    def is_of_deleted(self, call: Call, token: str | None, error: Exception) -> bool:
        """Whether a read was refused because its token is of an index that was deleted; the token is forgotten then."""
        if not token or not isinstance(error, QuireError) or not error.has("search:freshness:index_mismatch"):
            return False
        with self._lock:
            if self._tokens.get(call.index) == token:
                del self._tokens[call.index]
        return True

    def answered(self, call: Call, response: httpx.Response, body: bytes) -> Any:
        """Decodes a response and keeps the token of a write."""
        answer = parse(body)
        is_answer = isinstance(answer, dict) and call.answers in answer if call.answers else not body.strip()
        if not response.is_success or not is_answer:
            raise read_error(response.status_code, response.headers.get("Retry-After", ""), body)
        if self.read_your_writes and call.index and not call.reads:
            token = response.headers.get(FRESHNESS) or (answer.get("freshness") if answer else None)
            if isinstance(token, str) and token:
                with self._lock:
                    token = newer(self._tokens.get(call.index, ""), token)
                    self._tokens[call.index] = token
                    if call.promotes:
                        index = call.index.split("@")[0]
                        self._tokens[index] = newer(self._tokens.get(index, ""), token)
        return answer


def limits(timeout: float | None) -> httpx.Timeout:
    """The time that each step of a request may take."""
    return httpx.Timeout(timeout) if timeout is None else httpx.Timeout(timeout, connect=min(timeout, CONNECT_LIMIT))


def unreadable(response: httpx.Response, error: httpx.RequestError) -> None:
    """Raises a network error if the response reports success. For an error, the status is enough."""
    if response.is_success:
        raise error if isinstance(error, httpx.TransportError) else httpx.RemoteProtocolError(str(error), request=response.request) from error


def _is_url(node: str) -> bool:
    try:
        url = httpx.URL(node)
    except httpx.InvalidURL:
        return False
    return url.scheme in ("http", "https") and url.host != ""


class Tries:
    """The attempts of one call: which failures are retried, and after which pause."""

    def __init__(self, state: State, call: Call) -> None:
        self.state = state
        self.deadline = time.monotonic() + state.retry_for if call.deadline is None else call.deadline
        self.count = 0
        self.position = state.preferred

    @property
    def node(self) -> str:
        return self.state.nodes[self.position]

    def outcome(self, call: Call, error: Exception) -> Literal["refused", "not taken", "unknown"]:
        if isinstance(error, NOT_SENT):
            return "not taken"
        if isinstance(error, NOT_HTTP):
            return "refused"
        if not isinstance(error, QuireError):
            return "unknown"
        if error.status == 429 or any(error.has(code) for code in UNTAKEN):
            return "not taken"
        if any(error.has(code) for code in UNWRITTEN):
            return "unknown" if call.several else "not taken"
        return "unknown" if error.status in (502, 503, 504) else "refused"

    def pause(self, error: Exception) -> float | None:
        """Switches to the next node and returns the pause before the next attempt, None when time is up."""
        self.count += 1
        nodes = self.state.nodes
        self.position = self.state.preferred = (self.position + 1) % len(nodes)
        wait = error.retry_after if isinstance(error, QuireError) else 0.0
        if not wait and self.count >= len(nodes):
            backoff = min(LAST_PAUSE, FIRST_PAUSE * 2 ** min(10, self.count - len(nodes)))
            wait = backoff / 2 + random.uniform(0, backoff / 2)
        return wait if time.monotonic() + wait < self.deadline else None


def has_key(description: Any) -> bool:
    """Reports whether documents have keys, which makes adding them idempotent.

    The answer is not kept: the index may be deleted and created anew, or serve
    from a generation with another definition.
    """
    return any(field.get("primaryKey") is True for field in description["definition"].get("fields", {}).values())


_INDEX, _GENERATION, _SEQUENCE, _SETTINGS = 1, 3, 4, 5


def newer(known: str, token: str) -> str:
    """The token of the state that holds both.

    Answers to writes at the same time arrive in any order, and a write of
    documents says nothing of the settings, nor the other way round. Of another
    index or generation the second token counts.
    """
    a, b = _fields(known), _fields(token)
    if not a or not b or a.get(_INDEX) != b.get(_INDEX):
        return token

    def is_later(tag: int) -> bool:
        return _number(a.get(tag, b"")) > _number(b.get(tag, b""))

    kept = dict(b)
    if _GENERATION not in b or (a.get(_GENERATION) == b[_GENERATION] and is_later(_SEQUENCE)):
        kept |= {tag: a[tag] for tag in (_GENERATION, _SEQUENCE) if tag in a}
    if is_later(_SETTINGS):
        kept[_SETTINGS] = a[_SETTINGS]
    data = b"\x01" + b"".join(bytes([tag, len(kept[tag])]) + kept[tag] for tag in sorted(kept))
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _fields(token: str) -> dict[int, bytes]:
    try:
        data = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    except ValueError:
        return {}
    found: dict[int, bytes] = {}
    at = 1
    while data[:1] == b"\x01" and at + 1 < len(data):
        found[data[at]] = data[at + 2 : at + 2 + data[at + 1]]
        at += 2 + data[at + 1]
    return found


def _number(varint: bytes) -> int:
    return sum((byte & 127) << (7 * i) for i, byte in enumerate(varint))
