// One hit: its title, what matched, and what the document holds.

import { html, useState } from "./dom.js";
import { unitAfter } from "./indexes.js";
import { shownNumbers } from "./json.js";
import { address } from "./place.js";
import * as s from "./searching.js";
import { count, score, when } from "./ui.js";

const shownFields = 8;
const shownText = 160;

/** @param {{ fragment: string }} props */
const Fragment = ({ fragment }) => html`<span dir="auto">${s.pieces(fragment).map((piece) => (piece.marked ? html`<mark>${piece.text}</mark>` : piece.text))}</span>`;

/** Returns the URL in a value if it can be shown as a link, else an empty string. @param {string} value */
function link(value) {
  try {
    const url = new URL(value);
    return url.protocol === "https:" || url.protocol === "http:" ? url.href : "";
  } catch {
    return "";
  }
}

/** @param {{ value: any, field?: import("./indexes.js").Field | undefined }} props */
export function Shown({ value, field }) {
  const one = s.variant(value, field);
  if (one === null || one === undefined) return null;
  if (typeof one === "string") {
    const href = /^https?:\/\//.test(one) ? link(one) : "";
    if (href) return html`<a href=${href} target="_blank" rel="noopener noreferrer" referrerpolicy="no-referrer">${one}</a>`;
    if (field?.type === "timestamp") return html`<time datetime=${one}>${when(one)}</time>`;
    return html`<span dir="auto">${one.length > shownText ? one.slice(0, shownText) + "…" : one}</span>`;
  }
  if (typeof one === "number") return html`<span class="number">${Number.isInteger(one) ? count(one) : one}${unitAfter(field?.def)}</span>`;
  if (typeof one === "boolean") return html`<span>${one ? "yes" : "no"}</span>`;
  if (Array.isArray(one)) {
    if (one.some((entry) => entry && typeof entry === "object")) return html`<span class="muted">${count(one.length)} ${one.length === 1 ? "value" : "values"}</span>`;
    if (field?.type === "vector") return html`<span class="muted">${one.length}-dimensional vector</span>`;
    return html`<span dir="auto">${one.slice(0, 8).join(", ")}${one.length > 8 ? " …" : ""}</span>`;
  }
  if ("lat" in one && "lon" in one) return html`<span class="number">${one.lat}, ${one.lon}</span>`;
  return html`<span class="muted">{ ${Object.keys(one).slice(0, 4).join(", ")} }</span>`;
}

/** @param {{ hit: any, position: number }} props */
export function Hit({ hit, position }) {
  const [whole, setWhole] = useState(false);
  const named = s.title.value || ["title", "name", "label"].find((n) => typeof hit.document?.[n] === "string") || "";
  const field = (/** @type {string} */ path) => s.byPath.value.get(path);
  const raw = s.variant(s.valueAt(hit.document, named), field(named));
  const title = typeof raw === "string" && raw ? raw : hit.id ?? "document " + (position + 1);
  const marked = hit.highlights?.[named]?.[0];
  const fragments = Object.entries(hit.highlights ?? {}).filter(([path]) => path !== named);
  const lit = new Set(fragments.map(([path]) => path));
  const rest = Object.entries(hit.document ?? {}).filter(([path]) => path !== named && !lit.has(path) && !field(path)?.def.primaryKey);
  const why = hit.id !== undefined && address("why", { index: s.name.value, key: hit.id, ...(hit.index !== undefined ? { value: String(hit.index) } : {}) });
  return html`<li class="hit">
    <div class="hit-head">
      <h2>${why ? html`<a class="hit-open" href=${why}>${marked ? html`<${Fragment} fragment=${marked} />` : html`<span dir="auto">${title}</span>`}</a>` : html`<span dir="auto">${title}</span>`}</h2>
      ${hit.score !== undefined && html`<span class="hit-score" title="Score">${score(hit.score)}</span>`}
    </div>
    ${fragments.map(([path, list]) => html`<p class="fragment" key=${path}><span class="muted">${path}</span> ${/** @type {string[]} */ (list).map((f, at) => html`${at > 0 && " … "}<${Fragment} fragment=${f} />`)}</p>`)}
    <dl class="hit-fields">
      ${hit.id !== undefined && html`<div><dt>key</dt><dd><code dir="auto">${hit.id}${hit.index !== undefined ? " [" + hit.index + "]" : ""}</code></dd></div>`}
      ${rest.slice(0, shownFields).map(([path, value]) => html`<div key=${path}><dt>${path}</dt><dd><${Shown} value=${shownNumbers(value)} field=${field(path)} /></dd></div>`)}
      ${hit.missing?.length > 0 && html`<div class="lacks"><dt>missing</dt><dd>${hit.missing.join(", ")}</dd></div>`}
    </dl>
    <div class="hit-actions">
      ${why && html`<a href=${why}>Explain this hit</a>`}
      <button type="button" class="quiet" aria-expanded=${whole} onClick=${() => setWhole(!whole)}>${whole ? "Hide document" : "Show document"}</button>
    </div>
    ${whole && html`<pre class="document" tabindex="0" aria-label=${"Document " + title} dir="auto">${JSON.stringify(hit.value ?? hit.document, null, 2)}</pre>`}
  </li>`;
}
