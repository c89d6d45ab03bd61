// Access: lists keys and what each may do, and creates new ones.

import { call, get, post, writeKey } from "../lib/api.js";
import { checked, html, submit, text, useEffect, useState } from "../lib/dom.js";
import { access, can, signOut } from "../lib/session.js";
import { announce, Confirm, CopyButton, Dialog, Empty, ProblemView, useWork, when } from "../lib/ui.js";

const keysPath = "/v1alpha1/admin/keys";

/** The permissions of the API, and whether each applies to indexes. */
const permissions = /** @type {const} */ ([
  ["search", true], ["documents.read", true], ["documents.write", true], ["documents.delete", true], ["indexes.read", true], ["indexes.write", true],
  ["indexes.delete", true], ["indexes.promote", true], ["indexes.commit", true], ["indexes.pull", true], ["indexes.reindex", true], ["settings.write", true],
  ["keys.read", false], ["keys.write", false], ["registry.audit", false], ["registry.repair", false],
]);

const roles = { reader: ["search", "indexes.read"], writer: ["search", "indexes.read", "documents.read", "documents.write", "documents.delete", "indexes.commit"], admin: permissions.map(([name]) => name) };

/** Returns the patterns on which a key holds a permission; null if it holds it nowhere. @param {any} key @param {string} permission @returns {string[] | null} */
function held(key, permission) {
  const grants = key.grants.filter((/** @type {any} */ g) => g.permissions.includes(permission));
  return grants.length ? [...new Set(/** @type {string[]} */ (grants.flatMap((/** @type {any} */ g) => g.indexes)))].sort() : null;
}

/** @param {any} key */
const lapsed = (key) => key.expiresAt && new Date(key.expiresAt) <= new Date();

/** @param {{ secret: { credential: string, key: any }, onClose: () => void }} props */
const Secret = ({ secret, onClose }) => html`<${Dialog} title="New credential" onClose=${onClose}>
  <p>This credential is shown only once. Keep it where you keep secrets; the node stores only a hash.</p>
  <pre class="secret" tabindex="0" aria-label="Credential">${secret.credential}</pre>
  <div class="actions"><${CopyButton} class="primary" label="Copy credential" value=${() => secret.credential} /><button type="button" onClick=${onClose}>I have saved it</button></div>
</${Dialog}>`;

/** @param {{ onMade: (made: any) => void, onClose: () => void }} props */
function NewKey({ onMade, onClose }) {
  const [description, setDescription] = useState("");
  const [patterns, setPatterns] = useState("*");
  const [chosen, setChosen] = useState(/** @type {string[]} */ (roles.reader));
  const [expires, setExpires] = useState("");
  const { doing, problem, run } = useWork();
  const role = Object.entries(roles).find(([, list]) => list.length === chosen.length && list.every((p) => chosen.includes(p)))?.[0] ?? "";
  const ofIndexes = chosen.filter((p) => permissions.some(([name, index]) => name === p && index));
  const others = chosen.filter((p) => !ofIndexes.includes(p));
  /** @type {{ permissions: string[], indexes?: string[] }[]} */
  const grants = [...(ofIndexes.length ? [{ permissions: ofIndexes, indexes: patterns.split(",").map((p) => p.trim()).filter(Boolean) }] : []), ...(others.length ? [{ permissions: others }] : [])];
  // Not cancelled: the response alone holds the credential.
  const create = () => run("Creating…", async () => onMade((await post(keysPath, { description, grants, ...(expires ? { expiresAt: new Date(expires).toISOString() } : {}) })).body));
  return html`<${Dialog} wide title="Create a key" onClose=${onClose}><form class="stack" onSubmit=${submit(create)}>
    <${ProblemView} problem=${problem} />
    <div class="form-row"><label class="over">Description <input value=${description} onInput=${text(setDescription)} autofocus /></label>
      <label class="over">Role <select value=${role} onChange=${text((v) => v in roles && setChosen(roles[/** @type {keyof typeof roles} */ (v)]))}><option value="">Custom</option>${Object.keys(roles).map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select></label>
      <label class="over">Indexes <input value=${patterns} onInput=${text(setPatterns)} placeholder="shop*, books" /></label>
      <label class="over">Expires <input type="datetime-local" value=${expires} onInput=${text(setExpires)} /></label></div>
    <fieldset class="ticks"><legend class="hidden">Permissions</legend>${permissions.map(([name]) => html`<label key=${name}><input type="checkbox" checked=${chosen.includes(name)} onChange=${checked((on) => setChosen(on ? [...chosen, name] : chosen.filter((p) => p !== name)))} />${name}</label>`)}</fieldset>
    <div class="actions"><button class="primary" disabled=${Boolean(doing) || !grants.length || grants.some((grant) => grant.indexes?.length === 0)}>Create key</button></div></form></${Dialog}>`;
}

export default function Access() {
  const [list, setList] = useState(/** @type {any} */ (null));
  const [problem, setProblem] = useState(/** @type {unknown} */ (null));
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState(/** @type {any} */ (null));
  const [revoking, setRevoking] = useState(/** @type {any} */ (null));
  const [rotating, setRotating] = useState(/** @type {any} */ (null));
  const work = useWork();
  const mayList = can("keys.read");
  const read = async () => {
    if (mayList) await get(keysPath).then((got) => { setList(got.body); setProblem(null); }, setProblem);
  };
  useEffect(() => void read(), []);
  const may = can("keys.write");
  const own = access.value?.key;
  const made = (/** @type {any} */ answer) => {
    if (answer.key.id === own) writeKey(answer.credential); // the credential of this tab no longer works
    setMaking(false);
    setRotating(null);
    setSecret(answer);
    void read();
  };
  const rotate = () => work.run("Rotating…", async () => {
    try {
      made((await post(keysPath + "/" + rotating.id + "/actions/rotate")).body);
    } finally {
      setRotating(null);
    }
  });
  const revoke = () => work.run("Revoking…", async () => {
    try {
      await call("DELETE", keysPath + "/" + revoking.id);
    } finally {
      setRevoking(null);
    }
    announce("Key revoked.");
    if (revoking.id === own) signOut();
    else await read();
  });
  const keys = list?.keys ?? [];
  /** Returns why the node would refuse to revoke a key; empty if it would not. @param {any} key */
  const kept = (key) => {
    if (key.id === list.anonymousKey) return "Requests without a credential use this key, so it cannot be revoked.";
    const manages = (/** @type {any} */ k) => held(k, "keys.write") && !lapsed(k);
    if (!list.rootKeyConfigured && access.value?.principal !== "unchecked" && held(key, "keys.write") && !keys.some((/** @type {any} */ k) => k.id !== key.id && manages(k))) return "No other key can manage keys, so this one cannot be revoked.";
    return "";
  };
  return html`<div class="room"><div class="room-head"><div><p class="eyebrow">Access</p><h1>Keys</h1></div><span class="grow"></span>
      ${may && html`<button type="button" class="primary" onClick=${() => setMaking(true)}>Create a key</button>`}</div>
    ${list && html`<p class="hint">${list.rootKeyConfigured ? "This node has a root key." : access.value?.principal === "unchecked" ? "This node does not check credentials. Keys take effect once it does." : "This node has no root key."}
      ${list.anonymousKey ? html` Requests without a credential use <code>${list.anonymousKey}</code>.` : " Requests without a credential are " + (access.value?.principal === "unchecked" ? "then " : "") + "rejected."}</p>`}
    <${ProblemView} problem=${work.problem ?? problem} onClose=${() => { work.setProblem(null); setProblem(null); }} />
    ${!mayList ? html`<${Empty} title="Keys cannot be listed"><p>This key can create keys but cannot list them.</p></${Empty}>` : list && !keys.length ? html`<${Empty} title="No keys yet"><p>A key gives access to this node. Its grants set the permissions, and the indexes they apply to.${may ? " Create a key to begin." : ""}</p></${Empty}>` : html`<div class="table matrix" tabindex="0" role="region" aria-label="Keys and their permissions"><table>
      <thead><tr><th scope="col">Key</th>${permissions.map(([name]) => html`<th scope="col" key=${name}><span>${name}</span></th>`)}<th scope="col">Actions</th></tr></thead>
      <tbody>${keys.map((/** @type {any} */ key) => html`<tr key=${key.id}><th scope="row"><code>${key.id}</code>${key.id === own && html` <span class="tag good">you</span>`}${key.id === list.anonymousKey && html` <span class="tag">anonymous</span>`}
          <div class="key-for" dir="auto">${key.description}</div><div class="hint">${lapsed(key) ? html`<span class="tag bad">expired ${when(key.expiresAt)}</span>` : key.expiresAt ? "expires " + when(key.expiresAt) : "never expires"}</div></th>
        ${permissions.map(([name, ofIndex]) => {
          const on = held(key, name);
          return html`<td key=${name} class=${on ? "held" : ""}>${on ? (ofIndex ? html`<span class="patterns">${on.map((pattern) => html`<span key=${pattern}>${pattern}</span> `)}</span>` : html`<span class="patterns">yes</span>`) : html`<span class="hidden">no</span>`}</td>`;
        })}
        <td><span class="tags">${may && html`<button type="button" onClick=${() => setRotating(key)}>Rotate</button>${kept(key) ? html`<span class="hint">${kept(key)}</span>` : html`<button type="button" class="danger" onClick=${() => setRevoking(key)}>Revoke</button>`}`}</span></td></tr>`)}</tbody></table></div>`}
    ${making && html`<${NewKey} onMade=${made} onClose=${() => setMaking(false)} />`}
    ${secret && html`<${Secret} secret=${secret} onClose=${() => setSecret(null)} />`}
    ${rotating && html`<${Confirm} title=${"Rotate " + rotating.id + "?"} action="Rotate" doing=${work.doing} onClose=${() => setRotating(null)} onConfirm=${rotate}>
      <p>The current credential stops working immediately.${rotating.id === own ? " This tab switches to the new one." : ""}</p></${Confirm}>`}
    ${revoking && html`<${Confirm} title=${"Revoke " + revoking.id + "?"} action="Revoke" doing=${work.doing} onClose=${() => setRevoking(null)} onConfirm=${revoke}><p>Requests that use it will be rejected. A revoked key cannot be restored.</p>${revoking.id === own && html`<p>You are signed in with this key and will be signed out.</p>`}</${Confirm}>`}
  </div>`;
}
