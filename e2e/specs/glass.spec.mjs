// A category tells why it is there: how sure, by which words, and where these were said.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { address, idle, threadsOf, titledSession } from "../support/verbs.mjs";

let monitor;
let browser;
let session;
let thread;
let evidence;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  [thread] = await threadsOf(monitor, session);
  ({ evidence } = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`));
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const marked = (page) => page.evaluate(() => [...(CSS.highlights.get("evidence") ?? [])].map((range) => range.toString().toLowerCase()));

test("a deployment is filed under operations, however much of its talk is about checks", () => {
  assert.equal(session.category.key, "infra_ops");
  assert.ok(session.category.confidence >= 0.7, `${session.category.confidence}`);
});

test("the panel says how sure it is and by which words, and marks these in what was said", async () => {
  const page = await openPage(browser, monitor.url + address(session, thread));
  await idle(page);
  const panel = page.getByRole("complementary", { name: "이 스레드의 정보" });
  await panel.getByText(/(거의 확실|그럴듯함) · 0\.\d+|거의 확실 · 1\.00/).waitFor();
  const words = evidence.matches.map(([word]) => word);
  assert.ok(words.length > 0);
  for (const word of words) assert.ok((await panel.innerText()).includes(word), word);
  assert.deepEqual(await marked(page), [], "nothing is marked unasked");

  const show = panel.getByRole("button", { name: "메시지에서 보기", exact: true });
  await show.focus();
  await page.keyboard.press("Enter");
  assert.equal(await show.getAttribute("aria-pressed"), "true");
  const found = await eventually("words are marked", async () => {
    const found = await marked(page);
    return found.length > 0 && found;
  });
  for (const word of found) assert.ok(words.includes(word), `${word} is one of ${words}`);
  await show.click();
  await eventually("and are not any more", async () => (await marked(page)).length === 0);
  assertNoProblems(page);
  await page.context().close();
});

test("on a phone the sheet goes away, so that the marked words are seen", async () => {
  const page = await openPage(browser, monitor.url + address(session, thread), { width: 390, height: 844 });
  await idle(page);
  await page.getByRole("button", { name: "정보", exact: true }).first().click();
  const sheet = page.getByRole("dialog", { name: "세션 정보" });
  await sheet.getByRole("button", { name: "메시지에서 보기", exact: true }).click();
  await sheet.waitFor({ state: "hidden" });
  await eventually("words are marked", async () => (await marked(page)).length > 0);
  await page.context().close();
});
