// Files dragged over the page. They can be dropped anywhere; the Data room
// loads them.

import { html, signal, useEffect, useState } from "./dom.js";
import { go, room } from "./place.js";
import { announce } from "./ui.js";

/** The file dropped or chosen last, until it is put away. */
export const waiting = signal(/** @type {File | null} */ (null));

/** Whether a file is being loaded; another one must wait. */
export const busy = signal(false);

/** @param {File | undefined} file */
function take(file) {
  if (!file) return;
  if (busy.value) {
    announce("A file is already loading. Drop this one when it is done.");
    return;
  }
  waiting.value = file;
  if (room.value.id !== "data") go("data");
}

/** Accepts dropped files, and shows a hint while one is dragged over the page. */
export function DropAnywhere() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    let depth = 0; // number of elements entered and not yet left
    const aborted = new AbortController();
    const on = (/** @type {"dragenter" | "dragover" | "dragleave" | "drop"} */ name, /** @type {(event: DragEvent) => void} */ act) =>
      document.addEventListener(name, (event) => {
        if (!event.dataTransfer?.types.includes("Files")) return;
        event.preventDefault();
        act(event);
      }, { signal: aborted.signal });
    on("dragenter", () => { depth++; setOver(true); });
    on("dragover", () => {});
    on("dragleave", () => { depth = Math.max(0, depth - 1); setOver(depth > 0); });
    on("drop", (event) => {
      depth = 0;
      setOver(false);
      take(event.dataTransfer?.files[0]);
    });
    return () => aborted.abort();
  }, []);
  return over ? html`<div class="drop-anywhere" role="status"><p><strong>Drop the file</strong> to make it searchable</p><p>CSV, TSV, JSON or NDJSON, optionally gzipped</p></div>` : null;
}
