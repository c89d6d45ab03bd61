// No button is shown that the node would reject: keys with a single permission,
// with that permission and read access, and with the permissions of a role press
// every button they are shown.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { fill, open, signIn, startNode } from "./harness.js";
import { watchRequests } from "./requests.js";

const keys = "/v1alpha1/admin/keys";
const definition = { fields: { id: { type: "string", role: "id" }, title: { type: "string", role: "title" }, year: { type: "int32", filter: {} } } };
const documents = [{ id: "1", title: "Red lamp", year: 1 }, { id: "2", title: "Blue lamp", year: 2 }];

let node;
before(async () => {
  node = await startNode({ dev: false });
  await fill(node, "other", definition, documents, {});
});

/** Retries, because the server may close an idle connection just as it is reused. */
const again = (call) => call().catch(call);

/** Restores the index own, with two documents in a live generation and one generation that is not live, and returns whether a button had changed it. */
async function restore() {
  const { indexes } = await node.call("GET", "/v1alpha1/admin/indexes");
  const own = indexes.find((index) => index.name === "own");
  if (own?.liveGeneration === "1" && own.generations.map((g) => g.name).join() === "1,2") {
    await node.call("POST", "/v1alpha1/admin/indexes/own/actions/commit"); // make additions and deletions visible now, not at a later commit
    const kept = await node.call("GET", "/v1alpha1/indexes/own@1/documents");
    if (kept.documents.length === documents.length) return false;
  }
  if (own) await node.call("DELETE", "/v1alpha1/admin/indexes/own");
  await fill(node, "own", definition, documents, {});
  await node.call("PUT", "/v1alpha1/admin/indexes/own@2", definition);
  return true;
}

const typed = { Key: "1", Index: "own", "Document key": "1", "New field": "more", "Load into index": "own" };
let made = 0;

/** Fills in every required input. */
async function fillIn(scope) {
  for (const input of await scope.locator("input[required]:visible").all()) {
    if (await input.inputValue()) continue;
    const label = await input.evaluate((element) => element.labels[0].firstChild.textContent.trim());
    await input.fill(label === "Name" ? "own-new-" + ++made : typed[label] ?? assert.fail("nothing to write into " + label));
  }
  for (const area of await scope.locator("textarea[aria-label='Document as JSON']:visible").all()) {
    if ((await area.inputValue()) === "{}") await area.fill('{"id":"3","title":"Green lamp"}');
  }
}

// These only write to the clipboard, or choose a file.
const harmless = "^(curl|Go|TypeScript|Python|Copy.*|Choose a file|Dismiss|Close)$";

/** Presses every button of a place that was not pressed under the same tab before, and every button of the dialogs that these open. */
async function pressAll(page, place, quiet, pressed, done) {
  const dialog = page.locator("dialog[open]").last();
  /** Presses the last button not pressed yet, in one step: the buttons of a dialog come last. */
  const press = (selector, about) => page.evaluate(([where, prefix, seen, without]) => {
    const named = [...document.querySelectorAll(where)].filter((b) => b.checkVisibility()).map((b) => ({ button: b, name: b.getAttribute("aria-label") ?? b.innerText }));
    const next = named.findLast(({ name }) => !new RegExp(without).test(name) && !seen.includes(prefix + name));
    next?.button.click();
    return next?.name;
  }, [selector, about, [...done], harmless]);
  const show = async (hash) => {
    await page.evaluate((wanted) => (location.hash = wanted), "#/" + hash);
    await page.locator("main h1").first().waitFor({ state: "attached" });
    await quiet();
  };
  for (;;) {
    if (await again(restore)) await show("data"); // and back, so that the page reloads its data
    await show(place);
    const tab = (await page.locator("main [role=tab][aria-selected=true]").allInnerTexts()).join() + ": ";
    await fillIn(page.locator("main"));
    // Leave out the row of the signed-in key: revoking it signs out.
    const name = await press("main button:not([role=tab], tr:has(.tag.good) button):enabled", tab);
    if (name === undefined) return;
    pressed.push(name);
    await quiet();
    let asks = false;
    while (await dialog.count()) {
      asks = true;
      const about = name + " > " + (await dialog.getAttribute("aria-label")).split(" ")[0] + " > "; // without the name of its subject
      await fillIn(dialog);
      const inside = await press("dialog[open] .dialog-body button:enabled", about);
      if (inside === undefined) {
        done.add(tab + name);
        await page.keyboard.press("Escape");
      } else {
        done.add(about + inside);
        pressed.push(name + " > " + inside);
      }
      await quiet();
    }
    if (!asks) done.add(tab + name);
  }
}

const placesOf = {
  search: ["search?index=own&q=lamp"], why: ["why?index=own&key=1"], tune: ["tune?index=own"], access: ["access"], nodes: ["nodes"],
  data: ["data", "data?index=own&tab=Documents", "data?index=own&tab=Definition", "data?index=own&tab=Generations", "data?index=other"],
};

const reading = { permissions: ["search", "indexes.read", "documents.read"], indexes: ["own*"] };

/** The keys to test, from the table of permissions, and the buttons that some of them must be shown. */
function casesOf(permissions) {
  const ofDeployment = (permission) => /^(keys|registry)\./.test(permission);
  const grant = (permission, indexes = ["own*"]) => (ofDeployment(permission) ? { permissions: [permission] } : { permissions: [permission], indexes });
  const cases = [];
  for (const permission of permissions) cases.push(["may only " + permission, [grant(permission)], Object.keys(placesOf)]);
  for (const permission of permissions) {
    if (!reading.permissions.includes(permission)) cases.push(["reads and may " + permission, [reading, grant(permission)], ["tune", "data", ...(ofDeployment(permission) ? ["access", "nodes"] : [])]]);
  }
  for (const role of ["reader", "writer", "admin"]) cases.push(["has the role " + role, [{ role, indexes: ["*"] }], Object.keys(placesOf)]);
  for (const permission of ["search", "documents.read", "documents.write", "indexes.write", "settings.write"]) {
    cases.push(["lists every index and may " + permission + " on one", [{ permissions: ["indexes.read"], indexes: ["*"] }, grant(permission, ["own"])], ["search", "why", "tune", "data"]]);
  }
  return cases;
}

const shown = {
  "may only search": ["Show document", "Explain"], "may only documents.read": ["Open"], "may only documents.write": ["Add a document > Add document"], "may only documents.delete": ["Delete > Delete"],
  "may only indexes.write": ["Create an index > Create index"], "may only keys.write": ["Create a key > Create key"],
  "reads and may documents.write": ["1 > Save document"], "reads and may documents.delete": ["1 > Delete document"], "reads and may indexes.delete": ["Delete > Delete", "Delete index > Delete"],
  "reads and may indexes.promote": ["Promote"], "reads and may indexes.write": ["Edit definition", "Discard changes"], "reads and may settings.write": ["Save settings"],
  "has the role writer": ["Add a document > Add document", "1 > Delete document"], "has the role admin": ["Rotate > Rotate", "Revoke > Revoke", "Delete index > Delete"],
};

describe("buttons", () => {
  it("are never refused to the key that is shown them", async () => {
    const permissions = (await node.call("GET", "/v1alpha1/access")).grants.flatMap((grant) => grant.permissions);
    const page = await open(node);
    await page.getByRole("heading", { name: "Sign in to this node" }).waitFor();
    const quiet = watchRequests(page);
    const refused = [], hidden = [];
    let what = "";
    page.on("response", (response) => response.status() >= 400 && refused.push(what + ": " + response.status() + " " + response.request().method() + " " + response.url().replace(node.base, "")));
    for (const [name, grants, rooms] of casesOf(permissions)) {
      what = "a key that " + name;
      const { credential } = await node.call("POST", keys, { description: name, grants });
      await again(restore);
      await page.evaluate(() => (location.hash = "#/"));
      await signIn(page, credential);
      await page.getByRole("navigation", { name: "Rooms" }).waitFor();
      await quiet();
      const listed = await page.getByRole("navigation", { name: "Rooms" }).locator("li").allInnerTexts();
      const pressed = [];
      for (const room of listed.map((label) => label.toLowerCase())) {
        const done = new Set();
        if (rooms.includes(room)) for (const place of placesOf[room]) await pressAll(page, place, quiet, pressed, done);
      }
      for (const problem of await page.locator("main").getByRole("alert").allInnerTexts()) refused.push(what + " sees " + problem);
      for (const button of shown[name] ?? []) if (!pressed.includes(button)) hidden.push(what + ": " + button + " was not pressed, only " + pressed.join(", "));
      await page.getByRole("button", { name: "Sign out" }).click();
    }
    assert.deepEqual(refused, []);
    assert.deepEqual(hidden, []);
    assert.deepEqual(page.faults, []);
  });
});
