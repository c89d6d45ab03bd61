import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { key, openPage, serveFiles, startNode } from "../../testing/node.js";
import * as library from "../dist/index.js";
import { expected, scenario } from "./scenario.js";

const directory = new URL("..", import.meta.url).pathname;

async function bundle(entry) {
  const built = await build({ stdin: { contents: entry, resolveDir: directory }, bundle: true, minify: true, format: "esm", write: false });
  return built.outputFiles[0].text;
}

it("works in Node", async () => {
  assert.deepEqual(await scenario(library.Client, await startNode(), key), expected);
});

it("works in a browser", async () => {
  const code = await bundle('export { Client } from "./dist/index.js"; export { scenario } from "./test/scenario.js";');
  const origin = await serveFiles({ "/": ["text/html", '<title>client</title><link rel="icon" href="data:,">'], "/client.js": ["text/javascript", code] });
  const base = await startNode({ SERVICE_HTTP_CORS_ENABLED: "true", SERVICE_HTTP_CORS_ORIGINS: origin });
  const page = await openPage(origin);
  const seen = await page.evaluate(async ([base, key]) => {
    const { Client, scenario } = await import("/client.js");
    return scenario(Client, base, key);
  }, [base, key]);
  assert.deepEqual(seen, expected);
});

it("runs the first search of the README", async () => {
  const base = await startNode();
  const books = new library.Client(base, { key, readYourWrites: true }).index("books");
  await books.put({ fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" } } });
  await books.add([{ id: "2", title: "The Dispossessed" }]);
  await books.commit();
  const [, code] = /```ts\n([^]*?)```/.exec(readFileSync(directory + "README.md", "utf8"));
  const printed = [];
  const body = code.replace(/import .*\n/, "").replace("http://localhost:8080", base);
  await new (async () => {}).constructor("Client", "key", "console", body)(library.Client, key, { log: (...words) => printed.push(words.join(" ")) });
  assert.deepEqual(printed, ["2 The Dispossessed"]);
});

it("adds more than a JSON body may have", async () => {
  const books = new library.Client(await startNode(), { key, readYourWrites: true }).index("books");
  await books.put({ fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" } } });
  const many = Array.from({ length: 12_000 }, (_, i) => ({ id: `m${i}`, title: "word ".repeat(200) }));
  assert.equal((await books.add(many)).indexed, 12_000);
  await assert.rejects(books.add([{ id: "1" }, { colour: "red" }]), (error) => error.problems[0].path === "[1].colour" && error.problems[0].arguments.processed === "1");
});

it("is small", async () => {
  const bytes = gzipSync(await bundle('export * from "./dist/index.js";'), { level: 9 }).length;
  assert.ok(bytes <= 3500, `${bytes} bytes`); // the README says so
});

it("leaves out what a program does not use", async () => {
  const [all, part] = await Promise.all(['export * from "./dist/index.js";', 'export { QuireError } from "./dist/index.js";'].map(bundle));
  assert.ok(part.includes("QuireError") && part.length < all.length / 4, `${part.length} of ${all.length} characters`);
});

it("packs what is needed and nothing else", () => {
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], { cwd: directory, encoding: "utf8" }));
  const files = packed.files.map((file) => file.path).sort();
  assert.deepEqual(files.filter((path) => !path.startsWith("dist/")), ["README.md", "package.json"]);
  assert.ok(files.includes("dist/index.js") && files.includes("dist/index.d.ts") && files.includes("dist/schema.d.ts"));
  assert.ok(files.every((path) => !path.endsWith(".ts") || path.endsWith(".d.ts")));
});

it("follows the version of the server", () => {
  const { version } = JSON.parse(readFileSync(directory + "package.json", "utf8"));
  const printed = execFileSync(new URL("../../../bin/quire", import.meta.url).pathname, ["version"], { encoding: "utf8" });
  assert.match(printed, new RegExp(`quire ${version.replaceAll(".", "\\.")} `));
});
