// Past transcripts: the list below the sessions, the page of each, the way from a message to its line wherever that is
// now, and the conversations that one session of an agent takes part in.
import assert from "node:assert/strict";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { idle, mainText, walk } from "../support/verbs.mjs";
import { SIZES, STORES } from "../support/views.mjs";

const NOW = STORES.clock;
/** In the home of databases: what ruda's key went on from. */
const RUDA = { key: "agent:ruda:main", was: "3c9a7697-63fb-4f04-8af1-133f6baecc0c" };
/** In the home of files: put away at a reset, and nothing tells of which key. */
const SEUM = "7915e4fe-8a04-49e6-a6c1-f6a6af7e47f1";

let newer; // of the database era
let older; // of the file era
let browser;
before(async () => {
  newer = await startMonitor(STORES);
  older = await startMonitor({ story: "openclaw-2026.2/dot-openclaw", clock: NOW });
  await eventually("the transcripts are told", async () => (await newer.get("/api/v2/health")).transcripts.talks === 23 && (await older.get("/api/v2/health")).transcripts.talks === 22);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await newer?.stop();
  await older?.stop();
});

const open = async (monitor, address, options = {}) => {
  const page = await openPage(browser, monitor.url + address, { now: NOW, ...options });
  await idle(page);
  return page;
};
const store = (key, query = "") => `/sessions/${encodeURIComponent(key)}${query}`;
const archive = (agent, session, query = "") => `/sessions/archive/${agent}/${session}${query}`;
const listed = (page) => page.getByRole("region", { name: /^(보관된 기록 목록|Past transcripts)$/ }).getByRole("listitem");
const focused = (page) => page.evaluate(() => document.activeElement.closest("[data-event]")?.dataset.event ?? "");
const target = (page) => page.locator(".turn.is-target");
/** The line is marked, has the focus and is in sight. */
const found = (page) =>
  eventually("the line is marked and in sight", async () => (await target(page).count()) === 1 && (await target(page).evaluate((own) => {
    const box = own.getBoundingClientRect();
    return own === document.activeElement && box.bottom > 0 && box.top < innerHeight;
  })));
/** Every message of every conversation. */
async function messages(monitor) {
  const all = [];
  for (const { workSessionId: session } of (await monitor.get("/api/v2/sessions?limit=200")).sessions) {
    const { threads } = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session)}`);
    for (const { threadId } of threads) {
      const address = `/s/${encodeURIComponent(session)}/t/${encodeURIComponent(threadId)}`;
      const page = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session)}/threads/${encodeURIComponent(threadId)}?limit=500`);
      all.push(...page.messages.map((message) => ({ address, ...message })));
    }
  }
  return all;
}

test("below the sessions the past transcripts are counted, listed on wish and read, by keyboard", async () => {
  const page = await open(older, "/sessions");
  const fold = page.getByRole("button", { name: "보관된 기록 3개" });
  assert.equal(await fold.getAttribute("aria-expanded"), "false");
  assert.equal(await listed(page).count(), 0);
  await fold.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/records=1/);
  await eventually("all of them", async () => (await listed(page).count()) === 3);
  const { archives } = await older.get("/api/v2/sessions-archive");
  assert.deepEqual(await listed(page).evaluateAll((all) => all.map((one) => one.dataset.event)), archives.map((row) => `archive ${row.agentId} ${row.sessionId} ${row.name}`));
  assert.match(await listed(page).nth(0).innerText(), /빠른 일꾼|worker-quick[^]*삭제된 세션의 기록/);
  assert.match(await listed(page).nth(2).innerText(), /7915e4fe[^]*초기화로 보관된 기록[^]*\.jsonl\.reset\./);
  await page.reload();
  await idle(page);
  await eventually("the address keeps them", async () => (await listed(page).count()) === 3);
  // The list is one stop; the arrows go through it.
  await listed(page).first().getByRole("link").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const row = `archive seum ${SEUM} ${archives[2].name}`;
  await eventually("the third", async () => (await focused(page)) === row);
  await page.keyboard.press("o");
  await page.waitForURL((url) => url.pathname === archive("seum", SEUM));
  await idle(page);
  const text = await mainText(page);
  for (const told of ["세움 · 7915e4fe", "초기화로 보관된 기록", "지난 기록입니다. 읽을 수만 있습니다.", SEUM]) assert.ok(text.includes(told), `${told}: ${text}`);
  assert.equal(await page.getByRole("button", { name: /말 걸기|메시지 보내기/ }).count(), 0);
  const told = await older.get(`/api/v2/sessions-archive/seum/${SEUM}/history`);
  const shown = await page.getByRole("log", { name: "대화 기록" }).locator(".turn").count();
  assert.equal(shown, told.messages.length);
  assert.ok(shown > 5);
  await page.goBack();
  await eventually("back at its row", async () => (await focused(page)) === row);
  assertNoProblems(page);
  await page.context().close();
});

test("the page's own search and agent narrow the past transcripts too", async () => {
  const page = await open(older, "/sessions?records=1&q=RESET");
  await eventually("two were put away at a reset", async () => (await listed(page).count()) === 2);
  await page.getByRole("button", { name: "보관된 기록 2개" }).waitFor();
  await walk(page, "/sessions?records=1&q=RESET&agent=dajim");
  await eventually("one of dajim", async () => (await listed(page).count()) === 1);
  await walk(page, "/sessions?records=1&agent=ruda");
  await page.getByText("조건에 맞는 보관된 기록이 없습니다.").waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("a message whose transcript was put away leads to its line there", async () => {
  const said = (await messages(older)).find((message) => message.transcript?.session === SEUM && message.text.startsWith("백업은"));
  assert.equal(said.transcript.key, "", "no key leads there");
  const page = await open(older, said.address);
  const link = page.locator(`.stream article[data-event="${said.id}"]`).getByRole("link", { name: "원문 보기" });
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === archive("seum", SEUM) && url.searchParams.get("at") === said.transcript.entry);
  await idle(page);
  await found(page);
  assert.match(await target(page).innerText(), /백업은 03:10 KST에 성공했습니다/);
  assertNoProblems(page);
  await page.context().close();
});

test("every message of both homes has a place, and each place has its line", async () => {
  for (const monitor of [older, newer]) {
    const places = (await messages(monitor)).filter((message) => message.transcript);
    assert.ok(places.some(({ transcript }) => transcript.key === "") && places.some(({ transcript }) => transcript.key !== ""));
    assert.ok(places.every(({ transcript }) => transcript.session && transcript.entry && (transcript.key || transcript.agent)));
  }
  // One from before a reset, far up in a transcript to which no key leads any more.
  const first = (await messages(newer)).find((message) => message.transcript?.session === "3df860bd-9f91-4c68-965a-2e6cedf0c422");
  const page = await open(newer, first.address);
  await page.locator(`.stream article[data-event="${first.id}"]`).getByRole("link", { name: "원문 보기" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\/archive\/dajim\//);
  await idle(page);
  await found(page);
  assertNoProblems(page);
  await page.context().close();
});

test("a session lists what its key went on from, and a link without its line offers them", async () => {
  const { ids } = await newer.get(`/api/v2/sessions-archive/ruda/${RUDA.was}/history?limit=5`);
  const line = ids.at(-1);
  const page = await open(newer, store(RUDA.key));
  const fold = page.locator("summary").filter({ hasText: "이전 기록 1개" });
  await fold.waitFor();
  const earlier = page.getByRole("link", { name: "3c9a7697" });
  assert.ok(!(await earlier.isVisible()), "it begins folded");
  await fold.focus();
  await page.keyboard.press("Enter");
  await earlier.waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === archive("ruda", RUDA.was));
  await idle(page);
  assert.match(await mainText(page), /새 세션으로 바뀌기 전 기록/);
  assert.equal(await page.getByRole("link", { name: "루다 · main" }).first().getAttribute("href"), store(RUDA.key).replaceAll("%3A", ":"));
  // An older link, which does not say whose session it means.
  await walk(page, store(RUDA.key, `?at=${line}`));
  await page.getByText("링크가 가리키는 줄을 여기서 찾지 못했습니다.").waitFor();
  await earlier.waitFor();
  await earlier.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === archive("ruda", RUDA.was) && url.searchParams.get("at") === line);
  await found(page);
  // One that says it leads there by itself, and Back does not come back to it.
  await walk(page, "/sessions");
  await walk(page, store(RUDA.key, `?at=${line}&of=${RUDA.was}`));
  await page.waitForURL((url) => url.pathname === archive("ruda", RUDA.was) && url.searchParams.get("at") === line);
  await found(page);
  await page.goBack();
  await page.waitForURL(/\/sessions$/);
  assertNoProblems(page);
  await page.context().close();
});

/** Sets the sessions of eden's file store. */
async function change(monitor, edit) {
  const file = path.join(monitor.home, "agents/eden/sessions/sessions.json");
  const all = JSON.parse(await readFile(file, "utf8"));
  edit(all);
  await writeFile(file, JSON.stringify(all));
}
const write = (monitor, name, lines) => writeFile(path.join(monitor.home, "agents/eden/sessions", name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const line = (id, content) => ({ type: "message", id, message: { role: "user", content, timestamp: NOW - 5_000 } });

test("a link to a line still leads there after the session is reset, and after it is deleted", async () => {
  const folder = path.join(older.home, "agents/eden/sessions");
  const key = "agent:eden:reset-me";
  await write(older, "old-id.jsonl", [line("o1", "처음에 한 말"), line("o2", "나중에 한 말")]);
  await change(older, (all) => (all[key] = { sessionId: "old-id", updatedAt: NOW }));
  const link = store(key, "?at=o1&of=old-id");
  const page = await open(older, link);
  await found(page);
  assert.match(page.url(), /\/sessions\/agent:eden:reset-me\?|\/sessions\/agent%3Aeden%3Areset-me\?/, "it is there");
  await rename(path.join(folder, "old-id.jsonl"), path.join(folder, "old-id.jsonl.reset.2026-11-21T03-00-00.000Z"));
  await write(older, "new-id.jsonl", [line("n1", "새로 한 말")]);
  await change(older, (all) => (all[key] = { sessionId: "new-id", updatedAt: NOW }));
  await eventually("the store is read", async () => (await older.get("/api/v2/sessions-store?search=new-id")).count === 1);
  await page.goto(older.url + link);
  await page.waitForURL((url) => url.pathname === archive("eden", "old-id") && url.searchParams.get("at") === "o1");
  await idle(page);
  await found(page);
  assert.match(await mainText(page), /초기화로 보관된 기록[^]*처음에 한 말/);
  // The session is deleted: no store knows its key.
  await change(older, (all) => delete all[key]);
  await rename(path.join(folder, "new-id.jsonl"), path.join(folder, "new-id.jsonl.deleted.2026-11-21T03-01-00.000Z"));
  await eventually("the store is read", async () => (await older.get("/api/v2/sessions-store?search=new-id")).count === 0);
  await page.goto(older.url + store(key, "?at=n1&of=new-id"));
  await page.waitForURL((url) => url.pathname === archive("eden", "new-id"));
  await idle(page);
  await found(page);
  assert.match(await mainText(page), /삭제된 세션의 기록[^]*새로 한 말/);
  assertNoProblems(page, [/404/]);
  await page.context().close();
});

test("a past transcript that is gone, unreadable or empty is each called so", async () => {
  const folder = path.join(older.home, "agents/eden/sessions");
  const put = (id) => `${id}.jsonl.reset.2026-11-21T03-00-00.000Z`;
  await write(older, put("still"), [{ type: "session", version: 3, id: "still" }]);
  await mkdir(path.join(folder, put("broken")));
  await write(older, put("going"), [line("g1", "곧 사라질 말")]);
  await eventually("they are listed", async () => (await older.get("/api/v2/sessions-archive?agent=eden&search=03-00-00")).count >= 3);
  const page = await open(older, archive("eden", "still"));
  await page.getByText("아직 나눈 대화가 없습니다").waitFor();
  await page.goto(older.url + archive("eden", "broken"));
  await page.getByText("대화 기록을 읽지 못했습니다").waitFor();
  await rm(path.join(folder, put("broken")), { recursive: true });
  await write(older, put("broken"), [line("b1", "다시 읽히는 말")]);
  await page.getByRole("button", { name: "다시 시도" }).click();
  await page.getByText("다시 읽히는 말").waitFor();
  await page.goto(older.url + archive("eden", "going", "?at=elsewhere"));
  await page.getByText("링크가 가리키는 줄을 여기서 찾지 못했습니다.").waitFor();
  await rm(path.join(folder, put("going")));
  await eventually("it is off the list", async () => (await older.get("/api/v2/sessions-archive?session=going")).count === 0);
  await page.goto(older.url + archive("eden", "going"));
  await page.getByText("이 기록이 남아 있지 않습니다").waitFor();
  await page.goto(older.url + archive("nobody", "nothing"));
  await page.getByText("이 기록이 남아 있지 않습니다").waitFor();
  assertNoProblems(page, [/404/]);
  await page.context().close();
});

test("two sessions of one agent take part in different conversations, and each names only its own", async () => {
  const ofKey = {};
  for (const key of [RUDA.key, "agent:ruda:task-hub"]) {
    const { sessions, total } = await newer.get(`/api/v2/sessions?sessionKey=${encodeURIComponent(key)}`);
    ofKey[key] = sessions.map((one) => one.workSessionId).sort();
    assert.ok(total > 0 && total <= 12);
    const page = await open(newer, store(key), { language: key === RUDA.key ? "ko" : "en" });
    const talks = page.getByRole("region", { name: /^(참여한 대화|Takes part in)$/ });
    await talks.waitFor();
    const shown = await talks.getByRole("link").evaluateAll((all) => all.map((one) => decodeURIComponent(new URL(one.href).pathname.replace("/s/", ""))));
    assert.deepEqual(shown.sort(), ofKey[key]);
    assertNoProblems(page);
    await page.context().close();
  }
  const [main, hub] = Object.values(ofKey);
  assert.ok(main.length > 1 && hub.length === 1 && !main.includes(hub[0]), "they share none");
});

test("in English, on a phone, in the dark: the list and a past transcript, no wider than the window", async () => {
  const page = await open(older, "/sessions", { ...SIZES[2], language: "en", theme: "dark" });
  const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  const fold = page.getByRole("button", { name: /\d+ past transcripts$/ });
  await fold.focus();
  await page.keyboard.press("Enter");
  await listed(page).first().waitFor();
  assert.ok((await wide()) <= 0, `${await wide()} px`);
  const row = listed(page).filter({ hasText: "735b85f8" }).first();
  assert.match(await row.innerText(), /Kept at a reset/);
  await row.getByRole("link").focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\/archive\/dajim\//);
  await idle(page);
  await page.getByText("This is a past transcript. It can only be read.").waitFor();
  assert.ok((await wide()) <= 0, `${await wide()} px`);
  assertNoProblems(page);
  await page.context().close();
});
