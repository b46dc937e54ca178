// Browser tests of manual category overrides: save, undo, rollback of a failed write, conflict, history, phone layout,
// REST 1.x, and read-only mode.
//
// Proves (categories): A manual category is saved, undone, rolled back after a failed write, and refused on a conflict.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { FIXTURE_NOW } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { address, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "override" } });

const FILE = "work-session-category-overrides.json";
const menu = (page) => page.getByRole("dialog", { name: "카테고리 바꾸기", exact: true });
const opener = (page) => page.getByRole("button", { name: "카테고리 바꾸기" });
const undo = (page) => page.getByRole("button", { name: "되돌리기", exact: true });
const header = (page) => page.getByRole("main").locator("header").first();

/** The session's category and who set it, from the API. */
async function category(monitor, session) {
  const { key, source } = (await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`)).session.category;
  return `${key} ${source === "manual_override" ? "by hand" : "automatic"}`;
}

/** Opens the page of the session whose title holds `words`. */
async function openSession(page, monitor, words) {
  const session = await titledSession(monitor, words);
  await page.goto(address(session));
  await waitUntilLoaded(page);
  return session;
}

async function choose(page, name) {
  await opener(page).click();
  await confirm(menu(page), name);
}

async function confirm(dialog, name) {
  await dialog.getByRole("radio", { name: new RegExp(name) }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
}

/** Answers category requests of this method as a monitor does whose disk is full. */
async function failWrites(page, method) {
  const failed = { status: 503, json: { error: "disk full", code: "not_committed", requestId: "e2e" } };
  await page.route("**/category", (route) => (route.request().method() === method ? route.fulfill(failed) : route.continue()));
  allowProblems(page, [/503/]);
}

test("a failed write is rolled back and reported", { tag: "@quick" }, async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "결제 게이트웨이 v2.14.0");
  await expect(header(page)).toContainText("인프라/운영");
  const before = await category(monitor, session);
  await failWrites(page, "PATCH");
  await choose(page, "법무");
  await expect(page.getByText("카테고리를 바꾸지 못해 이전 값으로 되돌렸습니다")).toBeVisible();
  await expect(header(page)).toContainText("인프라/운영");
  assert.equal(await category(monitor, session), before, "nothing was written");
});

test("an override outlives a reload and a monitor restart", { tag: "@quick" }, async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "결제 게이트웨이 v2.14.0");
  await choose(page, "문서");
  await expect(page.getByText("문서/지식화").first()).toBeVisible();
  await expect.poll(() => category(monitor, session)).toBe("docs_knowledge by hand");
  const file = await readFile(path.join(monitor.home, FILE), "utf8");
  assert.ok(JSON.stringify(JSON.parse(file)).includes(session.workSessionId), "the file that other tools read names the session");

  await page.reload();
  await expect(page.getByText("문서/지식화").first()).toBeVisible();
  allowProblems(page, [/WebSocket|ERR_CONNECTION|Failed to fetch|Failed to load/]);
  await monitor.halt();
  await monitor.start();
  assert.equal(await category(monitor, session), "docs_knowledge by hand");
});

test("changes are undone, reset to automatic and listed", { tag: "@quick" }, async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "봄 신상 캠페인");
  const automatic = await category(monitor, session);
  assert.match(automatic, /automatic$/);
  const about = page.getByRole("complementary", { name: "이 스레드의 정보" });
  await expect(about).toContainText(/바꾼 기록\s+없음/, { useInnerText: true });
  const changes = about.getByRole("list", { name: "바꾼 기록" }).getByRole("listitem");

  await opener(page).click();
  await menu(page).getByLabel("이름 (선택)").fill("온새");
  await page.keyboard.press("Escape");
  await choose(page, "법무");
  await expect.poll(() => category(monitor, session)).toBe("legal_compliance by hand");
  await undo(page).click();
  await expect.poll(() => category(monitor, session)).toBe(automatic);

  await choose(page, "QA");
  await expect.poll(() => category(monitor, session)).toBe("qa_validation by hand");
  await choose(page, "문서");
  await expect.poll(() => category(monitor, session)).toBe("docs_knowledge by hand");
  await expect(page.getByText(/‘문서\/지식화’.{1,3} 바꿨습니다/)).toBeVisible();
  await undo(page).click();
  await expect.poll(() => category(monitor, session), "undone to the override before").toBe("qa_validation by hand");

  await opener(page).click();
  await menu(page).getByRole("button", { name: "자동 분류로 되돌리기" }).click();
  await expect.poll(() => category(monitor, session)).toBe(automatic);
  await expect(changes.first()).toContainText(/QA\/검증 → 자동 분류[\s\S]*온새/, { useInnerText: true });
  await about.getByRole("button", { name: "이전 기록 3건" }).click();
  const firstLines = async () => (await changes.allInnerTexts()).map((text) => text.split("\n")[0]);
  await expect.poll(firstLines).toEqual([
    "QA/검증 → 자동 분류",
    "문서/지식화 → QA/검증",
    "QA/검증 → 문서/지식화",
    "자동 분류 → QA/검증",
    "법무/컴플라이언스 → 자동 분류",
    "자동 분류 → 법무/컴플라이언스",
  ]);
});

test("Ctrl+Z takes the newest change back, except in a field", async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "봄 신상 캠페인");
  const before = await category(monitor, session);
  await choose(page, "조사");
  await expect.poll(() => category(monitor, session)).toBe("research_analysis by hand");
  await expect(undo(page)).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "명령과 찾기" }).fill("배포");
  await page.keyboard.press("Control+z");
  await page.keyboard.press("Escape");
  assert.equal(await category(monitor, session), "research_analysis by hand");
  await expect(undo(page)).toBeVisible();
  await page.keyboard.press("Control+z");
  await expect.poll(() => category(monitor, session)).toBe(before);
  await expect(undo(page)).toHaveCount(0);
});

test("undo is disabled while a newer change is pending", async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "봄 신상 캠페인");
  await choose(page, "QA");
  await expect(page.getByText(/‘QA\/검증’.{1,3} 바꿨습니다/)).toBeVisible();
  await expect(undo(page)).toBeEnabled();
  // The monitor makes the next change at once; its response is held back.
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route("**/category", async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await choose(page, "문서");
  await expect.poll(() => category(monitor, session)).toBe("docs_knowledge by hand");
  await expect(undo(page), "the older change cannot be undone meanwhile").toBeDisabled();
  await undo(page).focus();
  await page.keyboard.press("Enter");
  await expect(undo(page), "the button keeps the focus").toBeFocused();
  release();
  await expect(page.getByText(/‘문서\/지식화’.{1,3} 바꿨습니다/)).toBeVisible();
  await page.unrouteAll({ behavior: "wait" });
  assert.equal(await category(monitor, session), "docs_knowledge by hand", "the press did nothing");

  // After a failed change the change before it can still be undone.
  await failWrites(page, "PATCH");
  await choose(page, "법무");
  await expect(page.getByText(/바꾸지 못해/).first()).toBeVisible();
  await page.unrouteAll({ behavior: "wait" });
  await undo(page).click();
  await expect.poll(() => category(monitor, session)).toBe("qa_validation by hand");
  await opener(page).click();
  await menu(page).getByRole("button", { name: "자동 분류로 되돌리기" }).click();
  await expect.poll(() => category(monitor, session)).toMatch(/automatic$/);
});

test("a change builds on one whose response is late", async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "2월 뉴스레터 재발송");
  await page.route("**/category", async (route) => {
    const response = await route.fetch();
    await pause(1500);
    await route.fulfill({ response });
  });
  await choose(page, "법무");
  await expect.poll(() => category(monitor, session)).toBe("legal_compliance by hand");
  await choose(page, "QA");
  await expect.poll(() => category(monitor, session)).toBe("qa_validation by hand");
  await expect(page.getByText(/‘QA\/검증’.{1,3} 바꿨습니다/)).toBeVisible();
  await undo(page).last().click();
  await expect.poll(() => category(monitor, session), "undone to the first change").toBe("legal_compliance by hand");
  await choose(page, "문서");
  await expect.poll(() => category(monitor, session), "a change after the undo").toBe("docs_knowledge by hand");
  await page.unrouteAll({ behavior: "wait" });
});

test("a conflicting change is reported and overwritten only on request", async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "온콜 처음");
  await opener(page).click();
  await expect(menu(page)).toBeVisible();
  // Another program writes the file, as the existing tools do.
  const file = path.join(monitor.home, FILE);
  const overrides = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
  overrides[session.workSessionId] = { collabCategory: "infra_ops", updatedAt: new Date(FIXTURE_NOW).toISOString(), updatedBy: "온새" };
  await writeFile(file, JSON.stringify(overrides));
  await expect.poll(() => category(monitor, session)).toBe("infra_ops by hand");
  allowProblems(page, [/409/]);
  await confirm(menu(page), "QA");
  await expect(page.getByText("그사이 온새가 ‘인프라/운영’으로 바꿔서 저장하지 않았습니다")).toBeVisible();
  assert.equal(await category(monitor, session), "infra_ops by hand", "nothing is overwritten unseen");
  await expect(header(page)).toContainText("인프라/운영");
  await page.getByRole("button", { name: "그래도 바꾸기" }).click();
  await expect.poll(() => category(monitor, session)).toBe("qa_validation by hand");
});

test("a failed undo is rolled back and reported", async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "PG 연동 2차");
  await choose(page, "비즈니스");
  await expect.poll(() => category(monitor, session)).toBe("biz_strategy by hand");
  await failWrites(page, "DELETE");
  await undo(page).click();
  await expect(page.getByText(/바꾸지 못해/).first()).toBeVisible();
  await expect(header(page)).toContainText("비즈니스/전략");
  assert.equal(await category(monitor, session), "biz_strategy by hand");
});

for (const [view, name, key] of [["thread", "법무", "legal_compliance"], ["session", "고객", "customer_community"]]) {
  test(`on a phone a ${view}'s category changes in its sheet`, async ({ openPage, monitor }) => {
    const session = await titledSession(monitor, "누리님 번역");
    const thread = view === "thread" ? (await threadsOf(monitor, session))[0] : undefined;
    const page = await openPage(monitor.url + address(session, thread), { width: 390, height: 844 });
    await waitUntilLoaded(page);
    const entry = page.getByRole("button", { name: "정보", exact: true }).first();
    const sheet = page.getByRole("dialog", { name: "협업 정보" });
    // By keyboard: the focus returns to the button.
    await entry.focus();
    await page.keyboard.press("Enter");
    await expect(sheet).toBeVisible();
    assert.match(await sheet.innerText(), /분류 이유[\s\S]*연결된 작업/);
    await page.keyboard.press("Escape");
    await expect(sheet).toBeHidden();
    await expect(entry, "the focus is back").toBeFocused();
    // By touch.
    await entry.click();
    const box = await opener(sheet).boundingBox();
    assert.ok(box.height >= 40 && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    await choose(page, name);
    await expect.poll(() => category(monitor, session)).toBe(`${key} by hand`);
    await expect(sheet).toBeHidden();
    await expect(page.getByText(new RegExp(`카테고리를 ‘${name}.*바꿨습니다`))).toBeVisible();
    assert.ok((await undo(page).boundingBox()).height >= 28, "undo can be hit with a finger");
    await undo(page).click();
    await expect.poll(() => category(monitor, session)).not.toBe(`${key} by hand`);
    await entry.click();
    await expect(sheet).toContainText(`자동 분류 → ${name}`, { useInnerText: true });
    await page.keyboard.press("Escape");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than a phone");
  });
}

test("an old-API monitor is offered only what it supports", async ({ openPage, startMonitor }) => {
  const old = await startMonitor({ story: "ping-pong", args: ["--api", "1"] });
  // An old monitor does not say when it has read its log.
  const sessions = async () => (await old.get("/api/work-sessions")).sessions;
  await expect.poll(async () => (await sessions()).length).toBeGreaterThan(0);
  const key = async () => (await sessions())[0].collabCategory;
  const page = await openPage(`${old.url}/s/${encodeURIComponent((await sessions())[0].workSessionId)}`);
  allowProblems(page, [/404|410/]);
  await waitUntilLoaded(page);
  await choose(page, "고객");
  await expect.poll(key).toBe("customer_community");
  await expect(page.getByText("카테고리를 ‘고객/커뮤니티’로 바꿨습니다")).toBeVisible();
  await expect(undo(page), "the old API cannot delete an override").toHaveCount(0);
  await choose(page, "법무");
  await expect.poll(key).toBe("legal_compliance");
  await undo(page).click();
  await expect.poll(key, "the override before is set again").toBe("customer_community");
  await opener(page).click();
  await expect(menu(page).getByText("자동 분류로 되돌릴 수 없습니다")).toBeVisible();
  await expect(menu(page).getByRole("button", { name: "자동 분류로 되돌리기" })).toHaveCount(0);
});

test("a read-only monitor says so and keeps the category", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong", args: ["--host", "0.0.0.0"] });
  assert.match(monitor.output, /read-only/, "the log says so at the start");
  assert.equal((await monitor.get("/api/v2/health")).writes, "nobody");
  const { sessions } = await monitor.get("/api/v2/sessions");
  const page = await openPage(monitor.url + address(sessions[0]));
  await waitUntilLoaded(page);
  await expect(page.getByText(/읽기 전용 모니터입니다/).first()).toBeVisible();
  await expect(opener(page), "what would be refused is not offered").toHaveCount(0);
  const route = `/api/v2/sessions/${encodeURIComponent(sessions[0].workSessionId)}/category`;
  const body = JSON.stringify({ collabCategory: "legal_compliance" });
  const headers = { "content-type": "application/json" };
  assert.equal(await page.evaluate(async ([to, init]) => (await fetch(to, init)).status, [route, { method: "PATCH", headers, body }]), 401);
  allowProblems(page, [/401/]);
  assert.match(await category(monitor, sessions[0]), /automatic$/, "nothing was written");
});

test("the category dialog starts at the choices and takes digits", { tag: "@quick" }, async ({ page, startMonitor }) => {
  const monitor = await startMonitor();
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  await page.goto(`${monitor.url}${address(session)}`);
  await waitUntilLoaded(page);
  await page.keyboard.press("c");
  await expect(menu(page).getByRole("radio", { checked: true })).toBeFocused();
  await page.keyboard.press("0");
  await expect(menu(page).getByRole("radio").nth(9)).toBeChecked();
  await page.keyboard.press("9");
  await expect(menu(page).getByRole("radio").nth(8)).toBeChecked();
  await page.keyboard.press("Enter");
  await expect(menu(page)).toBeHidden();
  await expect.poll(() => category(monitor, session)).toBe("legal_compliance by hand");
});
