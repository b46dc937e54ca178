// Going from page to page and back: the place, the focus and what was unfolded are there again.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { frames } from "../support/thread.mjs";
import { address, idle, menu, threadsOf, titledSession } from "../support/verbs.mjs";

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

const scrollY = (page) => page.evaluate(() => window.scrollY);
const focused = (page) => page.evaluate(() => document.activeElement?.tagName);
const focusedHref = (page) => page.evaluate(() => document.activeElement?.getAttribute("href"));

/** Scrolls `link` to the middle, remembers where the page stands, and follows the link. */
async function leaveBy(page, link) {
  await link.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await frames(page); // The scroll is told.
  const left = { y: await scrollY(page), href: await link.getAttribute("href"), path: page.url() };
  assert.ok(left.y > 200, "the page is scrolled");
  await link.click();
  await page.waitForURL((url) => url.href !== left.path);
  await eventually("the new page begins at its heading", async () => (await focused(page)) === "H1");
  return left;
}

async function backTo(page, left) {
  await page.goBack();
  await page.waitForURL(left.path);
  await eventually(`the page stands where it was left, at ${left.y}`, async () => {
    const y = await scrollY(page);
    if (Math.abs(y - left.y) >= 3) throw new Error(`it stands at ${y}`);
    return true;
  });
  await eventually("the link has the focus again", async () => (await focusedHref(page)) === left.href);
}

test("Back returns to the place and the link in the session list, also on its second page", async () => {
  const page = await openPage(browser, `${monitor.url}/all`, { height: 700 });
  await idle(page);
  const cards = page.getByRole("region", { name: "세션 목록" }).getByRole("heading", { level: 3 });
  const first = await cards.count();
  await page.getByRole("button", { name: /개 더 보기$/ }).click();
  await eventually("the next page stands below the first", async () => (await cards.count()) > first);
  // Rows far from the screen are not drawn: first there, then a card that stands in view.
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight * 0.6));
  const href = await eventually("a card stands in view", () => page.evaluate(() => {
    const links = [...document.querySelectorAll("main article h3 a")];
    const inView = (link) => Math.abs(link.getBoundingClientRect().top - innerHeight / 2) < 150;
    return links.find(inView)?.getAttribute("href");
  }));
  await backTo(page, await leaveBy(page, page.getByRole("heading", { level: 3 }).locator(`a[href="${href}"]`)));
  assertNoProblems(page);
  await page.context().close();
});

test("Back returns to the place in the events, and a reload keeps it", async () => {
  const page = await openPage(browser, `${monitor.url}/events`, { height: 700 });
  await idle(page);
  const links = page.getByRole("region", { name: "이벤트 목록" }).getByRole("link", { name: "대화에서 보기" });
  const left = await leaveBy(page, links.nth(20));
  await backTo(page, left);
  await page.reload();
  await eventually("the page stands where it was", async () => Math.abs((await scrollY(page)) - left.y) < 3);
  assertNoProblems(page);
  await page.context().close();
});

test("what was unfolded at home is unfolded after Back", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const region = page.getByRole("region", { name: /나를 기다리는 일/ });
  await region.getByRole("button", { name: /더 보기/ }).click();
  const lines = await region.getByRole("listitem").count();
  await region.getByRole("listitem").last().getByRole("link").first().click();
  await page.waitForURL((url) => url.pathname !== "/");
  await idle(page);
  await page.goBack();
  await page.waitForURL((url) => url.pathname === "/");
  await eventually("all lines are there again", async () => (await region.getByRole("listitem").count()) === lines);
  await page.context().close();
});

test("a filter chosen is an entry of the history, typing is none until Enter", async () => {
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
  const length = () => page.evaluate(() => history.length);
  const before = await length();
  const box = page.getByRole("searchbox", { name: "이벤트 내용 찾기" });
  await box.pressSequentially("배포");
  await page.waitForURL(/q=/);
  assert.equal(await length(), before, "typing replaces");
  await box.press("Enter");
  await eventually("Enter makes an entry", async () => (await length()) === before + 1);
  await page.getByRole("combobox", { name: "기간" }).selectOption("7d");
  await page.waitForURL(/since=7d/);
  await page.goBack();
  await page.waitForURL((url) => !url.search.includes("since") && url.search.includes("q="));
  await page.goBack();
  await page.waitForURL((url) => url.search === "");
  await eventually("the field follows", async () => (await box.inputValue()) === "");
  assertNoProblems(page);
  await page.context().close();
});

test("the focus goes to the heading of a page, and never to nothing", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  for (const place of ["대화", "이벤트", "작업", "홈"]) {
    await menu(page, place).press("Enter");
    await eventually(`${place} begins at its heading`, async () => (await focused(page)) === "H1");
  }
  await page.goBack();
  await eventually("Back gives the focus to something", async () => (await focused(page)) !== "BODY");
  await page.context().close();
});

test("a link to where one has just been is an address like any other", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const page = await openPage(browser, `${monitor.url}/all?q=${encodeURIComponent("결제 게이트웨이")}`);
  await idle(page);
  const card = page.getByRole("heading", { name: session.title }).first().getByRole("link");
  for (let round = 0; round < 2; round += 1) {
    await card.click();
    await page.waitForURL(/\/s\/.+\/t\//);
    await idle(page);
    await page.goBack();
    await page.waitForURL(/\/all/);
    await card.waitFor();
  }
  await page.context().close();
});

test("a raw event in a thread has an address, and Back closes it", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  const page = await openPage(browser, monitor.url + address(session, thread));
  await idle(page);
  const open = page.getByRole("article").first().getByRole("button", { name: "원본 이벤트" });
  await open.focus();
  await open.press("Enter");
  await page.waitForURL(/[?&]raw=/);
  const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
  await drawer.getByText("a2a.send").first().waitFor();
  await page.reload();
  await drawer.waitFor();
  await page.goBack();
  await drawer.waitFor({ state: "hidden" });
  await open.press("Enter");
  await drawer.waitFor();
  await drawer.getByRole("button", { name: "닫기" }).click();
  await page.waitForURL((url) => !url.search.includes("raw"));
  await drawer.waitFor({ state: "hidden" });
  assert.notEqual(await focused(page), "BODY");
  assertNoProblems(page);
  await page.context().close();
});

test("a long list is one stop of the Tab key, and the arrow keys go along it", async () => {
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
  const rows = page.getByRole("region", { name: "이벤트 목록" }).getByRole("article");
  const stops = () => rows.evaluateAll((all) => all.filter((row) => row.tabIndex === 0).length);
  await eventually("one row can be reached", async () => (await rows.count()) > 20 && (await stops()) === 1);
  await page.getByRole("searchbox", { name: "이벤트 내용 찾기" }).focus();
  const inFirst = () => rows.first().evaluate((row) => row === document.activeElement);
  for (let tabs = 0; tabs < 4 && !(await inFirst()); tabs += 1) await page.keyboard.press("Tab");
  assert.ok(await inFirst(), "Tab leads from the filters to the first row");
  await page.keyboard.press("ArrowDown");
  assert.ok(await rows.nth(1).evaluate((row) => row === document.activeElement));
  assert.equal(await stops(), 1);
  await page.context().close();
});
