// Every widget with the real instantsearch.js in Chromium, over the demo
// catalogue.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, beforeEach, describe, it } from "node:test";
import { build } from "esbuild";
import { Client } from "@quiresearch/client";
import { key, openPage, serveFiles, startNode } from "../../testing/node.js";

const directory = new URL(".", import.meta.url).pathname;

const places = [["Stockholm", 59.33, 18.07, 5], ["Uppsala", 59.86, 17.64, 3], ["Malmö", 55.6, 13.0, 4], ["Oslo", 59.91, 10.75, 4], ["Tokyo", 35.68, 139.69, 5]];

let page;
let base;
let products;
const searched = [];

before(async () => {
  const entry = 'export * from "./page.js"; export * from "./react.js";';
  const built = await build({
    stdin: { contents: entry, resolveDir: directory }, bundle: true, format: "esm", write: false, define: { "process.env.NODE_ENV": '"production"' },
  });
  const files = { "/": ["text/html", '<title>shop</title><link rel="icon" href="data:,">'], "/page.js": ["text/javascript", built.outputFiles[0].text] };
  const origin = await serveFiles(files);
  base = await startNode({ SERVICE_HTTP_CORS_ENABLED: "true", SERVICE_HTTP_CORS_ORIGINS: origin });
  files["/first.js"] = ["text/javascript", await firstPage()];
  await load();
  page = await openPage(origin);
  page.on("request", (request) => request.method() === "POST" && searched.push(JSON.parse(request.postData())));
  await page.evaluate(async ([base, key]) => (await import("/page.js")).start(base, key), [base, key]);
  await settled();
});

/** The first search page of the README. */
async function firstPage() {
  const [, code] = /```js\n([^]*?)```/.exec(readFileSync(directory + "../README.md", "utf8"));
  const contents = code.replace("http://localhost:8080", base).replace("{ key }", `{ key: "${key}" }`).replace("@quiresearch/instantsearch", "../dist/index.js");
  const { outputFiles } = await build({ stdin: { contents, resolveDir: directory }, bundle: true, format: "esm", write: false, define: { "process.env.NODE_ENV": '"production"' } });
  return outputFiles[0].text;
}

async function load() {
  const client = new Client(base, { key });
  const file = async (name) => (await fetch(`${base}/console/demo/${name}`)).text();
  products = (await file("documents.ndjson")).trim().split("\n").map((line) => JSON.parse(line));
  const catalogue = client.index("catalogue");
  await catalogue.put(JSON.parse(await file("definition.json")));
  await catalogue.putSettings(JSON.parse(await file("settings.json")));
  for await (const result of catalogue.addAll(products)) assert.equal(result.refused, undefined);
  await catalogue.commit();
  const index = client.index("places");
  await index.put({ fields: { id: { type: "string", role: "id" }, name: { type: "string", role: "title" }, location: { type: "geo_point", role: "geo" }, stars: { type: "int32", filter: {}, facet: {} } } });
  await index.add(places.map(([name, lat, lon, stars], i) => ({ id: String(i), name, location: { lat, lon }, stars })));
  await index.commit();
}

/** Waits until InstantSearch has rendered the results of all its requests. */
async function settled() {
  await page.waitForFunction(() => search.status === "idle" && document.querySelector("#stats")?.textContent.includes("results"));
}

/** Runs an action on the page and returns the searches that it caused. */
async function when(act) {
  searched.length = 0;
  const before = await page.textContent("body");
  await act();
  await page.waitForFunction((text) => document.body.textContent !== text, before);
  await settled();
  return [...searched];
}

const texts = (selector) => page.$$eval(selector, (all) => all.map((element) => element.textContent.trim().replace(/\s+/g, " ")));
const shown = () => page.$$eval("#hits b", (all) => all.map((b) => ({ price: Number(b.dataset.price), brand: b.dataset.brand, name: b.textContent })));
const total = async () => Number((await page.textContent("#stats")).replaceAll(",", "").match(/\d+/)[0]);
const count = (matches) => products.filter(matches).length;
const clear = () => when(() => page.click("#clear button"));
/** Returns the values of a refinement list with their counts. */
const counts = async (id) => Object.fromEntries(await page.$$eval(`#${id} li`, (all) => all.map((item) => {
  const label = item.querySelector(".ais-RefinementList-labelText, .ais-HierarchicalMenu-label").textContent;
  return [label, Number(item.querySelector(".ais-RefinementList-count, .ais-HierarchicalMenu-count").textContent)];
})));

describe("InstantSearch widgets", () => {
  beforeEach(async () => {
    const isClear = await page.evaluate((all) => JSON.stringify(search.getUiState()) === "{}" || Number(document.querySelector("#stats").textContent.match(/\d+/)[0]) === all, products.length);
    if (!isClear) await when(() => page.evaluate(() => search.setUiState({ catalogue: {} })));
  });

  it("show everything first", async () => {
    assert.equal(await total(), products.length);
    assert.equal((await shown()).length, 8);
    const brands = await counts("brand");
    for (const [brand, shown] of Object.entries(brands)) assert.equal(shown, count((p) => p.brand === brand), brand);
  });

  it("searchBox and highlight: a typo is found and marked", async () => {
    const sent = await when(() => page.fill("#box input", "jaket"));
    const marked = await texts("#hits mark");
    assert.ok(marked.length > 0 && marked.every((word) => /jacket/i.test(word)), marked.join());
    const names = (await shown()).map((hit) => hit.name);
    assert.ok(names.every((name) => /jacket/i.test(name)), names.join());
    assert.equal(sent.filter((body) => body.facets).length, 1, "one search for hits and all facets");
    assert.ok(sent.length <= 5, `${sent.length} requests with those of the slider`);
    await when(() => page.click("#box button[type=reset]"));
  });

  it("stats: counts the hits", async () => assert.equal(await total(), products.length));

  it("refinementList: is disjunctive, in one search", async () => {
    const all = await counts("brand");
    const sent = await when(() => page.click("#brand li:nth-child(1) label"));
    const [first] = await texts("#brand li.ais-RefinementList-item--selected .ais-RefinementList-labelText");
    assert.deepEqual(await counts("brand"), all, "the counts of other brands stay");
    assert.equal(await total(), all[first]);
    assert.equal(sent.filter((body) => body.facets?.length).length, 1, "one search counts both ways");
    const second = Object.keys(all).find((brand) => brand !== first);
    await when(() => page.click(`#brand label:has-text("${second}")`));
    assert.equal(await total(), all[first] + all[second]);
    assert.deepEqual(await counts("brand"), all);
    await clear();
  });

  it("refinementList: searches among its values", async () => {
    await page.fill("#brand input[type=search]", "Lu");
    await page.waitForFunction(() => document.querySelectorAll("#brand li").length === 1);
    assert.equal((await texts("#brand .ais-RefinementList-labelText"))[0], "Lumi");
    await page.fill("#brand input[type=search]", "");
    await page.waitForFunction(() => document.querySelectorAll("#brand li").length > 1);
  });

  it("refinementList of a nested list", async () => {
    const all = await counts("colour");
    const has = (...colours) => (p) => p.variants.some((v) => colours.includes(v.colour));
    await when(() => page.click('#colour label:has-text("red")'));
    assert.equal(await total(), count(has("red")));
    assert.deepEqual(await counts("colour"), all);
    await when(() => page.click('#colour label:has-text("blue")'));
    assert.equal(await total(), count(has("red", "blue")));
    await clear();
  });

  it("hierarchicalMenu: goes down and shows what stands beside", async () => {
    const top = await counts("category");
    assert.deepEqual(Object.keys(top).sort(), ["Clothing", "Footwear", "Gear"]);
    const within = (path) => count((p) => p.category === path || p.category.startsWith(path + "/"));
    await when(() => page.click('#category a:has-text("Clothing")'));
    assert.equal(await total(), within("Clothing"));
    await when(() => page.click('#category a:has-text("Jackets")'));
    const seen = await counts("category");
    assert.equal(seen["Jackets"], within("Clothing/Jackets"));
    assert.equal(seen["Rain"], within("Clothing/Jackets/Rain"));
    assert.equal(seen["Sweaters"], within("Clothing/Sweaters"), "the siblings of the chosen level");
    assert.equal(seen["Gear"], within("Gear"), "the siblings of its parent");
    const sent = await when(() => page.click('#category a:has-text("Rain")'));
    assert.equal(await total(), within("Clothing/Jackets/Rain"));
    assert.equal(sent.filter((body) => body.facets?.length).length, 1);
    await clear();
  });

  it("rangeSlider: begins and ends with the catalogue and narrows it", async () => {
    const prices = products.map((p) => p.price).sort((a, b) => a - b);
    const handles = () => page.$$eval("#price [role=slider]", (all) => [all[0].getAttribute("aria-valuemin"), all[1].getAttribute("aria-valuemax")].map(Number));
    const ends = await handles();
    assert.deepEqual(ends, [Math.floor(prices[0]), Math.ceil(prices.at(-1))]);
    await when(() => page.evaluate(() => search.helper.addNumericRefinement("price", ">=", 100).addNumericRefinement("price", "<=", 200).search()));
    assert.equal(await total(), count((p) => p.price >= 100 && p.price <= 200));
    assert.ok((await shown()).every((hit) => hit.price >= 100 && hit.price <= 200));
    assert.deepEqual(await handles(), ends, "the ends stay");
    await clear();
  });

  it("numericMenu: takes one range", async () => {
    await when(() => page.click('#rating label:has-text("Four and more")'));
    assert.equal(await total(), count((p) => p.rating >= 4));
    await clear();
  });

  it("toggleRefinement: turns a filter on", async () => {
    await when(() => page.click("#toggle label"));
    assert.equal(await total(), count((p) => p.category === "Gear/Packs"));
    await clear();
  });

  it("sortBy: orders by a field", async () => {
    await when(() => page.selectOption("#sort select", { label: "Cheapest" }));
    const cheapest = products.map((p) => p.price).sort((a, b) => a - b).slice(0, 8);
    assert.deepEqual((await shown()).map((hit) => hit.price), cheapest);
    await when(() => page.selectOption("#sort select", { label: "Best" }));
  });

  it("hitsPerPage and pagination: turn pages", async () => {
    await when(() => page.selectOption("#per select", { label: "4" }));
    const first = await shown();
    await when(() => page.click('#pages a:text-is("2")'));
    const second = await shown();
    assert.equal(second.length, 4);
    assert.ok(second.every((hit) => !first.some((other) => other.name === hit.name && other.price === hit.price)));
    await when(() => page.selectOption("#per select", { label: "8" }));
  });

  it("currentRefinements and clearRefinements", async () => {
    await when(() => page.click("#brand li:nth-child(2) label"));
    assert.equal((await texts("#current .ais-CurrentRefinements-category")).length, 1);
    await clear();
    assert.equal(await total(), products.length);
  });

  it("sends one search for keystrokes at once and cancels those of older ones", async () => {
    const held = new Promise((resolve) => page.route("**/search", (route) => (route.request().postData().includes('"text":"b"') ? resolve() : route.continue())));
    const cancelled = new Promise((resolve) => page.once("requestfailed", (request) => resolve(request.failure().errorText)));
    await page.evaluate(() => search.helper.setQuery("b").search());
    await held;
    const sent = await when(() => page.evaluate(() => {
      for (const text of ["bo", "boo", "boots"]) search.helper.setQuery(text).search();
    }));
    assert.match(await cancelled, /ABORTED/);
    assert.deepEqual(sent.filter((body) => body.facets).map((body) => body.query[0].text).filter((text) => text !== "b"), ["boots"]);
    assert.ok((await shown()).every((hit) => /boots/i.test(hit.name)));
    await page.unroute("**/search");
  });

  describe("of other pages", () => {
    before(() => page.evaluate(async ([base, key]) => (await import("/page.js")).startOthers(base, key), [base, key]));

    it("infiniteHits: shows more", async () => {
      await page.waitForFunction(() => document.querySelectorAll("#infinite b").length === 5);
      await page.click("#infinite button.ais-InfiniteHits-loadMore");
      await page.waitForFunction(() => document.querySelectorAll("#infinite b").length === 10);
    });

    it("autocomplete: completes from two indexes", async () => {
      await page.waitForFunction(() => window.completed?.length === 2);
      await page.evaluate(() => complete("sto"));
      await page.waitForFunction(() => completed[1][1].length === 1 && completed[0][1].length > 0);
      const [[, products], [, cities]] = await page.evaluate(() => completed);
      assert.deepEqual(cities, ["Stockholm"]);
      assert.ok(products.every((name) => /sto/i.test(name)), products.join());
    });

    it("geoSearch: shows places, and those of the map when it moves", async () => {
      await page.waitForFunction(() => window.places?.length === 5);
      assert.deepEqual((await page.evaluate(() => places)).find(([name]) => name === "Oslo")[1], { lat: 59.91, lng: 10.75 });
      await page.evaluate(() => moveMap({ northEast: { lat: 60.5, lng: 19 }, southWest: { lat: 59, lng: 16 } }));
      await page.waitForFunction(() => places.length === 2);
      assert.deepEqual((await page.evaluate(() => places.map(([name]) => name))).sort(), ["Stockholm", "Uppsala"]);
    });

    it("configure: places around a point, the nearest first", async () => {
      await page.waitForFunction(() => document.querySelectorAll("#near i").length > 0);
      assert.deepEqual(await texts("#near i"), ["Stockholm", "Uppsala", "Oslo"]);
    });

    it("menu: takes one value", async () => {
      await page.waitForSelector("#menu li a");
      await page.click("#menu li:nth-child(2) a");
      await page.waitForSelector("#menu li.ais-Menu-item--selected");
      const [brand] = await texts("#menu li.ais-Menu-item--selected .ais-Menu-label");
      const want = count((p) => p.brand === brand);
      assert.ok(want > 0, brand);
      await page.waitForFunction((n) => document.querySelector("#found").textContent.replaceAll(",", "").startsWith(`${n} `), want);
      await page.click("#menu li.ais-Menu-item--selected a");
      await page.waitForFunction((n) => document.querySelector("#found").textContent.replaceAll(",", "").startsWith(`${n} `), products.length);
    });

    it("rangeInput: narrows by typed ends", async () => {
      await page.fill("#range .ais-RangeInput-input--min", "100");
      await page.fill("#range .ais-RangeInput-input--max", "200");
      await page.click("#range .ais-RangeInput-submit");
      const want = count((p) => p.price >= 100 && p.price <= 200);
      await page.waitForFunction((n) => document.querySelector("#found").textContent.replaceAll(",", "").startsWith(`${n} `), want);
    });

    it("ratingMenu: counts and takes what has so many stars or more", async () => {
      await page.waitForSelector("#stars li a");
      assert.deepEqual(await texts("#stars .ais-RatingMenu-count"), ["4", "5", "5", "5"]);
      await page.click("#stars li:nth-child(1) a");
      await page.waitForFunction(() => document.querySelectorAll("#rated i").length === 4);
      assert.ok(!(await texts("#rated i")).includes("Uppsala"));
    });

    it("the first search page of the README", async () => {
      await page.evaluate(() => {
        // The other pages use the same names for their containers.
        for (const id of ["box", "hits", "brand"]) {
          document.getElementById(id).id = "former-" + id;
          document.body.append(Object.assign(document.createElement("div"), { id }));
        }
        return import("/first.js");
      });
      await page.waitForSelector("#hits .ais-Hits-item");
      assert.ok((await texts("#brand .ais-RefinementList-labelText")).includes("Lumi"));
      await page.fill("#box input", "jaket");
      await page.waitForFunction(() => [...document.querySelectorAll("#hits .ais-Hits-item")].every((hit) => /jacket/i.test(hit.textContent)));
    });

    it("React InstantSearch", async () => {
      await page.evaluate(async ([base, key]) => (await import("/page.js")).startReact(base, key), [base, key]);
      await page.waitForSelector("#react .ais-Hits-item");
      await page.fill("#react input", "tent");
      await page.waitForFunction(() => document.querySelectorAll("#react mark").length > 0);
      assert.ok((await texts("#react mark")).every((word) => /tent/i.test(word)));
    });
  });

  it("met no errors", () => assert.deepEqual(page.faults, []));
});
