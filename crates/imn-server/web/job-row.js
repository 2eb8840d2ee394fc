// One job of the list: state, progress, results.

import { deleteJob, hasKey, linkTo, request } from "./api.js";
import { button, element } from "./dom.js";
import { counted, duration, size } from "./format.js";

/** @typedef {import("./types.js").Job} Job */

/** @type {Record<Job["state"], string>} */
const STATES = {
  queued: "Waiting",
  running: "Running",
  finished: "Finished",
  failed: "Failed",
  cancelled: "Cancelled",
};

/** @type {[string, string][]} */
const RESULTS = [
  ["csv", "CSV"],
  ["jsonl", "JSON lines"],
  ["parquet", "Parquet"],
  ["html", "HTML"],
];

/** @param {Job} job */
export function isDone(job) {
  return job.state !== "queued" && job.state !== "running";
}

/** What the job is called. @param {Job} job */
export function title(job) {
  return job.options.name ?? "Upload";
}

export class JobRow {
  view = element("li", "job");
  #state = element("span", "state");
  #bar = element("progress");
  #numbers = element("p", "numbers");
  #remarks = element("div", "remarks");
  #actions = element("div", "job-actions");
  /** @type {{ time: number, bytes: number } | null} */
  #first = null;

  /**
   * @param {Job} job
   * @param {(error: unknown) => void} onfailed
   * @param {() => void} ondeleted
   */
  constructor(job, onfailed, ondeleted) {
    this.job = job;
    this.onfailed = onfailed;
    this.ondeleted = ondeleted;
    this.view.dataset.id = job.id;
    const name = element("h3", "file-name", title(job));
    name.dir = "auto";
    const { model, scheme } = job.options;
    const created = new Date(job.created);
    const time = element("time", "", when(created));
    time.dateTime = job.created;
    const origin = [size(job.progress.bytes), model, scheme].filter(Boolean).join(" · ");
    const about = element("p", "note", time, ` · ${origin}`);
    this.#bar.setAttribute("aria-label", `Progress of ${title(job)}`);
    this.view.append(
      element("div", "job-head", name, this.#state),
      about,
      this.#bar,
      this.#numbers,
      this.#remarks,
      this.#actions,
    );
    this.#show(null);
  }

  /** @param {Job} job */
  update(job) {
    const before = this.job.state;
    this.job = job;
    this.#show(before);
  }

  /** @param {Job["state"] | null} before */
  #show(before) {
    const { state, progress } = this.job;
    this.#state.textContent = STATES[state];
    this.#state.className = `state ${state}`;
    this.#bar.hidden = state !== "running";
    this.#bar.max = Math.max(1, progress.bytes);
    this.#bar.value = progress.bytes_read;
    this.#numbers.textContent = this.#counts();
    this.#numbers.hidden = state === "queued";
    if (state !== before) {
      this.#remarks.replaceChildren(...this.#texts());
      const had = this.#actions.contains(document.activeElement);
      this.#actions.replaceChildren(...(state === "finished" ? this.#results() : []));
      this.#actions.append(this.#end());
      // The focused button is gone; its place is taken by the first of the new ones.
      const [first] = this.#actions.children;
      if (had && first instanceof HTMLElement) first.focus();
    }
  }

  #counts() {
    const { progress, state, started, ended } = this.job;
    const parts = [counted(progress.reviews, "review"), counted(progress.aspects, "aspect")];
    if (progress.errors > 0) parts.push(`${counted(progress.errors, "row")} not readable`);
    if (state === "running") parts.push(...this.#remaining());
    if (isDone(this.job) && started && ended) {
      parts.push(duration(Date.parse(ended) - Date.parse(started)));
    }
    return parts.join(" · ");
  }

  /** The time left, by the speed since this page has seen the job. */
  #remaining() {
    const { bytes, bytes_read: read } = this.job.progress;
    const now = performance.now();
    this.#first ??= { time: now, bytes: read };
    const elapsed = now - this.#first.time;
    const done = read - this.#first.bytes;
    if (elapsed < 2000 || done <= 0) return [];
    return [`${duration(((bytes - read) * elapsed) / done)} left`];
  }

  #texts() {
    const { state, error, warning } = this.job;
    const texts = [];
    if (state === "failed" && error) texts.push(element("p", "bad", error));
    if (warning) texts.push(element("p", "note", warning));
    return texts;
  }

  #end() {
    if (!isDone(this.job)) {
      const cancel = button(
        "Cancel",
        () => {
          cancel.disabled = true;
          cancel.textContent = "Cancelling";
          this.#delete();
        },
        "quiet",
      );
      return cancel;
    }
    const remove = button(
      "Delete",
      () => {
        if (remove.dataset.asked) return this.#delete();
        remove.dataset.asked = "yes";
        remove.textContent = "Delete for good?";
        remove.addEventListener(
          "blur",
          () => {
            delete remove.dataset.asked;
            remove.textContent = "Delete";
          },
          { once: true },
        );
      },
      "quiet",
    );
    return remove;
  }

  async #delete() {
    const done = isDone(this.job);
    try {
      await deleteJob(this.job.id);
      if (done) this.ondeleted();
    } catch (error) {
      this.onfailed(error);
    }
  }

  #results() {
    const name = new URLSearchParams({ title: title(this.job) });
    const downloads = element("span", "downloads", element("span", "note", "Download"));
    for (const [format, label] of RESULTS) {
      downloads.append(this.#download(`result?format=${format}`, label));
    }
    if (this.job.progress.errors > 0) {
      downloads.append(this.#download("errors", "unreadable rows"));
    }
    if (this.job.progress.reviews === 0) return [downloads];
    const report = this.#link(`report?${name}`, "Open report", (address) => {
      window.open(address, "_blank", "noopener");
    });
    report.className = "button strong";
    report.target = "_blank";
    report.rel = "noopener";
    return [report, this.#trend(), downloads];
  }

  /** The report with a chart over time, which needs to know the column with the dates. */
  #trend() {
    const column = element("input");
    column.type = "text";
    column.required = true;
    const open = element("button", "", "Open");
    open.type = "submit";
    const form = element("form", "row", element("label", "", "Column with dates ", column), open);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const values = new URLSearchParams({ title: title(this.job), date: column.value });
      try {
        // What is wrong with the column is said here rather than in a tab of its own.
        await request(`${this.#path()}/report?${values}`);
        window.open(await linkTo(this.job.id, `report?${values}`), "_blank", "noopener");
      } catch (error) {
        this.onfailed(error);
      }
    });
    return element("details", "trend", element("summary", "", "Report over time"), form);
  }

  #path() {
    return `/jobs/${encodeURIComponent(this.job.id)}`;
  }

  /**
   * A link to a result. If it needs a ticket, that is asked for when the link is followed.
   * @param {string} what
   * @param {string} label
   * @param {(address: string) => void} follow
   */
  #link(what, label, follow) {
    const link = element("a", "", label);
    link.href = `${this.#path()}/${what}`;
    link.addEventListener("click", (event) => {
      if (!hasKey()) return;
      event.preventDefault();
      linkTo(this.job.id, what).then(follow, this.onfailed);
    });
    return link;
  }

  /** @param {string} what @param {string} label */
  #download(what, label) {
    const link = this.#link(what, label, (address) => {
      const once = element("a");
      once.href = address;
      once.download = "";
      once.click();
    });
    link.className = "download";
    link.download = "";
    return link;
  }
}

/** @param {Date} date */
function when(date) {
  return date.toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
}
