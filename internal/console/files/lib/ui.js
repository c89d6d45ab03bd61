// The components that rooms are made of.

import { inputProblem, isAborted, Problem } from "./api.js";
import { html, keys, signal, text, useEffect, useRef, useState } from "./dom.js";
import { jsonDetail } from "./json.js";
import { curl, forms } from "./snippets.js";

/** @typedef {import("./dom.js").Children} Children */

const paths = {
  search: "M10.5 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13zM20 20l-4.800-4.800",
  why: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  tune: "M4 7h9M19 7h1M4 17h1M11 17h9M16 4.500v5M8 14.500v5",
  data: "M12 3c4.400 0 8 1.300 8 3s-3.600 3-8 3-8-1.300-8-3 3.600-3 8-3zM4 6v12c0 1.700 3.600 3 8 3s8-1.300 8-3V6M4 12c0 1.700 3.600 3 8 3s8-1.300 8-3",
  access: "M15 9a4 4 0 1 0-3.900 4L9 15v2H7v2H5v2H3v-3l7.100-7.100",
  nodes: "M5 4h14v6H5zM5 14h14v6H5zM8 7h.01M8 17h.01",
  close: "M6 6l12 12M18 6L6 18",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  plus: "M12 5v14M5 12h14",
  code: "M9 8l-4 4 4 4M15 8l4 4-4 4",
  theme: "M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18",
  out: "M10 4H5v16h5M14 8l4 4-4 4M18 12H9",
};

/** @param {{ name: keyof typeof paths }} props */
export const Icon = ({ name }) => html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${paths[name]} /></svg>`;

/** @param {string} value */
export const copy = async (value) => {
  try {
    await navigator.clipboard.writeText(value);
    announce("Copied.");
  } catch {
    announce("The browser blocked copying. Select the text and copy it yourself.");
  }
};

/** What a screen reader announces next; also shown as a brief notice. */
export const announced = signal("");
/** @type {ReturnType<typeof setTimeout> | undefined} */
let clearing;

/** @param {string} message */
export function announce(message) {
  announced.value = message;
  clearTimeout(clearing);
  clearing = setTimeout(() => (announced.value = ""), 4000);
}

/** @param {{ value: () => string, label?: string, class?: string }} props */
export const CopyButton = ({ value, label = "Copy", class: name = "quiet" }) =>
  html`<button type="button" class=${name} onClick=${() => copy(value())}><${Icon} name="copy" />${label}</button>`;

/** Offers a request in every form. @param {{ sent: () => import("./api.js").Sent }} props */
export const CopyAs = ({ sent }) => html`<span class="copy-as" role="group" aria-label="Copy the request as">
  <span aria-hidden="true">Copy as</span>
  ${Object.entries(forms).map(([name, form]) => html`<button type="button" class="quiet" key=${name} onClick=${() => copy(form(sent()))}>${name}</button>`)}
</span>`;

/**
 * Shows a problem: code, message, path and remedy, and the request as curl if
 * there was one. A problem that changes with every keystroke has the role status.
 * @param {{ problem: unknown, onClose?: () => void, role?: "alert" | "status" }} props
 */
export function ProblemView({ problem, onClose, role = "alert" }) {
  if (!problem) return null;
  const known = problem instanceof Problem ? problem : null;
  const sent = known?.sent;
  const details = known?.details.length ? known.details
    : [{ code: known?.code ?? "console:error", message: problem instanceof Error ? problem.message : String(problem), path: "", help: "Reload the page. If the problem persists, check the browser's developer console." }];
  return html`<div class="problem" role=${role}>
    <div class="problem-head"><strong>${known ? (known.status ? known.status + " " : "") + known.code : "Something went wrong"}</strong>
      ${known && details.length > 1 && html`<span>${known.message}</span>`}
      <span class="grow"></span>
      ${sent && html`<${CopyButton} label="Copy as curl" value=${() => curl(sent)} />`}
      ${onClose && html`<button type="button" class="quiet icon-only" aria-label="Dismiss" onClick=${onClose}><${Icon} name="close" /></button>`}
    </div>
    <ul>${details.map((detail) => html`<li>
      ${details.length > 1 && html`<code>${detail.code}</code> `}<span>${detail.message}</span>
      ${detail.path && html` <code class="place">${detail.path}</code>`}
      ${detail.help && html`<p class="remedy">${detail.help}</p>`}
    </li>`)}</ul>
  </div>`;
}

/** The progress of an operation; indeterminate if all is not given. @param {{ done?: number, all?: number, label: string, onCancel?: (() => void) | undefined }} props */
export const Progress = ({ done = 0, all, label, onCancel }) => html`<div class="progress">
  <div class="progress-line"><span>${label}</span>
    ${onCancel && html`<button type="button" class="quiet" onClick=${onCancel}>Cancel</button>`}</div>
  ${all === undefined ? html`<progress aria-label=${label}></progress>` : html`<progress max=${Math.max(all, 1)} value=${done} aria-label=${label}></progress>`}
</div>`;

/**
 * The state of an operation that may take a while: what it is doing, its problem,
 * and how to cancel it. Work that must not be cancelled ignores the signal.
 */
export function useWork() {
  const [doing, setDoing] = useState("");
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const aborted = useRef(new AbortController());
  useEffect(() => () => aborted.current.abort(), []);
  /** @param {string} label @param {(signal: AbortSignal) => Promise<void>} work */
  const run = async (label, work) => {
    aborted.current = new AbortController();
    setDoing(label);
    setProblem(null);
    try {
      await work(aborted.current.signal);
    } catch (error) {
      if (isAborted(error)) announce("Cancelled.");
      else setProblem(error);
    }
    setDoing("");
  };
  return { doing, problem, setProblem, run, cancel: () => aborted.current.abort() };
}

/** Shows what is being done, once it takes longer than a moment. @param {{ doing: string, onCancel?: (() => void) | undefined }} props */
export function Doing({ doing, onCancel }) {
  const settled = useSettled(doing, 300);
  return doing && doing === settled ? html`<${Progress} label=${doing} onCancel=${onCancel} />` : null;
}

/** @param {{ title: string, children?: Children }} props */
export const Empty = ({ title, children }) => html`<div class="empty"><h2>${title}</h2>${children}</div>`;

/**
 * A modal dialog; the browser keeps the keyboard focus inside it.
 * @param {{ title: string, onClose: () => void, children?: Children, wide?: boolean }} props
 */
export function Dialog({ title, onClose, children, wide }) {
  const ref = useRef(/** @type {HTMLDialogElement | null} */ (null));
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return html`<dialog ref=${ref} class=${wide ? "wide" : ""} aria-label=${title} onCancel=${(/** @type {Event} */ event) => { event.preventDefault(); onClose(); }}>
    <header><h2>${title}</h2><button type="button" class="quiet icon-only" aria-label="Close" onClick=${onClose}><${Icon} name="close" /></button></header>
    <div class="dialog-body">${children}</div>
  </dialog>`;
}

/**
 * Asks for confirmation of something that cannot be undone, and shows its progress.
 * @param {{ title: string, action: string, doing?: string, onConfirm: () => void, onClose: () => void, children?: Children }} props
 */
export const Confirm = ({ title, action, doing = "", onConfirm, onClose, children }) => html`<${Dialog} title=${title} onClose=${onClose}>
  ${children}
  <${Doing} doing=${doing} />
  <div class="actions"><button type="button" disabled=${Boolean(doing)} onClick=${onClose}>Cancel</button>
    <button type="button" class="danger" disabled=${Boolean(doing)} onClick=${onConfirm}>${action}</button></div>
</${Dialog}>`;

/**
 * A text area for JSON that shows syntax errors while it is edited.
 * @param {{ value: string, label: string, onInput?: (value: string) => void, onRun?: () => void, rows?: number }} props
 */
export function JsonArea({ value, label, onInput, onRun, rows = 14 }) {
  const wrong = onInput && jsonError(value) ? jsonDetail(value) : null;
  return html`<div class="json">
    <textarea spellcheck=${false} rows=${rows} aria-label=${label} aria-invalid=${Boolean(wrong)} readonly=${!onInput} value=${value}
      onInput=${text((next) => onInput?.(next))}
      onKeyDown=${keys({ "Ctrl+Enter": () => onRun?.() })}></textarea>
    ${wrong && html`<${ProblemView} role="status" problem=${inputProblem(wrong)} />`}
  </div>`;
}

/** @param {string} value */
export function jsonError(value) {
  try {
    JSON.parse(value);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** @param {any} value */
export const pretty = (value) => JSON.stringify(value, null, 2) ?? "";

/**
 * Returns a value once it has not changed for a moment.
 * @template T
 * @param {T} value
 * @param {number} wait
 */
export function useSettled(value, wait) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), wait);
    return () => clearTimeout(timer);
  }, [value, wait]);
  return settled;
}

const numbers = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { maximumSignificantDigits: 3, notation: "compact" });

/** @param {number} value */
export const count = (value) => numbers.format(value);
/** @param {number} value @param {string} one @param {string} many */
export const plural = (value, one, many) => count(value) + " " + (value === 1 ? one : many);
/** @param {number} value */
export const compact = (value) => short.format(value);
/** @param {number} value */
export const score = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2));

/** @param {number} value */
export function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let at = 0;
  while (value >= 1000 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  return (at === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1)) + " " + units[at];
}

/** @param {string | null | undefined} moment */
export function when(moment) {
  if (!moment) return "";
  const date = new Date(moment);
  return Number.isNaN(date.valueOf()) ? moment : date.toISOString().slice(0, 16).replace("T", " ");
}
