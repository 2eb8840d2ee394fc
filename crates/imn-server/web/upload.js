// Choosing or dropping a file, its options, and the upload.

import { createJob } from "./api.js";
import { columnsOf } from "./columns.js";
import { button, byId, element } from "./dom.js";
import { percent, size } from "./format.js";
import { Problem } from "./problems.js";

/** @typedef {import("./types.js").Job} Job */

/** @type {[string, string][]} */
const FORMATS = [
  ["", "from the file name"],
  ["csv", "CSV"],
  ["tsv", "TSV"],
  ["jsonl", "JSON lines"],
  ["parquet", "Parquet"],
  ["txt", "text, one review per line"],
  ["whole", "text, one review per file"],
];

export class UploadForm {
  maxBytes = Infinity;
  #place = byId("upload", HTMLElement);
  #input = element("input", "visually-hidden");
  #staged = element("div", "staged");
  #problem = new Problem(element("div", "notice error"));

  /**
   * @param {import("./models.js").Models} models
   * @param {(job: Job) => void} oncreated
   */
  constructor(models, oncreated) {
    this.models = models;
    this.oncreated = oncreated;
    this.#input.type = "file";
    this.#input.id = "file";
    this.#input.accept = ".csv,.tsv,.jsonl,.ndjson,.parquet,.txt,.gz,.zst";
    this.#input.addEventListener("change", () => {
      const file = this.#input.files?.[0];
      // Choosing the same file again must be a change, too.
      if (file) this.stage(file).then(() => (this.#input.value = ""));
    });
    const choose = element("label", "button primary", "Choose a file");
    choose.htmlFor = this.#input.id;
    const zone = element(
      "div",
      "zone",
      element("p", "zone-title", "Choose a file of reviews, or drop it anywhere on this page"),
      element("p", "note", "CSV, TSV, JSON lines, Parquet or text; also .gz and .zst"),
      this.#input,
      choose,
    );
    const { place } = this.#problem;
    place.setAttribute("role", "alert");
    place.hidden = true;
    this.#staged.hidden = true;
    this.#place.append(zone, place, this.#staged);
  }

  /** @param {string} words */
  refuse(words) {
    this.#problem.say(words);
  }

  /** Shows a file and its options; nothing is sent yet. @param {File} file */
  async stage(file) {
    this.#problem.clear();
    this.#staged.hidden = true;
    if (file.size > this.maxBytes) {
      const limit = size(this.maxBytes);
      return this.refuse(`This file has ${size(file.size)}; the server accepts ${limit}.`);
    }
    if (file.size === 0) return this.refuse("This file is empty.");
    let columns;
    try {
      columns = await columnsOf(file);
    } catch {
      return this.refuse("The browser cannot read this file. Is it a folder?");
    }
    const form = element("form");
    const name = element("span", "file-name", file.name);
    name.dir = "auto";
    const format = element("select");
    format.append(...FORMATS.map(([value, label]) => new Option(label, value)));
    const column = columnField(columns);
    const send = element("button", "primary", "Analyse");
    send.type = "submit";
    const discard = button("Discard", () => {
      this.#staged.hidden = true;
      this.#input.focus();
    });
    form.append(
      element("p", "staged-name", name, " ", element("span", "note", size(file.size))),
      element(
        "div",
        "options",
        element("label", "", "Column with the text", column),
        element("label", "", "Format", format),
      ),
      element("p", "row", send, discard),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send(file, { column: column.value.trim(), format: format.value });
    });
    this.#staged.replaceChildren(form);
    this.#staged.hidden = false;
    send.focus();
  }

  /** @param {File} file @param {Record<string, string>} chosen */
  async #send(file, chosen) {
    const given = Object.entries({ ...chosen, ...this.models.choice() });
    const options = Object.fromEntries(given.filter(([, value]) => value !== ""));
    const form = this.#staged.firstElementChild;
    const bar = element("progress");
    bar.max = file.size;
    bar.setAttribute("aria-label", "Upload");
    const note = element("span", "note", "Uploading");
    const upload = new AbortController();
    const cancel = button("Cancel", () => upload.abort());
    const name = element("p", "staged-name", element("span", "file-name", file.name));
    this.#staged.replaceChildren(name, bar, element("p", "row", cancel, note));
    this.#problem.clear();
    cancel.focus();
    try {
      const job = await createJob(
        file,
        options,
        (sent) => {
          bar.value = sent;
          note.textContent = `Uploading, ${percent(Math.min(1, sent / file.size))}`;
        },
        upload.signal,
      );
      this.#staged.hidden = true;
      this.#input.focus({ preventScroll: true });
      this.oncreated(job);
    } catch (error) {
      // Back to the options: something in them may be what the server did not like.
      if (form) this.#staged.replaceChildren(form);
      if (!upload.signal.aborted) this.#problem.show(error, () => this.#send(file, chosen));
    }
  }
}

/** @param {string[]} columns */
function columnField(columns) {
  if (columns.length === 0) {
    const field = element("input");
    field.type = "text";
    field.placeholder = "found automatically";
    return field;
  }
  const field = element("select");
  field.append(new Option("found automatically", ""));
  field.append(...columns.map((name) => new Option(name, name)));
  return field;
}

/**
 * Files that are dropped anywhere on the page.
 * @param {(files: File[]) => void} ondrop
 */
export function acceptDrops(ondrop) {
  const cover = byId("drop", HTMLElement);
  const hasFiles = (/** @type {DragEvent} */ event) =>
    event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    cover.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    // Without a related target the pointer has left the window.
    if (event.relatedTarget === null) cover.hidden = true;
  });
  addEventListener("drop", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    cover.hidden = true;
    ondrop([...(event.dataTransfer?.files ?? [])]);
  });
}
