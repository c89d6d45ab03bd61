// Converts the filters of a request (facetFilters, numericFilters, filters and
// the geo parameters) to clauses, each with the field that it narrows.

import { alternatives, comparison, facetFilter, type Condition } from "./conditions.js";
import type { Fields } from "./fields.js";
import { parseFilters } from "./grammar.js";

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

/** Returns the circle of aroundLatLng, or one around insideBoundingBox, because the service filters by distance. */
function placeOf(params: Params, field: string | undefined): Condition[] {
  if (!field) return [];
  const box = params["insideBoundingBox"];
  if (box) {
    const corners: number[] = typeof box === "string" ? box.split(",").map(Number) : list(box).flat().map(Number);
    const [north, west, south, east] = corners as [number, number, number, number];
    const lat = (north + south) / 2;
    const span = ((east - west + 540) % 360) - 180; // also works across the date line
    const lon = ((((west + span / 2 + 180) % 360) + 360) % 360) - 180;
    return [{ field, clause: { field, match: { type: "distance", lat, lon, radius: Math.max(1, distance(lat, lon, north, west), distance(lat, lon, south, west)) } } }];
  }
  const origin = originOf(params);
  const radius = Number(params["aroundRadius"]);
  return origin && radius > 0 ? [{ field, clause: { field, match: { type: "distance", ...origin, radius } } }] : [];
}

/** Returns the point that hits should be near. */
export function originOf(params: Params): { lat: number; lon: number } | undefined {
  const [lat, lon] = String(params["aroundLatLng"] ?? "").split(",").map(Number);
  return Number.isFinite(lat) && Number.isFinite(lon) && params["aroundLatLng"] ? { lat: lat!, lon: lon! } : undefined;
}

/** Returns the distance in metres between two points on a sphere. */
function distance(latA: number, lonA: number, latB: number, lonB: number): number {
  const radians = Math.PI / 180;
  const h = Math.sin(((latB - latA) * radians) / 2) ** 2 +
    Math.cos(latA * radians) * Math.cos(latB * radians) * Math.sin(((lonB - lonA) * radians) / 2) ** 2;
  return 2 * 6_371_009 * Math.asin(Math.sqrt(Math.min(1, h)));
}
