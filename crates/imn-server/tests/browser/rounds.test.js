// The slider over rounds, against what the server says about every round.

import assert from "node:assert/strict";
import test from "node:test";
import { enter, startBrowser, startServer } from "./harness.js";

const TEXT = "The room was clean and quiet. Breakfast could be better: cold eggs, weak coffee.";
const [server, browser] = await Promise.all([startServer(), startBrowser()]);
const explanation = await server.post("/explain", { inputs: TEXT, offset_unit: "utf16" });

/** @param {number[]} row */
const argmax = (row) => row.indexOf(Math.max(...row));
const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;

/** The label of every word in a round, from the answer of the server. @param {any} round */
function labels(round) {
  return round.tags.map((/** @type {number[]} */ row, /** @type {number} */ at) => {
    const tag = explanation.tags[argmax(row)];
    const sentiment = explanation.polarities[argmax(round.sentiments[at])];
    return {
      tag,
      label: tag.endsWith("A") ? `aspect ${sentiment}` : tag === "O" ? "none" : "opinion",
    };
  });
}

/** @param {import("playwright-core").Page} page */
const shown = (page) =>
  page
    .locator(".cell")
    .evaluateAll((cells) =>
      cells.map((cell) =>
        [...cell.classList]
          .filter((name) => !["cell", "changed", "chosen"].includes(name))
          .join(" "),
      ),
    );

test("every round shows its own predictions, and what it changed", async () => {
  await browser.visit(server, {}, async (page) => {
    await enter(page, TEXT);
    const slider = page.locator("#round");
    assert.equal(await slider.inputValue(), String(explanation.sentences[0].rounds.length - 1));
    for (const [at, sentence] of explanation.sentences.entries()) {
      await page.selectOption("#sentence", String(at));
      for (const [T, round] of sentence.rounds.entries()) {
        await slider.fill(String(T));
        const now = labels(round);
        assert.deepEqual(
          await shown(page),
          now.map((/** @type {any} */ { label }) => label),
        );
        const before = labels(sentence.rounds[Math.max(0, T - 1)]);
        const words = now.flatMap((/** @type {any} */ { tag, label }, /** @type {number} */ i) => {
          const sentimentChanged = tag.endsWith("A") && before[i].label !== label;
          return before[i].tag !== tag || sentimentChanged ? [sentence.tokens[i].text] : [];
        });
        const changed = await page.locator(".cell.changed .word").allTextContents();
        assert.deepEqual(changed, words, `sentence ${at}, T = ${T}`);
        const listed = await page.locator(".change-list b").allTextContents();
        assert.deepEqual(listed, words);
        const sentiment = explanation.polarities.map(
          (/** @type {string} */ name, /** @type {number} */ i) =>
            `${name} ${percent(round.document.sentiment[i])}`,
        );
        assert.match(await page.innerText(".whole"), new RegExp(sentiment.join(", ")));
      }
    }
  });
});

test("attention of a word, and of the document tasks", async () => {
  const sentence = explanation.sentences[0];
  const word = sentence.tokens.findIndex((/** @type {any} */ { text }) => text === "clean");
  await browser.visit(server, {}, async (page) => {
    await enter(page, TEXT);
    const heat = () => page.locator(".cell .heat").allTextContents();
    for (const [T, round] of sentence.rounds.entries()) {
      await page.locator("#round").fill(String(T));
      await page.locator(".cell", { hasText: "clean" }).click();
      const row = round.attention[word].map(percent);
      row[word] = "";
      assert.deepEqual(await heat(), row);
      await page.selectOption("#focus", "sentiment");
      assert.deepEqual(await heat(), round.document.sentiment_attention.map(percent));
      await page.selectOption("#focus", "domain");
      assert.deepEqual(await heat(), round.document.domain_attention.map(percent));
      await page.selectOption("#focus", "none");
      assert.deepEqual(
        await heat(),
        round.attention[word].map(() => ""),
      );
    }
  });
});

test("slider and words with the keyboard", async () => {
  await browser.visit(server, {}, async (page) => {
    await enter(page, TEXT);
    const slider = page.locator("#round");
    await slider.focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await slider.getAttribute("aria-valuetext"), "T = 1, one round");
    await page.keyboard.press("Home");
    assert.match(await page.innerText(".changed"), /no message has been passed/);
    assert.equal(await page.locator('.cell[tabindex="0"]').count(), 1);
    await page.locator('.cell[tabindex="0"]').focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    const focused = page.locator(".cell:focus");
    assert.equal(await focused.getAttribute("aria-checked"), "true");
    assert.equal(await focused.locator(".word").textContent(), "was");
    assert.match((await focused.getAttribute("aria-label")) ?? "", /^was, aspect \d+ %, opinion/);
    assert.match(await page.innerText("#tip"), /if an aspect: positive/);
    await page.keyboard.press("End");
    assert.equal(await page.locator(".cell:focus .word").textContent(), ".");
  });
});

test("a sentence without attention says why", async () => {
  const long = `The soup ${"and the soup ".repeat(80)} was cold.`;
  await browser.visit(server, {}, async (page) => {
    await enter(page, long);
    assert.match(await page.innerText("#rounds"), /too long for the attention of its words/);
    assert.equal(await page.inputValue("#focus"), "sentiment");
  });
});
