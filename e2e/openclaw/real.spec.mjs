// `make test-openclaw`: a home without any coordination log, written by the real OpenClaw while we look.
// Two agents talk through sessions_send, one spawns a child; what they said is known beforehand (model.mjs).
import assert from "node:assert/strict";
import { access, readdir } from "node:fs/promises";
import { after, before, test } from "node:test";

import { eventually, startMonitor } from "../support/monitor.mjs";
import { startGateway } from "./gateway.mjs";
import { SAID, startModel } from "./model.mjs";

let model;
let gateway;
let monitor;

before(async () => {
  // The monitor makes the folder; it is started again when the home was written.
  monitor = await startMonitor({ story: null, clock: null });
  await monitor.halt();
  model = await startModel();
  gateway = await startGateway(monitor.home, model.url);
  await gateway.ask("ruda", SAID.human);
  await soon("the child is asked", () => model.asked.some(({ turn }) => turn.says === SAID.result));
  await monitor.start();
});
after(async () => {
  await gateway?.stop();
  await model?.stop();
  await monitor?.stop();
});

/** What is still to come is told with what the model was asked, or a failure could not be understood. */
async function soon(what, probe) {
  try {
    return await eventually(what, probe);
  } catch (error) {
    throw new Error(`${error.message}\nthe model was asked: ${JSON.stringify(model.asked, null, 1)}`);
  }
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

/** What two agents said to each other, in order, as `from → to: text`. */
async function said() {
  return (await talks()).flatMap(({ messages }) => messages.map(({ from, to, text }) => `${from} → ${to}: ${text}`));
}

const textOf = (message) =>
  typeof message.content === "string" ? message.content : (message.content ?? []).map((block) => block.text ?? "").join("\n");

test("there is no log, and nothing is reported as unreadable", async () => {
  await assert.rejects(access(monitor.log), "the program wrote a coordination log: this proof would not be one");
  const { places } = await monitor.get("/api/v2/sessions-store");
  assert.ok(places.length > 0);
  for (const place of places) assert.equal(place.standing.state, "read", JSON.stringify(place));
});

test("its sessions are rows, and they are those that the gateway itself lists", async () => {
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

test("its histories hold what was said and done", async () => {
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

test("the talk of the two is one thread, said once, and known to come from transcripts", async () => {
  await soon("request and answer", async () => (await said()).length >= 2);
  assert.deepEqual(await said(), [`ruda → eden: ${SAID.request}`, `eden → ruda: ${SAID.answer}`]);
  const [thread] = await talks();
  for (const message of thread.messages) {
    assert.equal(message.origin, "transcript");
    assert.match(message.transcript.key, /^agent:(ruda|eden):main$/);
  }
});

test("the child is a delegation with its task and its outcome", async () => {
  const [row] = await soon("the delegation has ended", async () => {
    const { rows } = await monitor.get("/api/v2/delegations");
    return rows.length > 0 && rows[0].state === "succeeded" && rows;
  });
  assert.deepEqual([row.from, row.to, row.label, row.origin], ["ruda", "worker-quick", SAID.label, "transcript"]);
  assert.ok(row.text.includes(SAID.task), row.text);
  assert.equal((await monitor.get("/api/v2/delegations")).total, 1);
});

test("what is said while the monitor looks appears, beside what was there", async () => {
  await gateway.ask("ruda", SAID.nudge);
  const all = await soon("the second talk", async () => {
    const found = await said();
    return found.length >= 4 && found;
  });
  const told = [`ruda → eden: ${SAID.request}`, `eden → ruda: ${SAID.answer}`, `ruda → eden: ${SAID.again}`, `eden → ruda: ${SAID.calm}`];
  assert.deepEqual(all.sort(), told.sort());
});

test("when the gateway is gone the same is told, and nothing of ours lies in its home", async () => {
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

/** Every file of the home but what the monitor keeps in its own name. */
async function files(home) {
  const names = await readdir(home, { recursive: true });
  return names.filter((name) => !/^(logs|work-session-category)/.test(name)).sort();
}
