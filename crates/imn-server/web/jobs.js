// The list of jobs. The server does one job at a time, so one stream of events is enough: that of
// the job that runs, or of the one that waits longest.

import { RequestError, listJobs } from "./api.js";
import { button, byId, element } from "./dom.js";
import { serverEvents } from "./events.js";
import { counted } from "./format.js";
import { JobRow, isDone, title } from "./job-row.js";
import { Problem } from "./problems.js";

/** @typedef {import("./types.js").Job} Job */

const EMPTY =
  "No jobs yet. Files that you analyse appear here, and stay on the server until they " +
  "are deleted.";
const RECONNECT = 2000;
const SHOWN = 20;

export class JobList {
  /** @type {Map<string, JobRow>} */
  #rows = new Map();
  #list = element("ul", "job-list");
  #empty = element("p", "empty", EMPTY);
  #more = button("", () => this.#showAll(), "more");
  #status = element("p", "visually-hidden");
  #problem = new Problem(element("div", "notice error"));
  /** @type {string | null} the job whose events arrive */
  #followed = null;

  constructor() {
    this.#status.setAttribute("role", "status");
    this.#problem.place.setAttribute("role", "alert");
    this.#problem.place.hidden = true;
    const place = byId("jobs", HTMLElement);
    place.append(this.#status, this.#problem.place, this.#empty, this.#list, this.#more);
    this.#counted();
  }

  #showAll() {
    this.#list.classList.add("all");
    this.#counted();
    const [...rows] = this.#list.children;
    rows[SHOWN]?.querySelector("button")?.focus();
  }

  /** Shows what depends on the number of jobs. */
  #counted() {
    const hidden = this.#rows.size - SHOWN;
    this.#empty.hidden = this.#rows.size > 0;
    this.#more.textContent = `Show ${counted(hidden, "earlier job")}`;
    this.#more.hidden = hidden <= 0 || this.#list.classList.contains("all");
  }

  /** Asks the server for all jobs. */
  async refresh() {
    try {
      const { jobs } = await listJobs();
      this.#problem.clear();
      const ids = new Set(jobs.map((job) => job.id));
      for (const id of this.#rows.keys()) if (!ids.has(id)) this.#remove(id);
      // The newest is first in the list and was created last.
      for (const job of jobs.reverse()) this.#put(job);
      this.#follow();
    } catch (error) {
      this.#problem.show(error, () => this.refresh());
    }
  }

  /** @param {Job} job */
  add(job) {
    this.#put(job);
    this.#status.textContent = `${title(job)} was uploaded.`;
    this.#follow();
  }

  /** @param {Job} job */
  #put(job) {
    const row = this.#rows.get(job.id);
    if (row) {
      row.update(job);
    } else {
      const onfailed = (/** @type {unknown} */ error) => {
        this.#problem.show(error);
        if (error instanceof RequestError && error.kind === "not_found") this.#remove(job.id);
      };
      const made = new JobRow(job, onfailed, () => this.#deleted(job.id));
      this.#rows.set(job.id, made);
      this.#list.prepend(made.view);
    }
    this.#counted();
  }

  /** @param {string} id */
  #remove(id) {
    this.#rows.get(id)?.view.remove();
    this.#rows.delete(id);
    this.#counted();
  }

  /** @param {string} id */
  #deleted(id) {
    const row = this.#rows.get(id);
    const next = row?.view.nextElementSibling ?? row?.view.previousElementSibling;
    this.#status.textContent = row ? `${title(row.job)} was deleted.` : "";
    this.#remove(id);
    const focus = next?.querySelector("button") ?? document.getElementById("file");
    focus?.focus();
  }

  /**
   * Listens to the events of the next job, unless there is a stream already.
   * @returns {Promise<void>}
   */
  async #follow() {
    if (this.#followed !== null) return;
    const open = [...this.#rows.values()].map((row) => row.job).filter((job) => !isDone(job));
    const job = open.find(({ state }) => state === "running") ?? open[0];
    if (!job) return;
    this.#followed = job.id;
    let last = job;
    try {
      const path = `/jobs/${encodeURIComponent(job.id)}/events`;
      for await (const data of serverEvents(path, new AbortController().signal)) {
        last = JSON.parse(data);
        this.#problem.clear();
        this.#put(last);
      }
    } catch (error) {
      if (error instanceof RequestError && error.kind === "not_found") this.#remove(job.id);
      else this.#problem.show(error);
    }
    this.#followed = null;
    if (isDone(last)) {
      const reviews = counted(last.progress.reviews, "review");
      this.#status.textContent = `${title(last)} is ${last.state}: ${reviews}.`;
      return this.#follow();
    }
    // The stream broke off: the server is going, or gone. It resumes its jobs when it is back.
    setTimeout(() => this.refresh(), RECONNECT);
  }
}
