// The record of category changes: every change of every session, found again by who, what and when, and taken along.
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { idle, titledSession } from "../support/verbs.mjs";

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

const rows = (page) => page.getByRole("list", { name: "변경 기록" }).getByRole("listitem");
const ways = async (page) => (await rows(page).allInnerTexts()).map((text) => text.replace(/\s+/g, " "));

test("every change stands there, newest first, also of sessions that the log does not hold", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await page.getByRole("link", { name: "변경 기록" }).click();
  await idle(page);
  assert.equal(new URL(page.url()).pathname, "/audit");
  await eventually("all nine", async () => (await rows(page).count()) === 9);
  const all = await ways(page);
  assert.match(all[0], /자동 분류 → .*인프라\/운영.*다른 프로그램/);
  assert.match(all[1], /고객\/커뮤니티 → .*법무\/컴플라이언스.*약관 검토가 본론.*운영자/);
  assert.match(all[2], /고객\/커뮤니티 → 자동 분류.*miri.*되돌림/);
  assert.match(all[5], /ws_0d3c1f5e-7a55-4d0c-9b7e-5f3f0c7e1a11.*로그에 없음/);
  await rows(page).nth(1).getByRole("link").click();
  await eventually("it leads to the session", async () => new URL(page.url()).pathname.startsWith("/s/ws_31bc9f75"));
  assertNoProblems(page);
  await page.context().close();
});

test("filters are in the address and narrow together; what is on the page follows a new change", async () => {
  const page = await openPage(browser, `${monitor.url}/audit`);
  await idle(page);
  await page.getByLabel("바꾼 사람").selectOption("운영자");
  await eventually("three by this name", async () => (await rows(page).count()) === 3);
  await page.getByLabel("이후 카테고리").selectOption("legal_compliance");
  await eventually("one of them", async () => (await rows(page).count()) === 1);
  assert.match(decodeURIComponent(page.url()), /who=운영자&to=legal_compliance/);
  await page.goBack();
  await eventually("Back takes one filter off", async () => (await rows(page).count()) === 3);
  await page.getByRole("link", { name: "필터 지우기" }).click();
  await page.getByLabel("시작일").fill("2026-02-20");
  await page.getByLabel("마지막 날").fill("2026-02-20");
  await eventually("those of one day", async () => (await rows(page).count()) === 3);
  await page.goto(`${monitor.url}/audit?q=${encodeURIComponent("ws_0d3c1f5e")}&from=automatic`);
  await idle(page);
  await eventually("by id, from automatic", async () => (await rows(page).count()) === 1);
  await page.goto(`${monitor.url}/audit?q=없는말없는말`);
  await page.getByText("조건에 맞는 기록이 없습니다").waitFor();
  await page.goto(`${monitor.url}/audit?from=galactic`);
  await idle(page);
  await page.getByText(/from=galactic/).waitFor();

  await page.goto(`${monitor.url}/audit`);
  await idle(page);
  const session = await titledSession(monitor, "봄 신상 캠페인");
  await page.evaluate(async (id) => {
    await fetch(`/api/v2/sessions/${encodeURIComponent(id)}/category`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ collabCategory: "docs_knowledge", updatedBy: "=온새", reason: "하나, \"둘\"" }),
    });
  }, session.workSessionId);
  await eventually("the new one is on top", async () => /문서\/지식화.*봄 신상 캠페인/.test((await ways(page))[0]));
  // From the session back to its own changes.
  await rows(page).first().getByRole("link").click();
  await page.getByRole("link", { name: "모든 변경 기록" }).click();
  await eventually("only its own", async () => (await rows(page).count()) === 1 && page.url().includes(encodeURIComponent(session.workSessionId)));
  assertNoProblems(page);
  await page.context().close();
});

test("what the filter shows is taken along whole, for spreadsheets and for programs", async () => {
  const page = await openPage(browser, `${monitor.url}/audit?to=docs_knowledge`);
  await idle(page);
  const take = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  };
  const csv = await take("CSV 내려받기");
  assert.equal(csv.name, "category-changes.csv");
  const lines = csv.text.split("\r\n");
  assert.ok(lines[0].startsWith("\ufeff시각,세션,제목,이전,이후,바꾼 사람,이유"), lines[0]);
  assert.equal(lines.length, 4, "two changes, the heads and the end");
  assert.match(lines[1], /문서\/지식화,'=온새,"하나, ""둘"""/, "no name is a formula");
  const json = await take("JSON 내려받기");
  assert.deepEqual(JSON.parse(json.text).map((row) => row.change.to), ["docs_knowledge", "docs_knowledge"]);
  assertNoProblems(page);
  await page.context().close();
});

test("a long record comes in pages and is taken along whole", async () => {
  const page = await openPage(browser, `${monitor.url}/audit`);
  await idle(page);
  const { sessions } = await monitor.get("/api/v2/sessions?limit=120");
  await page.evaluate(async (ids) => {
    const items = ids.map((workSessionId) => ({ workSessionId, collabCategory: "biz_strategy" }));
    await fetch("/api/v2/categories", { method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify({ items, updatedBy: "많이" }) });
  }, sessions.map((session) => session.workSessionId));
  await page.goto(`${monitor.url}/audit?who=${encodeURIComponent("많이")}`);
  await idle(page);
  await eventually("the first page", async () => (await rows(page).count()) === 100);
  await page.getByText("모두 120건 가운데 100건입니다.").waitFor();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "JSON 내려받기" }).click()]);
  assert.equal(JSON.parse(await readFile(await download.path(), "utf8")).length, 120);
  await page.getByRole("button", { name: "더 보기" }).click();
  await eventually("all of them", async () => (await rows(page).count()) === 120);
  assertNoProblems(page);
  await page.context().close();
});

test("a next page that brings nothing new is no end: another press goes on", async () => {
  const page = await openPage(browser, monitor.url);
  // Behind the first page lies an empty one, then the rest: pages are asked for anew from the first one on.
  let pages = 0;
  await page.route("**/api/v2/category-changes?*", async (route) => {
    const mark = new URL(route.request().url()).searchParams.get("cursor");
    pages = mark === null ? 1 : pages + 1;
    if (pages !== 2) return route.continue();
    const answer = await route.fetch();
    return route.fulfill({ response: answer, json: { ...(await answer.json()), changes: [], next: mark } });
  });
  await page.goto(`${monitor.url}/audit?who=${encodeURIComponent("많이")}`);
  await eventually("the first page", async () => (await rows(page).count()) === 100);
  const more = page.getByRole("button", { name: "더 보기" });
  await Promise.all([page.waitForResponse((answer) => answer.url().includes("cursor=")), more.click()]);
  assert.equal(await rows(page).count(), 100);
  // A press while the answer is on its way is the one before it.
  await eventually("the rest", async () => {
    if ((await rows(page).count()) === 120) return true;
    await more.click({ timeout: 2_000 }).catch(() => undefined);
    return false;
  });
  assertNoProblems(page);
  await page.context().close();
});

test("a record that cannot be read is not called empty, and an empty one is", async () => {
  const file = path.join(monitor.home, "work-session-category-audit.ndjson");
  await rename(file, `${file}.away`);
  await mkdir(file);
  const page = await openPage(browser, `${monitor.url}/audit`);
  await page.getByText("변경 기록을 읽지 못했습니다").waitFor();
  assert.equal(await page.getByText("아직 바꾼 기록이 없습니다").count(), 0);
  await rm(file, { recursive: true });
  await rename(`${file}.away`, file);
  await chmod(file, 0o600);
  await page.getByRole("button", { name: "다시 시도" }).click();
  await eventually("it is read again", async () => (await rows(page).count()) > 9);
  assertNoProblems(page, [/503/]);
  await page.context().close();
  const bare = await startMonitor({ story: "ping-pong" });
  try {
    const other = await openPage(browser, `${bare.url}/audit`);
    await other.getByText("아직 바꾼 기록이 없습니다").waitFor();
    assertNoProblems(other);
    await other.context().close();
  } finally {
    await bare.stop();
  }
});
