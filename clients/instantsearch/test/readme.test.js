// The code of the README compiles with the types of InstantSearch.

import assert from "node:assert/strict";
import { it } from "node:test";
import { blocksOf, errorsOf, forBrowser } from "../../testing/compile.js";

const directory = new URL("..", import.meta.url).pathname;
const key = "declare const key: string;\n"; // which a reader has

const blocks = blocksOf(directory + "README.md");

it("has code", () => assert.ok(blocks.length > 0));

for (const [i, code] of blocks.entries()) {
  it(`compiles block ${i + 1}`, () => assert.deepEqual(errorsOf(directory, key + code, forBrowser), []));
}
