// The main job: from home to a thread, to the events and tasks it is linked with, and back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { idle, mainText, menu, titledSession } from "../support/verbs.mjs";

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

const CATEGORIES = [
  "개발/구현", "인프라/운영", "QA/검증", "기획/의사결정", "조사/분석",
  "문서/지식화", "성장/마케팅", "고객/커뮤니티", "법무/컴플라이언스", "비즈니스/전략",
];

test("home shows ten categories in seed order and all as an eleventh item", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const home = await monitor.get("/api/v2/home");
  const text = await mainText(page);
  let from = text.indexOf("카테고리");
  for (const category of CATEGORIES) {
    const at = text.indexOf(category, from);
    assert.ok(at >= 0, `${category} must come after the one before it`);
    from = at;
  }
  assert.ok(text.indexOf("전체 보기", from) > 0, "all comes after the ten");
  const badge = page.getByRole("link", { name: /인프라\/운영/ }).first();
  const shown = await badge.innerText();
  const count = home.categories.find((one) => one.key === "infra_ops").total;
  assert.ok(shown.includes(String(count)), `the badge tells ${count} sessions: ${shown}`);
  assertNoProblems(page);
  await page.context().close();
});

test("what waits for a person names its evidence and leads to it", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const { attention } = await monitor.get("/api/v2/home");
  assert.ok(attention.length > 0, "the fixture has something that waits");
  const region = page.getByRole("region", { name: /나를 기다리는 일/ });
  const text = await region.innerText();
  assert.match(text, /근거/);
  await region.getByRole("link").first().click();
  await page.waitForURL(/\/(s|tasks|events)/);
  assertNoProblems(page);
  await page.context().close();
});

test("a reader goes from home to a category, a session, a thread, its events and tasks, and back", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const category = session.category.key;
  await page.locator(`a[href$="/c/${category}"]`).first().click();
  await page.waitForURL(new RegExp(`/c/${category}`));
  await page.getByRole("link", { name: new RegExp(escape(session.title.slice(0, 12))) }).first().click();
  await page.waitForURL(new RegExp(`/s/${session.workSessionId}`));
  await page.getByRole("heading", { name: session.title }).waitFor();
  await page.getByRole("article").first().waitFor();
  assert.ok((await page.getByRole("article").count()) > 0, "messages are articles");

  await page.getByRole("main").getByRole("link", { name: /^이벤트/ }).first().click();
  await page.waitForURL(/\/events\?.*session=/);
  await idle(page);
  assert.match(await mainText(page), /a2a\.(send|response)/);

  await page.goBack();
  await page.waitForURL(new RegExp(`/s/${session.workSessionId}`));
  await page.getByRole("main").getByRole("link", { name: /^작업/ }).first().click();
  await page.waitForURL(/\/tasks/);
  await idle(page);

  await menu(page, "홈").click();
  await page.waitForURL((url) => url.pathname === "/");
  await idle(page);
  assertNoProblems(page);
  await page.context().close();
});

test("the session list goes on at the reader's wish, and its filters go on working", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  const cards = page.getByRole("region", { name: "세션 목록" }).getByRole("heading", { level: 3 });
  const first = await cards.count();
  await page.getByRole("button", { name: /개 더 보기$/ }).click();
  await eventually("the next page stands below the first", async () => (await cards.count()) > first);
  await page.getByRole("button", { name: /^조용함/ }).click();
  await page.waitForURL(/status=/);
  await idle(page);
  await eventually("only the filtered ones are left", async () => (await cards.count()) < first);
  assertNoProblems(page);
  await page.context().close();
});

test("a task leads to its session", async () => {
  const { tasks } = await monitor.get("/api/v2/tasks");
  const task = tasks.find((one) => one.session?.known);
  assert.ok(task, "the fixture has a task that belongs to a session");
  const page = await openPage(browser, `${monitor.url}/tasks/${task.agentId}/${task.id}`);
  await idle(page);
  await page.getByRole("main").getByRole("link", { name: new RegExp(escape(task.session.title.slice(0, 12))) }).first().click();
  await page.waitForURL(/\/s\//);
  await page.getByRole("heading", { name: task.session.title }).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("an event leads to its thread", async () => {
  const page = await openPage(browser, `${monitor.url}/events?type=a2a.send`);
  await idle(page);
  await page.getByRole("main").locator("a[href*='/t/']").first().click();
  await page.waitForURL(/\/s\/.+\/t\//);
  await page.getByRole("article").first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

function escape(text) {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
