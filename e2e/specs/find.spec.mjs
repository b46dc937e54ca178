// Browser tests of the page that searches everything: counts, highlights, operators, invalid and empty queries,
// keyboard, Korean input.
//
// Proves (search): The search page handles operators, invalid and empty queries, the keyboard and a Hangul composition.
import assert from "node:assert/strict";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { mainText, offered, seek, waitUntilLoaded, walk } from "../support/steps.mjs";

const field = (page) => page.getByRole("combobox", { name: "협업·메시지·작업·에이전트·이벤트 찾기" });
const hits = (page) => page.getByRole("list", { name: "찾은 것" }).getByRole("listitem");
const hitIds = (page) => hits(page).evaluateAll((rows) => rows.map((row) => row.dataset.hit));
const tab = (page, name) => page.getByRole("navigation", { name: "결과 종류" }).getByRole("link", { name: new RegExp(`^${name}`) });
const offers = (page) => page.getByRole("listbox", { name: "이어 쓸 수 있는 조건" }).getByRole("option");
/** The address of a query. */
const asked = (q, more = {}) => `/search?${new URLSearchParams({ q, ...more })}`;
/** What the monitor answers to it. */
const answer = (monitor, q, more = {}) => monitor.get(`/api/v2${asked(q, { offset: "540", ...more })}`);
const waitForQuery = (page, q, path = "/search") => page.waitForURL((url) => url.pathname === path && url.searchParams.get("q") === q);
/** The end of a tab's text: its count. */
const count = (n) => new RegExp(`\\s${n.toLocaleString("ko-KR")}$`);

async function open(page, address) {
  await page.goto(address);
  await waitUntilLoaded(page);
}

test("all that is found is counted, marked and opened", { tag: "@quick" }, async ({ monitor, page }) => {
  await open(page, "/");
  await seek(page, "배포");
  await offered(page, "“배포” 모두 보기").click();
  await waitForQuery(page, "배포");
  await expect(hits(page).first()).toBeVisible();
  const { counts, total } = await answer(monitor, "배포");
  assert.ok(counts.messages > 0 && counts.sessions > 0);
  assert.equal(total, Object.values(counts).reduce((sum, n) => sum + n, 0));
  for (const [name, n] of [["전체", total], ["협업", counts.sessions], ["메시지", counts.messages], ["작업", counts.tasks], ["에이전트", counts.agents], ["이벤트", counts.events]]) {
    assert.match(await tab(page, name).innerText(), new RegExp(`${name}\\s*${n.toLocaleString("ko-KR")}$`));
  }
  await tab(page, "메시지").click();
  await page.waitForURL((url) => url.searchParams.get("in") === "messages");
  await expect.poll(() => hits(page).evaluateAll((rows) => [...new Set(rows.map((row) => row.dataset.kind))])).toEqual(["messages"]);
  const marked = await hits(page).first().locator("mark").first().innerText();
  assert.ok(marked.length > 0);
  await hits(page).first().getByRole("link").click();
  await page.waitForURL((url) => /\/t\//.test(url.pathname) && url.searchParams.has("at") && url.searchParams.getAll("mark").includes(marked));
  await expect(page.locator(".is-target").getByText(marked).first()).toBeVisible();
  await expect.poll(() => page.evaluate(() => CSS.highlights.get("looked-for")?.size ?? 0), "the words are marked there").toBeGreaterThan(0);
});

test("on a list of sessions the palette can narrow that list", async ({ page }) => {
  await open(page, "/");
  await seek(page, "배포");
  await expect(offered(page, "“배포” 모두 보기")).toBeVisible();
  await expect(offered(page, "이 목록에서 “배포” 찾기")).toHaveCount(0);
  await open(page, "/c/infra_ops");
  await seek(page, "배포");
  await offered(page, "이 목록에서 “배포” 찾기").click();
  await waitForQuery(page, "배포", "/c/infra_ops");
});

test("without a query the page offers examples that work", async ({ page }) => {
  await open(page, "/search");
  await expect(page.getByRole("heading", { name: "무엇이든 찾아보세요" })).toBeVisible();
  for (const example of ["배포", "ㅂㅍ", '"배포 확인"', "보낸이:이든 배포", "is:blocked after:7d", "배포 -롤백"]) {
    await walk(page, "/search");
    await page.getByRole("link", { name: example, exact: true }).click();
    await waitForQuery(page, example);
    await waitUntilLoaded(page);
    await expect(page.locator(".search-wrong"), example).toHaveCount(0);
    await expect(field(page)).toHaveValue(example);
  }
});

const operators = [
  ["from:eden", "보낸이 이든"],
  ["보낸이:이든", "보낸이 이든"],
  ["to:eden", "받는이 이든"],
  ["agent:eden", "에이전트 이든"],
  ["type:a2a.send", "이벤트 종류 a2a.send"],
  ["role:conversation.main", "역할 대화"],
  ["is:blocked", "상태 차단됨"],
  ["is:unanswered", "상태 답 없음"],
  ["is:active", "상태 진행 중"],
  ["category:infra_ops", "카테고리 인프라/운영"],
  ["after:30d", "이후 지난 30일"],
  ["before:2026-02-21", "이전 2026-02-21"],
  ["in:tasks", "결과 종류 작업"],
  ['"배포 확인"', "“배포 확인”"],
];
test("each operator is a chip and counts what the monitor counts", async ({ monitor, page }) => {
  await open(page, "/search");
  for (const [q, chip] of operators) {
    await walk(page, asked(q));
    await expect(page.getByRole("button", { name: `${chip} 조건 빼기` })).toBeVisible();
    const { total } = await answer(monitor, q);
    if (total > 0) await expect(tab(page, "전체"), q).toHaveText(count(total), { useInnerText: true });
  }
  const { sessions } = await monitor.get("/api/v2/sessions?limit=50");
  const tag = sessions.flatMap((one) => one.subTags)[0];
  const { tasks } = await monitor.get("/api/v2/tasks");
  for (const q of [`session:"${sessions[0].workSessionId}"`, `tag:"${tag}"`, `task:"${tasks[0].id}"`]) {
    await open(page, asked(q));
    await expect(hits(page).first(), q).toBeVisible();
  }
});

test("a chip removes its operator, and Back restores it", async ({ page }) => {
  await open(page, asked("배포 from:eden"));
  await page.getByRole("button", { name: "보낸이 이든 조건 빼기" }).click();
  await waitForQuery(page, "배포");
  await expect(field(page)).toHaveValue("배포");
  await page.goBack();
  await waitForQuery(page, "배포 from:eden");
});

test("a facet adds an operator and keeps its count", async ({ page }) => {
  await open(page, asked("배포"));
  const facets = page.getByRole("complementary", { name: "좁히기" });
  const first = facets.getByRole("region").or(facets.locator("section")).filter({ hasText: "카테고리" }).getByRole("link").first();
  const n = Number((await first.locator(".n").innerText()).replaceAll(",", ""));
  await first.click();
  await page.waitForURL((url) => /^배포 category:/.test(url.searchParams.get("q")));
  await waitUntilLoaded(page);
  await expect(tab(page, "전체")).toHaveText(count(n), { useInnerText: true });
});

test("a refused query is marked, and one press corrects it", async ({ page }) => {
  // The browser reports a refused query as a failed request.
  allowProblems(page, [/400/]);
  await open(page, asked("배포 is:blokced"));
  await expect(page.getByText("‘is’에 ‘blokced’를 쓸 수 없습니다.")).toBeVisible();
  assert.match(await page.locator(".search-wrong__query mark").innerText(), /blokced/);
  await expect(hits(page)).toHaveCount(0);
  await page.getByRole("button", { name: "차단", exact: true }).click();
  await waitForQuery(page, "배포 is:차단");
  await expect(page.locator(".search-wrong")).toHaveCount(0);
});

test("without hits the page offers other queries", async ({ page }) => {
  await open(page, asked("없는말없는말 from:eden"));
  await expect(page.getByRole("heading", { name: /없는말없는말.*맞는 것이 없습니다/ })).toBeVisible();
  await page.getByRole("link", { name: /“없는말없는말” 빼고 찾기/ }).click();
  await waitForQuery(page, "from:eden");
  await expect(hits(page).first()).toBeVisible();
  await page.goto(asked("결제", { in: "agents" }));
  await expect(page.getByText(/에이전트에는 없지만 다른 곳에 [\d,]+건 있습니다/)).toBeVisible();
  await page.getByRole("link", { name: "전체에서 보기" }).click();
  await expect(hits(page).first()).toBeVisible();
});

test("a failed search is an error that can be retried", async ({ page }) => {
  allowProblems(page, [/ERR_FAILED/]);
  await open(page, "/");
  await page.route("**/api/v2/search?**", (route) => route.abort());
  await seek(page, "배포");
  await offered(page, "“배포” 모두 보기").click();
  const retry = page.getByRole("alert").getByRole("button", { name: "다시 시도" });
  await expect(retry).toBeVisible();
  assert.doesNotMatch(await mainText(page), /맞는 것이 없습니다/);
  await page.unroute("**/api/v2/search?**");
  await retry.click();
  await expect(hits(page).first()).toBeVisible();
});

test("keys alone: offers while typing, into the hits and back", async ({ page }) => {
  await open(page, "/search");
  await page.keyboard.press("/");
  await expect(field(page)).toBeFocused();
  await page.keyboard.type("배포 fr");
  await expect(offers(page).filter({ hasText: "from:" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  assert.equal(await field(page).getAttribute("aria-activedescendant"), await offers(page).first().getAttribute("id"));
  await page.keyboard.press("Enter");
  await expect(field(page)).toHaveValue("배포 from:");
  await page.keyboard.type("이든");
  await expect(offers(page).filter({ hasText: "eden" })).toBeVisible();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(field(page)).toHaveValue("배포 from:eden ");
  await page.keyboard.press("Enter");
  await waitForQuery(page, "배포 from:eden");
  await expect.poll(() => hits(page).count()).toBeGreaterThan(1);
  await page.keyboard.press("ArrowDown");
  const focused = () => page.evaluate(() => document.activeElement.closest("[data-hit]")?.dataset.hit ?? document.activeElement.id);
  await expect.poll(focused, "the first hit has the focus").toBe(await hits(page).first().getAttribute("data-hit"));
  await page.keyboard.press("j");
  assert.equal(await focused(), await hits(page).nth(1).getAttribute("data-hit"));
  await page.keyboard.press("k");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "search-everything");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname !== "/search");
});

test("Korean under composition is not searched until it is whole", async ({ page }) => {
  await open(page, "/search");
  await field(page).focus();
  const ime = await page.context().newCDPSession(page);
  const sent = [];
  page.on("request", (request) => request.url().includes("/search?") && sent.push(new URL(request.url()).searchParams.get("q")));
  const compose = (text) => ime.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  for (const text of ["ㅂ", "배", "뱊"]) await compose(text);
  await ime.send("Input.insertText", { text: "배포" });
  await waitForQuery(page, "배포");
  await expect.poll(() => sent).toContain("배포");
  assert.deepEqual(sent.filter((q) => q !== "배포"), [], "half a syllable is not searched");
  await expect(field(page)).toHaveValue("배포");
  // Initials offer and find, too.
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("ㅂㄴ");
  await expect(offers(page).filter({ hasText: "보낸이:" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(field(page), "Escape closes the offers only").toHaveValue("ㅂㄴ");
});

test("new hits wait behind a pill and move nothing", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor();
  const page = await openPage();
  const word = "누리마루해돋이";
  await open(page, monitor.url + asked(word));
  await expect(page.getByRole("heading", { name: /맞는 것이 없습니다/ })).toBeVisible();
  const say = (n) => message({ from: "eden", to: "seum", text: `${word} ${n}번째 확인`, session: "ws_live_find", conversation: "live-find", at: FIXTURE_NOW - 60_000 + n * 1_000 });
  const pill = page.getByRole("button", { name: /새 결과/ });
  await monitor.append(say(1));
  await expect(pill).toHaveAccessibleName(/새 결과 [12]/);
  await pill.click();
  await expect(hits(page).first()).toBeVisible();
  await expect(pill).toHaveCount(0);
  const before = await hitIds(page);
  await monitor.append(say(2));
  await expect(pill).toHaveAccessibleName(/새 결과 1/);
  assert.deepEqual(await hitIds(page), before, "nothing moved");
});

test("more hits come page by page, and Back restores them", async ({ monitor, page }) => {
  await open(page, asked("type:a2a.send", { in: "messages" }));
  const { total } = await answer(monitor, "type:a2a.send", { in: "messages" });
  assert.ok(total > 30, `${total} messages`);
  await expect(hits(page)).toHaveCount(30);
  await page.getByRole("button", { name: /건 더 보기$/ }).click();
  await expect(hits(page)).toHaveCount(Math.min(60, total));
  const ids = await hitIds(page);
  assert.equal(new Set(ids).size, ids.length, "each hit once");
  await hits(page).nth(35).getByRole("link").first().click();
  await page.waitForURL((url) => url.pathname !== "/search");
  await page.goBack();
  await expect(hits(page)).toHaveCount(ids.length);
});

test("the palette counts all hits and leads to them", async ({ monitor, page }) => {
  await open(page, "/");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "명령과 찾기" })).toBeVisible();
  await page.keyboard.insertText("배포");
  const all = page.getByRole("option", { name: /“배포” 모두 보기/ });
  const { total } = await answer(monitor, "배포");
  await expect(all).toContainText(total.toLocaleString("ko-KR"));
  await all.click();
  await waitForQuery(page, "배포");
});

test("over a 1.x monitor the browser runs the same search", async ({ monitor, openPage, startMonitor }) => {
  const old = await startMonitor({ args: ["--api", "1"] });
  const page = await openPage();
  allowProblems(page, [/404|410/]);
  // Such a monitor knows no names of agents, only ids.
  await open(page, old.url + asked("보낸이:eden 배포"));
  await expect(hits(page).first()).toBeVisible();
  const { counts } = await answer(monitor, "보낸이:eden 배포");
  assert.match(await tab(page, "메시지").innerText(), count(counts.messages));
  await page.goto(old.url + asked("is:blokced"));
  await expect(page.getByText("‘is’에 ‘blokced’를 쓸 수 없습니다.")).toBeVisible();
});
