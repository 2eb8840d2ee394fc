// One review: typing, terms, arcs, tooltips, links, copies.

import assert from "node:assert/strict";
import test from "node:test";
import { enter, eventually, startBrowser, startServer } from "./harness.js";

const TEXT = "The ramen was wonderful, but the waiter was rude.";
const [server, browser] = await Promise.all([startServer(), startBrowser()]);
const [, OTHER] = await server.schemes();

/** @param {string} text @param {object} [options] */
async function analyzed(text, options) {
  const body = { inputs: text, offset_unit: "utf16", ...options };
  return (await server.post("/analyze", body)).results[0];
}

/** The text of a term without what only screen readers read. @param {Element} mark */
const ownText = (mark) => mark.firstChild?.textContent ?? "";

test("typing shows aspects, opinions, facts and one arc per link", async () => {
  const review = await analyzed(TEXT);
  await browser.visit(server, {}, async (page) => {
    assert.match(await page.innerText("#result"), /Aspects appear here/);
    await page.locator("#text").pressSequentially(TEXT, { delay: 2 });
    await eventually(async () => (await page.locator("#marked .aspect").count()) === 2);
    const aspects = await page
      .locator("#marked .aspect")
      .evaluateAll((marks) =>
        marks.map((mark) => [mark.firstChild?.textContent, mark.classList[2]]),
      );
    /** @type {any[]} */
    const found = review.aspects;
    assert.deepEqual(
      aspects,
      found.map(({ term, sentiment }) => [term, sentiment]),
    );
    const opinions = await page
      .locator("#marked .opinion")
      .evaluateAll((marks) => marks.map((mark) => mark.firstChild?.textContent));
    assert.deepEqual(
      opinions,
      review.opinions.map((/** @type {any} */ { term }) => term),
    );
    const links = found.flatMap(({ opinions }) => opinions);
    assert.equal(await page.locator("#marked .arc").count(), links.length);
    const facts = await page.innerText("#facts");
    const { polarity, confidence } = review.sentiment;
    assert.match(facts, new RegExp(`${polarity} ${Math.round(100 * confidence)} %`));
    assert.match(facts, /Answered in\s+[\d.]+ (ms|s)/);
    assert.match(await page.innerText("#status"), /2 aspects: ramen positive, waiter negative/);
    assert.match(await page.innerText("#aspects"), /waiter\s+negative\s+\d+ %\s+rude/);
  });
});

test("sentiments are marked by a sign, not by colour alone", async () => {
  await browser.visit(server, {}, async (page) => {
    await enter(page, TEXT);
    const signs = await page
      .locator("#marked .aspect")
      .evaluateAll((marks) => marks.map((mark) => getComputedStyle(mark, "::after").content));
    assert.deepEqual(signs, ['"+" / ""', '"−" / ""']);
    const line = await page
      .locator("#marked .opinion")
      .first()
      .evaluate((mark) => getComputedStyle(mark).textDecorationLine);
    assert.equal(line, "underline");
  });
});

test("every arc starts at its opinion and ends at its aspect, at any width", async () => {
  const long = `${TEXT} The room was clean and quiet, and the view from the balcony is lovely.`;
  const review = await analyzed(long);
  await browser.visit(server, {}, async (page) => {
    await enter(page, long);
    for (const width of [1280, 390, 700]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(100);
      const ends = await page.locator("#marked .arc .line").evaluateAll((lines) =>
        lines.map((line) => {
          const path = /** @type {SVGPathElement} */ (line);
          const origin = path.ownerSVGElement?.getBoundingClientRect() ?? new DOMRect();
          return [0, path.getTotalLength()].map((at) => {
            const point = path.getPointAtLength(at);
            return { x: point.x + origin.left, y: point.y + origin.top };
          });
        }),
      );
      const boxes = (/** @type {string} */ kind) =>
        page
          .locator(`#marked .${kind}`)
          .evaluateAll((marks) =>
            marks.map((mark) => [...mark.getClientRects()].map((box) => box.toJSON())),
          );
      const [aspects, opinions] = [await boxes("aspect"), await boxes("opinion")];
      const links = review.aspects.flatMap((/** @type {any} */ aspect, /** @type {number} */ at) =>
        aspect.opinions.map((/** @type {any} */ link) => [opinions[link.opinion], aspects[at]]),
      );
      assert.equal(ends.length, links.length);
      links.forEach((/** @type {any[][]} */ link, /** @type {number} */ at) => {
        [0, 1].forEach((end) => {
          const { x, y } = ends[at][end];
          const touches = link[end].some(
            (box) => x >= box.left && x <= box.right && y >= box.top - 9 && y <= box.bottom + 9,
          );
          assert.ok(touches, `end ${end} of arc ${at} at ${width} px`);
        });
      });
    }
  });
});

test("confidence on hover and on focus; Escape closes it; linked terms stand out", async () => {
  const review = await analyzed(TEXT);
  await browser.visit(server, {}, async (page) => {
    await enter(page, TEXT);
    const ramen = page.locator("#marked .aspect").first();
    await ramen.hover();
    const sure = Math.round(100 * review.aspects[0].sentiment_confidence);
    assert.match(await page.innerText("#tip"), new RegExp(`Positive aspect\\s+${sure} % sure`));
    assert.equal(await page.locator("#marked .opinion.linked").evaluate(ownText), "wonderful");
    assert.equal(await page.locator("#marked .arc.linked").count(), 1);
    await page.mouse.move(5, 5);
    assert.equal(await page.isVisible("#tip"), false);
    const opinion = page.locator("#marked .opinion").nth(1);
    await opinion.focus();
    assert.match(await page.innerText("#tip"), /Opinion\s+\d+ % sure.*\s+About: waiter/);
    assert.equal(await opinion.getAttribute("aria-describedby"), "tip");
    await page.keyboard.press("Escape");
    assert.equal(await page.isVisible("#tip"), false);
  });
});

test("examples analyse; the address restores text, model and scheme", async () => {
  await browser.visit(server, {}, async (page) => {
    await page.selectOption("#scheme", OTHER);
    await page.click("#examples button >> text=Hotel");
    await page.waitForSelector("#marked .aspect");
    const text = await page.inputValue("#text");
    assert.match(text, /balcony/);
    const marked = await page
      .locator("#marked .term")
      .evaluateAll((marks) => marks.map((mark) => mark.firstChild?.textContent));
    await page.reload();
    await page.waitForSelector("#marked .aspect");
    assert.equal(await page.inputValue("#text"), text);
    assert.equal(await page.inputValue("#scheme"), OTHER);
    const again = await page
      .locator("#marked .term")
      .evaluateAll((marks) => marks.map((mark) => mark.firstChild?.textContent));
    assert.deepEqual(again, marked);
    // A link that is followed inside the page.
    await page.evaluate(
      () => (location.hash = "text=The%20soup%20was%20cold%20%26%20bland.%20%25"),
    );
    await page.waitForSelector("#marked >> text=%");
    assert.equal(await page.inputValue("#text"), "The soup was cold & bland. %");
    await page.fill("#text", "");
    assert.equal(new URL(page.url()).hash, "");
    assert.match(await page.innerText("#result"), /Aspects appear here/);
  });
});

test("the link and the record are copied", async () => {
  const permissions = ["clipboard-read", "clipboard-write"];
  await browser.visit(server, { permissions }, async (page) => {
    await enter(page, TEXT);
    await page.click("#copy-json");
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.waitForSelector("#copy-json >> text=Copied");
    assert.deepEqual(JSON.parse(await copied()), await analyzed(TEXT));
    await page.click("#copy-link");
    await page.waitForSelector("#copy-link >> text=Copied");
    const link = await copied();
    assert.equal(link, page.url());
    assert.doesNotMatch(link, /\+/);
    await page.waitForSelector("#copy-link >> text=Copy link");
  });
});

test("offsets hold with emoji, combining characters and right-to-left text", async () => {
  const text = "שלום 🍜🍜 e\u0301 : the ramen was wonderful, but the waiter was awful 👩‍👩‍👧";
  await browser.visit(server, {}, async (page) => {
    await enter(page, text);
    const terms = await page
      .locator("#marked .term")
      .evaluateAll((marks) => marks.map((mark) => mark.firstChild?.textContent));
    assert.deepEqual(terms, ["ramen", "wonderful", "waiter", "awful"]);
    await page.evaluate(() =>
      document.querySelectorAll("#marked .visually-hidden").forEach((hidden) => hidden.remove()),
    );
    assert.equal(await page.locator("#marked p").textContent(), text);
  });
});

test("a hostile review stays text", async () => {
  // Browsers read `image` as `img`, and the networks read it as a word.
  const text =
    "<image src=x onerror=\"document.title='owned'\"> The <b>ramen</b> was wonderful. " +
    "<script>document.title='owned'</script>";
  await browser.visit(server, {}, async (page) => {
    await enter(page, text);
    assert.match(await page.innerText("#marked"), /<image src=x onerror=/);
    assert.equal(await page.locator("main :is(img, script), #marked b, .cell b").count(), 0);
    assert.match(await page.innerText("#rounds"), /onerror/);
    assert.doesNotMatch(await page.title(), /owned/);
  });
});

test("another scheme is asked for and shown", async () => {
  const text = "I went to Milano last night. The ramen was wonderful.";
  await browser.visit(server, {}, async (page) => {
    await enter(page, text);
    const sent = page.waitForRequest((request) => request.url().endsWith("/analyze"));
    await page.selectOption("#scheme", OTHER);
    assert.equal((await sent).postDataJSON().scheme, OTHER);
    const review = await analyzed(text, { scheme: OTHER });
    const count = review.aspects.length;
    await eventually(async () => (await page.locator("#marked .aspect").count()) === count);
    assert.match(await page.innerText("#scheme-note"), new RegExp(OTHER));
  });
});

test("a text without aspects says so", async () => {
  await browser.visit(server, {}, async (page) => {
    await enter(page, "It is Tuesday today.");
    assert.match(await page.innerText("#aspects"), /No aspects found/);
    assert.equal(await page.locator("#marked .term").count(), 0);
  });
});

test("an answer that is overtaken by typing is not shown", async () => {
  await browser.visit(server, {}, async (page) => {
    await page.route("**/analyze", async (route) => {
      if (route.request().postData()?.includes("soup"))
        await new Promise((r) => setTimeout(r, 900));
      await route.continue().catch(() => {});
    });
    await page.fill("#text", "The soup was cold.");
    await page.waitForTimeout(400);
    await page.fill("#text", TEXT);
    await page.waitForSelector("#marked .aspect");
    await page.waitForTimeout(900);
    assert.match(await page.innerText("#marked"), /ramen/);
  });
});
