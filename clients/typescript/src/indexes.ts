import type { Call, CallOptions, Client } from "./client.js";
import { QuireError, type Problem } from "./error.js";
import type {
  Definition, DeleteRequest, ExplainResult, FacetValuesRequest, FacetValuesResult, Hit, IndexDescription,
  SearchRequest, SearchResult, SearchSettings, SearchSettingsOutput, SuggestRequest, SuggestResult,
} from "./types.js";

export interface Added {
  indexed: number;
  freshness: string;
}

/** The result of addAll for one document. */
export interface Result {
  /** The position among the given documents, from 0. */
  position: number;
  /** Why it was rejected; absent if it was added. */
  refused?: QuireError;
}

/** A hit whose document has the type of the index. */
export type TypedHit<T> = Omit<Hit, "document"> & { document?: T };
export type TypedResult<T> = Omit<SearchResult, "hits"> & { hits: TypedHit<T>[] };

// The limits of one request of addAll.
const batchDocuments = 1000;
const batchCharacters = 2_000_000;

const always = () => true;

/** A handle on one index. T is the type of its documents. */
export class Index<T = Record<string, unknown>> {
  constructor(
    readonly client: Client,
    readonly name: string,
  ) {}

  #data(...parts: string[]) {
    return ["/v1alpha1/indexes", ...[this.name, ...parts].map(escape)].join("/");
  }

  #admin(...parts: string[]) {
    return ["/v1alpha1/admin/indexes", ...[this.name, ...parts].map(escape)].join("/");
  }

  async #write<A>(call: Omit<Call, "index" | "body"> & { body?: unknown }): Promise<A> {
    return this.client.call<A>({ ...call, index: this.name, ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }) } as Call);
  }

  async #read<A>(path: string, answers: string, body: unknown, options: CallOptions): Promise<A> {
    return this.client.call<A>({
      ...options, method: body === undefined ? "GET" : "POST", path, answers, index: this.name, reads: true, repeatable: always,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** Returns the definition and status of the index. */
  async get(options: CallOptions = {}): Promise<IndexDescription> {
    return this.client.call({ ...options, method: "GET", path: this.#admin(), answers: "definition", repeatable: always });
  }

  /** Creates the index or replaces its definition. */
  async put(definition: Definition, options: CallOptions = {}): Promise<IndexDescription> {
    return this.client.call({ ...options, method: "PUT", path: this.#admin(), answers: "definition", body: JSON.stringify(definition), repeatable: always });
  }

  /** Makes everything acknowledged so far visible to searches. */
  async commit(options: CallOptions = {}): Promise<IndexDescription> {
    return this.#write({ ...options, method: "POST", path: this.#admin("actions", "commit"), answers: "definition", repeatable: always });
  }

  /** Makes the generation that the handle names the live one of the index. */
  async promote(options: CallOptions = {}): Promise<IndexDescription> {
    return this.#write({ ...options, method: "POST", path: this.#admin("actions", "promote"), answers: "definition", promotes: true, repeatable: always });
  }

  /** Deletes the index with all its generations, or only the generation that the handle names. */
  async delete(options: CallOptions = {}): Promise<void> {
    return this.client.call({ ...options, method: "DELETE", path: this.#admin() });
  }

  async settings(options: CallOptions = {}): Promise<SearchSettingsOutput> {
    return this.client.call({ ...options, method: "GET", path: this.#admin("settings"), answers: "version", repeatable: always });
  }

  async putSettings(settings: SearchSettings, options: CallOptions = {}): Promise<SearchSettingsOutput> {
    return this.#write({ ...options, method: "PUT", path: this.#admin("settings"), answers: "version", body: settings, repeatable: always });
  }

  /**
   * Adds documents, however many, in one request, replacing those with the same keys. It stops at the first rejected document; those
   * before it stay added.
   */
  async add(documents: T[], options: CallOptions = {}): Promise<Added> {
    return this.#add(documents.map(encode), "", "indexed", options);
  }

  async #add<A>(lines: string[], query: string, answers: string, options: CallOptions): Promise<A> {
    return this.client.call<A>({
      ...options, method: "POST", path: this.#data("documents") + query, answers, body: lines.join("\n"), media: "application/x-ndjson",
      index: this.name, repeatable: (deadline) => this.#hasKey(options, deadline), several: lines.length > 1,
    });
  }

  /**
   * Adds a stream of documents and yields a result for each, in order. A batch is sent while the next one is collected; a rejected
   * document does not stop the others. An error ends the stream; documents after the last result may or may not have been added.
   */
  async *addAll(documents: Iterable<T> | AsyncIterable<T>, options: CallOptions = {}): AsyncGenerator<Result> {
    let lines: string[] = [];
    let characters = 0;
    let first = 0;
    let sent: Promise<Result[]> | undefined;
    const send = () => {
      sent = this.#addLines(lines, first, options);
      sent.catch(() => {}); // the error is reported where the promise is awaited
      first += lines.length;
      lines = [];
      characters = 0;
    };
    for await (const document of documents) {
      const line = encode(document);
      if (lines.length === batchDocuments || (lines.length && characters + line.length > batchCharacters)) {
        if (sent) yield* await sent;
        send();
      }
      lines.push(line);
      characters += line.length;
    }
    if (sent) yield* await sent;
    if (lines.length) {
      send();
      yield* await sent!;
    }
  }

  async #addLines(lines: string[], first: number, options: CallOptions): Promise<Result[]> {
    const results: Result[] = lines.map((_, i) => ({ position: first + i }));
    const sent = this.#add<{ failed: { position: number; errors: Problem[] }[] }>(lines, "?onError=skip", "failed", options);
    const answer = await sent.catch((error: unknown) => {
      if (lines.length > 1 || !(error instanceof QuireError && error.status === 413)) throw error;
      results[0]!.refused = error; // it is too large
      return { failed: [] };
    });
    for (const { position, errors } of answer.failed) {
      results[position]!.refused = new QuireError(400, errors[0]?.code ?? "", errors.map((e) => e.message).join("; "), errors);
    }
    return results;
  }

  /**
   * Reports whether documents have keys, which makes adding them idempotent; false if the definition cannot be read. The answer is not
   * kept: the index may be deleted and created anew, or serve from a generation with another definition.
   */
  async #hasKey(options: CallOptions, deadline: number): Promise<boolean> {
    try {
      const { definition } = await this.client.call<IndexDescription>({
        ...options, method: "GET", path: this.#admin(), answers: "definition", repeatable: always, deadline,
      });
      return Object.values(definition.fields ?? {}).some((f) => f.primaryKey === true);
    } catch {
      return false;
    }
  }

  /** Returns the document with a key. */
  async document(key: string, options: CallOptions = {}): Promise<T> {
    return (await this.#read<{ document: T }>(this.#data("documents", key), "document", undefined, options)).document;
  }

  async putDocument(key: string, document: T, options: CallOptions = {}): Promise<void> {
    return this.#write({ ...options, method: "PUT", path: this.#data("documents", key), body: document, repeatable: always });
  }

  /** Changes parts of a document. It is not retried if the outcome is unknown, because a change may append. */
  async patchDocument(key: string, changes: Record<string, unknown>, options: CallOptions = {}): Promise<void> {
    return this.#write({ ...options, method: "PATCH", path: this.#data("documents", key), body: changes });
  }

  async deleteDocument(key: string, options: CallOptions = {}): Promise<void> {
    return this.#write({ ...options, method: "DELETE", path: this.#data("documents", key), repeatable: always });
  }

  /** Deletes documents by key, by query, or all of them, and returns how many were deleted. */
  async deleteDocuments(request: DeleteRequest, options: CallOptions = {}): Promise<number> {
    const path = this.#data("documents", "actions", "delete");
    return (await this.#write<{ deleted: number }>({ ...options, method: "POST", path, answers: "deleted", body: request, repeatable: always })).deleted;
  }

  /** Yields the documents in order of their keys. */
  async *documents(options: CallOptions = {}): AsyncGenerator<T> {
    for (let after = ""; ; ) {
      const path = `${this.#data("documents")}?limit=1000${after && `&after=${encodeURIComponent(after)}`}`;
      const page = await this.#read<{ documents: T[]; next?: string }>(path, "documents", undefined, options);
      yield* page.documents;
      if (!page.next) return;
      after = page.next;
    }
  }

  async search(request: SearchRequest = {}, options: CallOptions = {}): Promise<TypedResult<T>> {
    return this.#read(this.#data("search"), "hits", request, options);
  }

  /** Runs a search and yields its result pages. */
  async *pages(request: SearchRequest = {}, options: CallOptions = {}): AsyncGenerator<TypedResult<T>> {
    for (let next = request; ; ) {
      const page = await this.search(next, options);
      yield page;
      if (!page.page.next || !page.hits.length) return;
      const { offset, before, ...rest } = request;
      next = { ...rest, after: page.page.next };
    }
  }

  /** Yields the hits of all pages of a search. */
  async *hits(request: SearchRequest = {}, options: CallOptions = {}): AsyncGenerator<TypedHit<T>> {
    for await (const page of this.pages(request, options)) yield* page.hits;
  }

  /** Explains the score of one document; position is that of the list value if hits are list values. */
  async explain(request: SearchRequest, key: string, position = 0, options: CallOptions = {}): Promise<ExplainResult> {
    const path = this.#data("search", "actions", "explain");
    return this.#read(`${path}?key=${encodeURIComponent(key)}${position ? `&index=${position}` : ""}`, "matched", request, options);
  }

  async suggest(request: SuggestRequest, options: CallOptions = {}): Promise<SuggestResult> {
    return this.#read(this.#data("suggest"), "suggestions", request, options);
  }

  async facetValues(field: string, request: FacetValuesRequest = {}, options: CallOptions = {}): Promise<FacetValuesResult> {
    return this.#read(this.#data("facets", field, "values"), "values", request, options);
  }
}

/** Encodes a document as a line; what JSON lacks, such as undefined, becomes null, which the node rejects. */
function encode(document: unknown): string {
  return JSON.stringify(document) ?? "null";
}

/** Escapes a path segment, dot segments included, since these would otherwise be resolved before they reach the node. */
function escape(segment: string): string {
  return segment === "." || segment === ".." ? segment.replaceAll(".", "%2E") : encodeURIComponent(segment);
}
