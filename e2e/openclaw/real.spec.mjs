// Browser tests with the real OpenClaw (`make test-openclaw`). The monitor follows a home without a coordination log.
// Two agents exchange messages through sessions_send, and one spawns a child. Their texts are fixed in model.mjs.
//
// Proves (transcripts): The monitor follows a home that the real OpenClaw (2026.9.6, about 830 MB from npm) writes.
// Sessions, histories, the messages of two agents and a spawned child appear once each, live and after a restart, and
// equal what the gateway answers. Skipped with one line where npm cannot install it.
import assert from "node:assert/strict";
import { access, readdir } from "node:fs/promises";

import { PATIENCE, startMonitor } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { startGateway } from "./gateway.mjs";
import { SAID, startModel } from "./model.mjs";

test.describe.configure({ mode: "serial", timeout: 900_000 });

let model;
let gateway;
let monitor;

test.beforeAll(async () => {
  test.setTimeout(900_000);
  // The monitor makes the folder; it starts again once the home is written.
  monitor = await startMonitor({ story: null, clock: null });
  await monitor.halt();
  model = await startModel();
  gateway = await startGateway(monitor.home, model.url);
  await gateway.ask("ruda", SAID.human);
  await soon("the child is asked", () => model.asked.some(({ turn }) => turn.says === SAID.result));
  await monitor.start();
});
test.afterAll(async () => {
  await gateway?.stop();
  await model?.stop();
  await monitor?.stop();
});

/** Waits for a truthy value of `probe` and returns it. A failure names what the model was asked. */
async function soon(what, probe) {
  let value;
  const check = async () => expect((value = await probe()), what).toBeTruthy();
  await expect(check).toPass({ timeout: PATIENCE }).catch((error) => {
    throw new Error(`${error.message}\nthe model was asked: ${JSON.stringify(model.asked, null, 1)}`);
  });
  return value;
}

const rows = async () => (await monitor.get("/api/v2/sessions-store?includeLastMessage=true")).sessions;
const history = (key) => monitor.get(`/api/v2/sessions-store/${encodeURIComponent(key)}/history?includeTools=true`);

/** Every thread of every work session, with its messages. */
async function talks() {
  const { sessions } = await monitor.get("/api/v2/sessions");
  const found = [];
  for (const { workSessionId } of sessions) {
    const at = `/api/v2/sessions/${encodeURIComponent(workSessionId)}`;
    for (const { threadId } of (await monitor.get(at)).threads) {
      found.push(await monitor.get(`${at}/threads/${encodeURIComponent(threadId)}`));
    }
  }
  return found;
}

/** The messages between the agents, in order, as `from → to: text`. */
async function said() {
  return (await talks()).flatMap(({ messages }) => messages.map(({ from, to, text }) => `${from} → ${to}: ${text}`));
}

const textOf = (message) =>
  typeof message.content === "string" ? message.content : (message.content ?? []).map((block) => block.text ?? "").join("\n");

test("without a log nothing is reported as unreadable", { tag: "@real" }, async () => {
  await assert.rejects(access(monitor.log), "the program wrote a coordination log: the test proves nothing");
  const { places } = await monitor.get("/api/v2/sessions-store");
  assert.ok(places.length > 0);
  for (const place of places) assert.equal(place.standing.state, "read", JSON.stringify(place));
});

test("the hub lists the sessions that the gateway lists", { tag: "@real" }, async () => {
  const listed = await soon("all three rows", async () => {
    const all = await rows();
    return all.length >= 3 && all.some((row) => row.spawnedBy) && all;
  });
  const own = await gateway.invoke("sessions_list", { limit: 100 });
  const keys = (list) => list.map(({ key, sessionId }) => `${key} ${sessionId}`).sort();
  assert.deepEqual(keys(listed), keys(own.sessions));
  const child = listed.find((row) => row.spawnedBy);
  assert.match(child.key, /^agent:worker-quick:subagent:/);
  assert.deepEqual([child.spawnedBy, child.label, child.database], ["agent:ruda:main", SAID.label, true]);
  const eden = listed.find((row) => row.key === "agent:eden:main");
  assert.deepEqual([eden.isMain, eden.model, eden.lastMessagePreview], [true, "studio-1", SAID.answer]);
});

test("histories hold messages and tool calls", { tag: "@real" }, async () => {
  const ruda = await soon("ruda's last word", async () => {
    const found = await history("agent:ruda:main");
    return found.messages.some((message) => textOf(message).includes(SAID.told)) && found;
  });
  const calls = ruda.messages.flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter((block) => block.type === "toolCall");
  assert.deepEqual(calls.map((call) => call.name), ["sessions_send", "sessions_spawn"]);
  assert.ok(ruda.messages.some((message) => message.role === "user" && textOf(message).includes(SAID.human)));
  const eden = await history("agent:eden:main");
  const texts = eden.messages.map(textOf);
  assert.ok(texts.some((text) => text.includes(SAID.request)) && texts.includes(SAID.answer), JSON.stringify(texts));
  for (const key of ["agent:ruda:main", "agent:eden:main"]) {
    const own = await gateway.invoke("sessions_history", { sessionKey: key });
    const found = await history(key);
    const told = own.messages.filter(({ role }) => role === "user" || role === "assistant").map(textOf).filter((text) => text.trim() !== "");
    assert.ok(told.length >= 2, JSON.stringify(own));
    for (const text of told) assert.ok(found.messages.some((message) => textOf(message).includes(text)), `only the gateway tells: ${text}`);
  }
});

test("the two agents' messages are one thread from transcripts", { tag: "@real" }, async () => {
  await soon("request and answer", async () => (await said()).length >= 2);
  assert.deepEqual(await said(), [`ruda → eden: ${SAID.request}`, `eden → ruda: ${SAID.answer}`]);
  const [thread] = await talks();
  for (const message of thread.messages) {
    assert.equal(message.origin, "transcript");
    assert.match(message.transcript.key, /^agent:(ruda|eden):main$/);
  }
});

test("the child is a delegation with task and outcome", { tag: "@real" }, async () => {
  const [row] = await soon("the delegation has ended", async () => {
    const { rows } = await monitor.get("/api/v2/delegations");
    return rows.length > 0 && rows[0].state === "succeeded" && rows;
  });
  assert.deepEqual([row.from, row.to, row.label, row.origin], ["ruda", "worker-quick", SAID.label, "transcript"]);
  assert.ok(row.text.includes(SAID.task), row.text);
  assert.equal((await monitor.get("/api/v2/delegations")).total, 1);
});

test("messages written meanwhile are added to the earlier ones", { tag: "@real" }, async () => {
  await gateway.ask("ruda", SAID.nudge);
  const all = await soon("the second talk", async () => {
    const found = await said();
    return found.length >= 4 && found;
  });
  const told = [`ruda → eden: ${SAID.request}`, `eden → ruda: ${SAID.answer}`, `ruda → eden: ${SAID.again}`, `eden → ruda: ${SAID.calm}`];
  assert.deepEqual(all.sort(), told.sort());
});

test("without the gateway the hub shows the same, and adds no file", { tag: "@real" }, async () => {
  const known = await said();
  await gateway.stop();
  const before = await files(monitor.home);
  await monitor.halt();
  await monitor.start();
  await soon("the same talk", async () => (await said()).length === known.length);
  assert.deepEqual(await said(), known);
  assert.equal((await rows()).length, 3);
  await monitor.halt();
  assert.deepEqual(await files(monitor.home), before);
});

/** Every file of the home but the monitor's own. */
async function files(home) {
  const names = await readdir(home, { recursive: true });
  return names.filter((name) => !/^(logs|work-session-category)/.test(name)).sort();
}
