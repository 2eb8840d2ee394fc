// An analysed review: the text with its terms and arcs, and the same as a table.

import { drawArcs } from "./arcs.js";
import { byId, element } from "./dom.js";
import { counted, duration, percent } from "./format.js";
import { closeTooltip, describe } from "./tooltip.js";

/** @typedef {import("./types.js").Review} Review */
/** @typedef {import("./types.js").Aspect} Aspect */
/** @typedef {import("./types.js").Opinion} Opinion */

/** Stops what the analysis before this one left running. */
let stopDrawing = () => {};

/**
 * @param {Review} review
 * @param {number} milliseconds from the request to its answer
 */
export function showAnalysis(review, milliseconds) {
  closeTooltip();
  byId("facts", HTMLElement).replaceChildren(...facts(review, milliseconds));
  byId("result-body", HTMLElement).hidden = false;
  showText(byId("marked", HTMLElement), review);
  byId("aspects", HTMLElement).replaceChildren(table(review));
}

/** The analysis in one sentence, for screen readers. @param {Review} review */
export function summary(review) {
  const aspects = review.aspects.map((aspect) => `${aspect.term} ${aspect.sentiment}`);
  const found = `${counted(aspects.length, "aspect")}${aspects.length > 0 ? ": " : ""}`;
  const whole = review.sentiment ? ` Whole text ${review.sentiment.polarity}.` : "";
  return `${found}${aspects.join(", ")}.${whole}`;
}

/** @param {Review} review @param {number} milliseconds */
function facts(review, milliseconds) {
  const whole = review.sentiment
    ? sentimentLabel(review.sentiment.polarity, review.sentiment.confidence)
    : "not predicted";
  /** @type {[string, Node | string][]} */
  const pairs = [
    ["Whole text", whole],
    ["Aspects", String(review.aspects.length)],
    ["Opinions", String(review.opinions.length)],
    ["Answered in", duration(milliseconds)],
  ];
  return pairs.map(([name, value]) =>
    element("div", "", element("dt", "", name), element("dd", "", value)),
  );
}

/** @param {string} polarity @param {number} confidence */
function sentimentLabel(polarity, confidence) {
  return element(
    "span",
    `sentiment ${polarity}`,
    polarity,
    element("span", "confidence", ` ${percent(confidence)}`),
  );
}

/** @param {HTMLElement} block @param {Review} review */
function showText(block, review) {
  stopDrawing();
  const aspects = review.aspects.map((aspect) => aspectMark(review, aspect));
  const opinions = review.opinions.map((opinion, at) => opinionMark(review, opinion, at));
  const places = [
    ...review.aspects.map((term, at) => ({ term, mark: aspects[at] })),
    ...review.opinions.map((term, at) => ({ term, mark: opinions[at] })),
  ];
  places.sort((a, b) => a.term.start - b.term.start);
  const paragraph = element("p");
  paragraph.dir = "auto";
  let at = 0;
  for (const { term, mark } of places) {
    paragraph.append(review.text.slice(at, term.start), mark);
    at = term.end;
  }
  paragraph.append(review.text.slice(at));
  block.replaceChildren(paragraph);
  const links = review.aspects.flatMap((aspect, index) =>
    aspect.opinions.map((link) => ({
      opinion: opinions[link.opinion],
      aspect: aspects[index],
      sentiment: aspect.sentiment,
      weight: link.weight,
    })),
  );
  const { paths, stop } = drawArcs(block, links);
  stopDrawing = stop;
  for (const mark of [...aspects, ...opinions]) {
    const own = links.flatMap((link, i) =>
      link.opinion === mark || link.aspect === mark ? i : [],
    );
    highlight(block, mark, [
      ...own.flatMap((i) => [links[i].opinion, links[i].aspect]),
      ...own.map((i) => paths[i]),
    ]);
  }
}

/**
 * While a term has the pointer or the focus, it and what it is linked to stand out.
 * @param {HTMLElement} block
 * @param {HTMLElement} mark
 * @param {Element[]} linked
 */
function highlight(block, mark, linked) {
  const set = (/** @type {boolean} */ on) => {
    block.classList.toggle("focusing", on);
    for (const part of [mark, ...linked]) part.classList.toggle("linked", on);
  };
  for (const event of ["pointerenter", "focus"]) mark.addEventListener(event, () => set(true));
  for (const event of ["pointerleave", "blur"]) mark.addEventListener(event, () => set(false));
}

/** @param {string} kind @param {string} text @param {string} spoken for screen readers */
function term(kind, text, spoken) {
  const mark = element("mark", `term ${kind}`, text);
  mark.append(element("span", "visually-hidden", ` (${spoken})`));
  mark.tabIndex = 0;
  return mark;
}

/** @param {Review} review @param {Aspect} aspect */
function aspectMark(review, aspect) {
  const kind = `aspect ${aspect.sentiment}`;
  const text = review.text.slice(aspect.start, aspect.end);
  const mark = term(kind, text, `${aspect.sentiment} aspect`);
  describe(mark, () => [
    `${capital(aspect.sentiment)} aspect`,
    `${percent(aspect.sentiment_confidence)} sure of the sentiment`,
    `${percent(aspect.span_confidence)} sure that it is an aspect`,
  ]);
  return mark;
}

/** @param {Review} review @param {Opinion} opinion @param {number} index */
function opinionMark(review, opinion, index) {
  const text = review.text.slice(opinion.start, opinion.end);
  const mark = term("opinion", text, "opinion");
  const about = review.aspects.filter((aspect) =>
    aspect.opinions.some((link) => link.opinion === index),
  );
  const names = about.map((aspect) => aspect.term).join(", ");
  describe(mark, () => [
    "Opinion",
    `${percent(opinion.confidence)} sure that it is one`,
    names ? `About: ${names}` : "About no aspect of the text",
  ]);
  return mark;
}

/** @param {string} word */
function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** @param {Review} review */
function table(review) {
  if (review.aspects.length === 0) {
    return element(
      "p",
      "empty",
      "No aspects found. The model looks for what reviews talk about: food, service, a battery.",
    );
  }
  const head = element("tr");
  for (const name of ["Aspect", "Sentiment", "Opinions"]) {
    const cell = element("th", "", name);
    cell.scope = "col";
    head.append(cell);
  }
  const rows = review.aspects.map((aspect) => {
    const name = element("th", "", aspect.term);
    name.scope = "row";
    name.dir = "auto";
    const opinions = aspect.opinions.map((link) => review.opinions[link.opinion].term);
    return element(
      "tr",
      "",
      name,
      element("td", "", measured(aspect)),
      element("td", "", opinions.length > 0 ? opinions.join(", ") : "–"),
    );
  });
  return element("table", "", element("thead", "", head), element("tbody", "", ...rows));
}

/** @param {Aspect} aspect */
function measured(aspect) {
  const share = aspect.sentiment_confidence;
  const fill = element("span", "fill");
  fill.style.width = `${100 * share}%`;
  const track = element("span", "meter", fill);
  track.setAttribute("aria-hidden", "true");
  const label = element("span", `sentiment ${aspect.sentiment}`, aspect.sentiment);
  return element("span", `measured ${aspect.sentiment}`, label, track, percent(share));
}
