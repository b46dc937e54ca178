// Browser tests of navigation between home, session list, thread, event and task. Home's counts are compared with the
// monitor's answer, and its agent rows with the work list: what an agent waits for, and how many entries it can
// resolve.
//
// Proves (work): Links lead from home to a thread, to its events and tasks, and back.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { mainText, menu, titledSession, waitUntilLoaded } from "../support/steps.mjs";

const CATEGORIES = [
  "개발/구현", "인프라/운영", "QA/검증", "기획/의사결정", "조사/분석",
  "문서/지식화", "성장/마케팅", "고객/커뮤니티", "법무/컴플라이언스", "비즈니스/전략",
];

test("home lists ten categories in seed order, then all, each with its count", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  const home = await monitor.get("/api/v2/home");
  const text = await mainText(page);
  let from = text.indexOf("카테고리");
  for (const category of CATEGORIES) {
    const at = text.indexOf(category, from);
    assert.ok(at >= 0, `${category} must come after the one before it`);
    from = at;
  }
  assert.ok(text.indexOf("전체 보기", from) > 0, "all comes after the ten");
  const totals = [...home.categories, home.all].map((one) => String(one.total));
  await expect(page.locator(".category-cell__end > .category-cell__total")).toHaveText(totals);
});

test("a waiting item leads to where it is settled, and to its evidence", async ({ page, monitor }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  const { attention } = await monitor.get("/api/v2/home");
  assert.ok(attention.length > 0, "the fixture has something that waits");
  const item = page.locator(".work").getByRole("listitem").first();
  await expect(item.getByRole("link")).toHaveText([/./, /^근거 /]);
  await item.getByRole("link").first().click();
  await page.waitForURL(/\/(s|tasks)\//);
  await page.goBack();
  await item.getByRole("link", { name: /^근거/ }).click();
  await page.waitForURL(/\/events\?/);
});

test("links lead from home to a thread, its events and tasks", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const category = session.category.key;
  await page.locator(`a[href$="/c/${category}"]`).first().click();
  await page.waitForURL(new RegExp(`/c/${category}`));
  await page.getByRole("link", { name: session.title.slice(0, 12) }).first().click();
  await page.waitForURL(new RegExp(`/s/${session.workSessionId}`));
  await expect(page.getByRole("heading", { name: session.title })).toBeVisible();
  await expect(page.getByRole("article").first()).toBeVisible();

  await page.getByRole("main").getByRole("link", { name: /^이벤트/ }).first().click();
  await page.waitForURL(/\/events\?.*session=/);
  await waitUntilLoaded(page);
  assert.match(await mainText(page), /a2a\.(send|response)/);

  await page.goBack();
  await page.waitForURL(new RegExp(`/s/${session.workSessionId}`));
  await page.getByRole("main").getByRole("link", { name: /^작업/ }).first().click();
  await page.waitForURL(/\/tasks/);
  await waitUntilLoaded(page);

  await menu(page, "홈").click();
  await page.waitForURL((url) => url.pathname === "/");
  await waitUntilLoaded(page);
});

test("the session list loads more, and its filters still work", async ({ page }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  const cards = page.getByRole("region", { name: "협업 목록" }).getByRole("heading", { level: 3 });
  const first = await cards.count();
  await page.getByRole("button", { name: /개 더 보기$/ }).click();
  await expect.poll(() => cards.count(), "the next page stands below the first").toBeGreaterThan(first);
  await page.getByRole("button", { name: /^조용함/ }).click();
  await page.waitForURL(/status=/);
  await waitUntilLoaded(page);
  await expect.poll(() => cards.count(), "only the filtered ones are left").toBeLessThan(first);
});

test("a task leads to its session", async ({ page, monitor }) => {
  const { tasks } = await monitor.get("/api/v2/tasks");
  const task = tasks.find((one) => one.session?.known);
  assert.ok(task, "the fixture has a task that belongs to a session");
  await page.goto(`/tasks/${task.agentId}/${task.id}`);
  await waitUntilLoaded(page);
  await page.getByRole("main").getByRole("link", { name: task.session.title.slice(0, 12) }).first().click();
  await page.waitForURL(/\/s\//);
  await expect(page.getByRole("heading", { name: task.session.title })).toBeVisible();
});

test("an event leads to its thread", async ({ page }) => {
  await page.goto("/events?type=a2a.send");
  await waitUntilLoaded(page);
  await page.getByRole("main").locator("a[href*='/t/']").first().click();
  await page.waitForURL(/\/s\/.+\/t\//);
  await expect(page.getByRole("article").first()).toBeVisible();
});

test("home's agents say what they wait for and could settle as the work list does", async ({ page, monitor }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  const { attention } = await monitor.get("/api/v2/home");
  const row = (id) => page.locator(".agent-row").filter({ has: page.locator(`[title="${id}"]`) });
  const approval = attention.find(({ kind }) => kind === "approval");
  await expect(row(approval.agent)).toContainText("승인 대기");
  const [helper] = attention.find(({ kind, unblockers }) => kind === "taskBlocked" && unblockers).unblockers;
  const waits = attention.filter(({ kind, other, unblockers }) =>
    kind === "taskBlocked" ? unblockers?.includes(helper) : other === helper && ["noReply", "blocked"].includes(kind));
  await expect(row(helper)).toContainText(`풀 수 있는 일 ${waits.length}건`);
});
