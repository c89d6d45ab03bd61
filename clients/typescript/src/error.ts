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

/** Reads the error in the body of a response, which may come from a proxy. */
export async function readError(response: Response): Promise<QuireError> {
  const text = await response.text();
  const wait = Number(response.headers.get("Retry-After")) || 0;
  try {
    const body = JSON.parse(text);
    if (typeof body.code === "string") {
      return new QuireError(response.status, body.code, body.message, body.errors ?? [], wait);
    }
  } catch {
    // A proxy responds in a format of its own.
  }
  return new QuireError(response.status, "", `${response.status} ${text.slice(0, 300)}`, [], wait);
}
