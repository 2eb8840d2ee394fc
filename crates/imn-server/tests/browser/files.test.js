// Files: choosing, dropping, progress, cancelling, results, the report.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { eventually, startBrowser, startServer, temporaryFolder } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */

const [server, browser] = await Promise.all([startServer(), startBrowser()]);
const folder = await temporaryFolder();
const HOSTILE = "<img src=x onerror=document.title='owned'>";

/** @param {string} name @param {string} content */
async function file(name, content) {
  const target = path.join(folder, name);
  await writeFile(target, content);
  return target;
}

/** A table of reviews with a given number of rows. @param {number} rows */
function table(rows) {
  const row = (/** @type {number} */ at) => {
    const verdict = ["wonderful", "awful", "cold"][at % 3];
    const date = `2026-${String((at % 12) + 1).padStart(2, "0")}-15`;
    return `${at},"The soup was ${verdict}, and the waiter was friendly.",${date}\n`;
  };
  return `id,review,date\n${Array.from({ length: rows }, (_, at) => row(at)).join("")}`;
}

/** @param {Page} page @param {string} target */
async function choose(page, target) {
  await page.click("#tab-files");
  await page.setInputFiles("#file", target);
  await page.waitForSelector(".staged form");
}

/** Uploads what was chosen and waits for the end of the job. @param {Page} page */
async function analyse(page, state = "Finished") {
  const accepted = page.waitForResponse((answer) => answer.url().includes("/jobs?"));
  await page.click(".staged button[type=submit]");
  const location = await (await accepted).headerValue("location");
  const job = page.locator(`.job[data-id="${location?.split("/").at(-1)}"]`);
  await job.locator(".state", { hasText: state }).waitFor({ timeout: 40_000 });
  return job;
}

/**
 * @param {Page} page
 * @param {import("playwright-core").Locator} job
 * @param {string} name
 */
async function download(page, job, name) {
  const started = page.waitForEvent("download");
  await job.getByRole("link", { name, exact: true }).click();
  const done = await started;
  return { name: done.suggestedFilename(), bytes: await readFile(await done.path()) };
}

test("a CSV becomes a report and results in every format", async () => {
  const source = await file("reviews.csv", table(30));
  await browser.visit(server, {}, async (page) => {
    await page.click("#tab-files");
    assert.match(await page.innerText("#jobs"), /No jobs yet/);
    await choose(page, source);
    const columns = await page
      .locator(".staged select")
      .first()
      .locator("option")
      .allTextContents();
    assert.deepEqual(columns, ["found automatically", "id", "review", "date"]);
    const job = await analyse(page);
    assert.match(await job.innerText(), /30 reviews · \d+ aspects/);

    const jsonl = await download(page, job, "JSON lines");
    assert.match(jsonl.name, /\.jsonl$/);
    const records = jsonl.bytes
      .toString()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    assert.equal(records.length, 30);
    assert.equal(records[0].aspects[0].term, "soup");
    assert.equal(records[7].columns.date, "2026-08-15");
    const csv = await download(page, job, "CSV");
    assert.match(csv.bytes.toString(), /^row,id,text,date,text_sentiment/);
    const parquet = await download(page, job, "Parquet");
    assert.equal(parquet.bytes.subarray(0, 4).toString(), "PAR1");
    const html = await download(page, job, "HTML");
    assert.match(html.bytes.toString(), /^<!doctype html>/i);

    const opened = page.context().waitForEvent("page");
    await job.getByText("Open report").click();
    const report = await opened;
    await report.waitForLoadState();
    assert.equal(await report.title(), "reviews.csv");
    assert.match(await report.innerText("main"), /30\s*$|30/m);
    // The report runs apart from this page: it has an origin of its own.
    assert.equal(await report.evaluate(() => window.origin), "null");
    await report.close();

    // What one job has written, another can read.
    const again = path.join(folder, "again.parquet");
    await writeFile(again, parquet.bytes);
    await choose(page, again);
    assert.match(await (await analyse(page)).innerText(), /again\.parquet[\s\S]*30 reviews/);
  });
});

test("the report over time; a column that is not there is named", async () => {
  const source = await file("dated.csv", table(24));
  const options = { expected: /status of 422/ };
  await browser.visit(server, options, async (page) => {
    await choose(page, source);
    const job = await analyse(page);
    await job.getByText("Report over time").click();
    await job.getByLabel("Column with dates").fill("when");
    await job.getByRole("button", { name: "Open" }).click();
    await page.locator("#jobs [role=alert]", { hasText: "when" }).waitFor();
    const opened = page.context().waitForEvent("page");
    await job.getByLabel("Column with dates").fill("date");
    await job.getByRole("button", { name: "Open" }).click();
    const report = await opened;
    await report.waitForLoadState();
    assert.match(await report.innerText("header"), /2026/);
  });
});

test("progress arrives live, in order, and a job can be cancelled and deleted", async () => {
  const source = await file("long.csv", `text\n${"Cold soup.\n".repeat(30_000)}`);
  await browser.visit(server, {}, async (page) => {
    await choose(page, source);
    await page.click(".staged button[type=submit]");
    const job = page.locator(".job", { hasText: "long.csv" });
    await job.locator("progress").waitFor({ state: "visible" });
    /** @type {number[]} */
    const seen = [];
    await eventually(async () => {
      const reviews = /([\d,]+) reviews/.exec(await job.innerText())?.[1] ?? "0";
      const value = Number(reviews.replaceAll(",", ""));
      if (value !== seen.at(-1)) seen.push(value);
      return seen.length >= 3;
    }, 40);
    assert.deepEqual(
      seen,
      [...seen].sort((a, b) => a - b),
    );
    const share = await job
      .locator("progress")
      .evaluate((bar) => /** @type {any} */ (bar).position);
    assert.ok(share > 0 && share < 1, `${share} of the bar`);
    await job.getByText("Cancel").click();
    await job.locator(".state", { hasText: "Cancelled" }).waitFor();
    assert.match(await job.locator("button").innerText(), /Delete/);
    await job.getByText("Delete").click();
    assert.equal(await job.count(), 1, "deleting asks first");
    await job.getByText("Delete for good?").click();
    await job.waitFor({ state: "detached" });
    await page.reload();
    await page.click("#tab-files");
    await page.locator(".job", { hasText: "reviews.csv" }).first().waitFor();
    assert.equal(await page.locator(".job", { hasText: "long.csv" }).count(), 0);
  });
});

test("a file that is dropped on the page is chosen", async () => {
  await browser.visit(server, {}, async (page) => {
    const drop = (/** @type {string[]} */ names) =>
      page.evaluate((files) => {
        const transfer = new DataTransfer();
        for (const name of files)
          transfer.items.add(new File(['{"text": "The soup was cold."}\n'], name));
        for (const type of ["dragover", "drop"]) {
          const event = new DragEvent(type, {
            dataTransfer: transfer,
            bubbles: true,
            cancelable: true,
          });
          document.body.dispatchEvent(event);
        }
      }, names);
    await drop(["a.jsonl", "b.jsonl"]);
    assert.match(await page.innerText("#upload [role=alert]"), /one file at a time/);
    await drop(["dropped.jsonl"]);
    await page.waitForSelector(".staged form");
    assert.equal(await page.isVisible("#drop"), false);
    assert.equal(await page.getAttribute("#tab-files", "aria-selected"), "true");
    assert.match(await (await analyse(page)).innerText(), /dropped\.jsonl[\s\S]*1 review /);
  });
});

test("hostile names of files and columns stay text", async () => {
  const source = await file(`${HOSTILE}.csv`, `${HOSTILE},b\nThe soup was ${HOSTILE} cold.,1\n`);
  await browser.visit(server, {}, async (page) => {
    await choose(page, source);
    const select = page.locator(".staged select").first();
    assert.ok((await select.locator("option").allTextContents()).includes(HOSTILE));
    await select.selectOption(HOSTILE);
    const job = await analyse(page);
    assert.equal(await job.locator(".file-name").textContent(), `${HOSTILE}.csv`);
    assert.equal(await page.locator("main img").count(), 0);
    const opened = page.context().waitForEvent("page");
    await job.getByText("Open report").click();
    const report = await opened;
    await report.waitForLoadState();
    assert.equal(await report.title(), `${HOSTILE}.csv`);
    assert.equal(await report.locator("img").count(), 0);
    const html = await download(page, job, "HTML");
    assert.doesNotMatch(html.bytes.toString(), /<img/);
    assert.doesNotMatch(await page.title(), /owned/);
  });
});

test("rows that cannot be read are counted and can be had", async () => {
  const source = await file(
    "rows.jsonl",
    '{"text": "The soup was cold."}\nbroken\n{"text": null}\n',
  );
  await browser.visit(server, {}, async (page) => {
    await choose(page, source);
    const job = await analyse(page);
    assert.match(await job.innerText(), /1 review · 1 aspect · 2 rows not readable/);
    const errors = await download(page, job, "unreadable rows");
    assert.equal(errors.bytes.toString().trim().split("\n").length, 2);
  });
});

test("a table without a text column is refused, and its columns are there to choose", async () => {
  const source = await file("no-text.csv", "a,b\nThe soup was cold.,2\n");
  await browser.visit(server, { expected: /status of 422/ }, async (page) => {
    await choose(page, source);
    await page.click(".staged button[type=submit]");
    const alert = page.locator("#upload [role=alert]");
    await alert.filter({ hasText: "cannot tell which column has the text" }).waitFor();
    assert.doesNotMatch(await alert.innerText(), /--/);
    await page.getByLabel("Column with the text").selectOption("a");
    assert.match(await (await analyse(page)).innerText(), /1 review · 1 aspect/);
  });
});

test("a job that cannot be done says why", async () => {
  const damaged = gzipSync(table(200)).subarray(0, -40);
  const source = path.join(folder, "damaged.csv.gz");
  await writeFile(source, damaged);
  await browser.visit(server, {}, async (page) => {
    await choose(page, source);
    const job = await analyse(page, "Failed");
    assert.match(await job.locator(".bad").innerText(), /damaged\.csv\.gz/);
    assert.equal(await job.locator("a").count(), 0);
  });
});

test("an unknown format, an empty file and a discarded one", async () => {
  const odd = await file("reviews.odd", "The soup was cold.\n");
  const empty = await file("empty.csv", "");
  await browser.visit(server, { expected: /status of 415/ }, async (page) => {
    await page.click("#tab-files");
    await page.setInputFiles("#file", empty);
    await page.locator("#upload [role=alert]", { hasText: "This file is empty." }).waitFor();
    await choose(page, odd);
    await page.click(".staged button[type=submit]");
    await page
      .locator("#upload [role=alert]", { hasText: "format of this file is not clear" })
      .waitFor();
    await page.getByLabel("Format").selectOption("txt");
    assert.match(await (await analyse(page)).innerText(), /reviews\.odd[\s\S]*1 review /);
    await choose(page, odd);
    await page.click("text=Discard");
    assert.equal(await page.isVisible(".staged"), false);
  });
});
