// Unread talk: told where it is, told to a screen reader, and read at the reader's wish.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { address, idle, menu, threadsOf, titledSession } from "../support/verbs.mjs";

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

let later = FIXTURE_NOW;
/** Something said after the page was first opened. */
function say(session, conversation, text) {
  later += 1_000;
  return monitor.append(message({ from: "ruda", to: "hangyeol", text, session, conversation, at: later }));
}

/** A page of a reader who has read everything there is so far. */
async function readerAt(path) {
  const page = await openPage(browser, `${monitor.url}${path}`);
  await page.evaluate((floor) => localStorage.setItem("task-hub.read", JSON.stringify({ v: 1, floor, threads: [] })), later);
  await page.reload();
  await idle(page);
  return page;
}

const badge = (page, name) => page.getByRole("main").getByRole("link", { name });
const card = (page, name) => page.getByRole("region", { name: "세션 목록" }).getByRole("link", { name });

test("a first visit is calm; what comes later is told on home, on its card and in the thread list", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  assert.equal(await badge(page, /안 읽은/).count(), 0, "nothing is new to who just came");
  await say("ws_unread-1", "unread-a", "[Goal] 첫 번째 안 읽은 협업\n확인해 주세요.");
  await say("ws_unread-1", "unread-a", "한 번 더 여쭙니다.");
  await say("ws_unread-2", "unread-b", "[Goal] 두 번째 안 읽은 협업\n확인해 주세요.");
  await badge(page, /전체 보기 안 읽은 세션 2/).waitFor();
  await menu(page, "대화").click();
  await card(page, /첫 번째 안 읽은 협업 안 읽은 메시지 2$/).waitFor();
  await card(page, /두 번째 안 읽은 협업 안 읽은 메시지 1$/).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("an old session that goes on has a dot where the number is not known, and its thread too", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await say(session.workSessionId, thread.conversationId, "오래된 세션의 새 말입니다.");
  await card(page, /결제 게이트웨이 v2\.14\.0.* 안 읽은 메시지 있음/).first().waitFor();
  await page.goto(`${monitor.url}${address(session)}`);
  await page.getByRole("link", { name: /안 읽은 메시지/ }).first().waitFor();
  await page.context().close();
});

test("the filter for unread talk has its place in the address; reading one card keeps the others' marks", async () => {
  const page = await readerAt("/all");
  await say("ws_unread-3", "unread-c", "[Goal] 세 번째 안 읽은 협업\n확인해 주세요.");
  await say("ws_unread-4", "unread-d", "[Goal] 네 번째 안 읽은 협업\n확인해 주세요.");
  await eventually("both are told", async () => {
    const pill = page.getByRole("button", { name: /새 활동/ });
    if (await pill.isVisible()) await pill.click();
    return (await card(page, /(세|네) 번째 안 읽은 협업 안 읽은 메시지 1/).count()) === 2;
  });
  await page.getByRole("button", { name: "안 읽음", exact: true }).click();
  await page.waitForURL(/\?unread=1$/);
  await eventually("only unread sessions are listed", async () => {
    const links = await card(page, /협업/).allInnerTexts();
    return links.length === 2;
  });
  await page.getByRole("article").filter({ hasText: "세 번째 안 읽은 협업" }).getByLabel("세션 메뉴").first().click();
  await page.getByRole("button", { name: "읽음으로", exact: true }).click();
  await eventually("its mark goes, the card stays where it is", async () => {
    const [read, unread] = [card(page, /세 번째/), card(page, /네 번째 안 읽은 협업 안 읽은 메시지 1/)];
    return (await read.count()) === 1 && !/안 읽은 메시지/.test(await read.innerText()) && (await unread.count()) === 1;
  });
  await page.reload();
  await idle(page);
  await card(page, /네 번째/).waitFor();
  assert.equal(await card(page, /세 번째/).count(), 0, "what was read is kept over a reload");
  assertNoProblems(page);
  await page.context().close();
});

test("all can be marked read and taken back, also in another tab", async () => {
  const page = await readerAt("/");
  await say("ws_unread-5", "unread-e", "[Goal] 다섯 번째 안 읽은 협업\n확인해 주세요.");
  await badge(page, /전체 보기 안 읽은 세션 1/).waitFor();
  const other = await page.context().newPage();
  await other.goto(monitor.url);
  await badge(other, /전체 보기 안 읽은 세션 1/).waitFor();
  await page.getByRole("button", { name: "모두 읽음으로" }).click();
  for (const tab of [page, other]) await eventually("nothing is unread", async () => (await badge(tab, /안 읽은/).count()) === 0);
  await page.getByRole("button", { name: "되돌리기" }).click();
  for (const tab of [page, other]) await badge(tab, /전체 보기 안 읽은 세션 1/).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("with nothing unread the filter says so and leads on", async () => {
  const page = await readerAt("/all?unread=1");
  await page.getByText("안 읽은 대화가 없습니다").waitFor();
  await page.getByRole("link", { name: /세션 .*개 모두 보기/ }).click();
  await page.waitForURL(/\/all$/);
  await page.context().close();
});
