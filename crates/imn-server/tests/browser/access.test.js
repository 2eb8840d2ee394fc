// Small screens, dark mode, the keyboard, and what screen readers get.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import test from "node:test";
import { enter, eventually, startBrowser, startServer, temporaryFolder } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */

const TEXT =
  "The room was clean and quiet, and the view from the balcony is breathtaking. " +
  "Breakfast could be better: cold eggs, weak coffee.";
const [server, browser] = await Promise.all([startServer(), startBrowser()]);
const folder = await temporaryFolder();
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core"), "utf8");

/** Rules of WCAG that the page breaks. @param {Page} page @returns {Promise<string[]>} */
async function violations(page) {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    // Bars and colours move for a moment after a change.
    await Promise.all(document.getAnimations().map((animation) => animation.finished));
    const found = await /** @type {any} */ (window).axe.run();
    return found.violations.map(
      (/** @type {any} */ { id, nodes }) =>
        `${id}: ${nodes.map((/** @type {any} */ node) => node.target).join(", ")}`,
    );
  });
}

/** A finished job in the tab of files. @param {Page} page @param {string} name */
async function finishedJob(page, name) {
  const source = path.join(folder, name);
  await writeFile(source, "The soup was cold.\n");
  await page.click("#tab-files");
  await page.setInputFiles("#file", source);
  await page.click(".staged button[type=submit]");
  const job = page.locator(".job", { hasText: name.slice(0, 8) }).first();
  await job.locator(".state", { hasText: "Finished" }).waitFor();
  await page.setInputFiles("#file", source);
  await page.waitForSelector(".staged form");
}

for (const [colorScheme, width] of /** @type {const} */ ([
  ["light", 1280],
  ["dark", 390],
])) {
  test(`no rule of accessibility is broken: ${colorScheme}, ${width} px`, async () => {
    const viewport = { width, height: 800 };
    await browser.visit(server, { colorScheme, viewport }, async (page) => {
      await enter(page, TEXT);
      await page.locator("#round").fill("0");
      assert.deepEqual(await violations(page), []);
      await finishedJob(page, `${colorScheme}-${width}.txt`);
      assert.deepEqual(await violations(page), []);
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = (background.match(/\d+/g) ?? []).every((value) => Number(value) > 128);
      assert.equal(light, colorScheme === "light");
    });
  });
}

test("nothing is wider than a phone, whatever the words", async () => {
  const word = "unpronounceable".repeat(20);
  const options = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
  await browser.visit(server, options, async (page) => {
    const fits = async (/** @type {string} */ what) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(wide <= 390, `${what}: ${wide} px`);
    };
    await fits("empty");
    const long =
      "Nevertheless the extraordinarily accommodating restaurateur recommended " +
      "unforgettable accompaniments.";
    await enter(page, `${long} ${TEXT}`);
    await fits("a review of several sentences");
    await page.locator("#marked .aspect").first().tap();
    const tip = await page.locator("#tip").boundingBox();
    assert.ok(tip && tip.x >= 0 && tip.x + tip.width <= 390);
    await enter(page, `The ${word} was ${word}, and the ${word} soup was cold.`);
    await fits("long words");
    await finishedJob(page, `${word.slice(0, 120)}.txt`);
    await fits("jobs");
  });
});

test("everything works with the keyboard alone", async () => {
  await browser.visit(server, {}, async (page) => {
    const source = path.join(folder, "keyboard.txt");
    await writeFile(source, "The soup was cold.\n");
    // The browser must know long before the dialog that it is answered here.
    page.on("filechooser", (chooser) => chooser.setFiles(source));
    const focus = () =>
      page.evaluate(() => {
        const element = document.activeElement;
        return `${element?.id} ${element?.className} ${element?.textContent?.trim()}`;
      });
    /** Presses Tab until something has the focus. @param {RegExp} wanted */
    const tabTo = async (wanted) => {
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press("Tab");
        if (wanted.test(await focus())) return;
      }
      assert.fail(`Tab does not reach ${wanted}`);
    };
    await page.keyboard.press("Tab");
    assert.match(await focus(), /Skip to the content/);
    await page.keyboard.press("Enter");
    await tabTo(/^text /);
    await page.keyboard.type("The soup was cold.");
    await page.waitForSelector("#marked .aspect");
    await tabTo(/chip Ramen bar/);
    await page.keyboard.press("Enter");
    await page.locator("#marked", { hasText: "waiter" }).waitFor();
    await page.waitForSelector("#rounds-body .cell");
    await tabTo(/term aspect positive linked ramen/);
    assert.match(await page.innerText("#tip"), /Positive aspect/);
    await tabTo(/^round /);
    const last = Number(await page.getAttribute("#round", "max"));
    await page.keyboard.press("ArrowLeft");
    assert.equal(await page.inputValue("#round"), String(last - 1));
    await tabTo(/cell/);
    await page.keyboard.press("ArrowRight");
    assert.match(await focus(), /was/);
    for (let presses = 0; presses < 40 && !/^tab-review/.test(await focus()); presses += 1) {
      await page.keyboard.press("Shift+Tab");
    }
    await page.keyboard.press("ArrowRight");
    assert.match(await focus(), /^tab-files/);
    assert.equal(await page.isVisible("#panel-files"), true);
    await tabTo(/^file /);
    await page.keyboard.press("Enter");
    await page.waitForSelector(".staged form");
    assert.match(await focus(), /primary Analyse/);
    await page.keyboard.press("Enter");
    const job = page.locator(".job", { hasText: "keyboard.txt" });
    await job.locator(".state", { hasText: "Finished" }).waitFor();
    await tabTo(/Open report/);
    await tabTo(/quiet Delete/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await job.waitFor({ state: "detached" });
    await eventually(async () => /button|file|quiet/.test(await focus()));
  });
});

test("the page of the routes has no errors", async () => {
  await browser.visit(
    server,
    {},
    async (page) => {
      await page.locator("code", { hasText: "/analyze" }).first().waitFor();
      assert.deepEqual(await violations(page), []);
    },
    "/docs",
  );
});
