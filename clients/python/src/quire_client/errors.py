"""The errors of requests that a node rejects or fails."""

from __future__ import annotations

import email.utils
import http.client
import json
import re
import time
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Problem:
    """One problem with a request."""

    code: str
    message: str
    path: str = ""
    arguments: dict[str, str] = field(default_factory=dict)
    help: str = ""

    @classmethod
    def read(cls, detail: dict[str, Any]) -> Problem:
        return cls(detail.get("code", ""), detail.get("message", ""), detail.get("path", ""), detail.get("arguments", {}), detail.get("help", ""))


class QuireError(Exception):
    """Raised when a node rejects or fails a request.

    ``code`` is that of the one problem, ``validation`` for several, and empty
    when an intermediary such as a proxy answered. ``message`` is what
    the answer says. ``retry_after`` is in seconds, 0 when it names no time.
    """

    def __init__(self, status: int, code: str, message: str, problems: list[Problem], retry_after: float = 0) -> None:
        super().__init__(f"{code}: {message}" if code else message)
        self.status = status
        self.code = code
        self.message = message
        self.problems = problems
        self.retry_after = retry_after

    def __reduce__(self) -> tuple[Any, ...]:
        # Without it an error of a worker process cannot be read by the process that waits for it.
        return type(self), (self.status, self.code, self.message, self.problems, self.retry_after)

    def has(self, code: str) -> bool:
        """Reports whether one of the problems has the code."""
        return self.code == code or any(problem.code == code for problem in self.problems)


def parse(body: bytes) -> Any:
    """Decodes JSON; None if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def read_error(status: int, retry_after: str, body: bytes) -> QuireError:
    """Returns the error of a response, which an intermediary may have sent in its own format."""
    wait = _seconds(retry_after)
    if status < 300:
        return QuireError(status, "", f"{status} unexpected answer: {_readable(body) or 'nothing'}", [], wait)
    found = parse(body)
    if _is_problem(found) and isinstance(details := found.get("errors"), list) and details and all(map(_is_problem, details)):
        return QuireError(status, found["code"], found["message"], [Problem.read(detail) for detail in details], wait)
    return QuireError(status, "", f"{status} {_readable(body) or http.client.responses.get(status, 'without a body')}", [], wait)


def _is_problem(found: Any) -> bool:
    if not isinstance(found, dict) or not found.get("code"):
        return False
    arguments = found.get("arguments", {})
    texts = [found["code"], found.get("message"), found.get("path", ""), found.get("help", "")]
    return isinstance(arguments, dict) and all(isinstance(text, str) for text in [*texts, *arguments.values()])


def _seconds(retry_after: str) -> float:
    """Parses the header, which contains seconds or a time."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:300])
    try:
        return max(0.0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, OverflowError):
        return 0.0


_NOT_TEXT = re.compile(r"<(?:style|script).*?(?:</(?:style|script)>|$)|<[^>]*(?:>|$)", re.IGNORECASE | re.DOTALL)


def _readable(body: bytes) -> str:
    """Returns the beginning of a body, whatever it holds, as a line of text."""
    text = body[:4096].decode(errors="replace").strip()
    if text.startswith("<"):
        text = _NOT_TEXT.sub(" ", text)
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:300].strip()
