// The code of the README compiles against the package.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { blocksOf, errorsOf, forBrowser, forNode } from "../../testing/compile.js";

const directory = new URL("..", import.meta.url).pathname;
const key = "declare const key: string;\n"; // which a reader has

describe("the README", () => {
  const blocks = blocksOf(directory + "README.md");
  it("has code", () => assert.ok(blocks.length > 0));

  for (const [i, code] of blocks.entries()) {
    it(`compiles in Node: block ${i + 1}`, () => assert.deepEqual(errorsOf(directory, key + code, forNode), []));
    it(`compiles for browsers: block ${i + 1}`, () => assert.deepEqual(errorsOf(directory, key + code, forBrowser), []));
  }
});

it("gives documents a type", () => {
  const code = `
    import { Client } from "@quiresearch/client";
    interface Book { id: string; title: string }
    const books = new Client("http://localhost:8080").index<Book>("books");
    const { title } = await books.document("1");
    for await (const hit of books.hits()) console.log(title.length, hit.document?.title.length);`;
  assert.deepEqual(errorsOf(directory, code, forNode), []);
  assert.match(errorsOf(directory, code.replace("?.title", "?.titel"), forNode).join(), /'titel' does not exist/);
});
