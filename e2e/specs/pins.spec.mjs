// Pinned sessions stand on top, and long lists draw only what is near the screen without moving anything.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor({ story: "ping-pong" });
  browser = await startBrowser();
  const events = [];
  for (let number = 0; number < 260; number += 1) {
    const name = String(number).padStart(3, "0");
    events.push(message({ from: "eden", to: "seum", text: `[Goal] 긴 목록의 ${name}번 협업\n배포 확인`, session: `ws_long-${name}`, conversation: `long-${name}`, at: FIXTURE_NOW - (number + 1) * 30_000 }));
  }
  await monitor.append(...events);
  await eventually("all are read", async () => (await monitor.get("/api/v2/health")).sessions >= 260);
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const list = (page) => page.getByRole("region", { name: "세션 목록" });
const card = (page, name) => list(page).getByRole("article").filter({ hasText: name });
const titles = (page) => list(page).getByRole("heading", { level: 3 }).allInnerTexts();

test("a session is pinned from its menu, stays on top over a reload, and the pin comes off by key", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await card(page, "007번 협업").getByLabel("세션 메뉴").first().click();
  await page.getByRole("button", { name: "위에 고정" }).click();
  await list(page).getByRole("heading", { level: 2, name: /고정\s*1/ }).waitFor();
  assert.match((await titles(page))[0], /007번/);
  assert.equal(await card(page, "007번 협업").count(), 1, "it does not stand twice");
  await page.reload();
  await idle(page);
  await eventually("it is on top again", async () => /007번/.test((await titles(page))[0]));

  await list(page).getByRole("link", { name: /007번/ }).focus();
  await page.keyboard.press("p");
  await eventually("it is back in its place", async () => /000번/.test((await titles(page))[0]));
  await eventually("the focus went with it", async () => /007번/.test(await page.evaluate(() => document.activeElement?.textContent ?? "")));
  await page.keyboard.press("p");
  await eventually("the key pins, too", async () => /007번/.test((await titles(page))[0]));
  assertNoProblems(page);
  await page.context().close();
});

test("a pinned session far down the list is on top of it, and of no other category's", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await page.evaluate(() => localStorage.setItem("task-hub.pins", JSON.stringify({ v: 1, sessions: ["ws_long-255"] })));
  await page.reload();
  await idle(page);
  await eventually("it is on top", async () => /255번/.test((await titles(page))[0] ?? ""));
  await page.goto(`${monitor.url}/c/legal_compliance`);
  await idle(page);
  assert.equal(await card(page, "255번").count(), 0);
  await page.context().close();
});

test("of a long list at most 120 cards are drawn, and nothing moves when the others are put away", async () => {
  const page = await openPage(browser, `${monitor.url}/all`, { height: 900 });
  await idle(page);
  const more = page.getByRole("button", { name: /더 보기$/ });
  for (let round = 0; round < 4; round += 1) {
    const before = await page.evaluate(() => document.documentElement.scrollHeight);
    await more.scrollIntoViewIfNeeded();
    await more.click();
    await eventually("more is there", async () => (await page.evaluate(() => document.documentElement.scrollHeight)) > before + 1_000);
  }
  const drawn = () => list(page).getByRole("article").count();
  await eventually("what is far is put away", async () => (await drawn()) <= 120);
  const heights = await page.evaluate(() => document.documentElement.scrollHeight);
  const target = card(page, "150번 협업");
  await eventually("the card is reached", async () => {
    if ((await target.count()) === 1) return true;
    await page.mouse.wheel(0, -700);
    return false;
  });
  await target.getByRole("link").first().evaluate((link) => link.scrollIntoView({ block: "center" }));
  assert.ok((await drawn()) <= 120);
  assert.ok(Math.abs((await page.evaluate(() => document.documentElement.scrollHeight)) - heights) < 4, "the page kept its height");
  assertNoProblems(page);
  await page.context().close();
});
