// Browser tests of archived transcripts: their list, their page, and links from messages to transcript lines. Also of
// the list of work sessions (참여한 협업) on the page of a stored session.
//
// Proves (transcripts): Archived transcripts are found by key, id and text, and read by keyboard in both languages. A
// link to a line still leads there after its session was reset or deleted. The page of a stored session lists the work
// sessions that hold one of its messages, and no others.
import assert from "node:assert/strict";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { startMonitor } from "../support/monitor.mjs";
import { allowProblems, test as base, expect } from "../support/test.mjs";
import { mainText, waitUntilLoaded, walk } from "../support/steps.mjs";
import { SIZES, STORES } from "../support/views.mjs";

const NOW = STORES.clock;
/** In the home of databases: the earlier transcript of ruda's key. */
const RUDA = { key: "agent:ruda:main", was: "3c9a7697-63fb-4f04-8af1-133f6baecc0c" };
/** In the home of files: archived at a reset, with no record of its key. */
const SEUM = "7915e4fe-8a04-49e6-a6c1-f6a6af7e47f1";

/** All `talks` of the transcripts are read. */
const read = (monitor, talks) => expect.poll(async () => (await monitor.get("/api/v2/health")).transcripts?.talks, "transcripts are read").toBe(talks);

// `monitor` has the home of the file era; `newer` that of the database era, which no test changes.
const test = base.extend({
  newer: [
    async ({ selectBundle }, use) => {
      void selectBundle;
      const monitor = await startMonitor(STORES);
      await read(monitor, 23);
      await use(monitor);
      await monitor.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});
test.use({ home: { story: "openclaw-2026.2/dot-openclaw", clock: NOW, owner: "archive" }, look: { now: NOW } });
test.beforeAll(({ monitor }) => read(monitor, 22));

const open = async (page, address) => {
  await page.goto(address);
  await waitUntilLoaded(page);
};
const store = (key, query = "") => `/sessions/${encodeURIComponent(key)}${query}`;
const archive = (agent, session, query = "") => `/sessions/archive/${agent}/${session}${query}`;
const listed = (page) => page.getByRole("region", { name: /^(보관된 기록 목록|Past transcripts)$/ }).getByRole("listitem");
const focused = (page) => page.evaluate(() => document.activeElement.closest("[data-event]")?.dataset.event ?? "");
const target = (page) => page.locator(".turn.is-target");
const sourceOf = (page, message) => page.locator(`.stream article[data-event="${message.id}"]`).getByRole("link", { name: "원문 보기" });
const at = (page, address, line) =>
  expect(page).toHaveURL((url) => url.pathname === address && (line === undefined || url.searchParams.get("at") === line));
/** Focuses a link or button and presses Enter. */
const enter = async (page, one) => {
  await one.focus();
  await page.keyboard.press("Enter");
};
/** The line is marked, has the focus and is in sight. */
const found = async (page) => {
  await expect(target(page)).toBeFocused();
  await expect(target(page)).toBeInViewport();
};
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

test("archived transcripts are listed and read by keyboard", async ({ page, monitor }) => {
  await open(page, "/sessions");
  const fold = page.getByRole("button", { name: "보관된 기록 3개" });
  await expect(fold).toHaveAttribute("aria-expanded", "false");
  await expect(listed(page)).toHaveCount(0);
  await enter(page, fold);
  await expect(page).toHaveURL(/records=1/);
  await expect(listed(page)).toHaveCount(3);
  const { archives } = await monitor.get("/api/v2/sessions-archive");
  assert.deepEqual(await listed(page).evaluateAll((all) => all.map((one) => one.dataset.event)), archives.map((row) => `archive ${row.agentId} ${row.sessionId} ${row.name}`));
  assert.match(await listed(page).nth(0).innerText(), /빠른 일꾼|worker-quick[^]*삭제된 세션의 기록/);
  assert.match(await listed(page).nth(2).innerText(), /7915e4fe[^]*초기화로 보관된 기록[^]*\.jsonl\.reset\./);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(listed(page)).toHaveCount(3);
  // The list is one tab stop; the arrows move through it.
  await listed(page).first().getByRole("link").focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const row = `archive seum ${SEUM} ${archives[2].name}`;
  await expect.poll(() => focused(page)).toBe(row);
  await page.keyboard.press("o");
  await at(page, archive("seum", SEUM));
  await waitUntilLoaded(page);
  const text = await mainText(page);
  for (const told of ["세움 · 7915e4fe", "초기화로 보관된 기록", "지난 기록입니다. 읽을 수만 있습니다.", SEUM]) assert.ok(text.includes(told), `${told}: ${text}`);
  await expect(page.getByRole("button", { name: /말 걸기|메시지 보내기/ })).toHaveCount(0);
  const told = await monitor.get(`/api/v2/sessions-archive/seum/${SEUM}/history`);
  const shown = await page.getByRole("log", { name: "대화 기록" }).locator(".turn").count();
  assert.equal(shown, told.messages.length);
  assert.ok(shown > 5);
  await page.goBack();
  await expect.poll(() => focused(page), "back at its row").toBe(row);
});

test("search and agent filter narrow archived transcripts", async ({ page }) => {
  await open(page, "/sessions?records=1&q=RESET");
  await expect(listed(page)).toHaveCount(2);
  await expect(page.getByRole("button", { name: "보관된 기록 2개" })).toBeVisible();
  await walk(page, "/sessions?records=1&q=RESET&agent=dajim");
  await expect(listed(page)).toHaveCount(1);
  await walk(page, "/sessions?records=1&agent=ruda");
  await expect(page.getByText("조건에 맞는 보관된 기록이 없습니다.")).toBeVisible();
});

test("a message links to its line in an archived transcript", { tag: "@quick" }, async ({ page, monitor }) => {
  const said = (await messages(monitor)).find((message) => message.transcript?.session === SEUM && message.text.startsWith("백업은"));
  assert.equal(said.transcript.key, "", "no key leads there");
  await open(page, said.address);
  await enter(page, sourceOf(page, said));
  await at(page, archive("seum", SEUM), said.transcript.entry);
  await waitUntilLoaded(page);
  await found(page);
  assert.match(await target(page).innerText(), /백업은 03:10 KST에 성공했습니다/);
});

test("a line before a reset is found far up", async ({ openPage, newer }) => {
  const first = (await messages(newer)).find((message) => message.transcript?.session === "3df860bd-9f91-4c68-965a-2e6cedf0c422");
  const page = await openPage(newer.url + first.address, { now: NOW });
  await waitUntilLoaded(page);
  await enter(page, sourceOf(page, first));
  await expect(page).toHaveURL(/\/sessions\/archive\/dajim\//);
  await waitUntilLoaded(page);
  await found(page);
});

test("a session lists its earlier transcripts and finds lines there", async ({ openPage, newer }) => {
  const { ids } = await newer.get(`/api/v2/sessions-archive/ruda/${RUDA.was}/history?limit=5`);
  const line = ids.at(-1);
  const page = await openPage(newer.url + store(RUDA.key), { now: NOW });
  await waitUntilLoaded(page);
  const fold = page.locator("summary").filter({ hasText: "이전 기록 1개" });
  await expect(fold).toBeVisible();
  const earlier = page.getByRole("link", { name: "3c9a7697" });
  assert.ok(!(await earlier.isVisible()), "it begins folded");
  await enter(page, fold);
  await expect(earlier).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await at(page, archive("ruda", RUDA.was));
  await waitUntilLoaded(page);
  assert.match(await mainText(page), /새 세션으로 바뀌기 전 기록/);
  await expect(page.getByRole("link", { name: "루다 · main" }).first()).toHaveAttribute("href", store(RUDA.key).replaceAll("%3A", ":"));
  // An older link, which does not name the transcript.
  await walk(page, store(RUDA.key, `?at=${line}`));
  await expect(page.getByText("링크가 가리키는 줄을 여기서 찾지 못했습니다.")).toBeVisible();
  await expect(earlier).toBeVisible();
  await enter(page, earlier);
  await at(page, archive("ruda", RUDA.was), line);
  await found(page);
  // One that names it redirects, and Back does not return to it.
  await walk(page, "/sessions");
  await walk(page, store(RUDA.key, `?at=${line}&of=${RUDA.was}`));
  await at(page, archive("ruda", RUDA.was), line);
  await found(page);
  await page.goBack();
  await expect(page).toHaveURL(/\/sessions$/);
});

/** A file of eden's sessions folder, and the name of an archived one. */
const edens = (monitor, name) => path.join(monitor.home, "agents/eden/sessions", name);
const put = (id, time = "03-00-00", why = "reset") => `${id}.jsonl.${why}.2026-11-21T${time}.000Z`;
/** Changes the sessions of eden's file store. */
async function change(monitor, edit) {
  const file = edens(monitor, "sessions.json");
  const all = JSON.parse(await readFile(file, "utf8"));
  edit(all);
  await writeFile(file, JSON.stringify(all));
}
const write = (monitor, name, lines) => writeFile(edens(monitor, name), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const line = (id, content) => ({ type: "message", id, message: { role: "user", content, timestamp: NOW - 5_000 } });
/** The monitor counts so many rows at a route. */
const counts = (monitor, route) => expect.poll(async () => (await monitor.get(route)).count, route);

test("a line link survives the session's reset and deletion", async ({ page, monitor }) => {
  allowProblems(page, [/404/]);
  const key = "agent:eden:reset-me";
  await write(monitor, "old-id.jsonl", [line("o1", "처음에 한 말"), line("o2", "나중에 한 말")]);
  await change(monitor, (all) => (all[key] = { sessionId: "old-id", updatedAt: NOW }));
  const link = store(key, "?at=o1&of=old-id");
  await open(page, link);
  await found(page);
  assert.match(page.url(), /\/sessions\/agent(:|%3A)eden(:|%3A)reset-me\?/, "it is there");
  await rename(edens(monitor, "old-id.jsonl"), edens(monitor, put("old-id", "02-00-00")));
  await write(monitor, "new-id.jsonl", [line("n1", "새로 한 말")]);
  await change(monitor, (all) => (all[key] = { sessionId: "new-id", updatedAt: NOW }));
  await counts(monitor, "/api/v2/sessions-store?search=new-id").toBe(1);
  await page.goto(link);
  await at(page, archive("eden", "old-id"), "o1");
  await waitUntilLoaded(page);
  await found(page);
  assert.match(await mainText(page), /초기화로 보관된 기록[^]*처음에 한 말/);
  // The session is deleted: no store knows its key.
  await change(monitor, (all) => delete all[key]);
  await rename(edens(monitor, "new-id.jsonl"), edens(monitor, put("new-id", "02-00-00", "deleted")));
  await counts(monitor, "/api/v2/sessions-store?search=new-id").toBe(0);
  await page.goto(store(key, "?at=n1&of=new-id"));
  await at(page, archive("eden", "new-id"));
  await waitUntilLoaded(page);
  await found(page);
  assert.match(await mainText(page), /삭제된 세션의 기록[^]*새로 한 말/);
});

test("missing, unreadable and empty transcripts are told apart", async ({ page, monitor }) => {
  allowProblems(page, [/404/]);
  const says = async (address, text) => {
    await page.goto(address);
    await expect(page.getByText(text)).toBeVisible();
  };
  await write(monitor, put("still"), [{ type: "session", version: 3, id: "still" }]);
  await mkdir(edens(monitor, put("broken")));
  await write(monitor, put("going"), [line("g1", "곧 사라질 말")]);
  await counts(monitor, "/api/v2/sessions-archive?agent=eden&search=03-00-00").toBeGreaterThanOrEqual(3);
  await says(archive("eden", "still"), "아직 나눈 대화가 없습니다");
  await says(archive("eden", "broken"), "대화 기록을 읽지 못했습니다");
  await rm(edens(monitor, put("broken")), { recursive: true });
  await write(monitor, put("broken"), [line("b1", "다시 읽히는 말")]);
  await page.getByRole("button", { name: "다시 시도" }).click();
  await expect(page.getByText("다시 읽히는 말")).toBeVisible();
  await says(archive("eden", "going", "?at=elsewhere"), "링크가 가리키는 줄을 여기서 찾지 못했습니다.");
  await rm(edens(monitor, put("going")));
  await counts(monitor, "/api/v2/sessions-archive?session=going").toBe(0);
  await says(archive("eden", "going"), "이 기록이 남아 있지 않습니다");
  await says(archive("nobody", "nothing"), "이 기록이 남아 있지 않습니다");
});

test("each session lists only its own conversations", async ({ openPage, newer }) => {
  const ofKey = [];
  for (const [key, language] of [[RUDA.key, "ko"], ["agent:ruda:task-hub", "en"]]) {
    const { sessions, total } = await newer.get(`/api/v2/sessions?sessionKey=${encodeURIComponent(key)}`);
    const own = sessions.map((one) => one.workSessionId).sort();
    assert.ok(total > 0 && total <= 12);
    const page = await openPage(newer.url + store(key), { now: NOW, language });
    await waitUntilLoaded(page);
    const talks = page.getByRole("region", { name: /^(참여한 협업|Takes part in)$/ });
    await expect(talks).toBeVisible();
    const shown = await talks.getByRole("link").evaluateAll((all) => all.map((one) => decodeURIComponent(new URL(one.href).pathname.replace("/s/", ""))));
    assert.deepEqual(shown.sort(), own);
    ofKey.push(own);
  }
  const [main, hub] = ofKey;
  assert.ok(main.length > 1 && hub.length === 1 && !main.includes(hub[0]), "they share none");
});

test.describe("on an English phone in dark theme", () => {
  test.use({ look: { now: NOW, ...SIZES[2], language: "en", theme: "dark" } });

  test("list and transcript fit the window", async ({ page }) => {
    await open(page, "/sessions");
    const wide = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    await enter(page, page.getByRole("button", { name: /\d+ past transcripts$/ }));
    await expect(listed(page).first()).toBeVisible();
    assert.ok((await wide()) <= 0, `${await wide()} px`);
    const row = listed(page).filter({ hasText: "735b85f8" }).first();
    assert.match(await row.innerText(), /Kept at a reset/);
    await enter(page, row.getByRole("link"));
    await expect(page).toHaveURL(/\/sessions\/archive\/dajim\//);
    await waitUntilLoaded(page);
    await expect(page.getByText("This is a past transcript. It can only be read.")).toBeVisible();
    assert.ok((await wide()) <= 0, `${await wide()} px`);
  });
});
