import { QuireError, parse, readError } from "./error.js";
import { Index } from "./indexes.js";
import { newer } from "./token.js";
import type { ListedIndex } from "./types.js";

export interface ClientOptions {
  /** Sent as a bearer token. */
  key?: string;
  /** Further nodes of the same deployment, tried when one does not respond. */
  nodes?: string[];
  /** How long, in milliseconds, a request is retried where that is safe; default 20000, 0 turns retries off. */
  retryFor?: number;
  /** Whether reads of an index see what this client wrote to it before. */
  readYourWrites?: boolean;
  /** Replaces the global fetch. */
  fetch?: typeof fetch;
}

export interface CallOptions {
  signal?: AbortSignal;
}

/** One request, which may be sent several times. */
export interface Call extends CallOptions {
  method: string;
  path: string;
  body?: string;
  media?: string;
  /** A member that every response of a node has; without it the response has no body. Any other response comes from an intermediary. */
  answers?: string;
  /** The index or generation whose freshness token applies. */
  index?: string;
  /** Whether the request reads: it then sends the token, otherwise the token is taken from the response. */
  reads?: boolean;
  /** The index serves from this generation afterwards, so that its readers see what was written to it. */
  promotes?: boolean;
  /** Reports whether the request is idempotent, false if that is not known by the deadline; called if the outcome of an attempt is unknown. */
  repeatable?: (deadline: number) => boolean | Promise<boolean>;
  /** The time after which the request is not retried. */
  deadline?: number;
  /** Whether the request holds several documents: those before a failed one stay, so a failed write does not mean that nothing was written. */
  several?: boolean;
}

const header = "X-Service-Freshness";

// Responses that mean that nothing was done, so every request may be retried.
const untaken = ["indexer:unavailable", "indexer:leadership_unreadable", "search:freshness:unavailable", "storage:unavailable", "storage:conflict"];
// Responses about documents that were not written; others of the same request may have been.
const unwritten = ["storage:io_error", "index:closed", "index:readonly", "index:generation:unsettled"];

const firstPause = 50;
const lastPause = 2000;

/** A connection to the nodes of one deployment. */
export class Client {
  readonly #nodes: string[];
  readonly #options: ClientOptions;
  readonly #tokens = new Map<string, string>();
  #preferred = 0;

  constructor(node: string, options: ClientOptions = {}) {
    this.#nodes = [node, ...(options.nodes ?? [])].map((url) => url.replace(/\/+$/, ""));
    this.#options = options;
    for (const url of this.#nodes) {
      if (!/^https?:\/\/[^/]/.test(url)) throw new TypeError(`expected a URL such as http://localhost:8080, found ${url}`);
    }
    new Headers(this.#authorization()); // throws where a header cannot carry the key
  }

  /** Returns a handle on an index, or on a generation, written index@generation. */
  index<T = Record<string, unknown>>(name: string): Index<T> {
    return new Index<T>(this, name);
  }

  /** Yields the indexes that the key can see, in order of their names. */
  async *indexes(options: CallOptions = {}): AsyncGenerator<ListedIndex> {
    for (let after = ""; ; ) {
      const page = await this.call<{ indexes: ListedIndex[]; next?: string }>({
        ...options, method: "GET", path: `/v1alpha1/admin/indexes${after && `?after=${encodeURIComponent(after)}`}`, answers: "indexes",
        repeatable: () => true,
      });
      yield* page.indexes;
      if (!page.next) return;
      after = page.next;
    }
  }

  /** Sends a request, retrying it where that is safe, and returns the response. */
  async call<A>(call: Call): Promise<A> {
    const deadline = call.deadline ?? Date.now() + (this.#options.retryFor ?? 20_000);
    for (let tries = 1; ; tries++) {
      const node = this.#preferred;
      const token = call.reads && call.index ? this.#tokens.get(call.index) : undefined;
      try {
        return await this.#try<A>(this.#nodes[node]!, call, token);
      } catch (error) {
        if (token && error instanceof QuireError && error.is("search:freshness:index_mismatch")) {
          // The index was deleted with what was written to it; another one has its name.
          if (this.#tokens.get(call.index!) === token) this.#tokens.delete(call.index!);
          continue;
        }
        call.signal?.throwIfAborted();
        const taken = mayBeTaken(error, call);
        if (taken === undefined) throw error;
        this.#preferred = (node + 1) % this.#nodes.length;
        const wait = error instanceof QuireError ? error.retryAfter * 1000 : 0;
        const backoff = Math.min(lastPause, firstPause * 2 ** Math.max(0, tries - this.#nodes.length));
        const pause = wait || (tries < this.#nodes.length ? 0 : backoff / 2 + (Math.random() * backoff) / 2);
        const latest = deadline - pause;
        const again = Date.now() < latest && (!taken || (await call.repeatable?.(latest)));
        call.signal?.throwIfAborted();
        if (!again) throw error;
        await sleep(pause, call.signal);
      }
    }
  }

  async #try<A>(node: string, call: Call, token?: string): Promise<A> {
    const headers: Record<string, string> = { Accept: "application/json", ...this.#authorization() };
    if (call.body !== undefined) headers["Content-Type"] = call.media ?? "application/json";
    if (token) headers[header] = token;
    const response = await (this.#options.fetch ?? fetch)(node + call.path, {
      method: call.method, headers, body: call.body ?? null, signal: call.signal ?? null,
    });
    const text = await response.text().catch((error: unknown) => {
      if (response.ok) throw error;
      return ""; // the status counts also if the body is cut
    });
    const answer = parse(text);
    const isAnswer = call.answers ? Object.hasOwn(answer ?? {}, call.answers) : !text.trim();
    if (!response.ok || !isAnswer) throw readError(response, text);
    const written = this.#options.readYourWrites && !call.reads && (response.headers.get(header) || answer?.freshness);
    if (written && call.index) this.#keep(call.index, written, call.promotes);
    return answer;
  }

  #authorization(): Record<string, string> {
    return this.#options.key ? { Authorization: `Bearer ${this.#options.key}` } : {};
  }

  #keep(index: string, token: string, promoted?: boolean) {
    const newest = newer(this.#tokens.get(index), token);
    this.#tokens.set(index, newest);
    if (promoted) this.#keep(index.split("@")[0]!, newest);
  }
}

/** Reports whether a failed request may have been carried out; undefined if a retry would get the same response. */
function mayBeTaken(error: unknown, call: Call): boolean | undefined {
  if (!(error instanceof QuireError)) return error instanceof TypeError || undefined; // fetch fails with a TypeError if there is no response
  const is = (code: string) => error.is(code);
  if (error.status === 429 || untaken.some(is)) return false;
  if (unwritten.some(is)) return !!call.several;
  return [502, 503, 504].includes(error.status) || undefined;
}

function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
