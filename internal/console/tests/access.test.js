// Signing in, what a key can see, and room 5: keys.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { axe, fillDemo, hold, open, rootKey, signIn, startNode } from "./harness.js";

let node;
const keys = "/v1alpha1/admin/keys";
before(async () => {
  node = await startNode({ dev: false });
  await fillDemo(node);
});

async function roomsOf(page) {
  const rooms = page.getByRole("navigation", { name: "Rooms" }).locator("li");
  await rooms.first().waitFor();
  return rooms.allInnerTexts();
}

describe("access", () => {
  it("asks for a key, keeps it in the tab alone, and forgets it on sign-out", async () => {
    const page = await open(node);
    await page.getByRole("heading", { name: "Sign in to this node" }).waitFor();
    assert.deepEqual(await axe(page), []);
    await signIn(page, "quire_0123456789abcdef_wrong");
    await page.getByRole("alert").getByText("401 auth:unauthenticated").waitFor();
    await signIn(page, rootKey);
    await page.getByText("root key").waitFor();
    await page.locator(".hit").first().waitFor();
    const kept = await page.evaluate(() => [Object.values(localStorage), document.cookie, location.href, Object.values(sessionStorage)]);
    assert.deepEqual(kept.slice(0, 2), [[], ""]);
    assert.ok(!kept[2].includes(rootKey) && kept[3].includes(rootKey));
    await page.reload();
    await page.getByText("root key").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to this node" }).waitFor();
    assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage)), []);
    assert.ok(!node.log().includes(rootKey));
    assert.deepEqual(page.faults, []);
  });

  it("sends a request once, however often its button is pressed", async () => {
    await node.call("PUT", "/v1alpha1/admin/indexes/notes", { fields: { text: { type: "string", matching: {} } } }); // without a key, every request adds a document
    const page = await open(node, "#/access");
    await signIn(page, rootKey);
    const sent = [];
    page.on("request", (request) => request.method() !== "GET" && sent.push(request.method() + " " + new URL(request.url()).pathname.replace(/[0-9a-f]{16,}/, "ID")));
    const press = async (name, pattern) => {
      const release = await hold(page, pattern);
      const button = page.getByRole("dialog").getByRole("button", { name, exact: true });
      await button.evaluate(async (element) => {
        element.click();
        await new Promise((resolve) => setTimeout(resolve, 100));
        element.click();
      });
      await release();
    };
    await page.getByRole("button", { name: "Create a key" }).click();
    await press("Create key", /admin\/keys$/);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.getByRole("button", { name: "Rotate" }).first().click();
    await press("Rotate", /actions\/rotate$/);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await page.getByRole("button", { name: "Revoke" }).first().click();
    await press("Revoke", /admin\/keys\/[^/]+$/);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const [create, rotate, revoke, ...others] = sent;
    assert.match(create, /^POST .*keys$/);
    assert.match(rotate, /^POST .*rotate$/);
    assert.match(revoke, /^DELETE /);
    assert.deepEqual(others, []);
    const { credential } = await node.call("POST", keys, { grants: [{ permissions: ["documents.write"], indexes: ["notes"] }] });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.evaluate(() => (location.hash = "#/data?index=notes"));
    await signIn(page, credential);
    await page.getByRole("button", { name: "Add a document" }).click();
    await page.getByLabel("Document as JSON").fill('{"text":"x"}');
    sent.length = 0;
    await press("Add document", /documents$/);
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.deepEqual(sent, ["POST /v1alpha1/indexes/notes/documents"]);
    assert.deepEqual(page.faults, []);
  });

  it("shows a key only what it may do", async () => {
    const { credential } = await node.call("POST", keys, { description: "reads", grants: [{ role: "reader", indexes: ["catalogue"] }] });
    const page = await open(node);
    await signIn(page, credential);
    await page.locator(".hit").first().waitFor();
    assert.deepEqual(await roomsOf(page), ["Search", "Why", "Data", "Nodes"]);
    await page.getByRole("link", { name: "Data" }).click();
    await page.getByRole("link", { name: "catalogue" }).click();
    await page.getByRole("tab", { name: "Definition" }).waitFor();
    for (const name of ["Add a document", "Edit definition", "Choose a file", "Delete index"]) assert.equal(await page.getByRole("button", { name }).count(), 0, name);
    assert.deepEqual(page.faults, []);
  });

  it("searches with a key that may do nothing else", async () => {
    const { credential } = await node.call("POST", keys, { grants: [{ permissions: ["search"], indexes: ["catalogue"] }] });
    const page = await open(node);
    await signIn(page, credential);
    await page.getByRole("searchbox", { name: "Search" }).fill("rain jacket");
    await page.locator(".hit", { hasText: "jacket" }).first().waitFor();
    assert.deepEqual(await roomsOf(page), ["Search", "Why"]);
    assert.deepEqual(page.faults, []);
  });

  it("opens documents by name and key with a key that may do nothing else", async () => {
    const { credential } = await node.call("POST", keys, { grants: [{ permissions: ["documents.read"], indexes: ["catalogue", "shop*"] }] });
    const page = await open(node);
    await signIn(page, credential);
    assert.deepEqual(await roomsOf(page), ["Data"]);
    await page.getByRole("textbox", { name: "Index" }).fill("books");
    await page.getByText("This key has access to documents in catalogue, shop*.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Open" }).isDisabled(), true);
    await page.getByRole("link", { name: "catalogue" }).click();
    await page.getByRole("row", { name: /p001/ }).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole("textbox", { name: "Key" }).fill("p017");
    await page.locator("form").getByRole("button", { name: "Open" }).click();
    const area = page.getByRole("dialog", { name: "Document p017" }).getByLabel("Document as JSON");
    assert.equal(JSON.parse(await area.inputValue()).id, "p017");
    assert.equal(await area.isEditable(), false);
    assert.deepEqual(page.faults, []);
  });

  it("loads a file with a key that may write and not create", async () => {
    const { credential } = await node.call("POST", keys, { grants: [{ role: "writer", indexes: ["catalogue"] }] });
    const page = await open(node, "#/data");
    await signIn(page, credential);
    const refused = [];
    page.on("response", (response) => response.status() >= 400 && refused.push(response.url()));
    await page.getByLabel("File to load").setInputFiles({ name: "more.ndjson", mimeType: "application/octet-stream", buffer: Buffer.from('{"id":"w1","name":{"en":"Written"}}') });
    assert.equal(await page.getByLabel("Load into index").inputValue(), "catalogue");
    await page.getByLabel("Load into index").fill("more");
    await page.getByText("This key can add documents to catalogue but cannot create indexes.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Create index and load" }).isDisabled(), true);
    await page.getByLabel("Load into index").fill("catalogue");
    await page.getByRole("button", { name: "Add to catalogue" }).click();
    await page.getByText("1 document", { exact: true }).waitFor();
    assert.deepEqual(refused, []);
    assert.deepEqual(page.faults, []);
  });

  it("signs out when the key expires", async () => {
    let page, credential;
    for (let life = 4000; ; life *= 4) {
      const expiresAt = new Date(Date.now() + life).toISOString();
      ({ credential } = await node.call("POST", keys, { grants: [{ role: "reader", indexes: ["*"] }], expiresAt }));
      page = await open(node);
      await signIn(page, credential);
      const rooms = page.getByRole("navigation", { name: "Rooms" });
      await rooms.or(page.getByRole("alert")).first().waitFor();
      if (await rooms.isVisible()) break; // otherwise the key expires before a busy machine has signed in
      assert.ok(life < 100_000, "no key lives long enough to sign in");
    }
    // Keep typing until the node rejects the key.
    const heading = page.getByRole("heading", { name: "Sign in to this node" });
    const box = page.getByRole("searchbox", { name: "Search" });
    for (let i = 0; !(await heading.isVisible()); i++) await box.fill("lamp " + i, { timeout: 500 }).catch(() => {});
    await signIn(page, credential);
    await page.getByRole("alert").getByText("401 auth:unauthenticated").waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("signs out when the key is revoked", async () => {
    const { credential, key } = await node.call("POST", keys, { grants: [{ role: "reader", indexes: ["*"] }] });
    const page = await open(node);
    await signIn(page, credential);
    await page.locator(".hit").first().waitFor();
    await node.call("DELETE", keys + "/" + key.id);
    await page.getByRole("searchbox", { name: "Search" }).fill("x");
    await page.getByRole("heading", { name: "Sign in to this node" }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("creates, rotates and revokes keys and shows a secret once", async () => {
    const page = await open(node, "#/access");
    await signIn(page, rootKey);
    await page.getByRole("button", { name: "Create a key" }).click();
    const dialog = page.getByRole("dialog", { name: "Create a key" });
    await dialog.getByLabel("Description").fill("for the test");
    await dialog.getByRole("textbox", { name: "Indexes" }).fill("Bad Name");
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByRole("alert").getByText("auth:key:index_pattern_invalid").waitFor();
    await dialog.getByRole("textbox", { name: "Indexes" }).fill("catalogue, shop*");
    await dialog.getByLabel("Role").selectOption("writer");
    await dialog.getByRole("checkbox", { name: "keys.read" }).check();
    await dialog.getByRole("button", { name: "Create key" }).click();
    const secret = await page.getByLabel("Credential", { exact: true }).innerText();
    const allowed = await node.call("GET", "/v1alpha1/access", undefined, secret);
    assert.deepEqual(allowed.grants.flatMap((g) => g.permissions).sort(), ["documents.delete", "documents.read", "documents.write", "indexes.commit", "indexes.read", "keys.read", "search"]);
    await page.getByRole("button", { name: "I have saved it" }).click();
    assert.ok(!(await page.content()).includes(secret));
    const row = page.getByRole("row", { name: /for the test/ });
    await row.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    const next = await page.getByLabel("Credential", { exact: true }).innerText();
    assert.notEqual(next, secret);
    await page.getByRole("button", { name: "I have saved it" }).click();
    await row.getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    assert.deepEqual(page.faults, []);
  });

  it("opens at once with an anonymous key, and signs in for more", async () => {
    const first = await startNode({ dev: false });
    await fillDemo(first);
    const { key } = await first.call("POST", keys, { grants: [{ permissions: ["search"], indexes: ["catalogue"] }] });
    await first.stop();
    const anonymous = await startNode({ dev: false, directory: first.directory, env: { SERVICE_AUTH_ANONYMOUS_KEY: key.id } });
    const page = await open(anonymous);
    await page.locator(".hit").first().waitFor();
    assert.deepEqual(await roomsOf(page), ["Search", "Why"]);
    await page.getByRole("button", { name: "Sign in" }).click();
    await signIn(page, rootKey);
    await page.locator(".who", { hasText: "root key" }).waitFor();
    assert.deepEqual(await roomsOf(page), ["Search", "Why", "Tune", "Data", "Access", "Nodes"]);
    assert.deepEqual(page.faults, []);
  });

  it("rotates and revokes the key that is signed in", async () => {
    const { credential, key } = await node.call("POST", keys, { description: "rotates itself", grants: [{ permissions: ["keys.read", "keys.write"] }] });
    const page = await open(node, "#/access");
    await signIn(page, credential);
    const row = page.getByRole("row", { name: /rotates itself/ });
    await row.getByRole("button", { name: "Rotate" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Rotate" }).click();
    const next = await page.getByLabel("Credential", { exact: true }).innerText();
    await page.getByRole("button", { name: "I have saved it" }).click();
    assert.equal((await node.call("GET", "/v1alpha1/access", undefined, next)).key, key.id);
    await row.getByRole("button", { name: "Revoke" }).click(); // with the new credential
    await page.getByText("You are signed in with this key").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("heading", { name: "Sign in to this node" }).waitFor();
    assert.deepEqual(await page.evaluate(() => Object.values(sessionStorage)), []);
    assert.deepEqual(page.faults, []);
  });

  it("shows the next key nothing of what the last one saw", async () => {
    const reads = await node.call("POST", keys, { grants: [{ permissions: ["search"], indexes: ["catalogue"] }] });
    const other = await node.call("POST", keys, { description: "the next one", grants: [{ permissions: ["search"], indexes: ["nothing-like-it"] }, { permissions: ["keys.read"] }] });
    const page = await open(node);
    await signIn(page, reads.credential);
    await page.locator(".hit").first().waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    const asked = [];
    page.on("request", (request) => asked.push(request.url()));
    await signIn(page, other.credential);
    await page.getByRole("link", { name: "Access" }).click();
    await page.getByRole("row", { name: /the next one/ }).waitFor();
    assert.deepEqual(asked.filter((url) => url.includes("catalogue")), []);
    assert.deepEqual(page.faults, []);
  });

  for (const colorScheme of ["light", "dark"]) {
    it("has no axe violation, " + colorScheme, async () => {
      const page = await open(node, "#/access", { context: { colorScheme } });
      await signIn(page, rootKey);
      await page.getByRole("row", { name: /reads/ }).waitFor();
      assert.deepEqual(await axe(page), []);
      await page.getByRole("button", { name: "Create a key" }).click();
      assert.deepEqual(await axe(page), []);
    });
  }
});
