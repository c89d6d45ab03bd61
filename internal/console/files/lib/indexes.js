// The indexes that the key can see, and what a definition says about its fields.

import { adminPath, call, get, inputProblem } from "./api.js";
import { computed, signal } from "./dom.js";
import { can, canSomewhere, namesOf, onSignOut } from "./session.js";

/**
 * @typedef {{ name: string, live: boolean, createdAt?: string }} Generation
 * @typedef {{ name: string, liveGeneration?: string, generations: Generation[] }} Index
 * @typedef {{ path: string, type: string, nested: string, multiple: boolean, def: any }} Field
 */

export const indexes = signal(/** @type {Index[]} */ ([]));
export const listed = signal(false);

onSignOut(() => {
  indexes.value = [];
  listed.value = false;
});

export async function listIndexes() {
  if (canSomewhere("indexes.read")) {
    indexes.value = (await get("/v1alpha1/admin/indexes")).body.indexes;
  } else {
    indexes.value = [];
  }
  listed.value = true;
}

/** The indexes that the key may search, whether or not it may list them. @type {import("../vendor/signals.js").ReadonlySignal<Index[]>} */
export const searchable = computed(() => {
  const found = indexes.value.filter((index) => can("search", index.name) || index.generations.some((g) => can("search", index.name + "@" + g.name)));
  const others = namesOf("search").filter((name) => !indexes.value.some((index) => index.name === name.split("@")[0]));
  return [...found, ...others.map((name) => ({ name, generations: [] }))];
});

/** @param {string} name @param {AbortSignal} [aborted] */
export const readIndex = async (name, aborted) => (await get(adminPath(name), aborted)).body;

/**
 * createIndex creates an index, and refuses to replace one that was created since
 * the list was read: to the node, PUT is both.
 * @param {string} name @param {string} definition as JSON
 */
export async function createIndex(name, definition) {
  await listIndexes();
  if (indexes.value.some((index) => index.name === name)) {
    throw inputProblem({ code: "index:already_exists", message: "An index named " + name + " already exists.", path: name, help: "Check that index first, or choose another name." });
  }
  await call("PUT", adminPath(name), { body: definition });
}

/**
 * fieldsOf lists the fields of a definition with their dotted paths; the children
 * of an object follow the object.
 * @param {any} definition
 * @returns {Field[]}
 */
export function fieldsOf(definition) {
  /** @type {Field[]} */
  const found = [];
  /** @param {any} fields @param {string} prefix @param {string} nested @param {boolean} multiple */
  const walk = (fields, prefix, nested, multiple) => {
    for (const [name, def] of Object.entries(fields ?? {})) {
      const path = prefix + name;
      const many = multiple || Boolean(def.multiple);
      found.push({ path, type: def.type, nested, multiple: many, def });
      if (def.type === "object") walk(def.fields, path + ".", nested || (def.mode === "nested" ? path : ""), many);
    }
  };
  walk(definition?.fields, "", "", false);
  return found;
}

/** Returns what a map holds for a field. A field may be called constructor. @template T @param {Record<string, T> | undefined} map @param {string} path */
export const of = (map, path) => (map && Object.hasOwn(map, path) ? map[path] : undefined);

const numeric = new Set(["int32", "int64", "float", "double"]);

/** @param {Field} field */
export const isNumeric = (field) => numeric.has(field.type);

/** @param {Field} field */
export const isOrdered = (field) => isNumeric(field) || field.type === "timestamp";

/** @param {Field} field */
export const isSortable = (field) => Boolean(field.def.sort || field.def.signal) && field.type !== "geo_point" && !field.path.includes("*");

/** @param {any} definition */
export const primaryKey = (definition) => fieldsOf(definition).find((field) => field.def.primaryKey)?.path ?? "";

/**
 * localesOf lists the locales that the fields declare.
 * @param {any} definition
 * @returns {string[]}
 */
export function localesOf(definition) {
  const tags = new Set(/** @type {string[]} */ ([]));
  for (const { def } of fieldsOf(definition)) {
    for (const tag of def.locales?.locales ?? def.locales?.only ?? []) tags.add(tag);
    if (def.locales?.defaultLocale) tags.add(def.locales.defaultLocale);
  }
  for (const tag of definition?.locales?.supported ?? []) tags.add(tag);
  return [...tags].sort();
}

/**
 * titleField guesses which field holds the title of a document: the single-valued
 * text field with the highest weight.
 * @param {any} definition
 */
export function titleField(definition) {
  const candidates = fieldsOf(definition).filter((field) => field.type === "string" && field.def.matching && !field.multiple && !field.path.includes("*"));
  const weight = (/** @type {Field} */ field) => (field.def.matching.weight ?? 1) + (/^(title|name|label|headline)$/i.test(field.path) ? 0.5 : 0);
  candidates.sort((a, b) => weight(b) - weight(a));
  return candidates[0]?.path ?? "";
}

/** Returns the unit as it stands after a number. XXX is the code of ISO 4217 for no currency. @param {any} def */
export const unitAfter = (def) => (def?.unit && def.unit !== "XXX" ? " " + def.unit : "");

/** Returns the usages of a field in words, for tables. @param {any} def */
export function usagesOf(def) {
  const words = [];
  if (def.primaryKey) words.push("key");
  if (def.required && !def.primaryKey) words.push("required");
  if (def.multiple) words.push(def.mode ? def.mode + " list" : "list");
  for (const usage of ["matching", "autocomplete", "filter", "facet", "sort", "hierarchy", "signal", "keyword", "stored"]) {
    if (!def[usage]) continue;
    words.push(usage === "matching" && def.matching.weight ? "matching ×" + def.matching.weight : usage);
  }
  if (def.locales) words.push((def.locales.locales ?? def.locales.only ?? [def.locales.defaultLocale]).join(" "));
  if (def.unit) words.push(unitAfter(def) ? "in" + unitAfter(def) : "no currency named");
  if (def.dimensions) words.push(def.dimensions + " dimensions");
  return words;
}
