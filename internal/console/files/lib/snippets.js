// A request as code to paste elsewhere. The key is never part of it: every form
// reads it from the environment variable QUIRE_KEY.

import { readKey } from "./api.js";

/** @typedef {import("./api.js").Sent} Sent */

/** @param {Sent} sent */
const bodyOf = (sent) => {
  if (sent.body === undefined) return "";
  if (typeof sent.body === "string") return sent.body;
  return sent.body instanceof Blob ? "(file)" : JSON.stringify(sent.body, null, 2);
};

/** @param {string} value */
const shell = (value) => "'" + value.replaceAll("'", "'\\''") + "'";

/** @param {Sent} sent */
export function curl(sent) {
  const lines = ["curl -X " + sent.method + " " + shell(location.origin + sent.path)];
  if (readKey()) lines.push('-H "Authorization: Bearer $QUIRE_KEY"');
  for (const [name, value] of Object.entries(sent.headers ?? {})) lines.push("-H " + shell(name + ": " + value));
  const body = bodyOf(sent);
  if (body) lines.push("-H " + shell("Content-Type: " + (sent.type ?? "application/json")), "--data-binary " + shell(body));
  return lines.join(" \\\n  ");
}

/** @param {Sent} sent */
export function go(sent) {
  const body = bodyOf(sent);
  const reader = body ? "strings.NewReader(" + JSON.stringify(body) + ")" : "nil";
  return [
    `request, err := http.NewRequestWithContext(ctx, "${sent.method}", ${JSON.stringify(location.origin + sent.path)}, ${reader})`,
    "if err != nil {", "\treturn err", "}",
    ...(body ? [`request.Header.Set("Content-Type", "${sent.type ?? "application/json"}")`] : []),
    ...(readKey() ? ['request.Header.Set("Authorization", "Bearer "+os.Getenv("QUIRE_KEY"))'] : []),
    "response, err := http.DefaultClient.Do(request)",
  ].join("\n");
}

/** @param {Sent} sent */
export function typescript(sent) {
  const body = bodyOf(sent);
  const headers = [...(body ? [`"Content-Type": "${sent.type ?? "application/json"}"`] : []), ...(readKey() ? ['Authorization: "Bearer " + process.env.QUIRE_KEY'] : [])];
  return [
    `const response = await fetch(${JSON.stringify(location.origin + sent.path)}, {`,
    `  method: "${sent.method}",`,
    ...(headers.length ? ["  headers: { " + headers.join(", ") + " },"] : []),
    ...(body ? ["  body: JSON.stringify(" + body.replaceAll("\n", "\n  ") + "),"] : []),
    "});", "const answer = await response.json();",
  ].join("\n");
}

/** @param {Sent} sent */
export function python(sent) {
  const body = bodyOf(sent);
  const headers = [...(body ? [`"Content-Type": "${sent.type ?? "application/json"}"`] : []), ...(readKey() ? ['"Authorization": "Bearer " + os.environ["QUIRE_KEY"]'] : [])];
  return [
    "import json, os, urllib.request", "",
    ...(body ? ["body = json.loads(" + JSON.stringify(body) + ")"] : []),
    `request = urllib.request.Request(${JSON.stringify(location.origin + sent.path)}, method="${sent.method}",`,
    `    headers={${headers.join(", ")}}${body ? ", data=json.dumps(body).encode()" : ""})`,
    "answer = json.load(urllib.request.urlopen(request))",
  ].join("\n");
}

export const forms = { curl, Go: go, TypeScript: typescript, Python: python };
