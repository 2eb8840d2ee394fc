// One review: from the text field to the analysis and its rounds. Typing starts a new analysis
// after a pause and ends the one before.

import { RequestError, analyze, explain } from "./api.js";
import { showAnalysis, summary } from "./analysis.js";
import { button, byId, element } from "./dom.js";
import { EXAMPLES } from "./examples.js";
import { byteLength, size } from "./format.js";
import { Problem } from "./problems.js";
import { showRounds } from "./rounds.js";
import { address, setFragment } from "./share.js";

/** @typedef {import("./types.js").Review} Review */

const PAUSE = 250;

export class ReviewPanel {
  #text = byId("text", HTMLTextAreaElement);
  #note = byId("text-note", HTMLElement);
  #status = byId("status", HTMLElement);
  #result = byId("result", HTMLElement);
  #problem = new Problem(byId("failure", HTMLElement));
  #roundsProblem = new Problem(byId("rounds-failure", HTMLElement));
  /** @type {number | undefined} */
  #timer;
  #request = new AbortController();
  /** @type {Review | null} */
  #review = null;

  /**
   * @param {import("./models.js").Models} models
   * @param {(error: RequestError) => void} onrefused called if the server wants a key
   */
  constructor(models, onrefused) {
    this.models = models;
    this.onrefused = onrefused;
    this.maxBytes = Infinity;
    this.#text.addEventListener("input", () => this.#changed(PAUSE));
    this.#text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.#changed(0);
    });
    const examples = EXAMPLES.map(({ name, text }) => {
      const use = () => this.setText(text);
      const choice = button(name, use, "chip");
      choice.title = text;
      return element("li", "", choice);
    });
    byId("examples", HTMLElement).append(...examples);
    this.#copies("copy-link", () => this.#link());
    this.#copies("copy-json", () => JSON.stringify(this.#review, null, 2));
  }

  /** @param {string} text */
  setText(text) {
    this.#text.value = text;
    this.#changed(0);
  }

  /** Analyses the same text again, with another model or after a failure. */
  refresh() {
    this.#changed(0);
  }

  /** The text; halves of characters, which JSON cannot carry, are replaced. */
  #value() {
    return this.#text.value.toWellFormed();
  }

  /** @param {number} pause milliseconds */
  #changed(pause) {
    clearTimeout(this.#timer);
    this.#request.abort();
    const bytes = byteLength(this.#value());
    const tooLong = bytes > this.maxBytes;
    this.#note.textContent = tooLong
      ? `This text has ${size(bytes)}; one review may have ${size(this.maxBytes)}. ` +
        "Several reviews belong into a file."
      : "";
    this.#note.classList.toggle("bad", tooLong);
    this.#text.setAttribute("aria-invalid", String(tooLong));
    const empty = this.#value().trim() === "";
    if (empty) setFragment("");
    if (tooLong || empty) {
      this.#problem.clear();
      return this.#hideResult();
    }
    this.#timer = setTimeout(() => this.#run(), pause);
  }

  async #run() {
    this.#request = new AbortController();
    const { signal } = this.#request;
    const text = this.#value();
    const choice = this.models.choice();
    // The fragment changes at once, so that a reload keeps also what could not be analysed.
    setFragment(new URL(address(text, choice)).hash);
    this.#result.setAttribute("aria-busy", "true");
    const start = performance.now();
    try {
      const { results } = await analyze(text, choice, signal);
      const milliseconds = performance.now() - start;
      this.#problem.clear();
      this.#review = results[0];
      showAnalysis(this.#review, milliseconds);
      this.#status.textContent = summary(this.#review);
      byId("result-empty", HTMLElement).hidden = true;
      byId("result-actions", HTMLElement).hidden = false;
    } catch (error) {
      if (signal.aborted) return;
      this.#hideResult();
      if (error instanceof RequestError && error.kind === "unauthorized") this.onrefused(error);
      this.#problem.show(error, () => this.#run());
      return;
    } finally {
      if (!signal.aborted) this.#result.removeAttribute("aria-busy");
    }
    await this.#explain(text, choice, signal);
  }

  /**
   * @param {string} text
   * @param {import("./types.js").Choice} choice
   * @param {AbortSignal} signal
   */
  async #explain(text, choice, signal) {
    try {
      const explanation = await explain(text, choice, signal);
      this.#roundsProblem.clear();
      showRounds(explanation);
    } catch (error) {
      if (signal.aborted) return;
      byId("rounds", HTMLElement).hidden = false;
      byId("rounds-body", HTMLElement).hidden = true;
      byId("sentence-label", HTMLElement).hidden = true;
      this.#roundsProblem.show(error, () => this.#explain(text, choice, signal));
    }
  }

  #hideResult() {
    this.#review = null;
    this.#result.removeAttribute("aria-busy");
    this.#status.textContent = "";
    byId("result-empty", HTMLElement).hidden = false;
    byId("result-actions", HTMLElement).hidden = true;
    byId("result-body", HTMLElement).hidden = true;
    byId("rounds", HTMLElement).hidden = true;
  }

  #link() {
    return address(this.#value(), this.models.choice());
  }

  /**
   * A button that copies something and says so.
   * @param {string} id
   * @param {() => string} content
   */
  #copies(id, content) {
    const control = byId(id, HTMLButtonElement);
    const name = control.textContent ?? "";
    control.addEventListener("click", async () => {
      const done = await copy(content());
      control.textContent = done ? "Copied" : "Not allowed to copy";
      this.#status.textContent = control.textContent;
      setTimeout(() => {
        control.textContent = name;
      }, 1600);
    });
  }
}

/**
 * Browsers offer the clipboard to pages of https and of this machine only.
 * @param {string} text
 */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea", "visually-hidden");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
