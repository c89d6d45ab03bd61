// Facets: counts that narrow a search. Several values of one field may be
// selected; a facet ignores its own filter, so its counts stay complete.

import { dataPath, isAborted, post } from "./api.js";
import { classes, html, text, useEffect, useRef, useState } from "./dom.js";
import { of, unitAfter } from "./indexes.js";
import { asWritten, isSame, shownNumbers } from "./json.js";
import { ask, chosen, literal, made, name } from "./searching.js";
import { compact, count, Dialog, plural, ProblemView, useSettled } from "./ui.js";

/** @typedef {import("./searching.js").Panel} Panel */

/** @param {Panel} panel @param {any} value */
function toggle(panel, value) {
  const path = panel.field.path;
  const now = of(chosen.value, path);
  const values = now?.kind === "values" ? now.values : [];
  const next = values.some((v) => isSame(v, value)) ? values.filter((v) => !isSame(v, value)) : [...values, value];
  ask(() => (chosen.value = { ...chosen.value, [path]: { kind: "values", values: next } }));
}

/** @param {string} path */
export function clear(path) {
  ask(() => {
    const { [path]: _, ...rest } = chosen.value;
    chosen.value = rest;
  });
}

/** @param {any} value */
const shown = (value) => (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 10) : String(value));

/** @param {{ panel: Panel, entry: any, most: number }} props */
function Value({ panel, entry, most }) {
  const now = of(chosen.value, panel.field.path);
  const on = now?.kind === "values" && now.values.some((v) => isSame(v, entry.value));
  const label = html`<span class="facet-name" dir="auto">${entry.label ?? shown(shownNumbers(entry.value))}</span><span class="facet-count">${compact(entry.count)}</span>
    <span class="facet-bar" style=${{ width: (100 * entry.count) / Math.max(most, 1) + "%" }}></span>`;
  if (!panel.selectable) return html`<li class="facet-value">${label}</li>`;
  return html`<li><label class=${classes("facet-value", on && "on")}><input type="checkbox" checked=${on} onChange=${() => toggle(panel, entry.value)} />${label}</label></li>`;
}

/** @param {{ panel: Panel, result: any }} props */
function Values({ panel, result }) {
  const [open, setOpen] = useState(false);
  const values = result?.values ?? [];
  const now = of(chosen.value, panel.field.path);
  const hidden = (now?.kind === "values" ? now.values : []).filter((v) => !values.some((/** @type {any} */ entry) => isSame(entry.value, v))).map((value) => ({ value, count: 0 }));
  const most = Math.max(1, ...values.map((/** @type {any} */ v) => v.count));
  return html`<ul class="facet-values">${[...values, ...hidden].map((entry) => html`<${Value} key=${JSON.stringify(entry.value)} panel=${panel} entry=${entry} most=${most} />`)}</ul>
    ${result?.totalValues > values.length && html`<button type="button" class="quiet more" onClick=${() => setOpen(true)}>Show all ${plural(result.totalValues, "value", "values")}…</button>`}
    ${open && html`<${AllValues} panel=${panel} onClose=${() => setOpen(false)} />`}`;
}

/** Lists the values of one facet that start with a prefix. @param {{ panel: Panel, onClose: () => void }} props */
function AllValues({ panel, onClose }) {
  const [prefix, setPrefix] = useState("");
  const [result, setResult] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const settled = useSettled(prefix, 60);
  useEffect(() => {
    const aborted = new AbortController();
    const { query, filters, locale } = made.value;
    post(dataPath(name.value) + "/facets/" + encodeURIComponent(panel.field.path) + "/values", { query, filters, locale, prefix: settled, limit: 200 }, aborted.signal)
      .then((got) => { setResult(asWritten(got.text)); setProblem(null); }, (error) => isAborted(error) || setProblem(error));
    return () => aborted.abort();
  }, [settled]);
  const values = result?.values ?? [];
  const most = Math.max(1, ...values.map((/** @type {any} */ v) => v.count));
  return html`<${Dialog} title=${"Values of " + panel.field.path} onClose=${onClose}>
    <input type="search" aria-label="Values that start with" placeholder="Starts with…" value=${prefix} onInput=${text(setPrefix)} />
    <${ProblemView} problem=${problem} />
    ${result && html`<p class="hint" role="status">${count(values.length)} of ${plural(result.totalValues, "value", "values")}</p>`}
    <ul class="facet-values columns">${values.map((/** @type {any} */ entry) => html`<${Value} key=${JSON.stringify(entry.value)} panel=${panel} entry=${entry} most=${most} />`)}</ul>
  </${Dialog}>`;
}

/** @param {{ panel: Panel, values: any[] }} props */
function Tree({ panel, values }) {
  const now = of(chosen.value, panel.field.path);
  const at = now?.kind === "under" ? now.path : "";
  return html`<ul class="facet-tree">${values.map((entry) => {
    const on = at === entry.path;
    const inside = on || at.startsWith(entry.path + (panel.field.def.hierarchy?.separator ?? "/"));
    return html`<li key=${entry.path}>
      <button type="button" class=${classes("facet-value", on && "on")} aria-pressed=${on}
        onClick=${() => (on ? clear(panel.field.path) : ask(() => (chosen.value = { ...chosen.value, [panel.field.path]: { kind: "under", path: entry.path } })))}>
        <span class="facet-name" dir="auto">${entry.value}</span><span class="facet-count">${compact(entry.count)}</span></button>
      ${(inside || values.length === 1) && entry.values && html`<${Tree} panel=${panel} values=${entry.values} />`}
    </li>`;
  })}</ul>`;
}

/** @param {Panel} panel @param {number} value */
function label(panel, value) {
  if (panel.field.type === "timestamp") return String(literal(panel.field, value)).slice(0, 10);
  return compact(value) + unitAfter(panel.field.def);
}

/** @param {{ panel: Panel, result: any, span: import("./searching.js").Span }} props */
function Range({ panel, result, span }) {
  const path = panel.field.path;
  const now = of(chosen.value, path);
  const held = now?.kind === "range" ? now : undefined;
  const [from, setFrom] = useState(held?.from ?? span.min);
  const [to, setTo] = useState(held?.to ?? span.max);
  const touched = useRef(false);
  useEffect(() => {
    if (!held) {
      setFrom(span.min);
      setTo(span.max);
    }
  }, [held, span.min, span.max]);
  const low = useSettled(from, 120), high = useSettled(to, 120);
  useEffect(() => {
    if (!touched.current) return;
    touched.current = false;
    ask(() => (chosen.value = { ...chosen.value, [path]: { kind: "range", ...(low > span.min ? { from: low } : {}), ...(high < span.max ? { to: high } : {}) } }));
  }, [low, high]);
  const whole = panel.field.type === "int32" || panel.field.type === "int64" || panel.field.type === "timestamp";
  const step = whole ? Math.max(1, Math.round((span.max - span.min) / 500)) : (span.max - span.min) / 500;
  const buckets = result?.buckets ?? [];
  const most = Math.max(1, ...buckets.map((/** @type {any} */ b) => b.count));
  const move = (/** @type {(value: number) => void} */ set, /** @type {(value: number) => number} */ bound) => text((value) => {
    touched.current = true;
    set(bound(Number(value)));
  });
  const inRange = (/** @type {any} */ bucket, /** @type {number} */ at) => {
    const start = typeof bucket.from === "string" ? Date.parse(bucket.from) : bucket.from;
    const next = buckets[at + 1]?.from;
    const end = next === undefined ? span.max : typeof next === "string" ? Date.parse(next) : next;
    return end >= from && start <= to;
  };
  return html`<div class="range">
    ${buckets.length > 0 && html`<div class="histogram" aria-hidden="true">${buckets.map((/** @type {any} */ bucket, /** @type {number} */ at) =>
      html`<span key=${at} class=${inRange(bucket, at) ? "in" : ""} style=${{ height: (bucket.count ? 6 + (94 * bucket.count) / most : 0) + "%" }}></span>`)}</div>`}
    <div class="sliders">
      <input type="range" aria-label=${path + " from"} aria-valuetext=${label(panel, from)} min=${span.min} max=${span.max} step=${step} value=${from} onInput=${move(setFrom, (v) => Math.min(v, to))} />
      <input type="range" aria-label=${path + " to"} aria-valuetext=${label(panel, to)} min=${span.min} max=${span.max} step=${step} value=${to} onInput=${move(setTo, (v) => Math.max(v, from))} />
    </div>
    <p class="range-ends"><span>${label(panel, from)}</span><span>${label(panel, to)}</span></p>
  </div>`;
}

/** @param {{ panels: Panel[], results: any, spans: Record<string, import("./searching.js").Span> }} props */
export function Facets({ panels, results, spans }) {
  return html`<aside class="facets" aria-label="Facets">
    ${panels.map((panel) => {
      const path = panel.field.path;
      const choice = of(chosen.value, path);
      const active = choice && !(choice.kind === "values" && !choice.values.length);
      const span = of(spans, path);
      return html`<fieldset key=${path}><legend>${path}${active && html` <button type="button" class="quiet clear" aria-label=${"Clear " + path} onClick=${() => clear(path)}>Clear</button>`}</legend>
        ${panel.kind === "values" && html`<${Values} panel=${panel} result=${of(results, path)} />`}
        ${panel.kind === "tree" && html`<${Tree} panel=${panel} values=${of(results, path)?.values ?? []} />`}
        ${panel.kind === "range" && span && html`<${Range} panel=${panel} result=${of(results, path)} span=${span} />`}
      </fieldset>`;
    })}
  </aside>`;
}
