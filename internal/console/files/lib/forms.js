// Forms for search settings. Each edits its part of one object; the JSON editor
// beside them shows the same object.

import { checked, html, submit, text, useState } from "./dom.js";
import { fieldsOf, isNumeric, localesOf } from "./indexes.js";
import { Icon } from "./ui.js";
import { Values } from "./values.js";

/**
 * @typedef {import("./api.js").Detail} Detail
 * @typedef {{ settings: any, definition: any, problems: Detail[], onChange: (settings: any) => void }} Props
 */

/** Returns settings without empty members. @param {any} settings */
export function tidy(settings) {
  const clean = { ...settings };
  for (const name of ["synonyms", "typoExclusions", "fields"]) {
    if (clean[name] && !Object.keys(clean[name]).length) delete clean[name];
  }
  return clean;
}

/** @param {string} line */
const words = (line) => line.split(",").map((w) => w.trim()).filter(Boolean);

/** Formats a rule as a line: "coat, jacket" or "coat => jacket". @param {any} rule */
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

/** The problems that the API reports for one part. @param {{ problems: Detail[], at: string }} props */
const Wrong = ({ problems, at }) => problems.filter((p) => p.path === at || p.path?.startsWith(at + ".") || p.path?.startsWith(at + "["))
  .map((p) => html`<p class="wrong" key=${p.path + p.code}><code>${p.path}</code> ${p.message}</p>`);

/** Returns a map with one of its names changed, in the same order. @param {any} map @param {string} from @param {string} to */
const renamed = (map, from, to) => Object.fromEntries(Object.entries(map).map(([name, value]) => [name === from ? to : name, value]));

/** Returns a set with a member, or without it if the value is undefined. @param {any} set @param {string} name @param {any} value */
function withMember(set, name, value) {
  const { [name]: _, ...rest } = set;
  return value === undefined ? rest : { ...rest, [name]: value };
}

/**
 * Selects the fields that a set is limited to; none selected means all.
 * @param {{ of: string, chosen: string[] | undefined, definition: any, onChange: (fields: string[] | undefined) => void }} props
 */
function FieldChoice({ of, chosen = [], definition, onChange }) {
  const usable = fieldsOf(definition).filter((f) => (f.def.matching || f.def.autocomplete) && !f.path.includes("*")).map((f) => f.path);
  const tick = (/** @type {string} */ path, /** @type {boolean} */ on) => {
    const next = on ? [...chosen, path] : chosen.filter((c) => c !== path);
    onChange(next.length ? next : undefined);
  };
  return html`<details><summary>${chosen.length ? "Applies to " + chosen.join(", ") : "Applies to all fields"}</summary>
    <div class="ticks" role="group" aria-label=${"Fields of " + of}>${[...new Set([...usable, ...chosen])].map((path) => html`<label key=${path}><input type="checkbox" checked=${chosen.includes(path)} onChange=${checked((on) => tick(path, on))} />${path}</label>`)}</div></details>`;
}

/** An input for the name of a set. @param {{ label: string, name: string, map: any, put: (map: any) => void }} props */
const SetName = ({ label, name, map, put }) => html`<label>${label} <input class="short" value=${name} required
  onChange=${(/** @type {any} */ event) => { const to = event.currentTarget.value.trim(); if (to && !(to in map)) put(renamed(map, name, to)); else event.currentTarget.value = name; }} /></label>`;

/** @param {Props} props */
export function Synonyms({ settings, definition, problems, onChange }) {
  const sets = settings.synonyms ?? {};
  const put = (/** @type {any} */ next) => onChange(tidy({ ...settings, synonyms: next }));
  return html`<fieldset class="part"><legend>Synonyms</legend>
    <p class="hint">One rule per line: words with the same meaning, separated by commas, or <code>from => to</code>.</p>
    ${Object.entries(sets).map(([name, set]) => html`<div class="set" key=${name}>
      <div class="form-row"><${SetName} label="Set" name=${name} map=${sets} put=${put} /><label>Boost <input class="short" type="number" step="any" min="0" value=${set.boost ?? ""} placeholder="0.8"
        onChange=${text((v) => put({ ...sets, [name]: withMember(set, "boost", v === "" ? undefined : Number(v)) }))} /></label>
        <${Remove} label=${"Remove the set " + name} onClick=${() => { const { [name]: _, ...rest } = sets; put(rest); }} /></div>
      <textarea rows=${Math.max(2, set.rules?.length ?? 0) + 1} aria-label=${"Rules of " + name} dir="auto" value=${(set.rules ?? []).map(lineOf).join("\n")}
        onChange=${text((v) => put({ ...sets, [name]: { ...set, rules: v.split("\n").filter((l) => l.trim()).map(ruleOf) } }))}></textarea>
      <${FieldChoice} of=${name} chosen=${set.fields} definition=${definition} onChange=${(/** @type {any} */ fields) => put({ ...sets, [name]: withMember(set, "fields", fields) })} /></div>`)}
    <${Wrong} problems=${problems} at="synonyms" />
    <${Add} label="Add a synonym set" onClick=${() => put({ ...sets, [free(sets, "synonyms")]: { rules: [] } })} /></fieldset>`;
}

/** @param {Props} props */
export function TypoExclusions({ settings, definition, problems, onChange }) {
  const lists = settings.typoExclusions ?? {};
  const put = (/** @type {any} */ next) => onChange(tidy({ ...settings, typoExclusions: next }));
  return html`<fieldset class="part"><legend>Words without typos</legend>
    <p class="hint">Words that are never corrected, separated by commas.</p>
    ${Object.entries(lists).map(([name, list]) => html`<div class="set" key=${name}><div class="form-row"><${SetName} label="List" name=${name} map=${lists} put=${put} />
      <label class="grow">Words <input class="grow" aria-label=${"Words of " + name} dir="auto" value=${(list.words ?? []).join(", ")} onChange=${text((v) => put({ ...lists, [name]: { ...list, words: words(v) } }))} /></label>
      <${Remove} label=${"Remove the list " + name} onClick=${() => { const { [name]: _, ...rest } = lists; put(rest); }} /></div>
      <${FieldChoice} of=${name} chosen=${list.fields} definition=${definition} onChange=${(/** @type {any} */ fields) => put({ ...lists, [name]: withMember(list, "fields", fields) })} /></div>`)}
    <${Wrong} problems=${problems} at="typoExclusions" />
    <${Add} label="Add a list" onClick=${() => put({ ...lists, [free(lists, "exact")]: { words: [] } })} /></fieldset>`;
}

const shapes = /** @type {const} */ ({ saturation: "pivot", linear: "ceiling", decay: "halfLife" });
const parameterLabels = { pivot: "Pivot", ceiling: "Ceiling", halfLife: "Half-life (seconds)" };

/** @param {Props} props */
export function Ranking({ settings, definition, problems, onChange }) {
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
    <p class="hint">${ranking ? "These settings replace the ranking in the definition." : "The ranking in the definition applies."}</p>
    ${!ranking && html`<${Add} label="Replace ranking" onClick=${() => put(definition.ranking ?? { signals: [] })} />`}
    ${ranking && html`${signals.map((/** @type {any} */ signal, /** @type {number} */ at) => {
      const shape = shapeOf(signal), parameter = shapes[shape];
      return html`<div class="form-row" key=${at}>
        <label>Field <select value=${signal.field} onChange=${text((v) => { const field = usable.find((f) => f.path === v); if (field) setSignal(at, { ...start(field), weight: signal.weight ?? 1 }); })}>${options(usable)}</select></label>
        <label>Shape <select value=${shape} onChange=${text((v) => { const { saturation: _s, linear: _l, decay: _d, ...rest } = signal; setSignal(at, { ...rest, [v]: { [shapes[/** @type {keyof typeof shapes} */ (v)]]: signal[shape]?.[parameter] ?? 100 } }); })}>${Object.keys(shapes).map((k) => html`<option key=${k} value=${k}>${k}</option>`)}</select></label>
        <label>${parameterLabels[parameter]} <input class="short" type="number" step="any" min="0" value=${signal[shape]?.[parameter] ?? ""} onChange=${text((v) => setSignal(at, { ...signal, [shape]: { [parameter]: Number(v) } }))} /></label>
        <label>Weight <input class="short" type="number" step="0.1" min="0" value=${signal.weight ?? 1} onChange=${text((v) => setSignal(at, { ...signal, weight: Number(v) }))} /></label>
        <${Remove} label=${"Remove the signal " + signal.field} onClick=${() => put({ ...ranking, signals: signals.filter((/** @type {any} */ _, /** @type {number} */ i) => i !== at) })} /></div>`;
    })}
    ${ties.map((/** @type {any} */ tie, /** @type {number} */ at) => html`<div class="form-row" key=${"tie" + at}>
      <label>Tie breaker <select value=${tie.field} onChange=${text((v) => setTie(at, { ...tie, field: v }))}>${options(fields)}</select></label>
      <label>Order <select value=${tie.direction ?? "descending"} onChange=${text((v) => setTie(at, { ...tie, direction: v }))}><option value="descending">Highest first</option><option value="ascending">Lowest first</option></select></label>
      <${Remove} label=${"Remove the tie breaker " + tie.field} onClick=${() => put({ ...ranking, tieBreakers: ties.filter((/** @type {any} */ _, /** @type {number} */ i) => i !== at) })} /></div>`)}
    <${Wrong} problems=${problems} at="ranking" />
    ${usable[0] && html`<${Add} label="Add a signal" onClick=${() => put({ ...ranking, signals: [...signals, start(usable[0])] })} />`}
    ${fields[0] && html`<${Add} label="Add a tie breaker" onClick=${() => put({ ...ranking, tieBreakers: [...ties, { field: fields[0]?.path }] })} />`}
    <${Add} label="Use the ranking in the definition" onClick=${() => { const { ranking: _, ...rest } = settings; onChange(rest); }} />`}</fieldset>`;
}

/** @param {Props} props */
export function Fields({ settings, definition, problems, onChange }) {
  const [added, setAdded] = useState("");
  const faceted = fieldsOf(definition).filter((f) => f.type === "string" && f.def.facet && !f.def.hierarchy);
  const filtered = new Set(faceted.filter((f) => f.def.filter).map((f) => f.path));
  const all = settings.fields ?? {};
  const paths = [...new Set([...faceted.map((f) => f.path).filter((p) => !p.includes("*")), ...Object.keys(all)])];
  const open = faceted.some((f) => f.path.includes("*"));
  const put = (/** @type {string} */ path, /** @type {any} */ next) => onChange(tidy({ ...settings, fields: withMember(all, path, Object.keys(next).length ? next : undefined) }));
  const refusesReading = (/** @type {string} */ path) => faceted.some((f) => f.path === path) && !filtered.has(path);
  if (!paths.length && !open) return null;
  return html`<fieldset class="part"><legend>Values in typed text</legend><p class="hint">Interpret: a typed value becomes a filter. Suggest: values of the field complete the typed text.</p>
    <table><thead><tr><th>Field</th><th>Interpret</th><th>Suggest</th></tr></thead><tbody>
    ${paths.map((path) => html`<tr key=${path}><td><code>${path}</code></td>${["interpret", "suggest"].map((name) => html`<td key=${name}><input type="checkbox" aria-label=${name + " " + path} disabled=${name === "interpret" && refusesReading(path)} checked=${Boolean(all[path]?.[name])} onChange=${checked((on) => put(path, withMember(all[path] ?? {}, name, on ? {} : undefined)))} /></td>`)}</tr>`)}</tbody></table>
    ${open && html`<form class="form-row" onSubmit=${submit(() => { put(added.trim(), { ...all[added.trim()], suggest: {} }); setAdded(""); })}><label>Field <input value=${added} required onInput=${text(setAdded)} placeholder=${faceted.find((f) => f.path.includes("*"))?.path} /></label><button>Add field</button></form>`}
    ${paths.map((path) => html`<${Values} key=${path} path=${path} values=${all[path]?.values ?? []} locales=${localesOf(definition)} onChange=${(/** @type {any[]} */ values) => put(path, withMember(all[path] ?? {}, "values", values.length ? values : undefined))} />`)}
    <${Wrong} problems=${problems} at="fields" /></fieldset>`;
}

/** @param {Props} props */
export const Counting = ({ settings, problems, onChange }) => html`<fieldset class="part"><legend>Search counts</legend>
  <label class="form-row"><input type="checkbox" checked=${Boolean(settings.countSearches)} onChange=${checked((on) => onChange(withMember(settings, "countSearches", on ? true : undefined)))} />Count what people search for, on nodes that allow it</label>
  <${Wrong} problems=${problems} at="countSearches" /></fieldset>`;
