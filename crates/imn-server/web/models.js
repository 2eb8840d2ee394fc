// The models that the server holds, and their annotation schemes.

import { byId, fillSelect } from "./dom.js";

/** @typedef {import("./types.js").ModelInfo} ModelInfo */
/** @typedef {import("./types.js").Choice} Choice */

/** What is known about schemes of the built-in models. @type {Record<string, string>} */
const SCHEMES = {
  terms: "Scheme terms: every aspect that the text names.",
  targets: "Scheme targets: only aspects with an opinion, the place or product itself included.",
  judged: "Scheme judged: what is judged, and the words that judge it.",
  phrases: "Scheme phrases: what is judged; opinions are whole phrases.",
};

export class Models {
  /** @type {ModelInfo[]} */
  #models = [];
  #model = byId("model", HTMLSelectElement);
  #scheme = byId("scheme", HTMLSelectElement);
  /** Called when another model or scheme was chosen. */
  onchange = () => {};

  constructor() {
    this.#model.addEventListener("change", () => {
      this.#fillSchemes(null);
      this.onchange();
    });
    this.#scheme.addEventListener("change", () => {
      this.#explain();
      this.onchange();
    });
  }

  /** @param {ModelInfo[]} models the default first */
  fill(models) {
    const before = this.#models.length > 0 ? this.choice() : null;
    this.#models = models;
    fillSelect(
      this.#model,
      models.map((model) => model.name),
    );
    this.choose(before?.model ?? null, before?.scheme ?? null);
    byId("models", HTMLElement).hidden = false;
  }

  /**
   * Chooses by name; the default where there is no such name.
   * @param {string | null} model
   * @param {string | null} scheme
   */
  choose(model, scheme) {
    const known = this.#models.some(({ name }) => name === model);
    this.#model.value = known && model !== null ? model : (this.#models[0]?.name ?? "");
    this.#fillSchemes(scheme);
  }

  /** @param {string | null} scheme */
  #fillSchemes(scheme) {
    const schemes = this.#models.find(({ name }) => name === this.#model.value)?.schemes ?? [];
    fillSelect(this.#scheme, schemes);
    if (scheme !== null && schemes.includes(scheme)) this.#scheme.value = scheme;
    byId("scheme-label", HTMLElement).hidden = schemes.length < 2;
    this.#explain();
  }

  #explain() {
    byId("scheme-note", HTMLElement).textContent = SCHEMES[this.#scheme.value] ?? "";
  }

  /** @returns {Choice} */
  choice() {
    const scheme = this.#scheme.value;
    return scheme ? { model: this.#model.value, scheme } : { model: this.#model.value };
  }
}
