// Every response of an intermediary becomes an error of the client, which
// InstantSearch reports.

import assert from "node:assert/strict";
import { it } from "node:test";
import { QuireError } from "@quiresearch/client";
import { assertForeign, foreign, isCut, serveForeign } from "../../testing/foreign.js";
import { createSearchClient } from "../dist/index.js";

const definitions = { shop: { fields: { brand: { type: "string", filter: {}, facet: {} } } } };
const search = (client) => client.search([{ indexName: "shop", params: { query: "x" } }]);
const complete = (client) => client.searchForFacetValues([{ indexName: "shop", params: { facetName: "brand", facetQuery: "b" } }]);

for (const answer of foreign) {
  it(`rejects ${answer.name}`, async () => {
    for (const [status, ask, options] of [
      [200, search, { definitions }], [200, complete, { definitions }], [200, search, {}], [404, complete, {}], [403, search, {}], [502, search, { definitions }],
    ]) {
      if (status === 200 && isCut(answer)) continue;
      const { base } = await serveForeign(answer, status);
      const error = await ask(createSearchClient(base, { ...options, retryFor: 0 })).then(() => assert.fail("answered"), (error) => error);
      assertForeign(QuireError, error, answer, status);
    }
    const { base, tries } = await serveForeign(answer, 503);
    const { results } = await search(createSearchClient(base, { definitions }));
    assert.deepEqual([results.length, tries()], [1, 2]);
  });
}
