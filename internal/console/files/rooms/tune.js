// Tune: change the search settings and see the effect before storing them.

import { failedJob, isAborted, Problem } from "../lib/api.js";
import { html, text, useEffect, useRef, useState } from "../lib/dom.js";
import { Counting, Fields, Ranking, Synonyms, TypoExclusions } from "../lib/forms.js";
import { indexes, localesOf, readIndex } from "../lib/indexes.js";
import { go, room } from "../lib/place.js";
import * as s from "../lib/searching.js";
import { can } from "../lib/session.js";
import { check, compare, evaluate, evaluationPath, judgementSets, moved, readSettings, saveSettings } from "../lib/tuning.js";
import { announce, Doing, Empty, JsonArea, jsonError, plural, pretty, ProblemView, Progress, useSettled, useWork } from "../lib/ui.js";

/** @typedef {import("../lib/tuning.js").Compared} Compared @typedef {import("../lib/tuning.js").Line} Line */

/** @param {{ by: number | null }} props */
function Arrow({ by }) {
  if (by === null) return html`<span class="moved up" aria-label="new">new</span>`;
  if (by === 0) return html`<span class="moved" aria-label="same position">·</span>`;
  return html`<span class=${"moved " + (by > 0 ? "up" : "down")} aria-label=${(by > 0 ? "up " : "down ") + Math.abs(by)}>${by > 0 ? "↑" : "↓"}${Math.abs(by)}</span>`;
}

/** @param {{ result: Compared }} props */
function Result({ result }) {
  const gone = result.before.filter((b) => !result.after.some((a) => a.id === b.id));
  return html`<details class="compared" open=${result.changed > 0}><summary><span dir="auto">${result.text}</span> <span class=${"tag " + (result.changed ? "warn" : "good")}>${result.changed ? result.changed + " of the top ten changed" : "no change"}</span></summary>
    <${ProblemView} problem=${result.problem} />
    <div class="sides"><section aria-label=${"Stored, " + result.text}><h3>Stored</h3><ol>${result.before.map((line) => html`<li key=${line.id} class=${gone.includes(line) ? "gone" : ""}><span dir="auto">${line.title}</span></li>`)}</ol></section>
      <section aria-label=${"Edited, " + result.text}><h3>Edited</h3><ol>${result.after.map((line, at) => html`<li key=${line.id}><span dir="auto">${line.title}</span> <${Arrow} by=${moved(result.before, line, at)} /></li>`)}</ol></section></div>
  </details>`;
}

const measures = [["NDCG@10", "ndcg"], ["MRR@10", "mrr"], ["precision@10", "precision"], ["recall@100", "recall"]];

/** @param {{ name: string, edited: any }} props */
function Judged({ name, edited }) {
  const [sets, setSets] = useState(/** @type {string[]} */ ([]));
  const [set, setSet] = useState("");
  const [report, setReport] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [turn, setTurn] = useState(0);
  const cancel = useRef(() => {});
  const settled = useSettled(JSON.stringify(edited), 300);
  useEffect(() => {
    judgementSets(name).then((found) => { setSets(found); setSet(found[0] ?? ""); }, setProblem);
  }, [name]);
  useEffect(() => {
    if (!set) return;
    const mine = new AbortController();
    let overtaken = false;
    cancel.current = () => mine.abort();
    evaluate(name, set, JSON.parse(settled), mine.signal, (body) => overtaken || setReport(body))
      .then(() => overtaken || setProblem(null), (error) => isAborted(error) || overtaken || setProblem(error));
    return () => {
      overtaken = true;
      mine.abort();
    };
  }, [name, set, settled, turn]);
  if (!sets.length) return html`<${ProblemView} problem=${problem} />`;
  const shown = (/** @type {any} */ v) => (typeof v === "number" ? v.toFixed(4) : "–");
  const ndcg = report?.comparison?.ndcg;
  return html`<section class="card stack" aria-label="Judgements"><div class="room-head"><h2>Judgements</h2>
      <label>Judgement set <select value=${set} onChange=${text(setSet)}>${sets.map((n) => html`<option key=${n} value=${n}>${n}</option>`)}</select></label></div>
    <${ProblemView} problem=${problem} />
    ${report?.state === "running" && html`<${Progress} done=${report.searchesDone} all=${report.searches} label=${report.searchesDone + " of " + report.searches + " searches"} onCancel=${() => cancel.current()} />`}
    ${report?.state === "cancelled" && html`<div class="form-row"><p role="status">Cancelled after ${report.searchesDone} of ${report.searches} searches.</p><button type="button" onClick=${() => setTurn(turn + 1)}>Measure again</button></div>`}
    ${report?.state === "failed" && html`<${ProblemView} problem=${failedJob(report, evaluationPath(name, report.id), "Change the settings or the judgements, then measure again.")} />`}
    ${report?.measures && html`<table><thead><tr><th>Measure</th><th class="number">Stored</th><th class="number">Edited</th></tr></thead><tbody>
      ${measures.map(([label = "", key = ""]) => html`<tr key=${key}><td>${label}</td><td class="number">${shown(report.against?.measures[key])}</td><td class="number">${shown(report.measures[key])}</td></tr>`)}</tbody></table>
      ${ndcg && html`<p role="status">NDCG@10 ${ndcg.difference === 0 ? "is unchanged." : html`changed by <strong>${ndcg.difference > 0 ? "+" : "−"}${Math.abs(ndcg.difference).toFixed(4)}</strong> (p = ${ndcg.p.toFixed(3)}${ndcg.significant ? "" : ", which may be chance"}). ${plural(report.comparison.wins, "query", "queries")} got better, ${report.comparison.losses} got worse.`}</p>`}`}
  </section>`;
}

const idle = { done: 0, all: 0 };

/** @param {{ name: string }} props */
function Tuner({ name }) {
  const [definition, setDefinition] = useState(/** @type {any} */ (null));
  const [stored, setStored] = useState(/** @type {import("../lib/tuning.js").Stored | null} */ (null));
  const [draft, setDraft] = useState("{}");
  const [json, setJson] = useState(false);
  const [problem, setProblem] = useState(/** @type {unknown} */ (null)); // from storing or reading them
  const [refused, setRefused] = useState(/** @type {unknown} */ (null)); // what the API reports about the draft
  const [queries, setQueries] = useState(s.typed.value || "");
  const [locale, setLocale] = useState(s.locale.value);
  const [results, setResults] = useState(/** @type {Compared[]} */ ([]));
  const [running, setRunning] = useState(idle);
  const [stopped, setStopped] = useState(idle);
  const [turn, setTurn] = useState(0);
  const work = useWork();
  const slow = useSettled(running.all > 0, 300);
  const aborted = useRef(new AbortController());
  const read = () => Promise.all([readIndex(name), readSettings(name)]).then(([index, found]) => {
    setDefinition(index.definition);
    setStored(found);
    setDraft(pretty(found.settings));
    setProblem(null);
  }).catch(setProblem);
  useEffect(() => void read(), [name]);
  const wrong = jsonError(draft);
  const edited = wrong ? null : JSON.parse(draft);
  const settled = useSettled(draft + "\n" + queries + "\n" + locale, 300);
  useEffect(() => {
    aborted.current.abort();
    const mine = (aborted.current = new AbortController());
    const lines = queries.split("\n").map((l) => l.trim()).filter(Boolean).slice(0, 100);
    if (!definition || !edited) {
      setResults([]);
      return;
    }
    const run = async () => {
      const found = /** @type {Compared[]} */ ([]);
      setStopped(idle);
      setRunning({ done: 0, all: lines.length });
      await check(name, edited, mine.signal);
      for (const line of lines) {
        found.push(await compare(name, definition, edited, line, locale, mine.signal));
        setRunning({ done: found.length, all: lines.length });
      }
      setResults(found);
      setRefused(null);
    };
    run().catch((error) => isAborted(error) || mine.signal.aborted || setRefused(error)).finally(() => mine.signal.aborted || setRunning(idle));
    return () => mine.abort();
  }, [settled, definition, turn]);
  if (!stored || !definition) return html`<${ProblemView} problem=${problem} /><p class="loading">Loading…</p>`;
  const dirty = draft !== pretty(stored.settings);
  const conflict = problem instanceof Problem && problem.code === "settings:version_mismatch";
  // Not cancelled: only the response says whether the settings were stored.
  const save = () => work.run("Saving…", () => saveSettings(name, edited, stored.version).then(() => { announce("Settings saved."); return read(); }).catch(setProblem));
  const edit = (/** @type {string} */ next) => {
    setDraft(next);
    if (!conflict) setProblem(null);
  };
  const change = (/** @type {any} */ next) => edit(pretty(next));
  const stop = () => {
    aborted.current.abort();
    setStopped(running);
    setRunning(idle);
  };
  const locales = localesOf(definition);
  const places = refused instanceof Problem ? refused.details.map((d) => ({ ...d, path: d.path?.replace(/^settings\./, "") ?? "" })) : [];
  return html`<div class="tuner">
    <div class="stack"><div class="tabs" role="tablist" aria-label="Settings">
        <button type="button" role="tab" id="as-forms" aria-controls="settings" aria-selected=${!json} disabled=${Boolean(wrong)} onClick=${() => setJson(false)}>Forms</button>
        <button type="button" role="tab" id="as-json" aria-controls="settings" aria-selected=${json} onClick=${() => setJson(true)}>JSON</button></div>
      <div role="tabpanel" id="settings" aria-labelledby=${json ? "as-json" : "as-forms"}>
        ${json || !edited ? html`<${JsonArea} label="Settings as JSON" rows=${24} value=${draft} onInput=${edit} />`
          : [Synonyms, Ranking, Fields, TypoExclusions, Counting].map((Part, at) => html`<${Part} key=${at} settings=${edited} definition=${definition} problems=${places} onChange=${change} />`)}</div>
      <${ProblemView} problem=${problem ?? refused} />
      <${Doing} doing=${work.doing} />
      <div class="actions"><button type="button" class="primary" disabled=${!dirty || !edited || Boolean(work.doing)} onClick=${save}>Save settings</button>
        <button type="button" disabled=${!dirty} onClick=${() => { setDraft(pretty(stored.settings)); setProblem(null); }}>Discard changes</button>
        ${conflict && html`<button type="button" onClick=${() => void readSettings(name).then((found) => { setStored(found); setProblem(null); announce("Saving now overwrites the stored settings."); }, setProblem)}>Overwrite stored settings</button>
          <button type="button" onClick=${() => void read()}>Load stored settings</button>`}
        <span class="hint" role="status">${dirty ? "Nothing is stored until you save." : "No unsaved changes."}</span></div></div>
    <div class="stack"><h2 class="hidden">Effect of the changes</h2>
      <label class="over" for="queries">Queries to try, one per line</label><textarea id="queries" rows="4" value=${queries} dir="auto" onInput=${text(setQueries)} placeholder="rain jacket"></textarea>
      ${locales.length > 0 && html`<div class="form-row"><label>Locale <select value=${locale} onChange=${text(setLocale)}><option value="">Default</option>${locales.map((l) => html`<option key=${l} value=${l}>${l}</option>`)}</select></label></div>`}
      ${(running.all > 3 || (slow && running.all > 0)) && html`<${Progress} done=${running.done} all=${running.all} label=${"Query " + running.done + " of " + running.all} onCancel=${stop} />`}
      ${stopped.all > 0 && html`<div class="form-row"><p role="status">Cancelled after ${stopped.done} of ${plural(stopped.all, "query", "queries")}.</p><button type="button" onClick=${() => setTurn(turn + 1)}>Run queries</button></div>`}
      ${!results.length && !queries.trim() && html`<${Empty} title="No queries yet"><p>Enter the queries that matter to see how your changes affect their hits.</p></${Empty}>`}
      ${results.map((result) => html`<${Result} key=${result.text} result=${result} />`)}
      ${edited && html`<${Judged} name=${name} edited=${edited} />`}</div>
  </div>`;
}

export default function Tune() {
  const tunable = indexes.value.filter((i) => can("settings.write", i.name) && can("indexes.read", i.name) && can("search", i.name));
  const name = tunable.find((i) => i.name === (room.value.params.get("index") ?? s.index.value))?.name ?? tunable[0]?.name ?? "";
  return html`<div class="room"><div class="room-head"><div><p class="eyebrow">Tune</p><h1>${name ? "Search settings of " + name : "Search settings"}</h1></div>
      ${tunable.length > 1 && html`<label>Index <select value=${name} onChange=${text((v) => go("tune", { index: v }))}>${tunable.map((i) => html`<option key=${i.name} value=${i.name}>${i.name}</option>`)}</select></label>`}</div>
    ${name ? html`<${Tuner} key=${name} name=${name} />` : html`<${Empty} title="Nothing to tune yet"><p>This room changes the search settings of an index and shows the effect before you save. This key cannot change the settings of any index.</p></${Empty}>`}
  </div>`;
}
