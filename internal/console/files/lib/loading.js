// Reads a file in the browser in chunks: memory holds one chunk of the file and
// one batch of documents at a time, whatever the size of the file.

import { adminPath, call, dataPath, inputProblem } from "./api.js";
import { jsonDetail } from "./json.js";
import { can } from "./session.js";

/**
 * @typedef {{ text: string, number: number, wrong?: import("./api.js").Detail }} Entry one document as it stands in the file, and its number from 1
 * @typedef {{ kind: "json" | "csv", separator: string, header: string[] }} Form
 * @typedef {{ number: number, errors: import("./api.js").Detail[], text: string }} Refused
 * @typedef {{ read: number, size: number, indexed: number, refused: Refused[], refusedCount: number, rate: number, form: Form, committing: boolean, committed: boolean }} Loaded
 */

/** A piece of a file: a document, or what cannot be one and why. @typedef {{ text: string, wrong?: import("./api.js").Detail }} Piece */

/** Cuts text into lines, each a document. */
class LineCutter {
  rest = "";

  /** @param {string} chunk @returns {Piece[]} */
  push(chunk) {
    const lines = (this.rest + chunk).split("\n");
    this.rest = lines.pop() ?? "";
    return lines.filter((line) => line.trim()).map((text) => ({ text }));
  }

  end() {
    return this.rest.trim() ? [{ text: this.rest }] : [];
  }
}

/** Cuts text into JSON objects: a list, or one after the other. What stands between them is a piece too. */
class JsonCutter {
  rest = "";
  depth = 0;
  at = 0;
  begin = -1;
  inString = false;
  escaped = false;

  /** @param {string} chunk @returns {Piece[]} */
  push(chunk) {
    this.rest += chunk;
    const found = /** @type {Piece[]} */ ([]);
    const cut = (/** @type {number} */ end) => {
      if (this.begin >= 0) found.push({ text: this.rest.slice(this.begin, end) });
      this.begin = -1;
    };
    for (; this.at < this.rest.length; this.at++) {
      const c = this.rest.charCodeAt(this.at);
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (c === 92) this.escaped = true;
        else if (c === 34) this.inString = false;
        continue;
      }
      if (this.depth === 0 && c <= 32) continue;
      if (this.depth === 0 && (c === 44 || c === 91 || c === 93)) cut(this.at);
      else if (c === 123) {
        if (this.depth === 0) cut(this.at);
        if (this.depth++ === 0) this.begin = this.at;
      } else if (c === 125 && this.depth > 0 && --this.depth === 0) cut(this.at + 1);
      else {
        if (this.begin < 0) this.begin = this.at;
        if (c === 34) this.inString = true;
      }
    }
    const keep = this.begin < 0 ? this.at : this.begin;
    this.rest = this.rest.slice(keep);
    this.at -= keep;
    if (this.begin >= 0) this.begin = 0;
    return found;
  }

  end() {
    return this.rest.trim() ? [{ text: this.rest }] : []; // half an object is refused with a reason
  }
}

const longestRecord = 16_000_000;

/** @type {import("./api.js").Detail} */
const openQuote = { code: "csv:malformed", message: "A quotation mark is not closed, or not followed by a separator.", help: 'Write "" for a quotation mark inside a cell.' };

/**
 * Cuts text into records; a line break inside quotes does not end one. A record
 * whose quotes are never closed costs its first line, not the rows below it. So
 * does one with a mark that is neither doubled nor in front of a separator, if
 * its first line alone has a cell for every column.
 */
class RecordCutter {
  rest = "";
  at = 0;
  quoted = false;
  bare = false;
  first = -1; // where the first line of the record ends, once it has more
  complete = false; // whether that line has a cell for every column
  separator = "";
  columns = 0;

  /** @param {string} chunk @param {boolean} [isLast] @returns {Piece[]} */
  push(chunk, isLast = false) {
    this.rest += chunk;
    const found = /** @type {Piece[]} */ ([]);
    let begin = 0;
    const cut = (/** @type {number} */ end, /** @type {Piece["wrong"]} */ wrong = undefined) => {
      const text = this.rest.slice(begin, end).replace(/\r$/, "");
      if (!this.separator && /^sep=[,;\t|]$/.test(text)) this.separator = text.charAt(4);
      else if (!this.columns && text.trim()) {
        this.separator ||= separatorOf(text);
        this.columns = cells(text, this.separator).length;
        found.push({ text });
      } else if (text.trim()) found.push(wrong ? { text, wrong } : { text });
      begin = this.at = end + 1;
      this.quoted = this.bare = false;
      this.first = -1;
    };
    const isBroken = () => this.first >= 0 && (this.at - begin > longestRecord || (this.bare && this.complete));
    for (;;) {
      if (this.at >= this.rest.length) {
        if (!isLast) break;
        if (!this.quoted) {
          if (begin < this.rest.length) cut(this.rest.length);
          break;
        }
        cut(this.first < 0 ? this.rest.length : this.first, openQuote);
        continue;
      }
      const c = this.rest.charAt(this.at);
      if (this.quoted && c === '"') {
        if (this.at + 1 === this.rest.length && !isLast) break; // what follows decides
        const next = this.rest.charAt(this.at + 1);
        if (next === '"') this.at++;
        else if (!next || next === "\n" || next === "\r" || this.#separates(next)) this.quoted = false;
        else this.bare = true;
      } else if (c === '"' && (this.at === begin || this.#separates(this.rest.charAt(this.at - 1)))) this.quoted = true;
      else if (c === "\n") {
        if (!this.quoted) {
          cut(this.at);
          continue;
        }
        if (this.first < 0) {
          this.first = this.at;
          this.complete = this.columns > 0 && this.rest.slice(begin, this.at).split(this.separator).length >= this.columns;
        }
      }
      if (this.quoted && isBroken()) cut(this.first, openQuote);
      else this.at++;
    }
    this.rest = this.rest.slice(begin);
    this.at -= begin;
    if (this.first >= 0) this.first -= begin;
    return found;
  }

  end() {
    return this.push("", true);
  }

  /** @param {string} c */
  #separates(c) {
    return this.separator ? c === this.separator : ",;\t|".includes(c);
  }
}

/** Returns the values of one record. @param {string} record @param {string} separator */
export function cells(record, separator) {
  const found = /** @type {string[]} */ ([]);
  let value = "", quoted = false, fresh = true;
  for (let at = 0; at < record.length; at++) {
    const c = record.charAt(at);
    if (quoted) {
      const next = record.charAt(at + 1);
      if (c !== '"') value += c;
      else if (next === '"') value += record.charAt(++at);
      else if (!next || next === separator) quoted = false;
      else value += c;
    } else if (c === '"' && fresh) quoted = true;
    else if (c === separator) {
      found.push(value);
      value = "";
      fresh = true;
      continue;
    } else value += c;
    fresh = false;
  }
  found.push(value);
  return found;
}

/** Names for the columns of a header: none is empty, and none comes twice. @param {string[]} given */
function columnNames(given) {
  const taken = new Set();
  return given.map((cell, at) => {
    const name = cell.trim() || "column_" + (at + 1);
    let unique = name;
    for (let n = 2; taken.has(unique); n++) unique = name + "_" + n;
    taken.add(unique);
    return unique;
  });
}

/** The values of a record, one for every column; cells beyond them stay where they hold something. @param {Entry} entry @param {Form} form */
function rowOf(entry, form) {
  const values = cells(entry.text, form.separator);
  while (values.length > form.header.length && !values.at(-1)?.trim()) values.pop();
  while (values.length < form.header.length) values.push("");
  return values;
}

/** Guesses the separator that a header line uses. @param {string} header */
const separatorOf = (header) => [",", "\t", ";", "|"].map((s) => /** @type {const} */ ([s, header.split(s).length])).sort((a, b) => b[1] - a[1])[0]?.[0] ?? ",";

const lookAhead = 1 << 20;

/** @param {Uint8Array<ArrayBuffer>} a @param {Uint8Array<ArrayBuffer>} b */
function joined(a, b) {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

/**
 * A function that decodes a file piece by piece. UTF-16 is known by its mark or
 * by its zeros; what is mostly not UTF-8 at its beginning is Windows-1252, of
 * which Latin-1 is a part. Of mostly UTF-8, bad bytes become U+FFFD.
 * @param {string} name of the file
 */
function decoderOf(name) {
  let decoder = /** @type {TextDecoder | undefined} */ (undefined);
  let returns = false; // lines end with carriage returns alone
  const decode = (/** @type {Uint8Array<ArrayBuffer>} */ bytes, /** @type {boolean} */ isLast) => {
    const isFirst = !decoder;
    decoder ??= new TextDecoder(...encodingOf(bytes, isLast));
    try {
      const text = decoder.decode(bytes, { stream: !isLast });
      if (isFirst) returns = text.includes("\r") && !text.includes("\n");
      if (isFirst && isBinary(text)) throw inputProblem({ code: "file:binary", message: "The file is not text.", path: name, help: "Unpack it, or export it as CSV, TSV, JSON or NDJSON." });
      return returns ? text.replaceAll("\r", "\n") : text;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw inputProblem({ code: "file:encoding", message: "The file starts as UTF-8 but does not stay UTF-8.", path: name, help: "Save the whole file as UTF-8." });
    }
  };
  return { decode, isLossy: () => decoder?.fatal === false };
}

/** Whether more than 5 % of the first characters are control characters that text does not hold. @param {string} text */
function isBinary(text) {
  const head = text.slice(0, 1 << 16), controls = head.match(/[\0-\x08\x0e-\x1a]/g)?.length ?? 0;
  return controls * 20 > head.length;
}

const notUTF8 = "\ufffd";

/** The arguments of a decoder. @param {Uint8Array} head @param {boolean} isAll @returns {[string, { fatal: boolean }]} */
function encodingOf(head, isAll) {
  const zeros = (/** @type {number} */ parity) => head.subarray(0, 1000).filter((c, at) => c === 0 && at % 2 === parity).length;
  const many = Math.min(head.length, 1000) / 4;
  if ((head[0] === 0xff && head[1] === 0xfe) || (zeros(1) > many && !zeros(0))) return ["utf-16le", { fatal: true }];
  if ((head[0] === 0xfe && head[1] === 0xff) || (zeros(0) > many && !zeros(1))) return ["utf-16be", { fatal: true }];
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: !isAll });
    return ["utf-8", { fatal: true }];
  } catch {
    const beyond = new TextDecoder().decode(head).match(/[^\0-\x7f]/gu) ?? [];
    return 2 * beyond.filter((c) => c === notUTF8).length < beyond.length ? ["utf-8", { fatal: false }] : ["windows-1252", { fatal: true }];
  }
}

/** @type {import("./api.js").Detail} */
const badBytes = { code: "file:encoding", message: "The text is not valid UTF-8.", help: "Correct the row, or save the whole file as UTF-8." };

/** What cuts a text into documents, by its beginning. @param {string} text */
function cutterOf(text) {
  const start = text.trimStart();
  if (!start.startsWith("{")) return start.startsWith("[") ? new JsonCutter() : new RecordCutter();
  const [line = "", ...more] = start.split("\n", 2);
  return more.length && !jsonDetail(line) ? new LineCutter() : new JsonCutter();
}

/**
 * entries yields the documents of a file in batches, with the number of bytes read so far.
 * @param {File} file
 * @param {AbortSignal} aborted
 * @returns {AsyncGenerator<{ entries: Entry[], read: number, form: Form }>}
 */
export async function* entries(file, aborted) {
  let read = 0;
  const counted = new TransformStream({ transform(/** @type {Uint8Array} */ chunk, controller) { read += chunk.length; controller.enqueue(chunk); } });
  const magic = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  const zipped = magic[0] === 0x1f && magic[1] === 0x8b;
  /** @type {ReadableStream<any>} */
  let stream = file.stream().pipeThrough(/** @type {any} */ (counted));
  if (zipped) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  /** @type {LineCutter | JsonCutter | RecordCutter | undefined} */
  let cutter;
  /** @type {Form} */
  let form = { kind: "json", separator: "", header: [] };
  let number = 0;
  /** @param {Piece[]} pieces @returns {Entry[]} */
  const numbered = (pieces) => {
    if (cutter instanceof RecordCutter && !form.header.length && pieces.length) {
      form.separator = cutter.separator;
      form.header = columnNames(cells(pieces.shift()?.text ?? "", form.separator));
    }
    const filled = cutter instanceof RecordCutter ? pieces.filter(({ text }) => text.replaceAll(form.separator, "").trim()) : pieces;
    return filled.map((piece) => ({ ...piece, number: ++number, ...(isLossy() && piece.text.includes(notUTF8) ? { wrong: badBytes } : {}) }));
  };
  const { decode, isLossy } = decoderOf(file.name);
  try {
    for (let head = new Uint8Array(0), isDone = false; !isDone; ) {
      aborted.throwIfAborted();
      const { done, value } = await reader.read();
      isDone = done;
      if (!cutter && value && head.length + value.length < lookAhead) {
        head = joined(head, value);
        continue;
      }
      const text = decode(cutter || !value ? value ?? head : joined(head, value), isDone);
      if (!cutter) {
        if (!text) break;
        cutter = cutterOf(text);
        form.kind = cutter instanceof RecordCutter ? "csv" : "json";
        head = new Uint8Array(0);
      }
      yield { entries: numbered(cutter.push(text)), read, form };
    }
    if (cutter) yield { entries: numbered(cutter.end()), read: file.size, form };
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** The JSON of a document for a draft, empty when it is none; a record becomes an object of texts. @param {Entry} entry @param {Form} form */
export function sampled(entry, form) {
  if (entry.wrong) return "";
  if (form.kind === "json") return entry.text.trimStart().startsWith("{") && !jsonDetail(entry.text) ? entry.text : "";
  const values = rowOf(entry, form);
  return JSON.stringify(Object.fromEntries(form.header.map((name, at) => [name, values[at] ?? ""]).filter(([, value]) => value !== "")));
}

const sampleSize = 1000;
const sampleBytes = 4_000_000;

/** Reads the first documents of a file, for a draft. @param {File} file @param {AbortSignal} aborted */
export async function sample(file, aborted) {
  const found = /** @type {string[]} */ ([]);
  let taken = 0;
  /** @type {Form} */
  let used = { kind: "json", separator: "", header: [] };
  for await (const { entries: batch, form } of entries(file, aborted)) {
    used = form;
    for (const entry of batch) {
      const document = sampled(entry, form);
      taken += entry.text.length;
      if (document && found.length < sampleSize && taken < sampleBytes) found.push(document);
    }
    if (found.length >= sampleSize || taken >= sampleBytes) break;
  }
  return { documents: found, form: used };
}

/** Asks the node for a definition that could fit. Documents go as they are written: their numbers may be longer than those of a browser. @param {string[]} documents @param {Form} form @param {AbortSignal} aborted */
export const draft = async (documents, form, aborted) =>
  (await call("POST", "/v1alpha1/admin/actions/draft", { body: '{"documents":[' + documents.join(",") + "]" + (form.kind === "csv" ? ',"convert":true' : "") + "}", signal: aborted })).body;

const batchEntries = 1000;
const batchBytes = 1_000_000;
const keptRefusals = 10_000;

/**
 * load adds every document of a file and reports after each batch. Rejected
 * documents are skipped and recorded with the reasons.
 * @param {File} file
 * @param {string} name
 * @param {Plan} plan
 * @param {AbortSignal} aborted
 * @param {(state: Loaded) => void} report
 */
export async function load(file, name, plan, aborted, report) {
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
    await send(name, batch, form, plan, aborted, state);
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

/** @param {string} name @param {Entry[]} batch @param {Form} form @param {Plan} plan @param {AbortSignal} aborted @param {Loaded} state */
async function send(name, batch, form, plan, aborted, state) {
  const path = dataPath(name) + "/documents?onError=skip";
  const kept = batch.filter((entry) => wellFormed(entry, form, state));
  if (!kept.length) return;
  const body = form.kind === "json" ? kept.map((entry) => rewritten(entry.text, plan)).join("\n") : csv(kept, form, plan);
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

/** An entry that is not JSON would end the whole request. @param {Entry} entry @param {Form} form @param {Loaded} state */
function wellFormed(entry, form, state) {
  const wrong = entry.wrong ?? (form.kind === "json" ? jsonDetail(entry.text) : null);
  if (wrong) refuse(state, { number: entry.number, errors: [wrong], text: entry.text });
  return !wrong;
}

/** The request that adds one document alone. @param {string} name @param {Form} form @param {Plan} plan @param {Entry} entry @returns {import("./api.js").Sent} */
export function requestFor(name, form, plan, entry) {
  const to = { method: "POST", path: dataPath(name) + "/documents" };
  if (form.kind === "csv") return { ...to, type: "text/csv", body: csv([entry], form, plan) };
  return { ...to, type: "application/x-ndjson", body: jsonDetail(entry.text) ? entry.text : rewritten(entry.text, plan) };
}

/**
 * How members of a file become fields: names maps the path of the object, a
 * newline and the name in the file to that of the field; empty are the paths that
 * no field takes because no document of the sample has a value there. Of columns,
 * lists maps those whose cells hold several values to what stands between these,
 * and places those of latitudes to those of longitudes.
 * @typedef {{ names: Map<string, string>, empty: Set<string>, lists: Map<string, string>, places: Map<string, string> }} Plan
 */

/**
 * planOf reads from the reasons of a draft how a file becomes documents of an
 * index. That cells are lists, and that two columns are one place, is said in
 * their text alone.
 * @param {{ field: string, name?: string, reason?: string }[]} reasons
 * @param {any} fields of the index, null where they are not known
 * @param {boolean} isNew whether the index is created for the file
 * @returns {Plan}
 */
export function planOf(reasons, fields, isNew) {
  /** @type {Plan} */
  const plan = { names: new Map(), empty: new Set(), lists: new Map(), places: new Map() };
  for (const { field, name, reason = "" } of reasons) {
    if (!field) continue;
    const steps = field.split("."), last = steps.at(-1) ?? "";
    const declared = /** @type {any} */ (steps.reduce((at, step) => at?.fields?.[step], { fields }));
    const separator = /lists separated by "(.)"/.exec(reason)?.[1], longitude = /^geo_point: latitude in .*, longitude in (.*)$/s.exec(reason)?.[1];
    if (separator && declared?.multiple) plan.lists.set(name ?? field, separator);
    if (longitude !== undefined) {
      if (declared?.type !== "geo_point") continue;
      plan.places.set(name ?? field, longitude);
    }
    if (name) plan.names.set(steps.slice(0, -1).join(".") + "\n" + name, last);
    if (isNew && fields && !declared) plan.empty.add(field);
  }
  return plan;
}

const isEmpty = /^(?:[[\]{},]|null|"")+$/;

/**
 * A document on one line with the names of its fields. Its values stay as they
 * are written: a browser would round long numbers.
 * @param {string} text well-formed JSON @param {Plan} plan
 */
function rewritten(text, plan) {
  if (!plan.names.size && !plan.empty.size) return text.replace(/[\r\n]+/g, " ");
  let at = 0;
  const skip = () => {
    while (at < text.length && " \t\r\n,:".includes(text.charAt(at))) at++;
  };
  const plain = () => {
    const begin = at;
    if (text.charAt(at) !== '"') while (at < text.length && !" \t\r\n,]}".includes(text.charAt(at))) at++;
    else {
      for (at++; text.charAt(at) !== '"'; at++) if (text.charAt(at) === "\\") at++;
      at++;
    }
    return text.slice(begin, at);
  };
  /** @param {string} path @returns {string} */
  const value = (path) => {
    skip();
    const open = text.charAt(at);
    if (open !== "{" && open !== "[") return plain();
    const parts = [], close = open === "{" ? "}" : "]";
    for (at++, skip(); text.charAt(at) !== close; skip()) {
      if (open === "[") {
        parts.push(value(path));
        continue;
      }
      const given = plain(), name = JSON.parse(given), renamed = plan.names.get(path + "\n" + name), field = (path && path + ".") + (renamed ?? name);
      const inner = value(field);
      if (!plan.empty.has(field) || !isEmpty.test(inner)) parts.push((renamed === undefined ? given : JSON.stringify(renamed)) + ":" + inner);
    }
    at++;
    return open + parts.join(",") + close;
  };
  return value("");
}

/** @param {string} value */
const cell = (value) => (/[",\n\r]/.test(value) ? '"' + value.replaceAll('"', '""') + '"' : value);

/** @param {Entry[]} batch @param {Form} form @param {Plan} plan */
function csv(batch, form, plan) {
  const longitudes = new Map([...plan.places].map(([latitude, longitude]) => [latitude, form.header.indexOf(longitude)]));
  const halves = new Set(longitudes.values());
  const columns = (/** @type {string[]} */ values) => values.filter((_, at) => !halves.has(at)).map(cell).join(",");
  const lines = [columns(form.header.map((name) => plan.names.get("\n" + name) ?? name))];
  for (const entry of batch) {
    const row = rowOf(entry, form);
    lines.push(columns(row.map((value, at) => {
      const name = form.header[at] ?? "", separator = plan.lists.get(name), longitude = longitudes.get(name);
      if (longitude !== undefined) return place(value, row[longitude] ?? "");
      return separator && value.trim() && !value.startsWith("[") ? JSON.stringify(value.split(separator).map((one) => one.trim()).filter(Boolean)) : value;
    })));
  }
  return lines.join("\n") + "\n";
}

/** A place of two cells; what is none is refused by the node. @param {string} latitude @param {string} longitude */
function place(latitude, longitude) {
  const [lat = "", lon = ""] = [latitude, longitude].map((degrees) => degrees.trim().replace(",", "."));
  const isNumber = (/** @type {string} */ text) => /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text);
  if (isNumber(lat) && isNumber(lon)) return '{"lat":' + lat + ',"lon":' + lon + "}";
  return lat || lon ? lat + ", " + lon : "";
}
