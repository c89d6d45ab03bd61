// Who is signed in and what they may do. Rooms show only what the key allows.

import { call, readKey, refusals, writeKey } from "./api.js";
import { batch, signal } from "./dom.js";

/**
 * @typedef {{ permissions: string[], indexes: string[] }} Grant
 * @typedef {{ principal: string, key: string | null, expiresAt: string | null, grants: Grant[], storageMode: "local" | "object" }} Access
 */

/** What the key may do; null before sign-in. */
export const access = signal(/** @type {Access | null} */ (null));

/** Whether the node has answered the first request. */
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

/** Returns the patterns of the indexes on which the key holds a permission. @param {string} permission */
export const patternsOf = (permission) => [...new Set((access.value?.grants ?? []).filter((grant) => grant.permissions.includes(permission)).flatMap((grant) => grant.indexes))].sort();

/** Returns the index names that grants of a permission spell out, for keys that may not list indexes. @param {string} permission */
export const namesOf = (permission) => patternsOf(permission).filter((pattern) => !pattern.endsWith("*"));

/** Whether there is a bucket to compare the registry with; a node with its own directory has none. */
export const hasBucket = () => access.value?.storageMode === "object";

/**
 * signIn tries a key; with an empty one it asks whether the node requires a key at
 * all. It throws a Problem if the key is rejected.
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

/** Signs in with the key of this tab, else without a key. */
export async function resume() {
  for (const key of [...new Set([readKey(), ""])]) {
    try {
      await signIn(key);
      break;
    } catch {
      // Try the next one, or show the sign-in page.
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

/** Registers a function that clears what the last key was shown, so that the next key does not see it. @param {() => void} forget */
export const onSignOut = (forget) => void forgetting.push(forget);
