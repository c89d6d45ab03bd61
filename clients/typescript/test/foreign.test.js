// Every response of an intermediary becomes an error of the client and is
// retried by its status.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertForeign, foreign, isCut, serveForeign } from "../../testing/foreign.js";
import { Client, QuireError } from "../dist/index.js";

const search = (index) => index.search();
const patch = (index) => index.patchDocument("1", {});

const failure = (promise) => promise.then(() => assert.fail("answered"), (error) => error);

describe("answers of proxies", () => {
  for (const answer of foreign) {
    it(`are errors: ${answer.name}`, async () => {
      for (const [status, send, repeats] of [
        [200, search, false], [301, search, false], [400, search, false], [404, patch, false], [500, search, false], [520, patch, false],
        [429, search, true], [502, search, true], [503, search, true], [504, search, true],
        [429, patch, true], [502, patch, false], [503, patch, false], [504, patch, false],
      ]) {
        if (status === 200 && isCut(answer)) continue;
        const { base, tries } = await serveForeign(answer, status);
        const outcome = await send(new Client(base).index("x")).then(() => "answered", () => "failed");
        assert.deepEqual([outcome, tries()], repeats ? ["answered", 2] : ["failed", 1], `status ${status}`);
        const again = await serveForeign(answer, status);
        assertForeign(QuireError, await failure(send(new Client(again.base, { retryFor: 0 }).index("x"))), answer, status);
      }
    });
  }
});

it("does not take an answer with a body for that of a write", async () => {
  for (const answer of foreign.filter((answer) => answer.body.trim() && !isCut(answer))) {
    const { base } = await serveForeign(answer, 200);
    assertForeign(QuireError, await failure(new Client(base).index("x").deleteDocument("1")), answer, 200);
  }
});

it("asks again for an answer that was cut", async () => {
  const { base, tries } = await serveForeign({ body: '{"hits":[', missing: 3 }, 200);
  await new Client(base).index("x").search();
  assert.equal(tries(), 2);
});

it("ends when it is aborted while the body of an error arrives", async () => {
  const controller = new AbortController();
  const fetch = async (_, init) => {
    const stream = new ReadableStream({ start: (it) => init.signal.addEventListener("abort", () => it.error(init.signal.reason)) });
    return new Response(stream, { status: 502 });
  };
  setTimeout(() => controller.abort(), 30);
  const error = await failure(new Client("http://a.example", { fetch }).index("x").search({}, { signal: controller.signal }));
  assert.equal(error, controller.signal.reason);
});

it("reads Retry-After as seconds or as a time", async () => {
  const soon = new Date(Date.now() + 60_000).toUTCString();
  for (const [value, least, most] of [
    ["7", 7, 7], ["-7", 0, 0], ["soon", 0, 0], ["", 0, 0], ["Wed, 21 Oct 2015 07:28:00 GMT", 0, 0], [soon, 57, 60], ["9".repeat(400), 1e6, Infinity],
  ]) {
    const fetch = async () => new Response("", { status: 503, headers: { "Retry-After": value } });
    const { retryAfter } = await failure(new Client("http://a.example", { retryFor: 0, fetch }).index("x").search());
    assert.ok(retryAfter >= least && retryAfter <= most, `${value}: ${retryAfter}`);
  }
});
