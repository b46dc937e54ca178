// Browser tests of delegation trees, of one session and of all sessions: nesting, states, keyboard, address, and ten
// thousand runs.
//
// Proves (work): The delegation tree shows fan-out, fan-in, refused spawns, orphans and unknown types. Its folds are in
// the address. It draws fewer than 120 of 10,000 lines.
// See also: `src/components/event/tree/flat.rs`.
import assert from "node:assert/strict";

import { FIXTURE_NOW } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "spawn", owner: "tree" } });

const grid = (page) => page.getByRole("treegrid", { name: /위임 트리/ });
const rows = (page, words = "") => grid(page).getByRole("row").filter({ hasText: words });
const SESSION = "ws_tree";
const start = FIXTURE_NOW - 600_000;

/** Events of a run. `key` names it; `depth` is its level below the first agent. */
const spawn = (from, to, key, at, depth = 0) => [
  { type: "a2a.spawn", agentId: from, ts: at, data: { fromAgent: from, toAgent: to, targetSessionKey: `agent:${to}:subagent:${key}`, message: `${key} 맡김`, conversationId: `c-${key}`, workSessionId: SESSION, depth, hop: 0, label: key } },
  { type: "a2a.spawn_result", agentId: from, ts: at + 1, data: { fromAgent: from, toAgent: to, targetSessionKey: `agent:${to}:subagent:${key}`, conversationId: `c-${key}`, workSessionId: SESSION, depth, hop: 0, runId: `run-${key}`, status: "accepted", label: key } },
];
const result = (from, to, key, at, text = "다 했습니다") => ({ type: "a2a.response", agentId: from, ts: at, data: { fromAgent: from, toAgent: to, turn: 1, maxTurns: 1, runId: `run-${key}`, replyPreview: text, conversationId: `c-${key}`, workSessionId: SESSION } });

// A fan-out and its results, a nested run, a refused spawn, a result without a spawn, an unknown type.
test.beforeAll(async ({ monitor }) => {
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
  const count = () => monitor.get(`/api/v2/sessions/${SESSION}/delegations`).then(({ total }) => total, () => 0);
  await expect.poll(count, "all runs are read").toBe(7);
});

test("each run of a fan-out shows its level and state", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto(`/events?session=${SESSION}`);
  await waitUntilLoaded(page);
  await expect(rows(page, "beta-1")).toHaveAttribute("aria-level", "2");
  await expect(rows(page, "alpha 맡김"), "a spawn and its twin are one run").toHaveCount(1);
  for (const [run, state] of [["unknown agent: nobody", "실패"], ["맡긴 적 없는 결과", "맡긴 기록 없음"], ["a2a.teleport", "모르는 종류"], ["gamma", "진행 중"]]) {
    await expect(rows(page, run).getByText(state)).toBeVisible();
  }
  await expect(grid(page).getByText("6건 중 4건이 끝났습니다")).toBeVisible();
  // A run that has not ended takes longest.
  await expect(page.getByRole("button", { name: /가장 느린 갈래: .*gamma/ })).toBeVisible();
  await monitor.append(result("worker-c", "ruda", "gamma", start + 300_000));
  await expect(rows(page, "gamma").getByText("성공")).toBeVisible();
  await expect(grid(page).getByText("6건 중 5건이 끝났습니다")).toBeVisible();
});

test("tree keys fold, open and show; the address keeps it", async ({ page }) => {
  await page.goto(`/events?session=${SESSION}`);
  await waitUntilLoaded(page);
  const before = await rows(page).count();
  await grid(page).focus();
  const active = () => grid(page).evaluate((one) => document.getElementById(one.getAttribute("aria-activedescendant"))?.textContent ?? "");
  await expect.poll(active, "the keys begin at the first run").toMatch(/alpha/);
  await page.keyboard.press("ArrowDown");
  await expect.poll(active).toMatch(/beta 맡김/);
  await page.keyboard.press("ArrowLeft");
  await expect(page).toHaveURL(/turn=/);
  await expect(rows(page), "the branch is folded").toHaveCount(before - 1);
  await page.keyboard.press("ArrowRight");
  await expect(rows(page)).toHaveCount(before);
  await page.keyboard.press("Shift+ArrowLeft");
  await expect(page).toHaveURL(/level=1/);
  await page.reload();
  await waitUntilLoaded(page);
  expect(await rows(page).count(), "the address keeps the level").toBe(before - 1);
  await grid(page).focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect(rows(page)).toHaveCount(before);
  await page.getByRole("button", { name: "끝난 것 숨기기" }).click();
  await expect(page).toHaveURL(/hide=done/);
  await expect(page.getByText(/숨김 \d+/)).toBeVisible();
  expect(await rows(page, "alpha").count()).toBe(0);
  expect(await rows(page, "unknown agent").count(), "a failed run is never hidden").toBe(1);
  await rows(page, "unknown agent").click();
  await page.getByRole("region", { name: "맡긴 일 자세히" }).getByRole("button", { name: /이벤트 2/ }).click();
  await expect(page.getByRole("dialog", { name: /원본/ }).getByText("없는 일꾼")).toBeVisible();
});

test("the tree of all sessions has a link to each", async ({ page, monitor }) => {
  await page.goto("/events");
  await waitUntilLoaded(page);
  await page.getByRole("group", { name: "이벤트 보는 방법" }).getByRole("button", { name: "위임 트리" }).click();
  await expect(page).toHaveURL(/view=tree/);
  await expect(grid(page)).toBeVisible();
  const { sessions, total } = await monitor.get("/api/v2/delegations");
  assert.ok(sessions.length > 1 && total > 10);
  await expect(grid(page).getByRole("link", { name: "협업 열기" })).toHaveCount(sessions.length);
});

test("of ten thousand runs few are drawn, and End reaches the last", async ({ page, monitor }) => {
  const many = [];
  for (let number = 0; number < 10_200; number += 1) many.push(spawn("ruda", "worker-a", `m${number}`, start + number, 0)[0]);
  for (let at = 0; at < many.length; at += 2_000) await monitor.append(...many.slice(at, at + 2_000));
  const total = async () => (await monitor.get(`/api/v2/sessions/${SESSION}/delegations?limit=1`)).total;
  await expect.poll(total, { message: "all runs are read", timeout: 60_000 }).toBeGreaterThan(10_200);
  await page.goto(`/events?session=${SESSION}`);
  await waitUntilLoaded(page);
  await expect(page.getByText(/중 10,?000건까지 보입니다/)).toBeVisible();
  assert.ok((await rows(page).count()) < 120, "only rows near the screen are drawn");
  await grid(page).focus();
  await page.keyboard.press("End");
  await expect(async () => {
    const last = Number(await grid(page).getAttribute("aria-rowcount")) - 1;
    await expect(grid(page)).toHaveAttribute("aria-activedescendant", `tree-row-${last}`, { timeout: 1_000 });
  }).toPass();
  assert.ok((await rows(page).count()) < 120);
});
