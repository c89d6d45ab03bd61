// The state of the search room and the request derived from it.

import { dataPath, isAborted, post } from "./api.js";
import { batch, computed, signal } from "./dom.js";
import { asWritten } from "./json.js";
import { fieldsOf, isNumeric, isOrdered, isSortable, of, readIndex, titleField, unitAfter } from "./indexes.js";
import { can, onSignOut } from "./session.js";

/**
 * @typedef {import("./indexes.js").Field} Field
 * @typedef {{ kind: "values", values: any[] } | { kind: "under", path: string } | { kind: "range", from?: number, to?: number }} Chosen
 * @typedef {{ min: number, max: number }} Span
 * @typedef {{ field: Field, kind: "values" | "tree" | "range", selectable: boolean }} Panel
 */

export const mark = { pre: "\uE000", post: "\uE001" };

export const index = signal("");
export const generation = signal("");
export const locale = signal("");
export const typed = signal("");
export const chosen = signal(/** @type {Record<string, Chosen>} */ ({}));
export const sort = signal("");
export const origin = signal({ lat: "", lon: "" });
export const typos = signal("auto");
export const relax = signal("words");
export const size = signal(10);
export const cursor = signal(/** @type {{ after?: string, before?: string, page: number }} */ ({ page: 1 }));
/** The request as edited by the user; empty while the controls determine it. */
export const edited = signal("");

export const resource = signal(/** @type {any} */ (null));
export const spans = signal(/** @type {Record<string, Span>} */ ({}));

export const answer = signal(/** @type {any} */ (null));
export const answered = signal(/** @type {any} */ (null));
export const problem = signal(/** @type {unknown} */ (null));
export const busy = signal(false);
/** Words of the text that were read as other words because of a typo. */
export const forgiven = signal(/** @type {{ word: string, read: string }[]} */ ([]));

export const name = computed(() => (generation.value ? index.value + "@" + generation.value : index.value));
export const definition = computed(() => resource.value?.definition ?? null);
export const fields = computed(() => fieldsOf(definition.value));
export const byPath = computed(() => new Map(fields.value.map((field) => [field.path, field])));
export const title = computed(() => titleField(definition.value));
/** The locale of the titles. Quantities are read in the locale of the request, not in those of the fields. */
const titleLocale = computed(() => {
  const locales = fields.value.find((f) => f.path === title.value)?.def.locales;
  return locales?.defaultLocale ?? (locales && definition.value?.locales?.defaultLocale) ?? "";
});

const shownPanels = 10;

/** The facets to show: values, trees of paths, and ranges. */
export const panels = computed(() => {
  /** @type {Panel[]} */
  const found = [];
  for (const field of fields.value) {
    if (field.path.includes("*") || field.type === "object") continue;
    const selectable = Boolean(field.def.filter || field.def.hierarchy);
    if (isOrdered(field) && field.def.filter && of(spans.value, field.path)) found.push({ field, kind: "range", selectable });
    else if (field.def.facet && field.def.hierarchy) found.push({ field, kind: "tree", selectable });
    else if (field.def.facet && !field.def.primaryKey) found.push({ field, kind: "values", selectable });
  }
  const rank = { tree: 0, values: 1, range: 2 };
  return found.sort((a, b) => rank[a.kind] - rank[b.kind]).slice(0, shownPanels);
});

export const sortable = computed(() => fields.value.filter((field) => isSortable(field)));
export const places = computed(() => fields.value.filter((field) => field.type === "geo_point" && field.def.sort && !field.nested && !field.path.includes("*")));

/** @param {Field} field @param {number} value */
export const literal = (field, value) => (field.type === "timestamp" ? new Date(value).toISOString() : value);

const buckets = 24;

/**
 * rangesOf splits a span into equal ranges; integer fields get integer bounds.
 * @param {Field} field
 * @param {Span} span
 */
export function rangesOf(field, span) {
  const whole = field.type === "int32" || field.type === "int64" || field.type === "timestamp";
  const step = whole ? Math.max(1, Math.ceil((span.max - span.min + 1) / buckets)) : (span.max - span.min) / buckets || 1;
  const cuts = /** @type {number[]} */ ([]);
  for (let at = 0; at < buckets && (at === 0 || span.min + at * step <= span.max); at++) cuts.push(span.min + at * step);
  return cuts.map((from, at) => ({ from: literal(field, from), ...(at + 1 < cuts.length ? { to: literal(field, cuts[at + 1] ?? from) } : {}) }));
}

/** @param {Field} field @param {any} match */
const filterOn = (field, match) => (field.nested ? { type: "nested", path: field.nested, clauses: [{ field: field.path, match }] } : { field: field.path, match });

/** @returns {any[]} */
function filters() {
  const made = [];
  for (const [path, choice] of Object.entries(chosen.value)) {
    const field = fields.value.find((f) => f.path === path);
    if (!field) continue;
    if (choice.kind === "values" && choice.values.length) made.push(filterOn(field, { type: "in", values: choice.values }));
    if (choice.kind === "under") made.push(filterOn(field, { type: "under", path: choice.path }));
    if (choice.kind === "range" && (choice.from !== undefined || choice.to !== undefined)) {
      made.push(filterOn(field, { type: "range", ...(choice.from !== undefined ? { gte: literal(field, choice.from) } : {}), ...(choice.to !== undefined ? { lte: literal(field, choice.to) } : {}) }));
    }
  }
  return made;
}

/** @param {Panel} panel */
function facet({ field, kind }) {
  if (kind === "tree") return { field: field.path, depth: 3, limit: 12 };
  if (kind === "values") return { field: field.path, limit: 10 };
  const span = of(spans.value, field.path);
  return field.def.facet && span ? { field: field.path, ranges: rangesOf(field, span) } : null;
}

/** The request as set by the controls. */
export const made = computed(() => {
  /** @type {any} */
  const request = {};
  if (typed.value.trim()) {
    request.query = [{ type: "text", text: typed.value, match: "user", relax: relax.value, ...(typos.value === "off" ? { typos: "off" } : {}) }];
    const marked = fields.value.filter((f) => !f.nested && !f.path.includes("*") && (f.def.matching?.highlight || f.def.autocomplete?.highlight));
    if (marked.length) request.highlight = { fields: Object.fromEntries(marked.map((f) => [f.path, { ...mark }])) };
  }
  const narrowed = filters();
  if (narrowed.length) request.filters = narrowed;
  const counted = panels.value.map(facet).filter(Boolean);
  if (counted.length) request.facets = counted;
  const language = locale.value || titleLocale.value;
  if (language) request.locale = language;
  const order = sortOf();
  if (order) request.sort = [order];
  request.limit = size.value;
  if (cursor.value.after) request.after = cursor.value.after;
  if (cursor.value.before) request.before = cursor.value.before;
  return request;
});

function sortOf() {
  if (!sort.value) return null;
  const [path = "", order = "asc"] = sort.value.split(" ");
  if (order !== "near") return { field: path, order };
  const lat = Number(origin.value.lat), lon = Number(origin.value.lon);
  return origin.value.lat !== "" && origin.value.lon !== "" && Number.isFinite(lat) && Number.isFinite(lon) ? { type: "distance", field: path, lat, lon } : null;
}

/** The answer in which documents and facet values keep their long numbers. @param {import("./api.js").Answer} got */
function exactly({ body, text }) {
  const written = asWritten(text);
  const facets = Object.entries(body.facets ?? {}).map(([path, facet]) => [path, facet.values ? { ...facet, values: written.facets[path].values } : facet]);
  return { ...body, hits: written.hits, ...(body.facets ? { facets: Object.fromEntries(facets) } : {}) };
}

let sequence = 0;
/** @type {AbortController | undefined} */
let running;

/**
 * run sends a request. It cancels an older request; if the response to that one
 * still arrives, it is not shown.
 * @param {any} request
 */
export async function run(request) {
  running?.abort();
  running = new AbortController();
  const mine = ++sequence;
  busy.value = true;
  try {
    const got = await post(dataPath(name.value) + "/search", request, running.signal);
    if (mine !== sequence) return;
    performance.mark("answer");
    batch(() => {
      answer.value = exactly(got);
      forgiven.value = [];
      answered.value = { request, sent: got.sent };
      problem.value = null;
      busy.value = false;
    });
    requestAnimationFrame(() => setTimeout(() => performance.measure("render", "answer")));
    await findTypos(request, got.body, mine, running.signal);
  } catch (error) {
    if (isAborted(error) || mine !== sequence) return;
    batch(() => {
      problem.value = error;
      busy.value = false;
    });
  }
}

/** Cancels the running search; the results on screen stay. */
export function stop() {
  running?.abort();
  sequence++;
  busy.value = false;
}

/** @param {any} request @param {any} got @param {number} mine @param {AbortSignal} aborted */
async function findTypos(request, got, mine, aborted) {
  const [clause, ...others] = request.query ?? [];
  if (clause?.type !== "text" || clause.typos === "off" || others.length) return;
  const guesses = guessed(clause.text, got);
  if (!guesses.length) return;
  const found = await confirmed(request, guesses, aborted).catch(() => []); // without it, the chip is not shown
  if (mine === sequence) forgiven.value = found;
}

/** Applies a change to the search and goes back to the first page. @param {() => void} change */
export function ask(change) {
  batch(() => {
    cursor.value = { page: 1 };
    edited.value = "";
    change();
  });
}

/** Opens an index: reads its definition and the spans of its ordered fields. @param {string} wanted @param {string} [wantedGeneration] */
export async function openIndex(wanted, wantedGeneration = "") {
  stop(); // the results of another index
  batch(() => {
    index.value = wanted;
    generation.value = wantedGeneration;
    resource.value = null;
    spans.value = {};
    chosen.value = {};
    sort.value = "";
    cursor.value = { page: 1 };
    edited.value = "";
    answer.value = null;
    forgiven.value = [];
  });
  if (!wanted || !can("indexes.read", name.value)) return;
  const opened = name.value;
  try {
    const read = await readIndex(opened);
    if (opened !== name.value) return;
    const found = await readSpans(opened, fieldsOf(read.definition));
    if (opened !== name.value) return;
    batch(() => {
      spans.value = found;
      resource.value = read;
    });
  } catch (error) {
    if (opened === name.value) problem.value = error;
  }
}

onSignOut(() => {
  stop();
  void openIndex("");
  batch(() => {
    typed.value = "";
    locale.value = "";
    answered.value = null;
    problem.value = null;
  });
});

const spanned = 6;

/** @param {string} opened @param {Field[]} all @returns {Promise<Record<string, Span>>} */
async function readSpans(opened, all) {
  const wanted = all.filter((f) => isOrdered(f) && f.def.filter && f.def.sort && !f.nested && !f.multiple && !f.path.includes("*")).slice(0, spanned);
  /** @param {Field} field @param {string} order */
  const end = async (field, order) => {
    const got = await post(dataPath(opened) + "/search", { filters: [{ field: field.path, match: { type: "any" } }], sort: [{ field: field.path, order }], fields: [field.path], limit: 1 });
    return moment(field, valueAt(got.body.hits[0]?.document, field.path));
  };
  const found = await Promise.all(wanted.map(async (field) => {
    try {
      const [min, max] = await Promise.all([end(field, "asc"), end(field, "desc")]);
      return /** @type {const} */ ([field.path, { min, max }]);
    } catch {
      return /** @type {const} */ ([field.path, { min: NaN, max: NaN }]); // a field whose values are not returned has no slider
    }
  }));
  return Object.fromEntries(found.filter(([, span]) => Number.isFinite(span.min) && span.max > span.min));
}

/** @param {Field} field @param {any} value */
const moment = (field, value) => (isNumeric(field) ? Number(value ?? NaN) : Date.parse(value ?? ""));

/** @param {any} document @param {string} path */
export function valueAt(document, path) {
  let at = document;
  for (const part of path.split(".")) {
    if (at === null || typeof at !== "object") return undefined;
    at = Array.isArray(at) ? at.map((entry) => entry?.[part]) : of(at, part);
  }
  return at;
}

/** Returns the one variant of a localized value that a hit shows. @param {any} value @param {Field | undefined} field */
export function variant(value, field) {
  if (field?.def.locales && value && typeof value === "object" && !Array.isArray(value)) return Object.values(value)[0];
  return value;
}

/** Splits a fragment at its markers. @param {string} fragment @returns {{ text: string, marked: boolean }[]} */
export function pieces(fragment) {
  const parts = [];
  for (const [at, chunk] of fragment.split(mark.pre).entries()) {
    const [inside = "", ...rest] = at === 0 ? ["", chunk] : chunk.split(mark.post);
    if (inside) parts.push({ text: inside, marked: true });
    const after = rest.join("");
    if (after) parts.push({ text: after, marked: false });
  }
  return parts;
}

/** @param {string} word */
const fold = (word) => word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** Restricted Damerau-Levenshtein distance; 3 if the lengths differ by more than two. @param {string} a @param {string} b */
export function distance(a, b) {
  if (Math.abs(a.length - b.length) > 2) return 3;
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)));
  const at = (/** @type {number} */ i, /** @type {number} */ j) => rows[i]?.[j] ?? 9;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, at(i - 2, j - 2) + 1);
      const row = rows[i];
      if (row) row[j] = best;
    }
  }
  return at(a.length, b.length);
}

/** Returns the words in which a typo may have been corrected. @param {string} typed_ @returns {string[]} */
const wordsOf = (typed_) => typed_.replace(/"[^"]*"?/g, " ").split(/\s+/).filter((word) => word.length >= 3 && !word.startsWith("-"));

/** Returns the words marked in hits that contain a typed word. @param {any} got @param {string} word @returns {string[]} */
function markedFor(got, word) {
  const found = new Set(/** @type {string[]} */ ([]));
  for (const hit of got.hits) {
    if (hit.missing?.includes(word)) continue;
    for (const list of Object.values(hit.highlights ?? {})) {
      for (const fragment of list) for (const piece of pieces(fragment)) if (piece.marked) for (const part of piece.text.split(/[^\p{L}\p{N}]+/u)) found.add(part);
    }
  }
  return [...found].filter(Boolean);
}

/**
 * guessed lists typed words that differ by a typo from a marked word that no
 * other typed word explains.
 * @param {string} request
 * @param {any} got
 * @returns {{ word: string, read: string }[]}
 */
export function guessed(request, got) {
  const words = wordsOf(got.relaxed?.text ?? got.interpreted?.text ?? request);
  const found = [];
  for (const [at, word] of words.entries()) {
    const folded = fold(word);
    const others = words.filter((w) => w !== word).map(fold);
    const marked = markedFor(got, word).map((read) => ({ read, folded: fold(read) }));
    if (marked.some((m) => m.folded === folded)) continue;
    const within = (/** @type {string} */ candidate) => distance(folded, candidate) <= (folded.length < 8 ? 1 : 2);
    const near = marked.find((m) => (within(m.folded) || (at === words.length - 1 && within(m.folded.slice(0, folded.length)))) && !others.some((o) => m.folded.startsWith(o.slice(0, Math.max(3, o.length - 3)))));
    if (near) found.push({ word, read: near.read });
  }
  return found;
}

/**
 * confirmed keeps the guesses that are correct. The response to a search does not
 * list the typos it corrected, but a search without typo correction drops the
 * words that are in no document. If that search finds nothing at all, each word
 * is searched for separately.
 * @param {any} request @param {{ word: string, read: string }[]} guesses @param {AbortSignal} aborted
 */
async function confirmed(request, guesses, aborted) {
  const strict = async (/** @type {string} */ words) => (await post(dataPath(name.value) + "/search", {
    query: [{ ...request.query[0], text: words, relax: "words", typos: "off" }], limit: 0, ...(request.locale ? { locale: request.locale } : {}),
  }, aborted)).body;
  const whole = await strict(request.query[0].text);
  if (whole.total.count > 0) {
    const absent = (whole.relaxed?.dropped ?? []).filter((/** @type {any} */ d) => d.reason === "unmatched").map((/** @type {any} */ d) => fold(d.word));
    return guesses.filter((guess) => absent.includes(fold(guess.word)));
  }
  const alone = await Promise.all(guesses.slice(0, 5).map(async (guess) => ((await strict(guess.word)).total.count === 0 ? [guess] : [])));
  return alone.flat();
}

/** Quotes words of the typed text, so that they are not read as filters. @param {string} request @param {string[]} words */
export function quoted(request, words) {
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("\\s+"), "iu");
  return request.replace(pattern, (found) => '"' + found + '"');
}

/** Formats a reading in words: "price < 100 EUR". @param {any} reading_ */
export function reading(reading_) {
  const match = reading_.match;
  const tail = unitAfter(fields.value.find((f) => f.path === reading_.field)?.def);
  if (match.value !== undefined) return reading_.field + " = " + match.value + tail;
  const signs = /** @type {const} */ ([["gte", "≥"], ["gt", ">"], ["lte", "≤"], ["lt", "<"]]);
  return reading_.field + " " + signs.filter(([key]) => match[key] !== undefined).map(([key, sign]) => sign + " " + match[key]).join(" and ") + tail;
}
