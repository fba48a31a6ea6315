// What a person does, as calls to the server. Failures become sentences in a toast; nothing
// here changes the page, since what happened comes back over the stream.

import { toast } from "./toast.js";
import { workspace } from "./state.js";

const SENTENCES = {
  operation_timeout: "The app did not answer in time (3 seconds).",
  dispatch_failed: "The app could not be reached.",
  dispatch_unknown_error: "The app could not be reached.",
  app_not_reachable: "The app could not be reached.",
};

const isCode = (error) => /^[a-z_]+$/.test(error ?? "");

const sentence = (error) => SENTENCES[error] ?? error ?? "No answer.";

async function call(act, body) {
  try {
    const answer = await fetch(`/sim/${act}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ user: workspace.me, ...body }) });
    return await answer.json();
  } catch {
    return { ok: false, acknowledged: false, error: "The simulated Slack did not answer. Is the demo still running?" };
  }
}

const failed = (answer) => !answer.ok || answer.acknowledged === false;

export async function command(channel, text) {
  const answer = await call("command", { channel, text });
  // An app that did not answer is told by Slackbot in the channel; only a refusal needs a toast.
  if (failed(answer) && !isCode(answer.error)) toast(`${text.split(" ")[0]} was not sent.`, { detail: sentence(answer.error) });
  return answer;
}

export async function say(channel, text, thread) {
  const answer = await call("say", { channel, text, thread_ts: thread ?? undefined });
  // Written but not heard by the app is, as in Slack, nothing that the writer is told.
  if (!answer.ok && !answer.ts) toast("The message was not sent.", { detail: sentence(answer.error) });
  return answer;
}

export async function click(target, element, block, value) {
  const answer = await call("click", { ...target, action_id: element.action_id, block_id: block.block_id, value: value ?? undefined });
  if (failed(answer)) toast("This button did not work.", { detail: sentence(answer.error ?? "operation_timeout") });
  return answer;
}

export const submit = (view, values) => call("submit", { view_id: view, values });

export const closeView = (view) => call("close", { view_id: view });

export async function openHome() {
  const answer = await call("home", {});
  if (failed(answer)) toast("The Home tab could not be refreshed.", { detail: sentence(answer.error ?? "operation_timeout") });
}

export { failed, sentence };
