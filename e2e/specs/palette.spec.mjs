// The command palette: opens by key and by pointer, finds as people type Korean, acts once, gives the focus back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { idle, menu, titledSession } from "../support/verbs.mjs";

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

const field = (page) => page.getByRole("combobox", { name: "명령과 찾기" });
const options = (page, part) => page.getByRole("group", { name: part, exact: true }).getByRole("option");

/** The palette, opened by its key, with its lists there. */
async function palette(page) {
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  await eventually("the palette's field has the focus", () => field(page).evaluate((box) => box === document.activeElement));
  await eventually("the newest sessions are listed", async () => (await options(page, "최근 세션").count()) > 0);
}

/** The line that Enter would take, as a screen reader hears it. */
async function chosen(page) {
  // In one look: lines may be drawn anew between two.
  const [text, selected] = await field(page).evaluate((box) => {
    const line = document.getElementById(box.getAttribute("aria-activedescendant"));
    return [line?.innerText ?? "", line?.ariaSelected];
  });
  assert.equal(selected, "true");
  return text;
}

/** Keeps the answers to a search for these words back until what it gives is called. */
async function hold(page, words) {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route(/\/api\/v2\/search\?.*q=/, async (route) => {
    if (decodeURIComponent(route.request().url()).includes(words)) await held;
    await route.continue().catch(() => undefined);
  });
  return release;
}

test("the palette opens in any place, lists what is newest, and gives the focus back", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await menu(page, "작업").focus();
  await palette(page);
  assert.equal(await options(page, "최근 세션").count(), 5);
  assert.ok((await options(page, "이동과 동작").count()) > 10);
  await page.keyboard.press("Escape");
  await field(page).waitFor({ state: "detached" });
  assert.ok(await menu(page, "작업").evaluate((link) => link === document.activeElement));
  await page.getByRole("button", { name: "명령과 찾기" }).click();
  await field(page).waitFor();
  await page.keyboard.press("Control+k");
  await field(page).waitFor({ state: "detached" });
  assertNoProblems(page);
  await page.context().close();
});

test("initial consonants find a session, and Enter opens it", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
  await palette(page);
  await page.keyboard.insertText("ㄱㅈ ㄱㅇㅌ");
  const line = options(page, "세션").filter({ hasText: session.title });
  await line.waitFor();
  assert.deepEqual(await line.locator("mark").allInnerTexts(), ["결제", "게이트"]);
  while (!(await chosen(page)).includes(session.title)) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname.startsWith(`/s/${encodeURIComponent(session.workSessionId)}`));
  await page.getByRole("heading", { name: session.title }).first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("a syllable under composition finds already, arrows stay the input method's, and Enter acts once", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await palette(page);
  const ime = await page.context().newCDPSession(page);
  const compose = (text) => ime.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  await page.evaluate(() => {
    window.went = 0;
    const push = history.pushState;
    history.pushState = function (...args) {
      if (!String(args[2] ?? "").includes("/all")) window.went += 1;
      return push.apply(this, args);
    };
  });
  for (const typed of ["ㅇ", "이", "입", "이베"]) {
    await compose(typed);
    await eventually(`${typed} finds the events`, async () => (await options(page, "이동과 동작").filter({ hasText: "이벤트 열기" }).count()) > 0);
  }
  await eventually("the place is chosen", async () => /이벤트 열기/.test(await options(page, "이동과 동작").first().innerText()));
  const before = await field(page).getAttribute("aria-activedescendant");
  await page.keyboard.press("ArrowDown");
  assert.equal(await field(page).getAttribute("aria-activedescendant"), before, "the arrow belongs to the composition");
  await compose("이벤트 열");
  await eventually("only the place is left", async () => /이벤트 열기/.test(await chosen(page)));
  // The press that ends the composition is handed on once more, as some systems do.
  await page.keyboard.down("Enter");
  await ime.send("Input.insertText", { text: "이벤트 열" });
  await page.keyboard.up("Enter");
  await page.waitForURL(/\/events$/);
  await idle(page);
  assert.equal(await page.evaluate(() => window.went), 1, "one press goes to one place");
  assert.equal(await field(page).count(), 0);
  assertNoProblems(page);
  await page.context().close();
});

test("words of a message find it without moving what is chosen, and lead to it", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await palette(page);
  await page.keyboard.insertText("배포");
  const message = options(page, "메시지").first();
  await message.waitFor();
  const part = page.getByRole("group", { name: "메시지", exact: true });
  const height = () => part.evaluate((element) => element.getBoundingClientRect().height);
  const full = await height();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("없는말입니다");
  await page.getByText("이 말이 든 메시지가 없습니다").waitFor();
  assert.equal(await height(), full, "what comes or does not come moves nothing below");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("배포");
  await message.waitFor();
  await message.click();
  await page.waitForURL(/\/t\/.*[?&]at=/);
  await page.locator(".is-target").getByText("배포").first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("answers that come late do not take the place of newer ones", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await palette(page);
  const release = await hold(page, "배포");
  const asked = page.waitForRequest((request) => decodeURIComponent(request.url()).includes("q=배포"));
  await page.keyboard.insertText("배포");
  await asked;
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("확인");
  await options(page, "메시지").first().waitFor();
  const shown = await options(page, "메시지").allInnerTexts();
  release();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await options(page, "메시지").allInnerTexts(), shown);
  await page.context().close();
});

test("messages that come above the first line do not take Enter from it", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await palette(page);
  const release = await hold(page, "작업");
  const asked = page.waitForRequest((request) => decodeURIComponent(request.url()).includes("q=작업"));
  await page.keyboard.insertText("작업");
  await asked;
  const first = await chosen(page);
  assert.ok(!/전체/.test(first) && first.length > 0, first);
  const above = options(page, "메시지");
  assert.equal(await above.count(), 0);
  release();
  await above.first().waitFor();
  assert.equal(await chosen(page), first);
  await page.context().close();
});

test("Ctrl with Enter narrows the list on screen to the agent that was found", async () => {
  const page = await openPage(browser, `${monitor.url}/c/infra_ops?since=7d`);
  await idle(page);
  await palette(page);
  await page.keyboard.insertText("이든");
  const agent = options(page, "에이전트").first();
  await agent.waitFor();
  while (!/함께한 대화/.test(await chosen(page))) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL((url) => url.pathname === "/c/infra_ops" && url.searchParams.get("agent") === "eden" && url.searchParams.get("since") === "7d");
  assertNoProblems(page);
  await page.context().close();
});

test("commands act: the theme, and the category of the session on screen", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const page = await openPage(browser, `${monitor.url}/s/${encodeURIComponent(session.workSessionId)}`);
  await idle(page);
  await palette(page);
  await page.keyboard.insertText("ㅇㄷㅇ ㅎㅁ");
  await options(page, "이동과 동작").filter({ hasText: "어두운 화면으로" }).waitFor();
  while (!/어두운 화면으로/.test(await chosen(page))) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await eventually("the page is dark", async () => (await page.locator("html").getAttribute("data-theme")) === "dark");
  await palette(page);
  await page.keyboard.insertText("카테고리 바꾸기");
  await options(page, "이동과 동작").filter({ hasText: "카테고리 바꾸기" }).waitFor();
  while (!/카테고리 바꾸기/.test(await chosen(page))) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: /카테고리/ }).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("a monitor that is away is told in words, names are found all the same", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await page.route(/\/api\/v2\/(sessions|tasks|search)\?/, (route) => route.abort());
  await page.keyboard.press("Control+k");
  await field(page).waitFor();
  await page.getByText("세션과 작업을 읽지 못했습니다").waitFor();
  await page.keyboard.insertText("이든");
  await page.getByText("메시지는 찾지 못했습니다").waitFor();
  assert.equal(await options(page, "에이전트").count(), 1);
  await page.context().close();
});
