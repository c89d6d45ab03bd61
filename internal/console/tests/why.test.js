// Room 2: explanations.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { axe, fillDemo, open, startNode } from "./harness.js";

let node;
before(async () => {
  node = await startNode();
  await fillDemo(node);
});

const search = "#/search?index=catalogue&q=warm+jaket+under+380+eur";

describe("why", () => {
  it("explains a hit, compares two, and the parts add up to the score", async () => {
    const page = await open(node, search);
    await page.locator(".hit-open").first().click();
    const bar = page.getByRole("img", { name: /^Score / });
    await bar.waitFor();
    const said = await bar.getAttribute("aria-label");
    const total = Number(/^Score ([\d.]+)/.exec(said)[1]);
    const parts = [...said.matchAll(/ ([\d.]+)(?:,|$)/g)].slice(0).map((m) => Number(m[1]));
    assert.ok(Math.abs(parts.reduce((a, b) => a + b, 0) - total) < 0.1, said);
    assert.match(await page.locator(".sentences").innerText(), /“warm” in name [\d.]+/);
    const options = page.getByLabel("Compare with").locator("option");
    await page.getByLabel("Compare with").selectOption(await options.nth(1).getAttribute("value"));
    const differences = page.getByRole("region", { name: "Differences" });
    await differences.getByText(/^Why is .*jacket above .*jacket\?$/).waitFor();
    const by = await differences.locator("td:last-child").allInnerTexts();
    assert.ok(by.length > 0);
    const sizes = by.map((t) => Math.abs(Number(t.replace("−", "-"))));
    assert.deepEqual(sizes, [...sizes].sort((a, b) => b - a));
    assert.deepEqual(page.faults, []);
  });

  it("shows what judgements say about the query and the document", async () => {
    const [first] = (await node.call("POST", "/v1alpha1/indexes/catalogue/search", { query: [{ type: "text", text: "tent" }], limit: 1 })).hits;
    await node.call("PUT", "/v1alpha1/admin/indexes/catalogue/judgements/base", { queries: [
      { text: "Tent", known: first.id }, { id: "camping", search: { query: [{ type: "text", text: "tent" }] }, expect: { mustNotHit: [first.id] } }] });
    const page = await open(node, "#/search?index=catalogue&q=tent");
    await page.locator(".hit-open").first().waitFor();
    await page.goto(node.base + "/console/#/why?index=catalogue&key=" + first.id);
    const judged = page.getByRole("region", { name: "Judgements" });
    await judged.getByRole("row", { name: /base Tent should come first 1 1\.0000/ }).waitFor();
    await judged.getByRole("row", { name: new RegExp("base camping mustNotHit " + first.id + " 1 – mustNotHit " + first.id) }).waitFor();
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(page.faults, []);
  });

  it("says which clause refuses a document", async () => {
    const page = await open(node, "#/search?index=catalogue");
    await page.getByRole("group", { name: "brand" }).getByRole("checkbox", { name: /^Lumi/ }).check();
    await page.locator(".facet-value.on").waitFor();
    await page.waitForFunction(() => !document.querySelector(".summary strong").textContent.startsWith("336"));
    await page.getByRole("link", { name: "Why", exact: true }).click();
    const wrong = (await node.call("POST", "/v1alpha1/indexes/catalogue/search", { filters: [{ field: "brand", match: { value: "Tarn" } }], limit: 1 })).hits[0].id;
    await page.getByLabel("Document key").fill(wrong);
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("This document does not match").waitFor();
    await page.locator(".refused code", { hasText: "filters[0]" }).waitFor();
    await page.getByLabel("Document key").fill("absent");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("This document is not in the index").waitFor();
    assert.deepEqual(page.faults, []);
  });

  for (const colorScheme of ["light", "dark"]) {
    it("has no axe violation, " + colorScheme, async () => {
      const page = await open(node, search, { context: { colorScheme } });
      await page.locator(".hit-open").first().click();
      await page.getByText("All steps").click();
      assert.deepEqual(await axe(page), []);
    });
  }
});
