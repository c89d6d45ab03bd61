// A page with every widget that the adapter supports, over the demo catalogue.

import instantsearch from "instantsearch.js/es";
import { connectAutocomplete, connectGeoSearch } from "instantsearch.js/es/connectors";
import {
  clearRefinements, configure, currentRefinements, hierarchicalMenu, hits, hitsPerPage, index, infiniteHits, menu, numericMenu, pagination, rangeInput,
  rangeSlider, ratingMenu, refinementList, searchBox, sortBy, stats, toggleRefinement,
} from "instantsearch.js/es/widgets";
import { createSearchClient } from "../dist/index.js";

const template = (hit, { html, components }) =>
  html`<b data-price="${hit.price}" data-brand="${hit.brand}">${components.Highlight({ hit, attribute: "name" })}</b>`;

/** Adds a container with the id to the page. */
function at(id) {
  const container = document.createElement("div");
  container.id = id;
  document.body.append(container);
  return container;
}

export function start(base, key) {
  const search = instantsearch({ indexName: "catalogue", searchClient: createSearchClient(base, { key }), future: { preserveSharedStateOnUnmount: true } });
  search.addWidgets([
    configure({ hitsPerPage: 8, filters: 'price < 100000 AND NOT brand:"No such brand"' }),
    searchBox({ container: at("box") }),
    stats({ container: at("stats") }),
    hits({ container: at("hits"), templates: { item: template } }),
    refinementList({ container: at("brand"), attribute: "brand", searchable: true, limit: 8 }),
    refinementList({ container: at("colour"), attribute: "variants.colour", limit: 8 }),
    hierarchicalMenu({ container: at("category"), attributes: ["category.lvl0", "category.lvl1", "category.lvl2"], separator: "/" }),
    rangeSlider({ container: at("price"), attribute: "price" }),
    numericMenu({ container: at("rating"), attribute: "rating", items: [{ label: "All" }, { label: "Four and more", start: 4 }] }),
    toggleRefinement({ container: at("toggle"), attribute: "category", on: "Gear/Packs" }),
    sortBy({ container: at("sort"), items: [{ value: "catalogue", label: "Best" }, { value: "catalogue/sort/price:asc", label: "Cheapest" }] }),
    hitsPerPage({ container: at("per"), items: [{ value: 8, label: "8", default: true }, { value: 4, label: "4" }] }),
    currentRefinements({ container: at("current") }),
    clearRefinements({ container: at("clear") }),
    pagination({ container: at("pages") }),
  ]);
  search.start();
  window.search = search;
}

/** Infinite hits, autocomplete over two indexes, and geo search. */
export function startOthers(base, key) {
  const one = instantsearch({ indexName: "catalogue", searchClient: createSearchClient(base, { key }) });
  one.addWidgets([configure({ hitsPerPage: 5 }), infiniteHits({ container: at("infinite"), templates: { item: template } })]);
  one.start();

  const two = instantsearch({ indexName: "catalogue", searchClient: createSearchClient(base, { key }) });
  const autocomplete = connectAutocomplete(({ indices, refine }) => {
    window.completed = indices.map(({ indexName, hits }) => [indexName, hits.map((hit) => hit.name)]);
    window.complete = refine;
  });
  two.addWidgets([configure({ hitsPerPage: 3 }), autocomplete({ escapeHTML: false }), index({ indexName: "places" }).addWidgets([configure({ hitsPerPage: 3 })])]);
  two.start();

  const three = instantsearch({ indexName: "places", searchClient: createSearchClient(base, { key }) });
  const map = connectGeoSearch(({ items, refine }) => {
    window.places = items.map((item) => [item.name, item._geoloc]);
    window.moveMap = refine;
  });
  three.addWidgets([configure({ hitsPerPage: 20 }), map({ enableRefineOnMapMove: false })]);
  three.start();

  const four = instantsearch({ indexName: "places", searchClient: createSearchClient(base, { key }) });
  four.addWidgets([configure({ aroundLatLng: "59.33, 18.07", aroundRadius: 500_000 }), hits({ container: at("near"), templates: { item: (hit, { html }) => html`<i>${hit.name}</i>` } })]);
  four.start();

  const five = instantsearch({ indexName: "catalogue", searchClient: createSearchClient(base, { key }) });
  five.addWidgets([
    menu({ container: at("menu"), attribute: "brand", limit: 50 }), rangeInput({ container: at("range"), attribute: "price" }), stats({ container: at("found") }),
  ]);
  five.start();

  const six = instantsearch({ indexName: "places", searchClient: createSearchClient(base, { key }) });
  six.addWidgets([ratingMenu({ container: at("stars"), attribute: "stars" }), hits({ container: at("rated"), templates: { item: (hit, { html }) => html`<i>${hit.name}</i>` } })]);
  six.start();
}
