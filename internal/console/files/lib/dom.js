// What every module of the console renders with: Preact through htm, hooks and
// signals, and a few helpers that give event handlers their types.

import { h, render } from "../vendor/preact.js";
import htm from "../vendor/htm.js";

export { h, render };
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/hooks.js";
export { batch, computed, effect, signal, useComputed, useSignal, useSignalEffect } from "../vendor/signals.js";

export const html = htm.bind(h);

/** @typedef {import("../vendor/preact.js").ComponentChildren} Children */

/**
 * text returns a handler that passes the value of an input to set.
 * @param {(value: string) => void} set
 */
export const text = (set) => (/** @type {any} */ event) => set(event.currentTarget.value);

/**
 * checked returns a handler that passes the state of a check box to set.
 * @param {(value: boolean) => void} set
 */
export const checked = (set) => (/** @type {any} */ event) => set(event.currentTarget.checked);

/**
 * submit returns a handler that runs an action instead of submitting the form.
 * @param {() => void} action
 */
export const submit = (action) => (/** @type {Event} */ event) => {
  event.preventDefault();
  action();
};

/**
 * keys returns a handler that runs the action bound to the pressed key.
 * @param {Record<string, (event: KeyboardEvent) => void>} bound
 */
export const keys = (bound) => (/** @type {KeyboardEvent} */ event) => {
  const name = (event.ctrlKey || event.metaKey ? "Ctrl+" : "") + event.key;
  const action = bound[name];
  if (action) action(event);
};

/** @param {unknown[]} names */
export const classes = (...names) => names.filter(Boolean).join(" ");
