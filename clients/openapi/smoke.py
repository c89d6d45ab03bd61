"""Searches through the client that openapi-python-client made."""

import os

from quire_api.api.documents import add_documents
from quire_api.api.indexes import commit_index, put_index
from quire_api.api.search import search
from quire_api.client import AuthenticatedClient
from quire_api.models import Definition, DocumentBatch, SearchRequest, SearchResult

client = AuthenticatedClient(base_url=os.environ["NODE"], token=os.environ["KEY"])
definition = Definition.from_dict({"fields": {"id": {"type": "string", "role": "id"}, "title": {"type": "string", "role": "title"}}})
put_index.sync(client=client, name="smoke-py", body=definition)
add_documents.sync(client=client, name="smoke-py", body=DocumentBatch.from_dict({"documents": [{"id": "1", "title": "Kindred"}]}))
commit_index.sync(client=client, name="smoke-py")
found = search.sync(client=client, name="smoke-py", body=SearchRequest.from_dict({"query": [{"type": "text", "text": "kindred"}]}))
assert isinstance(found, SearchResult) and [hit.id for hit in found.hits] == ["1"], found
print("openapi-python-client: one hit")
