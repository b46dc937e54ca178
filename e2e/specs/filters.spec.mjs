// Browser tests of the filters of sessions and events: menu, chip, address, reload, Back and saved views.
//
// Proves (search): Sessions, events and delegations are filtered by agents, types, pairs, days and delivery state, in
// the address and in the API alike. A comma within a value survives.
// See also: `src/routes/tests/round_trip.rs`.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

/** Opens an address of the worker's monitor. */
async function open(page, path) {
  await page.goto(path);
  await waitUntilLoaded(page);
}

const menu = (page, name) => page.getByRole("combobox", { name, exact: true });
const chip = (page, name) => page.getByRole("button", { name: `${name} 필터 지우기`, exact: true });
const query = (page) => [...new URL(page.url()).searchParams.entries()].map(([key, value]) => `${key}=${value}`);
const asks = (page, ...pairs) => page.waitForURL((url) => {
  const all = [...url.searchParams.entries()].map(([key, value]) => `${key}=${value}`);
  return all.length === pairs.length && pairs.every((pair) => all.includes(pair));
});

/** Waits until the status "all" counts so many sessions. */
const listed = (page, n) =>
  expect(page.getByRole("group", { name: "상태" }).getByRole("button", { name: /^모두/ })).toHaveText(new RegExp(`^\\D*${n}\\D*$`), { useInnerText: true });
/** Waits until so many events are counted. */
const counted = (page, n) =>
  expect(page.locator(".events-filters").getByRole("status")).toHaveText(`${n.toLocaleString("ko-KR")}건`, { useInnerText: true });
/** How many sessions or events the API gives for these filters. */
const total = async (monitor, path, pairs) => (await monitor.get(`/api/v2/${path}?${new URLSearchParams([...pairs, ["limit", "1"]])}`)).total;

/** Saves the current view under a name, goes to another address and opens the saved view. */
async function savedAndOpened(page, name, elsewhere) {
  const panel = page.getByRole("group", { name: "저장한 보기" });
  await page.locator("details.views > summary").click();
  await panel.getByRole("textbox", { name: "지금 보기 저장" }).fill(name);
  await page.keyboard.press("Enter");
  await expect(page.getByText(`‘${name}’`).first()).toBeVisible();
  const saved = query(page);
  await open(page, elsewhere);
  await page.locator("details.views > summary").click();
  await panel.getByRole("link", { name }).click();
  await asks(page, ...saved);
  await waitUntilLoaded(page);
}

test("session filters survive reload and Back", { tag: "@quick" }, async ({ page, monitor }) => {
  await open(page, "/all");
  await menu(page, "에이전트").selectOption("eden");
  await asks(page, "agent=eden");
  await menu(page, "함께한 에이전트").selectOption("seum");
  await asks(page, "agent=eden", "with=seum");
  const [one, both] = [await total(monitor, "sessions", [["agent", "eden"]]), await total(monitor, "sessions", [["agent", "eden"], ["with", "seum"]])];
  assert.ok(both > 0 && both < one, "the second one narrows");
  await listed(page, both);
  await expect(menu(page, "함께한 에이전트").locator("option[value=eden], option[value=seum]"), "a chosen agent is not offered again").toHaveCount(0);
  await page.reload();
  await waitUntilLoaded(page);
  await listed(page, both);
  await chip(page, "세움").click();
  await asks(page, "agent=eden");
  await listed(page, one);
  await page.goBack();
  await asks(page, "agent=eden", "with=seum");
  await listed(page, both);
  await page.getByRole("button", { name: "필터 지우기", exact: true }).click();
  await asks(page);
  await listed(page, await total(monitor, "sessions", []));
});

test("sessions are narrowed by answer state, days and saved views", async ({ page, monitor }) => {
  const people = [["agent", "eden"], ["with", "seum"]];
  await open(page, "/all?agent=eden&with=seum");
  await menu(page, "답 상태").selectOption("unanswered");
  await asks(page, "agent=eden", "with=seum", "owed=unanswered");
  await listed(page, await total(monitor, "sessions", [...people, ["delivery", "unanswered"]]));
  await menu(page, "답 상태").selectOption("");
  await menu(page, "기간").selectOption("days");
  await page.getByLabel("부터").fill("2026-02-20");
  await asks(page, "agent=eden", "with=seum", "first=2026-02-20");
  await page.getByLabel("까지").fill("2026-02-20");
  await asks(page, "agent=eden", "with=seum", "first=2026-02-20", "last=2026-02-20");
  // A day of the reader's clock: Seoul's.
  const day = [["since", "2026-02-19T15:00:00Z"], ["until", "2026-02-20T14:59:59.999Z"]];
  const narrowed = await total(monitor, "sessions", [...people, ...day]);
  await listed(page, narrowed);
  await page.reload();
  await waitUntilLoaded(page);
  await listed(page, narrowed);
  await expect(chip(page, "세움")).toBeVisible();
  await expect(page.getByLabel("까지")).toHaveValue("2026-02-20");
  await savedAndOpened(page, "둘의 하루", "/all");
  await listed(page, narrowed);
  await chip(page, "세움").click();
  await asks(page, "agent=eden", "first=2026-02-20", "last=2026-02-20");
  await listed(page, await total(monitor, "sessions", [["agent", "eden"], ...day]));
});

test("the tag menu narrows the sessions", async ({ page, monitor }) => {
  const { tags } = await monitor.get("/api/v2/sessions?limit=1");
  const [tag, n] = tags[0];
  await open(page, "/all");
  await menu(page, "태그").selectOption(tag);
  await asks(page, `tag=${tag}`);
  await listed(page, n);
  await page.goBack();
  await asks(page);
});

test("event filters survive reload, Back and a saved view", async ({ page, monitor }) => {
  await open(page, "/events");
  await menu(page, "모든 에이전트").selectOption("eden");
  await asks(page, "agent=eden");
  await menu(page, "에이전트 더하기").selectOption("seum");
  await asks(page, "agent=eden", "agent=seum");
  const people = [["agent", "eden"], ["agent", "seum"]];
  const either = await total(monitor, "events", people);
  assert.ok(either > (await total(monitor, "events", people.slice(0, 1))), "events of either agent");
  await counted(page, either);
  await menu(page, "모든 종류").selectOption("a2a.send");
  await menu(page, "종류 더하기").selectOption("a2a.response");
  await asks(page, "agent=eden", "agent=seum", "type=a2a.send", "type=a2a.response");
  const talk = [...people, ["type", "a2a.send"], ["type", "a2a.response"]];
  await counted(page, await total(monitor, "events", talk));
  await page.reload();
  await waitUntilLoaded(page);
  for (const name of ["이든", "세움", "보냄", "답변"]) await expect(chip(page, name)).toBeVisible();
  await savedAndOpened(page, "둘의 말", "/events");
  await counted(page, await total(monitor, "events", talk));
  await chip(page, "이든").click();
  await asks(page, "agent=seum", "type=a2a.send", "type=a2a.response");
  await chip(page, "답변").click();
  await asks(page, "agent=seum", "type=a2a.send");
  await counted(page, await total(monitor, "events", [["agent", "seum"], ["type", "a2a.send"]]));
  await page.goBack();
  await asks(page, "agent=seum", "type=a2a.send", "type=a2a.response");
});

test("events are narrowed by pairs and by delivery state", async ({ page, monitor }) => {
  await open(page, "/events");
  const { pairCounts } = await monitor.get("/api/v2/events?limit=1");
  const [pair, n] = pairCounts[0];
  await menu(page, "주고받은 쌍").selectOption(pair);
  await asks(page, `pair=${pair}`);
  await counted(page, n);
  await menu(page, "쌍 더하기").selectOption(pairCounts[1][0]);
  await asks(page, `pair=${pair}`, `pair=${pairCounts[1][0]}`);
  await counted(page, n + pairCounts[1][1]);
  await open(page, "/events");
  await menu(page, "답 상태").selectOption("noReply");
  await asks(page, "delivery=noReply");
  const silent = await total(monitor, "events", [["delivery", "noReply"]]);
  assert.ok(silent > 0);
  await counted(page, silent);
  await menu(page, "답 상태 더하기").selectOption("blocked");
  await asks(page, "delivery=noReply", "delivery=blocked");
  await counted(page, silent + (await total(monitor, "events", [["delivery", "blocked"]])));
  await chip(page, "응답 없음").click();
  await asks(page, "delivery=blocked");
  await expect(chip(page, "거절됨")).toBeVisible();
});

test("an unknown value and an empty list are named and cleared", async ({ page, monitor }) => {
  await open(page, "/events?pair=eden,nobody&delivery=lost");
  await expect(page.getByText(/delivery=lost” 조건은 알 수 없어/)).toBeVisible();
  await expect(page.getByRole("heading", { name: "조건에 맞는 이벤트가 없습니다" })).toBeVisible();
  await page.getByRole("button", { name: "지우기", exact: true }).click();
  await asks(page, "pair=eden,nobody");
  await expect(chip(page, "이든 ↔ nobody")).toBeVisible();
  await page.getByRole("link", { name: "필터 지우기" }).click();
  await asks(page);
  await counted(page, await total(monitor, "events", []));
});

test("the delegation tree follows filters and names unused ones", async ({ page, monitor }) => {
  const runs = (pairs) => monitor.get(`/api/v2/delegations?${new URLSearchParams(pairs)}`);
  const { rows } = await runs([]);
  const [first] = rows.filter((row) => row.from);
  const pair = [first.from, first.to].sort().join(",");
  await open(page, `/events?view=tree&type=a2a.send&q=배포&pair=${pair}`);
  const shown = (n) => expect(page.getByText(new RegExp(`^맡긴 일 ${n} · 끝남`))).toBeVisible();
  const between = await runs([["pair", pair]]);
  assert.ok(between.total > 0 && between.total < rows.length, `${between.total} of ${rows.length}`);
  await shown(between.total);
  const note = page.getByRole("note");
  await expect(note.getByText("위임 트리에는 쓰지 않는 조건입니다.")).toBeVisible();
  await note.getByRole("button", { name: "보냄 필터 지우기" }).click();
  await asks(page, "view=tree", "q=배포", `pair=${pair}`);
  await note.getByRole("button", { name: "“배포” 필터 지우기" }).click();
  await asks(page, "view=tree", `pair=${pair}`);
  await expect(note).toHaveCount(0);
  await page.getByRole("button", { name: /↔.* 필터 지우기$/ }).click();
  await asks(page, "view=tree");
  await shown(rows.length);
  await open(page, "/events?view=tree&last=2020-01-01");
  await expect(page.getByText("이 조건에 맞는 맡긴 일이 없습니다")).toBeVisible();
  assert.equal((await runs([["until", "2020-01-01"]])).total, 0);
  await page.getByLabel("까지").fill("");
  await asks(page, "view=tree");
  await shown(rows.length);
});

test("Korean operators offer tags, sessions and tasks by keyboard", async ({ page, monitor }) => {
  const { sessions: cards, tags } = await monitor.get("/api/v2/sessions?limit=100");
  const { tasks } = await monitor.get("/api/v2/tasks?limit=100");
  const session = cards.find((card) => card.titleSource !== "default");
  const task = tasks.find((one) => one.title);
  const named = (text) => [...text].slice(0, 6).join("");
  const field = page.getByRole("combobox", { name: "협업·메시지·작업·에이전트·이벤트 찾기" });
  const offers = page.getByRole("listbox", { name: "이어 쓸 수 있는 조건" }).getByRole("option");
  for (const [operator, typed, shown, value] of [
    ["태그", tags[0][0], tags[0][0], tags[0][0]],
    ["협업", named(session.title), session.title, session.workSessionId],
    ["작업", named(task.title), task.title, task.id],
  ]) {
    await open(page, "/search");
    await page.keyboard.press("/");
    await page.keyboard.insertText(`${operator}:`);
    await expect(offers.first()).toBeVisible();
    // Longer than the debounce of the search: half a condition is not asked.
    await page.waitForTimeout(400);
    assert.equal(new URL(page.url()).searchParams.get("q"), null);
    await page.keyboard.insertText(`"${typed}`);
    const offer = offers.filter({ hasText: shown });
    await expect(offer.first()).toBeVisible();
    const index = await offer.first().evaluate((one) => [...one.parentElement.children].indexOf(one));
    for (let step = 0; step <= index; step += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const expected = /[^\p{L}\p{N}\-_.:@/+]/u.test(value) ? `${operator}:"${value}"` : `${operator}:${value}`;
    assert.equal((await field.inputValue()).trim(), expected);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("q") === expected);
    await expect(page.getByRole("list", { name: "찾은 것" }).getByRole("listitem").first()).toBeVisible();
  }
});
