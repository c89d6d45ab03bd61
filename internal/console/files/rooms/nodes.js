// Nodes: health in words, owners, jobs, repair, and an hour of charts.

import { get, post } from "../lib/api.js";
import { checked, html, useEffect, useRef, useState } from "../lib/dom.js";
import { Job } from "../lib/defining.js";
import { history, newest, version, watch } from "../lib/history.js";
import { valueOf } from "../lib/meters.js";
import { can, canSomewhere, hasBucket } from "../lib/session.js";
import { announce, bytes, count, plural, ProblemView, Progress, useWork, when } from "../lib/ui.js";
import uPlot from "../vendor/uplot.js";

const charts = /** @type {const} */ ([
  { title: "Searches per second", series: { searches: "searches" } },
  { title: "Search time (ms)", series: { p50: "p50", p99: "p99" } },
  { title: "Documents per second", series: { documents: "documents" } },
  { title: "Memory (MB)", series: { memory: "memory" } },
  { title: "Open generations", series: { open: "open" } },
  { title: "Cache hits (%)", series: { query: "filters", term: "words", facet: "facets" } },
]);

/** A function that reads a colour of the theme; charts call it each time they draw. @param {string} name */
const colour = (name) => () => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** @param {{ title: string, series: Record<string, string> }} props */
function Chart({ title, series }) {
  const place = useRef(/** @type {HTMLDivElement | null} */ (null));
  const plot = useRef(/** @type {any} */ (null));
  const names = Object.keys(series);
  const data = () => [history().at, ...names.map((name) => history().series[name] ?? [])];
  useEffect(() => {
    const at = place.current;
    if (!at) return;
    const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "11px sans-serif" };
    plot.current = new uPlot(/** @type {any} */ ({
      width: at.clientWidth, height: 150, legend: { show: false }, cursor: { show: false }, scales: { y: { range: (/** @type {any} */ _u, /** @type {number} */ _min, /** @type {number} */ max) => [0, max > 0 ? max * 1.1 : 1] } },
      axes: [{ ...axis, space: 70, size: 24, values: (/** @type {any} */ _u, /** @type {number[]} */ splits) => splits.map((at) => new Date(at * 1000).toTimeString().slice(0, 8)) }, { ...axis, size: 46 }],
      series: [{}, ...names.map((name, n) => ({ label: series[name], stroke: colour("--c" + (n + 1)), width: 2, spanGaps: false, points: { show: false } }))],
    }), /** @type {any} */ (data()), at);
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: at.clientWidth, height: 150 }));
    resized.observe(at);
    return () => {
      resized.disconnect();
      plot.current?.destroy();
    };
  }, []);
  useEffect(() => plot.current?.setData(data()), [version.value]);
  const last = (/** @type {string} */ name) => {
    const value = history().series[name]?.findLast((v) => v !== null);
    return value === undefined || value === null ? "–" : value >= 100 ? value.toFixed(0) : value.toFixed(1);
  };
  const said = names.map((name) => (names.length > 1 ? series[name] + " " : "") + last(name)).join(", ");
  return html`<figure class="chart"><figcaption><span>${title}</span> <span class="now">${names.map((name, n) => html`<span key=${name}><span class="swatch" style=${{ background: "var(--c" + (n + 1) + ")" }}></span>${names.length > 1 ? series[name] + " " : ""}<strong>${last(name)}</strong></span>`)}</span></figcaption>
    <div ref=${place} role="img" aria-label=${title + ": " + said}></div></figure>`;
}

const checks = /** @type {Record<string, string>} */ ({ "index-registry": "reading the list of indexes", "index-preload": "opening indexes at startup", "index-refresh": "following changes" });

function Health() {
  const [health, setHealth] = useState(/** @type {any} */ (null));
  useEffect(() => void fetch("/q/health", { cache: "no-store" }).then((r) => r.json()).then(setHealth, () => setHealth(null)), [version.value]);
  if (!health) return null;
  const down = health.checks.filter((/** @type {any} */ c) => c.status !== "UP");
  const all = newest.value;
  const disk = all ? valueOf(all, "service_disk_used_bytes") : 0; // 0 until sizes are measured
  const unhealthy = all ? all.filter((s) => s.name === "service_index_unhealthy" && s.value > 0) : [];
  return html`<section class=${"card health " + (down.length ? "bad" : "good")} aria-label="Health">
    <p><strong>${down.length ? "This node needs attention" : "This node is healthy"}</strong>.${down.length ? " Failing: " + down.map((/** @type {any} */ c) => checks[c.name] ?? c.name).join(", ") + "." : ""}
      ${all && html` It has ${plural(valueOf(all, "service_indexes_total_indexes"), "index", "indexes")} and owns ${count(valueOf(all, "service_indexes_owned_indexes"))}. It uses ${bytes(valueOf(all, "process_resident_memory_bytes"))} of memory${disk > 0 && ` and ${bytes(disk)} of disk`}.`}</p>
    ${unhealthy.length > 0 && html`<ul>${unhealthy.map((s) => html`<li key=${s.labels.index}><code>${s.labels.index}@${s.labels.generation}</code> is ${(s.labels.state ?? "").toLowerCase().replaceAll("_", " ")}</li>`)}</ul>`}
  </section>`;
}

function Owners() {
  const [table, setTable] = useState(/** @type {any} */ (null));
  const [jobs, setJobs] = useState(/** @type {any[]} */ ([]));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const read = () => {
    get("/v1alpha1/admin/indexers").then((got) => setTable(got.body), setProblem);
    get("/v1alpha1/admin/reindexes").then((got) => setJobs(got.body.reindexes), setProblem);
  };
  useEffect(read, []);
  return html`<section class="stack" aria-label="Owners and jobs"><h2>Index owners</h2><${ProblemView} problem=${problem} />
    ${table && !table.candidates.length && !table.claims.length ? html`<p class="hint">This is the only node, and it writes every index.</p>` : table && html`<div class="table"><table><thead><tr><th>Index</th><th>Node</th><th>Address</th><th>Lease expires</th></tr></thead>
      <tbody>${table.claims.map((/** @type {any} */ c) => html`<tr key=${c.index}><td>${c.index}</td><td><code>${c.node}</code></td><td>${c.address ?? ""}</td><td>${when(c.expiresAt)}</td></tr>`)}
      ${table.candidates.map((/** @type {any} */ c) => html`<tr key=${c.node}><td class="muted">can write</td><td><code>${c.node}</code></td><td>${c.address ?? ""}</td><td>${when(c.expiresAt)}</td></tr>`)}</tbody></table></div>`}
    <h2>Reindex jobs</h2>${jobs.length ? jobs.map((job) => html`<${Job} key=${job.index} name=${job.index} onChanged=${read} />`) : html`<p class="hint">No reindex jobs are running or have run.</p>`}</section>`;
}

/** Lists what a repair would register. @param {any} audit @param {boolean} promote @param {string[]} restore */
function planned(audit, promote, restore) {
  const found = /** @type {string[]} */ ([]);
  for (const index of audit.indexes) {
    const marked = Boolean(index.removedAt);
    if (!index.registered && (!marked || restore.includes(index.name))) found.push("Create index " + index.name);
    for (const g of index.generations) {
      const name = index.name + "@" + g.name;
      if (g.registered || g.stored !== "synced" || ((marked || g.removedAt) && !restore.includes(index.name) && !restore.includes(name))) continue;
      found.push("Register " + name);
    }
    const newest = index.proposedLive ?? index.generations.filter((/** @type {any} */ g) => g.stored === "synced" && /^\d+$/.test(g.name)).map((/** @type {any} */ g) => Number(g.name)).sort((/** @type {number} */ a, /** @type {number} */ b) => b - a)[0];
    if (promote && !index.registered && newest !== undefined && found.includes("Create index " + index.name)) found.push("Promote " + index.name + "@" + newest);
  }
  return found;
}

const NoRegistry = () => html`<section aria-label="Registry"><h2>Audit and repair</h2>
  <p class="hint">An audit compares the registry with a bucket. This node keeps its data in its own directory, so there is nothing to compare.</p></section>`;

function Registry() {
  const [audit, setAudit] = useState(/** @type {any} */ (null));
  const [promote, setPromote] = useState(false);
  const [restore, setRestore] = useState(/** @type {string[]} */ ([]));
  const { doing, problem, run, cancel } = useWork(); // the node stops working on an aborted request
  const compare = async (/** @type {AbortSignal} */ signal) => setAudit((await get("/v1alpha1/admin/registry/audit", signal)).body);
  const read = () => run("Comparing…", compare);
  const removed = /** @type {string[]} */ ((audit?.indexes ?? []).flatMap((/** @type {any} */ i) => (i.removedAt ? [i.name] : i.generations.filter((/** @type {any} */ g) => g.removedAt).map((/** @type {any} */ g) => i.name + "@" + g.name))));
  const plan = audit ? planned(audit, promote, restore) : [];
  const repair = () => run("Repairing…", async (signal) => {
    setAudit(null); // the effect of a cancelled repair is not known
    const { createdIndexes, addedGenerations, promoted, restored } = (await post("/v1alpha1/admin/registry/actions/repair", { promoteNewest: promote, restore }, signal)).body;
    announce("Repaired " + plural([createdIndexes, addedGenerations, promoted, restored].flat().length, "entry", "entries") + ".");
    setRestore([]);
    await compare(signal);
  });
  return html`<section class="stack" aria-label="Registry"><h2>Audit and repair</h2><${ProblemView} problem=${problem} />
    ${doing ? html`<${Progress} label=${doing} onCancel=${cancel} />` : html`<div class="actions"><button type="button" onClick=${read}>Compare the registry with the storage</button></div>`}
    ${audit && html`<p role="status">The registry is <strong>${audit.registry}</strong>. Found ${plural(audit.indexes.length, "index", "indexes")}${audit.unusable.length ? " and " + plural(audit.unusable.length, "unusable name", "unusable names") : ""}.</p>
      ${removed.length > 0 && html`<fieldset class="ticks"><legend>Removed but still stored. Select what to restore.</legend>${removed.map((name) => html`<label key=${name}><input type="checkbox" checked=${restore.includes(name)} onChange=${checked((on) => setRestore(on ? [...restore, name] : restore.filter((r) => r !== name)))} />${name}</label>`)}</fieldset>`}
      <label><input type="checkbox" checked=${promote} onChange=${checked(setPromote)} /> Promote the newest generation of each created index</label>
      ${plan.length ? html`<div class="card"><h3>Repair steps</h3><ul>${plan.map((line) => html`<li key=${line}>${line}</li>`)}</ul>
        ${can("registry.repair") && html`<div class="actions"><button type="button" class="primary" onClick=${repair}>Repair registry</button></div>`}</div>` : html`<p>Nothing to repair.</p>`}`}
  </section>`;
}

export default function Nodes() {
  useEffect(watch, []);
  return html`<div class="room"><link rel="stylesheet" href="vendor/uplot.css" />
    <div class="room-head"><div><p class="eyebrow">Nodes</p><h1>This node</h1></div></div>
    <${Health} />
    <section class="charts" aria-label="Charts of the last hour">${charts.map((c) => html`<${Chart} key=${c.title} title=${c.title} series=${c.series} />`)}</section>
    <p class="hint">Read from <a href="/q/metrics">/q/metrics</a> every two seconds while this page is open, and kept for an hour in this tab.</p>
    ${canSomewhere("indexes.read") && html`<${Owners} />`}
    ${can("registry.audit") && (hasBucket() ? html`<${Registry} />` : html`<${NoRegistry} />`)}
  </div>`;
}
