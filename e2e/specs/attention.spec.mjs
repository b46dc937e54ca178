// What waits for a person: every kind with its evidence, and lines that the reader puts away for a while.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor({ story: "ping-pong" });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const strip = (page) => page.getByRole("region", { name: /나를 기다리는 일/ });
const line = (page, words) => strip(page).getByRole("link", { name: words });
const task = (type, agent, taskId, at, more = {}) => ({ type, agentId: agent, ts: at, data: { taskId, ...more } });
/** The button whose acts put a line away. */
const putAway = (page, words) => strip(page).getByRole("listitem").filter({ has: page.getByRole("link", { name: words }) }).getByLabel("이 줄 숨기기").first();

test("failed help and repeated back-off wait for a person, each with the event that proves it", async () => {
  const minute = 60_000;
  const off = (ago, n) => task("continuation.backoff", "eden", "task_off", FIXTURE_NOW - ago * minute, { reason: "rate_limit", consecutiveFailures: n, backoffMs: 60_000 });
  await monitor.append(
    task("task.blocked", "seum", "task_stuck", FIXTURE_NOW - 50 * minute, { reason: "운영 DB 접근 권한 필요", unblockedBy: ["eden"] }),
    off(30, 1),
    off(20, 1),
    task("unblock.failed", "seum", "task_stuck", FIXTURE_NOW - 10 * minute),
    off(5, 1),
  );
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await line(page, /해제 실패.*풀어 주지 못했습니다.*운영 DB 접근 권한 필요.*근거 unblock\.failed/).waitFor();
  await line(page, /거듭 미룸.*요청 한도 초과.*3번째.*근거 continuation\.backoff/).click();
  await page.waitForURL(/\/events\?task=task_off&open=/);
  assertNoProblems(page);
  await page.context().close();
});

test("a line put away is told as hidden, can be taken back, and comes back with new evidence", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const stuck = /풀어 주지 못했습니다/;
  const before = await strip(page).getByRole("listitem").count();
  await putAway(page, stuck).click();
  await strip(page).getByRole("button", { name: "다시 생길 때까지 숨기기" }).click();
  await strip(page).getByRole("button", { name: "숨긴 것 1" }).waitFor();
  assert.equal(await strip(page).getByRole("listitem").count(), before - 1);
  await eventually("the focus is on what tells of it", async () => /숨긴 것 1/.test(await page.evaluate(() => document.activeElement?.textContent ?? "")));

  await page.getByRole("button", { name: "되돌리기" }).click();
  await line(page, stuck).waitFor();
  assert.equal(await strip(page).getByRole("button", { name: /숨긴 것/ }).count(), 0);

  await putAway(page, stuck).click();
  await strip(page).getByRole("button", { name: "다시 생길 때까지 숨기기" }).click();
  await page.reload();
  await idle(page);
  await strip(page).getByRole("button", { name: "숨긴 것 1" }).click();
  await strip(page).getByRole("list", { name: "숨긴 것 1" }).getByRole("link", { name: stuck }).waitFor();
  await monitor.append(task("unblock.failed", "seum", "task_stuck", FIXTURE_NOW - 1_000));
  await eventually("it is back with the new evidence", async () => (await strip(page).getByRole("button", { name: /숨긴 것/ }).count()) === 0);
  await line(page, stuck).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("with every line put away home is calm, and says what it hides", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const menus = strip(page).getByLabel("이 줄 숨기기");
  const open = () => strip(page).locator("summary");
  for (let left = await open().count(); left > 0; left -= 1) {
    await open().first().click();
    await strip(page).getByRole("button", { name: "오늘 그만 보기" }).first().click();
    await eventually("the line is gone", async () => (await open().count()) === left - 1);
  }
  assert.equal(await menus.count(), 0);
  await page.getByRole("heading", { level: 1, name: /숨긴 \d+건 말고는 확인할 것이 없습니다/ }).waitFor();
  await strip(page).getByRole("button", { name: /숨긴 것 \d+/ }).click();
  await strip(page).getByRole("button", { name: "다시 보이기" }).first().click();
  await eventually("one is back", async () => (await open().count()) === 1);
  assertNoProblems(page);
  await page.context().close();
});
