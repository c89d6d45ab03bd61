// The page of examples/shop with the products of its guide.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { axe, open, root, startNode } from "./harness.js";

let node, server, place;
before(async () => {
  const page = readFileSync(join(root, "examples/shop/index.html"));
  server = createServer((_, response) => response.setHeader("Content-Type", "text/html; charset=utf-8").end(page));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  place = "http://127.0.0.1:" + server.address().port;
  node = await startNode({ env: { SERVICE_HTTP_CORS_ENABLED: "true", SERVICE_HTTP_CORS_ORIGINS: place } });
  const guide = readFileSync(join(root, "docs/guides/shop.md"), "utf8");
  const directory = mkdtempSync(join(tmpdir(), "quire-shop-"));
  writeFileSync(join(directory, "products.csv"), /```csv products.csv\n([^`]+)```/.exec(guide)[1]);
  execFileSync(join(root, "bin/quire"), ["load", join(directory, "products.csv"), "--index", "shop", "--url", node.base], { stdio: "ignore" });
  rmSync(directory, { recursive: true });
  await node.call("PUT", "/v1alpha1/admin/indexes/shop/settings", { synonyms: { words: { rules: [{ equivalent: ["rucksack", "backpack"] }] } } });
});
after(() => server?.close());

async function shop(more = "") {
  const page = await open(node);
  await page.goto(place + "/?node=" + encodeURIComponent(node.base) + more);
  await page.getByText("9 found").waitFor();
  page.faults.length = 0; // the page has another origin by design
  return page;
}

const titles = (page) => page.locator("#hits strong").allInnerTexts();

describe("the shop page", () => {
  it("answers as text is typed, forgives typos, knows synonyms and reads prices", async () => {
    const page = await shop();
    const text = page.getByRole("searchbox", { name: "Search" });
    await text.pressSequentially("runing sho");
    await page.getByText("2 found for “running sho”").waitFor();
    assert.deepEqual((await titles(page)).sort(), ["Red running shoes", "Trail running shoes"]);
    await page.locator("#hits em").first().waitFor();
    await text.fill("rucksack");
    await page.getByText("2 found", { exact: true }).waitFor();
    assert.ok((await titles(page)).every((title) => title.includes("backpack")));
    await text.fill("jackets under 100 eur");
    await page.getByText("1 found", { exact: true }).waitFor();
    assert.deepEqual(await titles(page), ["Rain jacket"]);
    await text.fill("tent zzyzx");
    await page.getByText("without “zzyzx”").waitFor();
  });

  it("keeps its facets full, narrows by price and sorts by date", async () => {
    const page = await shop();
    const brand = page.locator("#brand");
    await brand.getByLabel("Acme (3)").check();
    await page.getByText("3 found").waitFor();
    await brand.getByLabel("North (3)").check(); // still offered
    await page.getByText("6 found").waitFor();
    await page.getByLabel("Highest price").fill("60");
    await page.getByText("2 found").waitFor();
    await page.getByLabel("Order").selectOption("added desc");
    await page.waitForFunction(() => document.querySelector("#hits strong").textContent === "Headlamp");
    assert.deepEqual(await titles(page), ["Headlamp", "Day backpack 20 l"]);
  });

  it("puts a product first", async () => {
    const page = await shop("&pin=S2");
    await page.getByRole("searchbox", { name: "Search" }).fill("running shoes");
    await page.getByText("2 found").waitFor();
    assert.deepEqual(await titles(page), ["Trail running shoes", "Red running shoes"]);
  });

  it("has no axe violation", async () => {
    assert.deepEqual(await axe(await shop()), []);
  });
});
