// The filters of a request: facetFilters, numericFilters, filters and the
// parameters of places, as clauses with the field that each narrows.

import type { Clause, Matcher } from "@quiresearch/client";
import { attributeOf, isNumeric, literal, type Fields } from "./fields.js";
import { parseFilters } from "./grammar.js";

/** A condition. The field is empty for one that narrows several or excludes: it is never left out of a facet. */
export interface Condition {
  field: string;
  clause: Clause;
}

export type Params = Record<string, any>;

export function conditionsOf(fields: Fields, params: Params, geoField: string | undefined): Condition[] {
  return [
    ...list(params["facetFilters"]).map((entry) => alternatives(list(entry).map((text) => facetFilter(fields, text)))),
    ...list(params["numericFilters"]).map((entry) => alternatives(list(entry).map((text) => comparison(fields, text)))),
    ...(params["filters"] ? [parseFilters(fields, params["filters"])] : []),
    ...placeOf(params, geoField),
  ];
}

function list(value: unknown): any[] {
  return value === undefined ? [] : Array.isArray(value) ? value : [value];
}

/** Any of the conditions; values of one field become one filter. */
export function alternatives(conditions: Condition[]): Condition {
  if (conditions.length === 1) return conditions[0]!;
  const field = conditions[0]?.field ?? "";
  const matchers = conditions.map((c) => c.clause.match as Matcher | undefined);
  if (field && conditions.every((c, i) => c.field === field && matchers[i] && "value" in matchers[i]!)) {
    return { field, clause: { field, match: { type: "in", values: matchers.map((m) => m!.value) } } };
  }
  if (field && conditions.every((c, i) => c.field === field && matchers[i]?.type === "range")) {
    return { field, clause: { field, match: { type: "ranges", values: matchers.map(({ type, ...bounds }: any) => bounds) } } };
  }
  return { field: "", clause: { type: "or", clauses: conditions.map((c) => c.clause) } };
}

/** `brand:Lumi`, or `brand:-Lumi` to exclude; a value that begins with a minus sign is written `\-`. */
export function facetFilter(fields: Fields, text: string): Condition {
  const at = text.indexOf(":");
  const attribute = text.slice(0, at);
  const value = text.slice(at + 1);
  if (value.startsWith("-") && !isNumeric(fields.get(attribute))) {
    return { field: "", clause: { type: "not", clauses: [equals(fields, attribute, value.slice(1)).clause] } };
  }
  return equals(fields, attribute, value.replace(/^\\-/, "-"));
}

export function equals(fields: Fields, attribute: string, value: string): Condition {
  const { field, level } = attributeOf(fields, attribute);
  return within(field, { field, match: level === undefined ? { value: literal(fields.get(field), value) } : { type: "under", path: value } }, fields);
}

/** `price>=10`, `price=10`, `price!=10` or `price:10 TO 20`. */
export function comparison(fields: Fields, text: string): Condition {
  const range = /^([^:<>=!]+):\s*(\S+)\s+TO\s+(\S+)$/i.exec(text);
  if (range) return within(range[1]!, { field: range[1]!, match: { type: "range", gte: bound(fields, range[1]!, range[2]!), lte: bound(fields, range[1]!, range[3]!) } }, fields);
  const [, field, operator, number] = /^([^<>=!]+?)\s*(<=|>=|!=|<|>|=)\s*(.+)$/.exec(text) ?? [];
  if (!field) throw new TypeError(`cannot read the filter ${text}`);
  const value = bound(fields, field, number!);
  const bounds = { "<": { lt: value }, "<=": { lte: value }, ">": { gt: value }, ">=": { gte: value } }[operator!];
  if (operator === "!=") return { field: "", clause: { type: "not", clauses: [{ field, match: { value } }] } };
  return within(field, { field, match: bounds ? { type: "range", ...bounds } : { value } }, fields);
}

/** A bound; for a timestamp field, seconds since 1970 as InstantSearch keeps them. */
function bound(fields: Fields, field: string, text: string): unknown {
  return fields.get(field)?.type === "timestamp" ? new Date(Number(text) * 1000).toISOString() : Number(text);
}

/** Puts a condition on a field of a nested list into a clause on that list. */
function within(field: string, clause: Clause, fields: Fields): Condition {
  for (let path = field; path.includes("."); ) {
    path = path.slice(0, path.lastIndexOf("."));
    if (fields.get(path)?.mode === "nested") return { field, clause: { type: "nested", path, clauses: [clause] } };
  }
  return { field, clause };
}

/** The circle of aroundLatLng, or the one around insideBoundingBox: the service filters by distance. */
function placeOf(params: Params, field: string | undefined): Condition[] {
  if (!field) return [];
  const box = params["insideBoundingBox"];
  if (box) {
    const corners: number[] = typeof box === "string" ? box.split(",").map(Number) : list(box).flat().map(Number);
    const [north, west, south, east] = corners as [number, number, number, number];
    const lat = (north + south) / 2;
    const span = ((east - west + 540) % 360) - 180; // also across the date line
    const lon = ((((west + span / 2 + 180) % 360) + 360) % 360) - 180;
    return [{ field, clause: { field, match: { type: "distance", lat, lon, radius: Math.max(1, distance(lat, lon, north, west), distance(lat, lon, south, west)) } } }];
  }
  const origin = originOf(params);
  const radius = Number(params["aroundRadius"]);
  return origin && radius > 0 ? [{ field, clause: { field, match: { type: "distance", ...origin, radius } } }] : [];
}

/** The place that hits are near to. */
export function originOf(params: Params): { lat: number; lon: number } | undefined {
  const [lat, lon] = String(params["aroundLatLng"] ?? "").split(",").map(Number);
  return Number.isFinite(lat) && Number.isFinite(lon) && params["aroundLatLng"] ? { lat: lat!, lon: lon! } : undefined;
}

/** Metres between two places on a sphere. */
function distance(latA: number, lonA: number, latB: number, lonB: number): number {
  const radians = Math.PI / 180;
  const h = Math.sin(((latB - latA) * radians) / 2) ** 2 +
    Math.cos(latA * radians) * Math.cos(latB * radians) * Math.sin(((lonB - lonA) * radians) / 2) ** 2;
  return 2 * 6_371_009 * Math.asin(Math.sqrt(Math.min(1, h)));
}
