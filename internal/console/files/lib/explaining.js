// Evaluates an explanation: which part of a score came from which word, field
// and signal, and which clause rejected a document.
//
// A step has a score, its child steps, and a description of how they combine.
// The description is for people, so this code uses the numbers: if the children
// add up to the step, it is their sum; if one child equals the step, it is the
// best of several; children without a clause multiply those with one.

/**
 * @typedef {{ matched: boolean, score: number, description: string, clause?: string, clauseType?: string, field?: string, usage?: string, locale?: string, children: Step[] }} Step
 * @typedef {{ word: string, field: string, kind: "text" | "filter" | "signal" | "other", label: string, value: number }} Part
 */

/** @param {number} a @param {number} b */
const near = (a, b) => Math.abs(a - b) <= 1e-3 * Math.max(1e-6, Math.abs(a), Math.abs(b));

/** @param {Step[]} steps */
const sum = (steps) => steps.reduce((total, step) => total + step.score, 0);

/** @param {string} description */
const quotedWord = (description) => /"([^"]+)"/.exec(description)?.[1] ?? "";

/** Returns the field of a step, or the only one below it. @param {Step} step @returns {string} */
function fieldOf(step) {
  if (step.field) return step.field;
  const below = new Set(step.children.filter((child) => child.matched).map(fieldOf).filter(Boolean));
  return below.size === 1 ? [...below][0] ?? "" : "";
}

/** Returns the word of a step, or the only one below it. @param {Step} step @returns {string} */
function wordOf(step) {
  const own = quotedWord(step.description);
  if (own) return own;
  const below = new Set(step.children.filter((child) => child.matched).map(wordOf).filter(Boolean));
  return below.size === 1 ? [...below][0] ?? "" : "";
}

/** Returns the lowest steps that name a field. @param {Step} step @returns {Step[]} */
function fieldSteps(step) {
  const below = step.children.filter((child) => child.matched && child.score > 0).flatMap(fieldSteps);
  return below.length || !step.field ? below : [step];
}

/** The context of a step: the word that was typed and the kind of clause. @typedef {{ word: string, clauseType: string }} Around */

/**
 * leaves returns the parts of a step whose children do not split it by their
 * numbers. A word scored over several fields at once is divided among the fields
 * in proportion to their scores.
 * @param {Step} step @param {Around} around @param {number} value @returns {Part[]}
 */
function leaves(step, around, value) {
  const field = fieldOf(step);
  const named = wordOf(step) || around.word;
  const isText = around.clauseType === "text" || step.usage === "matching" || step.usage === "autocomplete" || step.usage === "matching_exact";
  if (isText && named) {
    const held = field ? [] : fieldSteps(step);
    const whole = sum(held);
    if (whole > 0) return held.map((h) => text(named, h.field ?? "", (value * h.score) / whole));
    return [text(named, field, value)];
  }
  const said = step.description.replace(/^constant [\d.]+: /, "");
  if (around.clauseType === "field" || step.usage === "filter") return [{ word: "", field, kind: "filter", label: field + ": " + said, value }];
  return [{ word: "", field, kind: "other", label: (field ? field + ": " : "") + said, value }];
}

/** @param {string} word @param {string} field @param {number} value @returns {Part} */
const text = (word, field, value) => ({ word, field, kind: "text", label: "“" + word + "”" + (field ? " in " + field : ""), value });

/**
 * partsOf splits the score of a step into parts.
 * @param {Step} step
 * @param {Around} [outer]
 * @returns {Part[]}
 */
export function partsOf(step, outer = { word: "", clauseType: "" }) {
  const made = step.children.filter((child) => child.matched && child.score !== 0);
  const around = { word: quotedWord(step.description) || outer.word, clauseType: step.clauseType ?? outer.clauseType };
  if (!made.length) return step.score ? leaves(step, around, step.score) : [];
  const factors = made.filter((child) => !child.clause), bases = made.filter((child) => child.clause);
  if (factors.length && bases.length && near(sum(bases) * factors.reduce((product, f) => product * f.score, 1), step.score)) {
    return [...bases.flatMap((base) => partsOf(base, around)), ...lifts(factors, sum(bases))];
  }
  if (near(sum(made), step.score)) return made.flatMap((child) => partsOf(child, around));
  const best = made.find((child) => near(child.score, step.score));
  if (best) return partsOf(best, around);
  const only = made.length === 1 ? made[0] : undefined;
  if (only?.clause) return partsOf(only, around).map((part) => ({ ...part, value: (part.value * step.score) / only.score }));
  return leaves(step, around, step.score);
}

/** Returns what each signal adds to a base score, applied one after the other. @param {Step[]} factors @param {number} base @returns {Part[]} */
function lifts(factors, base) {
  const found = /** @type {Part[]} */ ([]);
  for (const factor of factors) {
    for (const signal of factor.children.length ? factor.children : [factor]) {
      const value = base * (signal.score - 1);
      base *= signal.score;
      if (value) found.push({ word: "", field: signal.field ?? "", kind: "signal", label: (signal.field ?? signal.description) + " ×" + signal.score.toFixed(2), value });
    }
  }
  return found;
}

/** Adds up parts with the same meaning and returns them, largest first. @param {Part[]} parts @returns {Part[]} */
export function merged(parts) {
  const found = /** @type {Map<string, Part>} */ (new Map());
  for (const part of parts) {
    const key = part.kind === "text" ? part.word + "\n" + part.field : part.kind === "signal" ? "signal\n" + part.field : part.label;
    const have = found.get(key);
    found.set(key, have ? { ...have, value: have.value + part.value } : part);
  }
  return [...found.values()].sort((a, b) => b.value - a.value);
}

/**
 * differences lists the parts by which the scores of two documents differ, largest first.
 * @param {Part[]} a
 * @param {Part[]} b
 */
export function differences(a, b) {
  const key = (/** @type {Part} */ part) => (part.kind === "text" ? part.word + "\n" + part.field : part.kind === "signal" ? "signal\n" + part.field : part.label);
  const all = new Map(/** @type {[string, { label: string, a: number, b: number }][]} */ ([]));
  const label = (/** @type {Part} */ part) => (part.kind === "signal" ? "signal " + part.field : part.label);
  for (const part of a) all.set(key(part), { label: label(part), a: part.value, b: 0 });
  for (const part of b) {
    const have = all.get(key(part));
    if (have) have.b = part.value;
    else all.set(key(part), { label: label(part), a: 0, b: part.value });
  }
  return [...all.values()].map((d) => ({ ...d, by: d.a - d.b })).filter((d) => Math.abs(d.by) > 1e-6).sort((x, y) => Math.abs(y.by) - Math.abs(x.by));
}

/**
 * refusal returns the deepest single step that explains why a document does not
 * match. Where several alternatives failed together, it is the step that holds
 * them. It returns null if the document matches.
 * @param {Step} step
 * @returns {Step | null}
 */
export function refusal(step) {
  if (step.matched) return null;
  const failed = step.children.filter((child) => !child.matched);
  const first = failed[0];
  const required = !step.clause || step.clauseType === "and" || step.clauseType === "text" || step.clauseType === "boost" || step.clauseType === "nested";
  if (first && (failed.length === 1 || (required && step.children.some((child) => child.matched)) || !step.clause)) return refusal(first) ?? first;
  return step;
}

/** Returns the clause that a path names in a request. @param {any} request @param {string | undefined} path */
export function clauseAt(request, path) {
  let at = request;
  for (const part of (path ?? "").split(/[.[\]]+/).filter(Boolean)) at = at?.[part];
  return at;
}
