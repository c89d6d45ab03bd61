// Search: type, see hits, narrow them, and read the request and the response.

import { classes, effect, html, keys, text, useEffect, useRef, useState } from "../lib/dom.js";
import { Facets } from "../lib/facets.js";
import { Hit } from "../lib/hits.js";
import { indexes, listed, localesOf, searchable } from "../lib/indexes.js";
import { asWritten } from "../lib/json.js";
import { MapStrip } from "../lib/map.js";
import { note, room } from "../lib/place.js";
import * as s from "../lib/searching.js";
import { can, canSomewhere } from "../lib/session.js";
import { CopyAs, CopyButton, count, Doing, Empty, Icon, JsonArea, jsonError, pretty, ProblemView } from "../lib/ui.js";
import { Greeting } from "../lib/greeting.js";

/** Sends the request of the controls whenever it changes, unless the JSON is being edited. */
function Runner() {
  useEffect(() => effect(() => {
    const request = s.made.value;
    if (!s.index.value || s.edited.value || (can("indexes.read", s.name.value) && !s.resource.value)) return;
    note("search", { index: s.index.value, generation: s.generation.value, q: s.typed.value, locale: s.locale.value });
    void s.run(request);
  }), []);
  return null;
}

function Chips() {
  const got = s.answer.value;
  const read = got?.interpreted?.filters ?? [];
  const dropped = got?.relaxed?.dropped ?? [];
  const fixed = s.forgiven.value;
  const groups = /** @type {Map<string, any[]>} */ (new Map());
  for (const r of read) groups.set(r.words.join(" "), [...(groups.get(r.words.join(" ")) ?? []), r]);
  const chip = (/** @type {string} */ kind, /** @type {string} */ label, /** @type {string} */ undo, /** @type {() => void} */ act) =>
    html`<li key=${kind + label} class=${"chip " + kind}><span>${label}</span><button type="button" aria-label=${undo} title=${undo} onClick=${act}><${Icon} name="close" /></button></li>`;
  if (!groups.size && !dropped.length && !fixed.length && s.typos.value === "auto" && s.relax.value === "words") return null;
  return html`<ul class="chips" aria-label="How the text was read">
    ${[...groups].map(([words, list]) => chip("read", list.map(s.reading).join(" or "), "Search for “" + words + "” as typed", () => s.ask(() => (s.typed.value = s.quoted(s.typed.value, list[0].words)))))}
    ${fixed.map((f) => chip("typo", "“" + f.word + "” read as “" + f.read + "”", "Turn off typo correction", () => s.ask(() => (s.typos.value = "off"))))}
    ${dropped.map((/** @type {any} */ d) => chip("dropped", "“" + d.word + "” left out: " + (d.reason === "unmatched" ? "not in any document" : "too common"), "Require every word", () => s.ask(() => (s.relax.value = "off"))))}
    ${s.typos.value === "off" && chip("off", "typo correction is off", "Turn on typo correction", () => s.ask(() => (s.typos.value = "auto")))}
    ${s.relax.value === "off" && chip("off", "every word is required", "Allow words to be left out again", () => s.ask(() => (s.relax.value = "words")))}
  </ul>`;
}

function Pager() {
  const page = s.answer.value?.page;
  if (!page?.next && !page?.previous) return null;
  const turn = (/** @type {any} */ cursor, /** @type {number} */ by) => {
    s.cursor.value = { ...cursor, page: Math.max(1, s.cursor.value.page + by) };
    document.querySelector(".results")?.scrollIntoView({ block: "start" });
  };
  return html`<nav class="pager" aria-label="Pages">
    <button type="button" disabled=${!page.previous || s.cursor.value.page === 1} onClick=${() => turn({ before: page.previous }, -1)}>Previous</button>
    <span>Page ${s.cursor.value.page}</span>
    <button type="button" disabled=${!page.next} onClick=${() => turn({ after: page.next }, 1)}>Next</button>
  </nav>`;
}

function RequestPanel() {
  const [tab, setTab] = useState("request");
  const generated = pretty(s.made.value);
  const shown = s.edited.value || generated;
  const run = () => !jsonError(shown) && s.run(asWritten(shown));
  const sent = () => ({ method: "POST", path: "/v1alpha1/indexes/" + encodeURIComponent(s.name.value) + "/search", body: jsonError(shown) ? shown : asWritten(shown) });
  const tabs = (/** @type {string} */ id, /** @type {string} */ label) => html`<button type="button" role="tab" id=${"tab-" + id} aria-controls=${"panel-" + id} aria-selected=${tab === id} onClick=${() => setTab(id)}>${label}</button>`;
  return html`<section class="request" aria-label="Request and response as JSON">
    <div class="tabs" role="tablist" aria-label="JSON">${tabs("request", "Request")}${tabs("answer", "Response")}</div>
    ${tab === "request" ? html`<div role="tabpanel" id="panel-request" aria-labelledby="tab-request">
      <${JsonArea} label="Request as JSON" rows=${22} value=${shown} onInput=${(/** @type {string} */ v) => (s.edited.value = v)} onRun=${run} />
      <div class="actions"><button type="button" class="primary" disabled=${Boolean(jsonError(shown))} onClick=${run}>Run request</button>
        ${s.edited.value && html`<button type="button" onClick=${() => (s.edited.value = "")}>Discard edits</button>`}</div>
      <${CopyAs} sent=${sent} /></div>`
    : html`<div role="tabpanel" id="panel-answer" aria-labelledby="tab-answer"><${JsonArea} label="Response as JSON" rows=${26} value=${pretty(s.answer.value)} />
      <div class="actions"><${CopyButton} value=${() => pretty(s.answer.value)} /></div></div>`}
  </section>`;
}

function Summary() {
  const got = s.answer.value;
  if (!got) return null;
  return html`<p class="summary" role="status">
    <strong>${got.total.exact ? "" : "at least "}${count(got.total.count)} ${got.total.count === 1 ? "hit" : "hits"}</strong>
    <span>${got.tookMs} ms</span><span>generation ${got.generation}</span>
    <span class="token" title=${"Freshness token: " + got.freshness}>freshness <code>${got.freshness.slice(-8)}</code></span>
  </p>`;
}

function Controls() {
  const listing = searchable.value.find((i) => i.name === s.index.value);
  const generations = (listing?.generations ?? []).filter((g) => can("search", s.index.value + "@" + g.name));
  const locales = localesOf(s.definition.value);
  const near = s.sort.value.endsWith(" near");
  return html`<div class="controls">
    <label>Index ${searchable.value.length ? html`<select value=${s.index.value} onChange=${text((v) => void s.openIndex(v))}>
        ${!listing && html`<option value=${s.index.value}>${s.index.value || "Choose…"}</option>`}
        ${searchable.value.map((i) => html`<option key=${i.name} value=${i.name}>${i.name}</option>`)}</select>`
      : html`<input value=${s.index.value} placeholder="Index name" onChange=${text((v) => void s.openIndex(v))} />`}</label>
    ${generations.length > 1 && html`<label>Generation <select value=${s.generation.value} onChange=${text((v) => void s.openIndex(s.index.value, v))}>
      <option value="">Live</option>${generations.map((g) => html`<option key=${g.name} value=${g.name}>${g.name}${g.live ? " (live)" : ""}</option>`)}</select></label>`}
    ${locales.length > 0 && html`<label>Locale <select value=${s.locale.value} onChange=${text((v) => s.ask(() => (s.locale.value = v)))}>
      <option value="">Default</option>${locales.map((l) => html`<option key=${l} value=${l}>${l}</option>`)}</select></label>`}
    ${(s.sortable.value.length > 0 || s.places.value.length > 0) && html`<label>Sort <select value=${s.sort.value} onChange=${text((v) => s.ask(() => (s.sort.value = v)))}>
      <option value="">Relevance</option>
      ${s.sortable.value.map((f) => html`<option key=${f.path + "a"} value=${f.path + " asc"}>${f.path} ↑</option><option key=${f.path + "d"} value=${f.path + " desc"}>${f.path} ↓</option>`)}
      ${s.places.value.map((f) => html`<option key=${f.path} value=${f.path + " near"}>Nearest ${f.path}</option>`)}
    </select></label>`}
    ${near && html`<label>Latitude <input class="short" inputmode="decimal" value=${s.origin.value.lat} onInput=${text((lat) => s.ask(() => (s.origin.value = { ...s.origin.value, lat })))} /></label>
      <label>Longitude <input class="short" inputmode="decimal" value=${s.origin.value.lon} onInput=${text((lon) => s.ask(() => (s.origin.value = { ...s.origin.value, lon })))} /></label>`}
    <label>Hits per page <select value=${String(s.size.value)} onChange=${text((v) => s.ask(() => (s.size.value = Number(v))))}>
      ${[10, 20, 50].map((n) => html`<option key=${n} value=${String(n)}>${n}</option>`)}</select></label>
  </div>`;
}

/** Opens the index that the URL names, also when the URL changes while the room is open. */
function Start() {
  useEffect(() => {
    const { params } = room.value;
    const named = params.get("index") ?? s.index.value, generation = params.get("generation") ?? (params.has("index") ? "" : s.generation.value);
    const wanted = named && can("search", generation ? named + "@" + generation : named) ? named : "";
    const first = wanted || (searchable.value[0]?.name ?? "");
    if (!first) return;
    if (first !== s.index.value || (wanted && generation !== s.generation.value) || !s.answer.value) void s.openIndex(first, wanted ? generation : "");
    s.typed.value = params.get("q") ?? s.typed.value;
    s.locale.value = params.get("locale") ?? s.locale.value;
  }, [listed.value, room.value]);
  return null;
}

export default function Search() {
  const [json, setJson] = useState(false);
  const box = useRef(/** @type {HTMLInputElement | null} */ (null));
  useEffect(() => {
    const focus = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "/" || (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName))) return;
      event.preventDefault();
      box.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  if (!listed.value) return html`<p class="loading">Loading…</p>`;
  if (!indexes.value.length && canSomewhere("indexes.read")) return html`<${Greeting} />`;
  const got = s.answer.value;
  const move = (/** @type {number} */ by) => (/** @type {KeyboardEvent} */ event) => {
    const links = [...document.querySelectorAll(".hit-open")];
    const at = links.indexOf(/** @type {Element} */ (document.activeElement));
    const next = links[at + by];
    event.preventDefault();
    if (next instanceof HTMLElement) next.focus();
    else if (by < 0) box.current?.focus();
  };
  return html`<div class=${classes("search", json && "with-json", !s.panels.value.length && "without-facets")}>
    <${Start} /><${Runner} />
    <h1 class="hidden">Search ${s.index.value}</h1>
    <div class="search-head">
      <div class="search-box"><${Icon} name="search" />
        <input ref=${box} type="search" aria-label="Search" placeholder=${s.index.value ? "Search " + s.index.value + "…" : "Choose an index"} autofocus value=${s.typed.value} spellcheck=${false}
          onInput=${text((v) => s.ask(() => (s.typed.value = v)))} onKeyDown=${keys({ ArrowDown: move(1) })} />
        <kbd aria-hidden="true">/</kbd>
        <button type="button" class="quiet" aria-pressed=${json} onClick=${() => setJson(!json)}><${Icon} name="code" />JSON</button>
      </div>
      <${Controls} />
      <${Chips} />
      <${ProblemView} problem=${s.problem.value} />
    </div>
    ${s.panels.value.length > 0 && html`<${Facets} panels=${s.panels.value} results=${got?.facets} spans=${s.spans.value} />`}
    <section class=${classes("results", s.busy.value && "busy")} aria-label="Hits" aria-busy=${s.busy.value} onKeyDown=${keys({ ArrowDown: move(1), ArrowUp: move(-1) })}>
      <${Doing} doing=${s.busy.value ? "Searching…" : ""} onCancel=${s.stop} />
      <${Summary} />
      ${got && html`<${MapStrip} hits=${got.hits} />`}
      ${got?.hits.length === 0 && html`<${Empty} title="No hits"><p>${Object.keys(s.chosen.value).length ? "Clear a facet or change the search text." : "Change the search text" + (canSomewhere("indexes.read") ? ", or open Data to see what the index contains." : ".")}</p></${Empty}>`}
      <ol class="hits">${(got?.hits ?? []).map((/** @type {any} */ hit, /** @type {number} */ at) => html`<${Hit} key=${(hit.id ?? "") + ":" + (hit.index ?? "") + ":" + at} hit=${hit} position=${at} />`)}</ol>
      <${Pager} />
    </section>
    ${json && html`<${RequestPanel} />`}
  </div>`;
}
