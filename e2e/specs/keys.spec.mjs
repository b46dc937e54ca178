// The main job by keyboard alone, and the switch that turns single keys off.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { connection, idle } from "../support/verbs.mjs";

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

/** What has the focus, in words. */
const focused = (page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");

/** Presses keys by their place, as a Hangul layout would name them. */
async function hangul(page, ...codes) {
  for (const code of codes) {
    await page.evaluate((code) => {
      const target = document.activeElement ?? document.body;
      target.dispatchEvent(new KeyboardEvent("keydown", { code, key: "ㅎ", bubbles: true, cancelable: true }));
    }, code);
  }
}

test("from home to a message and back, without a pointer and in a Hangul layout", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await hangul(page, "KeyG", "KeyC");
  await page.waitForURL(/\/all$/);
  await idle(page);
  const titles = await page.getByRole("main").locator("article h3 a").allInnerTexts();
  await hangul(page, "KeyJ");
  assert.ok((await focused(page)).startsWith(titles[0].trim()));
  await hangul(page, "KeyJ");
  assert.ok((await focused(page)).startsWith(titles[1].trim()));
  await hangul(page, "KeyK", "KeyK");
  assert.ok((await focused(page)).startsWith(titles[0].trim()), "the list ends at its first row");
  await hangul(page, "KeyJ", "KeyO");
  await page.waitForURL(/\/s\//);
  await idle(page);
  assert.ok((await page.getByRole("heading", { level: 1 }).innerText()).includes(titles[1].trim()));
  await page.goBack();
  await page.waitForURL(/\/all$/);
  await idle(page);
  await eventually("Back finds the row again", async () => (await focused(page)).startsWith(titles[1].trim()));
  assertNoProblems(page);
  await page.context().close();
});

test("rows of home, events and tasks are gone through with the same keys", async () => {
  const page = await openPage(browser, monitor.url);
  for (const place of ["/", "/events", "/tasks"]) {
    await page.goto(monitor.url + place);
    await idle(page);
    await page.keyboard.press("j");
    const first = await focused(page);
    await page.keyboard.press("j");
    assert.notEqual(await focused(page), first, `${place} has a next row`);
    await page.keyboard.press("k");
    assert.equal(await focused(page), first, `${place} goes back up`);
    assert.ok(await page.evaluate(() => document.querySelector("main").contains(document.activeElement)));
  }
  await page.context().close();
});

test("brackets go from session to session, c changes the category", async () => {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=3");
  const address = (session) => `/s/${encodeURIComponent(session.workSessionId)}`;
  const page = await openPage(browser, monitor.url + address(sessions[1]));
  await idle(page);
  await page.keyboard.press("]");
  await page.waitForURL((url) => url.pathname.startsWith(address(sessions[2])));
  await idle(page);
  await page.keyboard.press("[");
  await page.waitForURL((url) => url.pathname.startsWith(address(sessions[1])));
  await idle(page);
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: /카테고리/ });
  await dialog.waitFor();
  await page.keyboard.press("j");
  assert.ok(await dialog.isVisible(), "in a dialog keys are the dialog's");
  assertNoProblems(page);
  await page.context().close();
});

test("n leads to talk that came since, and says when there is none", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await page.keyboard.press("n");
  await page.getByText("안 읽은 대화가 없습니다").waitFor();
  const at = FIXTURE_NOW + 1_000;
  await monitor.append(message({ from: "eden", to: "seum", text: "새로 드린 말씀입니다.", session: "ws_keys", conversation: "conv_keys", at }));
  await eventually("the new talk is told", async () => /새 메시지 1/.test(await connection(page).innerText()));
  await page.keyboard.press("n");
  await page.waitForURL(/\/s\/ws_keys/);
  await page.getByText("새로 드린 말씀입니다.").first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("single keys can be turned off for good; keys with Ctrl stay", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "단축키" });
  await sheet.getByRole("switch", { name: "글자 하나 단축키" }).waitFor();
  const caps = await sheet.locator("kbd").allInnerTexts();
  for (const key of ["Ctrl", "K", "/", "G", "H", "J", "O", "N", "[", "]", "C", "?", "Esc"]) assert.ok(caps.includes(key), `${key} is listed`);
  const letters = sheet.getByRole("switch", { name: "글자 하나 단축키" });
  assert.equal(await letters.getAttribute("aria-checked"), "true");
  await letters.click();
  assert.equal(await letters.getAttribute("aria-checked"), "false");
  await page.keyboard.press("Escape");
  await page.reload();
  await idle(page);
  await page.keyboard.press("?");
  await page.keyboard.press("/");
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  assert.equal(await sheet.isVisible(), false);
  assert.equal(new URL(page.url()).pathname, "/");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "명령과 찾기" }).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("letters typed in a field, with a modifier or within a composition are no shortcuts", async () => {
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
  await page.keyboard.press("/");
  await page.keyboard.type("gt");
  assert.match(page.url(), /\/events/);
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("g");
  await page.keyboard.press("Control+t").catch(() => undefined);
  await page.evaluate(() => {
    for (const code of ["KeyG", "KeyT"]) document.body.dispatchEvent(new KeyboardEvent("keydown", { code, key: "Process", isComposing: true, bubbles: true }));
  });
  assert.match(page.url(), /\/events/);
  await page.context().close();
});
