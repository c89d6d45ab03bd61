// Parses the meters of the node from the output of /q/metrics.

/** @typedef {{ name: string, labels: Record<string, string>, value: number }} Sample @typedef {Sample[]} Meters */

/** @param {string} content @returns {Meters} */
export function readMeters(content) {
  const found = /** @type {Meters} */ ([]);
  for (const line of content.split("\n")) {
    if (!line || line[0] === "#") continue;
    const at = line.lastIndexOf(" ");
    const [, name = "", inside = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?$/.exec(line.slice(0, at)) ?? [];
    const labels = /** @type {Record<string, string>} */ ({});
    for (const [, key = "", value = ""] of inside.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[key] = value.replace(/\\(.)/g, (_, c) => (c === "n" ? "\n" : c));
    if (name) found.push({ name, labels, value: Number(line.slice(at + 1)) });
  }
  return found;
}

/** @param {AbortSignal} [aborted] @returns {Promise<Meters>} */
export async function meters(aborted) {
  const response = await fetch("/q/metrics", { cache: "no-store", credentials: "omit", signal: aborted ?? null });
  return readMeters(await response.text());
}

/** Returns the sum of the samples with a name and the given labels. @param {Meters} all @param {string} name @param {Record<string, string>} [labels] */
export const valueOf = (all, name, labels = {}) => all.reduce((total, sample) =>
  (sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value) ? total + sample.value : total), 0);
