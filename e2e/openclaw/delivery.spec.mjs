// Tests of delivery states with the real OpenClaw. The home has a coordination log, but the tested sends are only in
// the sender's transcript. The expected state of each send is the gateway's own answer.
//
// Proves (delivery): In a home of the real OpenClaw that also has a coordination log, a send that timed out, a
// notification, a context overflow and a refusal by policy each show their own state.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";

import { PATIENCE, message, startMonitor } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { startGateway } from "./gateway.mjs";
import { startModel } from "./model.mjs";

test.describe.configure({ mode: "serial", timeout: 900_000 });

const ASK = "네 가지를 차례로 보내 주세요.";
const NOTE = "[NO_REPLY_NEEDED] 오늘 배포는 여덟 시에 시작합니다.";
const LONG = "지난달 기록 전체를 읽고 요약해 주세요.";
const REFUSED = "빌드 서버 상태를 알려 주세요.";
const LATE = "장애 보고서 초안을 검토해 주세요.";
const LATE_ANSWER = "초안 검토를 마쳤습니다.";
const LOGGED = "로그에만 있는 말입니다.";

const send = (to, text, timeoutSeconds) => ["sessions_send", { sessionKey: `agent:${to}:main`, message: text, timeoutSeconds }];

const PARTS = [
  {
    asked: ASK,
    calls: [send("eden", NOTE, 0), send("eden", LONG, 60), send("worker-quick", REFUSED, 30), send("eden", LATE, 2)],
    says: "네 가지를 보냈습니다.",
  },
  { asked: NOTE, calls: [], says: "NO_REPLY" },
  { asked: LONG, calls: [], fail: { status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" } },
  { asked: LATE, calls: [], says: LATE_ANSWER, late: 45_000 },
];

/** Words that the monitor starts with; the last test sets its clock. */
const args = [];
let model;
let gateway;
let monitor;

test.beforeAll(async () => {
  test.setTimeout(900_000);
  monitor = await startMonitor({ story: null, clock: null, args });
  await monitor.halt();
  await mkdir(path.dirname(monitor.log), { recursive: true });
  await monitor.append(message({ from: "seum", to: "dajim", text: LOGGED, session: "ws_logged", conversation: "logged", at: Date.now() }));
  model = await startModel(PARTS);
  gateway = await startGateway(monitor.home, model.url);
  await gateway.ask("ruda", ASK);
  await monitor.start();
});
test.afterAll(async () => {
  await gateway?.stop();
  await model?.stop();
  await monitor?.stop();
});

/** Every exchange of the home whose request has this text. */
async function exchanges(text) {
  const { sessions } = await monitor.get("/api/v2/sessions");
  const found = [];
  for (const { workSessionId } of sessions) {
    const session = `/api/v2/sessions/${encodeURIComponent(workSessionId)}`;
    for (const { threadId } of (await monitor.get(session)).threads) {
      const thread = await monitor.get(`${session}/threads/${encodeURIComponent(threadId)}`);
      const sends = thread.messages.filter((message) => message.text === text);
      found.push(...sends.map(({ id }) => thread.exchanges.find((exchange) => exchange.id === id)));
    }
  }
  return found;
}

/** Waits until exactly one exchange has this text, with this state and reason. */
async function settles(text, state, reason) {
  const found = async () => (await exchanges(text)).map((exchange) => [exchange?.state, exchange?.reason]);
  await expect.poll(found, { message: text, timeout: PATIENCE }).toEqual([[state, reason]]);
}

/** What the gateway itself answered to the send of this text. */
async function gatewayAnswer(text) {
  const { messages } = await gateway.invoke("sessions_history", { sessionKey: "agent:ruda:main", includeTools: true });
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const call = blocks.find((block) => block.type === "toolCall" && block.arguments?.message === text);
  const result = messages.find((message) => message.role === "toolResult" && message.toolCallId === call.id);
  return result.details ?? JSON.parse(result.content[0].text);
}

test("a send that timed out appears once, with its reason", { tag: "@real" }, async () => {
  const answer = await gatewayAnswer(LATE);
  assert.equal(answer.status, "accepted", `2026.9 has no word for a wait that ran out: ${JSON.stringify(answer)}`);
  assert.ok(model.asked.some(({ turn }) => turn.late), "the target has the message and is slow");
  await settles(LATE, "noReply", "timeout");
});

test("a notification is one, whatever the target does with it", { tag: "@real" }, async () => {
  assert.equal((await gatewayAnswer(NOTE)).status, "accepted");
  await settles(NOTE.replace("[NO_REPLY_NEEDED] ", ""), "notice", undefined);
});

test("a model that refused the prompt is a context overflow", { tag: "@real" }, async () => {
  const answer = await gatewayAnswer(LONG);
  assert.equal(answer.status, "error");
  assert.match(answer.error, /context overflow/i);
  await settles(LONG, "noReply", "contextOverflow");
});

test("a target that the configuration forbids is a refusal by policy", { tag: "@real" }, async () => {
  const answer = await gatewayAnswer(REFUSED);
  assert.equal(answer.status, "forbidden");
  await settles(REFUSED, "blocked", "policy");
  const [{ detail }] = await exchanges(REFUSED);
  assert.ok(JSON.stringify(detail ?? "").includes(answer.error), `${detail} says what ${answer.error} says`);
});

test("what the log has stands beside it", { tag: "@real" }, async () => {
  await settles(LOGGED, "waiting", undefined);
});

test("an answer after the wait settles the send", { tag: "@real" }, async () => {
  await settles(LATE, "answered", undefined);
});

test("half an hour later, home names what is still open, and no notification", { tag: "@real" }, async () => {
  await monitor.halt();
  args.push("--clock", String(Date.now() + 30 * 60_000));
  await monitor.start();
  await settles(LATE, "answered", undefined);
  const { attention } = await monitor.get("/api/v2/home");
  const items = attention.filter(({ kind }) => kind !== "lowConfidence").map(({ kind, detail }) => `${kind}: ${detail}`);
  // The overflow is no longer one: the same two have talked since.
  assert.deepEqual(items.sort(), [`blocked: ${REFUSED}`, `noReply: ${LOGGED}`]);
  const { hits } = await monitor.get(`/api/v2/search?${new URLSearchParams({ q: "is:unanswered", in: "messages", offset: "540" })}`);
  assert.deepEqual(hits.map(({ snippet }) => snippet.text).sort(), [LOGGED, LONG].sort());
});
