// Where the user is: the room and its parameters, kept in the fragment of the
// URL, which is never sent in requests. Keys are never part of it.

import { signal } from "./dom.js";

/** @typedef {{ id: string, params: URLSearchParams }} Place */

/** @returns {Place} */
function read() {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { id: path, params: new URLSearchParams(query) };
}

export const room = signal(read());

addEventListener("hashchange", () => (room.value = read()));

/** @param {string} id @param {Record<string, string>} params */
export function address(id, params = {}) {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ""));
  return "#/" + id + (query.size ? "?" + query : "");
}

/** Opens a room. @param {string} id @param {Record<string, string>} [params] */
export function go(id, params) {
  location.hash = address(id, params);
}

/** Updates the URL without adding a history entry. @param {string} id @param {Record<string, string>} params */
export function note(id, params) {
  history.replaceState(null, "", address(id, params));
}
