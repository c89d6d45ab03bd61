// Declared values of a field: their order in facets and their labels.

import { html, text, useState } from "./dom.js";
import { count, Icon, plural } from "./ui.js";

const shown = 50;

/** @typedef {{ value: string, order?: number, labels?: Record<string, string> }} Declared */

/** @param {Declared} declared @param {string} locale @param {string} label @returns {Declared} */
function labelled({ labels = {}, ...rest }, locale, label) {
  const { [locale]: _, ...others } = labels;
  const next = label ? { ...others, [locale]: label } : others;
  return Object.keys(next).length ? { ...rest, labels: next } : rest;
}

/** @param {Declared} declared @param {string} order @returns {Declared} */
function ordered({ order: _, ...rest }, order) {
  return order === "" ? rest : { ...rest, order: Number(order) };
}

/**
 * A table of declared values, one page at a time.
 * @param {{ path: string, values: Declared[], locales: string[], onChange: (values: Declared[]) => void }} props
 */
export function Values({ path, values, locales, onChange }) {
  const [from, setFrom] = useState(0);
  const [more, setMore] = useState(/** @type {string[]} */ ([]));
  const [locale, setLocale] = useState("");
  const start = Math.min(from, Math.max(0, values.length - 1));
  const columns = [...new Set([...locales, ...more, ...values.flatMap((v) => Object.keys(v.labels ?? {}))])];
  const set = (/** @type {number} */ at, /** @type {Declared} */ next) => onChange(values.map((v, i) => (i === at ? next : v)));
  const addLocale = () => {
    if (locale.trim()) setMore([...more, locale.trim()]);
    setLocale("");
  };
  return html`<details><summary>${path}: ${values.length ? plural(values.length, "declared value", "declared values") : "no declared values"}</summary>
    <div class="stack">
      ${values.length > 0 && html`<div class="table" tabindex="0" role="region" aria-label=${"Declared values of " + path}><table><thead><tr><th>Value</th><th>Order</th>${columns.map((c) => html`<th key=${c}>Label ${c}</th>`)}<th><span class="hidden">Actions</span></th></tr></thead>
        <tbody>${values.slice(start, start + shown).map((v, i) => {
          const at = start + i, of = "value " + (at + 1) + " of " + path;
          return html`<tr key=${at}><td><input aria-label=${"Text of " + of} dir="auto" value=${v.value ?? ""} onChange=${text((next) => set(at, { ...v, value: next }))} /></td>
            <td><input class="short" type="number" step="1" aria-label=${"Order of " + of} value=${v.order ?? ""} onChange=${text((next) => set(at, ordered(v, next)))} /></td>
            ${columns.map((c) => html`<td key=${c}><input aria-label=${"Label " + c + " of " + of} dir="auto" value=${v.labels?.[c] ?? ""} onChange=${text((next) => set(at, labelled(v, c, next)))} /></td>`)}
            <td><button type="button" class="quiet icon-only" aria-label=${"Remove " + of} onClick=${() => onChange(values.filter((_, other) => other !== at))}><${Icon} name="close" /></button></td></tr>`;
        })}</tbody></table></div>`}
      ${values.length > shown && html`<div class="pager"><button type="button" disabled=${start === 0} onClick=${() => setFrom(Math.max(0, start - shown))}>Previous values</button>
        <span class="hint">${count(start + 1)} to ${count(Math.min(start + shown, values.length))} of ${count(values.length)}</span>
        <button type="button" disabled=${start + shown >= values.length} onClick=${() => setFrom(start + shown)}>Next values</button></div>`}
      <div class="form-row"><button type="button" class="quiet" onClick=${() => { onChange([...values, { value: "" }]); setFrom(Math.floor(values.length / shown) * shown); }}><${Icon} name="plus" />Add a value to ${path}</button>
        <label>Locale <input class="short" value=${locale} placeholder="en" aria-label=${"Locale for more labels of " + path} onInput=${text(setLocale)} /></label><button type="button" class="quiet" onClick=${addLocale}>Add locale</button></div>
    </div></details>`;
}
