// Browser tests of the origin of messages: marks on messages from transcripts, and the notice that OpenClaw's state
// folder (the home) has no log. Also tests the links between a work session and the OpenClaw sessions that store its
// messages, and messages to such a session.
//
// Proves (transcripts): In a home with log and transcripts, messages from transcripts are marked in threads, sessions,
// events and delegations. A home without a log has one notice instead, until the log has a line. Links lead from a
// stored session to its work session and back. A message to a stored session is sent to that session's key.
import assert from "node:assert/strict";

import { captured, startGateway } from "../support/gateway.mjs";
import { LOGGED, startMixed } from "../support/mixed.mjs";
import { message, startMonitor } from "../support/monitor.mjs";
import { test as base, expect } from "../support/test.mjs";
import { mainText, markDocument, waitUntilLoaded, walk, wasNotReloaded } from "../support/steps.mjs";
import { SIZES, STORES } from "../support/views.mjs";

const TOKEN = "gateway-token-of-the-origin-spec";
const EDEN = "agent:eden:main";

const test = base.extend({
  /** A home with both log and transcripts: `{ monitor, page, thread }`. */
  mixed: [
    async ({ selectBundle }, use) => {
      void selectBundle;
      const mixed = await startMixed();
      await use(mixed);
      await mixed.monitor.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  monitor: [async ({ mixed }, use) => use(mixed.monitor), { scope: "worker" }],
  gateway: [
    async ({}, use) => {
      const gateway = await startGateway(TOKEN);
      await use(gateway);
      await gateway.stop();
    },
    { scope: "worker" },
  ],
  /** The monitor of a home without a log, with a gateway. */
  unlogged: [
    async ({ gateway, selectBundle }, use) => {
      void selectBundle;
      const monitor = await startMonitor({ ...STORES, env: { TASK_MONITOR_GATEWAY_URL: gateway.url, TASK_MONITOR_GATEWAY_TOKEN: TOKEN } });
      await expect.poll(async () => (await monitor.get("/api/v2/health")).transcripts.talks, { timeout: 60_000 }).toBe(23);
      await use(monitor);
      await monitor.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});
test.use({ look: { now: STORES.clock } });

const open = async (page, address) => {
  await page.goto(address);
  await waitUntilLoaded(page);
};
const MARK = "세션 기록: 조정 로그에는 없고, 에이전트의 세션 기록에서 읽었습니다";
/** The marks within an element. */
const marks = (place) => place.locator(".small-mark.is-transcript");
/** Which of these elements have the mark: sorted values of the attribute `name`. */
const marked = (page, elements, name) =>
  page.locator(elements).evaluateAll((all, name) => all.filter((one) => one.querySelector(".small-mark.is-transcript")).map((one) => one.getAttribute(name)).sort(), name);
const note = (page) => page.getByText("여기 있는 것은 모두 에이전트의 세션 기록에서 읽었습니다. 조정 로그에는 없습니다.");
const store = (key) => `/sessions/${encodeURIComponent(key)}`;
/** The events of the session with both origins, ungrouped. */
const ofLogged = `/events?session=${LOGGED}&group=off`;
const isFromTranscript = (one) => one.origin === "transcript";
const ids = (all) => all.map((one) => one.id).sort();

test("a mixed thread marks transcript messages and filled ones", { tag: "@quick" }, async ({ page, openPage, mixed }) => {
  await open(page, mixed.thread);
  const wanted = ids(mixed.page.messages.filter(isFromTranscript));
  assert.equal(wanted.length, 2);
  await expect.poll(() => marked(page, ".stream article", "data-event"), "those two and no other").toEqual(wanted);
  assert.equal((await marks(page.locator(".stream")).first().textContent()).trim(), MARK);
  const filled = page.locator(".stream article").filter({ hasText: "로그에서 잘린 뒷부분은 세션 기록에서 이어 읽었습니다" });
  await expect(filled).toHaveCount(1);
  await expect(filled).toHaveAttribute("data-event", mixed.page.messages[1].id);
  const bar = page.locator(".thread-bar");
  assert.match(await bar.innerText(), /메시지 4[^]*4개 중 2개는 세션 기록에서 읽음/);
  const head = page.locator(".session-head");
  assert.match(await head.innerText(), /일부는 세션 기록/);
  assert.match(await head.textContent(), /이벤트 7개 중 4개는 조정 로그에 없고/);
  // The stream of the whole session is marked alike.
  await walk(page, `/s/${LOGGED}/whole`);
  await expect.poll(() => marked(page, ".stream article", "data-event"), "marked there too").toEqual(wanted);
  // A phone shows this line instead of the bar, in English too.
  const phone = await openPage(mixed.monitor.url + mixed.thread, { now: STORES.clock, ...SIZES[2], language: "en" });
  await expect(phone.getByText("2 of 4 read from transcripts")).toBeVisible();
  await expect(phone.getByText("Partly from transcripts").first()).toBeVisible();
  assert.equal((await marks(phone.locator(".stream")).first().innerText()).trim().split("\n")[0].replace(/:.*/, ""), "Transcript");
});

test("lists of sessions, events and delegations mark transcript rows", async ({ page, monitor }) => {
  await open(page, "/all");
  const { sessions } = await monitor.get("/api/v2/sessions?limit=100");
  const whole = sessions.filter((session) => session.transcriptOnlyEvents === session.eventCount).map((session) => session.workSessionId).sort();
  assert.deepEqual([sessions.length - whole.length, whole.includes(LOGGED), whole.includes("ws_alone")], [2, false, false]);
  await expect.poll(() => marked(page, "[data-session]", "data-session"), "cards").toEqual(whole);
  await expect(note(page)).toHaveCount(0);

  // Of a long list only the rows near the window are drawn; the list of one session is drawn whole.
  await open(page, "/events?group=off");
  const drawn = page.locator(".events-list [data-event]");
  await expect(drawn.first()).toBeVisible();
  const { events } = await monitor.get("/api/v2/events?limit=100");
  const known = new Set(ids(events.filter(isFromTranscript)));
  const seen = await drawn.evaluateAll((all) => all.map((one) => one.dataset.event));
  assert.deepEqual(await marked(page, ".events-list [data-event]", "data-event"), seen.filter((id) => known.has(id)).sort());
  await expect(note(page)).toHaveCount(0);
  await open(page, ofLogged);
  const own = (await monitor.get(`/api/v2/events?session=${LOGGED}`)).events;
  assert.deepEqual([own.length, own.filter(isFromTranscript).length], [7, 4]);
  await expect(drawn).toHaveCount(7);
  assert.deepEqual(await marked(page, ".events-list [data-event]", "data-event"), ids(own.filter(isFromTranscript)));
  await expect(note(page)).toHaveCount(0);

  await open(page, "/events?view=tree");
  const { rows } = await monitor.get("/api/v2/delegations");
  const lines = page.getByRole("treegrid").getByRole("row").filter({ has: page.locator(".run__who") });
  await expect(lines).toHaveCount(rows.length);
  await expect(lines.filter({ has: page.locator(".small-mark.is-transcript") })).toHaveCount(rows.filter(isFromTranscript).length);
  await expect(marks(lines.filter({ hasText: "log-only" }))).toHaveCount(0);
});

test("a raw event names its origin and links to its line", async ({ page, monitor }) => {
  await open(page, ofLogged);
  const { events } = await monitor.get(`/api/v2/events?session=${LOGGED}`);
  const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
  const show = async (event) => {
    await page.locator(`.events-list [data-event="${event.id}"]`).focus();
    await page.keyboard.press("o");
    await expect(drawer).toBeVisible();
  };
  await show(events.find((event) => !isFromTranscript(event)));
  await expect(drawer.getByText(/coordination-events\.ndjson · [\d,]+바이트 위치/)).toBeVisible();
  await expect(drawer.getByRole("link", { name: "원문 보기" })).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(drawer).toHaveCount(0);
  await show(events.find((event) => isFromTranscript(event) && event.type === "a2a.response"));
  await expect(drawer.getByText("조정 로그에 없음 · 세션 기록에서 읽음")).toBeVisible();
  await drawer.getByRole("link", { name: "원문 보기" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\/.*[?&]at=/);
  await waitUntilLoaded(page);
  await expect(page.locator(".turn.is-target")).toHaveCount(1);
});

test("an event opened during a pending Back is shown", async ({ page, monitor }) => {
  await open(page, ofLogged);
  // `history.back` is asynchronous; here it takes so long that a key is always faster.
  await page.evaluate(() => {
    const back = history.back.bind(history);
    history.back = () =>
      void setTimeout(() => {
        addEventListener("popstate", () => (window.returned = true), { once: true });
        back();
      }, 700);
  });
  const { events } = await monitor.get(`/api/v2/events?session=${LOGGED}`);
  const [first, second] = events;
  const row = (event) => page.locator(`.events-list [data-event="${event.id}"]`);
  const raw = () => new URL(page.url()).searchParams.get("open");
  await row(first).focus();
  await page.keyboard.press("o");
  await expect.poll(raw, "the first is open").toBe(first.id);
  await page.keyboard.press("Escape");
  await row(second).focus();
  await page.keyboard.press("o");
  await page.waitForFunction(() => window.returned);
  await waitUntilLoaded(page);
  await expect.poll(raw, "the second is open").toBe(second.id);
  const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
  await expect(drawer.getByText(second.type, { exact: true }).first()).toBeVisible();
  // The history holds no entry of the first one.
  await page.goBack();
  await expect(drawer).toHaveCount(0);
  await expect.poll(raw, "it is closed").toBe(null);
});

test("a home without a log says so once, until the log has a line", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor(STORES);
  const page = await openPage(null, { now: STORES.clock, baseURL: monitor.url });
  await open(page, "/all");
  await expect(note(page)).toBeVisible();
  await expect(marks(page.getByRole("main"))).toHaveCount(0);
  for (const [address, ready] of [["/events", ".event-row"], ["/events?view=tree", ".run__who"]]) {
    await open(page, address);
    await expect(page.locator(ready).first()).toBeVisible();
    await expect(note(page)).toBeVisible();
    await expect(marks(page.getByRole("main")), address).toHaveCount(0);
  }
  // In a thread the heads of session and thread have the mark, the bubbles have none.
  const { sessions } = await monitor.get("/api/v2/sessions?limit=100");
  const longest = sessions.reduce((best, one) => (one.messageCount > best.messageCount ? one : best));
  await open(page, `/s/${encodeURIComponent(longest.workSessionId)}`);
  await expect(page.getByText("모두 세션 기록에서 읽음")).toBeVisible();
  assert.ok((await page.locator(".stream article").count()) > 3);
  await expect(marks(page.locator(".stream"))).toHaveCount(0);
  await expect(marks(page.locator(".session-head"))).toHaveCount(1);
  assert.doesNotMatch(await mainText(page), /협업 ID 없음/);
  // Once the log has a line, the open list marks each row that comes from transcripts.
  await open(page, "/all");
  await expect(note(page)).toBeVisible();
  await markDocument(page);
  await monitor.append(message({ from: "seum", to: "dajim", text: "로그에만 있는 부탁입니다.", session: "ws_alone", conversation: "alone", at: STORES.clock - 1_000 }));
  await page.getByRole("button", { name: /새 활동/ }).click();
  await expect.poll(async () => (await marked(page, "[data-session]", "data-session")).length, "all but the new one").toBe(sessions.length);
  await expect(note(page)).toHaveCount(0);
  assert.ok(await wasNotReloaded(page));
});

test("a session links to its conversation and back to its line", { tag: "@quick" }, async ({ openPage, unlogged }) => {
  const page = await openPage(unlogged.url + store(EDEN), { now: STORES.clock });
  await waitUntilLoaded(page);
  const talks = page.getByRole("region", { name: "참여한 협업" });
  const link = talks.getByRole("link", { name: /결제 API 배포 파이프라인 점검/ });
  await link.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/s\//);
  await waitUntilLoaded(page);
  const original = page.locator(`.stream article a:is([href*="/${EDEN}?"], [href*="/${encodeURIComponent(EDEN)}?"])`).first();
  await original.focus();
  await expect(original).toHaveAttribute("aria-label", "원문 보기");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => decodeURIComponent(url.pathname) === `/sessions/${EDEN}` && url.searchParams.has("at"));
  await waitUntilLoaded(page);
  await expect(page.locator(".turn.is-target")).toHaveCount(1);
});

test("a message goes to a stored session's own key, by keyboard", async ({ page: silent, openPage, gateway, unlogged }) => {
  const { sessions } = await unlogged.get("/api/v2/sessions-store");
  const child = sessions.find((row) => row.label === "research-a").key;
  const page = await openPage(unlogged.url + store(child), { now: STORES.clock });
  await waitUntilLoaded(page);
  gateway.heard.length = 0;
  gateway.part = await captured("2026.9", "send-ok");
  const button = page.locator(".store-head").getByRole("button", { name: "메시지 보내기", exact: true });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "에이전트에게 메시지 보내기", exact: true });
  await expect(dialog).toBeVisible();
  assert.ok((await dialog.innerText()).includes(child), "it says which session");
  await page.keyboard.type("진행 상황을 알려 주세요");
  await page.keyboard.press("Control+Enter");
  await expect(dialog.getByRole("button", { name: "보내기", exact: true })).toBeVisible();
  assert.ok((await dialog.innerText()).includes(child), "and once more before it is sent");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("status")).toContainText("답을 받았습니다");
  assert.equal(gateway.heard.length, 1);
  const { args } = gateway.heard[0].body;
  assert.deepEqual([args.sessionKey, args.message], [child, "[Human Intervention] 진행 상황을 알려 주세요"]);
  await page.keyboard.press("Escape");
  await expect(button).toBeFocused();
  // An archived session takes no messages, nor does the hub's own session, from which messages are sent.
  const archived = (await unlogged.get("/api/v2/sessions-store?archived=true")).sessions.find((row) => row.archived).key;
  for (const key of [archived, "agent:ruda:task-hub"]) {
    await walk(page, store(key));
    await expect(page.locator(".store-head__key").getByText(key)).toBeVisible();
    await expect(page.locator(".store-facts")).toBeVisible();
    await expect(button, key).toHaveCount(0);
  }
  // Nor does any session of a monitor without a gateway.
  await open(silent, store(EDEN));
  await expect(silent.locator(".store-facts")).toBeVisible();
  await expect(silent.getByRole("button", { name: "메시지 보내기" })).toHaveCount(0);
});
