// Converts results to the form that InstantSearch expects.

import type { FacetValuesResult, SearchResult } from "@quiresearch/client";
import { attributeOf, type Fields } from "./fields.js";
import { deepest, type Planned } from "./plan.js";

type Hit = SearchResult["hits"][number];
type Value = NonNullable<FacetValuesResult["values"]>[number];
export type Bounds = Map<string, { min: number; max: number }>;

export function resultOf(planned: Planned, answer: SearchResult, bounds: Bounds, fields: Fields, geoField: string | undefined) {
  const { params, request } = planned;
  const perPage = params["hitsPerPage"] ?? 20;
  const facets: Record<string, Record<string, number>> = {};
  const stats: Record<string, { min: number; max: number }> = {};
  for (const [attribute, name] of planned.facets) {
    const values = answer.facets?.[name]?.values;
    if (values) facets[attribute] = countsOf(planned, fields, attribute, values);
    if (bounds.has(name)) stats[attribute] = bounds.get(name)!;
  }
  return {
    index: request.indexName,
    hits: perPage > 0 ? answer.hits.map((hit) => hitOf(hit, params, fields, geoField)) : [],
    nbHits: answer.total.count,
    page: params["page"] ?? 0,
    nbPages: perPage > 0 ? Math.ceil(Math.min(answer.total.count, deepest) / perPage) : 0,
    hitsPerPage: perPage,
    processingTimeMS: Math.round(answer.tookMs),
    query: params["query"] ?? "",
    params: new URLSearchParams(Object.entries(params).map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)])).toString(),
    exhaustiveNbHits: answer.total.exact,
    exhaustiveFacetsCount: true,
    facets,
    facets_stats: stats,
    ...(answer.relaxed ? { relaxed: answer.relaxed } : {}),
    ...(answer.interpreted ? { interpreted: answer.interpreted } : {}),
  };
}

/** Returns counts by value. For a hierarchy, these are of one level, below the level that the request filters by. */
function countsOf(planned: Planned, fields: Fields, attribute: string, values: Value[]): Record<string, number> {
  const { field, level } = attributeOf(fields, attribute);
  if (level === undefined) return Object.fromEntries(values.map((v) => [String(v.value), v.count]));
  const separator = fields.get(field)?.hierarchy?.separator ?? "/";
  const under = planned.conditions.find((c) => c.field === field)?.clause.match as { path?: string } | undefined;
  let found = values;
  for (let i = 0; i < level; i++) found = found.flatMap((v) => v.values ?? []);
  const inside = (path: string, above: string) => path === above || path.startsWith(above + separator);
  return Object.fromEntries(
    found
      .filter((v) => !under?.path || inside(v.path!, under.path) || inside(under.path, v.path!))
      .map((v) => [v.path!, v.count]),
  );
}

function hitOf(hit: Hit, params: Record<string, any>, fields: Fields, geoField: string | undefined) {
  const document = unlocalized((hit.document ?? {}) as Record<string, any>, fields);
  const place = geoField && read(document, geoField);
  return {
    objectID: hit.id,
    ...document,
    ...(place ? { _geoloc: { lat: place.lat, lng: place.lon } } : {}),
    _highlightResult: highlightsOf(hit, document, params, fields),
  };
}

/** Returns the document with each localized value in place of the object keyed by locale. */
function unlocalized(document: Record<string, any>, fields: Fields): Record<string, any> {
  const copy = structuredClone(document);
  for (const path of fields.localized) {
    const names = path.split(".");
    const last = names.pop()!;
    const owner = names.reduce((value, name) => value?.[name], copy);
    const value = owner?.[last];
    if (value && typeof value === "object" && !Array.isArray(value)) owner![last] = Object.values(value)[0];
  }
  return copy;
}

function read(document: any, path: string): any {
  return path.split(".").reduce((value, name) => value?.[name], document);
}

/** Returns the text of every highlighted field, with matches marked. */
function highlightsOf(hit: Hit, document: Record<string, any>, params: Record<string, any>, fields: Fields) {
  const result: Record<string, any> = {};
  const marks = [params["highlightPreTag"] ?? "<em>", params["highlightPostTag"] ?? "</em>"];
  const plain = (text: string) => text.replaceAll(marks[0], "").replaceAll(marks[1], "");
  for (const path of fields.highlighted) {
    const value = read(document, path);
    if (value === undefined || value === null) continue;
    const fragments = hit.highlights?.[path] ?? [];
    const marked = (text: string) => {
      const fragment = fragments.find((f) => plain(f) === text);
      return fragment ? { value: fragment, matchLevel: "full", matchedWords: wordsOf(fragment, marks) } : { value: text, matchLevel: "none", matchedWords: [] };
    };
    place(result, path.split("."), Array.isArray(value) ? value.map((v) => marked(String(v))) : marked(String(value)));
  }
  return result;
}

function wordsOf(fragment: string, [pre, post]: string[]): string[] {
  return fragment.split(pre!).slice(1).map((part) => part.split(post!)[0]!.toLowerCase());
}

function place(result: Record<string, any>, names: string[], value: unknown) {
  const last = names.pop()!;
  for (const name of names) result = result[name] ??= {};
  result[last] = value;
}
