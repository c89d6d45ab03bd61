// Room 6, and what every room does when the node is slow, unreachable or empty.

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { axe, fillDemo, hold, open, rootKey, signIn, startBucket, startNode } from "./harness.js";

let node;
before(async () => {
  node = await startNode({ env: { SERVICE_METRICS_INDEX_INTERVAL: "1s" } });
});

describe("nodes", () => {
  it("cancels loading the demo catalogue and leaves nothing behind", async () => {
    const page = await open(node);
    const release = await hold(page, "**/indexes/catalogue/documents");
    await page.getByRole("button", { name: "Load the demo catalogue" }).click();
    await page.getByRole("progressbar", { name: "Adding documents…" }).waitFor();
    assert.deepEqual(await axe(page), []);
    const [cancelled] = await Promise.all([page.waitForEvent("requestfailed"), page.getByRole("button", { name: "Cancel" }).click()]);
    assert.match(cancelled.url(), /catalogue\/documents$/);
    await page.getByRole("button", { name: "Load the demo catalogue" }).waitFor();
    assert.deepEqual((await node.call("GET", "/v1alpha1/admin/indexes")).indexes, []);
    await release();
    assert.deepEqual(page.faults, []);
  });

  it("greets on an empty node and loads the demo catalogue", async () => {
    const page = await open(node);
    await page.getByRole("heading", { name: "Nothing to search yet" }).waitFor();
    assert.deepEqual(await axe(page), []);
    await page.getByRole("button", { name: "Load the demo catalogue" }).click();
    await page.locator(".summary strong", { hasText: "336 hits" }).waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("says how the node is, draws charts, and says why there is no audit", async () => {
    const page = await open(node, "#/nodes");
    await page.getByText("This node is healthy").waitFor();
    for (let i = 0; i < 5; i++) await node.call("POST", "/v1alpha1/indexes/catalogue/search", {});
    await page.waitForFunction(() => /: [1-9]|: 0\.[1-9]/.test(document.querySelector("[aria-label^='Searches per second']").getAttribute("aria-label")));
    assert.equal(await page.locator("canvas").count(), 6);
    await page.getByText("This node keeps its data in its own directory").waitFor();
    assert.equal(await page.getByRole("button", { name: "Compare the registry with the storage" }).count(), 0);
    assert.deepEqual(page.faults, []);
  });

  it("draws charts in the colours of the theme that is chosen", async () => {
    const page = await open(node, "#/nodes", { context: { colorScheme: "light" } });
    const chart = page.locator(".chart", { hasText: "Memory" });
    /** Waits until the chart has a line of the colour that a property has in a theme. */
    const drawn = () => page.waitForFunction(() => {
      const of = (/** @type {string} */ name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      const [r, g, b] = of("--c1").slice(1).match(/../g).map((part) => parseInt(part, 16));
      const canvas = [...document.querySelectorAll(".chart")].find((c) => c.textContent.includes("Memory"))?.querySelector("canvas");
      if (!canvas?.width) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let at = 0; at < data.length; at += 4) if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) return true;
      return false;
    }, undefined, { polling: 200 });
    await chart.locator("canvas").waitFor();
    await drawn();
    await page.getByRole("button", { name: "Theme: auto" }).click();
    await page.getByRole("button", { name: "Theme: light" }).click();
    await page.getByRole("button", { name: "Theme: dark" }).waitFor();
    await drawn();
    assert.deepEqual(page.faults, []);
  });

  it("keeps what is shown while an answer is slow, and cancels it", async () => {
    const page = await open(node, "#/search?index=catalogue&q=tent");
    await page.locator(".hit mark").first().waitFor();
    const release = await hold(page, "**/search");
    await page.getByRole("searchbox", { name: "Search" }).fill("stov");
    await page.locator(".results[aria-busy=true]").getByRole("progressbar", { name: "Searching…" }).waitFor();
    assert.ok((await page.locator(".hit").count()) > 0);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.locator(".results[aria-busy=false]").waitFor();
    assert.ok((await page.locator(".hit").count()) > 0);
    await page.getByRole("searchbox", { name: "Search" }).fill("stove");
    await page.locator(".results[aria-busy=true]").waitFor();
    await release();
    await page.locator(".hit", { hasText: "stove" }).first().waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("says that the node is gone, and goes on when it is back", async () => {
    const own = await startNode();
    await fillDemo(own);
    const page = await open(own, "#/search?index=catalogue");
    await page.locator(".hit").first().waitFor();
    await own.stop();
    await page.getByRole("searchbox", { name: "Search" }).fill("tent");
    await page.getByText("The node is not responding. Retrying").waitFor();
    await page.getByRole("alert").getByText("node:gone").waitFor();
    await startNode({ port: own.port, directory: own.directory });
    await page.getByText("The node is not responding. Retrying").waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: "Search" }).fill("tent ");
    await page.locator(".hit mark").first().waitFor();
    assert.deepEqual(page.faults, []);
  });

  it("shows owners, previews a repair, cancels it, and restores a removed index", async () => {
    const bucket = await startBucket();
    const own = await startNode({ dev: false, env: bucket });
    await fillDemo(own);
    const page = await open(own, "#/nodes");
    await signIn(page, rootKey);
    await page.getByRole("region", { name: "Owners and jobs" }).getByRole("row", { name: /catalogue/ }).waitFor();
    await own.call("DELETE", "/v1alpha1/admin/indexes/catalogue");
    await page.getByRole("button", { name: "Compare the registry with the storage" }).click();
    await page.getByText("Nothing to repair.").waitFor();
    await page.getByRole("checkbox", { name: "catalogue" }).check();
    await page.getByText("Create index catalogue").waitFor();
    await page.getByRole("checkbox", { name: "Promote the newest generation" }).check();
    await page.getByText("Promote catalogue@1").waitFor();
    const release = await hold(page, "**/actions/repair");
    await page.getByRole("button", { name: "Repair registry" }).click();
    await page.getByRole("progressbar", { name: "Repairing…" }).waitFor();
    const [cancelled] = await Promise.all([page.waitForEvent("requestfailed"), page.getByRole("button", { name: "Cancel" }).click()]);
    assert.match(cancelled.url(), /actions\/repair$/);
    await release();
    assert.deepEqual((await own.call("GET", "/v1alpha1/admin/indexes")).indexes, []);
    const releaseAudit = await hold(page, "**/registry/audit");
    await page.getByRole("button", { name: "Compare the registry with the storage" }).click();
    await page.getByRole("progressbar", { name: "Comparing…" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await releaseAudit();
    await page.getByRole("button", { name: "Compare the registry with the storage" }).click();
    await page.getByText("Promote catalogue@1").waitFor(); // the ticked boxes stay ticked
    await page.getByRole("button", { name: "Repair registry" }).click();
    await page.getByText("Nothing to repair.").waitFor();
    assert.deepEqual((await own.call("GET", "/v1alpha1/admin/indexes")).indexes.map((i) => i.name + "@" + i.liveGeneration), ["catalogue@1"]);
    assert.deepEqual(page.faults, []);
  });

  for (const colorScheme of ["light", "dark"]) {
    it("has no axe violation, " + colorScheme, async () => {
      const page = await open(node, "#/nodes", { context: { colorScheme } });
      await page.getByText("This node is healthy").waitFor();
      await page.locator("canvas").first().waitFor();
      assert.deepEqual(await axe(page), []);
    });
  }
});
