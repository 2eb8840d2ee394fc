// The slider over rounds, against what the server says about every round.

import assert from "node:assert/strict";
import test from "node:test";
import { BUILT_IN, MODEL, enter, startBrowser, startServer } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */

const TEXT = "The room was clean and quiet. Breakfast was awful: cold eggs, weak coffee.";
const OTHERS = BUILT_IN.filter((name) => name !== MODEL);
const models = [MODEL, ...OTHERS].flatMap((name) => ["--model", name]);
const [server, browser] = await Promise.all([startServer(...models), startBrowser()]);

/** @param {string} model @param {string} [text] */
const explain = (model, text = TEXT) =>
  server.post("/explain", { inputs: text, offset_unit: "utf16", model });

/** @param {number[]} row */
const argmax = (row) => row.indexOf(Math.max(...row));
const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;

/**
 * The label of every word in a round, from the answer of the server.
 * @param {any} explanation
 * @param {any} round
 */
function labels(explanation, round) {
  return round.tags.map((/** @type {number[]} */ row, /** @type {number} */ at) => {
    const tag = explanation.tags[argmax(row)];
    const sentiment = explanation.polarities[argmax(round.sentiments[at])];
    return {
      tag,
      label: tag.endsWith("A") ? `aspect ${sentiment}` : tag === "O" ? "none" : "opinion",
    };
  });
}

/** @param {Page} page */
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

/** Types the review with a model chosen. @param {Page} page @param {string} model */
async function enterWith(page, model) {
  await page.waitForSelector("#models:visible");
  await page.selectOption("#model", model);
  await enter(page, TEXT);
}

// Models with and without document tasks.
for (const model of [MODEL, ...OTHERS]) {
  test(`every round shows its own predictions, and what it changed: ${model}`, async () => {
    const explanation = await explain(model);
    await browser.visit(server, {}, async (page) => {
      await enterWith(page, model);
      const slider = page.locator("#round");
      assert.equal(await slider.inputValue(), String(explanation.sentences[0].rounds.length - 1));
      for (const [at, sentence] of explanation.sentences.entries()) {
        await page.selectOption("#sentence", String(at));
        for (const [T, round] of sentence.rounds.entries()) {
          await slider.fill(String(T));
          await checkRound(page, explanation, sentence, T, round);
        }
      }
    });
  });

  test(`attention of a word, and of the document tasks: ${model}`, async () => {
    const [sentence] = (await explain(model)).sentences;
    const word = sentence.tokens.findIndex((/** @type {any} */ { text }) => text === "clean");
    await browser.visit(server, {}, async (page) => {
      await enterWith(page, model);
      const heat = () => page.locator(".cell .heat").allTextContents();
      for (const [T, round] of sentence.rounds.entries()) {
        await page.locator("#round").fill(String(T));
        await page.locator(".cell", { hasText: "clean" }).click();
        const row = round.attention[word].map(percent);
        row[word] = "";
        assert.deepEqual(await heat(), row);
        const kinds = await page
          .locator("#focus option")
          .evaluateAll((options) => options.map((option) => option.getAttribute("value")));
        const tasks = round.document ? ["sentiment", "domain"] : [];
        assert.deepEqual(kinds, ["word", ...tasks, "none"]);
        for (const task of tasks) {
          await page.selectOption("#focus", task);
          assert.deepEqual(await heat(), round.document[`${task}_attention`].map(percent));
        }
        await page.selectOption("#focus", "none");
        assert.deepEqual(
          await heat(),
          round.attention[word].map(() => ""),
        );
      }
    });
  });
}

/**
 * @param {Page} page
 * @param {any} explanation
 * @param {any} sentence
 * @param {number} T
 * @param {any} round
 */
async function checkRound(page, explanation, sentence, T, round) {
  const now = labels(explanation, round);
  assert.deepEqual(
    await shown(page),
    now.map((/** @type {any} */ { label }) => label),
  );
  const before = labels(explanation, sentence.rounds[Math.max(0, T - 1)]);
  const words = now.flatMap((/** @type {any} */ { tag, label }, /** @type {number} */ i) => {
    const sentimentChanged = tag.endsWith("A") && before[i].label !== label;
    return before[i].tag !== tag || sentimentChanged ? [sentence.tokens[i].text] : [];
  });
  const changed = await page.locator(".cell.changed .word").allTextContents();
  assert.deepEqual(changed, words, `T = ${T}`);
  const listed = await page.locator(".change-list b").allTextContents();
  assert.deepEqual(listed, words);
  if (!round.document) {
    assert.equal(await page.innerText(".whole"), "");
    return;
  }
  const sentiment = explanation.polarities.map(
    (/** @type {string} */ name, /** @type {number} */ i) =>
      `${name} ${percent(round.document.sentiment[i])}`,
  );
  assert.match(await page.innerText(".whole"), new RegExp(sentiment.join(", ")));
}

test("a model without message passing has no slider", async () => {
  await browser.visit(server, {}, async (page) => {
    // What a network with T = 0 and without document tasks answers.
    await page.route("**/explain", async (route) => {
      const response = await route.fetch();
      const json = await response.json();
      for (const sentence of json.sentences) {
        sentence.rounds = [{ ...sentence.rounds.at(-1), document: null }];
      }
      await route.fulfill({ response, json });
    });
    await enter(page, TEXT);
    assert.equal(await page.isVisible("#round"), false);
    assert.match(await page.innerText(".changed"), /This model passes no messages/);
    assert.match(await page.innerText(".predicted"), /Predicted/);
    assert.match(await page.innerText(".chips"), /room/);
    await page.locator(".cell", { hasText: "clean" }).click();
    assert.match(await page.locator(".cell .heat").first().innerText(), /%/);
    assert.equal(await page.innerText(".whole"), "");
  });
});

test("slider and words with the keyboard", async () => {
  await browser.visit(server, {}, async (page) => {
    await enter(page, TEXT);
    const slider = page.locator("#round");
    await slider.focus();
    const last = Number(await slider.getAttribute("max"));
    await page.keyboard.press("ArrowLeft");
    const text = (await slider.getAttribute("aria-valuetext")) ?? "";
    assert.ok(text.startsWith(`T = ${last - 1}, `), text);
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

test("the parts of a long sentence are shown like sentences", async () => {
  const long = `The soup ${"and the soup ".repeat(80)} was cold.`;
  await browser.visit(server, {}, async (page) => {
    await enter(page, long);
    const { sentences } = await explain(MODEL, long);
    assert.ok(sentences.length > 4);
    assert.equal(await page.locator("#sentence option").count(), sentences.length);
    assert.equal(await page.inputValue("#focus"), "word");
  });
});
