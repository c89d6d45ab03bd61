"""Generates the types of requests and responses from the OpenAPI description on standard input."""

from __future__ import annotations

import json
import keyword
import sys
from typing import Any

SIMPLE = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

# A type that requests and responses share has two schemas: that of requests
# allows null for every optional member, that of responses does not. Only the
# class of responses is generated, so that a response can be changed and sent back.
OUTPUT = "Output"

Schema = dict[str, Any]


class Writer:
    """Collects a class for every object; nested objects are named after their owner and property."""

    def __init__(self) -> None:
        self.classes: dict[str, list[str]] = {}

    def type_of(self, schema: Schema, name: str) -> str:
        if "$ref" in schema:
            return str(schema["$ref"].rsplit("/", 1)[1]).removesuffix(OUTPUT)
        if "oneOf" in schema:
            return " | ".join(dict.fromkeys(self.type_of(choice, f"{name}{i + 1}") for i, choice in enumerate(schema["oneOf"])))
        if "enum" in schema:
            return "Literal[" + ", ".join("None" if value is None else json.dumps(value) for value in schema["enum"]) + "]"
        kinds = schema.get("type", [])
        if isinstance(kinds, list):
            return " | ".join(self.type_of(schema | {"type": kind}, name) for kind in kinds) or "Any"
        if kinds == "array":
            return f"Sequence[{self.type_of(schema['items'], name + 'Item')}]"
        if kinds == "object":
            return self.object_of(schema, name)
        return SIMPLE[kinds]

    def object_of(self, schema: Schema, name: str) -> str:
        values = schema.get("additionalProperties")
        if isinstance(values, dict):
            return f"Mapping[str, {self.type_of(values, name + 'Value')}]"
        if "properties" not in schema:
            return "Mapping[str, Any]"
        self.add(name, schema)
        return name

    def add(self, name: str, schema: Schema) -> None:
        required = schema.get("required", [])
        members = {}
        for member, inner in sorted(schema["properties"].items()):
            kind = self.type_of(inner, name + member[0].upper() + member[1:])
            members[member] = f"Required[{kind}]" if member in required else kind
        if any(keyword.iskeyword(member) for member in members):
            inside = ", ".join(f'"{member}": {kind!r}' for member, kind in members.items())
            self.classes[name] = [f'{name} = TypedDict("{name}", {{{inside}}}, total=False)']
            return
        lines = [f"class {name}(TypedDict, total=False):"]
        lines += [f"    {member}: {kind}" for member, kind in members.items()] or ["    pass"]
        self.classes[name] = lines


def main() -> None:
    schemas: dict[str, Schema] = json.load(sys.stdin)["components"]["schemas"]
    writer = Writer()
    aliases = {}
    for name, schema in sorted(schemas.items()):
        if name.endswith(OUTPUT):
            continue
        schema = schemas.get(name + OUTPUT, schema)
        if schema.get("type") == "object" and "properties" in schema:
            writer.add(name, schema)
        else:
            aliases[name] = writer.type_of(schema, name)
    print('"""Written by `make generate-clients` from the OpenAPI description."""\n')
    print("from __future__ import annotations\n")
    print("from collections.abc import Mapping, Sequence")
    print("from typing import Any, Literal, Required, TypeAlias, TypedDict\n")
    for name, kind in sorted(aliases.items()):
        print(f'{name}: TypeAlias = "{kind}"')
    for _, lines in sorted(writer.classes.items()):
        print("\n\n" + "\n".join(lines))


if __name__ == "__main__":
    main()
