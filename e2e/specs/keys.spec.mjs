// Browser tests of keyboard shortcuts: moving through lists, opening sessions and unread messages, changing a category,
// and the setting that turns single-key shortcuts off.
//
// Proves (page): The main path works by keyboard alone, also with a Hangul layout. Single keys can be turned off.
// See also: `src/queries/keys.rs`.
import assert from "node:assert/strict";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { connection, waitUntilLoaded } from "../support/steps.mjs";

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

test("a session opens and closes by keyboard in a Hangul layout", { tag: "@quick" }, async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  await hangul(page, "KeyG", "KeyC");
  await page.waitForURL(/\/all$/);
  await waitUntilLoaded(page);
  const titles = await page.getByRole("main").locator("article h3 a").allInnerTexts();
  await hangul(page, "KeyJ");
  assert.ok((await focused(page)).startsWith(titles[0].trim()));
  await hangul(page, "KeyJ");
  assert.ok((await focused(page)).startsWith(titles[1].trim()));
  await hangul(page, "KeyK", "KeyK");
  assert.ok((await focused(page)).startsWith(titles[0].trim()), "the list ends at its first row");
  await hangul(page, "KeyJ", "KeyO");
  await page.waitForURL(/\/s\//);
  await waitUntilLoaded(page);
  assert.ok((await page.getByRole("heading", { level: 1 }).innerText()).includes(titles[1].trim()));
  await page.goBack();
  await page.waitForURL(/\/all$/);
  await waitUntilLoaded(page);
  await expect.poll(() => focused(page), "Back focuses the row again").toContain(titles[1].trim());
});

test("j and k move through rows of home, events and tasks", async ({ page }) => {
  for (const place of ["/", "/events", "/tasks"]) {
    await page.goto(place);
    await waitUntilLoaded(page);
    await page.keyboard.press("j");
    const first = await focused(page);
    await page.keyboard.press("j");
    assert.notEqual(await focused(page), first, `${place} has a next row`);
    await page.keyboard.press("k");
    assert.equal(await focused(page), first, `${place} goes back up`);
    assert.ok(await page.evaluate(() => document.querySelector("main").contains(document.activeElement)));
  }
});

test("brackets go from session to session, c changes the category", async ({ page, monitor }) => {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=3");
  const address = (session) => `/s/${encodeURIComponent(session.workSessionId)}`;
  await page.goto(address(sessions[1]));
  await waitUntilLoaded(page);
  await page.keyboard.press("]");
  await page.waitForURL((url) => url.pathname.startsWith(address(sessions[2])));
  await waitUntilLoaded(page);
  await page.keyboard.press("[");
  await page.waitForURL((url) => url.pathname.startsWith(address(sessions[1])));
  await waitUntilLoaded(page);
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: /카테고리/ });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("j");
  await expect(dialog, "in a dialog keys are the dialog's").toBeVisible();
});

test("n opens the newest unread session, or says there is none", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor();
  const page = await openPage(monitor.url);
  await waitUntilLoaded(page);
  await page.keyboard.press("n");
  await expect(page.getByText("안 읽은 협업이 없습니다")).toBeVisible();
  const at = FIXTURE_NOW + 1_000;
  await monitor.append(message({ from: "eden", to: "seum", text: "새로 드린 말씀입니다.", session: "ws_keys", conversation: "conv_keys", at }));
  await expect(connection(page)).toContainText("새 메시지 1");
  await page.keyboard.press("n");
  await page.waitForURL(/\/s\/ws_keys/);
  await expect(page.getByText("새로 드린 말씀입니다.").first()).toBeVisible();
});

test("single keys stay off after a reload; keys with Ctrl stay on", async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "단축키" });
  const letters = sheet.getByRole("switch", { name: "한 글자 단축키" });
  await expect(letters).toHaveAttribute("aria-checked", "true");
  const caps = await sheet.locator("kbd").allInnerTexts();
  for (const key of ["Ctrl", "K", "/", "G", "H", "J", "O", "N", "[", "]", "C", "?", "Esc"]) assert.ok(caps.includes(key), `${key} is listed`);
  await letters.click();
  await expect(letters).toHaveAttribute("aria-checked", "false");
  await page.keyboard.press("Escape");
  await page.reload();
  await waitUntilLoaded(page);
  await page.keyboard.press("?");
  await page.keyboard.press("/");
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await expect(sheet).toBeHidden();
  assert.equal(new URL(page.url()).pathname, "/");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "명령과 찾기" })).toBeVisible();
});

test("letters in a field, with Ctrl or in a composition are no shortcuts", async ({ page }) => {
  await page.goto("/events");
  await waitUntilLoaded(page);
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
});
