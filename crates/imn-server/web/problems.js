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
      // Hints for the command line, as in `; name it with --column`, are of no use here.
      return `The server refused this: ${error.message.replace(/; [^;]*--[^;]*/g, "")}.`;
  }
}

/** Failures that may be over the next time. @param {unknown} error */
export function isPassing(error) {
  const passing = ["unreachable", "overloaded", "unavailable", "timeout", "internal"];
  return error instanceof RequestError && passing.includes(error.kind);
}

/** Seconds between attempts to reach a server that does not answer. */
const RECONNECT = 5;

/** @param {unknown} error @returns {number | null} seconds until the next attempt */
function pauseAfter(error) {
  if (!(error instanceof RequestError)) return null;
  return error.retryAfter ?? (error.kind === "unreachable" ? RECONNECT : null);
}

/** A place of the page for one failure. It tries again by itself where that makes sense. */
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
    this.say(inWords(error));
    if (!retry || !isPassing(error)) return;
    const countdown = element("span", "note");
    // Screen readers would read it out every second.
    countdown.setAttribute("aria-hidden", "true");
    const again = () => {
      clearTimeout(this.#timer);
      countdown.textContent = "Trying again";
      retry();
    };
    this.place.append(element("p", "row", button("Try again", again), countdown));
    const seconds = pauseAfter(error);
    if (seconds === null) return;
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
    clearTimeout(this.#timer);
    const [message] = this.place.children;
    // The same words again are not announced again.
    const kept = message?.textContent === words ? message : element("p", "", words);
    if (kept !== message) this.place.prepend(kept);
    while (this.place.lastChild !== kept) this.place.lastChild?.remove();
    this.place.hidden = false;
  }

  clear() {
    clearTimeout(this.#timer);
    this.place.replaceChildren();
    this.place.hidden = true;
  }
}
