// Language, theme, keyboard, phone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { idle, mainText } from "../support/verbs.mjs";

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

test("the language switches the whole page and is remembered", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  assert.match(await mainText(page), /카테고리/);
  await page.getByRole("button", { name: "언어" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "Tasks" }).first().waitFor();
  assert.match(await mainText(page), /Categories/i);
  assert.equal(await page.locator("html").getAttribute("lang"), "en");
  await page.reload();
  await idle(page);
  assert.match(await mainText(page), /Categories/i);
  assertNoProblems(page);
  await page.context().close();
});

test("the theme switches, is remembered, and both themes are readable", async () => {
  const page = await openPage(browser, monitor.url, { theme: "light" });
  await idle(page);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  const button = page.getByRole("button", { name: /밝기/ });
  for (let tries = 0; tries < 3 && (await paper()) === light; tries += 1) await button.click();
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  await idle(page);
  assert.equal(await paper(), dark);
  assertNoProblems(page);
  await page.context().close();
});

test("the page follows a system in the dark", async () => {
  const light = await openPage(browser, monitor.url, { theme: "light" });
  const dark = await openPage(browser, monitor.url, { theme: "dark" });
  const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await idle(light);
  await idle(dark);
  assert.notEqual(await paper(light), await paper(dark));
  await light.context().close();
  await dark.context().close();
});

test("the keyboard reaches the main part, and the focus can be seen", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await page.keyboard.press("Tab");
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /본문으로 건너뛰기/);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement);
    return style.outlineStyle !== "none" || style.boxShadow !== "none";
  });
  assert.ok(outline, "the focused link shows that it is focused");
  await page.context().close();
});

test("g then a letter goes to a place, by the key's position", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL(/\/tasks/);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForURL((url) => url.pathname === "/");
  await page.context().close();
});

test("slash puts the cursor into the search box, and letters typed there do not act as shortcuts", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("type")), "search");
  await page.keyboard.type("gh");
  assert.match(page.url(), /\/all/);
  await page.context().close();
});

test("a phone gets tabs at the bottom and nothing wider than itself", async () => {
  const page = await openPage(browser, monitor.url, { width: 390, height: 844 });
  await idle(page);
  for (const place of ["홈", "대화", "이벤트", "작업"]) {
    await page.getByRole("navigation", { name: /휴대폰/ }).getByRole("link", { name: place, exact: true }).click();
    await idle(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `${place} is ${wide} px too wide`);
  }
  assertNoProblems(page);
  await page.context().close();
});
