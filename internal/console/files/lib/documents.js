// Documents of an index: browse, open, add, edit, delete.

import { call, dataPath, isAborted } from "./api.js";
import { html, submit, text, useEffect, useState } from "./dom.js";
import { fieldsOf, primaryKey, titleField } from "./indexes.js";
import { Shown } from "./hits.js";
import { valueAt, variant } from "./searching.js";
import { can } from "./session.js";
import { announce, Confirm, Dialog, Empty, JsonArea, jsonError, pretty, ProblemView } from "./ui.js";

const pageSize = 20;

/** @param {{ name: string, definition: any }} props */
export function Documents({ name, definition }) {
  const key = primaryKey(definition);
  const title = titleField(definition);
  const shown = fieldsOf(definition).filter((f) => !f.path.includes(".") && !f.path.includes("*") && f.path !== key && f.path !== title && f.type !== "vector").slice(0, 4);
  const [page, setPage] = useState(/** @type {any} */ (null));
  const [trail, setTrail] = useState(/** @type {string[]} */ ([]));
  const [fresh, setFresh] = useState("");
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [open, setOpen] = useState(/** @type {any} */ (null));
  const [sought, setSought] = useState("");
  const after = trail.at(-1) ?? "";
  useEffect(() => {
    const aborted = new AbortController();
    const query = new URLSearchParams({ limit: String(pageSize), ...(after ? { after } : {}) });
    call("GET", dataPath(name) + "/documents?" + query, { signal: aborted.signal, headers: fresh ? { "X-Service-Freshness": fresh } : {} })
      .then((got) => { setPage(got.body); setProblem(null); }, (error) => isAborted(error) || setProblem(error));
    return () => aborted.abort();
  }, [name, after, fresh]);
  const find = async () => {
    try {
      const got = await call("GET", dataPath(name) + "/documents/" + encodeURIComponent(sought.trim()), { headers: fresh ? { "X-Service-Freshness": fresh } : {} });
      setOpen(got.body.document);
      setProblem(null);
    } catch (error) {
      setProblem(error);
    }
  };
  if (!key) return html`<${Empty} title="These documents have no key"><p>Without a primary key they can be searched, not listed.</p></${Empty}>`;
  const fields = fieldsOf(definition);
  const named = (/** @type {any} */ document) => variant(valueAt(document, title), fields.find((f) => f.path === title));
  const keyOf = (/** @type {any} */ document) => String(valueAt(document, key));
  return html`<div class="stack">
    <form class="form-row" onSubmit=${submit(find)}><label>Key <input value=${sought} required onInput=${text(setSought)} /></label><button>Open</button>
      <span class="grow"></span>${can("documents.write", name) && html`<button type="button" class="primary" onClick=${() => setOpen({})}>Add a document</button>`}</form>
    <${ProblemView} problem=${problem} onClose=${() => setProblem(null)} />
    ${page?.documents.length === 0 && !trail.length ? html`<${Empty} title="No documents yet" />` : html`<div class="table"><table>
      <thead><tr><th>${key}</th>${title && html`<th>${title}</th>`}${shown.map((f) => html`<th key=${f.path}>${f.path}</th>`)}</tr></thead>
      <tbody>${(page?.documents ?? []).map((/** @type {any} */ document) => html`<tr key=${keyOf(document)}><td><button type="button" class="quiet" onClick=${() => setOpen(document)}><code dir="auto">${keyOf(document)}</code></button></td>
        ${title && html`<td dir="auto">${named(document)}</td>`}${shown.map((f) => html`<td key=${f.path}><${Shown} value=${document[f.path]} field=${f} /></td>`)}</tr>`)}</tbody></table></div>`}
    <nav class="pager" aria-label="Pages of documents"><button type="button" disabled=${!trail.length} onClick=${() => setTrail(trail.slice(0, -1))}>Previous</button>
      <button type="button" disabled=${!page?.next} onClick=${() => setTrail([...trail, page.next])}>Next</button></nav>
    ${open && html`<${Editor} name=${name} keyField=${key} document=${open} onClose=${() => setOpen(null)} onChanged=${(/** @type {string} */ token) => { setOpen(null); setFresh(token); }} />`}
  </div>`;
}

/** @param {{ name: string, keyField: string, document: any, onClose: () => void, onChanged: (token: string) => void }} props */
function Editor({ name, keyField, document, onClose, onChanged }) {
  const key = document[keyField];
  const isNew = key === undefined;
  const [value, setValue] = useState(pretty(document));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [asking, setAsking] = useState(false);
  const may = can("documents.write", name);
  const act = async (/** @type {() => Promise<import("./api.js").Answer>} */ request, /** @type {string} */ said) => {
    try {
      const got = await request();
      announce(said);
      onChanged(got.headers.get("X-Service-Freshness") ?? got.body?.freshness ?? "");
    } catch (error) {
      setAsking(false);
      setProblem(error);
    }
  };
  const path = dataPath(name) + "/documents/" + encodeURIComponent(String(key));
  const store = () => (isNew ? act(() => call("POST", dataPath(name) + "/documents", { body: { documents: [JSON.parse(value)] } }), "Added.") : act(() => call("PUT", path, { body: value }), "Stored."));
  if (asking) return html`<${Confirm} title=${"Delete " + key + "?"} action="Delete" onClose=${() => setAsking(false)} onConfirm=${() => act(() => call("DELETE", path), "Deleted.")}><p>The document goes with the next commit.</p></${Confirm}>`;
  return html`<${Dialog} wide title=${isNew ? "Add a document" : "Document " + key} onClose=${onClose}>
    <${ProblemView} problem=${problem} />
    <${JsonArea} label="Document as JSON" rows=${20} value=${value} onInput=${may ? setValue : undefined} onRun=${() => may && !jsonError(value) && store()} />
    <div class="actions">${may && html`<button type="button" class="primary" disabled=${Boolean(jsonError(value))} onClick=${store}>${isNew ? "Add" : "Store"}</button>`}
      ${!isNew && can("documents.delete", name) && html`<button type="button" class="danger" onClick=${() => setAsking(true)}>Delete</button>`}</div>
  </${Dialog}>`;
}
