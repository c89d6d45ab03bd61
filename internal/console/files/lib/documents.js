// Documents of an index: browse, open, add, edit, delete.

import { call, dataPath, isAborted } from "./api.js";
import { html, submit, text, useEffect, useState } from "./dom.js";
import { fieldsOf, primaryKey, titleField } from "./indexes.js";
import { Shown } from "./hits.js";
import { asWritten, shownNumbers } from "./json.js";
import { valueAt, variant } from "./searching.js";
import { can } from "./session.js";
import { announce, Confirm, Dialog, Empty, JsonArea, jsonError, pretty, ProblemView, useWork } from "./ui.js";

/**
 * An open document. Its key is empty if it is new, or if the key of this tab may
 * not read the definition, which names the field that holds the document key.
 * @typedef {{ document: any, key: string }} Opened
 */

const pageSize = 20;
const shownColumns = 5;

/** @param {string} name @param {string} key */
const documentPath = (name, key) => dataPath(name) + "/documents/" + encodeURIComponent(key);

/**
 * The columns of the table of documents. If the definition cannot be read, these
 * are the first members of the documents on the page.
 * @param {any} definition @param {any[]} documents
 */
function columnsOf(definition, documents) {
  if (!definition) return [...new Set(documents.flatMap((document) => Object.keys(document)))].slice(0, shownColumns).map((path) => ({ path, field: undefined }));
  const key = primaryKey(definition), title = titleField(definition);
  const all = fieldsOf(definition);
  const rest = all.filter((f) => !f.path.includes(".") && !f.path.includes("*") && f.path !== key && f.path !== title && f.type !== "vector");
  return [...all.filter((f) => f.path === title), ...rest.slice(0, shownColumns - 1)].map((field) => ({ path: field.path, field }));
}

/** @param {{ name: string, definition: any }} props definition is null when the key may not read it */
export function Documents({ name, definition }) {
  const key = primaryKey(definition);
  const [page, setPage] = useState(/** @type {any} */ (null));
  const [trail, setTrail] = useState(/** @type {string[]} */ ([]));
  const [fresh, setFresh] = useState("");
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [open, setOpen] = useState(/** @type {Opened | null} */ (null));
  const [gone, setGone] = useState("");
  const [sought, setSought] = useState("");
  const after = trail.at(-1) ?? "";
  const mayRead = can("documents.read", name), mayDelete = can("documents.delete", name);
  /** @type {Record<string, string>} */
  const headers = fresh ? { "X-Service-Freshness": fresh } : {};
  useEffect(() => {
    if (!mayRead || (definition && !key)) return;
    const aborted = new AbortController();
    const query = new URLSearchParams({ limit: String(pageSize), ...(after ? { after } : {}) });
    call("GET", dataPath(name) + "/documents?" + query, { signal: aborted.signal, headers })
      .then((got) => { setPage(asWritten(got.text)); setProblem(null); }, (error) => isAborted(error) || setProblem(error));
    return () => aborted.abort();
  }, [name, after, fresh]);
  const find = async () => {
    try {
      const got = await call("GET", documentPath(name, sought.trim()), { headers });
      setOpen({ document: asWritten(got.text).document, key: sought.trim() });
      setProblem(null);
    } catch (error) {
      setProblem(error);
    }
  };
  const changed = (/** @type {string} */ token) => {
    setOpen(null);
    setGone("");
    setFresh(token);
    setProblem(null);
  };
  const remove = (/** @type {string} */ which) => call("DELETE", documentPath(name, which)).then((got) => {
    announce("Document deleted.");
    changed(got.headers.get("X-Service-Freshness") ?? "");
  }, (error) => {
    setGone("");
    setProblem(error);
  });
  if (definition && !key) return html`<${Empty} title="These documents cannot be listed"><p>The index has no primary key. You can still search its documents.</p></${Empty}>`;
  const documents = page?.documents ?? [];
  const columns = columnsOf(definition, documents);
  const keyOf = (/** @type {any} */ document) => (key ? String(shownNumbers(valueAt(document, key))) : "");
  return html`<div class="stack">
    <form class="form-row" onSubmit=${submit(mayRead ? find : () => setGone(sought.trim()))}>
      ${(mayRead || mayDelete) && html`<label>Key <input value=${sought} required onInput=${text(setSought)} /></label><button class=${mayRead ? "" : "danger"}>${mayRead ? "Open" : "Delete"}</button>`}
      <span class="grow"></span>${can("documents.write", name) && html`<button type="button" class="primary" onClick=${() => setOpen({ document: {}, key: "" })}>Add a document</button>`}</form>
    <${ProblemView} problem=${problem} onClose=${() => setProblem(null)} />
    ${!mayRead ? html`<p class="hint">This key cannot read the documents of ${name}.</p>` : page && html`
    ${!documents.length && !trail.length ? html`<${Empty} title="No documents yet">${can("documents.write", name) && html`<p>Add a document, or drop a file on the page.</p>`}</${Empty}>` : html`<div class="table"><table>
      <thead><tr><th>${key || "Document"}</th>${columns.map((c) => html`<th key=${c.path}>${c.path}</th>`)}</tr></thead>
      <tbody>${documents.map((/** @type {any} */ document, /** @type {number} */ at) => html`<tr key=${keyOf(document) || at}><td><button type="button" class="quiet" onClick=${() => setOpen({ document, key: keyOf(document) })}>${key ? html`<code dir="auto">${keyOf(document)}</code>` : "Open"}</button></td>
        ${columns.map((c) => html`<td key=${c.path}><${Shown} value=${shownNumbers(c.field ? variant(valueAt(document, c.path), c.field) : document[c.path])} field=${c.field} /></td>`)}</tr>`)}</tbody></table></div>`}
    <nav class="pager" aria-label="Pages of documents"><button type="button" disabled=${!trail.length} onClick=${() => setTrail(trail.slice(0, -1))}>Previous</button>
      <button type="button" disabled=${!page.next} onClick=${() => setTrail([...trail, page.next])}>Next</button></nav>`}
    ${open && html`<${Editor} name=${name} opened=${open} onClose=${() => setOpen(null)} onChanged=${changed} onDelete=${mayDelete && open.key ? () => { setGone(open.key); setOpen(null); } : undefined} />`}
    ${gone && html`<${Confirm} title=${"Delete " + gone + "?"} action="Delete" onClose=${() => setGone("")} onConfirm=${() => void remove(gone)}><p>Searches stop finding the document after the next commit.</p></${Confirm}>`}
  </div>`;
}

/** @param {{ name: string, opened: Opened, onClose: () => void, onChanged: (token: string) => void, onDelete?: (() => void) | undefined }} props */
function Editor({ name, opened, onClose, onChanged, onDelete }) {
  const { document, key } = opened;
  const isNew = !Object.keys(document).length;
  const [value, setValue] = useState(pretty(document));
  const { doing, problem, run } = useWork();
  const may = can("documents.write", name);
  // Adding replaces the document with the same key.
  const store = () => run("Saving…", async () => {
    const got = await (key ? call("PUT", documentPath(name, key), { body: value }) : call("POST", dataPath(name) + "/documents", { body: '{"documents":[' + value + "]}" }));
    announce(isNew ? "Document added." : "Document saved.");
    onChanged(got.headers.get("X-Service-Freshness") ?? got.body?.freshness ?? "");
  });
  return html`<${Dialog} wide title=${isNew ? "Add a document" : "Document " + key} onClose=${onClose}>
    <${ProblemView} problem=${problem} />
    <${JsonArea} label="Document as JSON" rows=${20} value=${value} onInput=${may ? setValue : undefined} onRun=${() => may && !doing && !jsonError(value) && store()} />
    <div class="actions">${may && html`<button type="button" class="primary" disabled=${Boolean(doing) || Boolean(jsonError(value))} onClick=${store}>${isNew ? "Add document" : "Save document"}</button>`}
      ${onDelete && html`<button type="button" class="danger" onClick=${onDelete}>Delete document</button>`}</div>
  </${Dialog}>`;
}
