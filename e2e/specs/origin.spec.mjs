// Which part came from where: marks where log and transcripts are mixed, one line where the log has nothing, and the ways
// between a conversation and the sessions in which it was held.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { captured, startGateway } from "../support/gateway.mjs";
import { LOGGED, startMixed } from "../support/mixed.mjs";
import { eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle, mainText, mark, unmoved, walk } from "../support/verbs.mjs";
import { SIZES, STORES } from "../support/views.mjs";

const TOKEN = "gateway-token-of-the-origin-spec";
const EDEN = "agent:eden:main";

let mixed; // {monitor, page, thread}
let told; // the same home without a log, with a gateway
let gateway;
let browser;
before(async () => {
  gateway = await startGateway(TOKEN);
  mixed = await startMixed();
  told = await startMonitor({ ...STORES, env: { TASK_MONITOR_GATEWAY_URL: gateway.url, TASK_MONITOR_GATEWAY_TOKEN: TOKEN } });
  await eventually("the transcripts are told", async () => (await told.get("/api/v2/health")).transcripts.talks === 23);
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await told?.stop();
  await mixed?.monitor.stop();
  await gateway?.stop();
});

const open = async (monitor, address, options = {}) => {
  const page = await openPage(browser, monitor.url + address, { now: STORES.clock, ...options });
  await idle(page);
  return page;
};
const MARK = "세션 기록: 조정 로그에는 없고, 에이전트의 세션 기록에서 읽었습니다";
/** The marks within something, as they are read out. */
const marks = (place) => place.locator(".small-mark.is-told");
/** Which of these elements bear the mark, by the attribute that names them. */
const marked = (page, elements, name) =>
  page.locator(elements).evaluateAll((all, name) => all.filter((one) => one.querySelector(".small-mark.is-told")).map((one) => one.getAttribute(name)), name);
const note = (page) => page.getByText("여기 있는 것은 모두 에이전트의 세션 기록에서 읽었습니다. 조정 로그에는 없습니다.");
const store = (key, query = "") => `/sessions/${encodeURIComponent(key)}${query}`;
/** The events of the session of both, one by one. */
const ofLogged = `/events?session=${LOGGED}&group=off`;
const isTold = (one) => one.origin === "transcript";
const ids = (all) => all.map((one) => one.id).sort();

test("in a thread of both, what the log lacks is marked and what it cut is said to be filled", async () => {
  const page = await open(mixed.monitor, mixed.thread);
  const wanted = ids(mixed.page.messages.filter(isTold));
  assert.equal(wanted.length, 2);
  await eventually("those two and no other", async () => (await marked(page, ".stream article", "data-event")).sort().join() === wanted.join());
  assert.equal((await marks(page.locator(".stream")).first().textContent()).trim(), MARK);
  const filled = page.locator(".stream article").filter({ hasText: "로그에서 잘린 뒷부분은 세션 기록에서 이어 읽었습니다" });
  assert.equal(await filled.count(), 1);
  assert.equal(await filled.getAttribute("data-event"), mixed.page.messages[1].id);
  const bar = page.locator(".thread-bar");
  assert.match(await bar.innerText(), /메시지 4[^]*4개 중 2개는 세션 기록에서 읽음/);
  const head = page.locator(".session-head");
  assert.match(await head.innerText(), /일부는 세션 기록/);
  assert.match(await head.textContent(), /이벤트 7개 중 4개는 조정 로그에 없고/);
  // The stream of the whole session is marked alike.
  await walk(page, `/s/${LOGGED}/whole`);
  await eventually("marked there too", async () => (await marked(page, ".stream article", "data-event")).sort().join() === wanted.join());
  assertNoProblems(page);
  await page.context().close();
  // A phone has no room for the bar, but for this line; in English as well.
  const phone = await open(mixed.monitor, mixed.thread, { ...SIZES[2], language: "en" });
  await phone.getByText("2 of 4 read from transcripts").waitFor();
  await phone.getByText("Partly from transcripts").first().waitFor();
  assert.equal((await marks(phone.locator(".stream")).first().innerText()).trim().split("\n")[0].replace(/:.*/, ""), "Transcript");
  assertNoProblems(phone);
  await phone.context().close();
});

test("lists of both mark what the log lacks: sessions, events, delegations", async () => {
  const { monitor } = mixed;
  const page = await open(monitor, "/all");
  const { sessions } = await monitor.get("/api/v2/sessions?limit=100");
  const whole = sessions.filter((session) => session.toldEvents === session.eventCount).map((session) => session.workSessionId);
  assert.deepEqual([sessions.length - whole.length, whole.includes(LOGGED), whole.includes("ws_alone")], [2, false, false]);
  await eventually("cards", async () => (await marked(page, "[data-session]", "data-session")).sort().join() === [...whole].sort().join());
  assert.equal(await note(page).count(), 0);

  // Of a long list only what is near the window is drawn; the list of one session is drawn whole.
  await page.goto(`${monitor.url}/events?group=off`);
  await idle(page);
  const drawn = page.locator(".events-list [data-event]");
  await drawn.first().waitFor();
  const { events } = await monitor.get("/api/v2/events?limit=100");
  const known = new Set(ids(events.filter(isTold)));
  const seen = await drawn.evaluateAll((all) => all.map((one) => one.dataset.event));
  assert.deepEqual((await marked(page, ".events-list [data-event]", "data-event")).sort(), seen.filter((id) => known.has(id)).sort());
  assert.equal(await note(page).count(), 0);
  await page.goto(monitor.url + ofLogged);
  await idle(page);
  const own = (await monitor.get(`/api/v2/events?session=${LOGGED}`)).events;
  assert.deepEqual([own.length, own.filter(isTold).length], [7, 4]);
  await eventually("all rows", async () => (await drawn.count()) === 7);
  assert.deepEqual((await marked(page, ".events-list [data-event]", "data-event")).sort(), ids(own.filter(isTold)));
  assert.equal(await note(page).count(), 0);

  await page.goto(`${monitor.url}/events?view=tree`);
  await idle(page);
  const { rows } = await monitor.get("/api/v2/delegations");
  const lines = page.getByRole("treegrid").getByRole("row").filter({ has: page.locator(".run__who") });
  await eventually("all runs", async () => (await lines.count()) === rows.length);
  assert.equal(await lines.filter({ has: page.locator(".small-mark.is-told") }).count(), rows.filter(isTold).length);
  assert.equal(await marks(lines.filter({ hasText: "log-only" })).count(), 0);
  assertNoProblems(page);
  await page.context().close();
});

test("an event as recorded tells where it was read, and leads to its line by keyboard", async () => {
  const page = await open(mixed.monitor, ofLogged);
  const { events } = await mixed.monitor.get(`/api/v2/events?session=${LOGGED}`);
  const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
  const show = async (event) => {
    await page.locator(`.events-list [data-event="${event.id}"]`).focus();
    await page.keyboard.press("o");
    await drawer.waitFor();
  };
  await show(events.find((event) => !isTold(event)));
  await drawer.getByText(/coordination-events\.ndjson · [\d,]+바이트째/).waitFor();
  assert.equal(await drawer.getByRole("link", { name: "원문 보기" }).count(), 0);
  await page.keyboard.press("Escape");
  await eventually("it is closed", async () => (await drawer.count()) === 0);
  await show(events.find((event) => isTold(event) && event.type === "a2a.response"));
  await drawer.getByText("조정 로그에 없음 · 세션 기록에서 읽음").waitFor();
  await drawer.getByRole("link", { name: "원문 보기" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\/.*[?&]at=/);
  await idle(page);
  await eventually("the line is marked", async () => (await page.locator(".turn.is-target").count()) === 1);
  assertNoProblems(page);
  await page.context().close();
});

test("an event opened while the browser still goes back from another one is shown", async () => {
  const page = await open(mixed.monitor, ofLogged);
  // Going back takes as long as the browser likes; here it takes so long that a key is always faster.
  await page.evaluate(() => {
    const back = history.back.bind(history);
    history.back = () =>
      void setTimeout(() => {
        addEventListener("popstate", () => (window.returned = true), { once: true });
        back();
      }, 700);
  });
  const { events } = await mixed.monitor.get(`/api/v2/events?session=${LOGGED}`);
  const [first, second] = events;
  const row = (event) => page.locator(`.events-list [data-event="${event.id}"]`);
  const raw = () => new URL(page.url()).searchParams.get("open");
  await row(first).focus();
  await page.keyboard.press("o");
  await eventually("the first is open", () => raw() === first.id);
  await page.keyboard.press("Escape");
  await row(second).focus();
  await page.keyboard.press("o");
  await eventually("the browser went back", () => page.evaluate(() => window.returned));
  await idle(page);
  await eventually("the second is open", () => raw() === second.id);
  const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
  await drawer.getByText(second.type, { exact: true }).first().waitFor();
  // Nothing of the first is left in between.
  await page.goBack();
  await eventually("it is closed", async () => raw() === null && (await drawer.count()) === 0);
  assertNoProblems(page);
  await page.context().close();
});

test("where the log has nothing its head says it once, until the log has a line", async () => {
  const monitor = await startMonitor(STORES);
  try {
    const page = await open(monitor, "/all");
    await note(page).waitFor();
    assert.equal(await marks(page.getByRole("main")).count(), 0);
    for (const [address, ready] of [["/events", ".event-row"], ["/events?view=tree", ".run__who"]]) {
      await page.goto(monitor.url + address);
      await idle(page);
      await page.locator(ready).first().waitFor();
      await note(page).waitFor();
      assert.equal(await marks(page.getByRole("main")).count(), 0, address);
    }
    // A thread: the session's head and the thread's, no bubble.
    const { sessions } = await monitor.get("/api/v2/sessions?limit=100");
    const longest = sessions.reduce((best, one) => (one.messageCount > best.messageCount ? one : best));
    await page.goto(`${monitor.url}/s/${encodeURIComponent(longest.workSessionId)}`);
    await idle(page);
    await page.getByText("모두 세션 기록에서 읽음").waitFor();
    assert.ok((await page.locator(".stream article").count()) > 3);
    assert.equal(await marks(page.locator(".stream")).count(), 0);
    assert.equal(await marks(page.locator(".session-head")).count(), 1);
    assert.doesNotMatch(await mainText(page), /세션 번호 없음/);
    // The log has one line more: in the open list, each row that it lacks is marked from then on.
    await page.goto(`${monitor.url}/all`);
    await idle(page);
    await note(page).waitFor();
    await mark(page);
    await monitor.append(message({ from: "seum", to: "dajim", text: "로그에만 있는 부탁입니다.", session: "ws_alone", conversation: "alone", at: STORES.clock - 1_000 }));
    await page.getByRole("button", { name: /새 활동/ }).click();
    await eventually("all but the new one", async () => (await marked(page, "[data-session]", "data-session")).length === sessions.length);
    assert.equal(await note(page).count(), 0);
    assert.ok(await unmoved(page));
    assertNoProblems(page);
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("from a session to the conversation it takes part in and back to its line, by keyboard", async () => {
  const page = await open(told, store(EDEN));
  const talks = page.getByRole("region", { name: "참여한 대화" });
  const link = talks.getByRole("link", { name: /결제 API 배포 파이프라인 점검/ });
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/s\//);
  await idle(page);
  const original = page.locator(`.stream article a:is([href*="/${EDEN}?"], [href*="/${encodeURIComponent(EDEN)}?"])`).first();
  await original.focus();
  assert.equal(await original.getAttribute("aria-label"), "원문 보기");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => decodeURIComponent(url.pathname) === `/sessions/${EDEN}` && url.searchParams.has("at"));
  await idle(page);
  await eventually("its line is marked", async () => (await page.locator(".turn.is-target").count()) === 1);
  assertNoProblems(page);
  await page.context().close();
});

test("a stored session is spoken to by its own key, with the keyboard alone", async () => {
  const { sessions } = await told.get("/api/v2/sessions-store");
  const child = sessions.find((row) => row.label === "research-a").key;
  const page = await open(told, store(child));
  gateway.heard.length = 0;
  gateway.part = await captured("2026.9", "send-ok");
  const button = page.locator(".store-head").getByRole("button", { name: "메시지 보내기", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "에이전트에게 메시지 보내기", exact: true });
  await dialog.waitFor();
  assert.ok((await dialog.innerText()).includes(child), "it says which session");
  await page.keyboard.type("진행 상황을 알려 주세요");
  await page.keyboard.press("Control+Enter");
  await dialog.getByRole("button", { name: "보내기", exact: true }).waitFor();
  assert.ok((await dialog.innerText()).includes(child), "and once more before it goes out");
  await page.keyboard.press("Enter");
  await eventually("it is answered", async () => /답을 받았습니다/.test(await dialog.getByRole("status").innerText()));
  assert.equal(gateway.heard.length, 1);
  const { args } = gateway.heard[0].body;
  assert.deepEqual([args.sessionKey, args.message], [child, "[Human Intervention] 진행 상황을 알려 주세요"]);
  await page.keyboard.press("Escape");
  await eventually("the focus is back", () => button.evaluate((own) => own === document.activeElement));
  // Where nobody works, nothing is offered: what was put away, and the session as which messages are sent.
  const archived = (await told.get("/api/v2/sessions-store?archived=true")).sessions.find((row) => row.archived).key;
  for (const key of [archived, "agent:ruda:task-hub"]) {
    await walk(page, store(key));
    await page.locator(".store-head__key").getByText(key).waitFor();
    await page.locator(".store-facts").waitFor();
    assert.equal(await button.count(), 0, key);
  }
  assertNoProblems(page);
  await page.context().close();
  // Nor where the monitor has no gateway.
  const silent = await open(mixed.monitor, store(EDEN));
  await silent.locator(".store-facts").waitFor();
  assert.equal(await silent.getByRole("button", { name: "메시지 보내기" }).count(), 0);
  assertNoProblems(silent);
  await silent.context().close();
});
