// The classifier is taught: what would move is seen before it is saved, saving moves it, and it can be taken back.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { address, idle, titledSession } from "../support/verbs.mjs";

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

/** Labelled records: those the project holds, and the development set where it lies beside it. */
const RECORDS = ["../../data/classifier/heldout.jsonl", "../../../shared/data/category-dev.jsonl"].map((file) => path.join(import.meta.dirname, file));
const CONFIG = "/api/v2/classifier/config";
const file = () => path.join(monitor.home, "task-hub-classifier.json");
const category = async (session) => (await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`)).session.category.key;
const words = (page) => page.getByRole("list", { name: "단어", exact: true }).getByRole("listitem");
const moves = (page) => page.getByRole("list", { name: /옮겨집니다/ }).getByRole("listitem");
const read = (page) => page.getByText("이 브라우저에서 다시 분류했습니다").waitFor();

async function add(page, word, chosen, points) {
  await page.getByRole("button", { name: "단어 추가" }).click();
  const row = words(page).last();
  // The new line has the focus: one types at once.
  await eventually("the new field has the focus", () => row.getByRole("textbox").evaluate((it) => it === document.activeElement));
  await page.keyboard.type(word);
  await row.getByRole("combobox", { name: "카테고리" }).selectOption({ label: chosen });
  if (points !== undefined) {
    await row.getByRole("spinbutton", { name: "점수" }).fill(String(points));
    await page.keyboard.press("Tab");
  }
}

test("from a badge to the rules: what would move is seen first, saving moves it, and 되돌리기 takes it back", async () => {
  const session = await titledSession(monitor, "봄 신상 캠페인");
  const was = await category(session);
  const page = await openPage(browser, monitor.url + address(session));
  await idle(page);
  await page.getByRole("complementary", { name: "이 스레드의 정보" }).getByRole("link", { name: "분류 기준 가르치기" }).click();
  await page.getByRole("heading", { name: "분류 기준", level: 1 }).waitFor();
  await read(page);
  const row = words(page).first();
  assert.equal(await row.getByRole("combobox", { name: "카테고리" }).inputValue(), was, "ready for a word of that category");
  await row.getByRole("textbox", { name: "단어나 구절" }).fill("캠페인");
  await row.getByRole("combobox", { name: "카테고리" }).selectOption({ label: "법무/컴플라이언스" });
  await row.getByRole("spinbutton", { name: "점수" }).fill("15");
  await page.keyboard.press("Tab");
  const told = await eventually("it is said how many move", async () => {
    const text = await page.getByText(/세션 \d+개가 옮겨집니다/).innerText();
    return Number(text.match(/\d+/)[0]);
  });
  const line = moves(page).filter({ hasText: session.title });
  assert.match(await line.innerText(), /법무\/컴플라이언스[\s\S]*근거 캠페인/);
  assert.equal(await category(session), was, "nothing is saved yet");
  const before = await monitor.get("/api/v2/sessions?limit=200&category=legal_compliance");

  await page.getByRole("button", { name: "저장", exact: true }).click();
  await page.getByText("분류 기준을 저장했습니다").waitFor();
  assert.equal(await category(session), "legal_compliance");
  const now = await monitor.get("/api/v2/sessions?limit=200&category=legal_compliance");
  const byHand = await moves(page).filter({ hasText: "사람이 정해 그대로" }).count();
  assert.equal(now.total - before.total, told - byHand, "as many moved as were told");
  const written = JSON.parse(await readFile(file(), "utf8"));
  assert.deepEqual(written.words, [{ word: "캠페인", category: "legal_compliance", weight: 15 }]);
  await page.getByText("바꾼 것이 없습니다").waitFor();

  // The badge says why it is there.
  const other = await openPage(browser, monitor.url + address(session));
  await other.getByText(/캠페인 15 가르친 말/).waitFor();
  await other.context().close();

  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await eventually("it is back", async () => (await category(session)) === was);
  await page.getByText("이전 분류 기준으로 되돌렸습니다").waitFor();
  assert.equal(await words(page).count(), 0);
  assertNoProblems(page);
  await page.context().close();
});

test("what cannot be taught is told at its line, and what is not saved stays in the tab", async () => {
  const page = await openPage(browser, `${monitor.url}/rules`);
  await read(page);
  const save = page.getByRole("button", { name: "저장", exact: true });
  assert.ok(await save.isDisabled(), "there is nothing to save");
  await add(page, "...", "QA/검증");
  await words(page).first().getByText("한글이나 영문으로 네 단어까지").waitFor();
  assert.ok(await save.isDisabled());
  await words(page).first().getByRole("textbox").fill("회귀 테스트");
  await eventually("it can be saved", async () => save.isEnabled());
  await add(page, "회귀 테스트", "QA/검증");
  await words(page).last().getByText("같은 카테고리에 이미 있습니다").waitFor();
  await page.getByRole("button", { name: "회귀 테스트 지우기" }).last().click();
  await page.getByRole("button", { name: "에이전트 추가" }).click();
  const hint = page.getByRole("list", { name: "에이전트", exact: true }).getByRole("listitem");
  await hint.getByRole("combobox", { name: "에이전트" }).selectOption("seum");
  await hint.getByText("카테고리를 고르세요").waitFor();
  await hint.getByRole("combobox", { name: "카테고리" }).selectOption({ label: "인프라/운영" });
  await eventually("it can be saved", async () => save.isEnabled());

  // A look elsewhere in between.
  await page.getByRole("navigation").getByRole("link", { name: "홈" }).first().click();
  await page.getByRole("heading", { name: /지금 확인할/ }).waitFor();
  await page.goBack();
  await eventually("and it is settled", async () => (await page.locator("[aria-busy=true]").count()) === 0);
  await eventually("the draft is there again", async () => (await words(page).count()) === 1 && (await hint.count()) === 1);
  assert.equal(await words(page).first().getByRole("textbox").inputValue(), "회귀 테스트");
  await page.getByRole("button", { name: "바꾼 것 버리기" }).click();
  await eventually("and gone", async () => (await words(page).count()) === 0);
  assertNoProblems(page);
  await page.context().close();
});

test("what was taught elsewhere meanwhile is told, never written over unseen", async () => {
  const page = await openPage(browser, `${monitor.url}/rules`);
  await read(page);
  await add(page, "결제", "비즈니스/전략", 2);
  const theirs = [{ word: "환불", category: "customer_community", weight: 1 }];
  await writeFile(file(), JSON.stringify({ words: theirs }));
  await page.getByText("그사이 다른 곳에서 분류 기준을 바꿨습니다").waitFor();
  await page.getByRole("button", { name: "저장", exact: true }).click();
  await eventually("theirs stands", async () => (await monitor.get(CONFIG)).config.words[0].word === "환불");
  assert.equal(await words(page).first().getByRole("textbox").inputValue(), "결제", "and the draft is not lost");
  await page.getByRole("button", { name: "그래도 저장" }).click();
  await eventually("on the reader's word", async () => (await monitor.get(CONFIG)).config.words[0].word === "결제");
  assertNoProblems(page, [/409/]);
  await page.context().close();
});

test("a draft that was left open does not overwrite what was saved meanwhile, and points need not be round", async () => {
  const page = await openPage(browser, `${monitor.url}/rules`);
  await read(page);
  await add(page, "계약서", "법무/컴플라이언스", 1.25);
  await page.getByRole("button", { name: "단어 추가" }).click();
  await page.keyboard.type("아직");
  await page.reload();
  await read(page);
  const fields = words(page).getByRole("textbox");
  const texts = async () => Promise.all((await fields.all()).map((field) => field.inputValue()));
  assert.ok((await texts()).includes("계약서") && (await texts()).includes("아직"), `unfinished lines too: ${await texts()}`);
  await page.getByRole("button", { name: "아직 지우기" }).click();
  // Somebody saves while the reader looks elsewhere.
  await page.goto(`${monitor.url}/all`);
  await idle(page);
  await writeFile(file(), JSON.stringify({ words: [{ word: "남의것", category: "qa_validation", weight: 0.3 }] }));
  await eventually("it is in force", async () => (await monitor.get(CONFIG)).config.words?.[0]?.word === "남의것");
  await page.goBack();
  await page.getByText("그사이 다른 곳에서 분류 기준을 바꿨습니다").waitFor();
  await page.getByRole("button", { name: "저장", exact: true }).click();
  await eventually("it is refused", async () => page.problems.some((it) => it.includes("409")));
  assert.equal((await monitor.get(CONFIG)).config.words[0].word, "남의것");
  await page.getByRole("button", { name: "그래도 저장" }).click();
  await eventually("on the reader's word", async () => (await monitor.get(CONFIG)).config.words.some((it) => it.word === "계약서" && it.weight === 1.25));
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await eventually("what was overwritten is back", async () => (await monitor.get(CONFIG)).config.words[0].word === "남의것");
  assertNoProblems(page, [/409/]);
  await page.context().close();
});

test("a file of rules that cannot be read is said, and nothing is saved over it", async () => {
  await writeFile(file(), "{broken");
  const page = await openPage(browser, `${monitor.url}/rules`);
  await page.getByText("분류 기준 파일을 읽지 못했습니다").waitFor();
  await read(page);
  await add(page, "정산", "비즈니스/전략");
  assert.ok(await page.getByRole("button", { name: "저장", exact: true }).isDisabled());
  await writeFile(file(), "{}");
  await eventually("it heals by itself", async () => (await page.getByText("분류 기준 파일을 읽지 못했습니다").count()) === 0);
  assertNoProblems(page);
  await page.context().close();
});

test("the browser files every labelled record as the monitor does, and says so where it would not", async () => {
  // Every record as a session of its own.
  const texts = await Promise.all(RECORDS.map((file) => readFile(file, "utf8").catch(() => "")));
  const records = texts.join("\n").split("\n").filter(Boolean).map((line) => JSON.parse(line));
  assert.ok(records.length >= 250, `${records.length} records`);
  const bare = await startMonitor({ story: "ping-pong" });
  try {
    const events = records.flatMap((record, number) => {
      const at = FIXTURE_NOW - (records.length - number) * 60_000;
      return record.messages.map(({ type, from, to, text }, turn) => {
        const label = turn === 0 && record.label ? { label: record.label } : {};
        const data = { fromAgent: from, toAgent: to, workSessionId: `ws_dev_${number}`, conversationId: `c${number}`, eventRole: "conversation.main", message: text, ...label };
        return { type, agentId: from, ts: at + turn, data };
      });
    });
    await bare.append(...events);
    const all = await eventually("all are read", async () => {
      const page = await bare.get("/api/v2/classifier/replay?limit=1000");
      return page.total > records.length && page;
    });
    const kinds = new Set(all.sessions.map((session) => session.automatic));
    assert.equal(kinds.size, 10, "all ten categories are there");
    const page = await openPage(browser, `${bare.url}/rules`);
    await page.getByText(`세션 ${all.total}개를 이 브라우저에서 다시 분류했습니다`).waitFor();
    assert.equal(await page.getByText("모니터와 다르게 분류됩니다").count(), 0, "native and wasm say the same of each");
    await page.route("**/classifier/replay*", async (route) => {
      const answer = await (await route.fetch()).json();
      for (const session of answer.sessions.slice(0, 3)) session.automatic = session.automatic === "qa_validation" ? "infra_ops" : "qa_validation";
      await route.fulfill({ json: answer });
    });
    await page.reload();
    await page.getByText(/세션 \d+개는 모니터와 다르게 분류됩니다/).waitFor();
    assertNoProblems(page);
    await page.unrouteAll({ behavior: "wait" });
    await page.context().close();
  } finally {
    await bare.stop();
  }
});
