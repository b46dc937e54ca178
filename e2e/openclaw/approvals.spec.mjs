// Integration tests of approvals and statements with the real OpenClaw (`make test-openclaw`). The gateway is asked to
// approve commands, and an agent asks for attention; the monitor shows both until they are over, and answers the commands.
//
// Proves (transcripts): A command that waits for approval in the real OpenClaw (2026.9.6) is a line of home with its exact
// text and the address at which the gateway answers it, until it is decided with OpenClaw's own command. So is
// a session for which attention is asked. An answer of a page reaches the gateway once, for a command and for a tool of a
// plugin, and is refused for another digest, after an answer elsewhere and after the end; no pairing of a device is left.
// Skipped with one line where npm cannot install it.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { PATIENCE, startMonitor } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { TOKEN, startGateway } from "./gateway.mjs";
import { SAID, startModel } from "./model.mjs";

test.describe.configure({ mode: "serial", timeout: 900_000 });

const COMMAND = "rm -rf build && ./deploy.sh --prod";
const WRITE_TOKEN = "write-token-of-one-run";
let model;
let gateway;
let monitor;

test.beforeAll(async () => {
  test.setTimeout(900_000);
  // The monitor makes the folder; it starts again once the gateway's port is known.
  const env = { TASK_MONITOR_WRITE_TOKEN: WRITE_TOKEN };
  monitor = await startMonitor({ story: null, clock: null, env });
  await monitor.halt();
  model = await startModel();
  gateway = await startGateway(monitor.home, model.url);
  Object.assign(env, { TASK_MONITOR_GATEWAY_URL: `http://127.0.0.1:${gateway.port}`, TASK_MONITOR_GATEWAY_TOKEN: TOKEN });
  await monitor.start();
});
test.afterAll(async () => {
  await gateway?.stop();
  await model?.stop();
  await monitor?.stop();
});

const lines = async (kind) => (await monitor.get("/api/v2/home")).attention.filter((line) => line.kind === kind);
const eventually = (check) => expect(check).toPass({ timeout: PATIENCE });

/** The gateway denies at once what nobody could answer; it is told that somebody can. */
function request(more = {}) {
  const asked = { command: COMMAND, agentId: "eden", sessionKey: "agent:eden:main", host: "gateway", timeoutMs: 600_000, ...more };
  return gateway.call("exec.approval.request", { ...asked, twoPhase: true, requireDeliveryRoute: false });
}

const place = (id) => `/api/v2/permission-requests/${encodeURIComponent(id)}`;

/** The request as the page gets it, once the monitor has read the gateway's database. */
async function shown(id) {
  let detail;
  await eventually(async () => {
    detail = await monitor.get(place(id));
    assert.equal(detail.request.id, id);
  });
  return detail;
}

/** An answer as the page gives it. */
async function answer(id, body) {
  const headers = { "content-type": "application/json", "x-task-monitor-token": WRITE_TOKEN, origin: monitor.url };
  const response = await fetch(`${monitor.url}${place(id)}/answer`, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: response.status, ...(await response.json()) };
}

/** What the gateway itself has recorded of an approval; nothing while it waits. */
const recorded = async (id) => (await gateway.call("approval.history", {})).items.find((approval) => approval.id === id);

async function record(id) {
  const text = await readFile(path.join(monitor.home, "logs/task-hub-answers.ndjson"), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line)).filter((line) => line.id === id);
}

test("a command that waits for approval is a line until it is decided", { tag: "@real" }, async () => {
  const { id, createdAtMs, expiresAtMs } = await request();
  await eventually(async () => assert.equal((await lines("toolApproval")).length, 1));
  const [line] = await lines("toolApproval");
  assert.deepEqual([line.agent, line.sessionKey, line.since, line.until], ["eden", "agent:eden:main", createdAtMs, expiresAtMs]);
  assert.deepEqual([line.approval.id, line.approval.kind, line.approval.text], [id, "exec", COMMAND]);
  assert.deepEqual(line.requests, [{ id, expiresAt: expiresAtMs }]);
  const page = await fetch(line.approval.url);
  assert.match(`${page.status} ${page.headers.get("content-type")}`, /^200 text\/html/);
  await gateway.decide(id, "deny");
  await eventually(async () => assert.deepEqual(await lines("toolApproval"), []));
});

for (const [decision, more, gateways] of [["allow", { confirmed: true }, "allow-once"], ["deny", {}, "deny"]]) {
  test(`the gateway takes the answer ${decision}, once`, { tag: "@real" }, async () => {
    const { id } = await request();
    const { digest, call, dangers } = await shown(id);
    assert.deepEqual(call, { tool: "exec", input: { command: COMMAND, host: "gateway" } });
    assert.equal(dangers[0].kind, "deletes");
    const refused = await answer(id, { decision, digest: "0".repeat(64), ...more });
    assert.deepEqual([refused.status, refused.code], [409, "conflict"]);
    assert.equal(await recorded(id), undefined);
    const given = await answer(id, { decision, digest, updatedBy: "하늘", ...more });
    assert.deepEqual([given.status, given.state, given.answer?.by], [200, "answered", "하늘"], JSON.stringify(given));
    const { decision: taken, resolver } = await recorded(id);
    assert.deepEqual([taken, resolver.kind], [gateways, "device"]);
    assert.deepEqual((await record(id)).map((line) => [line.what, line.decision, line.digest, line.state]), [
      ["answer", decision, digest, undefined],
      ["outcome", decision, digest, "answered"],
    ]);
    assert.equal((await answer(id, { decision, digest, ...more })).status, 409);
    await eventually(async () => assert.deepEqual(await lines("toolApproval"), []));
    assert.deepEqual(await gateway.call("device.pair.list", {}), { pending: [], paired: [] }, "the key leaves no pairing");
  });
}

test("a tool of a plugin is allowed once", { tag: "@real" }, async ({ page }) => {
  // A plugin is refused at once where no client could answer; the gateway's own page is one. Not all of its files are there.
  allowProblems(page, [/404/]);
  await page.goto(`http://127.0.0.1:${gateway.port}/#token=${TOKEN}`);
  const [title, description] = ["문서 게시", "docs/install.md를 공개 위키에 올립니다."];
  const asked = { pluginId: "wiki", title, description, severity: "warning", toolName: "publish_page", agentId: "ruda" };
  let id;
  await eventually(async () => {
    const sent = await gateway.call("plugin.approval.request", { ...asked, timeoutMs: 600_000, twoPhase: true });
    assert.equal(sent.status, "accepted", JSON.stringify(sent));
    id = sent.id;
  });
  assert.match(id, /^plugin:/);
  await eventually(async () => assert.equal((await lines("toolApproval")).length, 1));
  const [line] = await lines("toolApproval");
  assert.deepEqual([line.agent, line.approval.id, line.approval.kind], ["ruda", id, "plugin"]);
  const { digest, call } = await shown(id);
  assert.equal(call.tool, "publish_page");
  assert.equal((await answer(id, { decision: "allow", digest: "0".repeat(64) })).status, 409);
  const given = await answer(id, { decision: "allow", digest, confirmed: true });
  assert.deepEqual([given.status, given.state], [200, "answered"], JSON.stringify(given));
  assert.equal((await recorded(id)).decision, "allow-once");
  await eventually(async () => assert.deepEqual(await lines("toolApproval"), []));
});

test("an approval that was answered elsewhere takes no answer", { tag: "@real" }, async () => {
  const { id } = await request();
  const { digest } = await shown(id);
  await gateway.decide(id, "deny");
  await eventually(async () => assert.equal((await monitor.get(place(id))).request.state, "elsewhere"));
  assert.equal((await answer(id, { decision: "allow", digest, confirmed: true })).status, 409);
  assert.deepEqual([await record(id), (await recorded(id)).decision], [[], "deny"]);
});

test("an approval that ran out takes no answer", { tag: "@real" }, async () => {
  const { id } = await request({ timeoutMs: 15_000 });
  const { digest } = await shown(id);
  await eventually(async () => assert.equal((await monitor.get(place(id))).request.state, "expired"));
  assert.equal((await answer(id, { decision: "allow", digest, confirmed: true })).status, 409);
  assert.equal((await recorded(id)).status, "expired");
});

test("a session for which attention is asked is a line in the agent's words", { tag: "@real" }, async () => {
  await gateway.ask("ruda", SAID.human);
  const patch = { key: "agent:ruda:main", statusNote: "결제 키가 필요합니다", attention: "key", ttlMinutes: 90 };
  await gateway.call("sessions.patch", patch);
  await eventually(async () => assert.equal((await lines("agentRequest")).length, 1));
  const [line] = await lines("agentRequest");
  assert.deepEqual([line.agent, line.detail, line.sessionKey], ["ruda", patch.statusNote, patch.key]);
  await gateway.call("sessions.patch", { key: patch.key, statusNote: null });
  await eventually(async () => assert.deepEqual(await lines("agentRequest"), []));
});
