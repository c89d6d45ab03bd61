// Room 3: trying settings before storing them.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { axe, fillDemo, hold, open, startNode } from "./harness.js";

let node;
before(async () => {
  node = await startNode();
  await fillDemo(node);
});

const settings = "/v1alpha1/admin/indexes/catalogue/settings";

describe("tune", () => {
  it("shows what a change does, stores nothing before Save, and then the change", async () => {
    const page = await open(node, "#/tune?index=catalogue");
    const before = await node.call("GET", settings);
    await page.getByLabel("Queries to try, one per line").fill("anorak\ntent");
    await page.locator("summary", { hasText: "tent" }).getByText("no change").waitFor();
    await page.getByLabel("Rules of clothing").fill("jacket, coat, anorak\nbackpack, rucksack");
    await page.getByLabel("Rules of clothing").blur();
    await page.locator("summary", { hasText: "anorak" }).getByText("of the top ten changed").waitFor();
    await page.getByRole("region", { name: "Edited, anorak" }).getByText("new").first().waitFor();
    assert.equal((await node.call("GET", settings)).version, before.version);
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("No unsaved changes.").waitFor();
    const after = await node.call("GET", settings);
    assert.deepEqual(after.synonyms.clothing.rules[0].equivalent, ["jacket", "coat", "anorak"]);
    assert.deepEqual(after.fields, before.fields);
    assert.deepEqual(page.faults, []);
  });

  it("shows the errors of the interface at their place", async () => {
    const page = await open(node, "#/tune?index=catalogue");
    await page.getByLabel("Queries to try, one per line").fill("tent");
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("Settings as JSON").fill('{"ranking":{"signals":[{"field":"brand","saturation":{"pivot":0}}]}}');
    await page.getByRole("alert").getByText("settings.ranking.signals[0]").first().waitFor();
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByRole("alert").getByText("ranking.signals[0]", { exact: false }).first().waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("notices settings that were stored meanwhile", async () => {
    const page = await open(node, "#/tune?index=catalogue");
    await page.getByRole("tab", { name: "JSON" }).click();
    await node.call("PATCH", settings, { "synonyms.clothing.boost": 0.5 });
    await page.getByLabel("Settings as JSON").fill('{"synonyms":{"mine":{"rules":[{"equivalent":["a","b"]}]}}}');
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByRole("alert").getByText("settings:version_mismatch").waitFor();
    assert.equal((await node.call("GET", settings)).synonyms.clothing.boost, 0.5);
    await page.getByRole("button", { name: "Load stored settings" }).click();
    await page.getByText("No unsaved changes.").waitFor();
    assert.match(await page.getByLabel("Settings as JSON").inputValue(), /"boost": 0.5/);
    assert.deepEqual(page.faults, []);
  });

  it("edits signals in a form", async () => {
    const page = await open(node, "#/tune?index=catalogue");
    await page.getByRole("button", { name: "Replace ranking" }).click();
    const weights = page.getByRole("spinbutton", { name: "weight" });
    await page.getByRole("button", { name: "Add a signal" }).waitFor();
    const before = await weights.count();
    await page.getByRole("button", { name: "Add a signal" }).click();
    await weights.nth(before).fill("2");
    await weights.nth(before).blur();
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("No unsaved changes.").waitFor();
    assert.equal((await node.call("GET", settings)).ranking.signals.at(-1).weight, 2);
    assert.deepEqual(page.faults, []);
  });

  it("edits declared values, fields of sets and everything else in forms", async () => {
    const page = await open(node, "#/tune?index=catalogue");
    await page.locator("summary", { hasText: "brand: no declared values" }).click();
    await page.getByRole("button", { name: "Add a value to brand" }).click();
    const typed = async (label, value) => {
      await page.getByLabel(label).fill(value);
      await page.getByLabel(label).blur();
    };
    await typed("Text of value 1 of brand", "Lumi");
    await typed("Order of value 1 of brand", "2");
    await typed("Locale for more labels of brand", "fi");
    await page.getByRole("button", { name: "Add locale" }).first().click();
    await typed("Label fi of value 1 of brand", "Lumi Oy");
    const wrong = page.locator(".part .wrong");
    assert.equal(await wrong.count(), 0);
    await page.getByRole("button", { name: "Add a value to brand" }).click();
    await typed("Text of value 2 of brand", "Lumi");
    await wrong.getByText("fields.brand.values[1].value").waitFor(); // the API rejects it: declared twice
    await typed("Text of value 2 of brand", "Tarn");
    await wrong.first().waitFor({ state: "detached" });

    await page.locator(".set", { has: page.getByLabel("Rules of clothing") }).locator("summary").click();
    await page.getByRole("group", { name: "Fields of clothing" }).getByRole("checkbox", { name: "name", exact: true }).check();
    await page.getByRole("textbox", { name: "set" }).fill("clothes");
    await page.getByRole("textbox", { name: "set" }).blur();
    await page.getByRole("button", { name: "Add a list" }).click();
    await typed("Words of exact", "Tarn, Lumi");
    await page.locator(".set", { has: page.getByLabel("Words of exact") }).locator("summary").click();
    await page.getByRole("group", { name: "Fields of exact" }).getByRole("checkbox", { name: "name", exact: true }).check();
    await page.getByRole("checkbox", { name: /^Count what people search for/ }).check();
    assert.deepEqual(await axe(page), []);
    await page.setViewportSize({ width: 360, height: 740 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.getByText("No unsaved changes.").waitFor();
    const stored = await node.call("GET", settings);
    assert.deepEqual(stored.fields.brand.values, [{ value: "Lumi", order: 2, labels: { fi: "Lumi Oy" } }, { value: "Tarn" }]);
    assert.deepEqual([stored.synonyms.clothes.fields, stored.synonyms.clothing, stored.typoExclusions.exact, stored.countSearches], [["name"], undefined, { words: ["Tarn", "Lumi"], fields: ["name"] }, true]);
    assert.deepEqual(page.faults, []);
  });

  it("measures both sides by judgements", async () => {
    await node.call("PUT", "/v1alpha1/admin/indexes/catalogue/judgements/base", { queries: [{ text: "parka", grades: { p043: 3 } }, { text: "tent", known: "p017" }] });
    const page = await open(node, "#/tune?index=catalogue");
    const judged = page.getByRole("region", { name: "Judgements" });
    await judged.getByText("NDCG@10 is unchanged.").waitFor();
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByLabel("Settings as JSON").fill('{"synonyms":{"more":{"rules":[{"equivalent":["jacket","parka"]}]}}}');
    await judged.getByText(/NDCG@10 changed by \+0\./).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("cancels a measurement on the node, and measures again", async () => {
    const own = await startNode({ env: { SERVICE_SEARCH_EVALUATION_MAX_SHARE: "1" } });
    await fillDemo(own);
    const judgements = "/v1alpha1/admin/indexes/catalogue/judgements/slow";
    await own.call("PUT", judgements, { queries: Array.from({ length: 3000 }, (_, i) => ({ text: "tent " + i, known: "p017" })) });
    const page = await open(own, "#/tune?index=catalogue");
    const judged = page.getByRole("region", { name: "Judgements" });
    await judged.getByRole("progressbar", { name: /of 6000 searches/ }).waitFor();
    await judged.getByRole("button", { name: "Cancel" }).click();
    await judged.getByText(/Cancelled after \d+ of 6000 searches/).waitFor();
    const states = async () => (await own.call("GET", "/v1alpha1/admin/indexes/catalogue/evaluations")).evaluations.map((e) => e.state);
    assert.deepEqual(await states(), ["cancelled"]);
    assert.deepEqual(await axe(page), []);
    await own.call("PUT", judgements, { queries: [{ text: "tent", known: "p017" }] });
    await judged.getByRole("button", { name: "Measure again" }).click();
    await judged.getByText("NDCG@10 is unchanged.").waitFor();
    assert.deepEqual(await states(), ["done", "cancelled"]);
    assert.deepEqual(page.faults, []);
  });

  it("cancels a set of queries, and runs it again", async () => {
    const page = await open(node, "#/tune?index=catalogue");
    await page.getByText("No unsaved changes.").waitFor();
    const release = await hold(page, "**/indexes/catalogue/search");
    await page.getByLabel("Queries to try, one per line").fill("tent\nstove");
    await page.getByRole("progressbar", { name: "Query 0 of 2" }).waitFor(); // two are few, but slow
    const [cancelled] = await Promise.all([page.waitForEvent("requestfailed"), page.getByRole("button", { name: "Cancel" }).click()]);
    assert.match(cancelled.url(), /catalogue\/(search|settings\/actions\/preview)$/);
    await page.getByText("Cancelled after 0 of 2 queries.").waitFor();
    assert.equal(await page.locator(".compared").count(), 0);
    await release();
    await page.getByRole("button", { name: "Run queries" }).click();
    await page.locator("summary", { hasText: "stove" }).getByText("no change").waitFor();
    await page.getByText("Cancelled after").waitFor({ state: "detached" });
    assert.deepEqual(page.faults, []);
  });

  for (const colorScheme of ["light", "dark"]) {
    it("has no axe violation, " + colorScheme, async () => {
      const page = await open(node, "#/tune?index=catalogue", { context: { colorScheme } });
      await page.getByLabel("Queries to try, one per line").fill("coat");
      await page.locator(".compared").waitFor();
      assert.deepEqual(await axe(page), []);
    });
  }
});
