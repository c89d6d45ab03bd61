"""Runs a real node for the tests."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import time
from collections.abc import Iterator

import httpx
import pytest

ROOT = pathlib.Path(__file__).parents[3]
KEY = "client-tests-root-key-0123456789abcdef"
# The examples of the README, in its order.
EXAMPLES = re.findall(r"```python\n(.*?)```", (pathlib.Path(__file__).parents[1] / "README.md").read_text(), re.S)


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Starts bin/quire in its own directory and yields its URL."""
    directory = str(tmp_path_factory.mktemp("node"))
    variables = {
        "PATH": os.environ["PATH"], "HOME": directory, "SERVICE_STORAGE_LOCAL_DIRECTORY": directory, "SERVICE_HTTP_HOST": "127.0.0.1",
        "SERVICE_HTTP_PORT": "0", "SERVICE_AUTH_ROOT_KEY": KEY,
    }
    log = pathlib.Path(directory) / "log"
    with log.open("w") as out:
        process = subprocess.Popen([ROOT / "bin/quire", "serve"], env=variables, stdout=out, stderr=out)
        try:
            yield ready(process, log)
        finally:
            process.terminate()
            process.wait()


def ready(process: subprocess.Popen[bytes], log: pathlib.Path) -> str:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        found = re.search(r"msg=listening address=(\S+)", log.read_text())
        try:
            if found and httpx.get(found[1] + "/q/health/ready").is_success:
                return found[1]
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise RuntimeError(f"the node did not start: {log.read_text()}")
