// Searches through the types that openapi-typescript made.
import type { paths } from "./schema.js";

type Body = NonNullable<paths["/v1alpha1/indexes/{name}/search"]["post"]["requestBody"]>["content"]["application/json"];
type Answer = paths["/v1alpha1/indexes/{name}/search"]["post"]["responses"]["200"]["content"]["application/json"];
declare const process: { env: Record<string, string> };

async function call(method: string, path: string, body?: unknown): Promise<any> {
  const response = await fetch(process.env["NODE"] + path, {
    method, headers: { Authorization: "Bearer " + process.env["KEY"], "Content-Type": "application/json" }, body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}

await call("PUT", "/v1alpha1/admin/indexes/smoke-ts", { fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" } } });
await call("POST", "/v1alpha1/indexes/smoke-ts/documents", { documents: [{ id: "1", title: "Kindred" }] });
await call("POST", "/v1alpha1/admin/indexes/smoke-ts/actions/commit");
const request: Body = { query: [{ type: "text", text: "kindred" }] };
const answer: Answer = await call("POST", "/v1alpha1/indexes/smoke-ts/search", request);
if (answer.hits.length !== 1 || answer.hits[0]?.id !== "1") throw new Error(JSON.stringify(answer));
console.log("openapi-typescript: one hit");
