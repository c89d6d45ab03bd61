// One hour of meter readings, kept in memory while the page is open.

import { signal } from "./dom.js";
import { meters, valueOf } from "./meters.js";

/** @typedef {import("./meters.js").Meters} Meters @typedef {{ at: number[], series: Record<string, (number | null)[]> }} History */

const step = 2000;
const kept = 3_600_000 / step;

/** @type {History} */
const past = { at: [], series: {} };

export const version = signal(0);
export const newest = signal(/** @type {Meters | null} */ (null));
export const history = () => past;

/** @type {Meters | null} */
let before = null;
let beforeAt = 0;
let users = 0;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/** Returns a quantile, in ms, of the time that searches took since the last reading. @param {Meters} now @param {Meters} was @param {number} share */
export function quantile(now, was, share) {
  const bounds = [...new Set(now.filter((s) => s.name === "service_search_seconds_bucket").map((s) => s.labels.le ?? ""))]
    .map((le) => ({ le: le === "+Inf" ? Infinity : Number(le), count: valueOf(now, "service_search_seconds_bucket", { le }) - valueOf(was, "service_search_seconds_bucket", { le }) }))
    .sort((a, b) => a.le - b.le);
  const all = bounds.at(-1)?.count ?? 0;
  if (all <= 0) return null;
  let low = 0, under = 0;
  for (const { le, count } of bounds) {
    if (count >= share * all) return 1000 * (le === Infinity ? low : low + ((le - low) * (share * all - under)) / Math.max(count - under, 1));
    low = le;
    under = count;
  }
  return null;
}

/** @param {Meters} now @param {Meters} was @param {string} cache */
function hitRate(now, was, cache) {
  const hits = valueOf(now, "service_" + cache + "_hits_total") - valueOf(was, "service_" + cache + "_hits_total");
  const misses = valueOf(now, "service_" + cache + "_misses_total") - valueOf(was, "service_" + cache + "_misses_total");
  return hits + misses > 0 ? (100 * hits) / (hits + misses) : null;
}

/** @param {Meters} now @param {Meters} was @param {number} seconds @returns {Record<string, number | null>} */
function measure(now, was, seconds) {
  const rate = (/** @type {string} */ name) => Math.max(0, valueOf(now, name) - valueOf(was, name)) / seconds;
  return {
    searches: rate("service_search_seconds_count"), p50: quantile(now, was, 0.5), p99: quantile(now, was, 0.99), documents: rate("service_write_documents_total"),
    memory: valueOf(now, "process_resident_memory_bytes") / 1e6, open: valueOf(now, "service_indexes_open_generations"),
    query: hitRate(now, was, "query_cache"), term: hitRate(now, was, "term_cache"), facet: hitRate(now, was, "facet_cache"),
  };
}

async function read() {
  try {
    const now = await meters();
    const at = Date.now();
    if (before) {
      past.at.push(at / 1000);
      for (const [name, value] of Object.entries(measure(now, before, (at - beforeAt) / 1000))) (past.series[name] ??= []).push(value);
      if (past.at.length > kept) {
        past.at.shift();
        for (const list of Object.values(past.series)) list.shift();
      }
    }
    before = now;
    beforeAt = at;
    newest.value = now;
    version.value++;
  } catch {
    before = null; // an unreachable node leaves a gap
  }
}

/** Reads the meters while they are shown; returns a function that stops it. */
export function watch() {
  users++;
  const again = async () => {
    await read();
    if (users > 0) timer = setTimeout(() => void again(), step);
  };
  if (users === 1) void again();
  return () => {
    if (--users === 0) clearTimeout(timer);
  };
}
