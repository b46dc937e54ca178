// A person changes a category: at once on the page, durable on disk, rolled back when it could not be written.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { address, idle, titledSession } from "../support/verbs.mjs";

let monitor;
let browser;
let session;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const menu = (page) => page.getByRole("dialog", { name: "카테고리 바꾸기", exact: true });

/** The category in force and who decided, by the monitor. */
async function inForce(of = session) {
  const { key, source } = (await monitor.get(`/api/v2/sessions/${encodeURIComponent(of.workSessionId)}`)).session.category;
  return `${key} ${source === "manual_override" ? "by hand" : "automatic"}`;
}

async function choose(page, category) {
  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = menu(page);
  await dialog.waitFor();
  await dialog.getByRole("radio", { name: new RegExp(category) }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
}

const route = () => `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`;

test("a write that fails is rolled back on the page and said", async () => {
  const page = await openPage(browser, monitor.url + address(session));
  await idle(page);
  const before = (await monitor.get(route())).session.category.key;
  await page.route("**/category", (request) =>
    request.request().method() === "PATCH"
      ? request.fulfill({ status: 503, contentType: "application/json", body: '{"error":"disk full","code":"not_committed","requestId":"e2e"}' })
      : request.continue(),
  );
  await choose(page, "법무");
  await page.getByText(/되돌렸습니다|저장하지 못했습니다/).first().waitFor();
  await eventually("the old category is shown again", async () => {
    const header = await page.getByRole("main").innerText();
    return header.includes("인프라/운영");
  });
  assert.equal((await monitor.get(route())).session.category.key, before, "nothing was written");
  assertNoProblems(page, [/503/]);
  await page.context().close();
});

test("an override shows at once, is on disk, and outlives page and monitor", async () => {
  const page = await openPage(browser, monitor.url + address(session));
  await idle(page);
  await choose(page, "문서");
  await page.getByText("문서/지식화").first().waitFor();
  await eventually("the monitor holds it", async () => {
    return (await monitor.get(route())).session.category.key === "docs_knowledge";
  });
  const file = JSON.parse(await readFile(path.join(monitor.home, "work-session-category-overrides.json"), "utf8"));
  assert.ok(JSON.stringify(file).includes(session.workSessionId), "the file the other tools read names the session");

  await page.reload();
  await page.getByText("문서/지식화").first().waitFor();
  await monitor.halt();
  await monitor.start();
  const again = await monitor.get(route());
  assert.equal(again.session.category.key, "docs_knowledge");
  assert.equal(again.session.category.source, "manual_override");
  assertNoProblems(page, [/WebSocket|ERR_CONNECTION|Failed to fetch|Failed to load/]);
  await page.context().close();
});

test("a change is undone from its message, returned to automatic from the menu, and stays in the history", async () => {
  const other = await titledSession(monitor, "봄 신상 캠페인");
  const automatic = await inForce(other);
  assert.match(automatic, /automatic$/);
  const page = await openPage(browser, monitor.url + address(other));
  await idle(page);
  const about = page.getByRole("complementary", { name: "이 스레드의 정보" });
  await eventually("there is no history yet", async () => /바꾼 기록\s+없음/.test(await about.innerText()));
  const changes = about.getByRole("list", { name: "바꾼 기록" }).getByRole("listitem");

  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  await menu(page).getByLabel("이름 (선택)").fill("온새");
  await page.keyboard.press("Escape");
  await choose(page, "법무");
  await eventually("the change is made", async () => (await inForce(other)) === "legal_compliance by hand");
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await eventually("it is undone", async () => (await inForce(other)) === automatic);

  await choose(page, "QA");
  await eventually("the next change is made", async () => (await inForce(other)) === "qa_validation by hand");
  await choose(page, "문서");
  await eventually("and another", async () => (await inForce(other)) === "docs_knowledge by hand");
  await page.getByText(/‘문서\/지식화’.{1,3} 바꿨습니다/).waitFor();
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await eventually("undone to the one before", async () => (await inForce(other)) === "qa_validation by hand");

  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  await menu(page).getByRole("button", { name: "자동 분류로 되돌리기" }).click();
  await eventually("it is automatic again", async () => (await inForce(other)) === automatic);
  await eventually("the newest change is on top, with who made it", async () =>
    /QA\/검증 → 자동 분류[\s\S]*온새/.test(await changes.first().innerText()),
  );
  await about.getByRole("button", { name: "이전 기록 3건" }).click();
  const ways = (await changes.allInnerTexts()).map((text) => text.split("\n")[0]);
  assert.deepEqual(ways, [
    "QA/검증 → 자동 분류",
    "문서/지식화 → QA/검증",
    "QA/검증 → 문서/지식화",
    "자동 분류 → QA/검증",
    "법무/컴플라이언스 → 자동 분류",
    "자동 분류 → 법무/컴플라이언스",
  ]);
  assertNoProblems(page);
  await page.context().close();
});

test("what an older message offers waits until it is known what comes of a newer change", async () => {
  const other = await titledSession(monitor, "봄 신상 캠페인");
  const page = await openPage(browser, monitor.url + address(other));
  await idle(page);
  const undo = page.getByRole("button", { name: "되돌리기", exact: true });
  await choose(page, "QA");
  await page.getByText(/‘QA\/검증’.{1,3} 바꿨습니다/).waitFor();
  assert.ok(await undo.isEnabled());
  // The next change is made at once, and its answer held back.
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route("**/category", async (request) => {
    const response = await request.fetch();
    await held;
    await request.fulfill({ response });
  });
  await choose(page, "문서");
  await eventually("the monitor holds the newer one", async () => (await inForce(other)) === "docs_knowledge by hand");
  assert.ok(await undo.isDisabled(), "the older one cannot be taken back meanwhile");
  await undo.focus();
  await page.keyboard.press("Enter");
  assert.ok(await undo.evaluate((button) => button === document.activeElement), "it keeps the focus");
  release();
  await page.getByText(/‘문서\/지식화’.{1,3} 바꿨습니다/).waitFor();
  await page.unrouteAll({ behavior: "wait" });
  assert.equal(await inForce(other), "docs_knowledge by hand", "the press did nothing");

  // A change that fails leaves the offer of the former one.
  await page.route("**/category", (request) =>
    request.fulfill({ status: 503, contentType: "application/json", body: '{"error":"disk full","code":"not_committed","requestId":"e2e"}' }),
  );
  await choose(page, "법무");
  await page.getByText(/바꾸지 못해/).first().waitFor();
  await page.unrouteAll({ behavior: "wait" });
  await undo.click();
  await eventually("the last that was made is undone", async () => (await inForce(other)) === "qa_validation by hand");
  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  await menu(page).getByRole("button", { name: "자동 분류로 되돌리기" }).click();
  await eventually("it is automatic again", async () => (await inForce(other)).endsWith("automatic"));
  assertNoProblems(page, [/503/]);
  await page.context().close();
});

test("a change made while another is on its way is made upon that one", async () => {
  const other = await titledSession(monitor, "2월 뉴스레터 재발송");
  const page = await openPage(browser, monitor.url + address(other));
  await idle(page);
  // The monitor does what it is asked at once, and its answers come late.
  await page.route("**/category", async (request) => {
    const response = await request.fetch();
    await pause(1500);
    await request.fulfill({ response });
  });
  await choose(page, "법무");
  await eventually("the first is made", async () => (await inForce(other)) === "legal_compliance by hand");
  await choose(page, "QA");
  await eventually("the second is made upon it", async () => (await inForce(other)) === "qa_validation by hand");
  await page.getByText(/‘QA\/검증’.{1,3} 바꿨습니다/).waitFor();
  await page.getByRole("button", { name: "되돌리기", exact: true }).last().click();
  await eventually("undone to the first", async () => (await inForce(other)) === "legal_compliance by hand");
  await choose(page, "문서");
  await eventually("a change upon the undoing", async () => (await inForce(other)) === "docs_knowledge by hand");
  // The last answers are still held back.
  await page.unrouteAll({ behavior: "wait" });
  assertNoProblems(page);
  await page.context().close();
});

test("who changes what somebody else changed meanwhile is told, and decides", async () => {
  const other = await titledSession(monitor, "온콜 처음");
  const page = await openPage(browser, monitor.url + address(other));
  await idle(page);
  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = menu(page);
  await dialog.waitFor();
  // Another program, as the existing tools do.
  const file = path.join(monitor.home, "work-session-category-overrides.json");
  const held = JSON.parse(await readFile(file, "utf8").catch(() => "{}"));
  held[other.workSessionId] = { collabCategory: "infra_ops", updatedAt: new Date(FIXTURE_NOW).toISOString(), updatedBy: "온새" };
  await writeFile(file, JSON.stringify(held));
  await eventually("the other one's change stands", async () => (await inForce(other)) === "infra_ops by hand");
  await dialog.getByRole("radio", { name: /QA/ }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
  await page.getByText("그사이 온새가 ‘인프라/운영’으로 바꿔서 저장하지 않았습니다").waitFor();
  assert.equal(await inForce(other), "infra_ops by hand", "nothing is overwritten unseen");
  await eventually("the page shows what stands", async () => (await page.getByRole("main").innerText()).includes("인프라/운영"));
  await page.getByRole("button", { name: "그래도 바꾸기" }).click();
  await eventually("on the reader's word", async () => (await inForce(other)) === "qa_validation by hand");
  assertNoProblems(page, [/409/]);
  await page.context().close();
});

test("a return that fails is rolled back on the page and said", async () => {
  const other = await titledSession(monitor, "PG 연동 2차");
  const page = await openPage(browser, monitor.url + address(other));
  await idle(page);
  await choose(page, "비즈니스");
  await eventually("the change is made", async () => (await inForce(other)) === "biz_strategy by hand");
  await page.route("**/category", (request) =>
    request.request().method() === "DELETE"
      ? request.fulfill({ status: 503, contentType: "application/json", body: '{"error":"disk full","code":"not_committed","requestId":"e2e"}' })
      : request.continue(),
  );
  await page.getByRole("button", { name: "되돌리기", exact: true }).click();
  await page.getByText(/바꾸지 못해/).first().waitFor();
  const header = page.getByRole("main").getByRole("banner").or(page.getByRole("main").locator("header")).first();
  await eventually("the page shows what is in force", async () => (await header.innerText()).includes("비즈니스/전략"));
  assert.equal(await inForce(other), "biz_strategy by hand");
  assertNoProblems(page, [/503/]);
  await page.context().close();
});

test("on a phone what is known about a session is a touch away, and its category is changed there", async () => {
  const other = await titledSession(monitor, "누리님 번역");
  for (const where of [address(other, { threadId: (await monitor.get(`/api/v2/sessions/${encodeURIComponent(other.workSessionId)}`)).threads[0].threadId }), address(other)]) {
    const page = await openPage(browser, monitor.url + where, { width: 390, height: 844 });
    await idle(page);
    const entry = page.getByRole("button", { name: "정보", exact: true }).first();
    const sheet = page.getByRole("dialog", { name: "세션 정보" });
    // By keyboard, and the focus is back where it was.
    await entry.focus();
    await page.keyboard.press("Enter");
    await sheet.waitFor();
    assert.match(await sheet.innerText(), /분류 이유[\s\S]*연결된 작업/);
    await page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
    assert.ok(await entry.evaluate((button) => button === document.activeElement), "the focus is back");
    // By touch.
    await entry.click();
    const box = await sheet.getByRole("button", { name: "카테고리 바꾸기" }).boundingBox();
    assert.ok(box.height >= 40 && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
    const wanted = where.includes("/t/") ? ["법무", "legal_compliance by hand"] : ["고객", "customer_community by hand"];
    await choose(page, wanted[0]);
    await eventually("the monitor holds it", async () => (await inForce(other)) === wanted[1]);
    await sheet.waitFor({ state: "hidden" });
    await page.getByText(new RegExp(`카테고리를 ‘${wanted[0]}.*바꿨습니다`)).waitFor();
    const undo = page.getByRole("button", { name: "되돌리기", exact: true });
    assert.ok((await undo.boundingBox()).height >= 28, "the way back is in sight");
    const before = wanted[1];
    await undo.click();
    await eventually("undone by touch", async () => (await inForce(other)) !== before);
    await entry.click();
    await eventually("the sheet shows both", async () => (await sheet.innerText()).includes(`자동 분류 → ${wanted[0]}`));
    await page.keyboard.press("Escape");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than a phone");
    assertNoProblems(page);
    await page.context().close();
  }
});

test("with a monitor of the old API a category is changed, and only what it can is offered", async () => {
  const old = await startMonitor({ story: "ping-pong", args: ["--api", "1"] });
  try {
    // An old monitor does not say when it has read its log.
    const sessions = await eventually("the log is read", async () => {
      const { sessions: read } = await old.get("/api/work-sessions");
      return read.length > 0 && read;
    });
    const page = await openPage(browser, `${old.url}/s/${encodeURIComponent(sessions[0].workSessionId)}`);
    await idle(page);
    await choose(page, "고객");
    const of = async () => (await old.get("/api/work-sessions")).sessions[0].collabCategory;
    await eventually("the first change is made", async () => (await of()) === "customer_community");
    await page.getByText("카테고리를 ‘고객/커뮤니티’로 바꿨습니다").waitFor();
    assert.equal(await page.getByRole("button", { name: "되돌리기", exact: true }).count(), 0, "it cannot take an override away");
    await choose(page, "법무");
    await eventually("the second is made", async () => (await of()) === "legal_compliance");
    await page.getByRole("button", { name: "되돌리기", exact: true }).click();
    await eventually("another override can be put back", async () => (await of()) === "customer_community");
    await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
    await menu(page).getByText("자동 분류로 되돌릴 수 없습니다").waitFor();
    assert.equal(await menu(page).getByRole("button", { name: "자동 분류로 되돌리기" }).count(), 0);
    assertNoProblems(page, [/404|410/]);
    await page.context().close();
  } finally {
    await old.stop();
  }
});

test("where nobody may write the page says so in plain words and shows what stands", async () => {
  const open = await startMonitor({ story: "ping-pong", args: ["--host", "0.0.0.0"] });
  try {
    assert.match(open.output, /read-only/, "it is said at the start");
    assert.equal((await open.get("/api/v2/health")).writes, "nobody");
    const { sessions } = await open.get("/api/v2/sessions");
    const page = await openPage(browser, open.url + address(sessions[0]));
    await idle(page);
    await choose(page, "법무");
    await page.getByText(/읽기 전용 모니터입니다/).first().waitFor();
    const shown = await open.get(`/api/v2/sessions/${encodeURIComponent(sessions[0].workSessionId)}`);
    assert.notEqual(shown.session.category.source, "manual_override", "nothing was written");
    assertNoProblems(page, [/401/]);
    await page.context().close();
  } finally {
    await open.stop();
  }
});
