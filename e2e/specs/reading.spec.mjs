// Browser tests of reading a thread: scrolling along with new messages, unread position, keyboard navigation, and
// search within the thread.
//
// Proves (reading): A thread is followed only at its end, opens at the first unread message, is searched as a whole,
// and is read by keyboard.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { count, driftOf, frames, inView, place, scrollTo, talk, writeThread } from "../support/thread.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "reading" } });

/** Writes a thread of 400 messages under this name and opens it at its end. */
async function open(page, monitor, name) {
  await writeThread(monitor, name, 400);
  await page.goto(place(monitor, name));
  await waitUntilLoaded(page);
  await expect(page.locator(".stream").getByText(/^1번째 앞의 말입니다\./)).toBeVisible();
  await frames(page);
}

const expectInView = (page, text) => expect(async () => expect(await inView(page, text), text).toBe(true)).toPass({ timeout: 30_000 });
const finder = (page) => page.getByRole("searchbox", { name: "이 대화에서 찾을 말" });
const hits = (page) => page.getByRole("search").getByRole("status");

test("the end is followed; elsewhere new messages are counted", { tag: "@quick" }, async ({ page, monitor }) => {
  await open(page, monitor, "followed");
  await monitor.append(talk("followed", "끝을 보고 있을 때 온 말입니다.", 1_000));
  await expectInView(page, "끝을 보고 있을 때 온 말입니다.");
  const pill = page.getByRole("button", { name: /새 메시지/ });
  await expect(pill).toHaveCount(0);

  const read = await scrollTo(page, 1_500);
  await frames(page);
  await monitor.append(talk("followed", "위를 읽을 때 온 첫 말입니다.", 2_000), talk("followed", "위를 읽을 때 온 둘째 말입니다.", 3_000));
  await expect(page.getByRole("button", { name: "새 메시지 2" })).toBeVisible();
  assert.ok((await driftOf(page, read)) <= 1, "the text being read does not move");
  await pill.click();
  await expectInView(page, "위를 읽을 때 온 둘째 말입니다.");
  await expect(pill).toHaveCount(0);
});

test("a thread opens at its first unread message", async ({ page, monitor }) => {
  await open(page, monitor, "unread");
  const marks = () => page.evaluate(() => localStorage.getItem("task-hub.read") ?? "");
  await expect.poll(marks, "read to its end").toContain("conv:unread");
  await page.goto("/events");
  await monitor.append(...Array.from({ length: 60 }, (_, n) => talk("unread", `새로 온 ${n}번 말입니다.`, 100_000 + n * 1_000, n % 2 === 0)));
  await expect.poll(() => count(monitor, "unread")).toBe(460);
  await page.goto(place(monitor, "unread"));
  const separator = page.getByRole("separator").filter({ hasText: "여기부터 새 메시지" });
  await expect(separator).toBeVisible();
  await expectInView(page, "새로 온 0번 말입니다.");
  assert.equal(await inView(page, "새로 온 59번 말입니다."), false);
  await page.getByRole("button", { name: /새 메시지 \d+/ }).click();
  await expectInView(page, "새로 온 59번 말입니다.");
  await expect.poll(marks, "all is read").toContain("460");
  await page.reload();
  await expectInView(page, "새로 온 59번 말입니다.");
  await expect(separator).toHaveCount(0);
});

test("J, K and Y move and copy in any layout", async ({ page, monitor }) => {
  await open(page, monitor, "keys");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const focused = () => page.evaluate(() => document.activeElement?.dataset.event ?? null);
  await page.keyboard.press("k");
  await expect.poll(focused, "a message has the focus").not.toBeNull();
  const first = await focused();
  await page.keyboard.press("k");
  await expect.poll(async () => [first, null].includes(await focused()), "the focus is still there").toBe(false);
  const above = await focused();
  await page.keyboard.press("j");
  await expect.poll(focused).toBe(first);
  // A Hangul layout gives the key another name.
  await page.evaluate(() => window.dispatchEvent(new KeyboardEvent("keydown", { key: "ㅏ", code: "KeyK", bubbles: true, cancelable: true })));
  await expect.poll(focused).toBe(above);
  await page.keyboard.press("y");
  await expect(page.getByText("링크를 복사했습니다")).toBeVisible();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(new URL(link).searchParams.get("at"), above);
  // The focus is never lost, page after page.
  for (let n = 0; n < 130; n += 1) {
    const here = await focused();
    assert.notEqual(here, null, "a message has the focus");
    // At the edge of the drawn messages the next page has to load.
    const next = async () => page.keyboard.press("k").then(focused);
    await expect.poll(next, { message: "the next message has the focus", intervals: [50] }).not.toBe(here);
  }
  // In a field the same keys are letters.
  await page.keyboard.press("/");
  await finder(page).pressSequentially("jkc");
  await expect(finder(page)).toHaveValue("jkc");
});

test("search covers the whole thread and scrolls to matches", async ({ page, monitor }) => {
  await writeThread(monitor, "found", 400);
  await monitor.append(talk("found", "가운데에 숨은 낱말 무지개입니다.", -200 * 10_000 + 5_000), talk("found", "끝에도 무지개가 있습니다.", 1_000));
  await expect.poll(() => count(monitor, "found")).toBe(402);
  await page.goto(place(monitor, "found"));
  await waitUntilLoaded(page);
  await expectInView(page, "끝에도 무지개가 있습니다.");
  await page.getByRole("button", { name: /이 대화에서 찾기/ }).first().click();
  const field = finder(page);
  await field.fill("무지개");
  await expect(hits(page)).toHaveText("2 / 2");
  await field.press("Shift+Enter");
  await expectInView(page, "가운데에 숨은 낱말 무지개입니다.");
  assert.equal(await hits(page).innerText(), "1 / 2");
  const marked = () => page.evaluate(() => [...(CSS.highlights.get("find-here") ?? [])].map((range) => range.toString()).join());
  await expect.poll(marked).toBe("무지개");
  await field.press("Enter");
  await expectInView(page, "끝에도 무지개가 있습니다.");
  await field.fill("ㅁㅈㄱ");
  await expect(hits(page), "initial consonants match").toHaveText("2 / 2");
  await expect.poll(marked).toBe("무지개");
  await field.fill("없는 말");
  await expect(hits(page)).toHaveText("없음");

  // The Enter that ends a Hangul composition searches once, the next one goes on.
  await field.fill("");
  const ime = await page.context().newCDPSession(page);
  await ime.send("Input.imeSetComposition", { text: "무지개", selectionStart: 3, selectionEnd: 3 });
  const key = (type, isComposing) => field.dispatchEvent(type, { key: "Enter", code: "Enter", isComposing, bubbles: true, cancelable: true });
  await key("keydown", true);
  await ime.send("Input.insertText", { text: "무지개" });
  await key("keydown", false);
  await key("keyup", false);
  await expect(field).toHaveValue("무지개");
  await expect(hits(page)).toHaveText("2 / 2");
  await field.press("Enter");
  await expect(hits(page)).toHaveText("1 / 2");
});
