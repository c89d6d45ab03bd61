import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import { Hits, Highlight, InstantSearch, RefinementList, SearchBox } from "react-instantsearch";
import { createSearchClient } from "../dist/index.js";

export function startReact(base, key) {
  const container = document.createElement("div");
  container.id = "react";
  document.body.append(container);
  createRoot(container).render(
    h(InstantSearch, { indexName: "catalogue", searchClient: createSearchClient(base, { key }) },
      h(SearchBox), h(RefinementList, { attribute: "brand" }), h(Hits, { hitComponent: ({ hit }) => h(Highlight, { hit, attribute: "name" }) })),
  );
}
