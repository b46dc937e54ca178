// Browser tests of the event list: bursts as one line, virtual rows, scroll position after Back, keyboard.
//
// Proves (search): Bursts of the event list lose no event and keep the order. Counts do not depend on where a page of
// the list ends. Fewer than 200 of 1,000 rows are drawn, and the browser's Back returns to the same row.
// See also: `src/components/event/list.rs`.
import assert from "node:assert/strict";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "blocked-task", owner: "events" } });

const list = (page) => page.getByRole("region", { name: "이벤트 목록" });
const rows = (page) => list(page).getByRole("article");
/** One of many progress reports of a task. */
const progress = (agent, number, at) => ({ type: "task.updated", agentId: agent, ts: at, data: { taskId: `task_burst_${agent}`, message: `${agent} 진행 ${number}` } });
const burstFocused = (page) => page.evaluate(() => document.activeElement.classList.contains("is-burst"));
const start = FIXTURE_NOW - 3_000_000;

test("a burst is one line that unfolds by pointer and key", { tag: "@quick" }, async ({ monitor, openPage }) => {
  const many = Array.from({ length: 23 }, (_, n) => progress("seum", n, start + n * 2_000));
  await monitor.append(...many, message({ from: "eden", to: "dajim", text: "끝났나요", conversation: "c-after", session: "ws_after", at: start + 60_000 }));
  await expect.poll(async () => (await monitor.get("/api/v2/events?type=task.updated&agent=seum")).total).toBeGreaterThanOrEqual(23);
  // So high that no row is far from the screen: rows are counted.
  const page = await openPage(`${monitor.url}/events`, { height: 6_000 });
  await waitUntilLoaded(page);
  const burst = rows(page).filter({ hasText: "23건" });
  await expect(burst).toHaveCount(1);
  assert.match(await burst.innerText(), /13:27:00–13:27:44/, "from when to when");
  const all = await rows(page).count();
  const toggle = burst.getByRole("button", { name: /23건/ });
  await expect(toggle).toHaveAttribute("aria-expanded", "false");
  await toggle.click();
  await page.waitForURL(/burst=/);
  await expect(rows(page)).toHaveCount(all + 23);
  await expect(list(page).getByText("seum 진행 0", { exact: true })).toBeVisible();
  await page.reload();
  await waitUntilLoaded(page);
  await expect(rows(page), "the address keeps it unfolded").toHaveCount(all + 23);
  await page.goBack();
  await expect(rows(page), "Back folds it").toHaveCount(all);
  // By key: from the top (Back gave the focus to the burst again) down to the burst, and open.
  for (let step = 0; step <= all; step += 1) await page.keyboard.press("k");
  for (let step = 0; step < all && !(await burstFocused(page)); step += 1) await page.keyboard.press("j");
  await page.keyboard.press("o");
  await expect(rows(page)).toHaveCount(all + 23);
  await page.keyboard.press("o");
  await expect(rows(page)).toHaveCount(all);
  // The folded line is drawn first and focused in the next frame.
  await expect.poll(() => burstFocused(page), "the focus stays on it").toBe(true);
  await page.getByRole("button", { name: "반복 묶기" }).click();
  await page.waitForURL(/group=off/);
  await expect(rows(page), "each event is a line").toHaveCount(all + 22);
});

test("a row that joins a burst passes its focus on", async ({ monitor, page }) => {
  await page.goto("/events");
  await waitUntilLoaded(page);
  const at = FIXTURE_NOW - 100_000;
  await monitor.append(...[0, 1, 2].map((n) => progress("dajim", n, at + n * 1_000)));
  await expect(list(page).getByText("dajim 진행 2", { exact: true })).toBeVisible();
  await page.keyboard.press("j");
  await expect(page.locator(":focus"), "the newest row has the focus").toContainText("진행 2");
  await monitor.append(progress("dajim", 3, at + 3_000));
  const burst = rows(page).filter({ hasText: /4건/ });
  await expect(burst).toBeVisible();
  await expect.poll(() => burstFocused(page)).toBe(true);
  const element = await burst.elementHandle();
  await monitor.append(progress("dajim", 4, at + 4_000));
  await expect(rows(page).filter({ hasText: /5건/ })).toBeVisible();
  assert.equal(await element.evaluate((one) => one.isConnected && document.activeElement === one), true, "the burst is not drawn anew");
});

test("of a thousand rows few are drawn, and Back keeps the position", async ({ monitor, page }) => {
  const kinds = ["task.started", "task.updated"];
  await monitor.append(...Array.from({ length: 1_500 }, (_, n) => ({
    type: kinds[n % 2], agentId: "miri", ts: start - 40_000_000 + n * 9_000, data: { taskId: "task_long", message: `긴 목록 ${n}`, workSessionId: "ws_long" },
  })));
  await expect.poll(async () => (await monitor.get("/api/v2/events?agent=miri&limit=1")).total).toBeGreaterThanOrEqual(1_500);
  await page.goto("/events?agent=miri");
  await waitUntilLoaded(page);
  const more = page.getByRole("button", { name: "더 보기" });
  for (let loaded = 100; loaded < 1_000; loaded += 100) {
    await more.click();
    await expect(more).toBeEnabled();
    await expect.poll(() => page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(loaded * 30);
  }
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight * 0.7));
  await expect(async () => {
    const count = await rows(page).count();
    assert.ok(count < 200 && count > 10, `${count} rows are drawn`);
  }).toPass();
  const seen = () => page.evaluate(() => {
    const all = [...document.querySelectorAll(".events-list article")];
    return all.find((row) => row.getBoundingClientRect().top > 200)?.querySelector(".event-row__text")?.textContent;
  });
  // The rows' own heights take the place of guessed ones just after they are drawn: until then others may come in view.
  let before;
  await expect(async () => {
    before = await seen();
    await page.waitForTimeout(400);
    assert.ok(before !== undefined && (await seen()) === before);
  }, "a row stands still in view").toPass();
  await list(page).getByRole("article").filter({ hasText: before }).locator(`a[href*="/s/"]`).first().click();
  await page.waitForURL(/\/s\//);
  await page.goBack();
  await page.waitForURL(/agent=miri/);
  await expect.poll(seen, "the same row is in its place").toBe(before);
});
