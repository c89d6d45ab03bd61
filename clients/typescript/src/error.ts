/** One problem with a request. */
export interface Problem {
  code: string;
  message: string;
  path?: string;
  arguments?: Record<string, string>;
  help?: string;
}

/** Thrown when a node rejects or fails a request. */
export class QuireError extends Error {
  override name = "QuireError";

  constructor(
    readonly status: number,
    /** The code of the only problem, `validation` for several; empty if an intermediary such as a proxy responded. */
    readonly code: string,
    message: string,
    readonly problems: Problem[],
    /** Seconds after which the node asks the client to retry; 0 if it names none. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }

  /** Reports whether one of the problems has the code. */
  is(code: string): boolean {
    return this.code === code || this.problems.some((p) => p.code === code);
  }
}

/** Decodes JSON; undefined if it is not JSON. */
export function parse(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error of a response, which an intermediary may have sent in its own format. */
export function readError(response: Response, text: string): QuireError {
  const { ok, status, statusText, headers } = response;
  const after = headers.get("Retry-After") ?? "";
  const wait = Math.max(0, /^\d+$/.test(after) ? Number(after) : (Date.parse(after) - Date.now()) / 1000 || 0);
  const body = parse(text);
  if (!ok && isProblem(body) && Array.isArray(body.errors) && body.errors.length && body.errors.every(isProblem)) {
    return new QuireError(status, body.code, body.message, body.errors, wait);
  }
  const line = readable(text);
  return new QuireError(status, "", `${status} ${ok ? `unexpected answer: ${line || "nothing"}` : line || statusText || "without a body"}`, [], wait);
}

function isProblem(found: any): boolean {
  const isText = (value: unknown) => typeof value === "string";
  return found?.code && isText(found.code) && isText(found.message) && Object.values(found.arguments ?? {}).every(isText);
}

/** Returns the beginning of a body, whatever it holds, as a line of text. */
function readable(body: string): string {
  let text = body.slice(0, 4096).trim();
  if (text[0] === "<") text = text.replace(/<(?:style|script)[^]*?(?:<\/(?:style|script)>|$)|<[^>]*(?:>|$)/gi, " ");
  return text.replace(/[\s\p{C}]+/gu, " ").trim().slice(0, 300).trim();
}
