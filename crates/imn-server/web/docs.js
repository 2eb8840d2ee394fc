"use strict";

// Shows /openapi.json. Everything is set as text, so nothing of the document can be markup.

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  made.append(...children);
  return made;
}

function resolve(schema, spec) {
  const name = schema.$ref?.split("/").pop();
  return name ? [name, spec.components.schemas[name]] : [null, schema];
}

// A schema in one line, such as `string | null` or `array of Aspect`.
function short(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return options.map(short).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.type === "array") return `array of ${short(schema.items)}`;
  return [schema.type ?? "any"].flat().join(" | ");
}

function table(rows) {
  const body = element("tbody");
  for (const [name, type, about] of rows) {
    body.append(element("tr", null, element("td", null, element("code", name)),
      element("td", null, element("code", type)), element("td", about)));
  }
  return element("table", null, body);
}

function fields(schema) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, field]) =>
    [name + (required.has(name) ? "" : "?"), short(field), field.description ?? ""]);
}

// A schema and those it uses, each once.
function schemas(schema, spec, seen) {
  const [name, found] = resolve(schema ?? {}, spec);
  if (!found || (name && seen.has(name))) return [];
  if (name) seen.add(name);
  const parts = [];
  const rows = fields(found);
  if (name && rows.length) parts.push(element("h4", name), table(rows));
  const inner = [...Object.values(found.properties ?? {}), ...(found.oneOf ?? []),
    ...(found.anyOf ?? []), ...(found.items ? [found.items] : [])];
  for (const one of inner) parts.push(...schemas(one, spec, seen));
  return parts;
}

function contents(content, spec, seen) {
  const parts = [];
  for (const [type, { schema }] of Object.entries(content ?? {})) {
    parts.push(element("p", null, element("code", type), ": " + short(schema)));
    parts.push(...schemas(schema, spec, seen));
  }
  return parts;
}

function operation(path, method, about, spec) {
  const summary = element("summary", null, element("span", method.toUpperCase()),
    element("code", path), element("span", about.summary));
  summary.firstChild.className = "method";
  summary.lastChild.className = "about";
  const body = element("div");
  if (about.description) body.append(element("p", about.description));
  if (about.parameters?.length) {
    body.append(element("h3", "Parameters"), table(about.parameters.map((parameter) =>
      [parameter.name + (parameter.required ? "" : "?"), short(parameter.schema),
        parameter.description ?? ""])));
  }
  if (about.requestBody) {
    const seen = new Set();
    body.append(element("h3", "Request"), ...contents(about.requestBody.content, spec, seen));
    for (const { schema } of Object.values(about.requestBody.content)) {
      const example = resolve(schema ?? {}, spec)[1]?.example;
      if (example) body.append(element("pre", JSON.stringify(example, null, 2)));
    }
  }
  const seen = new Set(["ErrorBody", "AzureErrorBody", "ErrorKind"]);
  body.append(element("h3", "Answers"));
  for (const [status, answer] of Object.entries(about.responses)) {
    body.append(element("p", null, element("strong", status), " " + answer.description));
    if (status < 300) body.append(...contents(answer.content, spec, seen));
  }
  return element("details", null, summary, body);
}

async function show() {
  const main = document.getElementById("routes");
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`the document cannot be loaded: ${answer.status}`);
  const spec = await answer.json();
  document.getElementById("about").textContent =
    `${spec.info.description}. Version ${spec.info.version}.`;
  const groups = new Map();
  for (const [path, methods] of Object.entries(spec.paths)) {
    for (const [method, about] of Object.entries(methods)) {
      const tag = about.tags?.[0] ?? "other";
      if (!groups.has(tag)) groups.set(tag, []);
      groups.get(tag).push(operation(path, method, about, spec));
    }
  }
  main.replaceChildren();
  for (const [tag, operations] of groups) main.append(element("h2", tag), ...operations);
}

show().catch((error) => {
  document.getElementById("routes").textContent = error.message;
});
