/** One thing wrong with a request. */
export interface Problem {
  code: string;
  message: string;
  path?: string;
  arguments?: Record<string, string>;
  help?: string;
}

/** A request that a node refused or failed. */
export class QuireError extends Error {
  override name = "QuireError";

  constructor(
    readonly status: number,
    /** The code of the one problem, `validation` for several, empty when something on the way answered. */
    readonly code: string,
    message: string,
    readonly problems: Problem[],
    /** Seconds after which the node wants to be asked again; 0 when it names none. */
    readonly retryAfter = 0,
  ) {
    super(message);
  }

  /** Whether one of the problems has the code. */
  is(code: string): boolean {
    return this.code === code || this.problems.some((p) => p.code === code);
  }
}

/** Reads the body of a failed request, whichever program sent it. */
export async function readError(response: Response): Promise<QuireError> {
  const text = await response.text();
  const wait = Number(response.headers.get("Retry-After")) || 0;
  try {
    const body = JSON.parse(text);
    if (typeof body.code === "string") {
      return new QuireError(response.status, body.code, body.message, body.errors ?? [], wait);
    }
  } catch {
    // A proxy answers in its own words.
  }
  return new QuireError(response.status, "", `${response.status} ${text.slice(0, 300)}`, [], wait);
}
