// Browser tests of category changes of several sessions at once: selection by mouse and keyboard, conflicts per
// session, and one undo for all.
//
// Proves (categories): Many sessions are changed with one decision and one write. A session that somebody else changed
// meanwhile is named and does not block the others. One step undoes all of them.
// See also: `src/pages/sessions/choice.rs`.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "batch" } });

const EIGHT = [0, 1, 2, 3, 4, 5, 6, 7];
test.beforeAll(async ({ monitor }) => {
  const about = (n) => message({ from: "eden", to: "seum", text: `[Goal] 묶음 ${n}호\n배포 확인`, session: `ws_batch-${n}`, conversation: `batch-${n}`, at: FIXTURE_NOW - (n + 1) * 30_000 });
  await monitor.append(...EIGHT.map(about));
  await expect.poll(async () => (await monitor.get("/api/v2/sessions?q=묶음")).total, "all are read").toBe(8);
});
test.beforeEach(async ({ monitor }) => {
  await override(monitor, {});
  await expect.poll(() => states(monitor), "nothing is set by hand").toEqual(Array(8).fill("automatic"));
});

const override = (monitor, all) => writeFile(path.join(monitor.home, "work-session-category-overrides.json"), JSON.stringify(all));

/** The category in force for each of the eight. */
async function states(monitor) {
  const { sessions } = await monitor.get("/api/v2/sessions?q=묶음&limit=50");
  const of = (number) => sessions.find((session) => session.workSessionId === `ws_batch-${number}`).category;
  return EIGHT.map((number) => (of(number).source === "manual_override" ? of(number).key : "automatic"));
}

const box = (page, number) => page.getByRole("checkbox", { name: `‘묶음 ${number}호’ 선택` });
const bar = (page) => page.getByRole("group", { name: "선택한 협업" });
const link = (page, number) => page.getByRole("link", { name: new RegExp(`묶음 ${number}호`) });
const dialogOf = (page) => page.getByRole("dialog", { name: "카테고리 바꾸기", exact: true });
const chosen = (page, count) => expect(bar(page).getByText(`${count}개 선택됨`)).toBeVisible();

async function open(page) {
  await page.goto("/all?q=묶음");
  await waitUntilLoaded(page);
}

async function choose(page, category, reason) {
  await bar(page).getByRole("button", { name: "카테고리 바꾸기" }).click();
  await confirm(page, category, reason);
}

async function confirm(page, category, reason) {
  await dialogOf(page).getByRole("radio", { name: new RegExp(category) }).check({ force: true });
  if (reason) await dialogOf(page).getByLabel("바꾸는 이유 (선택)").fill(reason);
  await dialogOf(page).getByRole("button", { name: "바꾸기", exact: true }).click();
}

test("a Shift range is changed and undone in one step", { tag: "@quick" }, async ({ page, monitor }) => {
  await open(page);
  await box(page, 1).click();
  await box(page, 4).click({ modifiers: ["Shift"] });
  await chosen(page, 4);
  await box(page, 3).click();
  await chosen(page, 3);
  await choose(page, "법무", "한꺼번에 정리");
  await expect(page.getByText("협업 3건의 카테고리를 ‘법무/컴플라이언스’로 바꿨습니다")).toBeVisible();
  assert.deepEqual((await states(monitor)).map((state) => state === "legal_compliance"), [false, true, true, false, true, false, false, false]);
  const row = page.getByRole("article").filter({ hasText: "묶음 2호" });
  assert.match(await row.innerText(), /법무\/컴플라이언스[\s\S]*사람이 바꿈/, "the card shows it where it stands");
  await expect(bar(page)).toBeHidden();
  const history = async () => (await monitor.get("/api/v2/sessions/ws_batch-4/category/history")).changes[0];
  const change = await history();
  assert.equal(change.reason, "한꺼번에 정리");
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await expect(page.getByText("협업 3건의 카테고리를 되돌렸습니다")).toBeVisible();
  assert.ok((await states(monitor)).every((state) => state === "automatic"));
  assert.equal((await history()).undoOf, change.requestId, "the record knows what was undone");
});

test("X selects a card, Shift+X a range, Escape clears", { tag: "@quick" }, async ({ page }) => {
  await open(page);
  await link(page, 0).focus();
  await page.keyboard.press("x");
  await expect(box(page, 0)).toBeChecked();
  await link(page, 2).focus();
  await page.keyboard.press("Shift+x");
  await chosen(page, 3);
  await page.keyboard.press("x");
  await chosen(page, 2);
  await page.keyboard.press("Escape");
  await expect(bar(page)).toBeHidden();
  // With the focus on a box, and while a dialog is open: its Escape closes only the dialog.
  await box(page, 5).focus();
  await page.keyboard.press("Space");
  await bar(page).getByRole("button", { name: "카테고리 바꾸기" }).click();
  await expect(dialogOf(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await chosen(page, 1);
  await bar(page).getByRole("button", { name: "선택 해제" }).click();
  assert.ok(!(await box(page, 5).isChecked()));
});

test("a conflict is named, stays selected, blocks no other", async ({ page, monitor }) => {
  await open(page);
  await box(page, 0).click();
  await box(page, 2).click({ modifiers: ["Shift"] });
  await bar(page).getByRole("button", { name: "카테고리 바꾸기" }).click();
  await expect(dialogOf(page)).toBeVisible();
  await override(monitor, { "ws_batch-1": { collabCategory: "infra_ops", updatedAt: new Date(FIXTURE_NOW).toISOString(), updatedBy: "온새" } });
  await expect.poll(async () => (await states(monitor))[1]).toBe("infra_ops");
  await confirm(page, "문서");
  await expect(page.getByText("협업 2건의 카테고리를 ‘문서/지식화’로 바꿨습니다. 1개는 바꾸지 못했습니다: ‘묶음 1호’ (그사이 온새가 ‘인프라/운영’으로 바꿈)")).toBeVisible();
  assert.deepEqual((await states(monitor)).slice(0, 3), ["docs_knowledge", "infra_ops", "docs_knowledge"]);
  await chosen(page, 1);
  await expect(box(page, 1)).toBeChecked();
  // A second attempt, with the current value on the page, succeeds; all three go back to automatic at once.
  await choose(page, "문서");
  await expect.poll(async () => (await states(monitor))[1]).toBe("docs_knowledge");
  await expect(bar(page)).toBeHidden();
  await box(page, 0).click();
  await box(page, 2).click({ modifiers: ["Shift"] });
  await bar(page).getByRole("button", { name: "자동으로 되돌리기" }).click();
  await expect(page.getByText("협업 3건을 자동 분류로 되돌렸습니다")).toBeVisible();
  assert.deepEqual((await states(monitor)).slice(0, 3), ["automatic", "automatic", "automatic"]);
});

test("a selection made during a request stays", async ({ page, monitor }) => {
  await open(page);
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route("**/api/v2/categories", async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await box(page, 0).click();
  await choose(page, "문서");
  await expect.poll(async () => (await states(monitor))[0], "the monitor holds it").toBe("docs_knowledge");
  await box(page, 2).click();
  await chosen(page, 2);
  release();
  await chosen(page, 1);
  assert.deepEqual([await box(page, 0).isChecked(), await box(page, 2).isChecked()], [false, true]);
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await expect.poll(async () => (await states(monitor))[0]).toBe("automatic");
});

test("a failed write is said and keeps the selection", async ({ page, monitor }) => {
  allowProblems(page, [/507/]);
  await open(page);
  await page.route("**/api/v2/categories", (route) =>
    route.fulfill({ status: 507, contentType: "application/json", body: '{"error":"disk full","code":"not_committed","requestId":"e2e"}' }),
  );
  await box(page, 6).click();
  await choose(page, "법무");
  await expect(page.getByText(/^카테고리를 바꾸지 못했습니다/)).toBeVisible();
  await chosen(page, 1);
  assert.equal((await states(monitor))[6], "automatic");
});

test.describe("on a phone", () => {
  test.use({ look: { width: 390, height: 844 } });

  test("selection starts in a card's menu and fits", async ({ page, monitor }) => {
    await open(page);
    await expect(page.getByRole("checkbox")).toHaveCount(0);
    const row = page.getByRole("article").filter({ hasText: "묶음 3호" });
    await row.getByLabel("협업 메뉴").first().click();
    await row.getByRole("button", { name: "선택", exact: true }).click();
    await box(page, 2).click();
    await chosen(page, 2);
    for (const button of await bar(page).getByRole("button").all()) {
      const at = await button.boundingBox();
      assert.ok(at.x >= 0 && at.x + at.width <= 390 && at.height >= 24, JSON.stringify(at));
    }
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await choose(page, "고객");
    await expect.poll(async () => (await states(monitor)).filter((state) => state === "customer_community").length).toBe(2);
  });
});

test("over API v1 sessions change one by one", async ({ openPage, startMonitor }) => {
  const old = await startMonitor({ args: ["--api", "1"] });
  const sessions = async () => (await old.get("/api/work-sessions")).sessions;
  await expect.poll(async () => (await sessions()).length, "the log is read").toBeGreaterThan(3);
  const byHand = async () => (await sessions()).filter((session) => session.categorySource === "manual_override" && session.collabCategory === "customer_community").length;
  const before = await byHand();
  const page = await openPage(`${old.url}/all`);
  allowProblems(page, [/404|410/]);
  await waitUntilLoaded(page);
  const boxes = page.getByRole("region", { name: "협업 목록" }).getByRole("checkbox");
  await boxes.nth(0).click();
  await boxes.nth(1).click();
  await expect(bar(page).getByRole("button", { name: "자동으로 되돌리기" })).toHaveCount(0);
  await choose(page, "고객");
  await expect(page.getByText("협업 2건의 카테고리를 ‘고객/커뮤니티’로 바꿨습니다")).toBeVisible();
  assert.equal(await byHand(), before + 2);
});
