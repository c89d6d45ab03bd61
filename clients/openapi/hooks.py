"""What schemathesis has to know of NDJSON: one value a line."""

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def write(context: Any, value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"


@schemathesis.serializer("text/csv", "text/tab-separated-values")
def write_text(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.deserializer("application/x-ndjson")
def read(context: Any, response: Any) -> Any:
    first = response.content.split(b"\n")[0]
    return json.loads(first) if first else {}
