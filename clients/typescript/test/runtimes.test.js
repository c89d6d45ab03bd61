// The client in Deno and in Bun, whose executables come as npm packages.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { key, startNode } from "../../testing/node.js";
import { Client } from "../dist/index.js";
import { expected } from "./scenario.js";

const directory = new URL("..", import.meta.url).pathname;
const { resolve } = createRequire(import.meta.url);
const platform = `${process.platform}-${process.arch}`;
const isLinux = process.platform === "linux";

const runtimes = {
  Deno: () => [join(dirname(resolve(`@deno/${platform}${isLinux ? "-glibc" : ""}/package.json`)), "deno"), "run", "--quiet", "--no-lock", "--allow-net=127.0.0.1"],
  Bun: () => [join(dirname(resolve(`@oven/bun-${platform.replace("arm64", "aarch64")}/package.json`)), "bin/bun"), "run"],
};

const scratch = mkdtempSync(join(tmpdir(), "quire-runtimes-"));
after(() => rmSync(scratch, { recursive: true }));

/** Runs a file and returns its output. */
async function run(runtime, ...words) {
  const [program, ...flags] = runtimes[runtime]();
  const env = { PATH: process.env.PATH, HOME: scratch, NO_COLOR: "1" };
  return (await promisify(execFile)(program, [...flags, ...words], { cwd: directory, env })).stdout;
}

for (const runtime of Object.keys(runtimes)) {
  describe(runtime, () => {
    it("runs the whole scenario", async () => {
      assert.deepEqual(JSON.parse(await run(runtime, "test/run.js", await startNode(), key)), expected);
    });

    it("runs the first search of the README", async () => {
      const base = await startNode();
      const books = new Client(base, { key }).index("books");
      await books.put({ fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" } } });
      await books.add([{ id: "2", title: "The Dispossessed" }]);
      await books.commit();
      const [, code] = /```ts\n([^]*?)```/.exec(readFileSync(join(directory, "README.md"), "utf8"));
      const program = join(scratch, `${runtime}.ts`);
      const library = new URL("../dist/index.js", import.meta.url).href;
      writeFileSync(program, code.replace("@quiresearch/client", library).replace("http://localhost:8080", base).replace("const client", `const key = "${key}";\nconst client`));
      assert.equal((await run(runtime, program)).trim(), "2 The Dispossessed");
    });
  });
}
