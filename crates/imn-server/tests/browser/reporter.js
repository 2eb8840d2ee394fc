// One line per test, the reasons of failures, and a count at the end.

/** @param {AsyncIterable<{ type: string, data: any }>} source */
export default async function* report(source) {
  let passed = 0;
  let failed = 0;
  for await (const { type, data } of source) {
    if (type !== "test:pass" && type !== "test:fail") continue;
    // A file is a test around its tests; only its failure is news.
    const isFile = data.nesting === 0 && data.name.endsWith(".test.js");
    const time = `${(data.details.duration_ms / 1000).toFixed(1)} s`;
    if (type === "test:pass") {
      if (isFile) continue;
      passed += 1;
      yield `ok    ${data.name} (${time})\n`;
    } else {
      failed += 1;
      const cause = data.details.error?.cause ?? data.details.error;
      yield `FAIL  ${data.name} (${time})\n${cause?.stack ?? cause}\n`;
    }
  }
  yield `${passed} passed, ${failed} failed\n`;
}
