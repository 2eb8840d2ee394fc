// What the network predicts in a round, and what differs from the round before. No page in here.

/** @typedef {import("./types.js").Explanation} Explanation */
/** @typedef {import("./types.js").Round} Round */
/** @typedef {import("./types.js").Polarity} Polarity */

/** @typedef {"aspect" | "opinion" | "none"} Kind */

/**
 * The prediction for one word.
 * @typedef {object} WordReading
 * @property {string} tag the most probable tag
 * @property {Kind} kind
 * @property {Polarity} sentiment the most probable one if the word is an aspect
 * @property {Record<Kind, number>} kinds probabilities
 * @property {Record<Polarity, number>} sentiments probabilities
 */

/**
 * A term by the most probable tags.
 * @typedef {object} Term
 * @property {Kind} kind
 * @property {number} start its first word
 * @property {number} end the word after its last one
 * @property {Polarity | null} sentiment of an aspect: that of its first word
 */

/** @typedef {{ word: number, from: string, to: string }} Change */

/** @param {number[]} row */
function argmax(row) {
  return row.indexOf(Math.max(...row));
}

/** @param {string} tag @returns {Kind} */
function kindOf(tag) {
  if (tag.endsWith("A")) return "aspect";
  return tag.endsWith("P") ? "opinion" : "none";
}

/**
 * @param {Explanation} explanation
 * @param {Round} round
 * @returns {WordReading[]}
 */
export function readings(explanation, round) {
  return round.tags.map((row, word) => {
    /** @type {Record<Kind, number>} */
    const kinds = { aspect: 0, opinion: 0, none: 0 };
    explanation.tags.forEach((tag, column) => {
      kinds[kindOf(tag)] += row[column];
    });
    /** @type {Record<Polarity, number>} */
    const sentiments = { positive: 0, negative: 0, neutral: 0 };
    explanation.polarities.forEach((polarity, column) => {
      sentiments[polarity] = round.sentiments[word][column];
    });
    const tag = explanation.tags[argmax(row)];
    const sentiment = explanation.polarities[argmax(round.sentiments[word])];
    return { tag, kind: kindOf(tag), sentiment, kinds, sentiments };
  });
}

/**
 * A term is a word that begins one, and the words that continue it.
 * @param {WordReading[]} words
 * @returns {Term[]}
 */
export function terms(words) {
  /** @type {Term[]} */
  const found = [];
  words.forEach((word, at) => {
    if (word.kind === "none") return;
    const last = found.at(-1);
    if (word.tag.startsWith("B")) {
      const sentiment = word.kind === "aspect" ? word.sentiment : null;
      found.push({ kind: word.kind, start: at, end: at + 1, sentiment });
    } else if (last && last.kind === word.kind && last.end === at) {
      last.end = at + 1;
    }
  });
  return found;
}

/** @type {Record<string, string>} */
const TAG_NAMES = {
  BA: "aspect",
  IA: "aspect, continued",
  BP: "opinion",
  IP: "opinion, continued",
  O: "neither",
};

/**
 * Words whose label differs, and aspects whose sentiment does.
 * @param {WordReading[]} before
 * @param {WordReading[]} after
 * @returns {Change[]}
 */
export function changes(before, after) {
  return after.flatMap((now, word) => {
    const then = before[word];
    const aspect = now.kind === "aspect";
    if (then.tag !== now.tag) {
      const name = (/** @type {WordReading} */ { tag }) => TAG_NAMES[tag] ?? tag;
      const to = aspect ? `${name(now)} (${now.sentiment})` : name(now);
      return { word, from: name(then), to };
    }
    if (aspect && then.sentiment !== now.sentiment) {
      return { word, from: then.sentiment, to: now.sentiment };
    }
    return [];
  });
}
