// The start of the page: what the server has, what the address asks for.

import { RequestError, info, useKey } from "./api.js";
import { byId } from "./dom.js";
import { JobList } from "./jobs.js";
import { Models } from "./models.js";
import { Problem } from "./problems.js";
import { ReviewPanel } from "./review.js";
import { sharedText } from "./share.js";
import { makeTabs } from "./tabs.js";
import { UploadForm, acceptDrops } from "./upload.js";

const models = new Models();
const tabs = makeTabs(["review", "files"]);
const connection = new Problem(byId("connection", HTMLElement));
const keyForm = byId("key-form", HTMLFormElement);
const review = new ReviewPanel(models, askForKey);
const jobs = new JobList();
const upload = new UploadForm(models, (job) => jobs.add(job));

function askForKey() {
  keyForm.hidden = false;
  byId("key", HTMLInputElement).focus();
}

function restore() {
  const shared = sharedText();
  if (shared === null) return;
  models.choose(shared.model, shared.scheme);
  tabs.show("review");
  review.setText(shared.text);
}

async function connect() {
  try {
    const server = await info();
    connection.clear();
    keyForm.hidden = true;
    models.fill(server.models);
    review.maxBytes = server.limits.max_text_bytes;
    upload.maxBytes = server.limits.max_upload_bytes;
    byId("about", HTMLElement).textContent =
      `imn ${server.version}. The model errs; its confidences say how often.`;
    restore();
    jobs.refresh();
  } catch (error) {
    if (error instanceof RequestError && error.kind === "unauthorized") {
      askForKey();
      if (keyForm.dataset.tried) connection.say("The server does not know this key.");
    } else {
      connection.show(error, connect);
    }
  }
}

keyForm.addEventListener("submit", (event) => {
  event.preventDefault();
  useKey(byId("key", HTMLInputElement).value);
  keyForm.dataset.tried = "yes";
  connect();
});
models.onchange = () => review.refresh();
addEventListener("hashchange", restore);
acceptDrops((files) => {
  tabs.show("files");
  if (files.length === 1) upload.stage(files[0]);
  else upload.refuse("Drop one file at a time; each becomes a job of its own.");
});
connect();
