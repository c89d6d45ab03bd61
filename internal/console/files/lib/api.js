// Requests to the node. Every request of the console goes through call, which
// adds the key, turns refusals into Problems and notices an unreachable node.

import { signal } from "./dom.js";

/**
 * @typedef {{ code: string, message: string, path?: string, help?: string, arguments?: Record<string, string> }} Detail
 * @typedef {{ method: string, path: string, body?: any, type?: string, headers?: Record<string, string> }} Sent
 * @typedef {{ status: number, body: any, text: string, headers: Headers, sent: Sent }} Answer
 */

const storageKey = "quire.key";

/** @returns {string} the key of this tab, empty if there is none */
export const readKey = () => sessionStorage.getItem(storageKey) ?? "";

/** @param {string} key */
export function writeKey(key) {
  if (key) sessionStorage.setItem(storageKey, key);
  else sessionStorage.removeItem(storageKey);
}

/** Problem is a request that was rejected or not answered, or an input that cannot be sent. */
export class Problem extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {Detail[]} details
   * @param {Sent | null} sent null if the problem concerns something that is not sent
   */
  constructor(status, code, message, details, sent) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
    this.sent = sent;
  }
}

/**
 * failedJob returns the Problem of a job that the node started and could not finish.
 * The error of the job begins with a code if the API defines one for it.
 * @param {{ error?: string | null }} job @param {string} path @param {string} help
 */
export function failedJob(job, path, help) {
  const [, code = "job:failed", message = job.error ?? "The job failed."] = /^([a-z_]+(?::[a-z_]+)+): (.*)$/s.exec(job.error ?? "") ?? [];
  return new Problem(0, code, message, [{ code, message, path, help }], { method: "GET", path });
}

/** inputProblem returns the Problem of an input that is wrong before it is sent. @param {Detail} detail */
export const inputProblem = (detail) => new Problem(0, detail.code, detail.message, [detail], null);

/** Whether the node responds; while false, a banner is shown. */
export const reachable = signal(true);

/** Counts rejections of the credential since sign-in; the shell signs out at the first. */
export const refusals = signal(0);

let watching = false;

async function watchForReturn() {
  if (watching) return;
  watching = true;
  reachable.value = false;
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    try {
      const answer = await fetch("/q/health/ready", { cache: "no-store" });
      if (answer.ok) break;
    } catch {
      // Not back yet.
    }
  }
  watching = false;
  reachable.value = true;
}

/**
 * call sends a request and returns the answer, or throws a Problem. An aborted
 * request throws the AbortError of fetch.
 * @param {string} method
 * @param {string} path
 * @param {{ body?: any, type?: string, headers?: Record<string, string>, signal?: AbortSignal, key?: string }} [options]
 * @returns {Promise<Answer>}
 */
export async function call(method, path, options = {}) {
  const { body, type = "application/json", headers = {}, signal: aborted, key = readKey() } = options;
  /** @type {Sent} */
  const sent = { method, path, body, type, headers };
  const all = new Headers(headers);
  if (key) all.set("Authorization", "Bearer " + key);
  if (body !== undefined) all.set("Content-Type", type);
  /** @type {Response} */
  let response;
  try {
    response = await fetch(path, {
      method, headers: all, signal: aborted ?? null, credentials: "omit", cache: "no-store", redirect: "error",
      body: body === undefined ? null : typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body),
    });
  } catch (error) {
    if (aborted?.aborted) throw error;
    void watchForReturn();
    throw new Problem(0, "node:gone", "The node is not responding.", [
      { code: "node:gone", message: "The node is not responding.", help: "The console keeps retrying. If the node does not come back, check its log." }], sent);
  }
  const content = await response.text();
  const answered = parse(content);
  if (!response.ok) {
    if (response.status === 401 && key === readKey()) refusals.value++;
    const details = answered?.errors?.length ? answered.errors : [];
    throw new Problem(response.status, answered?.code ?? "http:" + response.status, answered?.message ?? response.statusText, details, sent);
  }
  return { status: response.status, body: answered, text: content, headers: response.headers, sent };
}

/** @param {string} content */
function parse(content) {
  if (!content) return null;
  try {
    return JSON.parse(content);
  } catch {
    return content;
  }
}

/** @param {string} path @param {AbortSignal} [aborted] */
export const get = (path, aborted) => call("GET", path, { signal: aborted });

/** @param {string} path @param {any} [body] @param {AbortSignal} [aborted] */
export const post = (path, body, aborted) => call("POST", path, { body, signal: aborted });

/** @param {unknown} error */
export const isAborted = (error) => error instanceof DOMException && error.name === "AbortError";

/** @param {string} name */
export const adminPath = (name) => "/v1alpha1/admin/indexes/" + encodeURIComponent(name);

/** @param {string} name */
export const dataPath = (name) => "/v1alpha1/indexes/" + encodeURIComponent(name);
