// A definition as a table, its changes, and what they require: nothing, or a new
// generation filled from the live one.

import { adminPath, call, failedJob, get, isAborted, post } from "./api.js";
import { checked, html, submit, text, useEffect, useState } from "./dom.js";
import { fieldsOf, indexes, listIndexes, usagesOf } from "./indexes.js";
import { can } from "./session.js";
import { announce, count, Doing, JsonArea, jsonError, plural, pretty, ProblemView, Progress, useSettled, useWork } from "./ui.js";

/** @param {{ fields: any, reasons?: { field: string, name?: string, reason: string }[] }} props */
export function FieldTable({ fields, reasons = [] }) {
  const why = (/** @type {string} */ path) => reasons.filter((r) => r.field === path);
  return html`<div class="table"><table><thead><tr><th>Field</th><th>Type</th><th>Usages</th>${reasons.length > 0 && html`<th>Reason</th>`}</tr></thead>
    <tbody>${fieldsOf({ fields }).map(({ path, type, def }) => html`<tr key=${path}><td><code>${path}</code>${why(path).map((r) => r.name && html` <span class="muted">from ${r.name}</span>`)}</td><td>${type}</td>
      <td><span class="tags">${def.role && html`<span class="tag good">${def.role}</span>`}${usagesOf(def).map((word) => html`<span class="tag" key=${word}>${word}</span>`)}</span></td>
      ${reasons.length > 0 && html`<td class="muted">${why(path).map((r) => r.reason).join("; ")}</td>`}</tr>`)}</tbody></table></div>`;
}

/** The usages that the API allows for each field type. @type {Record<string, string[]>} */
const usages = {
  string: ["matching", "autocomplete", "filter", "facet", "sort"], boolean: ["filter", "facet", "sort"], timestamp: ["filter", "facet", "sort"], geo_point: ["filter", "sort"],
  int32: ["filter", "facet", "sort", "signal"], int64: ["filter", "facet", "sort", "signal"], float: ["filter", "facet", "sort", "signal"], double: ["filter", "facet", "sort", "signal"],
};

const columns = ["matching", "autocomplete", "filter", "facet", "sort", "signal"];

/** Returns a copy of a definition with one usage of a field switched on or off. @param {any} definition @param {string} path @param {string} usage @param {boolean} on */
export function switched(definition, path, usage, on) {
  const copy = structuredClone(definition);
  let at = copy;
  for (const name of path.split(".")) at = at.fields[name];
  if (on) at[usage] = {};
  else delete at[usage];
  return copy;
}

/**
 * A definition as a table of switches. Names, types and options are edited as JSON.
 * @param {{ definition: any, onChange: (definition: any) => void }} props
 */
export function FieldSwitches({ definition, onChange }) {
  const [name, setName] = useState(""), [type, setType] = useState("string");
  const add = () => {
    onChange({ ...definition, fields: { ...definition.fields, [name]: { type } } });
    setName("");
  };
  return html`<div class="stack"><div class="table" tabindex="0" role="region" aria-label="Fields and their usages"><table><thead><tr><th>Field</th><th>Type</th>${columns.map((c) => html`<th key=${c}>${c}</th>`)}</tr></thead>
    <tbody>${fieldsOf(definition).map(({ path, type: kind, def }) => html`<tr key=${path}><td><code>${path}</code>${def.primaryKey && html` <span class="tag">key</span>`}</td><td>${kind}</td>
      ${columns.map((c) => html`<td key=${c}>${usages[kind]?.includes(c) ? html`<input type="checkbox" aria-label=${c + " " + path} checked=${Boolean(def[c])} onChange=${checked((on) => onChange(switched(definition, path, c, on)))} />` : ""}</td>`)}</tr>`)}</tbody></table></div>
    <form class="form-row" onSubmit=${submit(add)}><label>New field <input value=${name} required onInput=${text(setName)} /></label>
      <label>Type <select value=${type} onChange=${text(setType)}>${Object.keys(usages).map((k) => html`<option key=${k} value=${k}>${k}</option>`)}</select></label><button>Add field</button></form></div>`;
}

/** Returns the paths at which two definitions differ, with what happens at each. @param {any} before @param {any} after */
export function changes(before, after) {
  const flat = (/** @type {any} */ definition) => new Map(fieldsOf(definition).map((f) => {
    const { fields: _, ...own } = f.def;
    return [f.path, JSON.stringify(own, Object.keys(own).sort()) + JSON.stringify(own)];
  }));
  const a = flat(before), b = flat(after);
  const found = /** @type {{ path: string, change: string }[]} */ ([]);
  for (const path of b.keys()) if (!a.has(path)) found.push({ path, change: "added" });
  for (const [path, text] of a) if (!b.has(path)) found.push({ path, change: "removed" });
    else if (b.get(path) !== text) found.push({ path, change: "changed" });
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (name !== "fields" && JSON.stringify(before[name]) !== JSON.stringify(after[name])) found.push({ path: name, change: "changed" });
  }
  return found;
}

/** @param {any} resource */
const nextGeneration = (resource) => String(1 + Math.max(0, ...resource.generations.map((/** @type {any} */ g) => Number(g.name)).filter(Number.isInteger)));

/** The path of the reindex job of an index. @param {string} name */
const jobPath = (name) => "/v1alpha1/admin/reindexes/" + encodeURIComponent(name);

/** @param {{ name: string, onChanged: () => void }} props */
export function Job({ name, onChanged }) {
  const [job, setJob] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [tick, setTick] = useState(0);
  const work = useWork();
  useEffect(() => {
    let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
    const aborted = new AbortController();
    get("/v1alpha1/admin/reindexes?" + new URLSearchParams({ index: name }), aborted.signal).then((got) => {
      const body = got.body.reindexes[0];
      if (!body) return;
      setJob((/** @type {any} */ was) => {
        if (was && was.phase !== body.phase) setTimeout(onChanged);
        return body;
      });
      if (!["done", "failed", "cancelled"].includes(body.phase)) timer = setTimeout(() => setTick((t) => t + 1), 500);
      setProblem(null);
    }, (error) => {
      if (isAborted(error)) return;
      setProblem(error);
      timer = setTimeout(() => setTick((t) => t + 1), 2000);
    });
    return () => {
      aborted.abort();
      clearTimeout(timer);
    };
  }, [name, tick]);
  if (!job) return null;
  // Not cancelled: a generation is either live or not, and only the response says which.
  const act = (/** @type {string} */ label, /** @type {string} */ path, /** @type {string} */ said) => work.run(label, async () => {
    await post(path);
    announce(said);
    setTick((t) => t + 1);
    await listIndexes();
    onChanged();
  });
  const running = !["done", "failed", "cancelled", "ready"].includes(job.phase);
  const [, target = ""] = job.target.split("@"), [, source = ""] = job.source.split("@");
  const live = indexes.value.find((i) => i.name === name)?.liveGeneration;
  return html`<section class="card stack" aria-label="Reindex job">
    <div class="room-head"><h3>Reindex generation ${source} into generation ${target}</h3><span class=${"tag " + ({ done: "good", ready: "good", failed: "bad" }[/** @type {string} */ (job.phase)] ?? "warn")} role="status">${job.phase}</span></div>
    <${ProblemView} problem=${work.problem ?? problem} onClose=${() => { work.setProblem(null); setProblem(null); }} />
    ${(running || job.phase === "ready") && html`<${Progress} done=${job.documentsCopied} all=${job.sourceDocuments} label=${count(job.documentsCopied) + " of " + plural(job.sourceDocuments, "document", "documents") + (job.backlog ? ", " + count(job.backlog) + " changed since" : "")}
      onCancel=${can("indexes.reindex", name) ? () => act("Cancelling…", jobPath(name) + "/actions/cancel", "Cancelled.") : undefined} />`}
    <${Doing} doing=${work.doing} />
    ${job.phase === "ready" && can("indexes.promote", job.target) && html`<div class="actions"><button type="button" class="primary" disabled=${Boolean(work.doing)} onClick=${() => act("Promoting…", adminPath(job.target) + "/actions/promote", "Generation " + target + " is live.")}>Promote generation ${target}</button></div>`}
    ${job.phase === "done" && live === target && can("indexes.promote", job.source) && html`<div class="actions"><button type="button" disabled=${Boolean(work.doing)} onClick=${() => act("Rolling back…", adminPath(job.source) + "/actions/promote", "Generation " + source + " is live again.")}>Roll back to generation ${source}</button></div>`}
    ${job.error && html`<${ProblemView} problem=${failedJob(job, jobPath(name), "Fix the problem in generation " + source + " or change the definition, then create a generation and reindex again.")} />`}
  </section>`;
}

const outcomes = /** @type {Record<string, string>} */ ({
  unchanged: "This is the stored definition.",
  replace: "The existing documents fit. You can save this definition without a reindex.",
});

/**
 * Asks what storing a definition would do, once the draft has not changed for a moment.
 * @param {string} name @param {string} draft
 */
function usePreview(name, draft) {
  const [preview, setPreview] = useState(/** @type {{ of: string, answer: any, problem: unknown }} */ ({ of: "", answer: null, problem: null }));
  const settled = useSettled(draft, 300);
  useEffect(() => {
    if (!settled || jsonError(settled)) return;
    const aborted = new AbortController();
    post(adminPath(name) + "/actions/preview", settled, aborted.signal)
      .then((got) => setPreview({ of: settled, answer: got.body, problem: null }), (error) => isAborted(error) || setPreview({ of: settled, answer: null, problem: error }));
    return () => aborted.abort();
  }, [name, settled]);
  return preview.of === draft ? preview : { of: draft, answer: null, problem: null };
}

/** @param {{ resource: any, onChanged: () => void }} props */
export function Definition({ resource, onChanged }) {
  const [draft, setDraft] = useState("");
  const { doing, problem, setProblem, run } = useWork();
  const busy = Boolean(doing);
  const editing = draft !== "";
  const after = editing && !jsonError(draft) ? JSON.parse(draft) : null;
  const found = after ? changes(resource.definition, after) : [];
  const name = resource.name;
  const { answer: preview, problem: refused } = usePreview(name, found.length ? draft : "");
  const next = nextGeneration(resource);
  // Not cancelled: only the response says whether the definition was stored.
  const send = (/** @type {string} */ label, /** @type {string} */ target, /** @type {Record<string, string>} */ headers, /** @type {string} */ said) => run(label, async () => {
    await call("PUT", target, { body: draft, headers });
    setDraft("");
    announce(said);
    await listIndexes();
    onChanged();
  });
  if (!editing) {
    return html`<div class="stack"><${FieldTable} fields=${resource.definition.fields} />
      ${can("indexes.write", name) && html`<div class="actions"><button type="button" onClick=${() => setDraft(pretty(resource.definition))}>Edit definition</button></div>`}</div>`;
  }
  const edit = (/** @type {string} */ v) => {
    setDraft(v);
    setProblem(null);
  };
  return html`<div class="stack">
    ${after?.fields && html`<${FieldSwitches} definition=${after} onChange=${(/** @type {any} */ next) => edit(pretty(next))} />`}
    <details open=${!after}><summary>Edit as JSON</summary><${JsonArea} label="Definition as JSON" rows=${22} value=${draft} onInput=${edit} /></details>
    ${found.length > 0 && html`<section class="stack" aria-label="Changes"><h3>Changes</h3><ul class="tags">${found.map((f) => html`<li key=${f.path + f.change} class=${"tag " + ({ added: "good", removed: "bad" }[f.change] ?? "warn")}>${f.path} ${f.change}</li>`)}</ul>
      <p role="status">${preview ? outcomes[preview.outcome] ?? "" : refused ? "" : "Checking whether this needs a reindex…"}</p></section>`}
    ${preview?.outcome === "reindex" && html`<div class="card refused" role="alert"><h2>This needs a reindex</h2><p>Nothing has changed yet. The documents in generation ${preview.generation} do not fit the new definition:</p>
        <ul>${preview.differences.map((/** @type {any} */ d) => html`<li key=${d.path + d.code}><code>${d.path}</code> ${d.message}</li>`)}</ul>
        ${can("indexes.write", name + "@" + next) && can("indexes.reindex", name) && html`<p>Create generation ${next} with this definition and fill it with the documents of generation ${preview.generation}? Searches do not change until you promote it.</p>
        <div class="actions"><button type="button" class="primary" disabled=${busy}
          onClick=${() => send("Creating generation " + next + "…", adminPath(name + "@" + next) + "?reindex=manual", {}, "Reindexing into generation " + next + ".")}>Create generation ${next} and reindex</button></div>`}</div>`}
    <${ProblemView} problem=${problem ?? refused} />
    <${Doing} doing=${doing} />
    <div class="actions"><button type="button" class="primary" disabled=${busy || !after || preview?.outcome !== "replace"} onClick=${() => send("Saving the definition…", adminPath(name), { "If-Match": '"' + resource.version + '"' }, "Definition saved.")}>Save definition</button>
      <button type="button" onClick=${() => { setDraft(""); setProblem(null); }}>Discard changes</button></div>
  </div>`;
}
