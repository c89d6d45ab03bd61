// Settings being edited, and their effect on a set of queries.

import { adminPath, call, dataPath, get, post, Problem } from "./api.js";
import { titleField } from "./indexes.js";
import { valueAt, variant } from "./searching.js";
import { fieldsOf } from "./indexes.js";

/**
 * @typedef {{ settings: any, version: string }} Stored
 * @typedef {{ id: string, title: string, score?: number }} Line
 * @typedef {{ text: string, before: Line[], after: Line[], changed: number, problem?: unknown }} Compared
 */

/** Reads the stored settings; version is empty if there are none. @param {string} name @returns {Promise<Stored>} */
export async function readSettings(name) {
  try {
    const { body, headers } = await get(adminPath(name) + "/settings");
    const { version: _v, freshness: _f, unsupportedFeatures: _u, ...settings } = body;
    return { settings, version: headers.get("ETag") ?? "" };
  } catch (error) {
    if (error instanceof Problem && error.code === "settings:not_found") return { settings: {}, version: "" };
    throw error;
  }
}

/**
 * Stores settings, unless they were changed since they were read.
 * @param {string} name @param {any} settings @param {string} version
 */
export async function saveSettings(name, settings, version) {
  if (!version) {
    const now = await readSettings(name);
    if (now.version) {
      throw new Problem(412, "settings:version_mismatch", "Someone else saved settings in the meantime.", [{ code: "settings:version_mismatch", message: "Someone else saved settings in the meantime.", help: "Load the stored settings, or overwrite them with yours." }],
        { method: "PUT", path: adminPath(name) + "/settings", body: settings });
    }
  }
  await call("PUT", adminPath(name) + "/settings", { body: settings, headers: version ? { "If-Match": version } : {} });
}

const top = 10;

/**
 * Runs one query under the stored and under the edited settings.
 * @param {string} name @param {any} definition @param {any} edited @param {string} text @param {string} locale @param {AbortSignal} aborted
 * @returns {Promise<Compared>}
 */
export async function compare(name, definition, edited, text, locale, aborted) {
  const search = { query: [{ type: "text", text, match: "user", relax: "words" }], limit: top, ...(locale ? { locale } : {}) };
  const named = titleField(definition);
  const field = fieldsOf(definition).find((f) => f.path === named);
  /** @param {any} got @returns {Line[]} */
  const lines = (got) => got.hits.map((/** @type {any} */ hit) => ({ id: hit.id ?? "", title: String(variant(valueAt(hit.document, named), field) ?? hit.id), score: hit.score }));
  const [before, after] = await Promise.all([
    post(dataPath(name) + "/search", search, aborted),
    post(adminPath(name) + "/settings/actions/preview", { settings: edited, search }, aborted),
  ]);
  const a = lines(before.body), b = lines(after.body);
  return { text, before: a, after: b, changed: b.filter((line, at) => a[at]?.id !== line.id).length + Math.max(0, a.length - b.length) };
}

/** Asks the API to check edited settings. @param {string} name @param {any} edited @param {AbortSignal} aborted */
export const check = (name, edited, aborted) => post(adminPath(name) + "/settings/actions/preview", { settings: edited, search: { limit: 0 } }, aborted);

/** Returns how many places a hit moved up, or null if it is new. @param {Line[]} before @param {Line} line @param {number} at */
export function moved(before, line, at) {
  const was = before.findIndex((b) => b.id === line.id);
  return was < 0 ? null : was - at;
}

/** Returns the names of the judgement sets of an index. @param {string} name @returns {Promise<string[]>} */
export const judgementSets = async (name) => (await get(adminPath(name) + "/judgements")).body.judgements.map((/** @type {any} */ set) => set.name);

/**
 * Starts an evaluation. It waits for one that was just cancelled and may still be
 * ending. The request itself is not cancelled: its response names the evaluation
 * to cancel.
 * @param {string} name @param {any} request @param {AbortSignal} aborted @returns {Promise<import("./api.js").Answer>}
 */
async function begin(name, request, aborted) {
  for (let tries = 0; ; tries++) {
    aborted.throwIfAborted();
    try {
      return await post(adminPath(name) + "/actions/evaluate", request);
    } catch (error) {
      if (tries === 10 || !(error instanceof Problem) || error.code !== "evaluation:in_progress") throw error;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}

/** Returns the path of an evaluation. @param {string} name @param {string} id */
export const evaluationPath = (name, id) => adminPath(name) + "/evaluations/" + encodeURIComponent(id);

/** Waits, or returns at once when the signal is aborted. @param {number} wait @param {AbortSignal} aborted */
const pause = (wait, aborted) => /** @type {Promise<void>} */ (new Promise((resolve) => {
  const timer = setTimeout(resolve, wait);
  aborted.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, { once: true });
}));

/**
 * Evaluates edited settings against the stored ones with a judgement set, and
 * cancels the evaluation on the node if the signal is aborted.
 * @param {string} name @param {string} set @param {any} edited @param {AbortSignal} aborted @param {(body: any) => void} report
 */
export async function evaluate(name, set, edited, aborted, report) {
  let { body } = await begin(name, { judgements: set, settings: edited, against: {}, background: true }, aborted);
  const path = evaluationPath(name, body.id);
  for (let wait = 50; body.state === "running"; wait = Math.min(2 * wait, 500)) {
    if (!aborted.aborted) {
      report(body);
      await pause(wait, aborted);
    }
    ({ body } = aborted.aborted ? await post(path + "/actions/cancel") : await get(path));
  }
  report(body);
}
