// Browser tests of the evidence for a category: its confidence, its decisive words, and the highlights of these words
// in messages.
//
// Proves (categories): A category shows its confidence and the words that decided it. These words are marked in the
// messages, as text.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { address, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

let session;
let path;
let words;
test.beforeAll(async ({ monitor }) => {
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  path = address(session, thread);
  const { evidence } = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`);
  words = evidence.matches.map(([word]) => word);
});

const SHOW = { name: "메시지에서 보기", exact: true };
const marked = (page) => page.evaluate(() => [...(CSS.highlights.get("evidence") ?? [])].map((range) => range.toString().toLowerCase()));
const anyMarked = (page) => expect.poll(async () => (await marked(page)).length, "words are marked");

test("a deployment with much talk of checks is filed under operations", () => {
  assert.equal(session.category.key, "infra_ops");
  assert.ok(session.category.confidence >= 0.7, `${session.category.confidence}`);
});

test("the panel names confidence and words, and marks the words", { tag: "@quick" }, async ({ page }) => {
  await page.goto(path);
  await waitUntilLoaded(page);
  const panel = page.getByRole("complementary", { name: "이 스레드의 정보" });
  await expect(panel.getByText(/(거의 확실|그럴듯함) · 0\.\d+|거의 확실 · 1\.00/)).toBeVisible();
  assert.ok(words.length > 0);
  for (const word of words) assert.ok((await panel.innerText()).includes(word), word);
  assert.deepEqual(await marked(page), [], "nothing is marked yet");

  const show = panel.getByRole("button", SHOW);
  await show.focus();
  await page.keyboard.press("Enter");
  await expect(show).toHaveAttribute("aria-pressed", "true");
  await anyMarked(page).toBeGreaterThan(0);
  for (const word of await marked(page)) assert.ok(words.includes(word), `${word} is one of ${words}`);
  await show.click();
  await anyMarked(page).toBe(0);
});

test("on a phone the sheet closes and shows the marked words", async ({ openPage, monitor }) => {
  const page = await openPage(monitor.url + path, { width: 390, height: 844 });
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "정보", exact: true }).first().click();
  const sheet = page.getByRole("dialog", { name: "협업 정보" });
  await sheet.getByRole("button", SHOW).click();
  await expect(sheet).toBeHidden();
  await anyMarked(page).toBeGreaterThan(0);
});
