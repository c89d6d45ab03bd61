// A map strip that shows where hits are: points over a grid of degrees. It draws
// no land, because map data would have to come from another host.

import { html } from "./dom.js";
import * as s from "./searching.js";
import { plural } from "./ui.js";

const width = 900, height = 170, margin = 22;

/** Returns the points of the hits on a page, with the number of each hit. @param {any[]} hits @param {string} path */
function pointsOf(hits, path) {
  return hits.flatMap((hit, at) => [s.valueAt(hit.document, path) ?? []].flat()
    .filter((/** @type {any} */ p) => Number.isFinite(p?.lat) && Number.isFinite(p?.lon))
    .map((/** @type {any} */ p) => ({ lat: /** @type {number} */ (p.lat), lon: /** @type {number} */ (p.lon), number: at + 1, id: hit.id ?? "" })));
}

/** Returns round degrees between two bounds. @param {number} from @param {number} to @param {number} most */
function lines(from, to, most) {
  const step = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60].find((d) => (to - from) / d <= most) ?? 90;
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(Number(at.toFixed(3)));
  return found;
}

/** @param {{ hits: any[] }} props */
export function MapStrip({ hits }) {
  const path = s.places.value[0]?.path;
  const points = path ? pointsOf(hits, path) : [];
  if (!points.length) return null;
  const middle = (Math.min(...points.map((p) => p.lat)) + Math.max(...points.map((p) => p.lat))) / 2;
  const across = Math.cos((middle * Math.PI) / 180); // a degree of longitude is shorter away from the equator
  const lons = points.map((p) => p.lon), lats = points.map((p) => p.lat);
  const centre = { lon: (Math.min(...lons) + Math.max(...lons)) / 2, lat: middle };
  const inner = { w: width - 2 * margin, h: height - 2 * margin };
  const scale = Math.min(inner.w / Math.max((Math.max(...lons) - Math.min(...lons)) * across, 0.02), inner.h / Math.max(Math.max(...lats) - Math.min(...lats), 0.01));
  const x = (/** @type {number} */ lon) => width / 2 + (lon - centre.lon) * across * scale;
  const y = (/** @type {number} */ lat) => height / 2 - (lat - centre.lat) * scale;
  const half = { lon: width / 2 / scale / across, lat: height / 2 / scale };
  return html`<svg class="map" viewBox=${"0 0 " + width + " " + height} role="img" aria-label=${plural(points.length, "place", "places") + " of " + path + " on this page"}>
    ${lines(Math.max(-180, centre.lon - half.lon), Math.min(180, centre.lon + half.lon), 8).map((lon) => html`<g key=${"x" + lon}><line x1=${x(lon)} x2=${x(lon)} y1="0" y2=${height} /><text x=${x(lon) + 3} y=${height - 4}>${lon}°</text></g>`)}
    ${lines(Math.max(-90, centre.lat - half.lat), Math.min(90, centre.lat + half.lat), 3).map((lat) => html`<g key=${"y" + lat}><line x1="0" x2=${width} y1=${y(lat)} y2=${y(lat)} /><text x="3" y=${y(lat) - 3}>${lat}°</text></g>`)}
    ${points.map((p, at) => html`<g key=${at} class="point"><circle cx=${x(p.lon)} cy=${y(p.lat)} r="9" /><text x=${x(p.lon)} y=${y(p.lat) + 3.5}>${p.number}</text><title>${p.id}: ${p.lat}, ${p.lon}</title></g>`)}
  </svg>`;
}
