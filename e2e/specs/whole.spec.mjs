// A whole session in one stream: all its threads in one order of time, with what was delegated.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { frames, inView } from "../support/thread.mjs";
import { address, idle, threadsOf, titledSession } from "../support/verbs.mjs";

let monitor;
let browser;
let session;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

test("a session of several threads leads to all of them in one order of time, and each bubble to its own thread", async () => {
  const page = await openPage(browser, monitor.url + address(session));
  await idle(page);
  const list = page.getByRole("navigation", { name: "스레드" });
  const entry = list.getByRole("link", { name: "세션 전체" });
  await entry.click();
  await page.waitForURL(/\/whole$/);
  const stream = page.getByRole("log", { name: "세션 전체" });
  await stream.getByRole("article").first().waitFor();
  assert.equal(await entry.getAttribute("aria-current"), "true");

  const timeline = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/timeline?limit=80`);
  const wanted = timeline.items.filter((item) => item.message).map((item) => item.message.message.id);
  const shown = () => stream.getByRole("article").evaluateAll((all) => all.map((one) => one.dataset.event));
  await eventually("all of it, in order", async () => JSON.stringify(await shown()) === JSON.stringify(wanted));
  const runs = timeline.items.filter((item) => item.run).length;
  assert.ok(runs > 0, "the story delegates");
  assert.equal(await stream.getByRole("note").filter({ hasText: /하위 작업 맡김|결과 돌아옴|결과 없이 끝남/ }).count(), runs);

  const last = stream.getByRole("article").last();
  assert.match(await last.getAttribute("aria-label"), /에게, /);
  const leads = await last.getByRole("link").first().getAttribute("href");
  await last.getByRole("link").first().click();
  await page.waitForURL(/\/t\/.*at=/);
  assert.ok(page.url().endsWith(leads));
  await page.goBack();
  await stream.getByRole("article").first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("what is said in any of its threads shows without a reload", async () => {
  const page = await openPage(browser, `${monitor.url}${address(session)}/whole`);
  await idle(page);
  const stream = page.getByRole("log", { name: "세션 전체" });
  await stream.getByRole("article").first().waitFor();
  await frames(page);
  const [first, second] = await threadsOf(monitor, session);
  for (const [n, thread] of [first, second].entries()) {
    const text = `흐름에 새로 온 ${n}번 말입니다.`;
    await monitor.append(
      message({ from: thread.from, to: thread.to, text, session: session.workSessionId, conversation: thread.conversationId, at: FIXTURE_NOW + n }),
    );
    await stream.getByText(text).waitFor();
    await eventually("the end is followed", () => inView(page, text));
  }
  assertNoProblems(page);
  await page.context().close();
});

test("what any of its threads says is found in it, one after the other", async () => {
  const page = await openPage(browser, `${monitor.url}${address(session)}/whole`);
  await idle(page);
  const stream = page.getByRole("log", { name: "세션 전체" });
  await stream.getByRole("article").first().waitFor();
  const { ids } = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/find?q=배포`);
  assert.ok(ids.length > 1, "the story says it more than once");
  await page.keyboard.press("/");
  await page.getByRole("searchbox", { name: "이 대화에서 찾을 말" }).fill("배포");
  const count = page.locator(".thread-find__count");
  await eventually("the newest first", async () => (await count.innerText()) === `${ids.length} / ${ids.length}`);
  await page.keyboard.press("Enter");
  await eventually("then the oldest", async () => (await count.innerText()) === `1 / ${ids.length}`);
  const here = stream.locator(`[data-event="${ids[0]}"]`);
  await eventually("it stands in view", () =>
    here.evaluate((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top < innerHeight && bottom > 0;
    }),
  );
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /이 대화에서 찾기/ }).first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("on a phone the list leads there too, and back", async () => {
  const page = await openPage(browser, monitor.url + address(session), { width: 390, height: 844 });
  await idle(page);
  await page.getByRole("link", { name: "세션 전체" }).click();
  await page.getByRole("log", { name: "세션 전체" }).getByRole("article").first().waitFor();
  await page.getByRole("link", { name: /세션 전체/ }).click();
  await page.getByRole("navigation", { name: "스레드" }).getByRole("link", { name: "세션 전체" }).waitFor();
  assertNoProblems(page);
  await page.context().close();
});
