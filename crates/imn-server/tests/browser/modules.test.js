// Modules without a page, and what no module may do.

import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import test from "node:test";
import { columnsOf } from "../../web/columns.js";
import { duration, size } from "../../web/format.js";
import { changes, terms } from "../../web/readings.js";

test("columns are read from the head of a file", async () => {
  const columns = (/** @type {string} */ name, /** @type {string} */ text) =>
    columnsOf(new File([text], name));
  assert.deepEqual(await columns("a.csv", "id,text\r\n1,x"), ["id", "text"]);
  assert.deepEqual(await columns("a.CSV", '\ufeff"a ""b"", c","d\ne",f\n'), [
    'a "b", c',
    "d\ne",
    "f",
  ]);
  assert.deepEqual(await columns("a.csv", '"never closed'), []);
  assert.deepEqual(await columns("a.csv", ""), []);
  assert.deepEqual(await columns("a.tsv", 'a\t"b\n'), ["a", '"b']);
  assert.deepEqual(await columns("a.jsonl", '\n{"x": 1, "<b>": 2}\n'), ["x", "<b>"]);
  assert.deepEqual(await columns("a.jsonl", "null\n"), []);
  assert.deepEqual(await columns("a.jsonl", "{broken\n"), []);
  assert.deepEqual(await columns("a.parquet", "PAR1"), []);
});

test("terms and changes follow the tags", () => {
  /** @type {any} */
  const word = (/** @type {string} */ tag, sentiment = "positive") => ({
    tag,
    kind: tag === "O" ? "none" : tag.endsWith("A") ? "aspect" : "opinion",
    sentiment,
  });
  const words = [
    word("IA"),
    word("BA"),
    word("IA"),
    word("BA", "negative"),
    word("IP"),
    word("BP"),
  ];
  assert.deepEqual(terms(words), [
    { kind: "aspect", start: 1, end: 3, sentiment: "positive" },
    { kind: "aspect", start: 3, end: 4, sentiment: "negative" },
    { kind: "opinion", start: 5, end: 6, sentiment: null },
  ]);
  const before = [word("O"), word("BA"), word("O", "negative")];
  const after = [word("BP"), word("BA", "negative"), word("O")];
  assert.deepEqual(changes(before, after), [
    { word: 0, from: "neither", to: "opinion" },
    { word: 1, from: "positive", to: "negative" },
  ]);
});

test("numbers for people", () => {
  assert.deepEqual([1.25, 43.6, 2500, 65_000, 3_700_000].map(duration), [
    "1.3 ms",
    "44 ms",
    "2.5 s",
    "1 min 5 s",
    "1 h 1 min",
  ]);
  assert.deepEqual([0, 999, 1500, 1_073_741_824].map(size), [
    "0 bytes",
    "999 bytes",
    "1.5 KB",
    "1.1 GB",
  ]);
});

test("no module writes HTML or evaluates text, and all are small", async () => {
  const web = new URL("../../web/", import.meta.url);
  const files = (await readdir(web)).filter((name) => name.endsWith(".js"));
  assert.ok(files.length > 10);
  for (const name of files) {
    const source = await readFile(new URL(name, web), "utf8");
    const sinks =
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function|srcdoc/;
    assert.doesNotMatch(source, sinks, name);
    assert.ok(source.split("\n").length < 400, `${name} is long`);
  }
  const page = await readFile(new URL("index.html", web), "utf8");
  assert.doesNotMatch(page, /\sstyle=|\son\w+=|<style|<script(?![^>]*src=)/);
});
