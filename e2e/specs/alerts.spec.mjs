// Browser tests of alerts in the browser: notifications of new matters for a person, their number on the app's icon and
// in the title of a hidden tab, and the setting with what the browser says of it.
//
// Proves (work): While nobody looks at the page, each new matter for a person is one notification, many are one, and one
// that is over takes its notification back; what the browser refuses is said beside the setting.
import { FIXTURE_NOW } from "../support/monitor.mjs";

import { expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "alerts" } });

const blocked = (id, ago, reason) => ({ type: "task.blocked", agentId: "seum", ts: FIXTURE_NOW - ago * 1000, data: { taskId: id, reason, unblockedBy: [] } });
const over = (id) => ({ type: "task.completed", agentId: "seum", ts: FIXTURE_NOW, data: { taskId: id } });

/** A browser whose notifications are recorded; `permission` is what it answers when it is asked. */
async function open(page, permission = "granted") {
  await page.addInitScript((answer) => {
    const log = { shown: [], closed: [], badge: null, looked: true };
    globalThis.__alerts = log;
    class Notification extends EventTarget {
      static permission = localStorage.getItem("asked") ?? "default";
      static async requestPermission() {
        localStorage.setItem("asked", answer);
        return (Notification.permission = answer);
      }
      constructor(title, options) {
        super();
        this.title = title;
        this.tag = options.tag;
        log.shown.push({ title, body: options.body, tag: options.tag, press: () => this.onclick?.() });
      }
      close() {
        log.closed.push(this.tag);
      }
    }
    globalThis.Notification = Notification;
    navigator.setAppBadge = async (count) => { log.badge = count; };
    navigator.clearAppBadge = async () => { log.badge = 0; };
    Object.defineProperty(document, "hidden", { get: () => !log.looked });
    Object.defineProperty(document, "visibilityState", { get: () => (log.looked ? "visible" : "hidden") });
    document.hasFocus = () => log.looked;
  }, permission);
  await page.goto("/");
  await waitUntilLoaded(page);
}
const look = (page, looked) => page.evaluate((looked) => {
  globalThis.__alerts.looked = looked;
  document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  globalThis.dispatchEvent(new Event(looked ? "focus" : "blur"));
}, looked);
const shown = (page) => page.evaluate(() => globalThis.__alerts.shown.map(({ title, body }) => `${title} | ${body}`));
const choose = async (page, name) => {
  await page.getByRole("button", { name: "설정" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("group", { name: "브라우저 알림" }).or(dialog.getByRole("radiogroup", { name: "브라우저 알림" })).getByText(name, { exact: true }).click();
  return dialog;
};

test("new matters are notifications while nobody looks", { tag: "@quick" }, async ({ page, monitor }) => {
  await open(page);
  const dialog = await choose(page, "바로");
  await expect.poll(() => shown(page)).toEqual(["알림을 켰습니다 | 결정할 것이 생기면 이렇게 알려 드립니다."]);
  await dialog.press("Escape");
  await monitor.append(blocked("task_seen", 40, "보고 있을 때"));
  await expect(page.getByText("보고 있을 때").first()).toBeVisible();
  await look(page, false);
  await monitor.append(blocked("task_unseen", 30, "배포 승인 필요"));
  await expect.poll(() => shown(page)).toContainEqual(expect.stringContaining("배포 승인 필요"));
  expect(await shown(page), "what was on screen is not repeated").toHaveLength(2);
  await expect.poll(() => page.title()).toMatch(/^\(\d+\) /);
  const count = Number((await page.title()).match(/\d+/)[0]);
  await expect.poll(() => page.evaluate(() => globalThis.__alerts.badge)).toBe(count);
  await monitor.append(over("task_unseen"));
  await expect.poll(() => page.evaluate(() => globalThis.__alerts.closed.length), "it is over").toBe(1);
  await expect.poll(() => page.evaluate(() => globalThis.__alerts.badge)).toBe(count - 1);
  await monitor.append(...[1, 2, 3, 4].map((n) => blocked(`task_many_${n}`, 20 - n, `여럿 ${n}`)));
  await expect.poll(() => shown(page)).toContainEqual(expect.stringContaining("새로 결정할 것이 4건 있습니다"));
  expect(await shown(page)).toHaveLength(3);
  // Settled one by one: the notification of many goes with the last of them.
  await monitor.append(...[1, 2, 3].map((n) => over(`task_many_${n}`)));
  await expect(page.getByText("여럿 3")).toHaveCount(0);
  expect(await page.evaluate(() => globalThis.__alerts.closed)).not.toContain("many");
  await monitor.append(over("task_many_4"));
  await expect.poll(() => page.evaluate(() => globalThis.__alerts.closed)).toContain("many");
  await look(page, true);
  await expect.poll(() => page.title()).not.toMatch(/^\(/);
});

test("a matter that came while another page was read is shown when the reader leaves", async ({ page, monitor }) => {
  await open(page);
  const dialog = await choose(page, "바로");
  await dialog.press("Escape");
  await page.getByRole("link", { name: "작업", exact: true }).first().click();
  await expect(page).toHaveURL(/\/tasks/);
  await monitor.append(blocked("task_elsewhere", 12, "다른 화면을 볼 때"));
  await expect(page.getByText("다른 화면을 볼 때").first()).toBeVisible();
  await look(page, false);
  await expect.poll(() => shown(page)).toContainEqual(expect.stringContaining("다른 화면을 볼 때"));
});

test("one tab notifies for all, and none while another is looked at", async ({ page, monitor }) => {
  await open(page);
  const dialog = await choose(page, "바로");
  await dialog.press("Escape");
  const other = await page.context().newPage();
  await open(other);
  await look(other, false);
  await look(page, true);
  await monitor.append(blocked("task_tabs_seen", 9, "첫 탭에서 봄"));
  await expect(page.getByText("첫 탭에서 봄").first()).toBeVisible();
  await expect(other.getByText("첫 탭에서 봄").first()).toBeVisible();
  await look(page, false);
  await monitor.append(blocked("task_tabs", 8, "두 탭에 한 번"));
  const both = async () => [...(await shown(page)), ...(await shown(other))].filter((text) => !text.startsWith("알림을 켰습니다"));
  await expect.poll(both, { timeout: 30_000 }).toEqual([expect.stringContaining("두 탭에 한 번")]);
  // A second one would come as soon.
  await page.waitForTimeout(4_000);
  expect(await both()).toHaveLength(1);
  await other.close();
});

test("a pressed notification opens what it is about", async ({ page, monitor }) => {
  await open(page);
  const dialog = await choose(page, "바로");
  await dialog.press("Escape");
  await look(page, false);
  await monitor.append(blocked("task_pressed", 10, "열어 볼 것"));
  await expect.poll(() => shown(page)).toContainEqual(expect.stringContaining("열어 볼 것"));
  await page.evaluate(() => globalThis.__alerts.shown.at(-1).press());
  await expect(page).toHaveURL(/\/tasks\/seum\/task_pressed$/);
});

test("what the browser refuses is said", async ({ page }) => {
  await open(page, "denied");
  const dialog = await choose(page, "1분 뒤");
  await expect(dialog.getByRole("status")).toContainText("브라우저가 이 사이트의 알림을 막고 있습니다");
  expect(await shown(page)).toEqual([]);
  await page.reload();
  await waitUntilLoaded(page);
  const again = await choose(page, "끄기");
  await expect(again.getByRole("status")).toHaveText("");
});

test.describe("with a service worker", () => {
  test.use({ look: { workers: "allow" } });

  test("the worker shows notifications and removes them", async ({ page, monitor }) => {
    await page.context().grantPermissions(["notifications"]);
    await page.addInitScript(() => { document.hasFocus = () => false; });
    await page.goto("/");
    await waitUntilLoaded(page);
    await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state), { timeout: 30_000 }).toBe("activated");
    await choose(page, "바로");
    const titles = () => page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title, body, data }) => [title, body, data].join(" | ")));
    await expect.poll(titles).toContainEqual(expect.stringContaining("알림을 켰습니다"));
    await monitor.append(blocked("task_worker", 5, "작업자가 알림"));
    await expect.poll(titles).toContainEqual(expect.stringMatching(/작업자가 알림[^]*\/tasks\/seum\/task_worker$/));
    await monitor.append(over("task_worker"));
    await expect.poll(async () => (await titles()).filter((text) => text.includes("작업자가"))).toEqual([]);
  });
});
