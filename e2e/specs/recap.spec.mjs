// Browser tests of what happened while the reader was away: the panel on home after a return.
//
// Proves (past): After an hour or more away home tells what began to wait, failed, was decided and resolved, each with
// a link to its evidence. After a short while, on a first visit and in a past moment it tells nothing. A person whom a proxy
// names is not shown again what they saw on another device; while the monitor cannot store that, each browser's time counts.
import { mkdir } from "node:fs/promises";
import path from "node:path";

import { FIXTURE_NOW } from "../support/monitor.mjs";

import { expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "recap" }, timezoneId: "Asia/Seoul" });

const minutes = (ago) => FIXTURE_NOW - ago * 60_000;
const task = (type, agentId, taskId, ago, more = {}) => ({ type, agentId, ts: minutes(ago), data: { taskId, workSessionId: `ws_${taskId}`, ...more } });
const panel = (page) => page.getByRole("region", { name: "자리를 비운 사이" });
/** The reader looked last so many minutes ago. */
const looked = (page, ago) => page.addInitScript((at) => localStorage.getItem("task-hub.last-look") ?? localStorage.setItem("task-hub.last-look", String(at)), minutes(ago));

test.beforeAll(async ({ monitor }) => {
  await monitor.append(
    task("task.blocked", "eden", "task_stuck", 2_000, { reason: "키 필요", unblockedBy: ["seum"] }),
    task("task.resumed", "eden", "task_stuck", 90),
    task("task.completed", "seum", "task_done", 80),
    task("task.blocked", "seum", "task_new", 70, { reason: "서명 키 필요", unblockedBy: [] }),
  );
  await expect.poll(async () => JSON.stringify((await monitor.get("/api/v2/home")).attention)).toContain("task_new");
});

test("a return after a day tells what happened, with its evidence", { tag: "@quick" }, async ({ page }) => {
  await looked(page, 24 * 60);
  await page.goto("/");
  await waitUntilLoaded(page);
  const lines = panel(page).getByRole("listitem");
  await expect(lines.filter({ hasText: "새로 막힘" }).first()).toContainText("서명 키 필요");
  await expect(lines.filter({ hasText: "seum" }).filter({ hasText: "작업을 마쳤습니다" })).toHaveCount(1);
  await expect(lines.filter({ hasText: "막혔던 작업이 다시 진행됩니다" })).toHaveCount(1);
  await lines.filter({ hasText: "작업을 마쳤습니다" }).getByRole("link").click();
  await expect(page).toHaveURL(/\/tasks\/seum\/task_done$/);
  await page.goBack();
  await panel(page).getByRole("link", { name: "그때 모습 보기" }).click();
  await expect(page.getByRole("region", { name: "지난 시점" })).toBeVisible();
  await expect(panel(page)).toHaveCount(0);
  await page.goBack();
  await panel(page).getByRole("button", { name: "확인했어요" }).click();
  await expect(panel(page)).toHaveCount(0);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(panel(page), "the reader was here just now").toHaveCount(0);
});

test("a first visit and a short absence tell nothing", async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  await expect(page.getByRole("region", { name: "내가 결정할 것" })).toBeVisible();
  await expect(panel(page)).toHaveCount(0);
  await page.evaluate((at) => localStorage.setItem("task-hub.last-look", String(at)), minutes(20));
  await page.reload();
  await waitUntilLoaded(page);
  await expect(page.getByRole("region", { name: "내가 결정할 것" })).toBeVisible();
  await expect(panel(page)).toHaveCount(0);
});

const PEOPLE = ["--trusted-proxies", "127.0.0.1", "--identity-header", "X-Forwarded-User"];
const blocked = task("task.blocked", "seum", "task_new", 70, { reason: "서명 키 필요", unblockedBy: [] });

/** Opens home as `user` in a new browser that was here a day ago, as a proxy forwards it; also the monitor's answer. */
async function visitAs(openPage, monitor, user) {
  const page = await openPage(null, { now: FIXTURE_NOW, baseURL: monitor.url });
  await page.setExtraHTTPHeaders({ "x-forwarded-user": user, "x-forwarded-for": "203.0.113.7" });
  await looked(page, 24 * 60);
  const answer = page.waitForResponse("**/api/v2/me/visit");
  await page.goto("/");
  await waitUntilLoaded(page);
  return { page, visit: await (await answer).json() };
}

test("what a person saw on another device is not shown again", { tag: "@quick" }, async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong", args: PEOPLE });
  await monitor.append(blocked);
  await expect.poll(async () => JSON.stringify((await monitor.get("/api/v2/home")).attention)).toContain("task_new");
  const phone = await visitAs(openPage, monitor, "eden");
  expect(phone.visit).toEqual({ recorded: true });
  await expect(panel(phone.page)).toContainText("서명 키 필요");
  const laptop = await visitAs(openPage, monitor, "eden");
  expect(laptop.visit).toEqual({ lastVisit: FIXTURE_NOW, recorded: true });
  await expect(laptop.page.getByRole("region", { name: "내가 결정할 것" })).toBeVisible();
  await expect(panel(laptop.page)).toHaveCount(0);
  const other = await visitAs(openPage, monitor, "seum");
  expect(other.visit).toEqual({ recorded: true });
  await expect(panel(other.page)).toContainText("서명 키 필요");
});

test("a monitor that cannot store visits leaves each browser its own time", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong", args: PEOPLE });
  await mkdir(path.join(monitor.home, "task-hub-visits.json"));
  await monitor.append(blocked);
  await expect.poll(async () => JSON.stringify((await monitor.get("/api/v2/home")).attention)).toContain("task_new");
  for (let browser = 0; browser < 2; browser += 1) {
    const { page, visit } = await visitAs(openPage, monitor, "eden");
    expect(visit).toEqual({ recorded: false });
    await expect(panel(page)).toContainText("서명 키 필요");
  }
  expect(monitor.output.match(/last visits are not recorded/g)).toHaveLength(1);
});
