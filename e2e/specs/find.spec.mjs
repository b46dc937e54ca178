// Searching everything: what is found and marked, each operator, wrong and empty queries, by keyboard and in Korean.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle, mainText } from "../support/verbs.mjs";

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

// A refused query is an answer, though the browser notes it as a failed request.
const refused = [/400/];
const field = (page) => page.getByRole("combobox", { name: "대화·메시지·작업·에이전트·이벤트 찾기" });
const hits = (page) => page.getByRole("list", { name: "찾은 것" }).getByRole("listitem");
const tab = (page, name) => page.getByRole("navigation", { name: "결과 종류" }).getByRole("link", { name: new RegExp(`^${name}`) });
const offers = (page) => page.getByRole("listbox", { name: "이어 쓸 수 있는 조건" }).getByRole("option");
const asked = (q, more = {}) => `/search?${new URLSearchParams({ q, ...more })}`;
const answer = (q, more = {}) => monitor.get(`/api/v2${asked(q, { offset: "540", ...more })}`);

async function open(q, more) {
  const page = await openPage(browser, monitor.url + asked(q, more));
  await idle(page);
  return page;
}

test("the field of the bar looks everywhere: tabs count exactly, hits are marked, a message opens where it was said", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await page.keyboard.press("/");
  await page.keyboard.type("배포");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === "/search" && url.searchParams.get("q") === "배포");
  await hits(page).first().waitFor();
  const { counts, total } = await answer("배포");
  assert.ok(counts.messages > 0 && counts.sessions > 0);
  assert.equal(total, Object.values(counts).reduce((sum, n) => sum + n, 0));
  for (const [name, n] of [["전체", total], ["대화", counts.sessions], ["메시지", counts.messages], ["작업", counts.tasks], ["에이전트", counts.agents], ["이벤트", counts.events]]) {
    assert.match(await tab(page, name).innerText(), new RegExp(`${name}\\s*${n.toLocaleString("ko-KR")}$`));
  }
  await tab(page, "메시지").click();
  await page.waitForURL((url) => url.searchParams.get("in") === "messages");
  await eventually("only messages are listed", async () => (await hits(page).evaluateAll((rows) => rows.length > 0 && rows.every((row) => row.dataset.kind === "messages"))));
  const marked = await hits(page).first().locator("mark").first().innerText();
  assert.ok(marked.length > 0);
  await hits(page).first().getByRole("link").click();
  await page.waitForURL((url) => /\/t\//.test(url.pathname) && url.searchParams.has("at") && url.searchParams.getAll("mark").includes(marked));
  await page.locator(".is-target").getByText(marked).first().waitFor();
  await eventually("the words are marked there", () => page.evaluate(() => (CSS.highlights.get("looked-for")?.size ?? 0) > 0));
  assertNoProblems(page);
  await page.context().close();
});

test("on a list of sessions the same field narrows the list, if that is chosen", async () => {
  const page = await openPage(browser, `${monitor.url}/c/infra_ops`);
  await idle(page);
  await page.keyboard.press("/");
  await page.keyboard.type("배포");
  await page.getByRole("button", { name: "이 목록에서" }).click();
  await page.waitForURL((url) => url.pathname === "/c/infra_ops" && url.searchParams.get("q") === "배포");
  await page.context().close();
});

test("nothing asked: the page says what can be, and its examples work", async () => {
  const page = await openPage(browser, `${monitor.url}/search`);
  await idle(page);
  await page.getByRole("heading", { name: "무엇이든 찾아보세요" }).waitFor();
  for (const example of ["배포", "ㅂㅍ", '"배포 확인"', "보낸이:이든 배포", "is:blocked after:7d", "배포 -롤백"]) {
    await page.goto(`${monitor.url}/search`);
    await page.getByRole("link", { name: example, exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get("q") === example);
    await idle(page);
    assert.equal(await page.locator(".search-wrong").count(), 0, example);
    assert.equal(await field(page).inputValue(), example);
  }
  assertNoProblems(page);
  await page.context().close();
});

// Each narrows what the one before it found; the page must tell what the monitor says.
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
test("each operator is understood, told as a chip, and counts what the monitor counts", async () => {
  const page = await openPage(browser, `${monitor.url}/search`);
  await idle(page);
  for (const [q, chip] of operators) {
    await page.goto(monitor.url + asked(q));
    await idle(page);
    await page.getByRole("button", { name: `${chip} 조건 빼기` }).waitFor();
    const { total } = await answer(q);
    if (total > 0) assert.match(await tab(page, "전체").innerText(), new RegExp(`\\s${total.toLocaleString("ko-KR")}$`), q);
  }
  const { sessions } = await monitor.get("/api/v2/sessions?limit=50");
  const session = sessions[0].workSessionId;
  const tag = sessions.flatMap((one) => one.subTags)[0];
  const { tasks } = await monitor.get("/api/v2/tasks");
  for (const q of [`session:"${session}"`, `tag:"${tag}"`, `task:"${tasks[0].id}"`]) {
    await page.goto(monitor.url + asked(q));
    await idle(page);
    await hits(page).first().waitFor();
  }
  assertNoProblems(page);
  await page.context().close();
});

test("operators combine, negation leaves out, and a chip takes its part out of the query", async () => {
  const page = await open("배포 from:eden");
  const both = await answer("배포 from:eden");
  const without = await answer("배포 -from:eden");
  const all = await answer("배포", { in: "messages" });
  const of = (one) => one.counts.messages;
  assert.equal(of(both) + of(without), of(all), "a message is eden's or it is not");
  await page.getByRole("button", { name: "보낸이 이든 조건 빼기" }).click();
  await page.waitForURL((url) => url.searchParams.get("q") === "배포");
  await eventually("the field follows", async () => (await field(page).inputValue()) === "배포");
  await page.goBack();
  await page.waitForURL((url) => url.searchParams.get("q") === "배포 from:eden");
  assertNoProblems(page);
  await page.context().close();
});

test("facets narrow by an operator and stay exact", async () => {
  const page = await open("배포");
  const facets = page.getByRole("complementary", { name: "좁히기" });
  const first = facets.getByRole("region").or(facets.locator("section")).filter({ hasText: "카테고리" }).getByRole("link").first();
  const told = Number((await first.locator(".n").innerText()).replaceAll(",", ""));
  await first.click();
  await page.waitForURL((url) => /^배포 category:/.test(url.searchParams.get("q")));
  await idle(page);
  await eventually("the count is the facet's", async () => new RegExp(`\\s${told.toLocaleString("ko-KR")}$`).test(await tab(page, "전체").innerText()));
  await page.context().close();
});

test("a wrong query is told where it is wrong, with what could stand there, and is mended by a press", async () => {
  const page = await open("배포 is:blokced");
  await page.getByText("‘is’에 ‘blokced’를 쓸 수 없습니다.").waitFor();
  assert.match(await page.locator(".search-wrong__query mark").innerText(), /blokced/);
  assert.equal(await hits(page).count(), 0);
  await page.getByRole("button", { name: "차단", exact: true }).click();
  await page.waitForURL((url) => url.searchParams.get("q") === "배포 is:차단");
  await eventually("it is right now", async () => (await page.locator(".search-wrong").count()) === 0);
  for (const [q, sentence] of [['배포 "열린', "따옴표가 닫히지 않았습니다."], ["배포 -", "‘-’ 뒤에 뺄 말을 붙여 써 주세요."], ["form:eden", "‘form:’ 조건은 없습니다."]]) {
    await page.goto(monitor.url + asked(q));
    await page.getByText(sentence).waitFor();
  }
  assertNoProblems(page, refused);
  await page.context().close();
});

test("nothing found: what else could be asked, and never a bare nothing", async () => {
  const page = await open("없는말없는말 from:eden");
  await page.getByRole("heading", { name: /없는말없는말.*맞는 것이 없습니다/ }).waitFor();
  await page.getByRole("link", { name: /“없는말없는말” 빼고 찾기/ }).click();
  await page.waitForURL((url) => url.searchParams.get("q") === "from:eden");
  await hits(page).first().waitFor();
  await page.goto(monitor.url + asked("결제", { in: "agents" }));
  await page.getByText(/에이전트에는 없지만 다른 곳에 [\d,]+건 있습니다/).waitFor();
  await page.getByRole("link", { name: "전체에서 보기" }).click();
  await hits(page).first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("a search that fails says so and can be tried again", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await page.route("**/api/v2/search?**", (route) => route.abort());
  await page.evaluate(() => document.querySelector("#search").focus());
  await page.keyboard.type("배포");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByRole("button", { name: "다시 시도" }).waitFor();
  assert.doesNotMatch(await mainText(page), /맞는 것이 없습니다/);
  await page.unroute("**/api/v2/search?**");
  await page.getByRole("alert").getByRole("button", { name: "다시 시도" }).click();
  await hits(page).first().waitFor();
  await page.context().close();
});

test("the keyboard alone: offers while typing, into the hits and back, Enter opens", async () => {
  const page = await openPage(browser, `${monitor.url}/search`);
  await idle(page);
  await page.keyboard.press("/");
  assert.ok(await field(page).evaluate((box) => box === document.activeElement));
  await page.keyboard.type("배포 fr");
  await offers(page).filter({ hasText: "from:" }).waitFor();
  await page.keyboard.press("ArrowDown");
  assert.equal(await field(page).getAttribute("aria-activedescendant"), await offers(page).first().getAttribute("id"));
  await page.keyboard.press("Enter");
  assert.equal(await field(page).inputValue(), "배포 from:");
  await page.keyboard.type("이든");
  await offers(page).filter({ hasText: "eden" }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  assert.equal(await field(page).inputValue(), "배포 from:eden ");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("q") === "배포 from:eden");
  await eventually("hits are there", async () => (await hits(page).count()) > 1);
  await page.keyboard.press("ArrowDown");
  const focused = () => page.evaluate(() => document.activeElement.closest("[data-hit]")?.dataset.hit ?? document.activeElement.id);
  const first = await hits(page).first().getAttribute("data-hit");
  await eventually("the first hit has the focus", async () => (await focused()) === first);
  await page.keyboard.press("j");
  assert.equal(await focused(), await hits(page).nth(1).getAttribute("data-hit"));
  await page.keyboard.press("k");
  await page.keyboard.press("Escape");
  assert.equal(await focused(), "search-everything");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname !== "/search");
  await page.context().close();
});

test("Korean under composition is left alone, and its Enter asks once", async () => {
  const page = await openPage(browser, `${monitor.url}/search`);
  await idle(page);
  await field(page).focus();
  const ime = await page.context().newCDPSession(page);
  const sent = [];
  page.on("request", (request) => request.url().includes("/search?") && sent.push(new URL(request.url()).searchParams.get("q")));
  const compose = (text) => ime.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  for (const text of ["ㅂ", "배", "뱊"]) await compose(text);
  await ime.send("Input.insertText", { text: "배포" });
  await page.waitForURL((url) => url.searchParams.get("q") === "배포");
  await eventually("it was asked for", async () => sent.includes("배포"));
  assert.deepEqual(sent.filter((q) => q !== "배포"), [], "half a syllable is not looked for");
  assert.equal(await field(page).inputValue(), "배포");
  // Initials offer and find, too.
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("ㅂㄴ");
  await offers(page).filter({ hasText: "보낸이:" }).waitFor();
  await page.keyboard.press("Escape");
  assert.equal(await field(page).inputValue(), "ㅂㄴ", "Escape closes the offers only");
  await page.context().close();
});

test("what arrives waits behind a pill and moves nothing", async () => {
  const word = "누리마루해돋이";
  const page = await open(word);
  await page.getByRole("heading", { name: /맞는 것이 없습니다/ }).waitFor();
  const say = (n) => message({ from: "eden", to: "seum", text: `${word} ${n}번째 확인`, session: "ws_live_find", conversation: "live-find", at: FIXTURE_NOW - 60_000 + n * 1_000 });
  await monitor.append(say(1));
  await page.getByRole("button", { name: /새 결과 [12]/ }).waitFor();
  await page.getByRole("button", { name: /새 결과/ }).click();
  await hits(page).first().waitFor();
  await eventually("the pill is gone", async () => (await page.getByRole("button", { name: /새 결과/ }).count()) === 0);
  const before = await hits(page).evaluateAll((rows) => rows.map((row) => row.dataset.hit));
  await monitor.append(say(2));
  await page.getByRole("button", { name: /새 결과 1/ }).waitFor();
  assert.deepEqual(await hits(page).evaluateAll((rows) => rows.map((row) => row.dataset.hit)), before, "nothing moved");
  assertNoProblems(page);
  await page.context().close();
});

test("more hits come page by page, each once, and Back brings them back", async () => {
  const page = await open("type:a2a.send", { in: "messages" });
  const { total } = await answer("type:a2a.send", { in: "messages" });
  assert.ok(total > 30, `${total} messages`);
  assert.equal(await hits(page).count(), 30);
  await page.getByRole("button", { name: /건 더 보기$/ }).click();
  await eventually("the next page is there", async () => (await hits(page).count()) === Math.min(60, total));
  const names = await hits(page).evaluateAll((rows) => rows.map((row) => row.dataset.hit));
  assert.equal(new Set(names).size, names.length);
  await hits(page).nth(35).getByRole("link").first().click();
  await page.waitForURL((url) => url.pathname !== "/search");
  await page.goBack();
  await eventually("they are back", async () => (await hits(page).count()) === names.length);
  await page.context().close();
});

test("the palette shows the best of it and leads to all", async () => {
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "명령과 찾기" }).waitFor();
  await page.keyboard.insertText("배포");
  const all = page.getByRole("option", { name: /“배포” 모두 보기/ });
  await all.waitFor();
  const { total } = await answer("배포");
  await eventually("it tells how many", async () => (await all.innerText()).includes(total.toLocaleString("ko-KR")));
  await all.click();
  await page.waitForURL((url) => url.pathname === "/search" && url.searchParams.get("q") === "배포");
  await page.context().close();
});

test("with an old monitor the same search runs in the browser", async () => {
  const old = await startMonitor({ args: ["--api", "1"] });
  // Such a monitor tells no names of agents: ids are all there is.
  const page = await openPage(browser, old.url + asked("보낸이:eden 배포"));
  await idle(page);
  await hits(page).first().waitFor();
  const { counts } = await answer("보낸이:eden 배포");
  assert.match(await tab(page, "메시지").innerText(), new RegExp(`\\s${counts.messages}$`));
  await page.goto(old.url + asked("is:blokced"));
  await page.getByText("‘is’에 ‘blokced’를 쓸 수 없습니다.").waitFor();
  assertNoProblems(page, [/404|410/]);
  await page.context().close();
  await old.stop();
});
