// Narrowing the lists of sessions and events: each filter pressed, its chip, the address, reload, Back, a saved view.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

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

const menu = (page, name) => page.getByRole("combobox", { name, exact: true });
const chip = (page, name) => page.getByRole("button", { name: `${name} 필터 지우기`, exact: true });
const query = (page) => [...new URL(page.url()).searchParams.entries()].map(([key, value]) => `${key}=${value}`);
const asks = (page, ...pairs) => page.waitForURL((url) => {
  const all = [...url.searchParams.entries()].map(([key, value]) => `${key}=${value}`);
  return all.length === pairs.length && pairs.every((pair) => all.includes(pair));
});

/** What the status "all" counts: the sessions that fit. */
const sessions = (page) => page.getByRole("group", { name: "상태" }).getByRole("button", { name: /^모두/ });
const listed = (page, n) => eventually(`${n} sessions are counted`, async () => (await sessions(page).innerText()).replace(/\D/g, "") === String(n));
/** How many events fit. */
const counted = (page, n) => eventually(`${n} events are counted`, async () => (await page.locator(".events-filters").getByRole("status").innerText()) === `${n.toLocaleString("ko-KR")}건`);
const total = async (path, pairs) => (await monitor.get(`/api/v2/${path}?${new URLSearchParams([...pairs, ["limit", "1"]])}`)).total;

/** Saves what is on screen under a name, leaves for another address and comes back by the saved view. */
async function savedAndOpened(page, name, elsewhere) {
  const panel = page.getByRole("group", { name: "저장한 보기" });
  await page.locator("details.views > summary").click();
  await panel.getByRole("textbox", { name: "지금 보기 저장" }).fill(name);
  await page.keyboard.press("Enter");
  await page.getByText(`‘${name}’`).first().waitFor();
  const saved = query(page);
  await page.goto(monitor.url + elsewhere);
  await idle(page);
  await page.locator("details.views > summary").click();
  await panel.getByRole("link", { name }).click();
  await asks(page, ...saved);
  await idle(page);
}

test("sessions of several people, by what is owed and between days: chips, reload, Back and a saved view agree", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await menu(page, "에이전트").selectOption("eden");
  await asks(page, "agent=eden");
  await menu(page, "함께한 에이전트").selectOption("seum");
  await asks(page, "agent=eden", "with=seum");
  const both = await total("sessions", [["agent", "eden"], ["with", "seum"]]);
  assert.ok(both > 0 && both < (await total("sessions", [["agent", "eden"]])), "the second one narrows");
  await listed(page, both);
  assert.equal(await menu(page, "함께한 에이전트").locator("option[value=eden], option[value=seum]").count(), 0, "who is chosen is not offered again");
  await menu(page, "답 상태").selectOption("unanswered");
  await asks(page, "agent=eden", "with=seum", "owed=unanswered");
  await listed(page, await total("sessions", [["agent", "eden"], ["with", "seum"], ["delivery", "unanswered"]]));
  await menu(page, "답 상태").selectOption("");
  await menu(page, "기간").selectOption("days");
  await page.getByLabel("부터").fill("2026-02-20");
  await asks(page, "agent=eden", "with=seum", "first=2026-02-20");
  await page.getByLabel("까지").fill("2026-02-20");
  await asks(page, "agent=eden", "with=seum", "first=2026-02-20", "last=2026-02-20");
  // A day of the reader's clock: Seoul's.
  const day = [["since", "2026-02-19T15:00:00Z"], ["until", "2026-02-20T14:59:59.999Z"]];
  const narrowed = await total("sessions", [["agent", "eden"], ["with", "seum"], ...day]);
  await listed(page, narrowed);
  await page.reload();
  await idle(page);
  await listed(page, narrowed);
  await chip(page, "세움").waitFor();
  assert.equal(await page.getByLabel("까지").inputValue(), "2026-02-20");
  await savedAndOpened(page, "둘의 하루", "/all");
  await listed(page, narrowed);
  await chip(page, "세움").click();
  await asks(page, "agent=eden", "first=2026-02-20", "last=2026-02-20");
  await listed(page, await total("sessions", [["agent", "eden"], ...day]));
  await page.goBack();
  await asks(page, "agent=eden", "with=seum", "first=2026-02-20", "last=2026-02-20");
  await listed(page, narrowed);
  await page.getByRole("button", { name: "필터 지우기", exact: true }).click();
  await asks(page);
  await listed(page, await total("sessions", []));
  assertNoProblems(page);
  await page.context().close();
});

test("sessions of a tag, from the menu of tags", async () => {
  const { tags } = await monitor.get("/api/v2/sessions?limit=1");
  const [tag, n] = tags[0];
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  await menu(page, "태그").selectOption(tag);
  await asks(page, `tag=${tag}`);
  await listed(page, n);
  await page.goBack();
  await asks(page);
  assertNoProblems(page);
  await page.context().close();
});

test("events of several agents and types, of a pair, by what became of sends: chips, reload, Back and a saved view agree", async () => {
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
  await menu(page, "모든 에이전트").selectOption("eden");
  await asks(page, "agent=eden");
  await menu(page, "에이전트 더하기").selectOption("seum");
  await asks(page, "agent=eden", "agent=seum");
  const people = [["agent", "eden"], ["agent", "seum"]];
  const either = await total("events", people);
  assert.ok(either > (await total("events", people.slice(0, 1))), "either of them");
  await counted(page, either);
  await menu(page, "모든 종류").selectOption("a2a.send");
  await menu(page, "종류 더하기").selectOption("a2a.response");
  await asks(page, "agent=eden", "agent=seum", "type=a2a.send", "type=a2a.response");
  const talk = [...people, ["type", "a2a.send"], ["type", "a2a.response"]];
  await counted(page, await total("events", talk));
  await page.reload();
  await idle(page);
  for (const name of ["이든", "세움", "보냄", "답변"]) await chip(page, name).waitFor();
  await savedAndOpened(page, "둘의 말", "/events");
  await counted(page, await total("events", talk));
  await chip(page, "이든").click();
  await asks(page, "agent=seum", "type=a2a.send", "type=a2a.response");
  await chip(page, "답변").click();
  await asks(page, "agent=seum", "type=a2a.send");
  await counted(page, await total("events", [["agent", "seum"], ["type", "a2a.send"]]));
  await page.goBack();
  await asks(page, "agent=seum", "type=a2a.send", "type=a2a.response");
  await page.goto(`${monitor.url}/events`);
  await idle(page);
  const { pairCounts } = await monitor.get("/api/v2/events?limit=1");
  const [pair, n] = pairCounts[0];
  await menu(page, "주고받은 쌍").selectOption(pair);
  await asks(page, `pair=${pair}`);
  await counted(page, n);
  await menu(page, "쌍 더하기").selectOption(pairCounts[1][0]);
  await asks(page, `pair=${pair}`, `pair=${pairCounts[1][0]}`);
  await counted(page, n + pairCounts[1][1]);
  await page.goto(`${monitor.url}/events`);
  await idle(page);
  await menu(page, "답 상태").selectOption("noReply");
  await asks(page, "delivery=noReply");
  const silent = await total("events", [["delivery", "noReply"]]);
  assert.ok(silent > 0);
  await counted(page, silent);
  await menu(page, "답 상태 더하기").selectOption("blocked");
  await asks(page, "delivery=noReply", "delivery=blocked");
  await counted(page, silent + (await total("events", [["delivery", "blocked"]])));
  await chip(page, "응답 없음").click();
  await asks(page, "delivery=blocked");
  await chip(page, "차단됨").waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("nothing fits, and a value that nobody knows: both are said, and taken away by a press", async () => {
  const page = await openPage(browser, `${monitor.url}/events?pair=eden,nobody&delivery=lost`);
  await idle(page);
  await page.getByText(/delivery=lost” 조건은 알 수 없어/).waitFor();
  await page.getByRole("heading", { name: "조건에 맞는 이벤트가 없습니다" }).waitFor();
  await page.getByRole("button", { name: "지우기", exact: true }).click();
  await asks(page, "pair=eden,nobody");
  await chip(page, "이든 ↔ nobody").waitFor();
  await page.getByRole("link", { name: "필터 지우기" }).click();
  await asks(page);
  await counted(page, await total("events", []));
  assertNoProblems(page);
  await page.context().close();
});

test("the delegation tree follows people, pairs and days, and names what it does not use", async () => {
  const runs = (pairs) => monitor.get(`/api/v2/delegations?${new URLSearchParams(pairs)}`);
  const { rows } = await runs([]);
  const [first] = rows.filter((row) => row.from);
  const pair = [first.from, first.to].sort().join(",");
  const page = await openPage(browser, `${monitor.url}/events?view=tree&type=a2a.send&q=배포&pair=${pair}`);
  await idle(page);
  const shown = (n) => page.getByText(new RegExp(`^맡긴 일 ${n} · 끝남`)).waitFor();
  const between = await runs([["pair", pair]]);
  assert.ok(between.total > 0 && between.total < rows.length, `${between.total} of ${rows.length}`);
  await shown(between.total);
  const note = page.getByRole("note");
  await note.getByText("위임 트리에는 쓰지 않는 조건입니다.").waitFor();
  await note.getByRole("button", { name: "보냄 필터 지우기" }).click();
  await asks(page, "view=tree", "q=배포", `pair=${pair}`);
  await note.getByRole("button", { name: "“배포” 필터 지우기" }).click();
  await asks(page, "view=tree", `pair=${pair}`);
  await note.waitFor({ state: "detached" });
  await page.getByRole("button", { name: /↔.* 필터 지우기$/ }).click();
  await asks(page, "view=tree");
  await shown(rows.length);
  await page.goto(`${monitor.url}/events?view=tree&last=2020-01-01`);
  await idle(page);
  await page.getByText("이 조건에 맞는 맡긴 일이 없습니다").waitFor();
  assert.equal((await runs([["until", "2020-01-01"]])).total, 0);
  await page.getByLabel("까지").fill("");
  await asks(page, "view=tree");
  await shown(rows.length);
  assertNoProblems(page);
  await page.context().close();
});

test("Korean operators by keyboard: tags, sessions and tasks are offered by name", async () => {
  const { sessions: cards, tags } = await monitor.get("/api/v2/sessions?limit=100");
  const { tasks } = await monitor.get("/api/v2/tasks?limit=100");
  const session = cards.find((card) => card.titleSource !== "default");
  const task = tasks.find((one) => one.title);
  const named = (text) => [...text].slice(0, 6).join("");
  const page = await openPage(browser, `${monitor.url}/search`);
  await idle(page);
  const field = page.getByRole("combobox", { name: "대화·메시지·작업·에이전트·이벤트 찾기" });
  const offers = page.getByRole("listbox", { name: "이어 쓸 수 있는 조건" }).getByRole("option");
  for (const [operator, typed, shown, value] of [
    ["태그", tags[0][0], tags[0][0], tags[0][0]],
    ["세션", named(session.title), session.title, session.workSessionId],
    ["작업", named(task.title), task.title, task.id],
  ]) {
    await page.goto(`${monitor.url}/search`);
    await idle(page);
    await page.keyboard.press("/");
    await page.keyboard.insertText(`${operator}:`);
    await offers.first().waitFor();
    // Longer than typing rests before it is looked for: half a condition is not asked.
    await page.waitForTimeout(400);
    assert.equal(new URL(page.url()).searchParams.get("q"), null);
    await page.keyboard.insertText(`"${typed}`);
    const offer = offers.filter({ hasText: shown });
    await offer.first().waitFor();
    const index = await offer.first().evaluate((one) => [...one.parentElement.children].indexOf(one));
    for (let step = 0; step <= index; step += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const expected = /[^\p{L}\p{N}\-_.:@/+]/u.test(value) ? `${operator}:"${value}"` : `${operator}:${value}`;
    assert.equal((await field.inputValue()).trim(), expected);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("q") === expected);
    await page.getByRole("list", { name: "찾은 것" }).getByRole("listitem").first().waitFor();
  }
  assertNoProblems(page);
  await page.context().close();
});
