// Freshness tokens are base64url of a version and fields of tag, length and
// value. Responses to concurrent writes arrive in any order; the token of the
// latest commit is the one to keep.

const generation = 3;
const sequence = 4;

/** Returns the token of the later state; the second one if they cannot be compared. */
export function newer(known: string | undefined, token: string): string {
  if (!known) return token;
  const a = fields(known);
  const b = fields(token);
  const comparable = a?.get(1) === b?.get(1) && a?.get(generation) === b?.get(generation);
  return comparable && number(a?.get(sequence)) > number(b?.get(sequence)) ? known : token;
}

/** Returns the values by tag, each a string of bytes; undefined for a token of another format. */
function fields(token: string): Map<number, string> | undefined {
  try {
    const bytes = atob(token.replace(/-/g, "+").replace(/_/g, "/"));
    if (bytes.charCodeAt(0) !== 1) return undefined;
    const found = new Map<number, string>();
    for (let at = 1; at < bytes.length; ) {
      const length = bytes.charCodeAt(at + 1);
      found.set(bytes.charCodeAt(at), bytes.slice(at + 2, at + 2 + length));
      at += 2 + length;
    }
    return found;
  } catch {
    return undefined;
  }
}

/** Decodes an unsigned varint. */
function number(bytes = ""): number {
  let value = 0;
  for (let i = bytes.length - 1; i >= 0; i--) value = value * 128 + (bytes.charCodeAt(i) & 127);
  return value;
}
