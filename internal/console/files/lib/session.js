// Who is signed in, and what they may do. Rooms show only what the key allows.

import { call, readKey, refusals, writeKey } from "./api.js";
import { batch, computed, signal } from "./dom.js";

/**
 * @typedef {{ permissions: string[], indexes: string[] }} Grant
 * @typedef {{ principal: string, key: string | null, expiresAt: string | null, grants: Grant[] }} Access
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

/** Names of indexes that grants spell out, for keys that may not list indexes. */
export const namedIndexes = computed(() => [...new Set((access.value?.grants ?? [])
  .filter((grant) => grant.permissions.includes("search"))
  .flatMap((grant) => grant.indexes.filter((pattern) => !pattern.endsWith("*"))))].sort());

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
}
