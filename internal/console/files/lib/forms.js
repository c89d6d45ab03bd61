// Forms for search settings. Each edits its part of one object; the JSON beside
// them shows the same object.

import { checked, html, text } from "./dom.js";
import { fieldsOf, isNumeric } from "./indexes.js";
import { Icon } from "./ui.js";

/** @typedef {{ settings: any, definition: any, onChange: (settings: any) => void }} Props */

/** Settings without members that are empty. @param {any} settings */
export function tidy(settings) {
  const clean = { ...settings };
  for (const name of ["synonyms", "typoExclusions", "fields"]) {
    if (clean[name] && !Object.keys(clean[name]).length) delete clean[name];
  }
  return clean;
}

/** @param {string} line */
const words = (line) => line.split(",").map((w) => w.trim()).filter(Boolean);

/** A rule as a line: "coat, jacket" or "coat => jacket". @param {any} rule */
const lineOf = (rule) => (rule.mapping ? rule.mapping.from.join(", ") + " => " + rule.mapping.to.join(", ") : (rule.equivalent ?? []).join(", "));

/** @param {string} line */
function ruleOf(line) {
  const [from = "", to] = line.split("=>");
  return to === undefined ? { equivalent: words(line) } : { mapping: { from: words(from), to: words(to) } };
}

/** @param {string} taken */
const free = (/** @type {any} */ map, taken) => {
  let name = taken;
  for (let n = 2; map?.[name]; n++) name = taken + n;
  return name;
};

/** @param {{ label: string, onClick: () => void }} props */
const Remove = ({ label, onClick }) => html`<button type="button" class="quiet icon-only" aria-label=${label} onClick=${onClick}><${Icon} name="close" /></button>`;

/** @param {{ label: string, onClick: () => void }} props */
const Add = ({ label, onClick }) => html`<button type="button" class="quiet" onClick=${onClick}><${Icon} name="plus" />${label}</button>`;

/** @param {Props} props */
export function Synonyms({ settings, onChange }) {
  const sets = settings.synonyms ?? {};
  const put = (/** @type {any} */ next) => onChange(tidy({ ...settings, synonyms: next }));
  return html`<fieldset class="part"><legend>Synonyms</legend>
    <p class="hint">One rule a line: words that mean the same, separated by commas, or <code>from => to</code>.</p>
    ${Object.entries(sets).map(([name, set]) => html`<div class="set" key=${name}>
      <div class="form-row"><strong>${name}</strong><label>boost <input class="short" type="number" step="0.1" min="0.1" value=${set.boost ?? ""} placeholder="0.8"
        onChange=${text((v) => { const { boost: _, ...rest } = set; put({ ...sets, [name]: v === "" ? rest : { ...rest, boost: Number(v) } }); })} /></label>
        <${Remove} label=${"Remove the set " + name} onClick=${() => { const { [name]: _, ...rest } = sets; put(rest); }} /></div>
      <textarea rows=${Math.max(2, set.rules?.length ?? 0) + 1} aria-label=${"Rules of " + name} value=${(set.rules ?? []).map(lineOf).join("\n")}
        onChange=${text((v) => put({ ...sets, [name]: { ...set, rules: v.split("\n").filter((l) => l.trim()).map(ruleOf) } }))}></textarea></div>`)}
    <${Add} label="Add a set of synonyms" onClick=${() => put({ ...sets, [free(sets, "synonyms")]: { rules: [] } })} /></fieldset>`;
}

/** @param {Props} props */
export function TypoExclusions({ settings, onChange }) {
  const lists = settings.typoExclusions ?? {};
  const put = (/** @type {any} */ next) => onChange(tidy({ ...settings, typoExclusions: next }));
  return html`<fieldset class="part"><legend>Words that are spelled right</legend>
    <p class="hint">No typos are forgiven in these words, separated by commas.</p>
    ${Object.entries(lists).map(([name, list]) => html`<div class="form-row" key=${name}><label class="over grow">${name} <input value=${(list.words ?? []).join(", ")} onChange=${text((v) => put({ ...lists, [name]: { ...list, words: words(v) } }))} /></label>
      <${Remove} label=${"Remove the list " + name} onClick=${() => { const { [name]: _, ...rest } = lists; put(rest); }} /></div>`)}
    <${Add} label="Add a list" onClick=${() => put({ ...lists, [free(lists, "exact")]: { words: [] } })} /></fieldset>`;
}

const shapes = /** @type {const} */ ({ saturation: "pivot", linear: "ceiling", decay: "halfLife" });

/** @param {Props} props */
export function Ranking({ settings, definition, onChange }) {
  const ranking = settings.ranking;
  const fields = fieldsOf(definition).filter((f) => (f.def.sort || f.def.signal) && !f.path.includes("*"));
  const usable = fields.filter((f) => isNumeric(f) || f.type === "timestamp");
  const put = (/** @type {any} */ next) => onChange({ ...settings, ranking: next });
  const signals = ranking?.signals ?? [], ties = ranking?.tieBreakers ?? [];
  const setSignal = (/** @type {number} */ at, /** @type {any} */ signal) => put({ ...ranking, signals: signals.map((/** @type {any} */ s, /** @type {number} */ i) => (i === at ? signal : s)) });
  const setTie = (/** @type {number} */ at, /** @type {any} */ tie) => put({ ...ranking, tieBreakers: ties.map((/** @type {any} */ t, /** @type {number} */ i) => (i === at ? tie : t)) });
  const shapeOf = (/** @type {any} */ signal) => /** @type {keyof typeof shapes} */ (Object.keys(shapes).find((k) => signal[k]) ?? "saturation");
  const start = (/** @type {any} */ field) => ({ field: field.path, ...(field.type === "timestamp" ? { decay: { halfLife: 2592000 } } : { saturation: { pivot: 100 } }), weight: 0.5 });
  const options = (/** @type {any[]} */ list) => list.map((f) => html`<option key=${f.path} value=${f.path}>${f.path}</option>`);
  return html`<fieldset class="part"><legend>Signals and tie breakers</legend>
    <p class="hint">${ranking ? "These replace the ranking of the definition." : "The ranking of the definition is in force."}</p>
    ${!ranking && html`<${Add} label="Replace it" onClick=${() => put(definition.ranking ?? { signals: [] })} />`}
    ${ranking && html`${signals.map((/** @type {any} */ signal, /** @type {number} */ at) => {
      const shape = shapeOf(signal), parameter = shapes[shape];
      return html`<div class="form-row" key=${at}>
        <label>field <select value=${signal.field} onChange=${text((v) => { const field = usable.find((f) => f.path === v); if (field) setSignal(at, { ...start(field), weight: signal.weight ?? 1 }); })}>${options(usable)}</select></label>
        <label>shape <select value=${shape} onChange=${text((v) => { const { saturation: _s, linear: _l, decay: _d, ...rest } = signal; setSignal(at, { ...rest, [v]: { [shapes[/** @type {keyof typeof shapes} */ (v)]]: signal[shape]?.[parameter] ?? 100 } }); })}>${Object.keys(shapes).map((k) => html`<option key=${k} value=${k}>${k}</option>`)}</select></label>
        <label>${parameter} <input class="short" type="number" step="any" min="0" value=${signal[shape]?.[parameter] ?? ""} onChange=${text((v) => setSignal(at, { ...signal, [shape]: { [parameter]: Number(v) } }))} /></label>
        <label>weight <input class="short" type="number" step="0.1" min="0" value=${signal.weight ?? 1} onChange=${text((v) => setSignal(at, { ...signal, weight: Number(v) }))} /></label>
        <${Remove} label=${"Remove the signal " + signal.field} onClick=${() => put({ ...ranking, signals: signals.filter((/** @type {any} */ _, /** @type {number} */ i) => i !== at) })} /></div>`;
    })}
    ${ties.map((/** @type {any} */ tie, /** @type {number} */ at) => html`<div class="form-row" key=${"tie" + at}>
      <label>ties by <select value=${tie.field} onChange=${text((v) => setTie(at, { ...tie, field: v }))}>${options(fields)}</select></label>
      <label>order <select value=${tie.direction ?? "descending"} onChange=${text((v) => setTie(at, { ...tie, direction: v }))}><option value="descending">highest first</option><option value="ascending">lowest first</option></select></label>
      <${Remove} label=${"Remove the tie breaker " + tie.field} onClick=${() => put({ ...ranking, tieBreakers: ties.filter((/** @type {any} */ _, /** @type {number} */ i) => i !== at) })} /></div>`)}
    ${usable[0] && html`<${Add} label="Add a signal" onClick=${() => put({ ...ranking, signals: [...signals, start(usable[0])] })} />`}
    ${fields[0] && html`<${Add} label="Add a tie breaker" onClick=${() => put({ ...ranking, tieBreakers: [...ties, { field: fields[0]?.path }] })} />`}
    <${Add} label="Back to the definition's" onClick=${() => { const { ranking: _, ...rest } = settings; onChange(rest); }} />`}</fieldset>`;
}

/** @param {Props} props */
export function Fields({ settings, definition, onChange }) {
  const usable = fieldsOf(definition).filter((f) => f.type === "string" && f.def.facet && !f.def.hierarchy && !f.path.includes("*"));
  const all = settings.fields ?? {};
  const set = (/** @type {string} */ path, /** @type {string} */ name, /** @type {boolean} */ on) => {
    const { [name]: _, ...rest } = all[path] ?? {};
    const next = on ? { ...rest, [name]: {} } : rest;
    const { [path]: _p, ...others } = all;
    onChange(tidy({ ...settings, fields: Object.keys(next).length ? { ...others, [path]: next } : others }));
  };
  if (!usable.length) return null;
  return html`<fieldset class="part"><legend>Values in typed text</legend><p class="hint">Read: a value that is typed becomes a filter. Suggest: its values complete what is typed.</p>
    <table><thead><tr><th>Field</th><th>Read</th><th>Suggest</th><th class="number">Declared values</th></tr></thead><tbody>
    ${usable.map((f) => html`<tr key=${f.path}><td><code>${f.path}</code></td>${["interpret", "suggest"].map((name) => html`<td key=${name}><input type="checkbox" aria-label=${name + " " + f.path} disabled=${name === "interpret" && !f.def.filter} checked=${Boolean(all[f.path]?.[name])} onChange=${checked((on) => set(f.path, name, on))} /></td>`)}
      <td class="number">${all[f.path]?.values?.length ?? 0}</td></tr>`)}</tbody></table></fieldset>`;
}
