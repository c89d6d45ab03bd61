// Room 1: search as a user sees it.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { artefacts, axe, fill, fillDemo, hold, open, startNode } from "./harness.js";
import { watchRequests } from "./requests.js";

let node;
before(async () => {
  node = await startNode();
  await fillDemo(node);
  await fill(node, "many", {
    fields: {
      id: { type: "string", role: "id" }, title: { type: "string", role: "title" }, tag: { type: "string", role: "tag" }, kind: { type: "string", role: "tag" },
      colour: { type: "string", role: "tag" }, price: { type: "double", filter: {}, sort: {}, facet: {}, unit: "XXX" }, year: { type: "int32", filter: {}, sort: {}, facet: {} },
    },
  }, Array.from({ length: 10_000 }, (_, i) => ({ id: String(i), title: "lamp number " + i, tag: "tag " + i, kind: "kind " + (i % 7), colour: "colour " + (i % 40), price: i / 10, year: 1990 + (i % 30) })));
});

const searchBox = (page) => page.getByRole("searchbox", { name: "Search" });
const summary = (page) => page.locator(".summary strong");

describe("search", () => {
  it("answers as the user types, with highlights and links to explanations", async () => {
    const page = await open(node, "#/search?index=catalogue");
    await summary(page).getByText("336 hits").waitFor();
    await searchBox(page).fill("rain jacket");
    await page.locator(".hit mark", { hasText: "rain" }).first().waitFor();
    assert.match(await page.locator(".hit h2").first().innerText(), /rain jacket/i);
    assert.deepEqual(page.faults, []);
  });

  it("shows what was read out of the text and undoes each of it", async () => {
    const page = await open(node, "#/search?index=catalogue&q=jaket+under+150+eur+zzzq");
    await page.locator(".chip.read", { hasText: "price < 150 EUR" }).waitFor();
    await page.locator(".chip.typo", { hasText: "“jaket” read as “jacket”" }).waitFor();
    await page.locator(".chip.dropped", { hasText: "“zzzq” left out" }).getByRole("button").click();
    await summary(page).getByText("0 hits", { exact: true }).waitFor();
    await page.locator(".chip.off", { hasText: "every word is required" }).getByRole("button").click();
    await page.locator(".chip.dropped").waitFor();
    await page.locator(".chip.typo").getByRole("button").click();
    await page.locator(".chip.off", { hasText: "typo correction is off" }).waitFor();
    await page.locator(".chip.read").getByRole("button").click();
    assert.equal(await searchBox(page).inputValue(), 'jaket "under 150 eur" zzzq');
    assert.deepEqual(page.faults, []);
  });

  it("reads quantities in the language of the titles", async () => {
    await fill(node, "lampen", { fields: { id: { type: "string", role: "id" }, titel: { type: "string", role: "title", locales: { defaultLocale: "de" } }, preis: { type: "double", filter: {}, unit: "EUR" } } },
      [{ id: "1", titel: "Lampe", preis: 80 }, { id: "2", titel: "Lampe", preis: 120 }]);
    const page = await open(node, "#/search?index=lampen&q=lampe+unter+100");
    await page.locator(".chip.read", { hasText: "preis < 100 EUR" }).waitFor();
    await summary(page).getByText("1 hit", { exact: true }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("shows no unit for prices whose currency nobody named", async () => {
    const page = await open(node, "#/search?index=many&q=lamp+under+5");
    await summary(page).getByText("50 hits").waitFor();
    assert.match(await page.locator(".chip.read").innerText(), /^price < 5/);
    assert.ok(!(await page.locator("main").innerText()).includes("XXX"));
    assert.deepEqual(page.faults, []);
  });

  it("names the typos it forgave, and none that is in the documents, begins a word or is a form of one", async () => {
    await fill(node, "spellings", { fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" } } },
      ["colour and color", "color chart", "rain jacket", "formation of clouds", "in formation"].map((title, i) => ({ id: String(i), title })));
    const page = await open(node, "#/search?index=spellings");
    const quiet = watchRequests(page);
    const chips = async (words) => {
      await searchBox(page).fill(words);
      await quiet();
      await page.locator(".results[aria-busy=false] .hit").first().waitFor();
      await quiet();
      return page.locator(".chip.typo").allInnerTexts();
    };
    for (const words of ["colour", "color", "colo", "colour jacket", "jacke", "jackets", "rain jack"]) assert.deepEqual(await chips(words), [], words);
    assert.match((await chips("colur")).join(), /^“colur” read as “colou?r”$/);
    assert.deepEqual(await chips("jackte"), ["“jackte” read as “jacket”"]);
    assert.deepEqual(await chips("rain jackte"), ["“jackte” read as “jacket”"]);
    assert.deepEqual(page.faults, []);
  });

  it("keeps full counts while several values of a facet are chosen", async () => {
    const page = await open(node, "#/search?index=catalogue");
    const brand = page.getByRole("group", { name: "brand" });
    const values = brand.locator(".facet-value");
    await values.nth(1).waitFor();
    const shown = await values.count();
    await brand.getByRole("checkbox").nth(0).check();
    await page.waitForFunction(() => !document.querySelector(".summary strong").textContent.startsWith("336"));
    const one = await summary(page).innerText();
    await brand.getByRole("checkbox").nth(1).check();
    await page.waitForFunction((before) => document.querySelector(".summary strong").textContent !== before, one);
    assert.equal(await values.count(), shown);
    await brand.getByRole("button", { name: "Clear brand" }).click();
    await summary(page).getByText("336 hits").waitFor();
    const slider = page.getByRole("slider", { name: "price to" });
    await slider.focus();
    for (let i = 0; i < 200; i++) await slider.press("ArrowLeft");
    await page.waitForFunction(() => !document.querySelector(".summary strong").textContent.startsWith("336"));
    assert.deepEqual(page.faults, []);
  });

  it("shows the counts beside a value that is too long for its line", async () => {
    await fill(node, "long", { fields: { id: { type: "string", role: "id" }, tag: { type: "string", role: "tag" } } }, [{ id: "1", tag: "a very long value ".repeat(9) }, { id: "2", tag: "short" }]);
    const page = await open(node, "#/search?index=long");
    await summary(page).getByText("2 hits").waitFor();
    const right = (locator) => locator.evaluate((element) => element.getBoundingClientRect().right);
    const end = await right(page.getByRole("complementary", { name: "Facets" }));
    for (const shown of await page.locator(".facet-count").all()) assert.ok((await right(shown)) <= end);
    assert.equal(await page.locator(".facet-count").count(), 2);
  });

  it("completes one of 10,000 facet values", async () => {
    const page = await open(node, "#/search?index=many");
    await page.getByRole("button", { name: "Show all 10,000 values…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("200 of 10,000 values").waitFor();
    await dialog.getByRole("searchbox").fill("tag 99");
    await dialog.getByText("111 of 111 values").waitFor();
    await dialog.getByRole("checkbox", { name: /^tag 9999 / }).check();
    await dialog.getByRole("button", { name: "Close" }).click();
    await summary(page).getByText("1 hit", { exact: true }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("keeps long numbers in hits, facets and edited requests", async () => {
    await node.call("PUT", "/v1alpha1/admin/indexes/longs", { fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" }, n: { type: "int64", filter: {}, facet: {} } } });
    await node.call("POST", "/v1alpha1/indexes/longs/documents", '{"documents":[{"id":"1","title":"one","n":9007199254740993},{"id":"2","title":"two","n":9007199254740995},{"id":"3","title":"three","n":7}]}');
    await node.call("POST", "/v1alpha1/admin/indexes/longs/actions/commit");
    const page = await open(node, "#/search?index=longs");
    await summary(page).getByText("3 hits").waitFor();
    await page.locator(".hit dd", { hasText: "9007199254740993" }).waitFor();
    await page.getByRole("checkbox", { name: /^9007199254740993 / }).check();
    await summary(page).getByText("1 hit", { exact: true }).waitFor();
    assert.equal(await page.locator(".hit h2").innerText(), "one");
    assert.ok(await page.getByRole("checkbox", { name: /^9007199254740993 / }).isChecked());
    await page.getByRole("button", { name: "Show document" }).click();
    assert.match(await page.locator("pre.document").innerText(), /"n": 9007199254740993\n/);
    await page.getByRole("button", { name: "JSON" }).click();
    const area = page.getByLabel("Request as JSON");
    assert.match(await area.inputValue(), /9007199254740993/);
    await area.fill('{"filters":[{"field":"n","match":{"value":9007199254740995}}]}');
    await page.getByRole("button", { name: "Run request" }).click();
    await page.locator(".hit h2", { hasText: "two" }).waitFor();
    await page.getByRole("tab", { name: "Response" }).click();
    assert.match(await page.getByRole("textbox", { name: "Response as JSON" }).inputValue(), /"n": 9007199254740995\n/);
    await page.getByRole("link", { name: "Explain this hit" }).click();
    await page.getByText("This document does not match").waitFor({ state: "detached" });
    await page.getByText("All steps").waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("takes the names of what every object has for names of fields", async () => {
    const number = { type: "int64", filter: {}, facet: {} };
    await fill(node, "names", { fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" }, constructor: number, toString: { ...number, sort: {} }, valueOf: { type: "string", role: "tag" } } },
      [{ id: "1", title: "one", constructor: 1, toString: 3, valueOf: "x" }, { id: "2", title: "two", constructor: 2, toString: 9 }]);
    const page = await open(node, "#/search?index=names");
    await summary(page).getByText("2 hits").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Clear/ }).count(), 0);
    await page.getByRole("group", { name: "constructor" }).getByRole("checkbox", { name: /^2 / }).check();
    await summary(page).getByText("1 hit", { exact: true }).waitFor();
    await page.getByRole("slider", { name: "toString to" }).waitFor();
    await page.evaluate(() => (location.hash = "#/data?index=names"));
    await page.getByRole("row", { name: /two/ }).waitFor();
    assert.deepEqual(await page.getByRole("row", { name: /two/ }).getByRole("cell").allInnerTexts(), ["2", "two", "2", "9", ""]);
    assert.deepEqual(page.faults, []);
  });

  it("pages with cursors and sorts", async () => {
    const page = await open(node, "#/search?index=many");
    await page.getByLabel("Sort").selectOption("price desc");
    await page.locator(".hit h2", { hasText: "lamp number 9999" }).waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.locator(".hit h2", { hasText: "lamp number 9989" }).waitFor();
    await page.getByRole("button", { name: "Previous" }).click();
    await page.locator(".hit h2", { hasText: "lamp number 9999" }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("runs an edited request and shows what is wrong with it", async () => {
    const page = await open(node, "#/search?index=catalogue");
    await page.getByRole("button", { name: "JSON" }).click();
    const area = page.getByLabel("Request as JSON");
    await area.fill('{"limit":1,"query":[{"field":"nope","match":{"value":1}}]}');
    await page.getByRole("button", { name: "Run request" }).click();
    await page.getByRole("alert").getByText("search:field_unknown").waitFor();
    await area.fill('{"limit":3}');
    await area.press("Control+Enter");
    await page.waitForFunction(() => document.querySelectorAll(".hit").length === 3);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    for (const [name, part] of [["curl", "curl -X POST"], ["Go", "http.NewRequestWithContext"], ["TypeScript", "await fetch"], ["Python", "urllib.request"]]) {
      await page.getByRole("group", { name: "Copy the request as" }).getByRole("button", { name }).click();
      await page.waitForFunction(async (wanted) => (await navigator.clipboard.readText()).includes(wanted), part);
    }
    assert.deepEqual(page.faults, []);
  });

  it("never shows an older answer over a newer one", async () => {
    const page = await open(node, "#/search?index=catalogue");
    await summary(page).getByText("336 hits").waitFor();
    let asked = 0;
    await page.route("**/search", async (route) => {
      const mine = ++asked;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, 400 - 20 * mine))); // the responses to older requests arrive later
      await route.continue().catch(() => {});
    });
    const text = "waterproof jackets x";
    await searchBox(page).focus();
    for (const letter of text) await page.keyboard.type(letter);
    await page.evaluate(() => {
      globalThis.seen = [];
      new MutationObserver(() => globalThis.seen.push(document.querySelector(".summary")?.textContent)).observe(document.querySelector(".results"), { subtree: true, childList: true, characterData: true });
    });
    const wanted = await node.call("POST", "/v1alpha1/indexes/catalogue/search", { query: [{ type: "text", text, match: "user", relax: "words" }], facets: [{ field: "brand" }] });
    await page.getByText(wanted.total.count + " hits", { exact: true }).waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await summary(page).innerText(), wanted.total.count + " hits");
    assert.equal(await page.locator(".hit").first().locator("code").first().innerText(), wanted.hits[0].id);
  });

  it("shows nothing of an index that was left", async () => {
    const page = await open(node, "#/search?index=catalogue");
    await summary(page).getByText("336 hits").waitFor();
    const release = await hold(page, /indexes\/catalogue\/search$/);
    await searchBox(page).fill("jacket");
    await page.locator(".results[aria-busy=true]").waitFor();
    const releaseMany = await hold(page, /admin\/indexes\/many$/);
    await page.getByLabel("Index").selectOption("many");
    await page.locator(".hit").first().waitFor({ state: "detached" });
    const answered = page.waitForResponse(/catalogue\/search$/, { timeout: 2000 }).catch(() => {}); // unless it was cancelled
    await release();
    await answered;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
    assert.equal(await page.locator(".hit").count(), 0);
    await releaseMany();
    await summary(page).getByText("0 hits", { exact: true }).waitFor();
    await searchBox(page).fill("lamp");
    await page.locator(".hit").first().waitFor();
    // Its definition may come, or not come, after the next index is open.
    await page.route(/admin\/indexes\/catalogue$/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.fulfill({ status: 503, body: '{"code":"index:closed","message":"Closed."}' });
    });
    const failed = page.waitForResponse(/admin\/indexes\/catalogue$/);
    await page.getByLabel("Index").selectOption("catalogue");
    await page.getByLabel("Index").selectOption("many");
    await page.locator(".hit").first().waitFor();
    await failed;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
    assert.equal(await page.getByRole("alert").count(), 0);
    assert.deepEqual(page.faults, []);
  });

  it("renders 50 hits with 5 facets and reports what that takes", async (t) => {
    const page = await open(node, "#/search?index=many");
    await page.getByRole("combobox", { name: "Hits per page" }).selectOption("50");
    await page.waitForFunction(() => document.querySelectorAll(".hit").length === 50);
    // Processor time, not wall-clock time: other work on the machine does
    // not count.
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    const spent = async () => (await devtools.send("Performance.getMetrics")).metrics.find((m) => m.name === "TaskDuration").value * 1000;
    const took = [];
    for (let i = 0; i < 12; i++) {
      const rendered = await page.evaluate(() => performance.getEntriesByName("render").length);
      const before = await spent();
      await searchBox(page).fill(i % 2 ? "lamp" : "lamp number");
      await page.waitForFunction((n) => performance.getEntriesByName("render").length > n, rendered, { polling: 200 });
      took.push((await spent()) - before);
    }
    assert.equal(await page.locator("fieldset").count(), 5);
    took.sort((x, y) => x - y);
    // The goal is 50 ms. Machines differ, so the figure is reported, not enforced.
    const rendered = await page.evaluate(() => performance.getEntriesByName("render").map((entry) => entry.duration));
    t.diagnostic("from the answer to the painted page, ms: " + rendered.map((ms) => ms.toFixed(1)).join(" "));
    t.diagnostic("render, ms of the processor: " + took.map((ms) => ms.toFixed(1)).join(" "));
    assert.equal(await page.locator(".hit").count(), 50);
  });

  it("works with the keyboard alone", async () => {
    const page = await open(node, "#/search?index=catalogue");
    await summary(page).getByText("336 hits").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("/");
    const answered = page.waitForResponse((response) => /"text":\s*"tent"/.test(response.request().postData() ?? ""));
    await page.keyboard.type("tent");
    await answered; // and not only what was found for "ten"
    await page.locator(".results[aria-busy=false] .hit mark").first().waitFor();
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.className), "hit-open");
    const first = await page.evaluate(() => document.activeElement.textContent);
    await page.keyboard.press("ArrowDown");
    assert.notEqual(await page.evaluate(() => document.activeElement.textContent), first);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowUp");
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "Search");
    let steps = 0;
    while (steps++ < 60 && !(await page.evaluate(() => document.activeElement.matches("fieldset input[type=checkbox]")))) await page.keyboard.press("Tab");
    const before = await summary(page).innerText();
    await page.keyboard.press("Space");
    await page.waitForFunction((was) => document.querySelector(".summary strong").textContent !== was, before);
    assert.deepEqual(page.faults, []);
  });

  it("shows a document that could be a script as text", async () => {
    const payloads = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "javascript:alert(1)", "<iframe srcdoc='<script>alert(1)</script>'>",
      "{{constructor.constructor('alert(1)')()}}", "${alert(1)}", "<style>*{display:none}</style>", "</textarea><script>alert(1)</script>", "<a href='javascript:alert(1)'>x</a>", "<math><mi xlink:href=javascript:alert(1)>"];
    await fill(node, "hostile", {
      fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" }, body: { type: "string", role: "description" }, tag: { type: "string", role: "tag" }, path: { type: "string", role: "path" }, link: { type: "string", stored: true } },
    }, payloads.map((p, i) => ({ id: i + " " + p, title: p + " lamp", body: "lamp " + p, tag: p, path: p, link: p.startsWith("java") ? p : "https://example.org/" + p })));
    const page = await open(node, "#/search?index=hostile&q=lamp");
    await page.getByRole("combobox", { name: "Hits per page" }).selectOption("20");
    await page.waitForFunction((n) => document.querySelectorAll(".hit").length === n, payloads.length);
    for (let left = payloads.length; left > 0; left--) await page.getByRole("button", { name: "Show document" }).first().click();
    const found = await page.evaluate(() => ({
      scripts: document.querySelectorAll("main script, main iframe, main img, main svg:not(.icon), main style, main math").length,
      links: [...document.querySelectorAll("main a[href]")].map((a) => a.protocol).filter((p) => !/^https?:$/.test(p)).length,
      texts: [...document.querySelectorAll(".hit h2")].map((h) => h.textContent),
    }));
    assert.deepEqual([found.scripts, found.links], [0, 0]);
    for (const p of payloads) assert.ok(found.texts.includes(p + " lamp"), p);
    assert.deepEqual(page.faults, []);
  });

  it("shows places on a strip and sorts by distance", async () => {
    await fill(node, "places", { fields: { id: { type: "string", role: "id" }, name: { type: "string", role: "title" }, at: { type: "geo_point", role: "geo" } } },
      [{ id: "sto", name: "Stockholm", at: { lat: 59.33, lon: 18.07 } }, { id: "osl", name: "Oslo", at: { lat: 59.91, lon: 10.75 } }, { id: "cph", name: "Copenhagen", at: { lat: 55.68, lon: 12.57 } }]);
    const page = await open(node, "#/search?index=places");
    await page.getByRole("img", { name: "3 places of at on this page" }).waitFor();
    await page.getByRole("combobox", { name: "Sort" }).selectOption("at near");
    await page.getByLabel("Latitude").fill("59.9");
    await page.getByLabel("Longitude").fill("10.7");
    await page.locator(".hit h2").first().getByText("Oslo").waitFor();
    assert.deepEqual(await page.locator(".hit h2").allInnerTexts(), ["Oslo", "Stockholm", "Copenhagen"]);
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(page.faults, []);
  });

  it("shows right-to-left and CJK text", async () => {
    await fill(node, "scripts", { locales: { defaultLocale: "ar", supported: ["ja"] }, fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title", locales: {} } } },
      [{ id: "1", title: { ar: "مصباح أحمر كبير" } }, { id: "2", title: { ja: "東京の赤いランプ" } }]);
    const page = await open(node, "#/search?index=scripts&q=مصباح");
    await page.locator(".hit mark", { hasText: "مصباح" }).waitFor();
    assert.equal(await page.locator(".hit h2 span").first().evaluate((e) => getComputedStyle(e).direction), "rtl");
    await page.getByLabel("Locale").selectOption("ja");
    await searchBox(page).fill("ランプ");
    await page.locator(".hit mark", { hasText: "ランプ" }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  for (const colorScheme of ["light", "dark"]) {
    it("has no axe violation, " + colorScheme, async () => {
      const page = await open(node, "#/search?index=catalogue&q=jaket+under+150+eur+zzzq", { context: { colorScheme } });
      await page.locator(".chip.dropped").waitFor();
      await page.getByRole("button", { name: "JSON" }).click();
      assert.deepEqual(await axe(page), []);
    });
  }

  for (const [width, height] of [[360, 740], [3840, 2160]]) {
    it("fits " + width + " px in every room", async () => {
      const page = await open(node, "#/search?index=catalogue&q=jacket", { context: { viewport: { width, height } } });
      await page.locator(".hit").first().waitFor();
      for (const [place, shown] of [["search?index=catalogue&q=jacket", ".hit"], ["why?index=catalogue&key=p043", ".bar"], ["tune?index=catalogue", ".part"], ["data", "table"], ["data?index=catalogue", "tbody tr"], ["access", "h1"], ["nodes", "canvas"]]) {
        await page.evaluate((to) => (location.hash = "#/" + to), place);
        await page.locator(shown).first().waitFor();
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), place + " scrolls sideways");
      }
      assert.deepEqual(page.faults, []);
    });
  }

  it("is shown in the README as it looks now", async () => {
    const page = await open(node, "#/search?index=catalogue&q=jaket+under+180+eur+zzzq", { context: { viewport: { width: 1280, height: 800 } } });
    await page.locator(".chip.dropped").waitFor();
    await page.getByRole("searchbox", { name: "Search" }).blur();
    const picture = await page.screenshot();
    mkdirSync(artefacts, { recursive: true });
    writeFileSync(join(artefacts, "readme.png"), picture);
    assert.ok(picture.length <= 200_000, picture.length + " bytes");
  });
});
