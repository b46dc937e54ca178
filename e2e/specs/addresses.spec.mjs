// Every view has an address: it can be reloaded, shared, and gone back to.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { address, idle, mainText, threadsOf, titledSession } from "../support/verbs.mjs";

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

test("a deep link opens and reloads on every kind of page", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  const { tasks } = await monitor.get("/api/v2/tasks");
  const page = await openPage(browser, monitor.url);
  const deep = ["/c/infra_ops", "/all", address(session), address(session, thread), "/events", "/tasks", `/tasks/${tasks[0].agentId}/${tasks[0].id}`];
  for (const place of deep) {
    await page.goto(monitor.url + place);
    await idle(page);
    const first = await page.getByRole("main").getByRole("heading").first().innerText();
    await page.reload();
    await idle(page);
    assert.equal(await page.getByRole("main").getByRole("heading").first().innerText(), first, place);
  }
  assertNoProblems(page);
  await page.context().close();
});

test("filters stand in the address and come back with it", async () => {
  const page = await openPage(browser, `${monitor.url}/all?status=quiet&agent=eden`);
  await idle(page);
  const { sessions, total } = await monitor.get("/api/v2/sessions?limit=50&status=quiet&agent=eden");
  assert.ok(total > 0);
  await page.getByRole("heading", { name: sessions[0].title }).first().waitFor();
  const text = await mainText(page);
  assert.match(text, /조용함/);
  assert.match(text, /이든/);
  await page.reload();
  await page.getByRole("heading", { name: sessions[0].title }).first().waitFor();
  assert.match(page.url(), /status=quiet/);
  await page.context().close();
});

test("grouped by category is a view with an address", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await page.getByRole("button", { name: "카테고리별" }).click();
  await page.waitForURL(/group=category/);
  await idle(page);
  await page.goBack();
  await page.waitForURL((url) => !url.search.includes("group=category"));
  await page.context().close();
});

test("a filter value nobody knows is refused in words, not with an empty page", async () => {
  const answer = await fetch(`${monitor.url}/api/v2/sessions?status=sleeping`);
  assert.equal(answer.status, 400);
  const body = await answer.json();
  assert.equal(body.field, "status");
  assert.ok(body.allowed.length > 0);
});

test("an address that leads nowhere says so and offers the way home", async () => {
  const page = await openPage(browser, `${monitor.url}/no/such/place`);
  await page.getByText("이 주소에는 아무것도 없습니다").waitFor();
  await page.getByRole("link", { name: "홈으로" }).click();
  await page.waitForURL((url) => url.pathname === "/");
  await page.goto(`${monitor.url}/s/ws_that-never-was`);
  await page.getByText("이 세션을 찾을 수 없습니다").waitFor();
  await page.context().close();
});
