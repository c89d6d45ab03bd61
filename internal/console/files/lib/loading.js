// Reads a file in the browser in chunks: memory holds one chunk of the file and
// one batch of documents at a time, whatever the size of the file.

import { adminPath, call, dataPath } from "./api.js";
import { jsonDetail } from "./json.js";
import { can } from "./session.js";

/**
 * @typedef {{ text: string, number: number }} Entry one document as written in the file, and its number, counted from 1
 * @typedef {{ kind: "json" | "csv", separator: string, header: string[] }} Form
 * @typedef {{ number: number, errors: import("./api.js").Detail[], text: string }} Refused
 * @typedef {{ read: number, size: number, indexed: number, refused: Refused[], refusedCount: number, rate: number, form: Form, committing: boolean, committed: boolean }} Loaded
 */

/** Splits text into JSON objects: on lines, in a list, or concatenated. */
class JsonCutter {
  rest = "";
  depth = 0;
  at = 0;
  begin = -1;
  inString = false;
  escaped = false;

  /** @param {string} chunk @returns {string[]} */
  push(chunk) {
    this.rest += chunk;
    const found = /** @type {string[]} */ ([]);
    for (; this.at < this.rest.length; this.at++) {
      const c = this.rest.charCodeAt(this.at);
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (c === 92) this.escaped = true;
        else if (c === 34) this.inString = false;
      } else if (c === 34) this.inString = true;
      else if (c === 123) {
        if (this.depth++ === 0) this.begin = this.at;
      } else if (c === 125 && this.depth > 0 && --this.depth === 0) {
        found.push(this.rest.slice(this.begin, this.at + 1));
        this.begin = -1;
      }
    }
    const keep = this.begin < 0 ? this.at : this.begin;
    this.rest = this.rest.slice(keep);
    this.at -= keep;
    if (this.begin >= 0) this.begin = 0;
    return found;
  }

  end() {
    return this.rest.trim() ? [this.rest] : []; // the node rejects half an object and gives the reason
  }
}

/** Splits text into records; a line break inside quotes does not end a record. */
class RecordCutter {
  rest = "";
  at = 0;
  quoted = false;

  /** @param {string} chunk @returns {string[]} */
  push(chunk) {
    this.rest += chunk;
    const found = /** @type {string[]} */ ([]);
    let begin = 0;
    for (; this.at < this.rest.length; this.at++) {
      const c = this.rest.charCodeAt(this.at);
      if (c === 34) this.quoted = !this.quoted;
      else if (c === 10 && !this.quoted) {
        const record = this.rest.slice(begin, this.at).replace(/\r$/, "");
        if (record.trim()) found.push(record);
        begin = this.at + 1;
      }
    }
    this.rest = this.rest.slice(begin);
    this.at -= begin;
    return found;
  }

  end() {
    return this.rest.trim() ? [this.rest.replace(/\r$/, "")] : [];
  }
}

/** Returns the values of one record. @param {string} record @param {string} separator */
export function cells(record, separator) {
  const found = /** @type {string[]} */ ([]);
  let value = "", quoted = false;
  for (let at = 0; at < record.length; at++) {
    const c = record[at];
    if (quoted) {
      if (c !== '"') value += c;
      else if (record[at + 1] === '"') value += record[++at];
      else quoted = false;
    } else if (c === '"' && value === "") quoted = true;
    else if (c === separator) {
      found.push(value);
      value = "";
    } else value += c;
  }
  found.push(value);
  return found;
}

/** Guesses the separator that a header line uses. @param {string} header */
const separatorOf = (header) => [",", "\t", ";", "|"].map((s) => /** @type {const} */ ([s, header.split(s).length])).sort((a, b) => b[1] - a[1])[0]?.[0] ?? ",";

/**
 * entries yields the documents of a file in batches, with the number of bytes read so far.
 * @param {File} file
 * @param {AbortSignal} aborted
 * @returns {AsyncGenerator<{ entries: Entry[], read: number, form: Form }>}
 */
export async function* entries(file, aborted) {
  let read = 0;
  const counted = new TransformStream({ transform(/** @type {Uint8Array} */ chunk, controller) { read += chunk.length; controller.enqueue(chunk); } });
  const head = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const zipped = head[0] === 0x1f && head[1] === 0x8b;
  /** @type {ReadableStream<any>} */
  let stream = file.stream().pipeThrough(/** @type {any} */ (counted));
  if (zipped) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.pipeThrough(new TextDecoderStream("utf-8")).getReader();
  /** @type {JsonCutter | RecordCutter | undefined} */
  let cutter;
  /** @type {Form} */
  let form = { kind: "json", separator: "", header: [] };
  let number = 0;
  /** @param {string[]} texts @returns {Entry[]} */
  const numbered = (texts) => {
    if (form.kind === "csv" && !form.header.length && texts.length) {
      const header = texts.shift() ?? "";
      form.separator = separatorOf(header);
      form.header = cells(header, form.separator).map((name) => name.trim());
    }
    return texts.map((text) => ({ text, number: ++number }));
  };
  try {
    for (;;) {
      aborted.throwIfAborted();
      const { done, value } = await reader.read();
      if (done) break;
      if (!cutter) {
        const start = value.replace(/^\uFEFF/, "").trimStart();
        form.kind = start.startsWith("{") || start.startsWith("[") ? "json" : "csv";
        cutter = form.kind === "json" ? new JsonCutter() : new RecordCutter();
      }
      yield { entries: numbered(cutter.push(value.replace(/^\uFEFF/, ""))), read, form };
    }
    if (cutter) yield { entries: numbered(cutter.end()), read: file.size, form };
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Parses a document for a draft; a record becomes an object of strings, invalid JSON null. @param {Entry} entry @param {Form} form */
export function parsed(entry, form) {
  if (form.kind === "json") {
    try {
      return JSON.parse(entry.text);
    } catch {
      return null;
    }
  }
  const values = cells(entry.text, form.separator);
  return Object.fromEntries(form.header.map((name, at) => [name, values[at] ?? ""]).filter(([, value]) => value !== ""));
}

const sampleSize = 1000;
const sampleBytes = 4_000_000;

/** Reads the first documents of a file, for a draft. @param {File} file @param {AbortSignal} aborted */
export async function sample(file, aborted) {
  const found = [];
  let taken = 0;
  /** @type {Form} */
  let used = { kind: "json", separator: "", header: [] };
  for await (const { entries: batch, form } of entries(file, aborted)) {
    used = form;
    for (const entry of batch) {
      const document = parsed(entry, form);
      taken += entry.text.length;
      if (document && found.length < sampleSize && taken < sampleBytes) found.push(document);
    }
    if (found.length >= sampleSize || taken >= sampleBytes) break;
  }
  return { documents: found, form: used };
}

/** Asks the node to draft a definition that fits the documents. @param {any[]} documents @param {Form} form @param {AbortSignal} aborted */
export const draft = async (documents, form, aborted) =>
  (await call("POST", "/v1alpha1/admin/actions/draft", { body: { documents, ...(form.kind === "csv" ? { convert: true } : {}) }, signal: aborted })).body;

const batchEntries = 1000;
const batchBytes = 1_000_000;
const keptRefusals = 10_000;

/**
 * load adds every document of a file and reports after each batch. Rejected
 * documents are skipped and recorded with the reasons.
 * @param {File} file
 * @param {string} name
 * @param {Record<string, string>} renamed maps names of members in the file to names of fields
 * @param {AbortSignal} aborted
 * @param {(state: Loaded) => void} report
 */
export async function load(file, name, renamed, aborted, report) {
  /** @type {Loaded} */
  const state = { read: 0, size: file.size, indexed: 0, refused: [], refusedCount: 0, rate: 0, form: { kind: "json", separator: "", header: [] }, committing: false, committed: false };
  const began = performance.now();
  let waiting = /** @type {Entry[]} */ ([]);
  let bytes = 0;
  /** @param {Form} form */
  const flush = async (form) => {
    if (!waiting.length) return;
    const batch = waiting;
    waiting = [];
    bytes = 0;
    await send(name, batch, form, renamed, aborted, state);
    state.rate = state.indexed / Math.max((performance.now() - began) / 1000, 1e-3);
    report({ ...state });
  };
  for await (const { entries: found, read, form } of entries(file, aborted)) {
    state.form = form;
    for (const entry of found) {
      waiting.push(entry);
      bytes += entry.text.length;
      if (waiting.length >= batchEntries || bytes >= batchBytes) await flush(form);
    }
    state.read = read;
  }
  await flush(state.form);
  state.read = file.size;
  if (can("indexes.commit", name)) {
    report({ ...state, committing: true });
    await call("POST", adminPath(name) + "/actions/commit", { signal: aborted });
    state.committed = true;
  }
  report({ ...state });
  return state;
}

/** @param {string} name @param {Entry[]} batch @param {Form} form @param {Record<string, string>} renamed @param {AbortSignal} aborted @param {Loaded} state */
async function send(name, batch, form, renamed, aborted, state) {
  const path = dataPath(name) + "/documents?onError=skip";
  const kept = form.kind === "json" ? batch.filter((entry) => wellFormed(entry, state)) : batch;
  if (!kept.length) return;
  const body = form.kind === "json" ? kept.map((entry) => rename(entry.text, renamed)).join("\n") : csv(kept, form, renamed);
  const { body: answer } = await call("POST", path, { body, type: form.kind === "json" ? "application/x-ndjson" : "text/csv", signal: aborted });
  state.indexed += answer.indexed;
  for (const failed of answer.failed) {
    const entry = kept[failed.position];
    if (entry) refuse(state, { number: entry.number, errors: failed.errors, text: entry.text });
  }
}

/** @param {Loaded} state @param {Refused} refused */
function refuse(state, refused) {
  state.refusedCount++;
  if (state.refused.length < keptRefusals) state.refused.push(refused);
}

/** Rejects an entry that is not valid JSON, because it would fail the whole request. @param {Entry} entry @param {Loaded} state */
function wellFormed(entry, state) {
  const wrong = jsonDetail(entry.text);
  if (wrong) refuse(state, { number: entry.number, errors: [wrong], text: entry.text });
  return !wrong;
}

/** Returns the request that adds only one document. @param {string} name @param {Form} form @param {Record<string, string>} renamed @param {Entry} entry @returns {import("./api.js").Sent} */
export function requestFor(name, form, renamed, entry) {
  const to = { method: "POST", path: dataPath(name) + "/documents" };
  if (form.kind === "csv") return { ...to, type: "text/csv", body: csv([entry], form, renamed) };
  return { ...to, type: "application/x-ndjson", body: jsonDetail(entry.text) ? entry.text : rename(entry.text, renamed) };
}

/** @param {string} text @param {Record<string, string>} renamed */
function rename(text, renamed) {
  if (!Object.keys(renamed).length) return text.includes("\n") ? JSON.stringify(JSON.parse(text)) : text;
  return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).map(([name, value]) => [renamed[name] ?? name, value])));
}

/** @param {string} value */
const cell = (value) => (/[",\n\r]/.test(value) ? '"' + value.replaceAll('"', '""') + '"' : value);

/** @param {Entry[]} batch @param {Form} form @param {Record<string, string>} renamed */
function csv(batch, form, renamed) {
  const lines = [form.header.map((name) => cell(renamed[name] ?? name)).join(",")];
  for (const entry of batch) lines.push(form.separator === "," ? entry.text : cells(entry.text, form.separator).map(cell).join(","));
  return lines.join("\n") + "\n";
}
