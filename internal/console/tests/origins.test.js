// S27: a web page from elsewhere can neither read from nor write to a developer's
// node through the browser, even under a host name that resolves to this machine.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, describe, it } from "node:test";
import { fillDemo, open, startNode } from "./harness.js";

let node, elsewhere, page;
before(async () => {
  node = await startNode();
  await fillDemo(node);
  elsewhere = createServer((_, response) => response.setHeader("Content-Type", "text/html").end("<title>elsewhere</title>"));
  await new Promise((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
});
after(() => elsewhere.close());

const count = async () => (await node.call("POST", "/v1alpha1/indexes/catalogue/search", { limit: 0 })).total.count;

describe("origins", () => {
  it("refuses pages of another site", async () => {
    page = await open(node);
    // In this browser evil.test resolves to this machine, as after DNS rebinding.
    await page.goto("http://evil.test:" + elsewhere.address().port + "/");
    const tried = await page.evaluate(async (base) => {
      const body = JSON.stringify({ documents: [{ id: "evil" }] });
      const outcome = async (request) => request.then(async (r) => (r.type === "opaque" ? "opaque" : r.status + " " + (await r.text()).slice(0, 20)), () => "refused");
      const target = base + "/v1alpha1/indexes/catalogue/";
      return {
        read: await outcome(fetch(target + "search", { method: "POST", body: "{}" })),
        json: await outcome(fetch(target + "documents", { method: "POST", body, headers: { "Content-Type": "application/json" } })),
        simple: await outcome(fetch(target + "documents", { method: "POST", body, mode: "no-cors" })),
        untyped: await outcome(fetch(target + "documents/actions/delete", { method: "POST", body: new Blob(['{"all":true}']), mode: "no-cors" })),
      };
    }, node.base);
    assert.deepEqual({ read: tried.read, json: tried.json }, { read: "refused", json: "refused" });
    await node.call("POST", "/v1alpha1/admin/indexes/catalogue/actions/commit");
    assert.equal(await count(), 336);
  });

  it("refuses a form of another site", async () => {
    page = await open(node);
    await page.goto("http://evil.test:" + elsewhere.address().port + "/");
    const answered = page.waitForResponse((r) => r.url().startsWith(node.base));
    await page.evaluate((base) => {
      const form = Object.assign(document.createElement("form"), { method: "POST", action: base + "/v1alpha1/indexes/catalogue/documents/actions/delete", enctype: "text/plain" });
      form.append(Object.assign(document.createElement("input"), { name: '{"all":true,"x":"', value: '"}' }));
      document.body.append(form);
      form.submit();
    }, node.base);
    assert.equal((await answered).status(), 403);
    assert.equal(await count(), 336);
  });

  it("refuses a name that was pointed at this machine", async () => {
    page = await open(node);
    const answer = await page.goto("http://evil.test:" + node.port + "/v1alpha1/admin/indexes");
    assert.equal(answer.status(), 403);
    const written = await page.evaluate(async () => (await fetch("/v1alpha1/indexes/catalogue/documents/actions/delete", { method: "POST", body: '{"all":true}', headers: { "Content-Type": "application/json" } })).status);
    assert.equal(written, 403);
    assert.equal(await count(), 336);
  });

  it("may not be framed", async () => {
    page = await open(node);
    await page.goto("http://127.0.0.1:" + elsewhere.address().port + "/");
    await page.evaluate(async (base) => {
      const frame = Object.assign(document.createElement("iframe"), { src: base + "/console/" });
      const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
      document.body.append(frame);
      await loaded;
    }, node.base);
    const inside = page.frames().find((frame) => frame !== page.mainFrame());
    assert.match(inside.url(), /^chrome-error:/);
  });
});
