// Integration tests with the real Claude Code (`make test-claude-code`). Claude Code runs in a terminal, with a
// scripted language model (model.mjs) and the hooks of `hooks install`. The dashboard must show its team of agents
// within a minute.
//
// Proves (claude-code): The real Claude Code (2.1.330, about 380 MB from npm) runs in a terminal beside a scripted
// model. Within a minute after `hooks install` the dashboard shows its team: the permission it waits for, messages,
// delegation, task and failed tool. Claude Code shows no error while the monitor is down. Skipped with one line where
// npm cannot install it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { PATIENCE, startMonitor } from "../support/monitor.mjs";
import { TOKEN, installed } from "../support/team.mjs";
import { expect, test } from "../support/test.mjs";
import { SAID, startModel } from "./model.mjs";
import { makeHome, startSession } from "./program.mjs";

test.describe.configure({ mode: "serial", timeout: 900_000 });

let model;
let monitor;
let where;
let hooks;
let untouched; // the settings before the hooks were installed
let session;

test.beforeAll(async () => {
  test.setTimeout(900_000);
  monitor = await startMonitor({ story: null, clock: null, env: { TASK_MONITOR_WRITE_TOKEN: TOKEN } });
  where = await makeHome(path.dirname(monitor.home));
  untouched = await readFile(path.join(where.settings, "settings.json"), "utf8");
  // The program itself says which version it is.
  hooks = await installed(monitor, where.home, process.env.TASK_HUB_CLAUDE_CODE_VERSION);
  model = await startModel();
  session = await startSession(where, model.url);
});
test.afterAll(async () => {
  await session?.stop();
  await model?.stop();
  await monitor?.stop();
});

/** Waits for a truthy value of `probe` and returns it. A failure shows the program's screen and what the model was asked. */
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

const needs = async () => (await monitor.get("/api/v2/home")).attention;
const told = async () => (await monitor.get("/api/v2/schema-events?limit=1000")).events;

test("the working team and its permission requests show", { tag: "@real" }, async () => {
  const start = Date.now();
  await say(SAID.human);
  const asking = async () => (await needs()).filter((line) => line.kind === "permission").map((line) => line.agent.split("~")[1]);
  // The teammate runs in the leader's terminal: its request has a hook of its own, with its id.
  await soon("teammate and leader wait", async () => (await asking()).sort().join() === "leader,nara");
  assert.ok(Date.now() - start < 60_000, "a minute after it began");
  const agents = new Set((await told()).map((event) => event.agent_id.split("/")[1].replace(/-[0-9a-f]{5,6}$/, "")));
  assert.deepEqual([...agents].sort(), ["general-purpose", "leader", "nara"]);
  const guessed = (await told()).filter((event) => event.type === "agent_blocked" && event.payload.guess);
  assert.deepEqual(guessed, [], "nobody had to guess who waits");
  session.type("\r");
  await soon("one wait is over", async () => (await asking()).length === 1);
  await pause(1_000);
  session.type("\r");
  await soon("both waits are over", async () => (await asking()).length === 0);
  await soon("the turn is over", () => session.screen().includes(SAID.done));
});

test("requests, reports and results are one session", { tag: "@real" }, async () => {
  const task = await soon("the task is done", async () => {
    const { tasks } = await monitor.get("/api/v2/tasks");
    return tasks.length === 1 && tasks[0].status === "completed" && tasks[0];
  });
  assert.equal(task.title, SAID.task);
  const { sessions } = await monitor.get("/api/v2/sessions");
  assert.equal(sessions.length, 1, JSON.stringify(sessions));
  const at = `/api/v2/sessions/${encodeURIComponent(sessions[0].workSessionId)}`;
  const said = [];
  for (const { threadId } of (await monitor.get(at)).threads) {
    const { messages } = await monitor.get(`${at}/threads/${encodeURIComponent(threadId)}`);
    said.push(...messages.map(({ from, to, text }) => `${from.split("~")[1]} > ${to.split("~")[1]}: ${text}`));
  }
  assert.ok(said.includes(`leader > nara: ${SAID.request}`), JSON.stringify(said));
  assert.ok(said.includes(`nara > leader: ${SAID.report}`), JSON.stringify(said));
  // Until the answer of the call has come, the call and its child are two rows.
  await soon("the call is joined with its child", async () => (await monitor.get("/api/v2/delegations")).rows.length === 1);
  const { rows } = await monitor.get("/api/v2/delegations");
  assert.deepEqual(rows.map((row) => [row.label, row.state]), [[SAID.childLabel, "succeeded"]]);
  const failed = (await told()).filter((event) => event.type === "tool_failed");
  assert.deepEqual(failed.map(({ payload }) => [payload.tool_name, payload.exit_code, payload.exit_code_known]), [["Bash", 2, true]]);
});

test("hooks of a monitor's downtime arrive after its restart", { tag: "@real" }, async () => {
  const known = await kept();
  await monitor.kill();
  const before = model.asked.length;
  await say(SAID.again);
  await soon("the turn is over", () => model.asked.length > before && session.screen().includes(SAID.again));
  await pause(2_000);
  assert.match(await readFile(path.join(monitor.home, "logs/hook-events.ndjson"), "utf8"), /UserPromptSubmit/);
  await monitor.start();
  await soon("the prompt and the end of its turn came", async () => (await kept()) >= known + 2);
  assert.doesNotMatch(session.screen(), /hook (error|failed)/i);
});

/** The number of inputs the monitor has stored. */
async function kept() {
  return (await monitor.get("/api/v2/health")).ingest.inputs;
}

test("uninstalling the hooks restores the settings", { tag: "@real" }, async () => {
  const status = await hooks.status();
  assert.equal(status.code, 0, status.printed);
  assert.equal((await hooks.uninstall()).code, 0);
  assert.equal(await readFile(path.join(where.settings, "settings.json"), "utf8"), untouched);
});
