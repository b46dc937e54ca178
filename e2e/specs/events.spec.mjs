// The flat list of events: bursts as one line, few rows drawn however long it is, the place kept, keys.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor({ story: "blocked-task" });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const list = (page) => page.getByRole("region", { name: "이벤트 목록" });
const rows = (page) => list(page).getByRole("article");
/** Progress of a task, told again and again. */
const progress = (agent, number, at) => ({ type: "task.updated", agentId: agent, ts: at, data: { taskId: `task_burst_${agent}`, message: `${agent} 진행 ${number}` } });
const start = FIXTURE_NOW - 3_000_000;

test("a burst is one line with its count and times, unfolds in place by pointer and by key, and Back folds it", async () => {
  const many = Array.from({ length: 23 }, (_, n) => progress("seum", n, start + n * 2_000));
  await monitor.append(...many, message({ from: "eden", to: "dajim", text: "끝났나요", conversation: "c-after", session: "ws_after", at: start + 60_000 }));
  await eventually("all is read", async () => (await monitor.get("/api/v2/events?q=task_burst&limit=1")).total >= 0 && (await monitor.get("/api/v2/events?type=task.updated&agent=seum")).total >= 23);
  // So high that no row is far from the screen: rows are counted.
  const page = await openPage(browser, `${monitor.url}/events`, { height: 6_000 });
  await idle(page);
  const burst = rows(page).filter({ hasText: "23건" });
  await burst.waitFor();
  assert.equal(await burst.count(), 1);
  assert.match(await burst.innerText(), /13:27:00–13:27:44/, "from when to when");
  const all = await rows(page).count();
  const toggle = burst.getByRole("button", { name: /23건/ });
  assert.equal(await toggle.getAttribute("aria-expanded"), "false");
  await toggle.click();
  await page.waitForURL(/burst=/);
  await eventually("its rows stand below it", async () => (await rows(page).count()) === all + 23);
  await list(page).getByText("seum 진행 0", { exact: true }).waitFor();
  await page.reload();
  await idle(page);
  await eventually("the address remembers it", async () => (await rows(page).count()) === all + 23);
  await page.goBack();
  await eventually("Back folds it", async () => (await rows(page).count()) === all);
  // By key: from the top (Back gave the focus to the burst again) down to the burst, and open.
  for (let step = 0; step <= all; step += 1) await page.keyboard.press("k");
  for (let step = 0; step < all; step += 1) {
    if (await page.evaluate(() => document.activeElement.classList.contains("is-burst"))) break;
    await page.keyboard.press("j");
  }
  await page.keyboard.press("o");
  await eventually("a key unfolds it", async () => (await rows(page).count()) === all + 23);
  await page.keyboard.press("o");
  await eventually("and folds it", async () => (await rows(page).count()) === all);
  assert.equal(await page.evaluate(() => document.activeElement.classList.contains("is-burst")), true, "the focus stays on it");
  await page.getByRole("button", { name: "반복 묶기" }).click();
  await page.waitForURL(/group=off/);
  await eventually("each event is a line", async () => (await rows(page).count()) === all + 22);
  assertNoProblems(page);
  await page.context().close();
});

test("a burst grows live without being drawn anew, and a row that becomes part of one hands its focus on", async () => {
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
  const at = FIXTURE_NOW - 100_000;
  await monitor.append(...[0, 1, 2].map((n) => progress("dajim", n, at + n * 1_000)));
  await list(page).getByText("dajim 진행 2", { exact: true }).waitFor();
  await page.keyboard.press("j");
  await eventually("the newest row has the focus", () => page.evaluate(() => /진행 2/.test(document.activeElement.textContent)));
  await monitor.append(progress("dajim", 3, at + 3_000));
  const burst = rows(page).filter({ hasText: /4건/ });
  await burst.waitFor();
  await eventually("the burst has the focus", () => page.evaluate(() => document.activeElement.classList.contains("is-burst")));
  const element = await burst.elementHandle();
  await monitor.append(progress("dajim", 4, at + 4_000));
  await rows(page).filter({ hasText: /5건/ }).waitFor();
  assert.equal(await element.evaluate((one) => one.isConnected && document.activeElement === one), true);
  assertNoProblems(page);
  await page.context().close();
});

test("a page boundary splits no burst, few of thousands of rows are drawn, and Back finds the place", async () => {
  const kinds = ["task.started", "task.updated"];
  const lone = Array.from({ length: 1_500 }, (_, n) => ({
    type: kinds[n % 2], agentId: "miri", ts: start - 40_000_000 + n * 9_000, data: { taskId: "task_long", message: `긴 목록 ${n}`, workSessionId: "ws_long" },
  }));
  const burst = Array.from({ length: 260 }, (_, n) => progress("worker", n, start - 60_000_000 + n * 1_000));
  await monitor.append(...burst, ...lone);
  await eventually("all is read", async () => (await monitor.get("/api/v2/events?agent=worker&limit=1")).total === 260);
  const page = await openPage(browser, `${monitor.url}/events?agent=worker`);
  await idle(page);
  await rows(page).filter({ hasText: "100건 이상" }).waitFor();
  await page.getByRole("button", { name: "더 보기" }).click();
  await rows(page).filter({ hasText: "260건" }).waitFor();
  assert.equal(await rows(page).count(), 1, "one line, however many pages it came in");

  await page.goto(`${monitor.url}/events?agent=miri`);
  await idle(page);
  const more = page.getByRole("button", { name: "더 보기" });
  for (let loaded = 100; loaded < 1_000; loaded += 100) {
    await more.click();
    await eventually("the next page is there", async () => (await more.isEnabled()) && page.evaluate((n) => document.documentElement.scrollHeight > n * 30, loaded));
  }
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight * 0.7));
  const few = await eventually("only what is near is drawn", async () => {
    const count = await rows(page).count();
    return count < 200 && count > 10 && count;
  });
  assert.ok(few < 200);
  const seen = () => page.evaluate(() => {
    const all = [...document.querySelectorAll(".events-list article")];
    return all.find((row) => row.getBoundingClientRect().top > 200)?.querySelector(".event-row__text")?.textContent;
  });
  // The rows' own heights take the place of guessed ones just after they are drawn: until then others may come in view.
  const before = await eventually("a row stands still in view", async () => {
    const row = await seen();
    await page.waitForTimeout(400);
    return row !== undefined && (await seen()) === row && row;
  });
  const link = list(page).getByRole("article").filter({ hasText: before }).getByRole("link").first();
  await link.click();
  await page.waitForURL(/\/s\//);
  await page.goBack();
  await page.waitForURL(/agent=miri/);
  await eventually(`the same row (${before}) is in its place`, async () => (await seen()) === before);
  assertNoProblems(page);
  await page.context().close();
});
