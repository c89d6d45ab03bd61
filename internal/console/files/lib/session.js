// Who is signed in, and what they may do. Rooms show only what the key allows.

import { call, readKey, refusals, writeKey } from "./api.js";
import { batch, signal } from "./dom.js";

/**
 * @typedef {{ permissions: string[], indexes: string[] }} Grant
 * @typedef {{ principal: string, key: string | null, expiresAt: string | null, grants: Grant[], storageMode: "local" | "object" }} Access
 */

/** What the key may do; null before sign-in. */
export const access = signal(/** @type {Access | null} */ (null));

/** Whether the first question to the node has been answered. */
export const asked = signal(false);

const deployment = new Set(["keys.read", "keys.write", "registry.audit", "registry.repair"]);

/** @param {string} pattern @param {string} name */
const matches = (pattern, name) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name);

/**
 * can reports whether the key holds a permission on an index or index@generation.
 * @param {string} permission
 * @param {string} [name]
 */
export function can(permission, name = "") {
  return (access.value?.grants ?? []).some((grant) => grant.permissions.includes(permission) &&
    (deployment.has(permission) || grant.indexes.some((pattern) => matches(pattern, name))));
}

/** @param {string} permission */
export const canSomewhere = (permission) => (access.value?.grants ?? []).some((grant) => grant.permissions.includes(permission));

/** Patterns of the indexes on which the key holds a permission. @param {string} permission */
export const patternsOf = (permission) => [...new Set((access.value?.grants ?? []).filter((grant) => grant.permissions.includes(permission)).flatMap((grant) => grant.indexes))].sort();

/** Names of indexes that grants of a permission spell out, for keys that may not list indexes. @param {string} permission */
export const namesOf = (permission) => patternsOf(permission).filter((pattern) => !pattern.endsWith("*"));

/** Whether the registry can be compared with a bucket; a node with a directory of its own has nothing to compare. */
export const hasBucket = () => access.value?.storageMode === "object";

/**
 * signIn tries a key; an empty one asks whether the node needs none. It throws
 * the Problem of a key that is refused.
 * @param {string} key
 */
export async function signIn(key) {
  const answer = await call("GET", "/v1alpha1/access", { key });
  writeKey(key);
  batch(() => {
    refusals.value = 0;
    access.value = answer.body;
  });
}

/** Asks with the key of this tab, then without any. */
export async function resume() {
  for (const key of [...new Set([readKey(), ""])]) {
    try {
      await signIn(key);
      break;
    } catch {
      // The next one, or the page to sign in.
    }
  }
  asked.value = true;
}

export function signOut() {
  writeKey("");
  access.value = null;
  for (const forget of forgetting) forget();
}

const forgetting = /** @type {(() => void)[]} */ ([]);

/** Registers what forgets the answers of the last key, so that the next one does not see them. @param {() => void} forget */
export const onSignOut = (forget) => void forgetting.push(forget);
