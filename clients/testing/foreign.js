// A server that answers the first request as intermediaries such as proxies and
// load balancers do, and later requests as a node.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after } from "node:test";

/** The answers that all clients are tested with. */
export const foreign = JSON.parse(readFileSync(new URL("foreign.json", import.meta.url), "utf8"));

const stops = [];
after(() => stops.forEach((stop) => stop()));

/** Starts a server whose first answer is a foreign one with a status; returns its URL and a function that counts requests. */
export async function serveForeign(answer, status, headers = {}) {
  let tries = 0;
  const server = createServer((request, response) => {
    request.resume();
    if (++tries > 1) {
      if (request.method === "POST") response.end('{"hits":[],"page":{},"values":[],"total":{"count":0,"exact":true},"tookMs":1}');
      else response.writeHead(204).end();
      return;
    }
    const body = Buffer.from(answer.body.repeat(answer.times ?? 1), "latin1");
    response.writeHead(status, {
      ...headers, ...(answer.type && { "Content-Type": answer.type }), ...(answer.encoding && { "Content-Encoding": answer.encoding }),
      "Content-Length": body.length + (answer.missing ?? 0),
    });
    if (answer.missing) response.write(body, () => response.destroy());
    else response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => (server.closeAllConnections(), server.close()));
  return { base: `http://127.0.0.1:${server.address().port}`, tries: () => tries };
}

/** Checks the error of a client for a foreign answer. */
export function assertForeign(QuireError, error, answer, status) {
  assert.ok(error instanceof QuireError, `${error?.stack ?? error}`);
  assert.deepEqual([error.status, error.code, error.problems, error.is("index:not_found")], [status, "", [], false]);
  assert.ok(error.message.includes(answer.says) && error.message.startsWith(`${status} `) && error.message.length < 400, error.message);
  assert.ok(error.message.trim() === error.message && error.message.isWellFormed() && !/\p{Cc}/u.test(error.message), JSON.stringify(error.message));
}

/** Whether a node may have sent a successful answer, of which the rest was lost. */
export const isCut = (answer) => answer.missing > 0 || answer.encoding === "gzip";
