// Browser tests of the drift page (shares of categories and of unclassified sessions over time): charts, tables, equal
// titles in different categories, live updates, and the warning on the home page.
//
// Proves (categories): The drift page shows the same numbers as charts and tables. Home reports when the share of
// unclassified sessions leaves its usual range, and only then.
import assert from "node:assert/strict";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { address, mainText, markDocument, titledSession, waitUntilLoaded, wasNotReloaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "drift" } });

const DAY = 86_400_000;
const CATEGORIES = ["개발/구현", "인프라/운영", "QA/검증", "기획/의사결정", "조사/분석", "문서/지식화", "성장/마케팅", "고객/커뮤니티", "법무/컴플라이언스", "비즈니스/전략"];
const BY_PERIOD = "카테고리별 비중, 표로 보기";
const CONFIDENCE = "확신 분포, 표로 보기";
const drift = (monitor, since = "") => monitor.get(`/api/v2/drift?offset=540${since}`);
const part = (page, name) => page.getByRole("region", { name, exact: true });
/** The body rows of a table, as texts of their cells. */
const cells = async (page, name) => {
  const rows = await part(page, name).getByRole("table").getByRole("row").all();
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

test("charts and tables show what the monitor answers", { tag: "@quick" }, async ({ startMonitor, openPage }) => {
  const monitor = await startMonitor();
  // The story has a title or a word for every session: one without grounds.
  await monitor.append(talk("ws_groundless", "음"));
  await expect.poll(async () => (await drift(monitor)).all.fallback).toBe(1);
  const page = await openPage(`${monitor.url}/all`);
  await waitUntilLoaded(page);
  await page.getByRole("main").getByRole("link", { name: "분류 추이" }).click();
  await page.waitForURL(/\/drift$/);
  await waitUntilLoaded(page);
  const answer = await drift(monitor);
  const { sessions, fallback, doubtful } = answer.all;
  assert.ok(sessions > 200 && fallback > 0 && doubtful > fallback && answer.periods.length > 10);
  await expect(page.getByRole("status").getByText(`자동으로 분류한 협업 ${sessions}건`)).toBeVisible();
  assert.equal(answer.band.standing, "inside");
  await expect(page.getByText(/최근 7일에 분류 근거가 없던 협업은 .*평소 범위\(0%–5\.0%\) 안입니다/)).toBeVisible();

  for (const [name, part] of [["근거 없는 협업", fallback], ["확신이 낮은 협업", doubtful]]) {
    const chart = page.getByRole("img", { name: new RegExp(`^${name}, ${percent(part, sessions)}, ${sessions}개 중 ${part}개`) });
    await expect(chart).toBeVisible();
    await expect(chart.locator("rect")).toHaveCount(answer.periods.length);
  }
  for (const [index, name] of CATEGORIES.entries()) {
    await expect(page.getByRole("img", { name: new RegExp(`^${name}, ${percent(answer.all.categories[index], sessions)}`) })).toBeVisible();
  }
  await expect(page.getByRole("img", { name: /^확신 분포/ }).locator("rect")).toHaveCount(10);

  await page.getByRole("button", { name: "표로 보기" }).click();
  await page.waitForURL(/table=1/);
  const share = (part, whole) => (whole === 0 ? "–" : `${part} (${percent(part, whole)})`);
  const rows = answer.periods.toReversed().map((one) => [
    String(one.sessions),
    ...[one.fallback, one.doubtful, ...CATEGORIES.map((_, index) => one.categories[index] ?? 0)].map((n) => share(n, one.sessions)),
  ]);
  assert.deepEqual(await cells(page, BY_PERIOD), rows);
  assert.deepEqual(await cells(page, CONFIDENCE), answer.confidence.map((n) => [String(n), percent(n, sessions)]));

  await page.getByRole("combobox", { name: "전체 기간" }).selectOption("30d");
  await page.waitForURL(/since=30d&table=1/);
  const month = await drift(monitor, `&since=${FIXTURE_NOW - 30 * DAY}`);
  assert.ok(month.all.sessions < sessions);
  const monthRows = part(page, BY_PERIOD).getByRole("row").filter({ has: page.getByRole("cell") });
  await expect(monthRows).toHaveCount(month.periods.length);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(monthRows).toHaveCount(month.periods.length);
});

test("a period without sessions is a gap, not a zero", async ({ openPage, startMonitor }) => {
  const quiet = await startMonitor({ story: "ping-pong" });
  await quiet.append(talk("ws_gap_before", "배포 파이프라인 서버 장애 점검", undefined, 9 * DAY));
  let periods;
  await expect(async () => {
    ({ periods } = await drift(quiet));
    assert.ok(periods.length > 8 && periods[0].at < FIXTURE_NOW - 8 * DAY);
  }, "both sessions are read").toPass();
  const empty = periods.filter((one) => one.sessions === 0).length;
  assert.ok(empty > 3);
  const page = await openPage(`${quiet.url}/drift?table=1`);
  await waitUntilLoaded(page);
  const chart = page.getByRole("img", { name: /^근거 없는 협업/ });
  const heights = await chart.locator("rect").evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("height"))));
  assert.equal(heights.filter((height) => height === 0).length, empty, "no bar at all");
  const rows = await cells(page, BY_PERIOD);
  assert.equal(rows.filter((row) => row[0] === "0" && row.slice(1).every((cell) => cell === "–")).length, empty);
  await expect(page.getByText(/평소와 견주기에는 협업이 아직 적습니다/)).toBeVisible();
});

test("sessions of one title in different categories are listed and linked", async ({ monitor, page }) => {
  await page.goto("/drift");
  await waitUntilLoaded(page);
  await markDocument(page);
  const same = part(page, "같은 일, 같은 분류");
  await expect(same.getByText("제목이 같은 협업이 아직 없습니다.")).toBeVisible();
  await monitor.append(
    talk("ws_same_1", "법무 계약 검토, 개인정보 compliance", "이삭 정리"),
    talk("ws_same_2", "법무 계약 검토, 개인정보 compliance", "이삭 정리", 50_000),
    talk("ws_same_3", "코드 구현 버그 수정 리팩터링 코드 구현 API 개발", "이삭, 정리!", 40_000),
  );
  await expect(same.getByText(`제목이 같은 1묶음, 협업 3건 중 2건(${percent(2, 3)})`)).toBeVisible();
  const group = page.getByRole("list", { name: "분류가 엇갈린 묶음" }).getByRole("listitem").filter({ has: page.getByRole("heading", { name: "이삭, 정리!" }) });
  await expect(group.getByText("협업 3건 중 1건이 다름")).toBeVisible();
  await expect(group.getByRole("link")).toHaveCount(3);
  await group.getByRole("link", { name: /개발\/구현/ }).click();
  await page.waitForURL(/\/s\/ws_same_3/);
  await waitUntilLoaded(page);
  assert.ok(await wasNotReloaded(page), "without a reload");
  await page.goBack();
  await page.waitForURL(/\/drift$/);
});

test("an override shows at once, by the category it replaced", async ({ monitor, openPage, page }) => {
  await page.goto("/drift");
  await waitUntilLoaded(page);
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const { overrides } = await drift(monitor);
  const row = overrides.findIndex((one) => one.key === session.category.key);
  const before = overrides[row];
  const line = part(page, "사람이 바꾼 분류").getByRole("row").filter({ has: page.getByRole("rowheader", { name: CATEGORIES[row] }) });
  await expect(line).toContainText(`${before.sessions}개 중 ${before.moved}개`);

  const other = await openPage(monitor.url + address(session));
  await waitUntilLoaded(other);
  await other.getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = other.getByRole("dialog", { name: "카테고리 바꾸기", exact: true });
  await dialog.getByRole("radio", { name: /문서/ }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
  await expect(line).toContainText(new RegExp(`${before.sessions}개 중 ${before.moved + 1}개[\\s\\S]*문서/지식화`));
  assert.equal((await drift(monitor)).overrides[row].moved, before.moved + 1);
});

test("home warns of more sessions without grounds, and can hide it", async ({ monitor, page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  const strip = page.locator(".work");
  const line = strip.getByRole("link", { name: /분류 근거가 없는 협업이 평소보다 많습니다/ });
  await expect(line).toHaveCount(0);
  await monitor.append(...Array.from({ length: 12 }, (_, n) => n + 1).map((n) => talk(`ws_dull_${n}`, "음", undefined, n * 1_000)));
  await expect.poll(async () => (await monitor.get("/api/v2/home")).attention, "the monitor warns")
    .toContainEqual(expect.objectContaining({ kind: "fallbackDrift", inferred: true }));
  await expect(line).toBeVisible();
  const { standing, recent } = (await drift(monitor)).band;
  assert.equal(standing, "above");
  const words = await line.innerText();
  assert.ok(words.includes(`${recent.sessions}개 중 ${recent.fallback}개(${percent(recent.fallback, recent.sessions)})`), words);

  const own = strip.locator(".work__checks");
  const checks = await own.getByRole("listitem").count();
  await own.getByLabel("이 줄 숨기기").first().click();
  await own.getByRole("button", { name: "다시 생길 때까지 숨기기" }).click();
  await expect(strip.getByRole("button", { name: `숨긴 것 ${checks}` })).toBeVisible();
  await expect(line).toHaveCount(0);
  await page.getByRole("button", { name: "되돌리기" }).click();
  await line.click();
  await page.waitForURL(/\/drift$/);
  await waitUntilLoaded(page);
  await expect(page.getByRole("status").getByText(/평소 범위\(0%–5\.0%\)보다 많습니다/)).toBeVisible();
});

test("without a home the page names the missing home", async ({ openPage, startMonitor }) => {
  const nowhere = await startMonitor({ story: null });
  const page = await openPage(`${nowhere.url}/drift`);
  await expect(page.getByRole("main").getByText("OpenClaw 홈을 찾지 못했습니다").first()).toBeVisible();
  assert.doesNotMatch(await mainText(page), /아직 분류한 협업이 없습니다/);
});

test("over a 1.x monitor the browser counts the same drift", async ({ openPage, startMonitor }) => {
  const old = await startMonitor({ args: ["--api", "1"] });
  const answer = await drift(await startMonitor());
  const page = await openPage();
  allowProblems(page, [/404/]);
  await page.goto(`${old.url}/drift?table=1`);
  await waitUntilLoaded(page);
  await expect(page.getByRole("status").getByText(`자동으로 분류한 협업 ${answer.all.sessions}건`)).toBeVisible();
  assert.deepEqual((await cells(page, BY_PERIOD)).map(([n]) => Number(n)), answer.periods.toReversed().map((one) => one.sessions));
  assert.equal((await cells(page, CONFIDENCE)).reduce((sum, [n]) => sum + Number(n), 0), answer.all.sessions, "each session in one step");
});
