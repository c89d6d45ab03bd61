"""The errors of requests that a node rejects or fails."""

from __future__ import annotations

import json
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
    when a program on the way answered. ``message`` is what the node says. ``retry_after`` is in seconds, 0 when
    the node names no time.
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


def read_error(status: int, retry_after: str | None, body: bytes) -> QuireError:
    """Reads the error in the body of a response, which may come from a proxy."""
    wait = float(retry_after) if retry_after and retry_after.isdigit() else 0.0
    try:
        found = json.loads(body)
        return QuireError(status, found["code"], found["message"], [Problem.read(detail) for detail in found["errors"]], wait)
    except (ValueError, KeyError, TypeError):
        return QuireError(status, "", f"{status} {body[:300].decode(errors='replace')}", [], wait)
