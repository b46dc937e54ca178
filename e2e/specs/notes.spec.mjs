// Browser tests of notes, resolved marks and views for everybody: two people on one home, edits at the same time, undo,
// search, a failed write, and the file in the home.
//
// Proves (shared): What one person notes, marks as resolved or makes a view for everybody is live for the others, is found
// by search, and is never replaced by somebody who saw an older text.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { allowProblems, expect, test } from "../support/test.mjs";
import { address, titledSession, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "notes" } });

const FILE = "task-hub-shared.ndjson";
const about = (page) => page.getByRole("complementary", { name: "이 스레드의 정보" });
const notes = (page) => about(page).locator("section.notes");
const field = (page) => notes(page).getByRole("textbox", { name: "메모 쓰기" });
const press = (page, name) => notes(page).getByRole("button", { name, exact: true }).click();

async function openSession(page, monitor, words = "결제 게이트웨이 v2.14.0") {
  const session = await titledSession(monitor, words);
  await page.goto(address(session));
  await waitUntilLoaded(page);
  return session;
}

/** A second person on the same home. */
async function otherPage(page) {
  const other = await page.context().newPage();
  await other.goto(page.url());
  await waitUntilLoaded(other);
  return other;
}

async function note(page, text) {
  await field(page).fill(text);
  await press(page, "메모 남기기");
  await expect(notes(page).getByRole("listitem").filter({ hasText: text })).toBeVisible();
}

/** Chooses an entry of a note's menu. */
async function act(page, text, name) {
  const item = notes(page).getByRole("listitem").filter({ hasText: text });
  await item.locator("summary").click();
  await item.getByRole("button", { name, exact: true }).click();
}

test("a note is live for others, edited, removed and restored", { tag: "@quick" }, async ({ page, monitor }) => {
  await openSession(page, monitor);
  const other = await otherPage(page);
  await field(page).fill("재시도 전에 대사표를 확인해 주세요.");
  await notes(page).getByLabel("이름 (선택)").fill("온새");
  await press(page, "메모 남기기");
  await expect(field(page)).toHaveValue("");
  for (const one of [page, other]) {
    await expect(notes(one).getByRole("listitem")).toContainText(/온새[\s\S]*재시도 전에 대사표를 확인해 주세요/, { useInnerText: true });
  }
  await act(other, "대사표", "수정");
  await notes(other).getByRole("textbox", { name: "메모 수정" }).fill("대사표는 확인했습니다.");
  await other.keyboard.press("Control+Enter");
  await expect(notes(page).getByRole("listitem")).toContainText("대사표는 확인했습니다.");
  await act(page, "대사표", "지우기");
  await expect(notes(other).getByRole("listitem")).toHaveCount(0);
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await expect(notes(other).getByRole("listitem")).toContainText("대사표는 확인했습니다.");
  const lines = (await readFile(path.join(monitor.home, FILE), "utf8")).trim().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map((line) => line.revision), [1, 2, 3, 4], "each change is a line");
  await page.reload();
  await expect(notes(page).getByRole("listitem")).toContainText("대사표는 확인했습니다.");
});

test("an edit of an older text is refused, shows the newer one and stays in its field", { tag: "@quick" }, async ({ page, monitor }) => {
  await openSession(page, monitor, "봄 신상 캠페인");
  await note(page, "첫 내용");
  const other = await otherPage(page);
  const edited = (one) => notes(one).getByRole("textbox", { name: "메모 수정" });
  await act(page, "첫 내용", "수정");
  await edited(page).fill("늦게 고친 내용");
  await act(other, "첫 내용", "수정");
  await edited(other).fill("먼저 고친 내용");
  await other.keyboard.press("Control+Enter");
  await expect(notes(other).getByRole("listitem")).toContainText("먼저 고친 내용");
  await expect(notes(page).getByText("그사이 다른 사람이 이렇게 바꿨습니다.")).toBeVisible();
  await expect(notes(page).getByText("먼저 고친 내용")).toBeVisible();
  allowProblems(page, [/409/]);
  await edited(page).press("Control+Enter");
  await expect(page.getByText("그사이 다른 사람이 바꿨습니다. 새 내용을")).toBeVisible();
  await expect(edited(page)).toHaveValue("늦게 고친 내용");
  await expect(notes(other).getByRole("listitem")).toContainText("먼저 고친 내용");
  await press(page, "내 글로 바꾸기");
  await expect(notes(other).getByRole("listitem")).toContainText("늦게 고친 내용");
});

test("what is typed outlives a removal, another place and the dialog", async ({ page, monitor }) => {
  await openSession(page, monitor);
  await note(page, "사라질 메모");
  await act(page, "사라질 메모", "수정");
  await notes(page).getByRole("textbox", { name: "메모 수정" }).fill("고치던 글");
  const other = await otherPage(page);
  await act(other, "사라질 메모", "지우기");
  await expect(notes(other).getByText("사라질 메모")).toHaveCount(0);
  await expect(notes(page).getByRole("textbox", { name: "메모 수정" })).toHaveValue("고치던 글");
  await notes(page).getByRole("button", { name: "취소" }).click();
  await field(page).fill("협업에 쓰던 글");
  await press(page, "이 스레드");
  await expect(field(page)).toHaveValue("");
  await press(page, "협업 전체");
  await expect(field(page)).toHaveValue("협업에 쓰던 글");
  const bubble = page.locator("article.bubble").last();
  const open = async () => {
    await bubble.hover();
    await bubble.getByRole("button", { name: "메모", exact: true }).click();
  };
  const written = page.getByRole("dialog", { name: "이 메시지의 메모" }).getByRole("textbox", { name: "메모 쓰기" });
  await open();
  await written.fill("쓰다 만 글");
  await page.keyboard.press("Escape");
  await expect(written).toHaveCount(0);
  await open();
  await expect(written).toHaveValue("쓰다 만 글");
});

test("a repeated attempt after a lost answer writes one note", async ({ page, monitor }) => {
  await openSession(page, monitor, "누리님 번역");
  allowProblems(page, [/503/, /Failed to load/]);
  let lost = true;
  await page.route("**/api/v2/shared/*", async (route) => {
    const answer = await route.fetch();
    const uncertain = { status: 503, json: { error: "?", code: "durability_uncertain", requestId: "e2e" } };
    await (lost ? route.fulfill(uncertain) : route.fulfill({ response: answer }));
  });
  await field(page).fill("한 번만 남길 글");
  await press(page, "메모 남기기");
  await expect(page.getByText("디스크에 남았는지 확인하지 못했습니다").first()).toBeVisible();
  await expect(field(page)).toHaveValue("한 번만 남길 글");
  lost = false;
  await press(page, "메모 남기기");
  await expect(field(page)).toHaveValue("");
  await expect(notes(page).getByText("한 번만 남길 글")).toHaveCount(1);
});

test("a failed write says so and keeps the text", { tag: "@quick" }, async ({ page, monitor }) => {
  await openSession(page, monitor);
  allowProblems(page, [/507/]);
  const full = { status: 507, json: { error: "disk full", code: "not_committed", requestId: "e2e" } };
  await page.route("**/api/v2/shared/*", (route) => route.fulfill(full));
  await field(page).fill("잃으면 안 되는 글");
  await press(page, "메모 남기기");
  await expect(page.locator(".toast, [role=status], [role=alert]").filter({ hasText: "저장하지 못했습니다" }).first()).toBeVisible();
  await expect(field(page)).toHaveValue("잃으면 안 되는 글");
});

test("a resolved session shows its mark in the list, and is reopened", { tag: "@quick" }, async ({ page, monitor }) => {
  const session = await openSession(page, monitor, "누리님 번역");
  await field(page).fill("운영에 반영함");
  await press(page, "해결됨으로 표시");
  await expect(notes(page).getByRole("listitem").filter({ hasText: "운영에 반영함" })).toContainText("해결됨");
  await expect(notes(page).getByRole("button", { name: "해결됨으로 표시" })).toHaveCount(0);
  await expect(page.getByRole("main").locator("header").first()).toContainText("해결됨");
  const list = await page.context().newPage();
  await list.goto("/all");
  const card = list.locator(`[data-session="${session.workSessionId}"]`);
  await expect(card).toContainText("해결됨");
  const resolved = await page.context().newPage();
  await resolved.goto("/all?resolved=true");
  await expect(resolved.locator("[data-session]")).toHaveCount(1);
  await act(page, "운영에 반영함", "해결 취소");
  await expect(card).not.toContainText("해결됨");
  // A list stays still under its reader.
  await resolved.reload();
  await expect(resolved.locator(".empty")).toBeVisible();
  await expect(resolved.locator("[data-session]")).toHaveCount(0);
  await expect(notes(page).getByRole("button", { name: "해결됨으로 표시" })).toBeVisible();
});

test("a message has notes of its own, which the search finds", { tag: "@quick" }, async ({ page, monitor }) => {
  await openSession(page, monitor);
  const bubble = page.locator("article.bubble").last();
  await bubble.hover();
  await bubble.getByRole("button", { name: "메모", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "이 메시지의 메모" });
  await dialog.getByRole("textbox", { name: "메모 쓰기" }).fill("너울목 항목은 다시 봅니다");
  await dialog.getByRole("button", { name: "메모 남기기" }).click();
  await expect(dialog.getByRole("listitem")).toContainText("너울목");
  await page.keyboard.press("Escape");
  await expect(bubble).toContainText("너울목 항목은 다시 봅니다");
  const event = await bubble.getAttribute("data-event");
  await page.goto(`/search?q=${encodeURIComponent("너울목")}`);
  await waitUntilLoaded(page);
  const hit = page.locator('.hit[data-kind="notes"]');
  await expect(hit).toContainText("너울목 항목은");
  await hit.getByRole("link").first().click();
  await expect(page.locator(`article.bubble[data-event="${event}"]`)).toContainText("너울목");
});

test("a view for everybody reaches the others and home", { tag: "@quick" }, async ({ page, monitor }) => {
  const button = (one) => one.locator("details.views > summary");
  const panel = (one) => one.getByRole("group", { name: "저장한 보기" });
  const shared = (one) => panel(one).getByRole("group", { name: "공유 보기" });
  await page.goto("/all?status=active");
  await waitUntilLoaded(page);
  const other = await page.context().browser().newContext({ baseURL: new URL(page.url()).origin, locale: "ko-KR" });
  const second = await other.newPage();
  await second.goto(page.url());
  await waitUntilLoaded(second);
  await button(page).click();
  await panel(page).getByRole("textbox", { name: "지금 보기 저장" }).fill("아침 점검");
  await page.keyboard.press("Enter");
  await panel(page).getByLabel("‘아침 점검’ 보기 메뉴").first().click();
  await panel(page).getByRole("button", { name: "모두와 공유" }).filter({ visible: true }).click();
  await expect(shared(page).getByRole("link", { name: "아침 점검" })).toBeVisible();
  await button(second).click();
  await expect(shared(second).getByRole("link", { name: "아침 점검" })).toBeVisible();
  await shared(second).getByLabel("‘아침 점검’ 보기 메뉴").first().click();
  await shared(second).getByRole("button", { name: "홈에 놓기" }).click();
  await page.goto("/");
  await waitUntilLoaded(page);
  await expect(page.getByRole("region", { name: "저장한 보기" })).toContainText("아침 점검");
  await shared(second).getByLabel("‘아침 점검’ 보기 메뉴").first().click();
  await shared(second).getByRole("button", { name: "지우기" }).click();
  await expect(page.getByRole("region", { name: "저장한 보기" })).toHaveCount(0);
  await other.close();
});
