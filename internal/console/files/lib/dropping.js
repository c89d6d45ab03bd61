// Drop a file: read it, review a definition, load it.

import { adminPath, get, inputProblem, isAborted, Problem } from "./api.js";
import { html, submit, text, useEffect, useRef, useState } from "./dom.js";
import { createIndex, indexes, listIndexes } from "./indexes.js";
import { draft, load, planOf, requestFor, sample } from "./loading.js";
import { busy } from "./dragging.js";
import { FieldTable } from "./defining.js";
import { address } from "./place.js";
import { can, canSomewhere, namesOf, patternsOf } from "./session.js";
import { curl } from "./snippets.js";
import { bytes, CopyButton, count, Doing, JsonArea, jsonError, plural, pretty, ProblemView, Progress } from "./ui.js";

/** @typedef {import("./loading.js").Loaded} Loaded */

/** Returns an index name derived from the name of a file. @param {string} file */
const suggested = (file) => file.replace(/\.(gz|csv|tsv|json|jsonl|ndjson|txt)(?=\.|$)/gi, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^[^a-z]+|-+$/g, "").slice(0, 40) || "documents";

/** Reports whether the key may create an index and fill it. @param {string} name */
const mayCreate = (name) => can("indexes.write", name) && can("documents.write", name);

/** Returns the initial name: that of a new index, or of one that the key may write to. @param {string} file */
function startName(file) {
  const name = suggested(file);
  if (mayCreate(name) && can("indexes.read", name)) return name;
  return indexes.value.find((i) => can("documents.write", i.name))?.name ?? namesOf("documents.write")[0] ?? name;
}

/** Saves text as a file. @param {string} name @param {string} content */
function save(name, content) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: "application/x-ndjson" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** @param {{ state: Loaded, sent: (refused: import("./loading.js").Refused) => import("./api.js").Sent }} props */
function Refusals({ state, sent }) {
  if (!state.refusedCount) return null;
  const lines = () => state.refused.map((r) => JSON.stringify({ number: r.number, errors: r.errors, document: r.text })).join("\n") + "\n";
  return html`<section aria-label="Rejected documents"><div class="room-head"><h3>${plural(state.refusedCount, "document", "documents")} rejected</h3>
      <button type="button" onClick=${() => save("refused.ndjson", lines())}>Download rejected documents</button></div>
    <div class="table"><table><thead><tr><th class="number">Number</th><th>Reason</th><th>Document</th><th>Request</th></tr></thead>
    <tbody>${state.refused.slice(0, 50).map((r) => html`<tr key=${r.number}><td class="number">${count(r.number)}</td><td>${r.errors.map((e) => html`<div><code>${e.code}</code> ${e.message}${e.path && html` <code class="place">${e.path}</code>`}${e.help && html`<p class="hint">${e.help}</p>`}</div>`)}</td><td><code dir="auto">${r.text.slice(0, 120)}</code></td>
      <td><${CopyButton} label="Copy as curl" value=${() => curl(sent(r))} /></td></tr>`)}</tbody></table></div></section>`;
}

/** @param {{ file: File, into: string, onClose: () => void }} props */
export function Dropped({ file, into, onClose }) {
  const [name, setName] = useState(() => into || startName(file.name));
  const [definition, setDefinition] = useState("");
  const [reasons, setReasons] = useState(/** @type {any[]} */ ([]));
  const [seen, setSeen] = useState(/** @type {{ documents: any[], kind: string } | null} */ (null));
  const [state, setState] = useState(/** @type {Loaded | null} */ (null));
  const [phase, setPhase] = useState(/** @type {"reading" | "review" | "loading" | "done" | "stopped"} */ ("reading"));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const aborted = useRef(new AbortController());
  useEffect(() => {
    busy.value = phase === "loading";
    return () => void (busy.value = false);
  }, [phase]);
  // A key that cannot see an index can only add to it.
  const exists = indexes.value.some((i) => i.name === name) || (!can("indexes.read", name) && can("documents.write", name));
  const may = exists ? can("documents.write", name) : mayCreate(name);
  useEffect(() => {
    aborted.current = new AbortController();
    const read = async () => {
      const { documents, form } = await sample(file, aborted.current.signal);
      setSeen({ documents, kind: form.kind === "csv" ? "CSV with " + plural(form.header.length, "column", "columns") : "JSON" });
      if (!documents.length) throw inputProblem({ code: "file:empty", message: "The file contains no documents.", path: file.name, help: "Choose a file that contains JSON objects, or a header and at least one row." });
      if (!canSomewhere("indexes.write")) return setPhase("review");
      const drafted = await draft(documents, form, aborted.current.signal).catch((error) => {
        if (error instanceof Problem && error.status === 404) return { definition: { fields: {} }, reasons: [] };
        throw error;
      });
      setDefinition(pretty(drafted.definition));
      setReasons(drafted.reasons);
      setPhase("review");
    };
    read().catch((error) => isAborted(error) || (setProblem(error), setPhase("review")));
    return () => aborted.current.abort();
  }, [file]);
  const fields = jsonError(definition) ? {} : JSON.parse(definition).fields;
  // The index is there once it is created: what to leave out is what was drafted.
  const [plan, setPlan] = useState(() => planOf([], null, false));
  const start = async () => {
    setProblem(null);
    setPhase("loading");
    aborted.current = new AbortController();
    try {
      const known = !exists ? fields : can("indexes.read", name) ? (await get(adminPath(name), aborted.current.signal)).body.definition.fields : null;
      const planned = planOf(reasons, known, !exists);
      setPlan(planned);
      if (!exists) await createIndex(name, definition);
      await listIndexes();
      await load(file, name, planned, aborted.current.signal, setState);
      setPhase("done");
      await listIndexes(); // refreshes the document counts of the list
    } catch (error) {
      if (!isAborted(error)) setProblem(error);
      setPhase(isAborted(error) ? "stopped" : "review");
    }
  };
  return html`<section class="card stack" aria-label=${"Load " + file.name}>
    <div class="room-head"><div><p class="eyebrow">${phase === "done" ? "Loaded" : "Load a file"}</p><h2 dir="auto">${file.name}</h2></div>
      <p class="hint">${bytes(file.size)}${seen ? ", " + seen.kind : ""}</p><span class="grow"></span>
      ${phase !== "loading" && html`<button type="button" onClick=${onClose}>${phase === "done" ? "Close" : "Discard file"}</button>`}</div>
    <${ProblemView} problem=${problem} />
    ${phase === "reading" && html`<${Doing} doing="Reading the file and drafting a definition…" onCancel=${onClose} />`}
    ${phase === "review" && html`<form class="stack" onSubmit=${submit(start)}>
      <div class="form-row"><label class="over">Load into index <input value=${name} required pattern="[a-z0-9][a-z0-9_\\-]*" onInput=${text(setName)} /></label>
        <button class="primary" disabled=${!may || (!exists && Boolean(jsonError(definition)))}>${exists ? "Add to " + name : "Create index and load"}</button>
        ${!may ? html`<p class="hint" role="status">This key can add documents to ${patternsOf("documents.write").join(", ")}${patternsOf("indexes.write").length ? " and create indexes named " + patternsOf("indexes.write").join(", ") : " but cannot create indexes"}.</p>`
          : exists && html`<p class="hint">${can("indexes.read", name) ? "This index exists. Its definition does not change." : "This key can add documents but cannot see the index, which must already exist."}</p>`}</div>
      ${!exists && may && html`<h3>Definition drafted from ${plural(seen?.documents.length ?? 0, "document", "documents")}</h3>
        <${FieldTable} fields=${fields} reasons=${reasons} />
        <details><summary>Edit as JSON</summary><${JsonArea} label="Definition as JSON" value=${definition} onInput=${setDefinition} rows=${16} /></details>`}
    </form>`}
    ${phase === "loading" && html`<${Progress} done=${state?.read ?? 0} all=${file.size} label=${(state?.committing ? "Committing " : "") + plural(state?.indexed ?? 0, "document", "documents") + (state?.rate && !state.committing ? ", " + count(Math.round(state.rate)) + " per second" : "")} onCancel=${() => aborted.current.abort()} />`}
    ${phase === "stopped" && html`<p role="status">Stopped after ${plural(state?.indexed ?? 0, "document", "documents")}. Documents that were added stay in the index.</p>`}
    ${phase === "done" && state && html`<p role="status"><strong>${plural(state.indexed, "document", "documents")}</strong> added${state.committed ? " and searchable" : ", searchable after the next commit"} (${count(Math.round(state.rate))} per second).</p>
      ${can("search", name) && html`<div class="actions"><a class="button" href=${address("search", { index: name })}>Search ${name}</a></div>`}`}
    ${state && html`<${Refusals} state=${state} sent=${(/** @type {import("./loading.js").Refused} */ r) => requestFor(name, state.form, plan, r)} />`}
  </section>`;
}

/** @param {{ onFile: (file: File) => void }} props */
export function DropZone({ onFile }) {
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const take = (/** @type {FileList | null | undefined} */ files) => {
    if (files?.[0]) onFile(files[0]);
  };
  return html`<div class="drop">
    <p><strong>Drop a file anywhere on the page</strong> to make it searchable</p><p class="hint">CSV, TSV, JSON or NDJSON, optionally gzipped. Your browser reads the file and sends it only to this node.</p>
    <input ref=${input} type="file" class="hidden" tabindex="-1" aria-label="File to load" onChange=${(/** @type {any} */ event) => { take(event.currentTarget.files); event.currentTarget.value = ""; }} />
    <button type="button" onClick=${() => input.current?.click()}>Choose a file</button>
  </div>`;
}
