// Integration tests of approvals and statements with the real OpenClaw (`make test-openclaw`). The gateway is asked to
// approve a command, and an agent asks for attention; the monitor shows both until they are over.
//
// Proves (transcripts): A command that waits for approval in the real OpenClaw (2026.9.6) is a line of home with its exact
// text and the address at which the gateway answers it, until it is decided with OpenClaw's own command. So is
// a session for which attention is asked. Skipped with one line where npm cannot install it.
import assert from "node:assert/strict";

import { PATIENCE, startMonitor } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { TOKEN, startGateway } from "./gateway.mjs";
import { SAID, startModel } from "./model.mjs";

test.describe.configure({ mode: "serial", timeout: 900_000 });

const COMMAND = "rm -rf build && ./deploy.sh --prod";
let model;
let gateway;
let monitor;

test.beforeAll(async () => {
  test.setTimeout(900_000);
  // The monitor makes the folder; it starts again once the gateway's port is known.
  const env = {};
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

test("a command that waits for approval is a line until it is decided", { tag: "@real" }, async () => {
  const request = { command: COMMAND, agentId: "eden", sessionKey: "agent:eden:main", host: "gateway", timeoutMs: 600_000, twoPhase: true };
  const { id, createdAtMs, expiresAtMs } = await gateway.call("exec.approval.request", request);
  await eventually(async () => assert.equal((await lines("toolApproval")).length, 1));
  const [line] = await lines("toolApproval");
  assert.deepEqual([line.agent, line.sessionKey, line.since, line.until], ["eden", "agent:eden:main", createdAtMs, expiresAtMs]);
  assert.deepEqual([line.approval.id, line.approval.kind, line.approval.text], [id, "exec", COMMAND]);
  const page = await fetch(line.approval.url);
  assert.match(`${page.status} ${page.headers.get("content-type")}`, /^200 text\/html/);
  await gateway.decide(id, "deny");
  await eventually(async () => assert.deepEqual(await lines("toolApproval"), []));
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
