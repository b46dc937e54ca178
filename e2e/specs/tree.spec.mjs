// The delegation tree, of a session and of all: nesting, marks, keys, the address, ten thousand runs.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor({ story: "spawn" });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const grid = (page) => page.getByRole("treegrid", { name: /위임 트리/ });
const rows = (page) => grid(page).getByRole("row");
const SESSION = "ws_tree";
const start = FIXTURE_NOW - 600_000;

/** A run's lines. `key` names it; `depth` tells under whom it hangs. */
const spawn = (from, to, key, at, depth = 0) => [
  { type: "a2a.spawn", agentId: from, ts: at, data: { fromAgent: from, toAgent: to, targetSessionKey: `agent:${to}:subagent:${key}`, message: `${key} 맡김`, conversationId: `c-${key}`, workSessionId: SESSION, depth, hop: 0, label: key } },
  { type: "a2a.spawn_result", agentId: from, ts: at + 1, data: { fromAgent: from, toAgent: to, targetSessionKey: `agent:${to}:subagent:${key}`, conversationId: `c-${key}`, workSessionId: SESSION, depth, hop: 0, runId: `run-${key}`, status: "accepted", label: key } },
];
const result = (from, to, key, at, text = "다 했습니다") => ({ type: "a2a.response", agentId: from, ts: at, data: { fromAgent: from, toAgent: to, turn: 1, maxTurns: 1, runId: `run-${key}`, replyPreview: text, conversationId: `c-${key}`, workSessionId: SESSION } });

test("a fan-out and its gathering, a refused spawn, an orphan, an unknown type: each is shown as what it is", async () => {
  await monitor.append(
    ...spawn("ruda", "worker-a", "alpha", start),
    ...spawn("ruda", "worker-b", "beta", start + 10),
    ...spawn("ruda", "worker-c", "gamma", start + 20),
    ...spawn("worker-b", "digger", "beta-1", start + 30, 1),
    result("digger", "worker-b", "beta-1", start + 90_000),
    result("worker-a", "ruda", "alpha", start + 40_000),
    result("worker-b", "ruda", "beta", start + 200_000),
    { type: "a2a.spawn", agentId: "ruda", ts: start + 60, data: { fromAgent: "ruda", toAgent: "nobody", targetSessionKey: "agent:nobody:subagent:x", message: "없는 일꾼", conversationId: "c-x", workSessionId: SESSION, depth: 0, hop: 0 } },
    { type: "a2a.spawn_result", agentId: "ruda", ts: start + 61, data: { fromAgent: "ruda", toAgent: "nobody", targetSessionKey: "agent:nobody:subagent:x", conversationId: "c-x", workSessionId: SESSION, depth: 0, hop: 0, status: "error", error: "unknown agent: nobody", replyPreview: "spawn failed: unknown agent: nobody" } },
    result("stray", "ruda", "stray", start + 70, "맡긴 적 없는 결과"),
    { type: "a2a.teleport", agentId: "ruda", ts: start + 80, data: { fromAgent: "ruda", toAgent: "worker-a", conversationId: "c-t", workSessionId: SESSION, depth: 0 } },
  );
  const page = await openPage(browser, `${monitor.url}/events?session=${SESSION}`);
  await idle(page);
  const row = (words) => rows(page).filter({ hasText: words });
  await row("beta-1").waitFor();
  assert.equal(await row("beta-1").getAttribute("aria-level"), "2");
  assert.equal(await rows(page).filter({ hasText: "alpha 맡김" }).count(), 1, "a spawn and its twin are one run");
  await row("unknown agent: nobody").getByText("실패").waitFor();
  await row("맡긴 적 없는 결과").getByText("맡긴 기록 없음").waitFor();
  await row("a2a.teleport").getByText("모르는 종류").waitFor();
  await row("gamma").getByText("진행 중").waitFor();
  await grid(page).getByText("6건 가운데 4건이 끝났습니다").waitFor();
  // Nothing ended later than what is still under way.
  await page.getByRole("button", { name: /가장 느린 갈래: .*gamma/ }).waitFor();
  await monitor.append(result("worker-c", "ruda", "gamma", start + 300_000));
  await row("gamma").getByText("성공").waitFor();
  await grid(page).getByText("6건 가운데 5건이 끝났습니다").waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("the keys of a tree grid fold, open and show; what is folded, hidden and shown stands in the address", async () => {
  const page = await openPage(browser, `${monitor.url}/events?session=${SESSION}`);
  await idle(page);
  const before = await rows(page).count();
  await grid(page).focus();
  const active = () => grid(page).evaluate((one) => document.getElementById(one.getAttribute("aria-activedescendant"))?.textContent ?? "");
  await eventually("the keys begin at the first run", async () => /alpha/.test(await active()));
  await page.keyboard.press("ArrowDown");
  await eventually("and go down", async () => /beta 맡김/.test(await active()));
  await page.keyboard.press("ArrowLeft");
  await page.waitForURL(/turn=/);
  await eventually("the branch is folded", async () => (await rows(page).count()) === before - 1);
  await page.keyboard.press("ArrowRight");
  await eventually("and open again", async () => (await rows(page).count()) === before);
  await page.keyboard.press("Shift+ArrowLeft");
  await page.waitForURL(/level=1/);
  await page.reload();
  await idle(page);
  assert.equal(await rows(page).count(), before - 1, "the address remembers the level");
  await grid(page).focus();
  await page.keyboard.press("Shift+ArrowRight");
  await eventually("all is open again", async () => (await rows(page).count()) === before);
  await page.getByRole("button", { name: "끝난 것 숨기기" }).click();
  await page.waitForURL(/hide=done/);
  await page.getByText(/숨김 \d+/).waitFor();
  assert.equal(await rows(page).filter({ hasText: "alpha" }).count(), 0);
  assert.equal(await rows(page).filter({ hasText: "unknown agent" }).count(), 1, "what failed is never hidden");
  await rows(page).filter({ hasText: "unknown agent" }).click();
  await page.getByRole("region", { name: "맡긴 일 자세히" }).getByRole("button", { name: /이벤트 2/ }).click();
  await page.getByRole("dialog", { name: /원본/ }).getByText("없는 일꾼").waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("the tree of all sessions names each of them, and leads into it", async () => {
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
  await page.getByRole("group", { name: "이벤트 보는 방법" }).getByRole("button", { name: "위임 트리" }).click();
  await page.waitForURL(/view=tree/);
  await grid(page).waitFor();
  const { sessions, total } = await monitor.get("/api/v2/delegations");
  assert.ok(sessions.length > 1 && total > 10);
  await eventually("each session has a line", async () => (await grid(page).getByRole("link", { name: "세션 열기" }).count()) === sessions.length);
  assertNoProblems(page);
  await page.context().close();
});

test("ten thousand runs: few lines are drawn, the last is one key away, and what is left off is said", async () => {
  const many = [];
  for (let number = 0; number < 10_200; number += 1) many.push(spawn("ruda", "worker-a", `m${number}`, start + number, 0)[0]);
  for (let at = 0; at < many.length; at += 2_000) await monitor.append(...many.slice(at, at + 2_000));
  await eventually("all is read", async () => (await monitor.get(`/api/v2/sessions/${SESSION}/delegations?limit=1`)).total > 10_200);
  const page = await openPage(browser, `${monitor.url}/events?session=${SESSION}`);
  await idle(page);
  await page.getByText(/가운데 10,?000건까지 보입니다/).waitFor();
  assert.ok((await rows(page).count()) < 120, "only what is near is drawn");
  await grid(page).focus();
  await page.keyboard.press("End");
  await eventually("the last line is drawn and seen", async () => {
    const count = Number(await grid(page).getAttribute("aria-rowcount"));
    const id = await grid(page).getAttribute("aria-activedescendant");
    return id === `tree-row-${count - 1}`;
  });
  assert.ok((await rows(page).count()) < 120);
  assertNoProblems(page);
  await page.context().close();
});
