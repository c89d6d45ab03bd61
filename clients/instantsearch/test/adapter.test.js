// The requests sent to the service for the parameters of InstantSearch.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { it } from "node:test";
import { createSearchClient } from "../dist/index.js";

const definitions = {
  shop: {
    fields: {
      brand: { type: "string", filter: {}, facet: {} }, price: { type: "double", filter: {}, facet: {} }, year: { type: "int32", filter: {}, facet: {} },
      width: { type: "double", filter: {}, sort: {} }, isNew: { type: "boolean", filter: {} }, added: { type: "timestamp", filter: {} },
      category: { type: "string", filter: {}, facet: {}, hierarchy: {} }, place: { type: "geo_point", filter: {}, sort: {} },
    },
  },
};

/** The bodies that a client with options sends when something is asked of it. */
async function sentBy(options, ask) {
  const bodies = [];
  const client = createSearchClient("http://a.example", {
    definitions, ...options,
    fetch: async (_, init) => (bodies.push(JSON.parse(init.body)), Response.json({ hits: [], values: [], total: { count: 0, exact: true }, page: {}, tookMs: 1 })),
  });
  await ask(client);
  return bodies;
}

const sentWith = (options, ...requests) => sentBy(options, (client) => client.search(requests.map((params) => ({ indexName: "shop", params }))));

/** Returns the bodies sent for some requests. */
const sentFor = (...requests) => sentWith({}, ...requests);

async function filtersFor(params) {
  const [{ query, filters }] = await sentFor(params);
  return [...query, ...filters];
}

for (const [params, want] of [
  [{ facetFilters: ["brand:a:b"] }, [{ field: "brand", match: { value: "a:b" } }]],
  [{ facetFilters: [["brand:a", "brand:b"], "year:1974"] }, [{ field: "brand", match: { type: "in", values: ["a", "b"] } }, { field: "year", match: { value: 1974 } }]],
  [{ facetFilters: ["brand:-a", "brand:\\-b", "isNew:true"] },
    [{ type: "not", clauses: [{ field: "brand", match: { value: "a" } }] }, { field: "brand", match: { value: "-b" } }, { field: "isNew", match: { value: true } }]],
  [{ facetFilters: [["category.lvl1:Clothing/Jackets"]] }, [{ field: "category", match: { type: "under", path: "Clothing/Jackets" } }]],
  [{ numericFilters: ["price>=1.5", "price<3", ["year=1974"]] },
    [{ field: "price", match: { type: "range", gte: 1.5 } }, { field: "price", match: { type: "range", lt: 3 } }, { field: "year", match: { value: 1974 } }]],
  [{ numericFilters: [["price<1", "price>9"]] }, [{ field: "price", match: { type: "ranges", values: [{ lt: 1 }, { gt: 9 }] } }]],
  [{ numericFilters: ["added>=1700000000"] }, [{ field: "added", match: { type: "range", gte: "2023-11-14T22:13:20.000Z" } }]],
  [{ filters: "brand:a" }, [{ field: "brand", match: { value: "a" } }]],
  [{ filters: 'brand:"a b" OR brand:c' }, [{ field: "brand", match: { type: "in", values: ["a b", "c"] } }]],
  [{ filters: "price:1 TO 5 AND (brand:a OR year > 1970)" },
    [{ type: "and", clauses: [{ field: "price", match: { type: "range", gte: 1, lte: 5 } },
      { type: "or", clauses: [{ field: "brand", match: { value: "a" } }, { field: "year", match: { type: "range", gt: 1970 } }] }] }]],
  [{ filters: "NOT brand:a" }, [{ type: "not", clauses: [{ field: "brand", match: { value: "a" } }] }]],
  [{ aroundLatLng: "1,2", aroundRadius: 50 }, [{ field: "place", match: { type: "distance", lat: 1, lon: 2, radius: 50 } }]],
]) {
  it(`reads ${JSON.stringify(params)}`, async () => assert.deepEqual(await filtersFor(params), want));
}

it("draws the circle around a box, also across the date line", async () => {
  const [{ match }] = await filtersFor({ insideBoundingBox: [[1, 179, -1, -179]] });
  assert.deepEqual([match.lat, Math.abs(match.lon)], [0, 180]);
  assert.ok(Math.abs(match.radius - 157_000) < 1000, String(match.radius));
});

for (const filters of ["brand:a AND", "(brand:a", "brand:a) OR", "brand"]) {
  it(`refuses ${filters}`, async () => assert.rejects(sentFor({ filters }), TypeError));
}

it("asks once for hits and all facets, with and without their own filters", async () => {
  const brand = [["brand:a"]];
  const year = ["year>=1970"];
  const bodies = await sentFor(
    { query: "x", facets: ["brand", "year"], facetFilters: brand, numericFilters: year },
    { query: "x", facets: "brand", hitsPerPage: 0, numericFilters: year },
    { query: "x", facets: "year", hitsPerPage: 0, facetFilters: brand },
  );
  assert.equal(bodies.length, 1);
  assert.deepEqual(bodies[0].facets.map((f) => [f.field, f.excludeFilters]), [["brand", []], ["year", []], ["brand", ["brand"]], ["year", ["year"]]]);
});

it("asks apart for what is not a facet of the first search", async () => {
  assert.equal((await sentFor({ query: "x" }, { query: "y", facets: "brand", hitsPerPage: 0 })).length, 2);
  assert.equal((await sentFor({ facetFilters: ["brand:a"] }, { facets: "year", hitsPerPage: 0 })).length, 2);
  assert.equal((await sentFor({}, { facets: "brand", hitsPerPage: 0, facetFilters: ["brand:a"] })).length, 2);
});

it("asks apart where a facet would leave out more than the request does", async () => {
  const disjunctive = [{ facetFilters: [["brand:a"]], filters: "brand:b" }, { facets: "brand", hitsPerPage: 0, filters: "brand:b" }];
  const bodies = await sentFor(...disjunctive);
  assert.deepEqual(bodies.map((b) => b.filters.map((f) => f.match.value)), [["a", "b"], ["b"]]);
  const request = { filters: [{ field: "brand", match: { value: "c" } }] };
  assert.equal((await sentWith({ request }, { facetFilters: [["brand:a"]] }, { facets: "brand", hitsPerPage: 0 })).length, 2);
});

it("looks for the ends of a slider among what every search asks", async () => {
  const filter = { field: "brand", match: { value: "c" } };
  const bodies = await sentWith({ request: { filters: [filter] } }, { facets: "width", facetFilters: ["year:1"] });
  assert.deepEqual(bodies.map((b) => b.filters.map((f) => f.field)), [["brand", "year", "width"], ["brand", "year", "width"], ["brand", "year"]]);
});

it("completes values under every condition", async () => {
  const params = { facetName: "brand", facetQuery: "b", query: "x", filters: "year:1 AND isNew:true", facetFilters: ["brand:a", "price:-2", "year:-3"] };
  const [body] = await sentBy({}, (client) => client.searchForFacetValues([{ indexName: "shop", params }]));
  assert.deepEqual([body.prefix, body.query.length, body.filters], ["b", 5, undefined]);
});

it("reaches no page beyond the last", async () => {
  const pages = [[0, 3000], [3, 3000], [4, 3000], [-1, 10], [Number.NaN, 10]].map(([page, hitsPerPage]) => ({ page, hitsPerPage }));
  const bodies = await Promise.all(pages.map((params) => sentFor(params)));
  assert.deepEqual(bodies.map(([b]) => [b.offset, b.limit]), [[0, 3000], [9000, 1000], [0, 0], [0, 10], [0, 10]]);
});

it("takes blanks for no text", async () => assert.deepEqual(await filtersFor({ query: "  " }), []));

it("finds documents with most of the typed words where none has all, unless every word is required", async () => {
  const [asTyped, required] = await sentFor({ query: "how do I sharpen a knife" }, { query: "how do I sharpen a knife", removeWordsIfNoResults: "none" });
  assert.deepEqual(asTyped.query, [{ type: "text", text: "how do I sharpen a knife", match: "user", relax: "words" }]);
  assert.deepEqual(required.query, [{ type: "text", text: "how do I sharpen a knife", match: "user" }]);
});

it("packs what is needed and nothing else, under the version of the client", () => {
  const directory = new URL("..", import.meta.url).pathname;
  const [packed] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--loglevel=error"], { cwd: directory, encoding: "utf8" }));
  assert.deepEqual(packed.files.map((f) => f.path).filter((path) => !path.startsWith("dist/")).sort(), ["README.md", "package.json"]);
  const { version } = JSON.parse(readFileSync(directory + "../typescript/package.json", "utf8"));
  assert.deepEqual([packed.version, JSON.parse(readFileSync(directory + "package.json", "utf8")).dependencies["@quiresearch/client"]], [version, version]);
});
