// Reading a thread: one follows the end only at the end, begins where one left off, finds in all of it, and can do so
// without a pointer.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { count, driftOf, frames, inView, place, scrollTo, talk, writeThread } from "../support/thread.mjs";
import { idle } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  for (const name of ["followed", "unread", "keys", "found"]) await writeThread(monitor, name, 400);
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

async function open(name) {
  const page = await openPage(browser, place(monitor, name));
  await idle(page);
  await eventually("it opens at its end", () => page.locator(".stream").getByText(/^1번째 앞의 말입니다\./).isVisible());
  await frames(page);
  return page;
}

test("at the end the thread is followed; elsewhere a pill counts what came, and leads to it", async () => {
  const page = await open("followed");
  await monitor.append(talk("followed", "끝을 보고 있을 때 온 말입니다.", 1_000));
  await eventually("it is in view", () => inView(page, "끝을 보고 있을 때 온 말입니다."));
  const pill = page.getByRole("button", { name: /새 메시지/ });
  assert.equal(await pill.count(), 0);

  const read = await scrollTo(page, 1_500);
  await frames(page);
  await monitor.append(talk("followed", "위를 읽을 때 온 첫 말입니다.", 2_000), talk("followed", "위를 읽을 때 온 둘째 말입니다.", 3_000));
  await page.getByRole("button", { name: "새 메시지 2" }).waitFor();
  assert.ok((await driftOf(page, read)) <= 1, "what is read stays");
  await pill.click();
  await eventually("the newest is in view", () => inView(page, "위를 읽을 때 온 둘째 말입니다."));
  await eventually("nothing is new any more", async () => (await pill.count()) === 0);
  assertNoProblems(page);
  await page.context().close();
});

test("a thread opens at the first message that was not read, and remembers how far one came", async () => {
  const page = await open("unread");
  const kept = () => page.evaluate(() => localStorage.getItem("task-hub.read") ?? "");
  await eventually("it is read to its end", async () => (await kept()).includes("conv:unread"));
  await page.goto(`${monitor.url}/events`);
  const news = Array.from({ length: 60 }, (_, n) => talk("unread", `새로 온 ${n}번 말입니다.`, 100_000 + n * 1_000, n % 2 === 0));
  await monitor.append(...news);
  await eventually("they are read in", async () => (await count(monitor, "unread")) === 460);
  await page.goto(place(monitor, "unread"));
  const fresh = page.getByRole("separator").filter({ hasText: "여기부터 새 메시지" });
  await fresh.waitFor();
  await eventually("the first new one is in view", () => inView(page, "새로 온 0번 말입니다."));
  assert.equal(await inView(page, "새로 온 59번 말입니다."), false);
  await page.getByRole("button", { name: /새 메시지 \d+/ }).click();
  await eventually("the last one is in view", () => inView(page, "새로 온 59번 말입니다."));
  await eventually("all is read", async () => (await kept()).includes("460"));
  await page.reload();
  await eventually("it opens at its end", () => inView(page, "새로 온 59번 말입니다."));
  assert.equal(await fresh.count(), 0);
  assertNoProblems(page);
  await page.context().close();
});

test("J and K go from message to message in any layout, C copies the link of the one with the focus", async () => {
  const page = await open("keys");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const focused = () => page.evaluate(() => document.activeElement?.dataset.event ?? null);
  await page.keyboard.press("k");
  const first = await eventually("a message has the focus", focused);
  await page.keyboard.press("k");
  const above = await eventually("the one above has it", async () => ((await focused()) !== first ? focused() : null));
  await page.keyboard.press("j");
  await eventually("and back", async () => (await focused()) === first);
  // A Hangul layout calls the key by another name.
  await page.evaluate(() => window.dispatchEvent(new KeyboardEvent("keydown", { key: "ㅏ", code: "KeyK", bubbles: true, cancelable: true })));
  await eventually("up again", async () => (await focused()) === above);
  await page.keyboard.press("y");
  await page.getByText("링크를 복사했습니다").waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(new URL(link).searchParams.get("at"), above);
  // Far up, page after page, the focus is never lost.
  for (let n = 0; n < 130; n += 1) {
    const here = await focused();
    assert.notEqual(here, null, "a message has the focus");
    // At the edge of what is drawn the next page is waited for, as one would.
    await eventually("the next one has the focus", async () => {
      await page.keyboard.press("k");
      return (await focused()) !== here;
    });
  }
  // In a field the same keys are letters.
  await page.keyboard.press("/");
  const field = page.getByRole("searchbox", { name: "이 대화에서 찾을 말" });
  await field.pressSequentially("jkc");
  assert.equal(await field.inputValue(), "jkc");
  assertNoProblems(page);
  await page.context().close();
});

test("all of a thread is searched, and a match that is not drawn is brought into view", async () => {
  await monitor.append(talk("found", "가운데에 숨은 낱말 무지개입니다.", -200 * 10_000 + 5_000), talk("found", "끝에도 무지개가 있습니다.", 1_000));
  await eventually("they are read in", async () => (await count(monitor, "found")) === 402);
  const page = await openPage(browser, place(monitor, "found"));
  await idle(page);
  await eventually("it opens at its end", () => inView(page, "끝에도 무지개가 있습니다."));
  await page.getByRole("button", { name: /이 대화에서 찾기/ }).first().click();
  const field = page.getByRole("searchbox", { name: "이 대화에서 찾을 말" });
  await field.fill("무지개");
  const number = page.getByRole("search").getByRole("status");
  await eventually("both are counted", async () => (await number.innerText()) === "2 / 2");
  await field.press("Shift+Enter");
  await eventually("the older one is in view", () => inView(page, "가운데에 숨은 낱말 무지개입니다."));
  assert.equal(await number.innerText(), "1 / 2");
  const marked = () => page.evaluate(() => [...CSS.highlights.get("find-here")].map((range) => range.toString()));
  await eventually("it is marked", async () => (await marked()).join() === "무지개");
  await field.press("Enter");
  await eventually("the newer one is in view", () => inView(page, "끝에도 무지개가 있습니다."));
  await field.fill("ㅁㅈㄱ");
  await eventually("initial consonants find it, too", async () => (await number.innerText()) === "2 / 2");
  await eventually("and are marked", async () => (await marked()).join() === "무지개");
  await field.fill("없는 말");
  await eventually("nothing is found", async () => (await number.innerText()) === "없음");
  assertNoProblems(page);
  await page.context().close();
});

test("the Enter that ends a Hangul composition looks once, and the next one goes on", async () => {
  const page = await open("found");
  await page.getByRole("button", { name: /이 대화에서 찾기/ }).first().click();
  const field = page.getByRole("searchbox", { name: "이 대화에서 찾을 말" });
  const number = page.getByRole("search").getByRole("status");
  await field.focus();
  const session = await page.context().newCDPSession(page);
  await session.send("Input.imeSetComposition", { text: "무지개", selectionStart: 3, selectionEnd: 3 });
  await field.evaluate((input) => {
    const key = (type, composing) => input.dispatchEvent(new KeyboardEvent(type, { key: "Enter", code: "Enter", isComposing: composing, bubbles: true, cancelable: true }));
    key("keydown", true);
  });
  await session.send("Input.insertText", { text: "무지개" });
  await field.evaluate((input) => {
    const key = (type) => input.dispatchEvent(new KeyboardEvent(type, { key: "Enter", code: "Enter", bubbles: true, cancelable: true }));
    key("keydown");
    key("keyup");
  });
  assert.equal(await field.inputValue(), "무지개");
  await eventually("it looked, and went no further", async () => (await number.innerText()) === "2 / 2");
  await field.press("Enter");
  await eventually("the next one goes on", async () => (await number.innerText()) === "1 / 2");
  await page.context().close();
});
