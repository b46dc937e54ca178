// Browser tests of classification rules: preview before saving, validation per line, drafts and conflicts. The preview
// in the browser must equal the monitor's result.
//
// Proves (categories): The preview of a classification rule equals what happens when it is saved. A file that cannot be
// read, or that somebody else changed, is not overwritten.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { FIXTURE_NOW } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { address, titledSession, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "rules" } });

/** Labelled records: the project's own, and the development set if it lies beside the project. */
const RECORDS = ["../../data/classifier/heldout.jsonl", "../../../shared/data/category-dev.jsonl"].map((file) => path.join(import.meta.dirname, file));
const file = (monitor) => path.join(monitor.home, "task-hub-classifier.json");
const taught = async (monitor) => (await monitor.get("/api/v2/classifier/config")).config.words ?? [];
const category = async (monitor, session) => (await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`)).session.category.key;
const words = (page) => page.getByRole("list", { name: "단어", exact: true }).getByRole("listitem");
const moves = (page) => page.getByRole("list", { name: /옮겨집니다/ }).getByRole("listitem");
const expectReplayed = (page) => expect(page.getByText("이 브라우저에서 다시 분류했습니다")).toBeVisible();
const button = (page, name) => page.getByRole("button", { name, exact: true });

async function openRules(page) {
  await page.goto("/rules");
  await expectReplayed(page);
}

/** Adds a word; the new line has the focus, so the word is typed at once. */
async function add(page, word, category, points) {
  await page.getByRole("button", { name: "단어 추가" }).click();
  const row = words(page).last();
  await expect(row.getByRole("textbox")).toBeFocused();
  await page.keyboard.type(word);
  await row.getByRole("combobox", { name: "카테고리" }).selectOption({ label: category });
  if (points !== undefined) {
    await row.getByRole("spinbutton", { name: "점수" }).fill(String(points));
    await page.keyboard.press("Tab");
  }
}

test("a rule is previewed, saved and undone", { tag: "@quick" }, async ({ page, openPage, monitor }) => {
  const session = await titledSession(monitor, "봄 신상 캠페인");
  const before = await category(monitor, session);
  await page.goto(address(session));
  await waitUntilLoaded(page);
  await page.getByRole("complementary", { name: "이 스레드의 정보" }).getByRole("link", { name: "분류 기준 가르치기" }).click();
  await expect(page.getByRole("heading", { name: "분류 기준", level: 1 })).toBeVisible();
  await expectReplayed(page);
  const row = words(page).first();
  await expect(row.getByRole("combobox", { name: "카테고리" }), "ready for a word of that category").toHaveValue(before);
  await row.getByRole("textbox", { name: "단어나 구절" }).fill("캠페인");
  await row.getByRole("combobox", { name: "카테고리" }).selectOption({ label: "법무/컴플라이언스" });
  await row.getByRole("spinbutton", { name: "점수" }).fill("15");
  await page.keyboard.press("Tab");
  const previewed = Number((await page.getByText(/협업 \d+건이 옮겨집니다/).innerText()).match(/\d+/)[0]);
  assert.match(await moves(page).filter({ hasText: session.title }).innerText(), /법무\/컴플라이언스[\s\S]*근거 캠페인/);
  assert.equal(await category(monitor, session), before, "nothing is saved yet");
  const total = async () => (await monitor.get("/api/v2/sessions?limit=200&category=legal_compliance")).total;
  const totalBefore = await total();

  await button(page, "저장").click();
  await expect(page.getByText("분류 기준을 저장했습니다")).toBeVisible();
  assert.equal(await category(monitor, session), "legal_compliance");
  const byHand = await moves(page).filter({ hasText: "사람이 정해 그대로" }).count();
  assert.equal((await total()) - totalBefore, previewed - byHand, "as many moved as the preview said");
  const saved = JSON.parse(await readFile(file(monitor), "utf8"));
  assert.deepEqual(saved.words, [{ word: "캠페인", category: "legal_compliance", weight: 15 }]);
  await expect(page.getByText("바꾼 것이 없습니다")).toBeVisible();

  // The session's page names the rule.
  const other = await openPage(monitor.url + address(session));
  await expect(other.getByText(/캠페인 15 가르친 말/)).toBeVisible();

  await button(page, "되돌리기").click();
  await expect.poll(() => category(monitor, session)).toBe(before);
  await expect(page.getByText("이전 분류 기준으로 되돌렸습니다")).toBeVisible();
  await expect(words(page)).toHaveCount(0);
});

test("faults show at their line; a draft survives navigation", async ({ page }) => {
  await openRules(page);
  const save = button(page, "저장");
  await expect(save, "there is nothing to save").toBeDisabled();
  await add(page, "...", "QA/검증");
  await expect(words(page).first().getByText("한글이나 영문으로 네 단어까지")).toBeVisible();
  await expect(save).toBeDisabled();
  await words(page).first().getByRole("textbox").fill("회귀 테스트");
  await expect(save).toBeEnabled();
  await add(page, "회귀 테스트", "QA/검증");
  await expect(words(page).last().getByText("같은 카테고리에 이미 있습니다")).toBeVisible();
  await page.getByRole("button", { name: "회귀 테스트 지우기" }).last().click();
  await page.getByRole("button", { name: "에이전트 추가" }).click();
  const hint = page.getByRole("list", { name: "에이전트", exact: true }).getByRole("listitem");
  await hint.getByRole("combobox", { name: "에이전트" }).selectOption("seum");
  await expect(hint.getByText("카테고리를 고르세요")).toBeVisible();
  await hint.getByRole("combobox", { name: "카테고리" }).selectOption({ label: "인프라/운영" });
  await expect(save).toBeEnabled();

  await page.getByRole("navigation").getByRole("link", { name: "홈" }).first().click();
  await expect(page.getByRole("heading", { name: /지금 결정할/ })).toBeVisible();
  await page.goBack();
  await expect(page.locator("[aria-busy=true]")).toHaveCount(0);
  await expect(words(page)).toHaveCount(1);
  await expect(hint).toHaveCount(1);
  await expect(words(page).first().getByRole("textbox")).toHaveValue("회귀 테스트");
  await page.getByRole("button", { name: "변경 취소" }).click();
  await expect(words(page)).toHaveCount(0);
});

test("a conflicting save is refused and keeps the draft", async ({ page, monitor }) => {
  allowProblems(page, [/409/]);
  await openRules(page);
  await add(page, "결제", "비즈니스/전략", 2);
  await writeFile(file(monitor), JSON.stringify({ words: [{ word: "환불", category: "customer_community", weight: 1 }] }));
  await expect(page.getByText("그사이 다른 곳에서 분류 기준을 바꿨습니다")).toBeVisible();
  await button(page, "저장").click();
  await expect.poll(async () => (await taught(monitor))[0]?.word).toBe("환불");
  assert.equal(await words(page).first().getByRole("textbox").inputValue(), "결제", "the draft is kept");
  await page.getByRole("button", { name: "그래도 저장" }).click();
  await expect.poll(async () => (await taught(monitor))[0]?.word).toBe("결제");
});

test("an old draft does not overwrite newer rules", async ({ page, monitor }) => {
  allowProblems(page, [/409/]);
  await openRules(page);
  await add(page, "계약서", "법무/컴플라이언스", 1.25);
  await page.getByRole("button", { name: "단어 추가" }).click();
  await page.keyboard.type("아직");
  await page.reload();
  await expectReplayed(page);
  const texts = async () => Promise.all((await words(page).getByRole("textbox").all()).map((field) => field.inputValue()));
  assert.ok((await texts()).includes("계약서") && (await texts()).includes("아직"), `unfinished lines too: ${await texts()}`);
  await page.getByRole("button", { name: "아직 지우기" }).click();
  // Another program saves rules while another page is open.
  await page.goto("/all");
  await waitUntilLoaded(page);
  await writeFile(file(monitor), JSON.stringify({ words: [{ word: "남의것", category: "qa_validation", weight: 0.3 }] }));
  await expect.poll(async () => (await taught(monitor))[0]?.word).toBe("남의것");
  await page.goBack();
  await expect(page.getByText("그사이 다른 곳에서 분류 기준을 바꿨습니다")).toBeVisible();
  const [refused] = await Promise.all([
    page.waitForResponse((response) => response.url().endsWith("/classifier/config") && response.request().method() === "PUT"),
    button(page, "저장").click(),
  ]);
  assert.equal(refused.status(), 409);
  assert.equal((await taught(monitor))[0].word, "남의것");
  await page.getByRole("button", { name: "그래도 저장" }).click();
  await expect.poll(() => taught(monitor)).toContainEqual(expect.objectContaining({ word: "계약서", weight: 1.25 }));
  await button(page, "되돌리기").click();
  await expect.poll(async () => (await taught(monitor))[0]?.word, "the overwritten rules are back").toBe("남의것");
});

test("unreadable rules are reported and not overwritten", async ({ page, monitor }) => {
  await writeFile(file(monitor), "{broken");
  const trouble = page.getByText("분류 기준 파일을 읽지 못했습니다");
  await page.goto("/rules");
  await expect(trouble).toBeVisible();
  await expectReplayed(page);
  await add(page, "정산", "비즈니스/전략");
  await expect(button(page, "저장")).toBeDisabled();
  await writeFile(file(monitor), "{}");
  await expect(trouble).toHaveCount(0);
});

test("browser and monitor classify every labelled record alike", async ({ openPage, startMonitor }) => {
  const texts = await Promise.all(RECORDS.map((file) => readFile(file, "utf8").catch(() => "")));
  const records = texts.join("\n").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  assert.ok(records.length >= 250, `${records.length} records`);
  // Every record is a session of its own.
  const events = records.flatMap((record, number) => {
    const at = FIXTURE_NOW - (records.length - number) * 60_000;
    return record.messages.map(({ type, from, to, text }, turn) => {
      const label = turn === 0 && record.label ? { label: record.label } : {};
      const data = { fromAgent: from, toAgent: to, workSessionId: `ws_dev_${number}`, conversationId: `c${number}`, eventRole: "conversation.main", message: text, ...label };
      return { type, agentId: from, ts: at + turn, data };
    });
  });
  const monitor = await startMonitor({ story: "ping-pong" });
  await monitor.append(...events);
  const replay = () => monitor.get("/api/v2/classifier/replay?limit=1000");
  await expect.poll(async () => (await replay()).total).toBeGreaterThan(records.length);
  const { sessions, total } = await replay();
  assert.equal(new Set(sessions.map((session) => session.automatic)).size, 10, "all ten categories occur");
  const page = await openPage(`${monitor.url}/rules`);
  await expect(page.getByText(`협업 ${total}건을 이 브라우저에서 다시 분류했습니다`)).toBeVisible();
  await expect(page.getByText("모니터와 다르게 분류됩니다"), "native and wasm agree on each").toHaveCount(0);
  // A difference is reported.
  await page.route("**/classifier/replay*", async (route) => {
    const json = await (await route.fetch()).json();
    for (const session of json.sessions.slice(0, 3)) session.automatic = session.automatic === "qa_validation" ? "infra_ops" : "qa_validation";
    await route.fulfill({ json });
  });
  await page.reload();
  await expect(page.getByText(/협업 \d+건은 모니터와 다르게 분류됩니다/)).toBeVisible();
  await page.unrouteAll({ behavior: "wait" });
});
