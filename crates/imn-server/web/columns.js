// The columns of a file before it is uploaded, from its first bytes. What cannot be told here, of
// Parquet and compressed files, the server finds out.

const HEAD = 1 << 16;

/**
 * @param {File} file
 * @returns {Promise<string[]>} empty if they cannot be told
 */
export async function columnsOf(file) {
  const head = await file.slice(0, HEAD).text();
  const name = file.name.toLowerCase();
  const text = head.replace(/^\ufeff/, "");
  if (name.endsWith(".csv")) return distinct(csvRow(text));
  if (name.endsWith(".tsv")) return distinct(firstLine(text).split("\t"));
  if (name.endsWith(".jsonl") || name.endsWith(".ndjson")) return distinct(keys(firstLine(text)));
  return [];
}

/** @param {string[]} names */
function distinct(names) {
  return [...new Set(names.filter((name) => name !== ""))];
}

/** @param {string} text */
function firstLine(text) {
  return text.split(/\r?\n/).find((line) => line.trim() !== "") ?? "";
}

/** @param {string} line */
function keys(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === "object" && value !== null ? Object.keys(value) : [];
  } catch {
    return [];
  }
}

/**
 * The first row by RFC 4180; a quoted field may hold commas, line ends and doubled quotes.
 * @param {string} text
 */
function csvRow(text) {
  /** @type {string[]} */
  const fields = [];
  let at = 0;
  while (true) {
    let field = "";
    if (text[at] === '"') {
      const quoted = /"((?:[^"]|"")*)"/y;
      quoted.lastIndex = at;
      const match = quoted.exec(text);
      if (!match) return [];
      field = match[1].replaceAll('""', '"');
      at = quoted.lastIndex;
    }
    const plain = /[^,\r\n]*/y;
    plain.lastIndex = at;
    field += plain.exec(text)?.[0] ?? "";
    at = plain.lastIndex;
    fields.push(field);
    if (text[at] !== ",") return fields;
    at += 1;
  }
}
