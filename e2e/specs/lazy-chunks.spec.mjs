// Browser tests of lazy loading. The page's code is split into a main file and chunks. Home is drawn by the main file
// alone. The live link, the English texts and the other pages are in chunks, which are loaded on demand or ahead of
// time.
//
// Proves (speed): The first load is Home alone, as one answer of the monitor shows it; the code of the live link comes
// after it. A page that cannot be fetched is reported and tried again. `make bundle` prints every byte of the first
// load.
import assert from "node:assert/strict";

import { allowProblems, expect, test } from "../support/test.mjs";
import { connection, mainText, menu, waitUntilLoaded } from "../support/steps.mjs";

const PART = /\/part-[a-z0-9]+-[0-9a-f]{16}\.wasm$/;

test("Home renders without any part", { tag: "@release" }, async ({ page }) => {
  allowProblems(page, [/ERR_FAILED/]);
  await page.route(PART, (route) => route.abort());
  await page.goto("/");
  await expect(page.getByRole("main")).toContainText("에이전트");
  await expect(page.getByRole("heading", { name: /카테고리/ }).first()).toBeAttached();
  await expect(page.locator("[aria-busy=true], .skeleton")).toHaveCount(0);
  await expect(connection(page), "the link is not called alive without its code").toHaveText(/연결 끊김|다시 연결/);
  await page.unrouteAll();
  await waitUntilLoaded(page);
});

test("the live link needs the parts of no page", { tag: "@release" }, async ({ page }) => {
  allowProblems(page, [/ERR_FAILED/]);
  await page.route(/\/(part-(talk|work|tools|panel|compat|english)|pages)-/, (route) => route.abort());
  await page.goto("/");
  await waitUntilLoaded(page);
  assert.match(await mainText(page), /에이전트/);
});

test("English words are loaded before the page is shown", { tag: "@release" }, async ({ openPage, monitor }) => {
  const page = await openPage(null, { language: "en", baseURL: monitor.url });
  allowProblems(page, [/ERR_FAILED/]);
  await page.addInitScript(() => {
    globalThis.headings = new Set();
    new MutationObserver(() => {
      for (const heading of document.querySelectorAll("h2")) globalThis.headings.add(heading.textContent);
    }).observe(document, { childList: true, subtree: true, characterData: true });
  });
  await page.goto("/");
  await waitUntilLoaded(page);
  const headings = await page.evaluate(() => [...globalThis.headings].join(" "));
  assert.match(headings, /Agents/);
  assert.doesNotMatch(headings, /[가-힣]/, "no Korean word was drawn first");

  // Without its words the page is shown in the default language.
  await page.route(/\/part-english-/, (route) => route.abort());
  await page.goto("/");
  await waitUntilLoaded(page);
  assert.match(await mainText(page), /에이전트/);
});

test("a page loaded ahead opens without the network", { tag: "@release" }, async ({ page }) => {
  const loaded = [];
  page.on("requestfinished", (request) => PART.test(request.url()) && loaded.push(request.url()));
  await page.goto("/");
  await waitUntilLoaded(page);
  for (const part of ["part-talk-", "part-work-"]) await expect.poll(() => loaded.join()).toContain(part);
  await page.waitForLoadState("networkidle").catch(() => undefined);
  await page.route(PART, (route) => route.abort());
  await menu(page, "이벤트").click();
  await page.waitForURL(/\/events/);
  await waitUntilLoaded(page);
  assert.doesNotMatch(loaded.join(), /part-compat-/, "a v2 monitor needs no reader of 1.x");
});

test("a part that fails to load can be retried", { tag: "@release" }, async ({ page }) => {
  allowProblems(page, [/ERR_FAILED/]);
  await page.route(PART, (route) => route.abort());
  await page.goto("/all");
  await expect(page.getByText("이 화면의 프로그램을 받지 못했습니다")).toBeVisible();
  await page.unrouteAll();
  await page.getByRole("button", { name: "다시 시도" }).click();
  await waitUntilLoaded(page);
  await expect(page.getByText("이 화면의 프로그램을 받지 못했습니다")).toHaveCount(0);
  assert.ok((await mainText(page)).includes("결제 게이트웨이"));
});
