// Browser tests of navigation and Back: scroll position, focus and expanded parts are restored.
//
// Proves (page): Back restores position, focus and expanded parts. A chosen filter is a history entry, typing is not.
// Focus is never lost. A long list is one Tab stop.
import assert from "node:assert/strict";

import { FIXTURE_NOW } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { frames } from "../support/thread.mjs";
import { address, menu, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

const scrollY = (page) => page.evaluate(() => window.scrollY);
const focused = (page) => page.evaluate(() => document.activeElement?.tagName);
const heading = (page) => page.getByRole("heading", { level: 1 });

/** Scrolls `link` to the middle, follows it, and returns where the page was left. */
async function leaveBy(page, link) {
  await link.evaluate((element) => element.scrollIntoView({ block: "center" }));
  await frames(page); // The page has received the scroll event.
  const left = { y: await scrollY(page), href: await link.getAttribute("href"), url: page.url() };
  assert.ok(left.y > 200, "the page is scrolled");
  await link.click();
  await expect(page).not.toHaveURL(left.url);
  await expect(heading(page)).toBeFocused();
  return left;
}

async function expectScroll(page, y) {
  await expect.poll(async () => Math.abs((await scrollY(page)) - y), `pixels from ${y}`).toBeLessThan(3);
}

async function backTo(page, left) {
  await page.goBack();
  await expect(page).toHaveURL(left.url);
  await expectScroll(page, left.y);
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("href")), "focused link").toBe(left.href);
}

test.describe("in a low window", () => {
  test.use({ look: { height: 700 } });

  test("Back restores scroll and focus on the list's second page", { tag: "@quick" }, async ({ page }) => {
    await page.goto("/all");
    await waitUntilLoaded(page);
    const cards = page.getByRole("region", { name: "협업 목록" }).getByRole("heading", { level: 3 });
    const first = await cards.count();
    await page.getByRole("button", { name: /개 더 보기$/ }).click();
    await expect.poll(() => cards.count(), "the second page is appended").toBeGreaterThan(first);
    // Rows far from the screen are not drawn: scroll there first, then choose a card in view.
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight * 0.6));
    const inView = await page.waitForFunction(() => {
      const links = [...document.querySelectorAll("main article h3 a")];
      return links.find((link) => Math.abs(link.getBoundingClientRect().top - innerHeight / 2) < 150)?.getAttribute("href");
    });
    const link = cards.locator(`a[href="${await inView.jsonValue()}"]`);
    await backTo(page, await leaveBy(page, link));
  });

  test("Back and a reload restore the scroll position of events", async ({ page }) => {
    await page.goto("/events");
    await waitUntilLoaded(page);
    const links = page.getByRole("region", { name: "이벤트 목록" }).getByRole("link", { name: "대화에서 보기" });
    const left = await leaveBy(page, links.nth(20));
    await backTo(page, left);
    await page.reload();
    await expectScroll(page, left.y);
  });
});

test("an expanded list on home is expanded after Back", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong" });
  const stuck = (n) => ({ type: "task.blocked", agentId: "seum", ts: FIXTURE_NOW - n * 60_000, data: { taskId: `task_${n}`, reason: `막힘 ${n}`, unblockedBy: ["eden"] } });
  await monitor.append(...[1, 2, 3, 4, 5, 6, 7].map(stuck));
  const page = await openPage(monitor.url);
  const region = page.getByRole("region", { name: "에이전트끼리 막힌 것" });
  await region.getByRole("button", { name: "2건 더 보기" }).click();
  await expect(region.getByRole("listitem")).toHaveCount(7);
  await region.getByRole("listitem").last().getByRole("link").first().click();
  await expect(page).toHaveURL(/\/tasks\/seum\//);
  await waitUntilLoaded(page);
  await page.goBack();
  await expect(region.getByRole("listitem")).toHaveCount(7);
});

test("a chosen filter adds a history entry, typing only with Enter", async ({ page }) => {
  await page.goto("/events");
  await waitUntilLoaded(page);
  const length = () => page.evaluate(() => history.length);
  const before = await length();
  const box = page.getByRole("searchbox", { name: "이벤트 내용 찾기" });
  await box.pressSequentially("배포");
  await expect(page).toHaveURL(/q=/);
  assert.equal(await length(), before, "typing replaces the entry");
  await box.press("Enter");
  await expect.poll(length, "Enter adds an entry").toBe(before + 1);
  await page.getByRole("combobox", { name: "기간" }).selectOption("7d");
  await expect(page).toHaveURL(/since=7d/);
  await page.goBack();
  await expect(page).toHaveURL((url) => !url.search.includes("since") && url.search.includes("q="));
  await page.goBack();
  await expect(page).toHaveURL((url) => url.search === "");
  await expect(box).toHaveValue("");
});

test("a new page focuses its heading, and Back never loses the focus", async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  for (const name of ["협업", "이벤트", "작업", "홈"]) {
    await menu(page, name).press("Enter");
    await expect(heading(page), name).toBeFocused();
  }
  await page.goBack();
  await expect.poll(() => focused(page)).not.toBe("BODY");
});

test("a card opens its session again after Back", async ({ page, monitor }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  await page.goto(`/all?q=${encodeURIComponent("결제 게이트웨이")}`);
  await waitUntilLoaded(page);
  const card = page.getByRole("heading", { name: session.title }).first().getByRole("link");
  for (let round = 0; round < 2; round += 1) {
    await card.click();
    await expect(page).toHaveURL(/\/s\/.+\/t\//);
    await waitUntilLoaded(page);
    await page.goBack();
    await expect(page).toHaveURL(/\/all/);
    await expect(card).toBeVisible();
  }
});

test("a raw event in a thread has an address, and Back closes it", async ({ page, monitor }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(address(session, thread));
  await waitUntilLoaded(page);
  const open = page.getByRole("article").first().getByRole("button", { name: "원본 이벤트" });
  await open.focus();
  await open.press("Enter");
  await expect(page).toHaveURL(/[?&]raw=/);
  const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
  await expect(drawer.getByText("a2a.send").first()).toBeVisible();
  await page.reload();
  await expect(drawer).toBeVisible();
  await page.goBack();
  await expect(drawer).toBeHidden();
  await open.press("Enter");
  await expect(drawer).toBeVisible();
  await drawer.getByRole("button", { name: "닫기" }).click();
  await expect(page).toHaveURL((url) => !url.search.includes("raw"));
  await expect(drawer).toBeHidden();
  await expect.poll(() => focused(page), "the focus is back once Back has come through").not.toBe("BODY");
});

test("a long list is one Tab stop, and arrow keys move in it", async ({ page }) => {
  await page.goto("/events");
  await waitUntilLoaded(page);
  const rows = page.getByRole("region", { name: "이벤트 목록" }).getByRole("article");
  const stops = () => rows.evaluateAll((all) => all.filter((row) => row.tabIndex === 0).length);
  await expect(async () => {
    assert.ok((await rows.count()) > 20);
    assert.equal(await stops(), 1);
  }).toPass();
  await page.getByRole("searchbox", { name: "이벤트 내용 찾기" }).focus();
  const isFocused = (at) => rows.nth(at).evaluate((row) => row === document.activeElement);
  for (let tabs = 0; tabs < 4 && !(await isFocused(0)); tabs += 1) await page.keyboard.press("Tab");
  assert.ok(await isFocused(0), "Tab leads from the filters to the first row");
  await page.keyboard.press("ArrowDown");
  assert.ok(await isFocused(1));
  assert.equal(await stops(), 1);
});
