// The text and the model in the fragment of the address, which browsers never send to a server.

/** @typedef {{ text: string, model: string | null, scheme: string | null }} Shared */

/** What the address holds; `null` if it is not a shared text. @returns {Shared | null} */
export function sharedText() {
  const values = new URLSearchParams(location.hash.slice(1));
  const text = values.get("text");
  if (text === null) return null;
  return { text, model: values.get("model"), scheme: values.get("scheme") };
}

/** @param {string} text @param {import("./types.js").Choice} choice */
export function address(text, choice) {
  const values = new URLSearchParams({ text });
  values.set("model", choice.model);
  if (choice.scheme) values.set("scheme", choice.scheme);
  // Not every program that finds links in messages keeps a plus sign.
  return `${location.origin}${location.pathname}#${values.toString().replaceAll("+", "%20")}`;
}

/** @param {string} fragment `#…`, or nothing */
export function setFragment(fragment) {
  history.replaceState(null, "", fragment || location.pathname);
}
