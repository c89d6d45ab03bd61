// Runs a real node, and a real browser with a page that may call it.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

const root = new URL("../../", import.meta.url).pathname;

export const key = "client-tests-root-key-0123456789abcdef";

const stops = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

function listen(server) {
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server.address().port)));
}

/** Serves files by path, each as [type, content]; returns the origin. */
export async function serveFiles(files) {
  const server = createServer((request, response) => {
    const file = files[new URL(request.url, "http://x").pathname];
    response.writeHead(file ? 200 : 404, { "Content-Type": file?.[0] ?? "text/plain" }).end(file?.[1]);
  });
  stops.push(() => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))));
  return `http://127.0.0.1:${await listen(server)}`;
}

/** Starts bin/quire in its own directory; env adds environment variables. */
export async function startNode(env = {}) {
  const directory = mkdtempSync(join(tmpdir(), "quire-clients-"));
  const child = spawn(join(root, "bin/quire"), ["serve"], {
    env: {
      PATH: process.env.PATH, HOME: directory, SERVICE_STORAGE_LOCAL_DIRECTORY: directory, SERVICE_HTTP_PORT: "0", SERVICE_HTTP_HOST: "127.0.0.1",
      SERVICE_AUTH_ROOT_KEY: key, ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  stops.push(async () => {
    child.kill("SIGTERM");
    await gone;
    rmSync(directory, { recursive: true, force: true });
  });
  let log = "";
  const base = await new Promise((resolve, reject) => {
    const read = (chunk) => {
      log += chunk;
      const found = /msg=listening address=(\S+)/.exec(log);
      if (found) resolve(found[1]);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    gone.then(() => reject(new Error("the node did not start: " + log)));
  });
  for (let tries = 0; !(await fetch(base + "/q/health/ready").then((r) => r.ok, () => false)); tries++) {
    if (tries > 300) throw new Error("the node is not ready: " + log);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return base;
}

/** Opens a page in Chromium that fails the test on every error. */
export async function openPage(url) {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
  stops.push(() => browser.close());
  const page = await browser.newPage();
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  await page.goto(url);
  return page;
}
