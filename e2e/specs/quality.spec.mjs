// The state of the record: shares over time as charts and table, with ways to what they count.
import assert from "node:assert/strict";
import { appendFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { idle, mark, unmoved } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const panel = (page) => page.getByRole("region", { name: "기록 상태" });

test("the system's tab tells shares over time, the table says the same, and it goes on live", async () => {
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
  assert.equal(await panel(page).count(), 0, "it stands beside the system's events only");
  await page.getByRole("navigation", { name: "이벤트 역할" }).getByRole("link", { name: /시스템/ }).click();
  await panel(page).waitFor();
  await mark(page);
  const told = await monitor.get("/api/v2/quality?offset=540");
  assert.ok(told.buckets.length > 10 && told.all.unknownRole > 0);
  const chart = panel(page).getByRole("img", { name: /역할을 모르는 이벤트/ });
  await chart.waitFor();
  assert.equal(await chart.locator("rect").count(), told.buckets.length);
  await panel(page).getByRole("img", { name: /분류 근거가 없는 세션/ }).waitFor();
  await panel(page).getByRole("button", { name: "표로 보기" }).click();
  await page.waitForURL(/table=1/);
  const rows = panel(page).getByRole("table").getByRole("row");
  await eventually("a line for each stretch", async () => (await rows.count()) === told.buckets.length + 1);
  const newest = told.buckets.at(-1);
  const cells = await rows.nth(1).getByRole("cell").allInnerTexts();
  assert.equal(cells[0], String(newest.events));
  assert.match(cells[1], new RegExp(`^${newest.unknownRole} \\(`));
  // Live: one more event of unknown role, a failed sync, and a line that cannot be read.
  await monitor.append(
    { type: "custom.probe", agentId: "eden", ts: FIXTURE_NOW - 1_000, data: {} },
    { type: "milestone.sync_failed", agentId: "eden", ts: FIXTURE_NOW - 900, data: { taskId: "task_x", milestoneId: "m" } },
  );
  const more = `${newest.events + 2}`;
  await eventually("the newest stretch grows", async () => (await rows.nth(1).getByRole("cell").first().innerText()) === more);
  const failed = told.all.syncFailed + 1;
  await panel(page).getByText(`마일스톤 동기화 실패 ${failed}건`).waitFor();
  const { badLines } = await monitor.get("/api/v2/health");
  await appendFile(monitor.log, "이 줄은 JSON이 아닙니다\n");
  await panel(page).getByText(`읽지 못한 줄 ${badLines + 1}개`).waitFor();
  assert.ok(await unmoved(page), "without a reload");
  await panel(page).getByRole("button", { name: "데이터 상태 보기" }).click();
  await page.getByRole("dialog", { name: /데이터 상태/ }).waitFor();
  await page.keyboard.press("Escape");
  await panel(page).getByRole("link", { name: "이것만 보기" }).click();
  await page.waitForURL(/type=milestone.sync_failed/);
  await eventually("the list holds them", async () => (await page.getByRole("region", { name: "이벤트 목록" }).getByRole("article").count()) >= 1);
  assertNoProblems(page);
  await page.context().close();
});

test("a short period is told by the hour, and the address keeps what is looked at", async () => {
  const page = await openPage(browser, `${monitor.url}/events?role=system.observability&since=24h&table=1`);
  await idle(page);
  const rows = panel(page).getByRole("table").getByRole("row");
  await eventually("hours of a day", async () => [25, 26].includes((await rows.count()) - 1));
  await page.reload();
  await idle(page);
  assert.ok((await rows.count()) > 20);
  await page.getByRole("combobox", { name: "기간" }).selectOption("7d");
  await eventually("days of a week", async () => [8, 9].includes(await rows.count()) || (await rows.count()) === 10);
  assertNoProblems(page);
  await page.context().close();
});
