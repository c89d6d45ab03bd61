// What a node without indexes shows first.

import { adminPath, call, dataPath } from "./api.js";
import { html, useEffect, useRef, useState } from "./dom.js";
import { listIndexes } from "./indexes.js";
import { go } from "./place.js";
import { can, canSomewhere } from "./session.js";
import { announce, CopyButton, ProblemView, Progress } from "./ui.js";

const demoIndex = "catalogue";

const commands = () => [
  `curl -X PUT ${location.origin}/v1alpha1/admin/indexes/books -H 'Content-Type: application/json' -d '{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","role":"title"}}}'`,
  `curl ${location.origin}/v1alpha1/indexes/books/documents -H 'Content-Type: application/x-ndjson' --data-binary '{"id":"1","title":"The Dispossessed"}'`,
  `curl ${location.origin}/v1alpha1/indexes/books/search -H 'Content-Type: application/json' -d '{"query":[{"type":"text","text":"dispossesed","match":"user"}]}'`,
];

/** @typedef {{ label: string, run: () => Promise<import("./api.js").Answer> }} Step */

/** Returns the steps that load the demo catalogue through the public API. @param {AbortSignal} aborted @returns {Step[]} */
function demoSteps(aborted) {
  const file = async (/** @type {string} */ name) => (await fetch("demo/" + name, { signal: aborted })).text();
  const send = async (/** @type {string} */ method, /** @type {string} */ path, /** @type {string} */ name, type = "application/json") => call(method, path, { body: await file(name), type, signal: aborted });
  return [
    // Not cancelled: only its response says whether there is an index to remove again.
    { label: "Creating the index…", run: async () => call("PUT", adminPath(demoIndex), { body: await file("definition.json") }) },
    { label: "Saving its search settings…", run: () => send("PUT", adminPath(demoIndex) + "/settings", "settings.json") },
    { label: "Adding documents…", run: () => send("POST", dataPath(demoIndex) + "/documents", "documents.ndjson", "application/x-ndjson") },
    { label: "Committing…", run: () => call("POST", adminPath(demoIndex) + "/actions/commit", { signal: aborted }) },
  ];
}

/**
 * Loads the demo catalogue. On cancellation it removes the index again if it
 * created it.
 * @param {AbortSignal} aborted @param {(done: number, all: number, label: string) => void} report
 */
async function loadDemo(aborted, report) {
  const steps = demoSteps(aborted);
  let created = false;
  try {
    for (const [done, step] of steps.entries()) {
      aborted.throwIfAborted();
      report(done, steps.length, step.label);
      const { status } = await step.run();
      created ||= done === 0 && status === 201;
    }
  } catch (error) {
    if (!aborted.aborted) throw error;
    report(0, steps.length, "Cancelling…");
    if (created) await call("DELETE", adminPath(demoIndex));
    announce("Cancelled.");
  }
  await listIndexes();
}

export function Greeting() {
  const [step, setStep] = useState(/** @type {{ done: number, all: number, label: string } | null} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const aborted = useRef(new AbortController());
  useEffect(() => () => aborted.current.abort(), []);
  const mayDemo = ["indexes.write", "indexes.delete", "settings.write", "documents.write", "indexes.commit"].every((permission) => can(permission, demoIndex));
  const mayLoad = canSomewhere("indexes.write") && canSomewhere("documents.write");
  const load = () => {
    setProblem(null);
    aborted.current = new AbortController();
    loadDemo(aborted.current.signal, (done, all, label) => setStep({ done, all, label })).catch(setProblem).finally(() => setStep(null));
  };
  return html`<div class="greeting">
    <p class="eyebrow">Empty node</p>
    <h1>Nothing to search yet</h1>
    <${ProblemView} problem=${problem} />
    <div class="cards">
      ${mayDemo && html`<section><h2>Try the demo</h2><p>336 products in English and Swedish, with prices, sizes and colours.</p>
        ${step ? html`<${Progress} done=${step.done} all=${step.all} label=${step.label} onCancel=${() => aborted.current.abort()} />`
          : html`<button type="button" class="primary" onClick=${load}>Load the demo catalogue</button>`}</section>`}
      ${mayLoad && html`<section><h2>Load your own file</h2><p>CSV, TSV, JSON or NDJSON, optionally gzipped. You review the definition before anything is stored.</p>
        <button type="button" onClick=${() => go("data", { drop: "1" })}>Choose a file</button></section>`}
      <section><h2>Use the API</h2><p>Three curl commands create an index, add a document and search for it.</p>
        <${CopyButton} class="" label="Copy commands" value=${() => commands().join("\n")} />
      </section>
    </div>
    <pre tabindex="0" aria-label="Three curl commands">${commands().join("\n")}</pre>
  </div>`;
}
