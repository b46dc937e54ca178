// Integration tests with the real Codex (`make test-codex`): its hooks tell of a session with a subagent, and a person
// answers its permission requests on the page or in the terminal, nobody answers, or the monitor dies.
//
// Proves (claude-code): The real Codex (0.171.0, about 420 MB from npm) runs in a terminal beside a scripted model, with
// the hooks of `hooks install --program codex` that a person trusted in its dialog. The dashboard shows its session and
// subagent. Codex asks in the terminal only when the hook has ended. It runs a command that a page allowed, and tells its
// model the reason of a refusal. After the time limit, without a page, without a monitor and after Escape the terminal
// alone decides. Skipped with one line where npm cannot install it.
import assert from "node:assert/strict";
import { access, mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { PATIENCE, startMonitor } from "../support/monitor.mjs";
import { TOKEN, installedForCodex } from "../support/team.mjs";
import { expect, test } from "../support/test.mjs";
import { says, shell, spawnAgent, startModel, waitAgent } from "./model.mjs";
import { makeHome, startSession } from "./program.mjs";

test.describe.configure({ mode: "serial", timeout: 300_000 });

const SAID = { human: "결과 파일을 만들어 주세요.", child: "결과 파일을 대신 만든다.", childDone: "파일을 만들었다.", done: "모두 마쳤습니다." };
const WHY = "결과 파일 만들기";

let model;
let monitor;
let where;
let hooks;
let session;
/** Ends the live connection of a page. */
let closePage;

/** Seconds that a hook waits: longer than the ten without an open page. */
const WAIT = 25;

test.beforeEach(async () => {
  monitor = await startMonitor({ story: null, clock: null, env: { TASK_MONITOR_WRITE_TOKEN: TOKEN } });
  await mkdir(path.join(monitor.home, "logs"), { recursive: true });
  const touch = shell(`touch ${path.join(path.dirname(monitor.home), "person/made.txt")}`, WHY);
  model = await startModel([
    { of: SAID.child, turns: [touch, says(SAID.childDone)] },
    { of: `${SAID.human} 대신`, turns: [spawnAgent(SAID.child), waitAgent(), says(SAID.done)] },
    { of: SAID.human, turns: [touch, says(SAID.done)] },
  ]);
  where = await makeHome(path.dirname(monitor.home), model.url);
  hooks = await installedForCodex(monitor, where.home, ["--answer", String(WAIT)]);
});
test.afterEach(async () => {
  closePage?.();
  closePage = undefined;
  await session?.stop();
  session = undefined;
  await model?.stop();
  await monitor?.stop();
});

/** Waits for a truthy value of `probe`; a failure shows the program's screen and what the model was asked. */
async function soon(what, probe) {
  let value;
  const check = async () => expect((value = await probe()), what).toBeTruthy();
  await expect(check).toPass({ timeout: PATIENCE }).catch((error) => {
    throw new Error(`${error.message}\n${session?.screen()}\n${JSON.stringify(model.asked)}`);
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
const dialog = () => session.screen().includes("Would you like to run the following command?");
const made = () => access(path.join(where.home, "made.txt")).then(() => true, () => false);
/** Between wide letters the program moves the cursor. */
const letters = (text) => text.replaceAll(" ", "");
const finished = () => soon("the turn is over", () => letters(session.screen()).includes(letters(SAID.done)));
const waits = async () => (await monitor.get("/api/v2/home")).attention.filter((line) => line.kind === "permission");
const hookEvents = async () => (await monitor.get("/api/v2/schema-events?limit=1000")).events.filter(({ source }) => source === "hook");

/** Somebody has the page open: the monitor counts live connections. */
async function openPage() {
  const gone = new AbortController();
  closePage = () => gone.abort();
  const live = await fetch(`${monitor.url}/api/v2/live/events`, { signal: gone.signal });
  assert.equal(live.status, 200);
}

/** Answers as the page does. */
async function answer(id, decision, more = {}) {
  const { digest } = await detail(id);
  const headers = { "content-type": "application/json", "x-task-monitor-token": TOKEN, origin: monitor.url };
  const body = JSON.stringify({ decision, digest, ...more });
  return fetch(`${monitor.url}/api/v2/permission-requests/${id}/answer`, { method: "POST", headers, body });
}

test("hooks run once they are trusted, and the session shows", { tag: "@real" }, async () => {
  const before = await hooks.status();
  assert.match(before.printed, /only after you have trusted/);
  assert.equal(before.code, 1, "no hook can run yet");
  session = await startSession(where);
  const after = await hooks.status();
  assert.match(after.printed, /Codex trusts them/);
  assert.equal(after.code, 0, after.printed);
  await openPage();
  await say(`${SAID.human} 대신`);
  const id = await opened();
  assert.equal((await answer(id, "allow")).status, 200);
  await finished();
  assert.equal(await made(), true);
  const events = await soon("the turn's events came", async () => {
    const events = await hookEvents();
    return events.some((event) => event.type === "agent_stopped") && events;
  });
  assert.deepEqual([...new Set(events.map((event) => event.raw.provider))], ["codex"]);
  const agents = new Set(events.map((event) => event.agent_id.replace(/-[0-9a-f]{6}$/, "")));
  assert.deepEqual([...agents].sort(), ["bookstore/default", "bookstore/leader"]);
  const { sessions } = await monitor.get("/api/v2/sessions");
  assert.equal(sessions.length, 1, JSON.stringify(sessions));
  const row = await soon("the call is joined with its child", async () => {
    const { rows } = await monitor.get("/api/v2/delegations");
    return rows.length === 1 && rows[0].state === "succeeded" && rows[0];
  });
  assert.equal(row.label, SAID.child);
  assert.equal((await hooks.uninstall()).code, 0);
  await assert.rejects(access(hooks.file), "it held nothing else");
});

test("a page allows, and the command runs", { tag: "@real" }, async () => {
  session = await startSession(where);
  await openPage();
  await say(SAID.human);
  const id = await opened();
  const { request, call: shown, story } = await detail(id);
  assert.equal(request.serial, true);
  assert.match(shown.input.command, /^touch .*made\.txt$/);
  assert.equal(shown.input.description, WHY);
  assert.equal(story.firstWords, SAID.human);
  await soon("home lists it", async () => (await waits()).length === 1);
  await pause(12_000);
  assert.equal(dialog(), false, "the terminal waits while a page is open");
  assert.equal((await answer(id, "allow")).status, 200);
  await finished();
  assert.equal(await made(), true);
  assert.equal(dialog(), false);
  assert.equal((await detail(id)).request.state, "answered");
  await soon("the wait is over", async () => (await waits()).length === 0);
});

test("a page denies, and the model reads the reason", { tag: "@real" }, async () => {
  session = await startSession(where);
  await say(SAID.human);
  assert.equal((await answer(await opened(), "deny", { reason: "지금은 하지 마세요." })).status, 200);
  await finished();
  assert.equal(await made(), false);
  assert.match(model.asked.at(-1).results.join("\n"), /지금은 하지 마세요\./);
  assert.equal(dialog(), false);
  await soon("the wait is over", async () => (await waits()).length === 0);
});

test("nobody answers, and the terminal decides", { tag: "@real" }, async () => {
  session = await startSession(where);
  await openPage();
  await say(SAID.human);
  const id = await opened();
  await soon("the time is over", async () => (await detail(id)).request.state === "expired");
  await soon("the terminal asks", dialog);
  assert.equal(await made(), false, "nothing was allowed");
  session.type("y");
  await finished();
  assert.equal(await made(), true);
});

test("without an open page the terminal asks after ten seconds", { tag: "@real" }, async () => {
  session = await startSession(where);
  await say(SAID.human);
  const id = await opened();
  const start = Date.now();
  await soon("the terminal asks", dialog);
  assert.ok(Date.now() - start < (WAIT - 8) * 1_000, `${Date.now() - start} ms`);
  assert.equal((await detail(id)).request.state, "expired");
  session.type("y");
  await finished();
  assert.equal(await made(), true);
});

test("the monitor dies, and the terminal decides", { tag: "@real" }, async () => {
  session = await startSession(where);
  await openPage();
  await say(SAID.human);
  await opened();
  await monitor.kill();
  await soon("the terminal asks", dialog);
  assert.equal(await made(), false, "nothing was allowed");
  session.type("y");
  await finished();
  assert.equal(await made(), true);
  assert.doesNotMatch(session.screen(), /hook (error|failed)/i);
  assert.match(await readFile(path.join(monitor.home, "logs/hook-events.ndjson"), "utf8"), /"program":"codex"/);
});

test("Escape withdraws the request", { tag: "@real" }, async () => {
  session = await startSession(where);
  await openPage();
  await say(SAID.human);
  const id = await opened();
  session.type("\u001b");
  await soon("the request ends", async () => (await detail(id)).request.state === "withdrawn");
  await soon("the wait is over", async () => (await waits()).length === 0);
  assert.equal(await made(), false);
});

test("hooks that nobody trusted do not run", { tag: "@real" }, async () => {
  session = await startSession(where, { trust: false });
  await say(SAID.human);
  await soon("the terminal asks", dialog);
  assert.deepEqual((await list()).open, []);
  assert.deepEqual(await hookEvents(), []);
});
