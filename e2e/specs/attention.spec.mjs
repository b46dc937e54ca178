// Browser tests of the work list on the home page: its lines with their evidence, hiding and restoring lines.
//
// Proves (work): Every kind of waiting names its evidence. A hidden line returns with its next event. Home says how
// many lines are hidden, also when no other line is left.
// See also: `src/state/snoozed.rs`.
import assert from "node:assert/strict";

import { FIXTURE_NOW } from "../support/monitor.mjs";

import { allowProblems, expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "attention" } });

const strip = (page) => page.locator(".work");
const line = (page, words) => strip(page).getByRole("link", { name: words });
const task = (type, agent, taskId, minutesAgo, more = {}) => ({ type, agentId: agent, ts: FIXTURE_NOW - minutesAgo * 60_000, data: { taskId, ...more } });
/** Opens the menu of a line. */
const menuOf = (page, words) => strip(page).getByRole("listitem").filter({ has: page.getByRole("link", { name: words }) }).getByLabel("이 줄 숨기기").first();

test.beforeAll(async ({ monitor }) => {
  const off = (ago, n) => task("continuation.backoff", "eden", "task_off", ago, { reason: "rate_limit", consecutiveFailures: n, backoffMs: 60_000 });
  await monitor.append(
    task("task.blocked", "seum", "task_stuck", 50, { reason: "운영 DB 접근 권한 필요", unblockedBy: ["eden"] }),
    off(30, 1),
    off(20, 1),
    task("unblock.failed", "seum", "task_stuck", 10),
    off(5, 1),
  );
  await expect.poll(async () => JSON.stringify((await monitor.get("/api/v2/home")).attention), "the lines are read").toContain("task_off");
});

test.beforeEach(async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
});

test("failed unblocks and repeated back-offs link to their evidence", async ({ page }) => {
  const mine = page.getByRole("region", { name: "내가 결정할 것" }).getByRole("listitem");
  await expect(mine.filter({ hasText: "해제 실패" })).toContainText(/풀어 주지 못했습니다.*운영 DB 접근 권한 필요/);
  const off = page.getByRole("region", { name: "에이전트끼리 막힌 것" }).getByRole("listitem").filter({ hasText: "거듭 미룸" });
  await expect(off).toContainText(/요청 한도 초과.*3번째.*한도가 풀리면 자동으로 이어짐/);
  await off.getByRole("link", { name: /근거/ }).click();
  await expect(page).toHaveURL(/\/events\?task=task_off&open=/);
  await page.goBack();
  await off.getByRole("link", { name: /거듭/ }).or(off.locator("a.attention")).first().click();
  await expect(page).toHaveURL(/\/tasks\/eden\/task_off$/);
});

test("a hidden line can be restored and returns with new evidence", { tag: "@quick" }, async ({ page, monitor }) => {
  const stuck = /풀어 주지 못했습니다/;
  const hidden = strip(page).getByRole("button", { name: /숨긴 것/ });
  await expect(line(page, stuck)).toBeVisible();
  const before = await strip(page).getByRole("listitem").count();
  await menuOf(page, stuck).click();
  await strip(page).getByRole("button", { name: "다시 생길 때까지 숨기기" }).click();
  await expect(hidden).toHaveText("숨긴 것 1");
  await expect(strip(page).getByRole("listitem")).toHaveCount(before - 1);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent ?? ""), "the focus is on the note").toContain("숨긴 것 1");

  await page.getByRole("button", { name: "되돌리기" }).click();
  await expect(line(page, stuck)).toBeVisible();
  await expect(hidden).toHaveCount(0);

  await menuOf(page, stuck).click();
  await strip(page).getByRole("button", { name: "다시 생길 때까지 숨기기" }).click();
  await page.reload();
  await waitUntilLoaded(page);
  await hidden.click();
  await expect(strip(page).getByRole("list", { name: "숨긴 것 1" }).getByRole("link", { name: stuck })).toBeVisible();
  await monitor.append(task("unblock.failed", "seum", "task_stuck", 1 / 60));
  await expect(hidden).toHaveCount(0);
  await expect(line(page, stuck)).toBeVisible();
});

test("with every line hidden, home says how many it hides", async ({ page }) => {
  const open = strip(page).locator("summary");
  await expect(open).not.toHaveCount(0);
  for (let left = await open.count(); left > 0; left -= 1) {
    await open.first().click();
    await strip(page).getByRole("button", { name: "오늘 그만 보기" }).first().click();
    await expect(open).toHaveCount(left - 1);
  }
  await expect(strip(page).getByLabel("이 줄 숨기기")).toHaveCount(0);
  await expect(page.getByRole("heading", { level: 1, name: /숨긴 \d+건 말고는 결정할 것이 없습니다/ })).toBeVisible();
  await strip(page).getByRole("button", { name: /숨긴 것 \d+/ }).click();
  await strip(page).getByRole("button", { name: "다시 보이기" }).first().click();
  await expect(open).toHaveCount(1);
});

const SIZES = [[1440, 900], [820, 1180], [390, 844]];
for (const [width, height] of SIZES) {
  test(`the ten badges are whole and stay in place on a terrible day (${width} px)`, { tag: "@quick" }, async ({ openPage, startMonitor }) => {
    const monitor = await startMonitor({ story: "ping-pong" });
    const page = await openPage(monitor.url, { width, height });
    await waitUntilLoaded(page);
    const badges = page.locator(".category-band a");
    const places = () => badges.evaluateAll((all) => all.map((one) => {
      const { left, top, right, bottom } = one.getBoundingClientRect();
      return [left, top, right, bottom].map(Math.round);
    }));
    const calm = await places();
    assert.equal(calm.length, 11);
    const bar = await page.getByRole("navigation").last().evaluate((one) => one.getBoundingClientRect().top);
    const floor = bar > 0 ? bar : height;
    for (const [left, , right, bottom] of calm) assert.ok(left >= 0 && right <= width && bottom <= floor, `${right}, ${bottom}`);

    const days = Array.from({ length: 45 }, (_, n) => task("task.blocked", "seum", `task_day_${n}`, 45 - n, { reason: `막힘 ${n}`, unblockedBy: n % 2 ? ["eden"] : [] }));
    await monitor.append(...days);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/결정할 것 \d{2}건/);
    assert.deepEqual(await places(), calm, "with forty lines below");
    allowProblems(page, [/ERR_CONNECTION_(REFUSED|RESET)/]);
    await monitor.halt();
    await expect(page.locator("html[data-link=down]")).toBeAttached();
    assert.deepEqual(await places(), calm, "and while the link is cut");
  });
}

test("a list that is cut never says that nothing else is there", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong" });
  await monitor.append(...Array.from({ length: 45 }, (_, n) => task("task.blocked", "seum", `task_own_${n}`, 45 - n, { reason: `막힘 ${n}` })));
  await monitor.append(task("task.blocked", "seum", "task_helped", 1, { reason: "권한", unblockedBy: ["eden"] }));
  await expect.poll(async () => (await monitor.get("/api/v2/home")).attentionMore).toBe(true);
  const page = await openPage(monitor.url);
  await expect(page.getByRole("region", { name: "내가 결정할 것" })).toContainText("40+");
  await expect(page.getByRole("region", { name: "에이전트끼리 막힌 것" })).toContainText("0+");
  await expect(page.getByText("막힌 에이전트가 없습니다")).toHaveCount(0);
});
