"""What a program does with an index, against a real node."""

from __future__ import annotations

import contextlib
import datetime
import io
import pathlib
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pandas
import pytest
from conftest import EXAMPLES, KEY, ROOT

from quire_client import AsyncClient, Client, Definition, QuireError

BOOKS: Definition = {
    "fields": {
        "id": {"type": "string", "role": "id"},
        "title": {"type": "string", "role": "title"},
        "author": {"type": "string", "role": "tag"},
        "year": {"type": "int32", "filter": {}, "sort": {}, "facet": {}},
        "added": {"type": "timestamp", "role": "timestamp"},
    }
}


def volumes() -> Iterator[dict[str, Any]]:
    for i in range(2100):
        yield {"title": "no key"} if i == 1500 else {"id": f"v{i}", "title": f"Volume {i}", "author": "Many", "year": 2000}


def test_the_waiting_client(node: str) -> None:
    with Client(node, KEY, read_your_writes=True) as client:
        books = client.index("books")
        books.put(BOOKS)
        books.put_settings({"fields": {"author": {"suggest": {}}}})
        assert books.settings()["fields"] == {"author": {"suggest": {}}}
        books.add([{"id": "2", "title": "The Dispossessed", "author": "Ursula K. Le Guin", "year": 1974}])
        with pytest.raises(QuireError) as raised:
            books.add([{"id": "3", "colour": "red"}])
        assert raised.value.has("document:field_unknown")
        results = list(books.add_all(volumes()))
        assert [r.position for r in results] == list(range(2100))
        assert [(r.position, r.refused.code) for r in results if r.refused] == [(1500, "document:field_required")]
        answer = books.search({
            "query": [{"type": "text", "text": "dispossesed", "match": "user"}],
            "filters": [{"field": "year", "match": {"type": "range", "gte": 1970}}],
            "facets": [{"field": "author"}],
        })
        assert [hit["id"] for hit in answer["hits"]] == ["2"]
        assert answer["facets"]["author"]["values"] == [{"value": "Ursula K. Le Guin", "count": 1}]
        assert len(list(books.hits({"query": [{"type": "text", "text": "volume"}], "limit": 1000}))) == 2099
        assert len(list(books.documents())) == 2100
        assert books.explain({"query": [{"type": "text", "text": "dispossessed"}]}, "2")["matched"]
        assert books.suggest({"text": "urs"})["suggestions"][0]["value"] == "Ursula K. Le Guin"
        assert books.facet_values("author", {"prefix": "Man"})["values"][0]["count"] == 2099
        books.put_document("a/b", {"id": "a/b", "title": "Kindred", "year": 1979})
        books.patch_document("a/b", {"year": 1980})
        assert books.document("a/b") == {"id": "a/b", "title": "Kindred", "year": 1980}
        books.delete_document("a/b")
        with pytest.raises(QuireError) as raised:
            books.document("a/b")
        assert raised.value.code == "document:not_found"
        assert books.delete_documents({"query": [{"field": "author", "match": {"value": "Many"}}]}) == 2099
        assert "books" in [index["name"] for index in client.indexes()]
        books.delete()


async def test_the_asynchronous_client(node: str) -> None:
    async def stream() -> AsyncIterator[dict[str, Any]]:
        for document in volumes():
            yield document

    async with AsyncClient(node, KEY, read_your_writes=True) as client:
        books = client.index("async-books")
        await books.put(BOOKS)
        assert len([r async for r in books.add_all(stream()) if r.refused is None]) == 2099
        assert len([hit async for hit in books.hits({"query": [{"type": "text", "text": "volume"}], "limit": 1000})]) == 2099
        assert len([document async for document in books.documents()]) == 2099
        assert (await books.document("v7"))["title"] == "Volume 7"
        assert "async-books" in [index["name"] async for index in client.indexes()]
        assert await books.delete_documents({"all": True}) == 2099
        await books.delete()


KEYS = [
    "a/b", "/", "//", "a//b", "./x", "../x", ".", "..", "...", "a b", " ", " a ", "a%2Fb", "%", "a?b", "a#b", "a+b", "a&b=c", ";", "x@2", ":", "*", "'", '"', "\\",
    "ä", "e\u0301", "日本", "😀", "\ufeffx", "\u2028", "\t", "a\nb", "\x00", "\x7f", "[x]", "{x}", "actions", "actions/delete", "k" * 8191, "ü" * 3000,
]


def test_keys_of_every_kind(node: str) -> None:
    with Client(node, KEY) as client:
        books = client.index("keys")
        books.put(BOOKS)
        for key in KEYS:
            books.put_document(key, {"id": key, "title": "one"})
            books.patch_document(key, {"year": 1})
        books.commit()
        for key in KEYS:
            assert books.document(key) == {"id": key, "title": "one", "year": 1}
            assert books.explain({"query": [{"type": "text", "text": "one"}]}, key)["matched"]
        assert {document["id"] for document in books.documents()} == {hit["id"] for hit in books.hits({"limit": 7})} == set(KEYS)
        for key in KEYS[1:]:
            books.delete_document(key)
        books.commit()
        assert [document["id"] for document in books.documents()] == KEYS[:1]
        for key in ("", "\ud800"):  # no document has them
            with pytest.raises((QuireError, UnicodeEncodeError)):
                books.document(key)
        books.delete()


def test_batches_of_every_size(node: str) -> None:
    with Client(node, KEY, read_your_writes=True) as client:
        books = client.index("sizes")
        books.put(BOOKS)
        assert books.add([])["indexed"] == 0 and list(books.add_all([])) == []
        assert list(books.documents()) == list(books.hits()) == []
        assert books.add({"id": f"m{i}", "title": "word " * 200} for i in range(12_000))["indexed"] == 12_000  # more than a JSON body may have
        large = {"id": "large", "title": "word " * (11 << 18)}
        results = list(books.add_all([{"id": "1"}, large, {"id": "2"}]))
        assert [(r.position, r.refused.code if r.refused else "") for r in results] == [(0, ""), (1, "request:body_too_large"), (2, "")]
        assert len(list(books.documents())) == 12_002
        assert books.delete_documents({"keys": []}) == 0
        assert books.delete_documents({"all": True}) == 12_002
        books.delete()


def test_a_closed_client(node: str) -> None:
    client = Client(node, KEY)
    client.close()
    client.close()
    with pytest.raises(RuntimeError, match="closed"):
        client.index("x").search()


def test_rows_of_a_frame(node: str) -> None:
    at = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
    frame = pandas.DataFrame({"id": ["1", "2"], "title": ["One", None], "year": [1974, None], "added": pandas.to_datetime([at, None])})
    frame["year"] = frame["year"].astype("Int64")
    with Client(node, KEY, read_your_writes=True) as client:
        books = client.index("frames")
        books.put(BOOKS)
        assert [r.refused for r in books.add_all(frame)] == [None, None]
        assert list(books.documents()) == [{"id": "1", "title": "One", "year": 1974, "added": "2026-01-02T00:00:00+00:00"}, {"id": "2"}]
        books.delete()


def test_the_first_search_of_the_readme(node: str) -> None:
    with Client(node, KEY) as client:
        books = client.index("books")
        books.put(BOOKS)
        books.add([{"id": "2", "title": "The Dispossessed"}])
        books.commit()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(EXAMPLES[0].replace("http://localhost:8080", node), {"key": KEY})
    assert printed.getvalue() == "2 The Dispossessed\n"


def test_the_version_follows_the_server() -> None:
    version = re.findall(r'^version = "(.*)"', (pathlib.Path(__file__).parents[1] / "pyproject.toml").read_text(), re.M)[0]
    printed = subprocess.run([ROOT / "bin/quire", "version"], capture_output=True, text=True, check=True).stdout.split()[1]
    assert version == re.sub(r"-dev$", ".dev0", printed)
