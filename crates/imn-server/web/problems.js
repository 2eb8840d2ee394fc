// Failures in words that people understand, with a way on.

import { RequestError } from "./api.js";
import { button, element } from "./dom.js";

/**
 * What happened and what to do, in a sentence or two.
 * @param {unknown} error
 */
export function inWords(error) {
  if (!(error instanceof RequestError)) return `Something in this page broke: ${error}`;
  switch (error.kind) {
    case "unreachable":
      return "The server does not answer. Is imn serve still running?";
    case "overloaded":
      return "The server has too much to do right now.";
    case "unavailable":
      return "The server is shutting down.";
    case "unauthorized":
      return "The API key is missing or wrong.";
    case "timeout":
      return "The server took too long. A shorter text, or the same one later, may work.";
    case "unsupported_media_type":
      return "The format of this file is not clear. Choose it, or give the file an extension.";
    case "not_found":
      return "That is no longer on the server.";
    case "too_large":
      return `That is too much for one request: ${error.message}.`;
    case "internal":
      return "The server made a mistake. Its log says which.";
    default:
      return `The server refused the request: ${error.message}.`;
  }
}

/** Failures that may be over the next time. @param {unknown} error */
export function isPassing(error) {
  const passing = ["unreachable", "overloaded", "unavailable", "timeout", "internal"];
  return error instanceof RequestError && passing.includes(error.kind);
}

/** A place of the page for one failure. It tries again by itself if the server says when. */
export class Problem {
  /** @type {number | undefined} */
  #timer;

  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
  }

  /**
   * @param {unknown} error
   * @param {(() => void)} [retry]
   */
  show(error, retry) {
    this.clear();
    this.place.append(element("p", "", inWords(error)));
    this.place.hidden = false;
    if (!retry || !isPassing(error)) return;
    const again = () => {
      this.clear();
      retry();
    };
    const row = element("p", "row", button("Try again", again));
    this.place.append(row);
    const seconds = error instanceof RequestError ? error.retryAfter : null;
    if (seconds === null) return;
    // Every second a text that screen readers would read out is too much: it is hidden from them.
    const countdown = element("span", "note");
    countdown.setAttribute("aria-hidden", "true");
    row.append(countdown);
    let left = Math.ceil(seconds);
    const tick = () => {
      if (left === 0) return again();
      countdown.textContent = `Trying again in ${left} s`;
      left -= 1;
      this.#timer = setTimeout(tick, 1000);
    };
    tick();
  }

  /** @param {string} words */
  say(words) {
    this.clear();
    this.place.append(element("p", "", words));
    this.place.hidden = false;
  }

  clear() {
    clearTimeout(this.#timer);
    this.place.replaceChildren();
    this.place.hidden = true;
  }
}
