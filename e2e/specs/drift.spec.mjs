// The drift of the automatic filing: charts and tables agree with the monitor, groups lead to their sessions, people's
// changes show at once, and home tells when sessions without grounds come more often than they used to.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { address, idle, mainText, mark, titledSession, unmoved } from "../support/verbs.mjs";

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

const CATEGORIES = ["개발/구현", "인프라/운영", "QA/검증", "기획/의사결정", "조사/분석", "문서/지식화", "성장/마케팅", "고객/커뮤니티", "법무/컴플라이언스", "비즈니스/전략"];
const told = (since = "") => monitor.get(`/api/v2/drift?offset=540${since}`);
const part = (page, name) => page.getByRole("region", { name, exact: true });
/** The body rows of a table, as texts of their cells. */
const cells = async (page, name) => {
  const rows = await page.getByRole("region", { name, exact: true }).getByRole("table").getByRole("row").all();
  return Promise.all(rows.slice(1).map((row) => row.getByRole("cell").allInnerTexts()));
};
/** A share as the page writes it: never rounded to nothing. */
const percent = (part, whole) => {
  const tenths = Math.ceil((part * 1000) / Math.max(whole, 1));
  return tenths === 0 ? "0%" : tenths < 100 ? `${Math.floor(tenths / 10)}.${tenths % 10}%` : `${Math.floor(tenths / 10)}%`;
};
/** A session of one message. */
const talk = (session, text, label, ago = 60_000) =>
  message({ from: "eden", to: "seum", text, session, conversation: session, at: FIXTURE_NOW - ago, ...(label ? { label } : {}) });

test("from the session list: charts and tables tell what the monitor tells", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await page.getByRole("main").getByRole("link", { name: "분류 추이" }).click();
  await page.waitForURL(/\/drift$/);
  await idle(page);
  const answer = await told();
  const { sessions, fallback, doubtful } = answer.all;
  assert.ok(sessions > 200 && fallback > 0 && doubtful > fallback && answer.periods.length > 10);
  await page.getByRole("status").getByText(`자동으로 분류한 세션 ${sessions}개`).waitFor();
  assert.equal(answer.band.standing, "inside");
  await page.getByText(/최근 7일에 분류 근거가 없던 세션은 .*평소 범위\(0%–5\.0%\) 안입니다/).waitFor();

  for (const [name, part] of [["근거 없는 세션", fallback], ["확신이 낮은 세션", doubtful]]) {
    const chart = page.getByRole("img", { name: new RegExp(`^${name}, ${percent(part, sessions)}, ${sessions} 가운데 ${part}`) });
    await chart.waitFor();
    assert.equal(await chart.locator("rect").count(), answer.periods.length);
  }
  for (const [index, name] of CATEGORIES.entries()) {
    const chart = page.getByRole("img", { name: new RegExp(`^${name}, ${percent(answer.all.categories[index], sessions)}`) });
    await chart.waitFor();
  }
  const confidence = page.getByRole("img", { name: /^확신 분포/ });
  assert.equal(await confidence.locator("rect").count(), 10);

  await page.getByRole("button", { name: "표로 보기" }).click();
  await page.waitForURL(/table=1/);
  const byPeriod = await cells(page, "카테고리별 비중, 표로 보기");
  const told_of = (part, whole) => (whole === 0 ? "–" : `${part} (${percent(part, whole)})`);
  const wanted = answer.periods.toReversed().map((one) => [
    String(one.sessions),
    told_of(one.fallback, one.sessions),
    told_of(one.doubtful, one.sessions),
    ...CATEGORIES.map((_, index) => told_of(one.categories[index] ?? 0, one.sessions)),
  ]);
  assert.deepEqual(byPeriod, wanted);
  const steps = await cells(page, "확신 분포, 표로 보기");
  assert.deepEqual(steps, answer.confidence.map((n) => [String(n), percent(n, sessions)]));

  await page.getByRole("combobox", { name: "전체 기간" }).selectOption("30d");
  await page.waitForURL(/since=30d&table=1/);
  const month = await told(`&since=${FIXTURE_NOW - 30 * 86_400_000}`);
  assert.ok(month.all.sessions < sessions);
  await eventually("the month's table", async () => (await cells(page, "카테고리별 비중, 표로 보기")).length === month.periods.length);
  await page.reload();
  await idle(page);
  assert.equal((await cells(page, "카테고리별 비중, 표로 보기")).length, month.periods.length);
  assertNoProblems(page);
  await page.context().close();
});

test("a period without sessions is a gap, not a zero", async () => {
  const quiet = await startMonitor({ story: "ping-pong" });
  try {
    const days = 86_400_000;
    await quiet.append(talk("ws_gap_before", "배포 파이프라인 서버 장애 점검", undefined, 9 * days));
    const answer = await eventually("both ends are read", async () => {
      const answer = await quiet.get("/api/v2/drift?offset=540");
      return answer.periods.length > 8 && answer.periods[0].at < FIXTURE_NOW - 8 * days && answer;
    });
    const empty = answer.periods.filter((one) => one.sessions === 0).length;
    assert.ok(empty > 3);
    const page = await openPage(browser, `${quiet.url}/drift?table=1`);
    await idle(page);
    const chart = page.getByRole("img", { name: /^근거 없는 세션/ });
    const heights = await chart.locator("rect").evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("height"))));
    assert.equal(heights.filter((height) => height === 0).length, empty, "no bar at all");
    const rows = await cells(page, "카테고리별 비중, 표로 보기");
    assert.equal(rows.filter((row) => row[0] === "0" && row.slice(1).every((cell) => cell === "–")).length, empty);
    await page.getByText(/평소와 견주기에는 세션이 아직 적습니다/).waitFor();
    assertNoProblems(page);
    await page.context().close();
  } finally {
    await quiet.stop();
  }
});

test("sessions of one title that were filed differently are named and lead to themselves", async () => {
  const page = await openPage(browser, `${monitor.url}/drift`);
  await idle(page);
  await mark(page);
  await part(page, "같은 일, 같은 분류").getByText("제목이 같은 세션이 아직 없습니다.").waitFor();
  await monitor.append(
    talk("ws_same_1", "법무 계약 검토, 개인정보 compliance", "이삭 정리"),
    talk("ws_same_2", "법무 계약 검토, 개인정보 compliance", "이삭 정리", 50_000),
    talk("ws_same_3", "코드 구현 버그 수정 리팩터링 코드 구현 API 개발", "이삭, 정리!", 40_000),
  );
  await part(page, "같은 일, 같은 분류").getByText(`제목이 같은 1묶음, 세션 3개 가운데 2개(${percent(2, 3)})`).waitFor();
  const group = page.getByRole("list", { name: "분류가 엇갈린 묶음" }).getByRole("listitem").filter({ has: page.getByRole("heading", { name: "이삭, 정리!" }) });
  await group.getByText("세션 3개 중 1개가 다름").waitFor();
  assert.equal(await group.getByRole("link").count(), 3);
  await group.getByRole("link", { name: /개발\/구현/ }).click();
  await page.waitForURL(/\/s\/ws_same_3/);
  await idle(page);
  assert.ok(await unmoved(page), "without a reload");
  await page.goBack();
  await page.waitForURL(/\/drift$/);
  assertNoProblems(page);
  await page.context().close();
});

test("what a person changes stands there at once, by what the rules had said", async () => {
  const page = await openPage(browser, `${monitor.url}/drift`);
  await idle(page);
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const key = session.category.key;
  const row = (await told()).overrides.findIndex((one) => one.key === key);
  const name = CATEGORIES[row];
  const line = () => part(page, "사람이 바꾼 분류").getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
  const before = (await told()).overrides[row];
  await eventually("as it was", async () => (await line().innerText()).includes(`${before.sessions}개 중 ${before.moved}개`));

  const other = await openPage(browser, monitor.url + address(session));
  await idle(other);
  await other.getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = other.getByRole("dialog", { name: "카테고리 바꾸기", exact: true });
  await dialog.getByRole("radio", { name: /문서/ }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
  await eventually("one more was moved, and where to", async () =>
    new RegExp(`${before.sessions}개 중 ${before.moved + 1}개[\\s\\S]*문서/지식화`).test(await line().innerText()),
  );
  assert.equal((await told()).overrides[row].moved, before.moved + 1);
  assertNoProblems(page);
  await other.context().close();
  await page.context().close();
});

test("home tells when sessions without grounds come more often, leads here, and can put it away", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const strip = page.getByRole("region", { name: /나를 기다리는 일/ });
  const line = strip.getByRole("link", { name: /분류 근거가 없는 세션이 평소보다 많습니다/ });
  assert.equal(await line.count(), 0);
  await monitor.append(...[1, 2, 3, 4].map((n) => talk(`ws_dull_${n}`, "음", undefined, n * 1_000)));
  // Lines of this kind are the least urgent but one: they may be folded away.
  await eventually("the monitor tells of it", async () => (await monitor.get("/api/v2/home")).attention.some((one) => one.kind === "fallbackDrift" && one.inferred));
  const more = strip.getByRole("button", { name: /더 보기/ });
  await eventually("its line is there", async () => {
    if ((await line.count()) === 0 && (await more.count()) > 0) await more.click();
    return (await line.count()) === 1;
  });
  const { band } = await told();
  assert.equal(band.standing, "above");
  const words = await line.innerText();
  const { recent } = band;
  assert.ok(words.includes(`${recent.sessions}개 중 ${recent.fallback}개(${percent(recent.fallback, recent.sessions)})`), words);
  assert.match(words, /추정/);

  const own = strip.getByRole("listitem").filter({ has: page.getByRole("link", { name: /분류 근거가 없는 세션이 평소보다 많습니다/ }) });
  await own.getByLabel("이 줄 숨기기").first().click();
  await own.getByRole("button", { name: "다시 생길 때까지 숨기기" }).click();
  await strip.getByRole("button", { name: "숨긴 것 1" }).waitFor();
  assert.equal(await line.count(), 0);
  await page.getByRole("button", { name: "되돌리기" }).click();
  await line.click();
  await page.waitForURL(/\/drift$/);
  await idle(page);
  await page.getByRole("status").getByText(/평소 범위\(0%–5\.0%\)보다 많습니다/).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("a home that is not there is no filing that never was, and an old monitor's hub answers too", async () => {
  const nowhere = await startMonitor({ story: null });
  const old = await startMonitor({ args: ["--api", "1"] });
  const modern = await startMonitor();
  try {
    const page = await openPage(browser, `${nowhere.url}/drift`);
    await page.getByRole("main").getByText("OpenClaw 홈을 찾지 못했습니다").first().waitFor();
    assert.doesNotMatch(await mainText(page), /아직 분류한 세션이 없습니다/);
    await page.context().close();

    const compat = await openPage(browser, `${old.url}/drift?table=1`);
    await idle(compat);
    const answer = await modern.get("/api/v2/drift?offset=540");
    await compat.getByRole("status").getByText(`자동으로 분류한 세션 ${answer.all.sessions}개`).waitFor();
    const byPeriod = await cells(compat, "카테고리별 비중, 표로 보기");
    assert.deepEqual(byPeriod.map(([n]) => Number(n)), answer.periods.toReversed().map((one) => one.sessions));
    const steps = await cells(compat, "확신 분포, 표로 보기");
    assert.equal(steps.reduce((sum, [n]) => sum + Number(n), 0), answer.all.sessions, "each session in one step");
    await compat.context().close();
  } finally {
    for (const one of [nowhere, old, modern]) await one.stop();
  }
});
