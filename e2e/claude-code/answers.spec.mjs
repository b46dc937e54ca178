// Integration tests of answers to permission requests with the real Claude Code (`make test-claude-code`): a person answers
// on the page or in the terminal, nobody answers, the monitor dies, and the answer of another call.
//
// Proves (claude-code): The real Claude Code (2.1.330) runs a tool that a page allowed, and tells its model the reason of a
// refusal. An answer in the terminal is the first one and ends the request. After the time limit, without a monitor, and
// after an answer to another call, only the terminal decides.
import assert from "node:assert/strict";
import { access, mkdir } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { PATIENCE, startMonitor } from "../support/monitor.mjs";
import { TOKEN, installed } from "../support/team.mjs";
import { expect, test } from "../support/test.mjs";
import { call, says, startModel } from "./model.mjs";
import { makeHome, startSession } from "./program.mjs";

test.describe.configure({ mode: "serial", timeout: 300_000 });

const SAID = { human: "결과 파일을 만들어 주세요.", child: "결과 파일을 대신 만든다.", done: "모두 마쳤습니다." };
const touch = call("Bash", { command: "touch made.txt", description: "결과 파일 만들기" });
const PARTS = [
  { of: SAID.child, turns: [touch, says(SAID.done)] },
  { of: `${SAID.human} 대신`, turns: [call("Agent", { description: "파일 만들기", prompt: SAID.child, subagent_type: "general-purpose" }), says(SAID.done)] },
  { of: SAID.human, turns: [touch, says(SAID.done)] },
];
/** Seconds that a hook waits here. */
const WAIT = 20;

let model;
let monitor;
let where;
let session;

test.beforeEach(async () => {
  monitor = await startMonitor({ story: null, clock: null, env: { TASK_MONITOR_WRITE_TOKEN: TOKEN } });
  await mkdir(path.join(monitor.home, "logs"), { recursive: true });
  where = await makeHome(path.dirname(monitor.home));
  await installed(monitor, where.home, process.env.TASK_HUB_CLAUDE_CODE_VERSION, ["--answer", String(WAIT)]);
  model = await startModel(PARTS);
  session = await startSession(where, model.url);
});
test.afterEach(async () => {
  await session?.stop();
  await model?.stop();
  await monitor?.stop();
});

/** Waits for a truthy value of `probe`; a failure shows the program's screen and what the model was asked. */
async function soon(what, probe) {
  let value;
  const check = async () => expect((value = await probe()), what).toBeTruthy();
  await expect(check).toPass({ timeout: PATIENCE }).catch((error) => {
    throw new Error(`${error.message}\n${session.screen()}\n${JSON.stringify(model.asked)}`);
  });
  return value;
}

async function say(text) {
  session.type(text);
  await pause(1_000);
  session.type("\r");
}

const list = () => monitor.get("/api/v2/permission-requests");
const detail = (id) => monitor.get(`/api/v2/permission-requests/${id}`);
const opened = async () => (await soon("the hook asks", async () => (await list()).open[0])).id;
const dialog = () => session.screen().includes("Do you want to proceed?");
const made = () => access(path.join(where.project, "made.txt")).then(() => true, () => false);
const finished = () => soon("the turn is over", () => session.screen().includes(SAID.done));

/** Answers as the page does. */
async function answer(id, decision, more = {}) {
  const { digest } = await detail(id);
  const headers = { "content-type": "application/json", "x-task-monitor-token": TOKEN, origin: monitor.url };
  const body = JSON.stringify({ decision, digest, ...more });
  return fetch(`${monitor.url}/api/v2/permission-requests/${id}/answer`, { method: "POST", headers, body });
}

test("a page allows, and the tool runs", { tag: "@real" }, async () => {
  await say(SAID.human);
  const id = await opened();
  const { call: shown, story } = await detail(id);
  assert.equal(shown.input.command, "touch made.txt");
  assert.equal(story.firstWords, SAID.human);
  await soon("the terminal asks beside it", dialog);
  assert.equal(await made(), false);
  assert.equal((await answer(id, "allow")).status, 200);
  await finished();
  assert.equal(await made(), true);
  assert.equal((await detail(id)).request.state, "answered");
});

test("a page denies, and the model reads the reason", { tag: "@real" }, async () => {
  await say(SAID.human);
  assert.equal((await answer(await opened(), "deny", { reason: "지금은 하지 마세요." })).status, 200);
  await finished();
  assert.equal(await made(), false);
  assert.deepEqual(model.asked.flatMap(({ last }) => last), [{ text: "지금은 하지 마세요.", failed: true }]);
});

test("the terminal is first, and the request ends", { tag: "@real" }, async () => {
  await say(SAID.human);
  const id = await opened();
  await soon("the terminal asks", dialog);
  await pause(500);
  session.type("\r");
  await finished();
  assert.equal(await made(), true);
  await soon("the request ends", async () => (await detail(id)).request.state === "terminal");
  assert.equal((await answer(id, "deny")).status, 422, "there is no digest to answer any more");
});

test("nobody answers, and the terminal decides", { tag: "@real" }, async () => {
  await say(SAID.human);
  const id = await opened();
  await soon("the time is over", async () => (await detail(id)).request.state === "expired");
  await soon("the terminal still asks", dialog);
  assert.equal(await made(), false, "nothing was allowed");
  session.type("\r");
  await finished();
  assert.equal(await made(), true);
});

test("the monitor dies, and the terminal decides", { tag: "@real" }, async () => {
  await say(SAID.human);
  await opened();
  await monitor.kill();
  await soon("the terminal still asks", dialog);
  await pause(2_000);
  assert.equal(await made(), false, "nothing was allowed");
  session.type("\r");
  await finished();
  assert.equal(await made(), true);
  assert.doesNotMatch(session.screen(), /hook (error|failed)/i);
});

test("an answer to another call changes nothing", { tag: "@real" }, async () => {
  await say(SAID.human);
  const id = await opened();
  assert.equal((await answer(id, "allow", { digest: "0".repeat(64) })).status, 409);
  await pause(1_000);
  assert.equal(await made(), false);
  assert.equal((await detail(id)).request.state, "open");
  assert.equal((await answer(id, "terminal")).status, 200);
  await soon("the terminal still asks", dialog);
  session.type("\r");
  await finished();
});

test("a subagent's request waits for the page alone", { tag: "@real" }, async () => {
  await say(`${SAID.human} 대신`);
  const id = await opened();
  assert.equal((await detail(id)).request.serial, true);
  assert.equal(dialog(), false);
  assert.equal((await answer(id, "allow")).status, 200);
  await soon("the tool ran", made);
});
