// What goes wrong, in words: limits, a busy server, one that is gone, API keys.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import test from "node:test";
import {
  MODEL,
  enter,
  eventually,
  startBrowser,
  startServer,
  temporaryFolder,
} from "./harness.js";

const TEXT = "The ramen was wonderful, but the waiter was rude.";
const browser = await startBrowser();
const folder = await temporaryFolder();

test("a text that is too long is refused before it is sent", async () => {
  const server = await startServer("--max-text-bytes", "60", "--max-upload-bytes", "1000");
  await browser.visit(server, {}, async (page) => {
    await enter(page, TEXT);
    // 57 characters, and more bytes than that.
    await page.fill("#text", `${TEXT} ü ü ü ü`);
    await page.waitForSelector("#text-note.bad");
    assert.match(await page.innerText("#text-note"), /61 bytes; one review may have 60 bytes/);
    assert.equal(await page.getAttribute("#text", "aria-invalid"), "true");
    assert.equal(await page.isVisible("#marked"), false);
    await page.fill("#text", TEXT);
    await page.waitForSelector("#marked .aspect");
    assert.equal(await page.innerText("#text-note"), "");
    const large = path.join(folder, "large.txt");
    await writeFile(large, "The soup was cold.\n".repeat(100));
    await page.click("#tab-files");
    await page.setInputFiles("#file", large);
    const notice = page.locator("#upload [role=alert]");
    await notice.filter({ hasText: "This file has 1.9 KB; the server accepts 1.0 KB." }).waitFor();
  });
  await server.stop();
});

test("a busy server: the page waits as long as the server says, then tries again", async () => {
  const server = await startServer("--max-concurrent-requests", "1");
  await browser.visit(server, { expected: /status of 429/ }, async (page) => {
    await page.waitForSelector("#models:visible");
    // Another client takes the only place for a while.
    const long = "The soup was cold, and the waiter was friendly. ".repeat(10);
    const other = server.post("/analyze", { inputs: Array(60).fill(long) });
    await page.fill("#text", TEXT);
    await page.locator("#failure", { hasText: "too much to do" }).waitFor();
    assert.match(await page.innerText("#failure"), /Trying again/);
    assert.equal((await other).results.length, 60);
    await page.waitForSelector("#marked .aspect");
    assert.equal(await page.isVisible("#failure"), false);
  });
  await server.stop();
});

test("a server that is gone and comes back, with a job in progress", async () => {
  const server = await startServer();
  const source = path.join(folder, "long.txt");
  await writeFile(source, "Cold soup.\n".repeat(30_000));
  await browser.visit(server, { expected: /ERR_|status of 503/ }, async (page) => {
    await enter(page, TEXT);
    await page.click("#tab-files");
    await page.setInputFiles("#file", source);
    await page.click(".staged button[type=submit]");
    await page.locator(".job .state", { hasText: "Running" }).waitFor();
    const reviews = async () =>
      Number(/([\d,]+) reviews/.exec(await page.innerText(".job"))?.[1].replace(",", ""));
    await eventually(async () => (await reviews()) > 0, 30);
    await server.stop();
    await page.locator("#jobs [role=alert]", { hasText: "does not answer" }).waitFor();
    await page.click("#tab-review");
    await page.fill("#text", "The soup was cold.");
    await page.locator("#failure", { hasText: "Is imn serve still running?" }).waitFor();
    await server.start();
    await page.click("#failure >> text=Try again");
    await page.waitForSelector("#marked .aspect");
    assert.equal(await page.isVisible("#failure"), false);
    await page.click("#tab-files");
    // The server resumes the job, and the page its progress.
    await page.locator("#jobs [role=alert]").waitFor({ state: "hidden" });
    const seen = await reviews();
    await eventually(async () => (await reviews()) > seen, 30);
    await page.click(".job >> text=Cancel");
    await page.locator(".job .state", { hasText: "Cancelled" }).waitFor();
  });
  await server.stop();
});

test("a server with an API key: asked for, refused, used for everything", async () => {
  const server = await startServer("--api-key", "open sesame");
  const source = path.join(folder, "keyed.csv");
  await writeFile(source, "text,when\nThe soup was cold.,2026-01-02\n");
  await browser.visit(server, { expected: /status of 401/ }, async (page) => {
    await page.waitForSelector("#key-form:visible");
    await page.fill("#key", "guess");
    await page.keyboard.press("Enter");
    await page.locator("#connection", { hasText: "does not know this key" }).waitFor();
    await page.fill("#key", "open sesame");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#key-form", { state: "hidden" });
    assert.equal(await page.isVisible("#connection"), false);
    await enter(page, TEXT);
    await page.click("#tab-files");
    await page.setInputFiles("#file", source);
    await page.click(".staged button[type=submit]");
    await page.locator(".job .state", { hasText: "Finished" }).waitFor();
    const download = page.waitForEvent("download");
    await page.click(".job >> text=JSON lines");
    const saved = await download;
    assert.match(saved.suggestedFilename(), /^imn-.*\.jsonl$/);
    assert.match((await readFile(await saved.path())).toString(), /^\{/);
    // Reports open by link. Links carry a ticket, never the key, and work once.
    for (const follow of [
      () => page.click(".job >> text=Open report"),
      async () => {
        await page.click(".job >> text=Report over time");
        await page.getByLabel("Column with dates").fill("when");
        await page.getByRole("button", { name: "Open", exact: true }).click();
      },
    ]) {
      const opened = page.context().waitForEvent("page");
      await follow();
      const report = await opened;
      await report.waitForLoadState();
      assert.equal(await report.title(), "keyed.csv");
      assert.match(report.url(), /[?&]ticket=[0-9a-f]{32}$/);
      assert.doesNotMatch(report.url(), /sesame/);
      assert.equal((await fetch(report.url())).status, 401);
      await report.close();
    }
  });
  await server.stop();
});

test("several models: chosen by name, in the link and in jobs", async () => {
  const model = path.join(folder, "hotels.imn");
  await writeFile(
    model,
    await readFile(new URL(`../../../../models/${MODEL}.imn`, import.meta.url)),
  );
  const server = await startServer("--model", MODEL, "--model", model);
  await browser.visit(server, {}, async (page) => {
    const names = page.locator("#model option");
    await eventually(async () => (await names.count()) === 2);
    await page.selectOption("#model", { index: 1 });
    const chosen = await page.inputValue("#model");
    const sent = page.waitForRequest((request) => request.url().endsWith("/analyze"));
    await enter(page, TEXT);
    assert.equal((await sent).postDataJSON().model, chosen);
    assert.match(page.url(), new RegExp(`model=${encodeURIComponent(chosen)}`));
    await page.reload();
    await page.waitForSelector("#marked .aspect");
    assert.equal(await page.inputValue("#model"), chosen);
  });
  await server.stop();
});
