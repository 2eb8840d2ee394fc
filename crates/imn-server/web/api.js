// Requests to the server that this page came from.

/** @typedef {import("./types.js").Choice} Choice */

const KEY = "imn-api-key";

/** Why a request failed: `kind` is the server's `error_type`, or `unreachable`. */
export class RequestError extends Error {
  /**
   * @param {string} kind
   * @param {string} message
   * @param {number | null} [retryAfter] seconds
   */
  constructor(kind, message, retryAfter = null) {
    super(message);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** @param {string} key */
export function useKey(key) {
  sessionStorage.setItem(KEY, key);
}

/** Whether requests carry an API key, which links cannot do. */
export function hasKey() {
  return sessionStorage.getItem(KEY) !== null;
}

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 */
export async function request(path, options = {}) {
  const headers = new Headers(options.headers);
  const key = sessionStorage.getItem(KEY);
  if (key !== null) headers.set("Authorization", `Bearer ${key}`);
  let answer;
  try {
    answer = await fetch(path, { ...options, headers });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new RequestError("unreachable", String(error));
  }
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

/** @param {Response} answer */
async function refusal(answer) {
  const wait = Number(answer.headers.get("Retry-After"));
  const retryAfter = Number.isFinite(wait) && wait > 0 ? wait : null;
  try {
    const body = await answer.json();
    return new RequestError(String(body.error_type), String(body.error), retryAfter);
  } catch {
    // A proxy in between answers in words of its own.
    const kind = answer.status === 429 ? "overloaded" : "internal";
    return new RequestError(kind, `status ${answer.status}`, retryAfter);
  }
}

/**
 * @template T
 * @param {string} path
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function getJson(path, signal) {
  return readJson(await request(path, { signal }));
}

/**
 * @template T
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
async function postJson(path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  return readJson(
    await request(path, { method: "POST", headers, body: JSON.stringify(body), signal }),
  );
}

/**
 * The connection can end while an answer arrives.
 * @param {Response} answer
 */
async function readJson(answer) {
  try {
    return await answer.json();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new RequestError("unreachable", String(error));
  }
}

/** @returns {Promise<import("./types.js").Info>} */
export function info() {
  return getJson("/info");
}

/**
 * Offsets count UTF-16 units, as strings do here.
 * @param {string} text
 * @param {Choice} choice
 * @param {AbortSignal} signal
 * @returns {Promise<import("./types.js").AnalyzeResponse>}
 */
export function analyze(text, choice, signal) {
  return postJson("/analyze", { inputs: text, offset_unit: "utf16", ...choice }, signal);
}

/**
 * @param {string} text
 * @param {Choice} choice
 * @param {AbortSignal} signal
 * @returns {Promise<import("./types.js").Explanation>}
 */
export function explain(text, choice, signal) {
  return postJson("/explain", { inputs: text, offset_unit: "utf16", ...choice }, signal);
}

/** @returns {Promise<{ jobs: import("./types.js").Job[] }>} the newest first */
export function listJobs() {
  return getJson("/jobs");
}

/**
 * The address of a result that a link can lead to. Links cannot carry the API key, so they get a
 * ticket that works once.
 * @param {string} id of the job
 * @param {string} what path and query below the job, such as `report?title=a`
 * @returns {Promise<string>}
 */
export async function linkTo(id, what) {
  const address = `/jobs/${encodeURIComponent(id)}/${what}`;
  if (!hasKey()) return address;
  const path = `/jobs/${encodeURIComponent(id)}/tickets`;
  /** @type {{ ticket: string }} */
  const { ticket } = await readJson(await request(path, { method: "POST" }));
  return `${address}${what.includes("?") ? "&" : "?"}ticket=${ticket}`;
}

/** Cancels a job that is not done, and deletes one that is. @param {string} id */
export async function deleteJob(id) {
  await request(`/jobs/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/**
 * Uploads a file as a job. `fetch` does not say how much was sent; an `XMLHttpRequest` does.
 * @param {File} file
 * @param {Record<string, string>} options
 * @param {(sent: number) => void} onprogress
 * @param {AbortSignal} signal
 * @returns {Promise<import("./types.js").Job>}
 */
export function createJob(file, options, onprogress, signal) {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    sending.open("POST", `/jobs?${new URLSearchParams({ name: file.name, ...options })}`);
    const key = sessionStorage.getItem(KEY);
    if (key !== null) sending.setRequestHeader("Authorization", `Bearer ${key}`);
    sending.upload.addEventListener("progress", (event) => onprogress(event.loaded));
    const lost = () => reject(new RequestError("unreachable", "the upload was interrupted"));
    sending.addEventListener("error", lost);
    sending.addEventListener("abort", () => reject(signal.reason));
    sending.addEventListener("load", async () => {
      const headers = { "Retry-After": sending.getResponseHeader("Retry-After") ?? "" };
      const answer = new Response(sending.responseText, { status: sending.status, headers });
      if (!answer.ok) return reject(await refusal(answer));
      answer.json().then(resolve, lost);
    });
    signal.addEventListener("abort", () => sending.abort(), { once: true });
    sending.send(file);
  });
}
