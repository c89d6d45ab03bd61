// Plans as few searches as possible for the requests of one render.
//
// InstantSearch sends one request for the hits, and one more for every refined
// facet, without the filters of that facet. The service can count a facet
// without the filters on given fields (excludeFilters), so these further
// requests become facets of the first search. A request for anything else
// becomes a search of its own.

import type { Clause, FacetRequest, SearchRequest } from "@quiresearch/client";
import { attributeOf, isNumeric, type Fields } from "./fields.js";
import type { Condition } from "./conditions.js";
import { conditionsOf, originOf, type Params } from "./filters.js";

export interface Request {
  indexName: string;
  params?: Params;
}

/** One request of InstantSearch and where its result is found. */
export interface Planned {
  request: Request;
  params: Params;
  conditions: Condition[];
  search: Search;
  /** The facet of the search that holds the counts of each attribute. */
  facets: Map<string, string>;
}

/** One search to send. */
export interface Search {
  index: string;
  body: SearchRequest & { facets: FacetRequest[] };
  conditions: Condition[];
  main: Planned | undefined;
  /** Searches for the smallest and the largest value of a numeric field, keyed by the field and the filters left out. */
  bounds: Map<string, { field: string; least: SearchRequest; greatest: SearchRequest }>;
}

export interface Settings {
  geoField: string | undefined;
  locale: string | undefined;
  request: SearchRequest | undefined;
}

export function plan(requests: Request[], fieldsOf: (index: string) => Fields, settings: Settings): Planned[] {
  const searches: Search[] = [];
  return requests.map((request) => {
    const params = request.params ?? {};
    const [index, sort] = request.indexName.split("/sort/") as [string, string | undefined];
    const fields = fieldsOf(index);
    const geoField = settings.geoField ?? fields.geo;
    const conditions = conditionsOf(fields, params, geoField);
    const attributes = facetsOf(params);
    const planned = { request, params, conditions, facets: new Map<string, string>() } as Planned;
    const shared = params["hitsPerPage"] === 0
      ? searches.find((s) => s.index === index && s.main && s.main.request.indexName === request.indexName && sameText(s.main.params, params) &&
          leftOut(s.conditions, conditions, attributes, fields, settings))
      : undefined;
    if (shared) {
      planned.search = shared;
      const excluded = leftOut(shared.conditions, conditions, attributes, fields, settings)!;
      for (const attribute of attributes) addFacet(planned, fields, attribute, excluded, settings);
      return planned;
    }
    planned.search = { index, conditions, main: planned, bounds: new Map(), body: bodyOf(params, fields, conditions, sort, geoField, settings) };
    searches.push(planned.search);
    for (const attribute of attributes) addFacet(planned, fields, attribute, [], settings);
    return planned;
  });
}

function facetsOf(params: Params): string[] {
  return [params["facets"] ?? []].flat().filter((attribute: string) => attribute !== "*");
}

function sameText(a: Params, b: Params): boolean {
  return ["query", "aroundLatLng", "aroundRadius", "insideBoundingBox", "filters"].every((name) => JSON.stringify(a[name]) === JSON.stringify(b[name]));
}

/**
 * The fields whose filters the second request lacks, when that is the only difference and it asks for facets of these alone. A facet
 * leaves out all filters on a field, so there is none where the second request keeps one of them.
 */
function leftOut(first: Condition[], second: Condition[], attributes: string[], fields: Fields, settings: Settings): string[] | undefined {
  const text = (c: Condition) => JSON.stringify(c.clause);
  const kept = new Set(second.map(text));
  const known = new Set(first.map(text));
  const missing = first.filter((c) => !kept.has(text(c))).map((c) => c.field);
  const added = second.filter((c) => !known.has(text(c)));
  const asked = new Set(attributes.map((attribute) => attributeOf(fields, attribute).field));
  // A menu of a hierarchy also requests the levels above: they are read from the tree.
  const levels = added.every((c) => asked.has(c.field) && fields.get(c.field)?.hierarchy);
  const excluded = [...new Set([...missing, ...added.map((c) => c.field)])];
  const always = JSON.stringify(settings.request?.filters ?? []);
  const keeps = (field: string) => second.some((c) => c.field === field && known.has(text(c))) || always.includes(JSON.stringify(field));
  return levels && excluded.every((field) => field && asked.has(field) && !keeps(field)) ? excluded : undefined;
}

/** How deep pages reach: the service answers the first 10000 hits by offset. */
export const deepest = 10000;

/** Everything that a request narrows by: the typed text, its conditions and what every search asks. */
export function narrowed(params: Params, conditions: Condition[], settings: Settings): { query: Clause[]; filters: Clause[] } {
  const query: Clause[] = [...(settings.request?.query ?? [])];
  const filters: Clause[] = [...(settings.request?.filters ?? [])];
  if (params["query"]?.trim()) query.push({ type: "text", text: params["query"], match: "user", ...(params["removeWordsIfNoResults"] === "none" ? {} : { relax: "words" }) });
  for (const { clause } of conditions) (["and", "or", "not"].includes(clause.type ?? "") ? query : filters).push(clause);
  return { query, filters };
}

function bodyOf(params: Params, fields: Fields, conditions: Condition[], sort: string | undefined, geoField: string | undefined, settings: Settings) {
  const perPage = params["hitsPerPage"] ?? 20;
  const offset = perPage * Math.max(0, Number(params["page"]) || 0);
  const limit = Math.max(0, Math.min(perPage, deepest - offset)); // none on a page that only an address names
  const body: SearchRequest & { facets: FacetRequest[] } = {
    ...settings.request, limit, offset: limit && offset, total: "exact", ...narrowed(params, conditions, settings), facets: [],
  };
  if (settings.locale) body.locale = settings.locale;
  const origin = originOf(params);
  if (sort) {
    const [field, order] = sort.split(":") as [string, "asc" | "desc" | undefined];
    body.sort = [{ field, order: order ?? "asc" }];
  } else if (origin && geoField && fields.get(geoField)?.sort) {
    body.sort = [{ type: "distance", field: geoField, ...origin }];
  }
  if (limit > 0) addHighlights(body, params, fields);
  if (Array.isArray(params["attributesToRetrieve"]) && !params["attributesToRetrieve"].includes("*")) body.fields = params["attributesToRetrieve"];
  return body;
}

/** Texts up to this length are highlighted as a whole. */
const wholeText = 10000;

function addHighlights(body: SearchRequest, params: Params, fields: Fields) {
  const wanted = params["attributesToHighlight"];
  const names = !wanted || wanted.includes("*") ? fields.highlighted : fields.highlighted.filter((name) => wanted.includes(name));
  if (!names.length) return;
  const marks = { pre: params["highlightPreTag"] ?? "<em>", post: params["highlightPostTag"] ?? "</em>" };
  body.highlight = { fields: Object.fromEntries(names.map((name) => [name, { fragments: fields.get(name)?.multiple ? 100 : 1, length: wholeText, ...marks }])) };
}

/** Finds or adds a facet that ignores the filters on the given fields. */
function addFacet(planned: Planned, fields: Fields, attribute: string, excluded: string[], settings: Settings) {
  const { search, params } = planned;
  const { field, level } = attributeOf(fields, attribute);
  const declared = fields.get(field);
  const name = [field, ...[...excluded].sort()].join(" - ");
  planned.facets.set(attribute, name);
  if (isNumeric(declared) && declared?.sort) addBounds(search, field, name, excluded, settings);
  if (!declared?.facet) return;
  let facet = search.body.facets.find((f) => f.name === name);
  if (!facet) {
    facet = { field, name, limit: Math.min(1000, params["maxValuesPerFacet"] ?? 100), excludeFilters: excluded };
    search.body.facets.push(facet);
  }
  if (level !== undefined) facet.depth = Math.max(facet.depth ?? 1, level + 1);
}

/** Adds searches for the smallest and largest value, the ends of a range slider. */
function addBounds(search: Search, field: string, name: string, excluded: string[], settings: Settings) {
  if (search.bounds.has(name)) return;
  const own = search.conditions.filter((c) => !excluded.includes(c.field) && search.body.filters!.includes(c.clause)).map((c) => c.clause);
  const filters = [...(settings.request?.filters ?? []), ...own];
  const end = (order: "asc" | "desc"): SearchRequest => ({
    query: search.body.query!, filters: [...filters, { field, match: { type: "any" } }], sort: [{ field, order }], fields: [field], limit: 1,
    ...(search.body.locale ? { locale: search.body.locale } : {}),
  });
  search.bounds.set(name, { field, least: end("asc"), greatest: end("desc") });
}
