// Server-sent events by `fetch`, since an `EventSource` cannot send an API key.

import { RequestError, request } from "./api.js";

/**
 * The data of every event, until the server ends the stream.
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {AsyncGenerator<string>}
 */
export async function* serverEvents(path, signal) {
  const headers = { Accept: "text/event-stream" };
  const answer = await request(path, { headers, signal });
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  while (true) {
    const { done, value } = await reader.read().catch((error) => {
      if (signal.aborted) throw error;
      throw new RequestError("unreachable", String(error));
    });
    if (done) return;
    const events = (rest + value).split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const lines = event.split("\n").filter((line) => line.startsWith("data:"));
      // An event without data is a comment that keeps the connection alive.
      if (lines.length > 0) yield lines.map((line) => line.slice(5).trimStart()).join("\n");
    }
  }
}
