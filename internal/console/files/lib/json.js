// Finds what is wrong with a text that should be JSON: where, and how to fix it.
// The messages of browsers differ, and some do not include a position.

/** @typedef {{ at: number, message: string, help: string }} Mistake */

const shownOpen = 20;
const deepest = 256; // levels that a node reads

const literal = /true|false|null/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const surrogate = /\\u[dD](?:[89abAB]..(?!\\u[dD][c-fC-F])|[c-fC-F])/y; // half of one
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** Returns the end of a sticky pattern's match at a position, or -1. @param {RegExp} pattern @param {string} text @param {number} at */
function endOf(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** @param {string} text @param {number} at */
function skipSpace(text, at) {
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at++;
  return at;
}

/** Returns the end of the string that begins at a position, or its mistake. @param {string} text @param {number} begin @returns {number | Mistake} */
function endOfString(text, begin) {
  for (let at = begin + 1; at < text.length; at++) {
    const c = text.charAt(at);
    if (c === '"') return at + 1;
    if (c === "\n" || c === "\r") return { at: begin, message: "The string does not end on this line.", help: "Close it with a double quote, and write line breaks as \\n." };
    if (c < " ") return { at, message: "The string contains a control character.", help: "Write tabs as \\t, and other control characters as \\u and four hexadecimal digits." };
    if (c !== "\\") continue;
    const end = endOf(escape, text, at);
    if (end < 0) return { at, message: "This backslash does not begin a valid escape.", help: "Write a backslash as \\\\." };
    const half = endOf(surrogate, text, at) >= 0;
    if (half) return { at, message: "This is only half of a surrogate pair.", help: "Write the character itself, or both halves." };
    const isPair = /[dD][89abAB]/.test(text.slice(at + 2, at + 4)) && text.charAt(at + 1) === "u";
    at = isPair ? end + 5 : end - 1;
  }
  return { at: begin, message: "The string does not end.", help: "Close it with a double quote." };
}

/** Returns the end of the scalar value at a position, or its mistake. @param {string} text @param {number} at @returns {number | Mistake} */
function endOfValue(text, at) {
  const c = text.charAt(at);
  if (c === '"') return endOfString(text, at);
  const end = Math.max(endOf(literal, text, at), endOf(number, text, at));
  if (end >= 0) return end;
  if (c === "'") return { at, message: "Strings must be in double quotes.", help: 'Write "…" instead of \'…\'.' };
  if (c === "," || c === "}" || c === "]") return { at, message: "A value is missing before " + c + ".", help: "Add the value, or remove the comma or name before it." };
  return { at, message: "This is not a JSON value.", help: "Write a number, true, false, null, a string in double quotes, an array or an object." };
}

/** Returns the mistake of what follows a value, inside a list or an object or at the end of the text. @param {string} text @param {number} at @param {string} close */
function afterValue(text, at, close) {
  if (!close) return { at, message: "There is more text after the end of the JSON.", help: "Remove it, or put both values in an array." };
  const other = close === "}" ? "]" : "}";
  if (text.charAt(at) === other) return { at, message: "Expected " + close + ", not " + other + ".", help: "Write " + close + " instead, or remove " + other + "." };
  return { at, message: "A comma or " + close + " is missing here.", help: "Add a comma between the values, or close with " + close + "." };
}

/**
 * mistakeIn finds the first position at which a text is not valid JSON; null if
 * all of it is valid.
 * @param {string} text @returns {Mistake | null}
 */
export function mistakeIn(text) {
  const open = /** @type {string[]} */ ([]); // what closes each list and object that is open
  const names = /** @type {Set<string>[]} */ ([]); // of each that is open
  /** What may stand next. @type {"value" | "value or end" | "name" | "name or end" | "comma"} */
  let next = "value";
  for (let at = skipSpace(text, 0); ; at = skipSpace(text, at)) {
    const c = text.charAt(at), close = open.at(-1) ?? "";
    if (next === "comma" && at === text.length && !close) return null;
    if (at === text.length) {
      if (!text.trim()) return { at, message: "There is no JSON yet.", help: "Enter a value, such as {}." };
      return { at, message: "The JSON is incomplete.", help: open.length ? "Add what closes it: " + open.slice(-shownOpen).reverse().join("") : "Add the missing value." };
    }
    if (close && c === close && next !== "value" && next !== "name") {
      open.pop();
      names.pop();
      next = "comma";
      at++;
    } else if (next === "comma") {
      if (!close || c !== ",") return afterValue(text, at, close);
      next = close === "}" ? "name" : "value";
      at++;
    } else if (next === "name" || next === "name or end") {
      if (c !== '"') return { at, message: c === "}" ? "There is a comma before }." : "A name in double quotes is missing here.", help: c === "}" ? "Remove the comma." : 'Write "name": value.' };
      const end = endOfString(text, at);
      if (typeof end !== "number") return end;
      const name = JSON.parse(text.slice(at, end)), taken = names.at(-1);
      if (taken?.has(name)) return { at, message: "The name " + JSON.stringify(name) + " is used twice in this object.", help: "Keep only one of them." };
      taken?.add(name);
      at = skipSpace(text, end);
      if (text.charAt(at) !== ":") return { at, message: "A colon is missing after the name.", help: 'Write "name": value.' };
      next = "value";
      at++;
    } else if (c === "{" || c === "[") {
      if (open.length === deepest) return { at, message: "The JSON is nested deeper than " + deepest + " levels.", help: "Use fewer levels." };
      open.push(c === "{" ? "}" : "]");
      names.push(new Set());
      next = c === "{" ? "name or end" : "value or end";
      at++;
    } else {
      const end = endOfValue(text, at);
      if (typeof end !== "number") return end;
      next = "comma";
      at = end;
    }
  }
}

/** Describes a position in words. @param {string} text @param {number} at */
function lineAndColumn(text, at) {
  const before = text.slice(0, at).split("\n");
  return "line " + before.length + ", column " + ((before.at(-1)?.length ?? 0) + 1);
}

/** Returns what is wrong with a text, in the form of an API problem; null if it is valid JSON. @param {string} text @returns {import("./api.js").Detail | null} */
export function jsonDetail(text) {
  const found = mistakeIn(text);
  return found && { code: "json:malformed", message: found.message, path: lineAndColumn(text, found.at), help: found.help };
}

/** JSON.rawJSON, where the browser has it. @type {((text: string) => any) | undefined} */
const rawJSON = /** @type {any} */ (JSON).rawJSON;

/**
 * The value of a JSON text whose whole numbers stay as they are written where a
 * number of the browser cannot hold them; JSON.stringify writes them back.
 * @param {string} text @returns {any}
 */
export const asWritten = (text) => (rawJSON && longNumber.test(text) ? JSON.parse(text, /** @type {any} */ ((/** @type {string} */ _, /** @type {any} */ value, /** @type {{ source?: string }} */ context) =>
  (typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "") ? rawJSON(context.source ?? "") : value))) : JSON.parse(text));

const longNumber = /(?<![\d.])\d{16}/;

/** Whether two values are the same JSON; long numbers are objects. @param {any} a @param {any} b */
export const isSame = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The same value for people: those numbers as text. @param {any} value @returns {any} */
export function shownNumbers(value) {
  if (Array.isArray(value)) return value.map(shownNumbers);
  if (!value || typeof value !== "object") return value;
  if (/** @type {any} */ (JSON).isRawJSON?.(value)) return value.rawJSON;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shownNumbers(inner)]));
}
