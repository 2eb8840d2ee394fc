// What all browser tests share: a real server on a loopback port, a real Chromium.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import readline from "node:readline";
import { after } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

/** @typedef {import("playwright-core").Page} Page */

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const BINARY = process.env.IMN_BIN ?? path.join(ROOT, "target/debug/imn");
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The names of the built-in models, the default first. @type {string[]} */
export const BUILT_IN = JSON.parse(
  execFileSync(BINARY, ["models", "--json"], { encoding: "utf8" }),
).map((/** @type {{ name: string }} */ { name }) => name);

/**
 * The model of servers that name none: a fast one if there is one of this name, or else the
 * default.
 */
export const MODEL = BUILT_IN.includes("fast") ? "fast" : BUILT_IN[0];

/** A folder that is removed when the tests of the file are over. */
export async function temporaryFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), "imn-browser-"));
  after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export class Server {
  /** @type {import("node:child_process").ChildProcess | null} */
  #process = null;
  origin = "";

  /** @param {string} jobs @param {string[]} args */
  constructor(jobs, args) {
    this.jobs = jobs;
    this.args = args;
  }

  /** Starts it; after a stop, on the same port. */
  async start() {
    const port = this.origin ? new URL(this.origin).port : "0";
    const args = ["serve", "--port", port, "--jobs-dir", this.jobs, ...this.args];
    const env = { ...process.env, IMN_MODEL: MODEL };
    const started = spawn(BINARY, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = started;
    started.stdout.resume();
    /** @type {string[]} */
    const log = [];
    const lines = readline.createInterface({ input: started.stderr });
    this.origin = await new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        log.push(line);
        const listening = /listening on (http:\/\/\S+)/.exec(line);
        if (listening) resolve(listening[1]);
      });
      started.once("exit", (code) => reject(new Error(`exit ${code}: ${log.join("\n")}`)));
      started.once("error", reject);
    });
  }

  /** @param {NodeJS.Signals} [signal] */
  async stop(signal = "SIGKILL") {
    const running = this.#process;
    this.#process = null;
    if (!running || running.exitCode !== null) return;
    running.kill(signal);
    await once(running, "exit");
  }

  /** The annotation schemes of its first model. @returns {Promise<string[]>} */
  async schemes() {
    return (await (await fetch(`${this.origin}/info`)).json()).models[0].schemes;
  }

  /** @param {string} route @param {unknown} body @returns {Promise<any>} */
  async post(route, body) {
    const headers = { "Content-Type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(this.origin + route, request)).json();
  }
}

/** A server that ends with the tests of the file. @param {...string} args */
export async function startServer(...args) {
  const server = new Server(await temporaryFolder(), args);
  after(() => server.stop());
  await server.start();
  return server;
}

/** A browser with a profile of its own that ends with the tests of the file. */
export async function startBrowser() {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  after(() => browser.close());
  return new Browser(browser);
}

/** @typedef {import("playwright-core").BrowserContextOptions & { expected?: RegExp }} Options */

/**
 * Answers with a file of `web` as it is now, with the headers of the one in the binary. For work
 * on the page: `IMN_WEB=1` saves building the program after every change.
 * @param {import("playwright-core").Route} route
 */
async function fromFolder(route) {
  const { pathname } = new URL(route.request().url());
  const pages = new Map([
    ["/", "index.html"],
    ["/docs", "docs.html"],
  ]);
  const name = pages.get(pathname) ?? path.basename(pathname);
  const file = path.join(ROOT, "crates/imn-server/web", name);
  try {
    const response = await route.fetch();
    await route.fulfill({ response, body: await readFile(file) });
  } catch {
    // The server is gone, as some tests want it, or the page is closed already.
    await route.abort().catch(() => {});
  }
}

class Browser {
  /** @param {import("playwright-core").Browser} browser */
  constructor(browser) {
    this.browser = browser;
  }

  /**
   * Opens a page, runs a test in it, and fails if the console had an error that was not expected
   * or the page has asked anybody but its server.
   * @param {Server} server
   * @param {Options} options
   * @param {(page: Page) => Promise<void>} run
   * @param {string} [address]
   */
  async visit(server, { expected, ...options }, run, address = "/") {
    const context = await this.browser.newContext(options);
    context.setDefaultTimeout(20_000);
    if (process.env.IMN_WEB) await context.route(/\/(assets\/.*|docs|$)/, fromFolder);
    const page = await context.newPage();
    /** @type {string[]} */
    const problems = [];
    page.on("console", (message) => {
      if (message.type() === "error" && !expected?.test(message.text())) {
        problems.push(message.text());
      }
    });
    page.on("pageerror", (error) => problems.push(String(error)));
    page.on("request", (request) => {
      const url = request.url();
      const own = url.startsWith(server.origin) || url.startsWith("blob:");
      if (!own) problems.push(`a request to ${url}`);
    });
    try {
      await page.goto(server.origin + address);
      await run(page);
      assert.deepEqual(problems, []);
    } finally {
      await context.close();
    }
  }
}

/**
 * Waits until something holds. Playwright's own way is a function that the policy of the page
 * does not let it make.
 * @param {() => Promise<boolean>} condition
 */
export async function eventually(condition, seconds = 15) {
  const end = Date.now() + 1000 * seconds;
  while (!(await condition())) {
    assert.ok(Date.now() < end, `not within ${seconds} s: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Types a review and waits for its analysis and its rounds.
 * @param {Page} page
 * @param {string} text
 */
export async function enter(page, text) {
  const answer = page.waitForResponse((response) => response.url().endsWith("/explain"));
  await page.fill("#text", text);
  await answer;
  await page.waitForSelector("#rounds-body .cell");
}
