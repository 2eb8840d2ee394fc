// The words of a sentence as cells: probabilities as bars, attention as shading. One word is
// chosen; the arrow keys choose another, as in a group of radio buttons.

import { element } from "./dom.js";
import { percent } from "./format.js";
import { changes } from "./readings.js";
import { describe } from "./tooltip.js";

/** @typedef {import("./types.js").Sentence} Sentence */
/** @typedef {import("./readings.js").WordReading} WordReading */
/** @typedef {"word" | "sentiment" | "domain" | "none"} Focus */

/** @typedef {{ view: HTMLElement, tag: HTMLElement, heat: HTMLElement,
 *   kinds: HTMLElement[], sentiments: HTMLElement[] }} Cell */

/** @type {("aspect" | "opinion")[]} */
const KINDS = ["aspect", "opinion"];
/** @type {import("./types.js").Polarity[]} */
const POLARITIES = ["positive", "negative", "neutral"];

export class WordCells {
  /** @type {Cell[]} */
  #cells;
  #round = 0;
  /** @type {(number | null)[]} */
  #heat = [];

  /**
   * @param {Sentence} sentence
   * @param {WordReading[][]} rounds
   * @param {number} chosen
   */
  constructor(sentence, rounds, chosen) {
    this.sentence = sentence;
    this.rounds = rounds;
    this.chosen = chosen;
    /** Called when another word was chosen. */
    this.onselect = () => {};
    this.view = element("div", "cells");
    this.view.dir = "auto";
    this.view.setAttribute("role", "radiogroup");
    this.view.setAttribute("aria-label", "Words of the sentence");
    this.#cells = sentence.tokens.map((token, at) => this.#cell(token.text, at));
    this.view.append(...this.#cells.map((cell) => cell.view));
    this.view.addEventListener("keydown", (event) => this.#move(event));
  }

  /** @param {string} text @param {number} at @returns {Cell} */
  #cell(text, at) {
    const segments = (/** @type {string[]} */ names) => names.map((name) => element("i", name));
    const kinds = segments(KINDS.map((kind) => `${kind}-fill`));
    const sentiments = segments(POLARITIES);
    const word = element("span", "word", text);
    const tag = element("span", "tag");
    const heat = element("span", "heat");
    const bars = [element("span", "bar", ...kinds), element("span", "bar thin", ...sentiments)];
    const view = element("div", "cell", word, tag, ...bars, heat);
    view.setAttribute("role", "radio");
    view.addEventListener("click", () => this.#choose(at));
    describe(view, () => this.#details(at));
    return { view, tag, heat, kinds, sentiments };
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const last = this.#cells.length - 1;
    /** @type {Record<string, number>} */
    const targets = {
      ArrowRight: this.chosen + 1,
      ArrowDown: this.chosen + 1,
      ArrowLeft: this.chosen - 1,
      ArrowUp: this.chosen - 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.#choose(Math.max(0, Math.min(last, target)));
    this.#cells[this.chosen].view.focus();
  }

  /** @param {number} at */
  #choose(at) {
    this.chosen = at;
    this.onselect();
  }

  /**
   * @param {number} round
   * @param {Focus} focus what the shading shows
   */
  show(round, focus) {
    this.#round = round;
    this.#heat = this.#attention(round, focus);
    const values = this.#heat.filter((value) => value !== null);
    const least = Math.min(...values);
    const range = Math.max(...values) - least;
    const before = round > 0 ? this.rounds[round - 1] : this.rounds[0];
    const changed = new Set(changes(before, this.rounds[round]).map((change) => change.word));
    this.#cells.forEach((cell, at) => {
      const reading = this.rounds[round][at];
      const kind = reading.kind === "aspect" ? `aspect ${reading.sentiment}` : reading.kind;
      cell.view.className = `cell ${kind}`;
      cell.view.classList.toggle("changed", changed.has(at));
      cell.view.classList.toggle("chosen", focus === "word" && at === this.chosen);
      cell.tag.textContent = reading.kind === "none" ? "" : reading.kind;
      KINDS.forEach((name, i) => setWidth(cell.kinds[i], reading.kinds[name]));
      POLARITIES.forEach((name, i) => setWidth(cell.sentiments[i], reading.sentiments[name]));
      const value = this.#heat[at];
      const share = value === null ? 0 : range > 0 ? (value - least) / range : 1;
      cell.view.style.setProperty("--heat", share.toFixed(3));
      cell.heat.textContent = value === null ? "" : percent(value);
      this.#announce(cell.view, at);
    });
  }

  /** @param {HTMLElement} view @param {number} at */
  #announce(view, at) {
    const isChosen = at === this.chosen;
    view.setAttribute("aria-checked", String(isChosen));
    view.tabIndex = isChosen ? 0 : -1;
    const [, ...details] = this.#details(at);
    view.setAttribute("aria-label", [this.sentence.tokens[at].text, ...details].join(", "));
  }

  /** @param {number} round @param {Focus} focus @returns {(number | null)[]} */
  #attention(round, focus) {
    const { attention, document } = this.sentence.rounds[round];
    const empty = this.sentence.tokens.map(() => null);
    if (focus === "sentiment") return document?.sentiment_attention ?? empty;
    if (focus === "domain") return document?.domain_attention ?? empty;
    if (focus === "none") return empty;
    // A word never looks at itself; its zero would only stretch the scale.
    return attention[this.chosen].map((value, at) => (at === this.chosen ? null : value));
  }

  /** @param {number} at */
  #details(at) {
    const reading = this.rounds[this.#round][at];
    const { positive, negative, neutral } = reading.sentiments;
    const lines = [
      this.sentence.tokens[at].text,
      `aspect ${percent(reading.kinds.aspect)}, opinion ${percent(reading.kinds.opinion)}`,
      `if an aspect: positive ${percent(positive)}, negative ${percent(negative)}, ` +
        `neutral ${percent(neutral)}`,
    ];
    const heat = this.#heat[at] ?? null;
    return heat === null ? lines : [...lines, `attention ${percent(heat)}`];
  }
}

/** @param {HTMLElement} segment @param {number} share */
function setWidth(segment, share) {
  segment.style.width = `${(100 * share).toFixed(2)}%`;
}
