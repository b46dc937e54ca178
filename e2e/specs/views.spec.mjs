// Saved views: kept in this browser, named, ordered, put on home with their counts, shared by link, removed and back.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

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

const button = (page) => page.locator("details.views > summary");
const panel = (page) => page.getByRole("group", { name: "저장한 보기" });
const names = (page) => panel(page).getByRole("link").allInnerTexts();

/** Saves what is on screen under a name. */
async function save(page, name) {
  await button(page).click();
  await panel(page).getByRole("textbox", { name: "지금 보기 저장" }).fill(name);
  await page.keyboard.press("Enter");
  await page.getByText(`‘${name}’`).first().waitFor();
  await eventually("the button bears its name", async () => (await button(page).innerText()).includes(name));
  await page.keyboard.press("Escape");
}

/** One of the things that can be done with a view. */
async function act(page, name, what) {
  await panel(page).getByLabel(`‘${name}’ 보기 메뉴`).first().click();
  await panel(page).getByRole("button", { name: what, exact: true }).filter({ visible: true }).click();
}

const lists = ["/all?status=active", "/events?role=conversation.main", "/search?q=배포"];
for (const place of lists) {
  test(`a view of ${place.split("?")[0]} is saved, opened, renamed, removed and brought back`, async () => {
    const page = await openPage(browser, monitor.url + place);
    await idle(page);
    await button(page).click();
    await panel(page).getByText("이 브라우저에만 저장됩니다.").waitFor();
    await page.keyboard.press("Escape");
    await save(page, "아침 점검");
    await page.goto(monitor.url + place.split("?")[0]);
    await idle(page);
    await button(page).click();
    await panel(page).getByRole("link", { name: "아침 점검" }).click();
    await page.waitForURL((url) => decodeURIComponent(url.pathname + url.search) === place);
    await idle(page);
    await button(page).click();
    await act(page, "아침 점검", "이름 바꾸기");
    await panel(page).getByRole("textbox", { name: "보기 이름" }).fill("저녁 점검");
    await page.keyboard.press("Enter");
    await eventually("it has its new name", async () => (await names(page)).join().includes("저녁 점검"));
    await act(page, "저녁 점검", "지우기");
    await eventually("it is gone", async () => (await names(page)).length === 0);
    await page.getByRole("button", { name: "되돌리기" }).click();
    // A press elsewhere closed the panel.
    await button(page).click();
    await eventually("it is back", async () => (await names(page)).join().includes("저녁 점검"));
    assertNoProblems(page);
    await page.context().close();
  });
}

test("views are put in order, and other tabs hear of it", async () => {
  const page = await openPage(browser, `${monitor.url}/all?status=active`);
  await idle(page);
  await save(page, "하나");
  await page.goto(`${monitor.url}/all?status=quiet`);
  await idle(page);
  await save(page, "둘");
  const other = await page.context().newPage();
  await other.goto(`${monitor.url}/all`);
  await idle(other);
  await button(other).click();
  assert.deepEqual((await names(other)).map((name) => name.trim()), ["하나", "둘"]);
  await button(page).click();
  await act(page, "둘", "위로");
  await eventually("the order is new", async () => (await names(page)).map((name) => name.trim()).join() === "둘,하나");
  await eventually("in the other tab, too", async () => (await names(other)).map((name) => name.trim()).join() === "둘,하나");
  await page.context().close();
});

test("a view on home counts live, and the palette opens it", async () => {
  const page = await openPage(browser, `${monitor.url}/search?q=${encodeURIComponent("해맞이언덕")}`);
  await idle(page);
  await save(page, "해맞이");
  await button(page).click();
  await act(page, "해맞이", "홈에 놓기");
  await page.goto(monitor.url);
  await idle(page);
  const mine = page.getByRole("region", { name: "저장한 보기" });
  await eventually("it counts nothing yet", async () => /해맞이\s*0/.test(await mine.innerText()));
  await monitor.append(message({ from: "eden", to: "seum", text: "해맞이언덕 확인", session: "ws_view", conversation: "view", at: FIXTURE_NOW - 1_000 }));
  await eventually("it counts what came", async () => /해맞이\s*[1-9]/.test(await mine.innerText()));
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "명령과 찾기" }).waitFor();
  await page.keyboard.insertText("해맞이");
  await page.getByRole("option", { name: /보기 ‘해맞이’ 열기/ }).click();
  await page.waitForURL((url) => url.searchParams.get("q") === "해맞이언덕");
  assertNoProblems(page);
  await page.context().close();
});

test("a shared view is looked at, and kept only by who wants it", async () => {
  const page = await openPage(browser, `${monitor.url}/all?status=active&view-name=${encodeURIComponent("팀 보기")}`);
  await idle(page);
  await page.getByText("함께 보려고 받은 보기 ‘팀 보기’입니다.").waitFor();
  assert.equal(await page.evaluate(() => localStorage.getItem("task-hub.views")), null, "nothing is stored by a link");
  await page.getByRole("button", { name: "이 브라우저에 저장" }).click();
  await page.waitForURL((url) => !url.searchParams.has("view-name"));
  await eventually("it is kept", async () => (await button(page).innerText()).includes("팀 보기"));
  assertNoProblems(page);
  await page.context().close();
});

test("a store that holds something else does no harm", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await page.evaluate(() => localStorage.setItem("task-hub.views", '{"v":1,"views":[["x","//evil.example/",true],["y","javascript:alert(1)",true],7]}'));
  await page.goto(monitor.url);
  await idle(page);
  assert.equal(await page.getByRole("region", { name: "저장한 보기" }).count(), 0);
  assertNoProblems(page);
  await page.context().close();
});
