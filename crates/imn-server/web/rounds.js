// The slider over rounds of message passing: predictions, sentiments and attention of every word,
// and what the round changed.

import { byId, element } from "./dom.js";
import { percent } from "./format.js";
import { changes, readings, terms } from "./readings.js";
import { closeTooltip } from "./tooltip.js";
import { WordCells } from "./words.js";

/** @typedef {import("./types.js").Explanation} Explanation */
/** @typedef {import("./types.js").Sentence} Sentence */
/** @typedef {import("./words.js").Focus} Focus */

/** @param {Explanation} explanation */
export function showRounds(explanation) {
  closeTooltip();
  const { sentences } = explanation;
  const section = byId("rounds", HTMLElement);
  section.hidden = sentences.length === 0;
  if (sentences.length === 0) return;
  const select = byId("sentence", HTMLSelectElement);
  select.replaceChildren(
    ...sentences.map((sentence, at) => new Option(title(sentence, at), `${at}`)),
  );
  if (explanation.sentences_left_out > 0) {
    const left = new Option(`${explanation.sentences_left_out} more are not explained`);
    left.disabled = true;
    select.append(left);
  }
  byId("sentence-label", HTMLElement).hidden = select.options.length < 2;
  const body = byId("rounds-body", HTMLElement);
  const show = () => {
    closeTooltip();
    const sentence = sentences[Number(select.value)];
    body.replaceChildren(...sentenceView(explanation, sentence));
  };
  select.onchange = show;
  show();
  body.hidden = false;
}

/** @param {Sentence} sentence @param {number} at */
function title(sentence, at) {
  const words = sentence.tokens.slice(0, 8).map((token) => token.text);
  const more = sentence.tokens.length > words.length ? " …" : "";
  return `${at + 1}. ${words.join(" ")}${more}`;
}

/** @param {Explanation} explanation @param {Sentence} sentence */
function sentenceView(explanation, sentence) {
  const rounds = sentence.rounds.map((round) => readings(explanation, round));
  const last = sentence.rounds.length - 1;
  const slider = roundSlider(last);
  const focus = focusSelect(sentence);
  const cells = new WordCells(sentence, rounds, firstAspect(rounds[last]));
  const predicted = element("div", "predicted");
  const changed = element("div", "changed");
  const whole = element("div", "whole");
  const update = () => {
    const at = Number(slider.input.value);
    cells.show(at, /** @type {Focus} */ (focus.select.value));
    slider.say(at);
    predicted.replaceChildren(...predictions(sentence, rounds[at], at, last));
    changed.replaceChildren(...changeList(sentence, rounds, at));
    whole.replaceChildren(...wholeSentence(explanation, sentence, at));
  };
  slider.input.addEventListener("input", update);
  focus.select.addEventListener("change", update);
  cells.onselect = () => {
    focus.select.value = "word";
    update();
  };
  update();
  const results = element("div", "round-results", changed, predicted, whole);
  return [slider.view, results, focus.view, cells.view, cellKey()];
}

/** @param {import("./readings.js").WordReading[]} words */
function firstAspect(words) {
  return Math.max(
    0,
    words.findIndex((word) => word.kind === "aspect"),
  );
}

/** @param {number} last */
function roundSlider(last) {
  const input = element("input");
  input.type = "range";
  input.id = "round";
  input.min = "0";
  input.max = String(last);
  input.step = "1";
  input.value = String(last);
  const label = element("label", "visually-hidden", "Round of message passing");
  label.htmlFor = input.id;
  const ticks = element("div", "ticks");
  ticks.setAttribute("aria-hidden", "true");
  const marks = Array.from({ length: last + 1 }, (_, at) => {
    const mark = element("button", "tick", element("b", "", `T = ${at}`), roundName(at, last));
    mark.type = "button";
    mark.tabIndex = -1;
    mark.addEventListener("click", () => {
      input.value = String(at);
      input.dispatchEvent(new Event("input"));
      input.focus();
    });
    ticks.append(mark);
    return mark;
  });
  const say = (/** @type {number} */ at) => {
    input.setAttribute("aria-valuetext", `T = ${at}, ${roundName(at, last)}`);
    marks.forEach((mark, index) => mark.classList.toggle("current", index === at));
  };
  const view = element("div", "slider", label, input, ticks);
  view.style.setProperty("--stops", String(last + 1));
  view.hidden = last === 0;
  return { view, input, say };
}

/** @param {number} at @param {number} last */
function roundName(at, last) {
  if (at === 0) return last === 0 ? "no messages" : "before";
  return at === last ? "final" : at === 1 ? "one round" : `${at} rounds`;
}

/** @param {Sentence} sentence */
function focusSelect(sentence) {
  const select = element("select");
  select.id = "focus";
  const round = sentence.rounds[0];
  select.append(new Option("attention of the chosen word", "word"));
  if (round.document) {
    select.append(new Option("attention for the sentiment of the sentence", "sentiment"));
    select.append(new Option("attention for its domain", "domain"));
  }
  select.append(new Option("no attention", "none"));
  const label = element("label", "", "Shading ", select);
  const hint = "Choose a word to see which words it looks at.";
  return { select, view: element("div", "focus", label, element("span", "note", hint)) };
}

/**
 * @param {Sentence} sentence
 * @param {import("./readings.js").WordReading[]} words
 * @param {number} at
 * @param {number} last
 */
function predictions(sentence, words, at, last) {
  const found = terms(words);
  const name = at === 0 ? "Predicted before any message" : `Predicted at T = ${at}`;
  const heading = element("h3", "", last === 0 ? "Predicted" : name);
  if (found.length === 0) return [heading, element("p", "note", "No aspects and no opinions.")];
  const list = element("ul", "chips");
  for (const term of found) {
    const text = sentence.tokens
      .slice(term.start, term.end)
      .map((token) => token.text)
      .join(" ");
    const chip = element("span", `term ${term.kind} ${term.sentiment ?? ""}`, text);
    const kind = term.sentiment ? `${term.sentiment} aspect` : "opinion";
    list.append(element("li", "", chip, element("span", "visually-hidden", `, ${kind}`)));
  }
  return [heading, list];
}

/**
 * @param {Sentence} sentence
 * @param {import("./readings.js").WordReading[][]} rounds
 * @param {number} at
 */
function changeList(sentence, rounds, at) {
  if (at === 0) {
    const words =
      rounds.length === 1
        ? "This model passes no messages: there is one round only."
        : "Nothing to compare with: no message has been passed yet.";
    return [element("h3", "", "Changed"), element("p", "note", words)];
  }
  const heading = element("h3", "", `Changed from T = ${at - 1}`);
  const found = changes(rounds[at - 1], rounds[at]);
  if (found.length === 0) {
    return [heading, element("p", "note", "No label changed; only probabilities did.")];
  }
  const list = element("ul", "change-list");
  for (const change of found) {
    list.append(
      element(
        "li",
        "",
        element("b", "", sentence.tokens[change.word].text),
        ` ${change.from} `,
        element("span", "arrow", "→"),
        ` ${change.to}`,
      ),
    );
  }
  return [heading, list];
}

/** @param {Explanation} explanation @param {Sentence} sentence @param {number} at */
function wholeSentence(explanation, sentence, at) {
  const document = sentence.rounds[at].document;
  if (!document) return [];
  const bar = element("div", "bar");
  const parts = explanation.polarities.map((polarity, column) => {
    const segment = element("i", polarity);
    segment.style.width = `${100 * document.sentiment[column]}%`;
    bar.append(segment);
    return `${polarity} ${percent(document.sentiment[column])}`;
  });
  bar.setAttribute("aria-hidden", "true");
  const list = element("p", "note", parts.join(", "));
  return [element("h3", "", "The sentence as a whole"), bar, list];
}

/** What the bars of a word mean. */
function cellKey() {
  const entries = [
    ["aspect-fill", "aspect"],
    ["opinion-fill", "opinion"],
    ["positive", "positive"],
    ["negative", "negative"],
    ["neutral", "neutral"],
  ];
  const list = element("ul", "key");
  for (const [kind, name] of entries) {
    list.append(element("li", "", element("span", `dot ${kind}`), ` ${name}`));
  }
  const frame = element("li", "", element("span", "dot framed"), " changed in this round");
  const text =
    "Upper bar: is the word part of an aspect or an opinion? Lower bar: its sentiment " +
    "if it is an aspect.";
  list.append(frame);
  return element("div", "cell-key", element("p", "note", text), list);
}
