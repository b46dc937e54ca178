// Browser tests of the data quality panel: the shares of unknown roles and of unclassified sessions over time, as charts
// and as a table, with live updates and links to the events.
//
// Proves (categories): Charts and table of data quality count each event in exactly one period, follow live changes, and
// agree with the event doctor.
import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";

import { FIXTURE_NOW } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { markDocument, waitUntilLoaded, wasNotReloaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "quality" } });

const panel = (page) => page.getByRole("region", { name: "기록 상태" });

test("charts and table show the quality live", async ({ page, monitor }) => {
  await page.goto("/events");
  await waitUntilLoaded(page);
  await expect(panel(page), "the panel belongs to the system's events only").toHaveCount(0);
  await page.getByRole("navigation", { name: "이벤트 역할" }).getByRole("link", { name: /시스템/ }).click();
  await expect(panel(page)).toBeVisible();
  await markDocument(page);
  const { all, buckets } = await monitor.get("/api/v2/quality?offset=540");
  assert.ok(buckets.length > 10 && all.unknownRole > 0);
  const chart = panel(page).getByRole("img", { name: /역할을 모르는 이벤트/ });
  await expect(chart).toBeVisible();
  await expect(chart.locator("rect")).toHaveCount(buckets.length);
  await expect(panel(page).getByRole("img", { name: /분류 근거가 없는 협업/ })).toBeVisible();
  await panel(page).getByRole("button", { name: "표로 보기" }).click();
  await page.waitForURL(/table=1/);
  const rows = panel(page).getByRole("table").getByRole("row");
  await expect(rows).toHaveCount(buckets.length + 1);
  const newest = buckets.at(-1);
  const cells = await rows.nth(1).getByRole("cell").allInnerTexts();
  assert.equal(cells[0], String(newest.events));
  assert.match(cells[1], new RegExp(`^${newest.unknownRole} \\(`));
  // Live: an event of unknown role, a failed sync, and an unreadable line.
  await monitor.append(
    { type: "custom.probe", agentId: "eden", ts: FIXTURE_NOW - 1_000, data: {} },
    { type: "milestone.sync_failed", agentId: "eden", ts: FIXTURE_NOW - 900, data: { taskId: "task_x", milestoneId: "m" } },
  );
  await expect(rows.nth(1).getByRole("cell").first()).toHaveText(`${newest.events + 2}`);
  await expect(panel(page).getByText(`마일스톤 동기화 실패 ${all.syncFailed + 1}건`)).toBeVisible();
  const { badLines } = await monitor.get("/api/v2/health");
  await appendFile(monitor.log, "이 줄은 JSON이 아닙니다\n");
  await expect(panel(page).getByText(`읽지 못한 줄 ${badLines + 1}개`)).toBeVisible();
  assert.ok(await wasNotReloaded(page), "without a reload");
  await panel(page).getByRole("button", { name: "데이터 상태 보기" }).click();
  await expect(page.getByRole("dialog", { name: /데이터 상태/ })).toBeVisible();
  await page.keyboard.press("Escape");
  await panel(page).getByRole("link", { name: "이것만 보기" }).click();
  await page.waitForURL(/type=milestone.sync_failed/);
  await expect(page.getByRole("region", { name: "이벤트 목록" }).getByRole("article").first()).toBeVisible();
});

test("a day is shown by hours, a week by days", async ({ page }) => {
  await page.goto("/events?role=system.observability&since=24h&table=1");
  await waitUntilLoaded(page);
  const rows = panel(page).getByRole("table").getByRole("row");
  const count = () => rows.count();
  await expect.poll(async () => [26, 27].includes(await count()), "24 or 25 hours and a head").toBe(true);
  await page.reload();
  await waitUntilLoaded(page);
  assert.ok((await count()) > 20);
  await page.getByRole("combobox", { name: "기간" }).selectOption("7d");
  await expect.poll(async () => [8, 9, 10].includes(await count()), "days of a week").toBe(true);
});
