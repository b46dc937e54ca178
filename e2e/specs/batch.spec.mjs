// Several sessions get one category at once: chosen by box, key or menu, each changed or refused by itself, all taken
// back in one step.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, beforeEach, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor({ story: "ping-pong" });
  browser = await startBrowser();
  const events = [];
  for (let number = 0; number < 8; number += 1) {
    events.push(message({ from: "eden", to: "seum", text: `[Goal] 묶음 ${number}호\n배포 확인`, session: `ws_batch-${number}`, conversation: `batch-${number}`, at: FIXTURE_NOW - (number + 1) * 30_000 }));
  }
  await monitor.append(...events);
  await eventually("all are read", async () => (await monitor.get("/api/v2/sessions?q=묶음")).total === 8);
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});
const overrides = () => path.join(monitor.home, "work-session-category-overrides.json");
const held = async () => JSON.parse(await readFile(overrides(), "utf8").catch(() => "{}"));
beforeEach(async () => {
  await writeFile(overrides(), "{}");
  await eventually("nothing is set by hand", async () => (await states()).every((state) => state === "automatic"));
});

/** What is in force for each of the eight. */
async function states() {
  const { sessions } = await monitor.get("/api/v2/sessions?q=묶음&limit=50");
  const of = (number) => sessions.find((session) => session.workSessionId === `ws_batch-${number}`).category;
  return [0, 1, 2, 3, 4, 5, 6, 7].map((number) => (of(number).source === "manual_override" ? of(number).key : "automatic"));
}

const box = (page, number) => page.getByRole("checkbox", { name: `‘묶음 ${number}호’ 선택` });
const bar = (page) => page.getByRole("group", { name: "선택한 세션" });
const link = (page, number) => page.getByRole("link", { name: new RegExp(`묶음 ${number}호`) });

async function open(options) {
  const page = await openPage(browser, `${monitor.url}/all?q=묶음`, options);
  await idle(page);
  return page;
}

async function choose(page, category, reason) {
  await bar(page).getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = page.getByRole("dialog", { name: "카테고리 바꾸기", exact: true });
  await dialog.getByRole("radio", { name: new RegExp(category) }).check({ force: true });
  if (reason) await dialog.getByLabel("바꾸는 이유 (선택)").fill(reason);
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
}

test("a range is chosen with Shift, changed with one reason, and taken back in one step", async () => {
  const page = await open();
  await box(page, 1).click();
  await box(page, 4).click({ modifiers: ["Shift"] });
  await bar(page).getByText("4개 선택됨").waitFor();
  await box(page, 3).click();
  await bar(page).getByText("3개 선택됨").waitFor();
  await choose(page, "법무", "한꺼번에 정리");
  await page.getByText("세션 3개의 카테고리를 ‘법무/컴플라이언스’로 바꿨습니다").waitFor();
  assert.deepEqual((await states()).map((state) => state === "legal_compliance"), [false, true, true, false, true, false, false, false]);
  const row = page.getByRole("article").filter({ hasText: "묶음 2호" });
  assert.match(await row.innerText(), /법무\/컴플라이언스[\s\S]*사람이 바꿈/, "the card shows it where it stands");
  await bar(page).waitFor({ state: "hidden" });
  const { changes } = await monitor.get("/api/v2/sessions/ws_batch-4/category/history");
  assert.equal(changes[0].reason, "한꺼번에 정리");
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await page.getByText("세션 3개의 카테고리를 되돌렸습니다").waitFor();
  assert.ok((await states()).every((state) => state === "automatic"));
  const after = (await monitor.get("/api/v2/sessions/ws_batch-4/category/history")).changes;
  assert.equal(after[0].undoOf, changes[0].requestId, "the record knows what was taken back");
  assertNoProblems(page);
  await page.context().close();
});

test("by key: X chooses the card that has the focus, Shift+X up to there, Escape lets go", async () => {
  const page = await open();
  await link(page, 0).focus();
  await page.keyboard.press("x");
  assert.ok(await box(page, 0).isChecked());
  await link(page, 2).focus();
  await page.keyboard.press("Shift+x");
  await bar(page).getByText("3개 선택됨").waitFor();
  await page.keyboard.press("x");
  await bar(page).getByText("2개 선택됨").waitFor();
  await page.keyboard.press("Escape");
  await bar(page).waitFor({ state: "hidden" });
  // With the focus on a box, and while a dialog is open, whose Escape is its own.
  await box(page, 5).focus();
  await page.keyboard.press("Space");
  await bar(page).getByRole("button", { name: "카테고리 바꾸기" }).click();
  await page.getByRole("dialog", { name: "카테고리 바꾸기", exact: true }).waitFor();
  await page.keyboard.press("Escape");
  await bar(page).getByText("1개 선택됨").waitFor();
  await bar(page).getByRole("button", { name: "선택 해제" }).click();
  assert.ok(!(await box(page, 5).isChecked()));
  assertNoProblems(page);
  await page.context().close();
});

test("one that somebody else changed meanwhile is told by name, stays chosen, and holds up no other", async () => {
  const page = await open();
  await box(page, 0).click();
  await box(page, 2).click({ modifiers: ["Shift"] });
  await bar(page).getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = page.getByRole("dialog", { name: "카테고리 바꾸기", exact: true });
  await dialog.waitFor();
  const others = { ...(await held()), "ws_batch-1": { collabCategory: "infra_ops", updatedAt: new Date(FIXTURE_NOW).toISOString(), updatedBy: "온새" } };
  await writeFile(overrides(), JSON.stringify(others));
  await eventually("the other one's change stands", async () => (await states())[1] === "infra_ops");
  await dialog.getByRole("radio", { name: /문서/ }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
  await page.getByText("세션 2개의 카테고리를 ‘문서/지식화’로 바꿨습니다. 1개는 바꾸지 못했습니다: ‘묶음 1호’ (그사이 온새가 ‘인프라/운영’으로 바꿈)").waitFor();
  assert.deepEqual((await states()).slice(0, 3), ["docs_knowledge", "infra_ops", "docs_knowledge"]);
  await bar(page).getByText("1개 선택됨").waitFor();
  assert.ok(await box(page, 1).isChecked());
  // Who has seen what stands can decide again; all three go back to automatic at once.
  await choose(page, "문서");
  await eventually("changed on the reader's word", async () => (await states())[1] === "docs_knowledge");
  await bar(page).waitFor({ state: "hidden" });
  await box(page, 0).click();
  await box(page, 2).click({ modifiers: ["Shift"] });
  await bar(page).getByRole("button", { name: "자동으로 되돌리기" }).click();
  await page.getByText("세션 3개를 자동 분류로 되돌렸습니다").waitFor();
  assert.deepEqual((await states()).slice(0, 3), ["automatic", "automatic", "automatic"]);
  assertNoProblems(page);
  await page.context().close();
});

test("what is chosen while an answer is on its way stays chosen", async () => {
  const page = await open();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route("**/api/v2/categories", async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await box(page, 0).click();
  await choose(page, "문서");
  await eventually("the monitor holds it", async () => (await states())[0] === "docs_knowledge");
  await box(page, 2).click();
  await bar(page).getByText("2개 선택됨").waitFor();
  release();
  await bar(page).getByText("1개 선택됨").waitFor();
  assert.deepEqual([await box(page, 0).isChecked(), await box(page, 2).isChecked()], [false, true]);
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await eventually("it is automatic again", async () => (await states())[0] === "automatic");
  assertNoProblems(page);
  await page.context().close();
});

test("when nothing could be written it is said and the choice stands", async () => {
  const page = await open();
  await page.route("**/api/v2/categories", (route) =>
    route.fulfill({ status: 507, contentType: "application/json", body: '{"error":"disk full","code":"not_committed","requestId":"e2e"}' }),
  );
  await box(page, 6).click();
  await choose(page, "법무");
  await page.getByText(/^카테고리를 바꾸지 못했습니다/).waitFor();
  await bar(page).getByText("1개 선택됨").waitFor();
  assert.equal((await states())[6], "automatic");
  assertNoProblems(page, [/507/]);
  await page.context().close();
});

test("on a phone the choice begins in a card's menu, and nothing is wider than the screen", async () => {
  const page = await open({ width: 390, height: 844 });
  assert.equal(await page.getByRole("checkbox").count(), 0);
  const row = page.getByRole("article").filter({ hasText: "묶음 3호" });
  await row.getByLabel("세션 메뉴").first().click();
  await row.getByRole("button", { name: "선택", exact: true }).click();
  await box(page, 2).click();
  await bar(page).getByText("2개 선택됨").waitFor();
  for (const button of await bar(page).getByRole("button").all()) {
    const at = await button.boundingBox();
    assert.ok(at.x >= 0 && at.x + at.width <= 390 && at.height >= 24, JSON.stringify(at));
  }
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await choose(page, "고객");
  await eventually("both are changed", async () => (await states()).filter((state) => state === "customer_community").length === 2);
  assertNoProblems(page);
  await page.context().close();
});

test("a monitor of the old API changes several one by one, and only what it can is offered", async () => {
  const old = await startMonitor({ story: "everything", args: ["--api", "1"] });
  try {
    await eventually("the log is read", async () => (await old.get("/api/work-sessions")).sessions.length > 3);
    const byHand = async (category) => (await old.get("/api/work-sessions")).sessions.filter((session) => session.categorySource === "manual_override" && session.collabCategory === category).length;
    const before = await byHand("customer_community");
    const page = await openPage(browser, `${old.url}/all`);
    await idle(page);
    const boxes = page.getByRole("region", { name: "세션 목록" }).getByRole("checkbox");
    await boxes.nth(0).click();
    await boxes.nth(1).click();
    assert.equal(await bar(page).getByRole("button", { name: "자동으로 되돌리기" }).count(), 0);
    await choose(page, "고객");
    await page.getByText("세션 2개의 카테고리를 ‘고객/커뮤니티’로 바꿨습니다").waitFor();
    assert.equal(await byHand("customer_community"), before + 2);
    assertNoProblems(page, [/404|410/]);
    await page.context().close();
  } finally {
    await old.stop();
  }
});
