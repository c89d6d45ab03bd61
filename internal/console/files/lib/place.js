// Where the user is: the room and its parameters, in the fragment of the
// address, which no request carries. Keys are never part of it.

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

/** Notes parameters without a new entry in the history. @param {string} id @param {Record<string, string>} params */
export function note(id, params) {
  history.replaceState(null, "", address(id, params));
}
