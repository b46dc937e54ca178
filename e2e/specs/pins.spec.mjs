// Browser tests of pinned sessions at the top of the list, and of the height of long virtualised lists.
//
// Proves (reading): Pinned sessions are on top and are not announced as new activity. At most 120 of 250 cards are
// drawn, and the page keeps its height.
// See also: `src/pages/sessions`.
import assert from "node:assert/strict";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "pins" } });

test.beforeAll(async ({ monitor }) => {
  const events = Array.from({ length: 260 }, (_, n) => {
    const name = String(n).padStart(3, "0");
    const text = `[Goal] 긴 목록의 ${name}번 협업\n배포 확인`;
    return message({ from: "eden", to: "seum", text, session: `ws_long-${name}`, conversation: `long-${name}`, at: FIXTURE_NOW - (n + 1) * 30_000 });
  });
  await monitor.append(...events);
  await expect.poll(async () => (await monitor.get("/api/v2/health")).sessions).toBeGreaterThanOrEqual(260);
});

const list = (page) => page.getByRole("region", { name: "협업 목록" });
const card = (page, name) => list(page).getByRole("article").filter({ hasText: name });
const titles = (page) => list(page).getByRole("heading", { level: 3 });

test("a session is pinned by menu and unpinned by key", { tag: "@quick" }, async ({ page }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  await card(page, "007번 협업").getByLabel("협업 메뉴").first().click();
  await page.getByRole("button", { name: "위에 고정" }).click();
  await expect(list(page).getByRole("heading", { level: 2, name: /고정\s*1/ })).toBeVisible();
  assert.match((await titles(page).allInnerTexts())[0], /007번/);
  await expect(card(page, "007번 협업"), "it is listed once").toHaveCount(1);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(titles(page).first()).toContainText("007번");

  await list(page).getByRole("link", { name: /007번/ }).focus();
  await page.keyboard.press("p");
  await expect(titles(page).first()).toContainText("000번");
  await expect(page.locator(":focus"), "the focus stays on the session").toContainText("007번");
  await page.keyboard.press("p");
  await expect(titles(page).first(), "the key pins again").toContainText("007번");
});

test("a pinned session beyond the first page is on top", async ({ page }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  await page.evaluate(() => localStorage.setItem("task-hub.pins", JSON.stringify({ v: 1, sessions: ["ws_long-255"] })));
  await page.reload();
  await waitUntilLoaded(page);
  await expect(titles(page).first()).toContainText("255번");
});

test("a long list draws at most 120 cards", async ({ openPage, monitor }) => {
  const page = await openPage(`${monitor.url}/all`, { height: 900 });
  await waitUntilLoaded(page);
  const height = () => page.evaluate(() => document.documentElement.scrollHeight);
  const more = page.getByRole("button", { name: /더 보기$/ });
  for (let round = 0; round < 4; round += 1) {
    const before = await height();
    await more.scrollIntoViewIfNeeded();
    await more.click();
    await expect.poll(height).toBeGreaterThan(before + 1_000);
  }
  const drawn = () => list(page).getByRole("article").count();
  await expect.poll(drawn, "cards far away are removed").toBeLessThanOrEqual(120);
  const full = await height();
  const target = card(page, "150번 협업");
  await expect(async () => {
    if ((await target.count()) === 1) return;
    await page.mouse.wheel(0, -700);
    throw new Error("the card is not drawn yet");
  }).toPass({ intervals: [50], timeout: 30_000 });
  await target.getByRole("link").first().evaluate((link) => link.scrollIntoView({ block: "center" }));
  assert.ok((await drawn()) <= 120);
  assert.ok(Math.abs((await height()) - full) < 4, "the page keeps its height");
});
