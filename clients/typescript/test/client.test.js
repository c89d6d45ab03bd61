// What the client does without a node: which requests it retries, what errors
// say, how names are escaped.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Client, QuireError } from "../dist/index.js";

const refusal = (status, code, headers) =>
  new Response(JSON.stringify({ code, message: "m", errors: [{ code, message: "m", path: "query[0].field" }] }), { status, headers });
const cut = () => {
  throw new TypeError("fetch failed");
};

/** A client of a node that fails twice and then answers. */
function failing(fail, options = {}) {
  let tries = 0;
  const client = new Client("http://a.example/", {
    ...options,
    fetch: async (url, init) => {
      new Request(url, init); // refuses what fetch refuses
      if (init.method === "GET") {
        const primaryKey = url.endsWith("/keyed");
        return Response.json({ definition: { fields: { id: { type: "string", primaryKey } } } });
      }
      if (++tries < 3) return fail();
      return init.method === "PATCH" ? new Response(null, { status: 204 }) : Response.json({ hits: [], page: {}, indexed: 1 });
    },
  });
  return { client, tries: () => tries };
}

describe("retries", () => {
  const search = (index) => index.search();
  const add = (index) => index.add([{ id: "1" }]);
  const addTwo = (index) => index.add([{ id: "1" }, { id: "2" }]);
  const patch = (index) => index.patchDocument("1", { "a[]": 1 });
  for (const [what, name, send, fail, repeats] of [
    ["a search after a cut", "keyed", search, cut, true],
    ["a search that timed out", "keyed", search, () => refusal(503, "search:timeout"), true],
    ["an invalid search", "keyed", search, () => refusal(400, "search:field_unknown"), false],
    ["documents with keys after a cut", "keyed", add, cut, true],
    ["documents without keys after a cut", "plain", add, cut, false],
    ["documents without keys and no writer", "plain", add, () => refusal(409, "indexer:unavailable"), true],
    ["one document without a key that was not written", "plain", add, () => refusal(409, "index:readonly"), true],
    ["two documents without keys, one not written", "plain", addTwo, () => refusal(409, "index:readonly"), false],
    ["two documents with keys, one not written", "keyed", addTwo, () => refusal(409, "index:readonly"), true],
    ["a change after a cut", "keyed", patch, cut, false],
    ["a change that was not written", "keyed", patch, () => refusal(409, "storage:io_error"), true],
  ]) {
    it(`${repeats ? "repeats" : "does not repeat"} ${what}`, async () => {
      const { client, tries } = failing(fail);
      const outcome = await send(client.index(name)).then(() => "answered", () => "failed");
      assert.equal(outcome, repeats ? "answered" : "failed");
      assert.equal(tries(), repeats ? 3 : 1);
    });
  }

  for (const [what, keyed, cuts, asked, tries, outcome] of [
    ["asks nothing for a healthy write", [], [0, 0], 0, 2, "answered"],
    ["asks before each retry whether documents have keys", [true, true], [2], 2, 3, "answered"],
    ["asks again for the next write", [true, false], [1, 1], 2, 3, "failed"],
    ["heeds keys that came later", [false, true], [1, 1], 2, 3, "answered"],
    ["heeds keys that went between two retries", [true, false], [2], 2, 2, "failed"],
  ]) {
    it(what, async () => {
      const seen = { asked: 0, tries: 0 };
      let left;
      const fetch = async (_, { method }) => {
        if (method === "GET") return Response.json({ definition: { fields: { id: { type: "string", primaryKey: keyed[seen.asked++] } } } });
        seen.tries++;
        return left-- > 0 ? cut() : Response.json({ indexed: 1 });
      };
      const index = new Client("http://a.example", { fetch }).index("x");
      for (left of cuts) seen.outcome = await index.add([{ id: "1" }]).then(() => "answered", () => "failed");
      assert.deepEqual(seen, { asked, tries, outcome });
    });
  }

  it("asks for keys only while there is time for a retry", async () => {
    for (const [retryFor, asks] of [[0, false], [300, true]]) {
      let asked = 0;
      const fetch = async (_, { method }) => ((asked += method === "GET"), new Response(null, { status: 503 }));
      const begin = Date.now();
      await assert.rejects(new Client("http://a.example", { retryFor, fetch }).index("x").add([{ id: "1" }]));
      assert.ok(Date.now() - begin < retryFor + 200);
      assert.equal(asked > 0, asks);
    }
  });

  it("asks the next node at once", async () => {
    const asked = [];
    const client = new Client("http://a.example", {
      nodes: ["http://b.example", "http://c.example"],
      fetch: async (url) => {
        asked.push(new URL(url).host);
        return url.startsWith("http://c") ? Response.json({ hits: [], page: {} }) : cut();
      },
    });
    await client.index("x").search();
    await client.index("x").search();
    assert.deepEqual(asked, ["a.example", "b.example", "c.example", "c.example"]);
  });

  it("ends when it is aborted or out of time", async () => {
    const { client } = failing(() => refusal(503, "search:timeout", { "Retry-After": "100" }));
    await assert.rejects(client.index("x").search(), (error) => error.retryAfter === 100);
    const waiting = new Client("http://a.example", { fetch: cut });
    await assert.rejects(waiting.index("x").search({}, { signal: AbortSignal.timeout(30) }));
  });

  it("ends when it is aborted while it asks whether documents have keys", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const client = new Client("http://a.example", {
      fetch: (url, init) => (init.method === "GET" ? new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(signal.reason))) : cut()),
    });
    const added = client.index("x").add([{ id: "1" }], { signal });
    setTimeout(() => controller.abort(), 30);
    await assert.rejects(added, (error) => error === signal.reason);
  });
});

it("tells errors apart by code", async () => {
  const { client } = failing(() => refusal(400, "search:field_unknown"));
  await assert.rejects(client.index("x").search(), (error) => {
    assert.ok(error instanceof QuireError);
    assert.ok(error.is("search:field_unknown") && !error.is("index:not_found"));
    assert.equal(error.problems[0].path, "query[0].field");
    return true;
  });
});

it("escapes names", async () => {
  const paths = [];
  const client = new Client("http://a.example", { fetch: async (url) => (paths.push(url), new Response(null, { status: 204 })) });
  for (const name of ["a/b", "..", "ä?"]) await client.index("x@2").deleteDocument(name);
  assert.deepEqual(paths.map((p) => p.split("/documents/")[1]), ["a%2Fb", "%2E%2E", "%C3%A4%3F"]);
});

it("refuses what is not a URL", () => assert.throws(() => new Client("localhost:8080"), TypeError));

it("refuses a key that a header cannot carry", () => assert.throws(() => new Client("http://a.example", { key: "a…" }), TypeError));

it("rejects what cannot be sent", async () => {
  const client = new Client("http://a.example", { fetch: cut });
  await assert.rejects(client.index("x").add([{ id: 1n }]), TypeError);
  await assert.rejects(client.index("x").deleteDocument("\ud800"), URIError);
});

it("sends documents one per line, however they are added", async () => {
  const sent = [];
  const fetch = async (_, { body, headers }) => (sent.push([headers["Content-Type"], body]), Response.json({ indexed: 2, failed: [] }));
  const index = new Client("http://a.example", { fetch }).index("x");
  const documents = [{ id: "1", title: "a\nb" }, undefined]; // undefined is not skipped, so that positions are kept: the node refuses it
  await index.add(documents);
  for await (const _ of index.addAll(documents));
  assert.deepEqual(sent, Array(2).fill(["application/x-ndjson", '{"id":"1","title":"a\\nb"}\nnull']));
});

it("goes on after a document that is too large", async () => {
  const large = "x".repeat(5 << 20);
  const fetch = async (_, { body }) => (body.length > 5 << 20 ? refusal(413, "request:body_too_large") : Response.json({ failed: [] }));
  const results = [];
  for await (const { position, refused } of new Client("http://a.example", { fetch }).index("x").addAll([{ id: "1" }, { id: large }, { id: "2" }])) {
    results.push([position, refused?.code]);
  }
  assert.deepEqual(results, [[0, undefined], [1, "request:body_too_large"], [2, undefined]]);
  const small = new Client("http://a.example", { fetch: async () => new Response("", { status: 413 }) });
  await assert.rejects(small.index("x").addAll([{ id: "1" }, { id: "2" }]).next(), QuireError); // which of them is too large is not known
});

const encoded = (...bytes) => btoa(String.fromCharCode(1, ...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

it("keeps what a write of documents and one of settings say", async () => {
  const documents = (generation, sequence) => encoded(1, 1, 9, 3, 1, generation, 4, 1, sequence);
  const settings = (revision) => encoded(1, 1, 9, 5, 1, revision);
  let written;
  let read;
  const client = new Client("http://a.example", {
    readYourWrites: true,
    fetch: async (url, { method, headers }) => {
      if (method !== "GET") return Response.json({ indexed: 1, version: "v", definition: {}, freshness: written });
      read = headers["X-Service-Freshness"];
      return Response.json({ document: {} });
    },
  });
  const x = client.index("x");
  const reads = async (token) => (await client.index("x").document("1"), assert.equal(read, token));
  written = documents(8, 5);
  await x.add([{}]);
  written = settings(2);
  await x.putSettings({});
  await reads(encoded(1, 1, 9, 3, 1, 8, 4, 1, 5, 5, 1, 2));
  written = documents(8, 6);
  await x.add([{}]);
  await reads(encoded(1, 1, 9, 3, 1, 8, 4, 1, 6, 5, 1, 2));
  written = documents(7, 1);
  await client.index("x@next").add([{}]);
  await reads(encoded(1, 1, 9, 3, 1, 8, 4, 1, 6, 5, 1, 2));
  written = encoded(1, 1, 9, 3, 1, 7);
  await client.index("x@next").promote();
  await reads(encoded(1, 1, 9, 3, 1, 7, 4, 1, 1, 5, 1, 2));
});

it("forgets the token of an index that was deleted", async () => {
  const tokens = [];
  const client = new Client("http://a.example", {
    readYourWrites: true,
    retryFor: 0,
    fetch: async (url, { method, headers }) => {
      if (method === "PUT") return new Response(null, { status: 204, headers: { "X-Service-Freshness": encoded(1, 1, 9, 3, 1, 8) } });
      tokens.push(headers["X-Service-Freshness"]);
      return headers["X-Service-Freshness"] ? refusal(400, "search:freshness:index_mismatch") : Response.json({ document: { id: "1" } });
    },
  });
  const x = client.index("x");
  await x.putDocument("1", {});
  assert.deepEqual(await Promise.all([x.document("1"), x.document("1")]), [{ id: "1" }, { id: "1" }]);
  assert.deepEqual(tokens.map(Boolean), [true, true, false, false]);
});

it("keeps the token of the later commit", async () => {
  const token = (sequence) => encoded(1, 1, 9, 3, 1, 8, 4, 1, sequence);
  let written;
  let read;
  const client = new Client("http://a.example", {
    readYourWrites: true,
    fetch: async (url, { method, headers }) => {
      if (method === "PUT") return new Response(null, { status: 204, headers: { "X-Service-Freshness": written } });
      read = headers["X-Service-Freshness"];
      return Response.json({ hits: [], page: {} });
    },
  });
  for (const [sequence, kept] of [[5, 5], [7, 7], [6, 7]]) {
    written = token(sequence);
    await client.index("x").putDocument("1", {});
    await client.index("x").search();
    assert.equal(read, token(kept));
  }
  await client.index("y").search();
  assert.equal(read, undefined);
});
