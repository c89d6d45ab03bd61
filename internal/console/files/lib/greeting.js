// What an empty node shows first.

import { adminPath, call, dataPath } from "./api.js";
import { html, useState } from "./dom.js";
import { listIndexes } from "./indexes.js";
import { go } from "./place.js";
import { can } from "./session.js";
import { CopyButton, ProblemView } from "./ui.js";

const demoIndex = "catalogue";

const commands = () => [
  `curl -X PUT ${location.origin}/v1alpha1/admin/indexes/books -H 'Content-Type: application/json' -d '{"fields":{"id":{"type":"string","role":"id"},"title":{"type":"string","role":"title"}}}'`,
  `curl ${location.origin}/v1alpha1/indexes/books/documents -H 'Content-Type: application/x-ndjson' --data-binary '{"id":"1","title":"The Dispossessed"}'`,
  `curl ${location.origin}/v1alpha1/indexes/books/search -H 'Content-Type: application/json' -d '{"query":[{"type":"text","text":"dispossesed","match":"user"}]}'`,
];

/** Loads the demo catalogue through the public interface. @param {(step: string) => void} tell */
async function loadDemo(tell) {
  const file = async (/** @type {string} */ name) => (await fetch("demo/" + name)).text();
  tell("Declaring the index…");
  await call("PUT", adminPath(demoIndex), { body: await file("definition.json") });
  await call("PUT", adminPath(demoIndex) + "/settings", { body: await file("settings.json") });
  tell("Adding documents…");
  await call("POST", dataPath(demoIndex) + "/documents", { body: await file("documents.ndjson"), type: "application/x-ndjson" });
  await call("POST", adminPath(demoIndex) + "/actions/commit");
  await listIndexes();
}

export function Greeting() {
  const [step, setStep] = useState("");
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const may = can("indexes.write", demoIndex) && can("documents.write", demoIndex);
  const load = () => {
    setProblem(null);
    loadDemo(setStep).catch(setProblem).finally(() => setStep(""));
  };
  return html`<div class="greeting">
    <p class="eyebrow">An empty node</p>
    <h1>Nothing to search yet</h1>
    <${ProblemView} problem=${problem} />
    <div class="cards">
      ${may && html`<section><h2>Look around</h2><p>336 products in English and Swedish, with prices, sizes and colours to play with.</p>
        <button type="button" class="primary" disabled=${step !== ""} onClick=${load}>${step || "Load the demo catalogue"}</button></section>`}
      ${may && html`<section><h2>Your own file</h2><p>CSV, TSV, JSON or NDJSON, gzip too. You see the definition before anything is stored.</p>
        <button type="button" onClick=${() => go("data", { drop: "1" })}>Choose a file</button></section>`}
      <section><h2>Three commands</h2><p>Declare an index, add a document, search it.</p>
        <${CopyButton} class="" label="Copy the commands" value=${() => commands().join("\n")} />
      </section>
    </div>
    <pre tabindex="0" aria-label="Three commands">${commands().join("\n")}</pre>
  </div>`;
}
