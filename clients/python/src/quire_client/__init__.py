"""Client of the Quire search service.

    with Client("http://localhost:8080", key) as client:
        answer = client.index("books").search({"query": [{"type": "text", "text": "dispossesed", "match": "user"}]})

``AsyncClient`` offers the same for asyncio.
"""

from ._calls import Result
from ._schema import Clause, Definition, DeleteRequest, Field, Hit, Matcher, SearchRequest, SearchResult, SearchSettings
from .async_client import AsyncClient, AsyncIndex
from .client import Client, Index
from .errors import Problem, QuireError

__all__ = [
    "AsyncClient", "AsyncIndex", "Clause", "Client", "Definition", "DeleteRequest", "Field", "Hit", "Index", "Matcher", "Problem",
    "QuireError", "Result", "SearchRequest", "SearchResult", "SearchSettings",
]
