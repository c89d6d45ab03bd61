// Data: lists indexes and their documents, and loads new ones.

import { adminPath, call, dataPath, get, post } from "../lib/api.js";
import { Definition, Job } from "../lib/defining.js";
import { Documents } from "../lib/documents.js";
import { html, submit, text, useEffect, useState } from "../lib/dom.js";
import { waiting } from "../lib/dragging.js";
import { Dropped, DropZone } from "../lib/dropping.js";
import { createIndex, indexes, listed, listIndexes, readIndex } from "../lib/indexes.js";
import { meters, valueOf } from "../lib/meters.js";
import { address, go, room } from "../lib/place.js";
import { can, canSomewhere, namesOf, patternsOf } from "../lib/session.js";
import { announce, bytes, Confirm, count, Dialog, Doing, Empty, JsonArea, jsonError, pretty, ProblemView, useWork, when } from "../lib/ui.js";

const described = 100;

/** What the list shows for each index besides its name. */
function useDetails() {
  const [details, setDetails] = useState(/** @type {Record<string, any>} */ ({}));
  useEffect(() => {
    const aborted = new AbortController();
    const one = async (/** @type {string} */ name) => {
      const [resource, total] = await Promise.all([
        readIndex(name, aborted.signal).catch(() => null),
        can("search", name) ? post(dataPath(name) + "/search", { limit: 0 }, aborted.signal).then((got) => got.body.total.count, () => null) : null,
      ]);
      setDetails((was) => ({ ...was, [name]: { resource, total } }));
    };
    for (const { name } of indexes.value.slice(0, described)) void one(name);
    return () => aborted.abort();
  }, [indexes.value]);
  return details;
}

function List() {
  const details = useDetails();
  const [read, setRead] = useState(/** @type {import("../lib/meters.js").Meters | null} */ (null));
  useEffect(() => void meters().then(setRead, () => {}), [indexes.value]);
  if (!indexes.value.length) return html`<${Empty} title="No indexes yet"><p>Indexes hold the documents that you search. ${canSomewhere("documents.write") ? "Drop a file on the page to begin, or load the demo catalogue in Search." : "To create one, sign in with a key that can write."}</p></${Empty}>`;
  return html`<div class="table"><table><thead><tr><th>Index</th><th>Live generation</th><th class="number">Documents</th><th class="number">Size on this node</th><th>State</th><th>Owner</th></tr></thead>
    <tbody>${indexes.value.map((index) => {
      const { resource, total } = details[index.name] ?? {};
      const size = read && valueOf(read, "service_index_disk_bytes", { index: index.name });
      const state = resource?.status.state ?? "";
      return html`<tr key=${index.name}><td><a href=${address("data", { index: index.name })}>${index.name}</a></td>
        <td>${index.liveGeneration ?? html`<span class="tag warn">none</span>`}${index.generations.length > 1 ? html` <span class="muted">of ${index.generations.length}</span>` : ""}</td>
        <td class="number">${typeof total === "number" ? count(total) : ""}</td><td class="number">${size ? bytes(size) : ""}</td>
        <td>${state && html`<span class=${"tag " + (state === "usable" || state === "modified" ? "good" : "warn")}>${state.replaceAll("_", " ")}</span>`}</td>
        <td>${resource?.status.indexer?.node ?? (resource?.status.readOnly === false ? "this node" : "")}</td></tr>`;
    })}</tbody></table></div>`;
}

/** @param {{ resource: any, onChanged: () => void }} props */
function Generations({ resource, onChanged }) {
  const { doing, problem, setProblem, run } = useWork();
  const [gone, setGone] = useState("");
  // Not cancelled: only the response says whether it was done.
  const promote = (/** @type {string} */ generation) => run("Promoting…", async () => {
    await post(adminPath(resource.name + "@" + generation) + "/actions/promote");
    announce("Generation " + generation + " is live.");
    await listIndexes();
    onChanged();
  });
  const remove = () => run("Deleting…", async () => {
    try {
      await call("DELETE", adminPath(gone));
    } finally {
      setGone("");
    }
    announce(gone + " was deleted.");
    await listIndexes();
    if (gone === resource.name) go("data");
    else onChanged();
  });
  return html`<div class="stack"><${ProblemView} problem=${problem} onClose=${() => setProblem(null)} />
    ${!gone && html`<${Doing} doing=${doing} />`}
    <div class="table"><table><thead><tr><th>Generation</th><th>Created</th><th>Actions</th></tr></thead><tbody>
    ${resource.generations.map((/** @type {any} */ g) => {
      const name = resource.name + "@" + g.name;
      return html`<tr key=${g.name}><td>${g.name} ${g.live && html`<span class="tag good">live</span>`}</td><td>${when(g.createdAt)}</td><td class="tags">
        ${!g.live && can("indexes.promote", name) && html`<button type="button" disabled=${Boolean(doing)} onClick=${() => void promote(g.name)}>Promote</button>`}
        ${!g.live && can("indexes.delete", name) && html`<button type="button" class="danger" onClick=${() => setGone(name)}>Delete</button>`}
        ${can("search", name) && html`<a href=${address("search", { index: resource.name, generation: g.name })}>Search</a>`}</td></tr>`;
    })}</tbody></table></div>
    ${can("indexes.delete", resource.name) && html`<div class="actions"><button type="button" class="danger" onClick=${() => setGone(resource.name)}>Delete index</button></div>`}
    ${gone && html`<${Confirm} title=${"Delete " + gone + "?"} action="Delete" doing=${doing} onClose=${() => setGone("")} onConfirm=${() => void remove()}><p>${gone === resource.name ? "This also deletes its generations, documents and search settings." : "This also deletes the documents of this generation."}</p></${Confirm}>`}
  </div>`;
}

/** @param {{ name: string }} props */
function Index({ name }) {
  const [resource, setResource] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [turn, setTurn] = useState(0);
  const tabs = [...(can("documents.read", name) ? ["Documents"] : []), "Definition", "Generations"];
  const tab = tabs.find((t) => t === room.value.params.get("tab")) ?? tabs[0];
  const again = () => setTurn((t) => t + 1);
  useEffect(() => {
    const aborted = new AbortController();
    get(adminPath(name), aborted.signal).then((got) => { setResource(got.body); setProblem(null); }, (error) => aborted.signal.aborted || setProblem(error));
    return () => aborted.abort();
  }, [name, turn]);
  return html`<div class="stack">
    <div class="room-head"><h2>${name}</h2>${resource && html`<span class="tag good">generation ${resource.generation}</span>`}
      <label>Index <select value=${name} onChange=${text((v) => go("data", { index: v }))}>${indexes.value.map((i) => html`<option key=${i.name} value=${i.name}>${i.name}</option>`)}</select></label>
      <a href=${address("data")}>All indexes</a></div>
    <${ProblemView} problem=${problem} />
    <${Job} name=${name} onChanged=${again} key=${name + (resource?.generations.length ?? 0)} />
    <div class="tabs" role="tablist" aria-label="Parts of the index">${tabs.map((t) => html`<button type="button" role="tab" key=${t} id=${"part-" + t} aria-controls=${resource ? "part" : undefined} aria-selected=${t === tab} onClick=${() => go("data", { index: name, tab: t })}>${t}</button>`)}</div>
    ${resource && html`<div role="tabpanel" id="part" aria-labelledby=${"part-" + tab}>
      ${tab === "Documents" && html`<${Documents} key=${name + resource.generation} name=${name} definition=${resource.definition} />`}
      ${tab === "Definition" && html`<${Definition} resource=${resource} onChanged=${again} />`}
      ${tab === "Generations" && html`<${Generations} resource=${resource} onChanged=${again} />`}
    </div>`}
  </div>`;
}

const ofDocuments = ["documents.read", "documents.write", "documents.delete"];

/** Reports whether this room can show the key anything of an index. @param {string} name */
const hasPage = (name) => ["indexes.read", ...ofDocuments].some((permission) => can(permission, name));

/** An index whose definition the key may not read: shows only its documents. @param {{ name: string }} props */
const Unlisted = ({ name }) => html`<div class="stack">
  <div class="room-head"><h2>${name}</h2><a href=${address("data")}>Open another index</a></div>
  ${hasPage(name) ? html`<p class="hint">This key cannot read the definition of ${name}.</p><${Documents} key=${name} name=${name} definition=${null} />`
    : html`<${Empty} title="No access to this index"><p>This key has access to documents in ${[...new Set(ofDocuments.flatMap(patternsOf))].sort().join(", ") || "no index"}.</p></${Empty}>`}
</div>`;

/** Opens an index by name, for keys that may not list indexes. */
function ByName() {
  const [name, setName] = useState("");
  const names = [...new Set(ofDocuments.flatMap(namesOf))].sort();
  const may = name === "" || hasPage(name);
  return html`<section class="stack" aria-label="Open an index"><p class="hint">This key cannot list indexes. Open one by its name.</p>
    ${names.length > 0 && html`<ul class="tags">${names.map((n) => html`<li key=${n}><a class="button" href=${address("data", { index: n })}>${n}</a></li>`)}</ul>`}
    <form class="form-row" onSubmit=${submit(() => go("data", { index: name }))}><label>Index <input value=${name} required onInput=${text((v) => setName(v.trim()))} /></label><button disabled=${!may}>Open</button>
      ${!may && html`<p class="hint" role="status">This key has access to documents in ${[...new Set(ofDocuments.flatMap(patternsOf))].sort().join(", ")}.</p>`}</form></section>`;
}

const first = { fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" } } };

/** @param {{ onClose: () => void }} props */
function NewIndex({ onClose }) {
  const [name, setName] = useState("");
  const [definition, setDefinition] = useState(pretty(first));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const create = () => createIndex(name, definition).then(() => listIndexes()).then(() => {
    onClose();
    announce(name + " was created.");
    if (hasPage(name)) go("data", { index: name });
  }).catch(setProblem);
  const may = name === "" || can("indexes.write", name);
  const exists = indexes.value.some((i) => i.name === name);
  return html`<${Dialog} wide title="Create an index" onClose=${onClose}><form class="stack" onSubmit=${submit(create)}>
    <label class="over">Name <input value=${name} required autofocus onInput=${text(setName)} /></label>
    ${!may ? html`<p class="hint" role="status">This key can create only indexes named ${patternsOf("indexes.write").join(", ")}.</p>` : exists && html`<p class="hint" role="status">An index with this name already exists.</p>`}
    <${ProblemView} problem=${problem} />
    <${JsonArea} label="Definition as JSON" rows=${14} value=${definition} onInput=${setDefinition} />
    <div class="actions"><button class="primary" disabled=${!may || exists || Boolean(jsonError(definition))}>Create index</button></div></form></${Dialog}>`;
}

export default function Data() {
  const [making, setMaking] = useState(false);
  const file = waiting.value;
  const setFile = (/** @type {File | null} */ next) => (waiting.value = next);
  useEffect(() => () => setFile(null), []);
  const name = room.value.params.get("index") ?? "";
  const mayLoad = canSomewhere("documents.write");
  return html`<div class="room"><div class="room-head"><div><p class="eyebrow">Data</p><h1>${name ? "Index" : "Indexes"}</h1></div><span class="grow"></span>
      ${canSomewhere("indexes.write") && html`<button type="button" onClick=${() => setMaking(true)}>Create an index</button>`}</div>
    ${making && html`<${NewIndex} onClose=${() => setMaking(false)} />`}
    ${mayLoad && !file && html`<${DropZone} onFile=${setFile} />`}
    ${file && html`<${Dropped} key=${file.name + file.size} file=${file} into=${name} onClose=${() => setFile(null)} />`}
    ${!listed.value ? html`<p class="loading">Loading…</p>` : name ? (can("indexes.read", name) ? html`<${Index} key=${name} name=${name} />` : html`<${Unlisted} key=${name} name=${name} />`)
      : canSomewhere("indexes.read") ? html`<${List} />` : ofDocuments.some(canSomewhere) && html`<${ByName} />`}
  </div>`;
}
