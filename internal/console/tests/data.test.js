// Room 4: indexes, definitions, documents and dropped files.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { axe, fill, hold, open, startNode } from "./harness.js";

const books = { fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" }, year: { type: "int32", filter: {} } } };

let node;
before(async () => {
  node = await startNode();
  await fill(node, "books", books, Array.from({ length: 30 }, (_, i) => ({ id: "b" + String(i).padStart(2, "0"), title: "Volume " + i, year: 1970 + i })));
});

const file = (name, content) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });

describe("data", () => {
  it("lists indexes and browses, opens, adds, edits and deletes documents", async () => {
    const page = await open(node, "#/data");
    const row = page.getByRole("row", { name: /books/ });
    await row.getByText("30", { exact: true }).waitFor();
    await row.getByText("usable").waitFor();
    await row.getByRole("link").click();
    await page.getByRole("button", { name: "b00" }).waitFor();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByRole("button", { name: "b20" }).click();
    const area = page.getByLabel("Document as JSON");
    await area.fill('{"id":"b20","title":"Volume twenty","year":"x"}');
    await page.getByRole("button", { name: "Save document" }).click();
    await page.getByRole("alert").getByText("document:number:value_invalid").waitFor();
    await area.fill('{"id":"b20","title":"Volume twenty","year":1990}');
    await page.getByRole("button", { name: "Save document" }).click();
    await page.getByRole("cell", { name: "Volume twenty" }).waitFor();
    await page.getByRole("button", { name: "b20" }).click();
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog", { name: "Delete b20?" }).getByRole("button", { name: "Delete" }).click();
    await page.getByRole("cell", { name: "Volume twenty" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add a document" }).click();
    await area.fill('{"id":"b20","title":"Volume again"}');
    await page.getByRole("dialog").getByRole("button", { name: "Add" }).click();
    await page.getByRole("cell", { name: "Volume again" }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("reindexes into a new generation, promotes it and rolls back", async () => {
    const page = await open(node, "#/data?index=books&tab=Definition");
    await page.getByRole("button", { name: "Edit definition" }).click();
    await page.getByRole("checkbox", { name: "sort year" }).check();
    await page.getByText("year changed").waitFor();
    const needs = page.getByRole("alert").filter({ hasText: "This needs a reindex" });
    await needs.getByText("The usage sort of year is added.").waitFor(); // before anything is sent for storing
    assert.equal(await page.getByRole("button", { name: "Save definition" }).isDisabled(), true);
    assert.deepEqual(await axe(page), []);
    assert.equal((await node.call("GET", "/v1alpha1/admin/indexes/books")).definition.fields.year.sort, undefined);
    await page.getByRole("button", { name: "Create generation 2 and reindex" }).click();
    await page.getByRole("button", { name: "Promote generation 2" }).click();
    await page.getByRole("button", { name: "Roll back to generation 1" }).waitFor();
    assert.equal((await node.call("GET", "/v1alpha1/admin/indexes/books")).generation, "2");
    await page.getByRole("button", { name: "Roll back to generation 1" }).click();
    await page.getByText("generation 1", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Roll back to generation 1" }).waitFor({ state: "detached" });
    assert.deepEqual(page.faults, []);
  });

  it("shows that a generation is being promoted and an index deleted", async () => {
    await fill(node, "waiting", books, [{ id: "1", title: "One", year: 1 }]);
    await node.call("PUT", "/v1alpha1/admin/indexes/waiting@2", books);
    const page = await open(node, "#/data?index=waiting&tab=Generations");
    const promoted = await hold(page, "**/actions/promote");
    await page.getByRole("button", { name: "Promote" }).click();
    await page.getByRole("progressbar", { name: "Promoting…" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Promote" }).isDisabled(), true);
    await promoted();
    await page.getByRole("row", { name: /^2 live/ }).waitFor();
    const deleted = await hold(page, "**/admin/indexes/waiting");
    await page.getByRole("button", { name: "Delete index" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete waiting?" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await dialog.getByRole("progressbar", { name: "Deleting…" }).waitFor();
    assert.deepEqual(await axe(page), []);
    await deleted();
    await page.getByRole("heading", { name: "Indexes" }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("cancels a reindex", async () => {
    await fill(node, "moving", books, [{ id: "1", title: "One", year: 1 }]);
    const page = await open(node, "#/data?index=moving&tab=Definition");
    await page.getByRole("button", { name: "Edit definition" }).click();
    await page.getByRole("checkbox", { name: "sort year" }).check();
    await page.getByRole("button", { name: "Create generation 2 and reindex" }).click();
    const job = page.getByRole("region", { name: "Reindex job" });
    await job.getByRole("progressbar", { name: "1 of 1 document" }).waitFor();
    await job.getByRole("button", { name: "Cancel" }).click();
    await job.getByText("cancelled", { exact: true }).waitFor();
    assert.equal(await job.getByRole("progressbar").count(), 0);
    assert.equal((await node.call("GET", "/v1alpha1/admin/reindexes/moving")).phase, "cancelled");
    assert.deepEqual(page.faults, []);
  });

  it("shows why a reindex failed: code, message, place, remedy and curl", async () => {
    await fill(node, "failing", books, [{ id: "1", title: "One" }]);
    await node.call("PUT", "/v1alpha1/admin/indexes/failing@2?reindex=manual", { fields: { ...books.fields, year: { type: "int32", filter: {}, required: true } } });
    const page = await open(node, "#/data?index=failing", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
    const alert = page.getByRole("region", { name: "Reindex job" }).getByRole("alert");
    await alert.getByText("reindex:document_refused").waitFor();
    await alert.getByText(/The target refused the document 1/).waitFor();
    await alert.getByText("/v1alpha1/admin/reindexes/failing", { exact: true }).waitFor();
    await alert.getByText("Fix the problem in generation 1").waitFor();
    await alert.getByRole("button", { name: "Copy as curl" }).click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "curl -X GET '" + node.base + "/v1alpha1/admin/reindexes/failing'");
    assert.deepEqual(await axe(page), []);
    assert.deepEqual(page.faults, []);
  });

  it("creates an index and adds a field to it", async () => {
    const page = await open(node, "#/data");
    await page.getByRole("button", { name: "Create an index" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Not A Name");
    await dialog.getByRole("button", { name: "Create index" }).click();
    await dialog.getByRole("alert").getByText("index:name_invalid").waitFor();
    await dialog.getByLabel("Name").fill("made");
    await dialog.getByRole("button", { name: "Create index" }).click();
    await page.getByRole("tab", { name: "Definition" }).click();
    await page.getByRole("button", { name: "Edit definition" }).click();
    await page.getByLabel("New field").fill("price");
    await page.getByRole("combobox", { name: "Type", exact: true }).selectOption("double");
    await page.getByRole("button", { name: "Add field" }).click();
    await page.getByRole("checkbox", { name: "facet price" }).check();
    await page.getByText("price added").waitFor();
    await page.getByText("The existing documents fit.").waitFor();
    assert.equal((await node.call("GET", "/v1alpha1/admin/indexes/made")).definition.fields.price, undefined);
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "Save definition" }).click();
    await page.getByRole("button", { name: "Edit definition" }).waitFor();
    assert.deepEqual((await node.call("GET", "/v1alpha1/admin/indexes/made")).definition.fields.price, { type: "double", facet: {} });
    assert.deepEqual(page.faults, []);
  });

  it("replaces no index that was created meanwhile", async () => {
    const page = await open(node, "#/data");
    await page.getByRole("button", { name: "Create an index" }).click();
    await node.call("PUT", "/v1alpha1/admin/indexes/meanwhile", books);
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("meanwhile");
    await dialog.getByRole("button", { name: "Create index" }).click();
    await dialog.getByRole("alert").getByText("index:already_exists").waitFor();
    assert.ok((await node.call("GET", "/v1alpha1/admin/indexes/meanwhile")).definition.fields.year);
    assert.deepEqual(page.faults, []);
  });

  it("shows what the interface refuses in a definition while it is edited", async () => {
    const page = await open(node, "#/data?index=books&tab=Definition");
    await page.getByRole("button", { name: "Edit definition" }).click();
    await page.getByText("Edit as JSON").click();
    await page.getByLabel("Definition as JSON").fill(JSON.stringify({ fields: { ...books.fields, more: { type: "sting" } } }));
    const alert = page.getByRole("alert");
    await alert.getByText("fields.more.type").waitFor();
    await alert.getByRole("button", { name: "Copy as curl" }).waitFor();
    assert.equal(await page.getByRole("button", { name: "Save definition" }).isDisabled(), true);
    assert.deepEqual(page.faults, []);
  });

  it("shows where JSON is malformed and what to do, without a request", async () => {
    const page = await open(node, "#/data?index=books&tab=Definition");
    await page.getByRole("button", { name: "Edit definition" }).click();
    await page.getByText("Edit as JSON").click();
    const wrong = page.getByRole("status").filter({ hasText: "json:malformed" });
    for (const [content, place, message, remedy] of [
      ['{\n  "fields": {},\n}', "line 3, column 1", "There is a comma before }.", "Remove the comma."],
      ["{\n  fields: {}\n}", "line 2, column 3", "A name in double quotes is missing here.", 'Write "name": value.'],
      ['{"fields": [1 2]}', "line 1, column 15", "A comma or ] is missing here.", "Add a comma between the values, or close with ]."],
      ['{"fields": {"a": [', "line 1, column 19", "The JSON is incomplete.", "Add what closes it: ]}}"],
      ['{"fields": \'a\'}', "line 1, column 12", "Strings must be in double quotes.", 'Write "…" instead of \'…\'.'],
    ]) {
      await page.getByLabel("Definition as JSON").fill(content);
      for (const said of [place, message, remedy]) await wrong.getByText(said, { exact: true }).waitFor();
      assert.equal(await page.getByRole("button", { name: "Save definition" }).isDisabled(), true);
    }
    assert.equal(await wrong.getByRole("button").count(), 0);
    assert.deepEqual(await axe(page), []);
    await page.getByLabel("Definition as JSON").fill(JSON.stringify(books));
    await wrong.waitFor({ state: "detached" });
    assert.deepEqual(page.faults, []);
  });

  it("finds the same texts malformed as the browser", async () => {
    const page = await open(node, "#/data");
    const differing = await page.evaluate(async () => {
      const { mistakeIn } = await import("./lib/json.js");
      const parts = ["{", "}", "[", "]", ",", ":", '"', "a", "1", "-", ".", "e", "0", "true", "null", " ", "\n", "\\", "\\u00e9", '"a"', "\t", "'"];
      const found = [];
      let seed = 7;
      for (let i = 0; i < 100_000; i++) {
        let content = "";
        for (let length = 1 + (i % 9); length > 0; length--) {
          seed = (seed * 48271) % 2147483647;
          content += parts[seed % parts.length];
        }
        let isJson = true;
        try {
          JSON.parse(content);
        } catch {
          isJson = false;
        }
        if ((mistakeIn(content) === null) !== isJson) found.push(content);
      }
      return found;
    });
    assert.deepEqual(differing, []);
  });

  it("says that a definition changed meanwhile", async () => {
    await fill(node, "racing", books, []);
    const page = await open(node, "#/data?index=racing&tab=Definition");
    await page.getByRole("button", { name: "Edit definition" }).click();
    await page.getByText("Edit as JSON").click();
    await node.call("PUT", "/v1alpha1/admin/indexes/racing", { ...books, metadata: { about: "another" } });
    await page.getByLabel("Definition as JSON").fill(JSON.stringify({ fields: { ...books.fields, more: { type: "string" } } }));
    await page.getByRole("button", { name: "Save definition" }).click();
    await page.getByRole("alert").getByText("index:version_mismatch").waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("loads a dropped file: drafts, reviews, loads, lists what was refused", async () => {
    const page = await open(node, "#/data", { context: { permissions: ["clipboard-read", "clipboard-write"] } });
    const lines = Array.from({ length: 2500 }, (_, i) => JSON.stringify({ id: "l" + i, title: "Lamp number " + i, price: i / 4, bright: i % 2 === 0 }));
    lines[1200] = '{"id":"l1200","title":["not","one"],"price":1}';
    lines[1300] = "{broken}";
    await page.getByLabel("File to load").setInputFiles(file("Lamps & more.ndjson.gz", gzipSync(lines.join("\n"))));
    await page.getByText("Definition drafted from").waitFor();
    assert.equal(await page.getByLabel("Load into index").inputValue(), "lamps-more");
    await page.getByRole("cell", { name: "price", exact: true }).waitFor();
    await page.getByRole("button", { name: "Create index and load" }).click();
    await page.getByText("2,498 documents added and searchable").waitFor();
    await page.getByText("2 documents rejected").waitFor();
    await page.getByText("document:multiple_unsupported").waitFor();
    const broken = page.getByRole("region", { name: "Rejected documents" }).getByRole("row", { name: /1,301.*json:malformed.*line 1, column 2.*Write "name": value/s });
    await broken.getByRole("button", { name: "Copy as curl" }).click();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /indexes\/lamps-more\/documents'.*--data-binary '\{broken\}'$/s);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Download rejected documents" }).click()]);
    const refused = readFileSync(await download.path(), "utf8").trim().split("\n").map((l) => JSON.parse(l));
    assert.deepEqual(refused.map((r) => r.number).sort((a, b) => a - b), [1201, 1301]);
    await page.getByRole("link", { name: "Search lamps-more" }).click();
    await page.locator(".summary strong", { hasText: "2,498 hits" }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("loads whole numbers beyond 2^53 with all their digits", async () => {
    for (const [name, first] of [["spread", "n"], ["odd", "odd name"]]) {
      const page = await open(node, "#/data");
      const content = `[\n  {\n    "id": "1",\n    "${first}": 9007199254740993\n  },\n  { "id": "2", "${first}": -9223372036854775807 }\n]`;
      await page.getByLabel("File to load").setInputFiles(file(name + ".json", content));
      await page.getByText("Definition drafted from").waitFor();
      await page.getByRole("button", { name: "Create index and load" }).click();
      await page.getByText("2 documents added and searchable").waitFor();
      const response = await fetch(node.base + "/v1alpha1/indexes/" + name + "/documents");
      assert.match(await response.text(), /: ?9007199254740993.*: ?-9223372036854775807/, name);
      assert.deepEqual(page.faults, []);
    }
  });

  it("loads CSV with odd names, quotes, decimal commas and dates", async () => {
    const page = await open(node, "#/data");
    const rows = ["sku;Product name;Unit price;Added;Colours", '1;"Lamp; red";9,50;2024-01-02;red|white', '2;"Lamp\nblue";12,00;2024-02-03;blue'];
    for (let i = 3; i <= 1500; i++) rows.push(i + ";Lamp number " + i + ";" + (i === 1200 ? "cheap" : i + ",25") + ";2024-03-" + String(1 + (i % 28)).padStart(2, "0") + ";red|blue");
    await page.getByLabel("File to load").setInputFiles(file("lamps.csv", rows.join("\r\n")));
    await page.getByText("Definition drafted from 1,000 documents").waitFor();
    await page.getByRole("button", { name: "Create index and load" }).click();
    await page.getByText("1,499 documents added and searchable").waitFor();
    await page.getByRole("region", { name: "Rejected documents" }).getByRole("row", { name: /1,200.*cheap/s }).waitFor();
    const of = async (sku) => (await node.call("POST", "/v1alpha1/indexes/lamps/search", { filters: [{ field: "sku", match: { value: sku } }] })).hits[0].document;
    const [first, second, last] = [await of("1"), await of("2"), await of("1500")];
    assert.deepEqual([first.product_name, first.unit_price, first.Colours, second.product_name, last.unit_price], ["Lamp; red", 9.5, ["red", "white"], "Lamp\nblue", 1500.25]);
    await page.getByRole("row", { name: /lamps .*1,499/ }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("loads everyday files whole: other encodings, gaps, long numbers, broken lines", async () => {
    const page = await open(node, "#/data");
    const utf16 = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("id,title\n1,Röd lampa\n", "utf16le")]);
    for (const [name, content, said, key, want] of [
      ["latin.csv", Buffer.from("id;title\n1;Sm\xf6rg\xe5s\n", "latin1"), "1 document added and searchable", "1", { id: "1", title: "Smörgås" }],
      ["bytes.csv", Buffer.concat([Buffer.from("id,title\n1,Größe\n2,caf"), Buffer.from([0xe9]), Buffer.from("\n3,Zürich\n")]), "2 documents added and searchable", "1", { id: "1", title: "Größe" }],
      ["utf16.csv", utf16, "1 document added and searchable", "1", { id: "1", title: "Röd lampa" }],
      ["gaps.csv", "id,name,name,,n\n1,a,b,c,5\n2,d\n3,e,f,g,6,\n,,,,\n", "3 documents added and searchable", "1", { id: "1", name: "a", name_2: "b", column_4: "c", n: 5 }],
      ["quotes.csv", 'id,title,n\n1,24" screen,5\n2,"Best" buy,6\n3,"never closed,7\n4,plain,8\n', "2 documents added and searchable", "1", { id: "1", title: '24" screen', n: 5 }],
      ["lines.ndjson", '{"id":"1","n":1}\n{"id":"2","n":2\nwords\n{"id":"3","n":3,"n":4}\n{"id":"4","n":5}\n', "2 documents added and searchable", "4", { id: "4", n: 5 }],
      ["nested.ndjson", '{"id":"1","odd name":1,"meta":{"created-at":"x","odd name":"y"},"none":[]}\n', "1 document added and searchable", "1", { id: "1", odd_name: 1, meta: { created_at: "x", odd_name: "y" } }],
      ["places.csv", "id,lat,lon,tags\n1,52.5,13.4,a;b\n2,10,20,b;c\n3,,,a\n4,1.5,2.5,b\n", "4 documents added and searchable", "2", { id: "2", location: { lat: 10, lon: 20 }, tags: ["b", "c"] }],
    ]) {
      const index = name.replace(/\..*/, "");
      await page.getByLabel("File to load").setInputFiles(file(name, content));
      await page.getByRole("heading", { name }).waitFor();
      await page.getByRole("button", { name: "Create index and load" }).click();
      await page.getByText(said).waitFor();
      assert.deepEqual((await node.call("GET", "/v1alpha1/indexes/" + index + "/documents/" + key)).document, want, name);
      await page.getByRole("button", { name: "Close", exact: true }).click();
    }
    await page.getByLabel("File to load").setInputFiles(file("longs.ndjson", '{"id":"1","odd name":9007199254740993}\n'));
    await page.getByRole("button", { name: "Create index and load" }).click();
    await page.getByText("1 document added and searchable").waitFor();
    const found = await node.call("POST", "/v1alpha1/indexes/longs/search", '{"filters":[{"field":"odd_name","match":{"value":9007199254740993}}]}');
    assert.equal(found.total.count, 1);
    assert.deepEqual(page.faults, []);
  });

  it("refuses a file that is not text", async () => {
    const page = await open(node, "#/data");
    for (const name of ["picture.png", "packed.csv.zst"]) {
      await page.getByLabel("File to load").setInputFiles(file(name, Buffer.from(Array.from({ length: 3000 }, (_, i) => (i * i * 7 + (i >> 3)) % 256))));
      await page.getByRole("alert").getByText("The file is not text.").waitFor();
      assert.ok(await page.getByRole("button", { name: "Create index and load" }).isDisabled());
      await page.getByRole("button", { name: "Discard file" }).click();
    }
    assert.deepEqual(page.faults, []);
  });

  it("keeps long numbers when a document is edited", async () => {
    await node.call("PUT", "/v1alpha1/admin/indexes/whole", { fields: { id: { type: "int64", primaryKey: true }, n: { type: "int64", filter: {} }, t: { type: "string" } } });
    await node.call("POST", "/v1alpha1/indexes/whole/documents", '{"documents":[{"id":9007199254740993,"n":9007199254740995,"t":"a"}]}');
    await node.call("POST", "/v1alpha1/admin/indexes/whole/actions/commit");
    const page = await open(node, "#/data?index=whole");
    await page.getByRole("cell", { name: "9007199254740995" }).waitFor();
    await page.getByRole("button", { name: "9007199254740993" }).click();
    const area = page.getByLabel("Document as JSON");
    await area.fill((await area.inputValue()).replace('"a"', '"b"'));
    await page.getByRole("button", { name: "Save document" }).click();
    await page.getByRole("cell", { name: "b", exact: true }).waitFor();
    const found = await node.call("POST", "/v1alpha1/indexes/whole/search", '{"filters":[{"field":"n","match":{"value":9007199254740995}}],"freshness":null}');
    assert.deepEqual([found.total.count, found.hits[0].id, found.hits[0].document.t], [1, "9007199254740993", "b"]);
    assert.deepEqual(page.faults, []);
  });

  it("takes a file that is dropped anywhere on the page: TSV, and gzip by its bytes", async () => {
    const page = await open(node, "#/search?index=books");
    await page.locator(".hit").first().waitFor();
    const drag = (events, title, content) => page.evaluate(([types, named, numbers]) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(numbers)], named));
      for (const type of types) document.querySelector("main").dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
    }, [events, title, [...content]]);
    const overlay = page.getByText("Drop the file to make it searchable");
    const tsv = Buffer.from("code\tname\tweight\n" + Array.from({ length: 40 }, (_, i) => "s" + i + "\tScrew, size " + i + "\t" + i / 2).join("\n"));
    await drag(["dragenter", "dragover"], "screws.tsv", tsv);
    await overlay.waitFor();
    assert.deepEqual(await axe(page), []);
    await drag(["dragleave"], "screws.tsv", tsv);
    await overlay.waitFor({ state: "detached" });
    await drag(["dragenter", "dragover", "drop"], "screws.tsv", tsv);
    await overlay.waitFor({ state: "detached" });
    await page.getByText("Definition drafted from 40 documents").waitFor();
    assert.equal(await page.getByLabel("Load into index").inputValue(), "screws");
    await page.getByRole("button", { name: "Create index and load" }).click();
    await page.getByRole("link", { name: "Search screws" }).waitFor(); // another file must wait until this one is loaded
    const found = await node.call("POST", "/v1alpha1/indexes/screws/search", { filters: [{ field: "code", match: { value: "s7" } }] });
    assert.deepEqual([found.hits[0].document.name, found.hits[0].document.weight], ["Screw, size 7", 3.5]);
    await drag(["dragenter", "dragover", "drop"], "nails.ndjson.gz", gzipSync(Array.from({ length: 25 }, (_, i) => JSON.stringify({ id: "n" + i, title: "Nail " + i })).join("\n")));
    await page.getByText("Definition drafted from 25 documents").waitFor();
    await page.getByRole("button", { name: "Create index and load" }).click();
    await page.getByText("25 documents added and searchable").waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("reads a list and cancels a load", async () => {
    const page = await open(node, "#/data");
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route("**/documents?onError=skip", async (route) => {
      await held;
      await route.continue().catch(() => {});
    });
    await page.getByLabel("File to load").setInputFiles(file("list.json", JSON.stringify(Array.from({ length: 20 }, (_, i) => ({ id: String(i), title: "x } { \" " + i })), null, 2)));
    await page.getByText("Definition drafted from 20 documents").waitFor();
    await page.getByRole("button", { name: "Create index and load" }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Stopped after 0 documents").waitFor();
    release();
    assert.deepEqual(page.faults, []);
  });

  for (const colorScheme of ["light", "dark"]) {
    it("has no axe violation, " + colorScheme, async () => {
      const page = await open(node, "#/data", { context: { colorScheme } });
      await page.getByRole("link", { name: "books" }).waitFor();
      assert.deepEqual(await axe(page), []);
      for (const tab of ["Definition", "Generations", "Documents"]) {
        await page.goto(node.base + "/console/#/data?index=books&tab=" + tab);
        await page.getByRole("tab", { name: tab, selected: true }).waitFor();
        await page.locator("table").first().waitFor();
        assert.deepEqual(await axe(page), [], tab);
      }
    });
  }
});
