// Browser tests of the timeline of a session: messages of all threads and delegations in order of time.
//
// Proves (reading): A whole session is one stream in order of time and is searched as one.
import assert from "node:assert/strict";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { frames, inView } from "../support/thread.mjs";
import { address, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "whole" } });

let session;
test.beforeAll(async ({ monitor }) => {
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
});

const stream = (page) => page.getByRole("log", { name: "협업 전체" });
const messages = (page) => stream(page).getByRole("article");

async function openWhole(page) {
  await page.goto(`${address(session)}/whole`);
  await waitUntilLoaded(page);
  await expect(messages(page).first()).toBeVisible();
}

test("all threads are in order of time, each message links to its thread", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto(address(session));
  await waitUntilLoaded(page);
  const entry = page.getByRole("navigation", { name: "스레드" }).getByRole("link", { name: "협업 전체" });
  await entry.click();
  await expect(page).toHaveURL(/\/whole$/);
  await expect(messages(page).first()).toBeVisible();
  await expect(entry).toHaveAttribute("aria-current", "true");

  const timeline = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/timeline?limit=80`);
  const wanted = timeline.items.filter((item) => item.message).map((item) => item.message.message.id);
  await expect.poll(() => messages(page).evaluateAll((all) => all.map((one) => one.dataset.event))).toEqual(wanted);
  const runs = timeline.items.filter((item) => item.run).length;
  assert.ok(runs > 0, "the story delegates");
  await expect(stream(page).getByRole("note").filter({ hasText: /하위 작업 맡김|결과 돌아옴|결과 없이 끝남/ })).toHaveCount(runs);

  const last = messages(page).last();
  assert.match(await last.getAttribute("aria-label"), /에게, /);
  const link = last.getByRole("link").first();
  const href = await link.getAttribute("href");
  await link.click();
  await expect(page).toHaveURL(/\/t\/.*at=/);
  assert.ok(page.url().endsWith(href));
  await page.goBack();
  await expect(messages(page).first()).toBeVisible();
});

test("a new message in any thread is shown and followed", async ({ page, monitor }) => {
  await openWhole(page);
  await frames(page);
  const threads = (await threadsOf(monitor, session)).slice(0, 2);
  for (const [n, thread] of threads.entries()) {
    const text = `흐름에 새로 온 ${n}번 말입니다.`;
    await monitor.append(
      message({ from: thread.from, to: thread.to, text, session: session.workSessionId, conversation: thread.conversationId, at: FIXTURE_NOW + n }),
    );
    await expect(stream(page).getByText(text)).toBeVisible();
    await expect.poll(() => inView(page, text), "the end is followed").toBe(true);
  }
});

test("a word is found in all threads, newest first", async ({ page, monitor }) => {
  await openWhole(page);
  const { ids } = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/find?q=배포`);
  assert.ok(ids.length > 1, "the story says it more than once");
  await page.keyboard.press("/");
  await page.getByRole("searchbox", { name: "이 대화에서 찾을 말" }).fill("배포");
  const count = page.locator(".thread-find__count");
  await expect(count).toHaveText(`${ids.length} / ${ids.length}`);
  await page.keyboard.press("Enter");
  await expect(count, "then the oldest").toHaveText(`1 / ${ids.length}`);
  await expect(stream(page).locator(`[data-event="${ids[0]}"]`)).toBeInViewport();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("button", { name: /이 대화에서 찾기/ }).first()).toBeVisible();
});

test.describe("on a phone", () => {
  test.use({ look: { width: 390, height: 844 } });

  test("the thread list links to the whole session and back", async ({ page }) => {
    await page.goto(address(session));
    await waitUntilLoaded(page);
    await page.getByRole("link", { name: "협업 전체" }).click();
    await expect(messages(page).first()).toBeVisible();
    await page.getByRole("link", { name: /협업 전체/ }).click();
    await expect(page.getByRole("navigation", { name: "스레드" }).getByRole("link", { name: "협업 전체" })).toBeVisible();
  });
});
