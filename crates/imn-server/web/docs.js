// Shows /openapi.json. Everything is set as text, so nothing of the document can be markup.

import { byId, element } from "./dom.js";

/**
 * The parts of OpenAPI that are shown.
 * @typedef {object} Schema
 * @property {string} [$ref]
 * @property {string | string[]} [type]
 * @property {string} [description]
 * @property {string[]} [required]
 * @property {Record<string, Schema>} [properties]
 * @property {Schema} [items]
 * @property {Schema[]} [oneOf]
 * @property {Schema[]} [anyOf]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {unknown} [example]
 */
/** @typedef {Record<string, { schema?: Schema }>} Content */
/**
 * @typedef {object} Parameter
 * @property {string} name
 * @property {boolean} [required]
 * @property {Schema} [schema]
 * @property {string} [description]
 * @property {string} [$ref]
 */
/**
 * @typedef {object} Operation
 * @property {string} [summary]
 * @property {string} [description]
 * @property {string[]} [tags]
 * @property {Parameter[]} [parameters]
 * @property {{ content: Content }} [requestBody]
 * @property {Record<string, Answer & { $ref?: string }>} responses
 */
/** @typedef {{ description: string, content?: Content }} Answer */
/**
 * @typedef {object} Spec
 * @property {{ description: string, version: string }} info
 * @property {Record<string, PathItem>} paths
 * @property {Components} components
 */
/** @typedef {{ parameters?: Parameter[] } & { [method in Method]?: Operation }} PathItem */
/** @typedef {"get" | "post" | "delete"} Method */
/**
 * @typedef {object} Components
 * @property {Record<string, Schema>} schemas
 * @property {Record<string, Answer>} responses
 * @property {Record<string, Parameter>} parameters
 */

/** @type {Method[]} */
const METHODS = ["get", "post", "delete"];

/** @param {string} name */
const code = (name) => element("code", "", name);

/**
 * @param {Schema} schema
 * @param {Spec} spec
 * @returns {[string | null, Schema | undefined]}
 */
function resolve(schema, spec) {
  const name = schema.$ref?.split("/").pop();
  return name ? [name, spec.components.schemas[name]] : [null, schema];
}

/**
 * A schema in one line, such as `string | null` or `array of Aspect`.
 * @param {Schema | undefined} schema
 * @returns {string}
 */
function short(schema) {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop() ?? "";
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return options.map(short).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if ("const" in schema) return JSON.stringify(schema.const);
  if (schema.type === "array") return `array of ${short(schema.items)}`;
  return [schema.type ?? "any"].flat().join(" | ");
}

/** @param {string[][]} rows name, type and description */
function table(rows) {
  const body = rows.map(([name, type, about]) =>
    element(
      "tr",
      "",
      element("td", "", code(name)),
      element("td", "", code(type)),
      element("td", "", about),
    ),
  );
  return element("table", "", element("tbody", "", ...body));
}

/** @param {Schema} schema */
function fields(schema) {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const mark = required.has(name) ? "" : "?";
    return [name + mark, short(field), field.description ?? ""];
  });
}

/**
 * A schema and those it uses, each once.
 * @param {Schema | undefined} schema
 * @param {Spec} spec
 * @param {Set<string>} seen
 * @returns {HTMLElement[]}
 */
function schemas(schema, spec, seen) {
  const [name, found] = resolve(schema ?? {}, spec);
  if (!found || (name && seen.has(name))) return [];
  if (name) seen.add(name);
  /** @type {HTMLElement[]} */
  const parts = [];
  const rows = fields(found);
  if (name && rows.length > 0) parts.push(element("h4", "", name), table(rows));
  if (name && found.enum) parts.push(element("p", "", code(name), `: ${short(found)}`));
  const inner = [
    ...Object.values(found.properties ?? {}),
    ...(found.oneOf ?? []),
    ...(found.anyOf ?? []),
    ...(found.items ? [found.items] : []),
  ];
  for (const one of inner) parts.push(...schemas(one, spec, seen));
  return parts;
}

/** @param {Content | undefined} content @param {Spec} spec @param {Set<string>} seen */
function contents(content, spec, seen) {
  return Object.entries(content ?? {}).flatMap(([type, { schema }]) => [
    element("p", "", code(type), `: ${short(schema)}`),
    ...schemas(schema, spec, seen),
  ]);
}

/** The last part of a reference. @param {string} reference */
const nameOf = (reference) => reference.split("/").at(-1) ?? "";

/** @param {Parameter[]} parameters @param {Spec} spec */
function parameterTable(parameters, spec) {
  const rows = parameters.map((given) => {
    const found = given.$ref ? spec.components.parameters[nameOf(given.$ref)] : given;
    const { name, required, schema, description } = found;
    return [name + (required ? "" : "?"), short(schema), description ?? ""];
  });
  return table(rows);
}

/** @param {string} path @param {Method} method @param {Operation} about @param {Spec} spec */
function operation(path, method, about, spec) {
  const summary = element(
    "summary",
    "",
    element("span", "method", method.toUpperCase()),
    code(path),
    element("span", "about", about.summary ?? ""),
  );
  const body = element("div");
  if (about.description) body.append(element("p", "", about.description));
  const parameters = [...(spec.paths[path].parameters ?? []), ...(about.parameters ?? [])];
  if (parameters.length > 0) {
    body.append(element("h3", "", "Parameters"), parameterTable(parameters, spec));
  }
  if (about.requestBody) {
    const { content } = about.requestBody;
    body.append(element("h3", "", "Request"), ...contents(content, spec, new Set()));
    for (const { schema } of Object.values(content)) {
      const example = resolve(schema ?? {}, spec)[1]?.example;
      if (example) body.append(element("pre", "", JSON.stringify(example, null, 2)));
    }
  }
  const seen = new Set(["ErrorBody", "AzureErrorBody", "ErrorKind"]);
  body.append(element("h3", "", "Answers"));
  for (const [status, given] of Object.entries(about.responses)) {
    const answer = given.$ref ? spec.components.responses[nameOf(given.$ref)] : given;
    body.append(element("p", "", element("strong", "", status), ` ${answer.description}`));
    if (Number(status) < 300) body.append(...contents(answer.content, spec, seen));
  }
  return element("details", "", summary, body);
}

async function show() {
  const answer = await fetch("/openapi.json");
  if (!answer.ok) throw new Error(`the document cannot be loaded: ${answer.status}`);
  /** @type {Spec} */
  const spec = await answer.json();
  const { description, version } = spec.info;
  byId("about", HTMLElement).textContent = `${description}. Version ${version}.`;
  /** @type {Map<string, HTMLElement[]>} */
  const groups = new Map();
  for (const [path, item] of Object.entries(spec.paths)) {
    for (const method of METHODS) {
      const about = item[method];
      if (!about) continue;
      const tag = about.tags?.[0] ?? "other";
      groups.set(tag, [...(groups.get(tag) ?? []), operation(path, method, about, spec)]);
    }
  }
  const parts = [...groups].flatMap(([tag, operations]) => [element("h2", "", tag), ...operations]);
  byId("routes", HTMLElement).replaceChildren(...parts);
}

show().catch((error) => {
  byId("routes", HTMLElement).textContent = error.message;
});
