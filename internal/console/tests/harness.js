// A real node and a real browser for the tests of the console.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach } from "node:test";

export const root = new URL("../../../", import.meta.url).pathname;
const tools = createRequire(join(root, ".tools/console/"));
const { chromium } = tools("playwright-core");
const axePath = tools.resolve("axe-core/axe.min.js");

export const rootKey = "browser-tests-root-key-0123456789abcdef";

// A limit for tests that hang; on a busy machine a page may take many seconds.
const patience = 120_000;

const stops = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

/** Starts bin/quire in its own directory; with dev it requires no key. */
export async function startNode({ dev = true, env = {}, port, directory } = {}) {
  const at = port ?? (await freePort());
  const place = directory ?? mkdtempSync(join(tmpdir(), "quire-console-"));
  const child = spawn(join(root, "bin/quire"), dev ? ["serve", "--dev"] : ["serve"], {
    env: {
      PATH: process.env.PATH, HOME: place, SERVICE_STORAGE_LOCAL_DIRECTORY: place, SERVICE_HTTP_PORT: String(at), SERVICE_HTTP_HOST: "127.0.0.1",
      ...(dev ? {} : { SERVICE_AUTH_ROOT_KEY: rootKey }), ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let log = "";
  child.stdout.on("data", (chunk) => (log += chunk));
  child.stderr.on("data", (chunk) => (log += chunk));
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const stop = async () => {
    child.kill("SIGTERM");
    await gone;
  };
  stops.push(async () => {
    await stop();
    rmSync(place, { recursive: true, force: true });
  });
  const base = "http://127.0.0.1:" + at;
  for (let tries = 0; ; tries++) {
    const ready = await fetch(base + "/q/health/ready").then((r) => r.ok, () => false);
    if (ready) break;
    if (tries > patience / 100 || child.exitCode !== null) throw new Error("the node did not start: " + log);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const node = { base, port: at, directory: place, key: dev ? "" : rootKey, stop, log: () => log };
  node.call = (method, path, body, key = node.key, type = "application/json") => send(node, method, path, body, key, type);
  return node;
}

async function send(node, method, path, body, key, type) {
  const response = await fetch(node.base + path, {
    method, body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body),
    headers: { ...(key ? { Authorization: "Bearer " + key } : {}), ...(body === undefined ? {} : { "Content-Type": type }) },
  });
  const text = await response.text();
  const answer = text ? JSON.parse(text) : null;
  if (!response.ok) throw new Error(method + " " + path + ": " + response.status + " " + text);
  return answer;
}

/** Creates an index and fills it. */
export async function fill(node, name, definition, documents, settings) {
  await node.call("PUT", "/v1alpha1/admin/indexes/" + name, definition);
  if (settings) await node.call("PUT", "/v1alpha1/admin/indexes/" + name + "/settings", settings);
  if (documents.length) await node.call("POST", "/v1alpha1/indexes/" + name + "/documents", documents.map((d) => JSON.stringify(d)).join("\n"), node.key, "application/x-ndjson");
  await node.call("POST", "/v1alpha1/admin/indexes/" + name + "/actions/commit");
}

/** Loads the demo catalogue. */
export async function fillDemo(node) {
  const file = async (name) => (await fetch(node.base + "/console/demo/" + name)).text();
  await node.call("PUT", "/v1alpha1/admin/indexes/catalogue", await file("definition.json"));
  await node.call("PUT", "/v1alpha1/admin/indexes/catalogue/settings", await file("settings.json"));
  await node.call("POST", "/v1alpha1/indexes/catalogue/documents", await file("documents.ndjson"), node.key, "application/x-ndjson");
  await node.call("POST", "/v1alpha1/admin/indexes/catalogue/actions/commit");
}

/** Holds back requests of a page until the returned function is called. */
export async function hold(page, pattern) {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route(pattern, async (route) => {
    await held;
    await route.continue().catch(() => {}); // the request may have been cancelled
  });
  return async () => {
    release();
    await page.unroute(pattern);
  };
}

let browser;
const pages = [];

/** Opens a page of the console; anything it must never do is recorded in page.faults. */
export async function open(node, hash = "", options = {}) {
  if (!browser) {
    browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--host-resolver-rules=MAP evil.test 127.0.0.1"] });
    stops.push(() => browser.close());
  }
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, reducedMotion: "reduce", ...options.context });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push("error: " + error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) page.faults.push("console: " + message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(node.base) && !request.url().startsWith("blob:")) page.faults.push("request to " + request.url());
  });
  page.on("dialog", (dialog) => {
    page.faults.push("dialog: " + dialog.message());
    void dialog.dismiss();
  });
  pages.push(page);
  await page.goto(node.base + "/console/" + hash);
  return page;
}

export async function signIn(page, key) {
  await page.getByLabel("API key or root key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Returns every violation that axe-core finds on the page in its current state. */
export async function axe(page) {
  await page.evaluate(tools("fs").readFileSync(axePath, "utf8"));
  const result = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return result.violations.map((v) => v.id + ": " + v.nodes.slice(0, 3).map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? n.failureSummary)).join(" | "));
}

/** Keeps a screenshot of every open page of a failed test. */
export const artefacts = join(root, ".tools/console/artefacts");
afterEach(async (context) => {
  for (const page of pages.splice(0)) {
    if (context.passed === false && !page.isClosed()) {
      mkdirSync(artefacts, { recursive: true });
      await page.screenshot({ timeout: 10_000, path: join(artefacts, context.name.replace(/[^a-z0-9]+/gi, "-") + ".png") }).catch(() => {});
    }
    await page.context().close().catch(() => {});
  }
});

/** Starts the S3 server built by make tools and returns the environment variables of nodes that keep their data in it. */
export async function startBucket() {
  const place = mkdtempSync(join(tmpdir(), "quire-bucket-"));
  mkdirSync(join(place, "quire-test"));
  const port = await freePort();
  const child = spawn(join(root, ".tools/versitygw"), ["--access", "testkey", "--secret", "testsecret", "--port", "127.0.0.1:" + port, "--health", "/health", "--quiet", "posix", place], { stdio: "ignore" });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  stops.push(async () => {
    child.kill("SIGTERM");
    await gone;
    rmSync(place, { recursive: true, force: true });
  });
  const url = "http://127.0.0.1:" + port;
  for (let tries = 0; !(await fetch(url + "/health").then((r) => r.ok, () => false)); tries++) {
    if (tries > patience / 100) throw new Error("the S3 server did not start");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    SERVICE_STORAGE_MODE: "object", SERVICE_INDEXER_ENABLED: "true", SERVICE_STORAGE_REMOTE_URL: url, SERVICE_STORAGE_REMOTE_BUCKET: "quire-test",
    SERVICE_STORAGE_REMOTE_ACCESS_KEY: "testkey", SERVICE_STORAGE_REMOTE_SECRET_KEY: "testsecret",
  };
}
