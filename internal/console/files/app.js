// The shell: sign-in, navigation, and the room that is open.

import { reachable, readKey, refusals } from "./lib/api.js";
import { batch, computed, effect, html, render, signal, submit, text, useEffect, useState } from "./lib/dom.js";
import { DropAnywhere } from "./lib/dragging.js";
import { listIndexes, listed } from "./lib/indexes.js";
import { room } from "./lib/place.js";
import { access, asked, can, canSomewhere, resume, signIn, signOut } from "./lib/session.js";
import { announced, Icon, ProblemView } from "./lib/ui.js";

/** @typedef {{ id: string, label: string, icon: any, shown: () => boolean, load: () => Promise<any> }} Room */

/** @type {Room[]} */
const rooms = [
  { id: "search", label: "Search", icon: "search", shown: () => canSomewhere("search"), load: () => import("./rooms/search.js") },
  { id: "why", label: "Why", icon: "why", shown: () => canSomewhere("search"), load: () => import("./rooms/why.js") },
  { id: "tune", label: "Tune", icon: "tune", shown: () => ["settings.write", "indexes.read", "search"].every(canSomewhere), load: () => import("./rooms/tune.js") },
  { id: "data", label: "Data", icon: "data", shown: () => ["indexes.read", "indexes.write", "documents.read", "documents.write", "documents.delete"].some(canSomewhere), load: () => import("./rooms/data.js") },
  { id: "access", label: "Access", icon: "access", shown: () => can("keys.read") || can("keys.write"), load: () => import("./rooms/access.js") },
  { id: "nodes", label: "Nodes", icon: "nodes", shown: () => canSomewhere("indexes.read") || can("registry.audit"), load: () => import("./rooms/nodes.js") },
];

const loaded = signal(/** @type {Record<string, any>} */ ({}));
const failed = signal(/** @type {unknown} */ (null));

const themes = ["auto", "light", "dark"];
const theme = signal("auto");
effect(() => {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

function SignIn() {
  const [key, setKey] = useState("");
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [busy, setBusy] = useState(false);
  const enter = async () => {
    setBusy(true);
    try {
      await signIn(key.trim());
      setProblem(null);
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return html`<main class="sign-in"><form onSubmit=${submit(enter)}>
    <p class="wordmark"><img src="icon.svg" alt="" width="40" height="40" />Quire</p>
    <h1>Sign in to this node</h1>
    <label for="key">API key or root key</label>
    <input id="key" type="password" autocomplete="off" autofocus required value=${key} onInput=${text(setKey)} />
    <p class="hint">The key is kept only in this tab and is gone when you close it.</p>
    <button class="primary" disabled=${busy}>${busy ? "Signing in…" : "Sign in"}</button>
    <${ProblemView} problem=${problem} />
  </form></main>`;
}

const who = () => {
  const held = access.value;
  if (!held) return "";
  return { root: "root key", unchecked: "no key required", anonymous: "anonymous", key: "key " + held.key }[held.principal] ?? held.principal;
};

/** Shown for a key whose permissions are useful only to programs. */
const Nothing = () => html`<div class="empty"><h1>Nothing to show for this key</h1>
  <p>Permissions of this key: ${[...new Set((access.value?.grants ?? []).flatMap((grant) => grant.permissions))].sort().join(", ") || "none"}. Sign in with a key that can search, read or write documents, read or create indexes, manage keys, or audit the registry.</p></div>`;

function Shell() {
  const open = rooms.filter((r) => r.shown());
  const current = open.find((r) => r.id === room.value.id) ?? open[0];
  useEffect(() => {
    if (!current || loaded.value[current.id]) return;
    current.load().then((module) => (loaded.value = { ...loaded.value, [current.id]: module.default }), (error) => (failed.value = error));
  }, [current?.id]);
  useEffect(() => {
    document.title = current ? current.label + " · Quire" : "Quire";
  }, [current?.id]);
  const Content = current && loaded.value[current.id];
  return html`<div class="shell">
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to content</a>
    <nav class="rail" aria-label="Rooms">
      <a class="wordmark" href="#/" aria-label="Quire"><img src="icon.svg" alt="" width="28" height="28" /><span>Quire</span></a>
      <ul>${open.map((r) => html`<li key=${r.id}><a href=${"#/" + r.id} aria-current=${r === current ? "page" : undefined}><${Icon} name=${r.icon} /><span>${r.label}</span></a></li>`)}</ul>
      <div class="rail-foot">
        <button type="button" class="quiet" onClick=${() => (theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "auto")}
          aria-label=${"Theme: " + theme.value}><${Icon} name="theme" /><span>${theme.value}</span></button>
        <p class="who" title=${access.value?.expiresAt ? "Expires " + access.value.expiresAt : ""}>${who()}</p>
        ${access.value?.principal === "anonymous" && html`<button type="button" class="quiet" aria-label="Sign in" onClick=${signOut}><${Icon} name="access" /><span>Sign in</span></button>`}
        ${readKey() && html`<button type="button" class="quiet" aria-label="Sign out" onClick=${signOut}><${Icon} name="out" /><span>Sign out</span></button>`}
      </div>
    </nav>
    <main id="main" tabindex="-1">
      ${!reachable.value && html`<div class="banner" role="status">The node is not responding. Retrying every second…</div>`}
      <${ProblemView} problem=${failed.value} onClose=${() => (failed.value = null)} />
      ${Content ? html`<${Content} key=${current.id} />` : current ? html`<p class="loading">Loading…</p>` : html`<${Nothing} />`}
    </main>
    ${canSomewhere("documents.write") && html`<${DropAnywhere} />`}
  </div>`;
}

function App() {
  if (!asked.value) return html`<p class="loading">Connecting to the node…</p>`;
  if (!access.value) return html`<${SignIn} />`;
  return html`<${Shell} />`;
}

const Notice = () => html`<div class=${announced.value ? "notice" : "notice empty"} role="status" aria-live="polite">${announced.value}</div>`;

effect(() => {
  if (refusals.value > 0 && access.value) batch(signOut);
});

// Reload the list whenever a room opens, so that it shows what other users changed.
const place = computed(() => room.value.id);
effect(() => {
  if (!access.value || place.value === undefined) return;
  listIndexes().catch((error) => {
    failed.value = error;
    listed.value = true;
  });
});

render(html`<${App} /><${Notice} />`, document.body);
void resume();
