// Why: explains a score, why one hit ranks above another, and why a document
// is not among the hits.

import { dataPath, isAborted, post, Problem } from "../lib/api.js";
import { html, submit, text, useEffect, useState } from "../lib/dom.js";
import { clauseAt, differences, merged, partsOf, refusal } from "../lib/explaining.js";
import { asWritten } from "../lib/json.js";
import { address, go, room } from "../lib/place.js";
import * as s from "../lib/searching.js";
import { can } from "../lib/session.js";
import { CopyAs, Empty, pretty, ProblemView, score } from "../lib/ui.js";

/** @typedef {import("../lib/explaining.js").Step} Step @typedef {import("../lib/explaining.js").Part} Part */

const colours = 8;

/** @param {Part} part */
const keyOf = (part) => part.kind + "\n" + part.word + "\n" + part.field;

/** Assigns a colour per word, field and kind, the same in both charts. @param {Part[][]} lists */
function palette(lists) {
  const seen = /** @type {string[]} */ ([]);
  for (const part of lists.flat()) if (!seen.includes(keyOf(part))) seen.push(keyOf(part));
  return (/** @type {Part} */ part) => "var(--c" + (1 + (seen.indexOf(keyOf(part)) % colours)) + ")";
}

/** @param {Part} part */
const sentence = (part) => part.label + " " + (part.kind === "signal" ? "adds " : "") + score(part.value);

/** @param {{ parts: Part[], total: number, most: number, colour: (part: Part) => string }} props */
function Bar({ parts, total, most, colour }) {
  const shown = parts.filter((part) => part.value > 0);
  return html`<div class="bar" role="img" aria-label=${"Score " + score(total) + ": " + parts.map(sentence).join(", ")}>
    ${shown.map((part) => html`<span key=${part.label} title=${sentence(part)} style=${{ width: (100 * part.value) / Math.max(most, 1e-9) + "%", background: colour(part) }}></span>`)}
  </div>`;
}

/** @param {{ parts: Part[], colour: (part: Part) => string }} props */
const Legend = ({ parts, colour }) => html`<ul class="legend">${parts.map((part) => html`<li key=${part.label}><span class="swatch" style=${{ background: colour(part) }}></span><span dir="auto">${part.label}</span> <strong>${part.value < 0 ? "−" : ""}${score(Math.abs(part.value))}</strong></li>`)}</ul>`;

/** @param {{ step: Step, depth: number }} props */
function Tree({ step, depth }) {
  const line = html`<span class=${step.matched ? "step" : "step unmatched"}><strong class="number">${step.matched ? score(step.score) : "no"}</strong> <span dir="auto">${step.description}</span>
    ${step.field && html` <span class="tag">${step.field}${step.usage ? " · " + step.usage : ""}${step.locale ? " · " + step.locale : ""}</span>`}
    ${step.clause && depth < 2 && html` <code class="muted">${step.clause}</code>`}</span>`;
  if (!step.children.length) return html`<li>${line}</li>`;
  return html`<li><details open=${depth < 3}><summary>${line}</summary><ul>${step.children.map((child, at) => html`<${Tree} key=${at} step=${child} depth=${depth + 1} />`)}</ul></details></li>`;
}

/** Describes what a judged query says about a document. @param {any} judged @param {string} key */
function verdict(judged, key) {
  const said = [];
  if (judged.known) said.push((judged.known === key ? "" : judged.known + " ") + "should come first");
  else if (judged.grade !== undefined) said.push("grade " + judged.grade);
  said.push(...(judged.expect ?? []));
  return said.join(", ") || "not judged";
}

/** @param {{ judgements: any[], name: string, documentKey: string }} props */
const Judged = ({ judgements, name, documentKey }) => html`<section aria-label="Judgements" class="stack"><h3>Judgements</h3>
  <div class="table" tabindex="0" role="region" aria-label="Judged queries with this text"><table><thead><tr><th>Set</th><th>Query</th><th>This document</th><th class="number">Rank</th><th class="number">NDCG@10</th><th>Unmet expectations</th></tr></thead><tbody>
  ${judgements.map((j) => html`<tr key=${j.set + " " + j.position}><td>${can("settings.write", name) ? html`<a href=${address("tune", { index: name.split("@")[0] ?? "" })}>${j.set}</a>` : j.set}</td><td dir="auto">${j.text ?? j.id ?? "query " + (j.position + 1)}</td>
    <td>${verdict(j, documentKey)}</td><td class="number">${j.rank ?? "–"}</td><td class="number">${typeof j.ndcg === "number" ? j.ndcg.toFixed(4) : "–"}</td><td>${(j.unmet ?? []).join("; ")}</td></tr>`)}</tbody></table></div></section>`;

/** Shows the explanation of a document that does not match. @param {{ answer: any, request: any }} props */
function Refused({ answer, request }) {
  const blamed = refusal(answer.detail);
  const clause = clauseAt(request, blamed?.clause);
  return html`<div class="card refused"><h2>This document does not match</h2>
    ${blamed && html`<p>First clause that does not match${blamed.clause ? html`, <code>${blamed.clause}</code>` : ""}: <strong dir="auto">${blamed.field ? blamed.field + " " : ""}${blamed.description}</strong></p>`}
    ${clause && html`<pre tabindex="0" aria-label="Clause that does not match">${pretty(clause)}</pre>`}
  </div>`;
}

/**
 * Explains a document, and again whenever the request changes.
 * @param {string} name @param {string} key @param {string} value @param {any} request
 */
function useExplanation(name, key, value, request) {
  const [state, setState] = useState(/** @type {{ answer: any, problem: unknown }} */ ({ answer: null, problem: null }));
  const body = JSON.stringify(request);
  useEffect(() => {
    setState({ answer: null, problem: null });
    if (!name || !key) return;
    const aborted = new AbortController();
    const query = new URLSearchParams({ key, ...(value ? { index: value } : {}) });
    post(dataPath(name) + "/search/actions/explain?" + query, body, aborted.signal)
      .then((got) => setState({ answer: got.body, problem: null }), (error) => isAborted(error) || setState({ answer: null, problem: error }));
    return () => aborted.abort();
  }, [name, key, value, body]);
  return state;
}

/** Returns the request of the search room without what an explanation ignores. */
function explained() {
  const { query, filters, locale, signals, signalsMode, hits } = s.answered.value?.request ?? s.made.value;
  return asWritten(JSON.stringify({ query, filters, locale, signals, signalsMode, hits }));
}

/** @param {{ title: string, name: string, documentKey: string, state: { answer: any, problem: unknown }, parts: Part[], most: number, colour: (part: Part) => string, request: any }} props */
function Document({ title, name, documentKey, state, parts, most, colour, request }) {
  const { answer, problem } = state;
  const missing = problem instanceof Problem && problem.code === "search:explain:document_not_found";
  return html`<section class="stack" aria-label=${"Explanation of " + title}>
    <h2 dir="auto">${title}</h2>
    ${missing ? html`<div class="card refused"><h2>This document is not in the index</h2><p>No committed document has this key.</p></div>` : html`<${ProblemView} problem=${problem} />`}
    ${answer?.matched && html`<p class="sentences" dir="auto"><strong class="number">${score(answer.score)}</strong> = ${parts.map(sentence).join(", ") || "the same score for every document"}.</p>
      <${Bar} parts=${parts} total=${answer.score} most=${most} colour=${colour} /><${Legend} parts=${parts} colour=${colour} />`}
    ${answer && !answer.matched && html`<${Refused} answer=${answer} request=${request} />`}
    ${answer?.judgements && html`<${Judged} judgements=${answer.judgements} name=${name} documentKey=${documentKey} />`}
    ${answer && html`<details class="tree-box"><summary>All steps</summary><ul class="tree"><${Tree} step=${answer.detail} depth=${0} /></ul></details>`}
  </section>`;
}

export default function Why() {
  const { params } = room.value;
  const asks = params.get("index") ?? s.name.value;
  const name = can("search", asks) ? asks : "";
  const key = params.get("key") ?? "", other = params.get("other") ?? "", value = params.get("value") ?? "";
  const [asked, setAsked] = useState(key);
  useEffect(() => setAsked(key), [key]);
  const request = explained();
  const first = useExplanation(name, key, value, request);
  const second = useExplanation(name, other, "", request);
  const a = first.answer?.matched ? merged(partsOf(first.answer.detail)) : [];
  const b = second.answer?.matched ? merged(partsOf(second.answer.detail)) : [];
  const colour = palette([a, b]);
  const most = Math.max(first.answer?.score ?? 0, second.answer?.score ?? 0);
  const hits = (s.answer.value?.hits ?? []).filter((/** @type {any} */ hit) => hit.id !== undefined);
  const named = (/** @type {string} */ id) => {
    const hit = hits.find((/** @type {any} */ h) => h.id === id);
    const title = s.variant(s.valueAt(hit?.document, s.title.value), s.byPath.value.get(s.title.value));
    return typeof title === "string" && title ? title : id;
  };
  const place = (/** @type {string} */ id) => hits.findIndex((/** @type {any} */ hit) => hit.id === id) + 1;
  const show = (/** @type {string} */ k, /** @type {string} */ o) => go("why", { index: name, key: k, other: o });
  const typed = request.query?.[0]?.text;
  const both = first.answer?.matched && second.answer?.matched ? differences(a, b) : [];
  const ahead = (first.answer?.score ?? 0) >= (second.answer?.score ?? 0);
  return html`<div class="room why">
    <div class="room-head"><div><p class="eyebrow">Why</p><h1>${typed ? html`“<span dir="auto">${typed}</span>” in ${name}` : name ? "All documents in " + name : "Why is this a hit?"}</h1></div>
      <a href=${address("search", {})}>Back to hits</a></div>
    ${!name ? html`<${Empty} title="Nothing to explain yet"><p>This room explains why a document is a hit, or why it is not. Search first, then open a hit or enter a document key.</p></${Empty}>` : html`
    <form class="form-row" onSubmit=${submit(() => show(asked.trim(), ""))}>
      <label class="over">Document key <input value=${asked} onInput=${text(setAsked)} required placeholder="Key of any document" /></label>
      <button class="primary">Explain</button>
      ${key && hits.length > 0 && html`<label class="over">Compare with <select value=${other} onChange=${text((v) => show(key, v))}><option value="">None</option>
        ${hits.filter((/** @type {any} */ hit) => hit.id !== key).map((/** @type {any} */ hit) => html`<option key=${hit.id} value=${hit.id}>${place(hit.id)}. ${named(hit.id)}</option>`)}</select></label>`}
    </form>
    ${both.length > 0 && html`<section class="card" aria-label="Differences"><h2 dir="auto">Why is ${named(ahead ? key : other)} above ${named(ahead ? other : key)}?</h2>
      <table class="differences"><thead><tr><th>Part of the score</th><th class="number">${key}</th><th class="number">${other}</th><th class="number">Difference</th></tr></thead>
      <tbody>${both.map((d) => html`<tr key=${d.label}><td dir="auto">${d.label}</td><td class="number">${score(d.a)}</td><td class="number">${score(d.b)}</td><td class=${"number " + (d.by > 0 ? "up" : "down")}>${d.by > 0 ? "+" : "−"}${score(Math.abs(d.by))}</td></tr>`)}</tbody></table></section>`}
    ${key && html`<div class="pair">
      <${Document} title=${named(key) + (place(key) ? " · hit " + place(key) : "")} name=${name} documentKey=${key} state=${first} parts=${a} most=${most} colour=${colour} request=${request} />
      ${other && html`<${Document} title=${named(other) + (place(other) ? " · hit " + place(other) : "")} name=${name} documentKey=${other} state=${second} parts=${b} most=${most} colour=${colour} request=${request} />`}
    </div>
    <${CopyAs} sent=${() => ({ method: "POST", path: dataPath(name) + "/search/actions/explain?" + new URLSearchParams({ key }), body: request })} />`}`}
  </div>`;
}
