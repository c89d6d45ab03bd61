// Freshness tokens are base64url of a version and fields of tag, length and
// value. Answers to writes at the same time arrive in any order, and a write of
// documents says nothing of the settings, nor the other way round; the token to
// keep names the later of both.

const index = 1;
const generation = 3;
const sequence = 4;
const settings = 5;

/** The token of the state that holds both; of another index or generation the second one counts. */
export function newer(known: string | undefined, token: string): string {
  const a = known ? fields(known) : undefined;
  const b = fields(token);
  if (!a || !b || a.get(index) !== b.get(index)) return token;
  const kept = new Map(b);
  const keep = (tag: number) => a.has(tag) && kept.set(tag, a.get(tag)!);
  const isLater = (tag: number) => number(a.get(tag)) > number(b.get(tag));
  if (!b.has(generation) || (a.get(generation) === b.get(generation) && isLater(sequence))) [generation, sequence].forEach(keep);
  if (isLater(settings)) keep(settings);
  const bytes = [...kept].sort(([x], [y]) => x - y).map(([tag, value]) => String.fromCharCode(tag, value.length) + value);
  return btoa("\x01" + bytes.join("")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
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
