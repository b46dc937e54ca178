// Browser tests of stored OpenClaw sessions: their list, filters and histories. For two real homes the list is compared
// with recorded answers of OpenClaw.
//
// Proves (transcripts): Stored sessions are listed, filtered, opened and read by keyboard alone. A list of 5,000 draws
// fewer than 400 rows. A store of an unknown version, an unreadable, a missing and an empty store each have their own
// message.
import assert from "node:assert/strict";
import { appendFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { message, startMonitor } from "../support/monitor.mjs";
import { allowProblems, test as base, expect } from "../support/test.mjs";
import { mainText, menu, waitUntilLoaded } from "../support/steps.mjs";
import { STORES } from "../support/views.mjs";

const fixtures = path.join(import.meta.dirname, "../../fixtures");
/** Just behind the last line of both homes: 2026-11-21T03:05:00Z. */
const NOW = STORES.clock;
const EDEN = "agent:eden:main";

// `monitor` reads a home of the database era. `older` reads one of the file era, which these tests write to.
const test = base.extend({
  older: [
    async ({ selectBundle }, use) => {
      void selectBundle;
      const older = await startMonitor({ story: "openclaw-2026.2/dot-openclaw", clock: NOW });
      await use(older);
      await older.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  /** Opens an address of a monitor, `monitor` unless another is named, in the test's page. */
  open: async ({ page, monitor }, use) => {
    await use(async (address, { url } = monitor) => {
      await page.goto(url + address);
      await waitUntilLoaded(page);
      return page;
    });
  },
});
test.use({ home: STORES, look: { now: NOW } });

const list = (page) => page.getByRole("region", { name: "OpenClaw 세션 목록" });
const rows = (page) => list(page).getByRole("listitem");
const row = (page, name) => rows(page).filter({ has: page.getByRole("link", { name, exact: true }) });
const keys = async (page) => (await list(page).locator("[data-event]").evaluateAll((all) => all.map((one) => one.dataset.event))).sort();
const turns = (page) => page.getByRole("log", { name: "대화 기록" }).locator(".turn");
/** The turn in which this is said; its title may repeat the words. */
const said = (page, words) => page.getByRole("article").filter({ has: page.locator(".bubble__body").getByText(words) });
const store = (key, query = "") => `/sessions/${encodeURIComponent(key)}${query}`;

/** Sessions that the gateway itself listed, less what its README says was done to them afterwards. */
async function captured() {
  const { frames } = JSON.parse(await readFile(path.join(fixtures, "openclaw-2026.9/captures/ws-lists.json"), "utf8"));
  const all = frames.find((frame) => frame.method === "sessions.list").response.payload.sessions;
  const named = (label) => all.find((session) => session.label === label || session.displayName === label).key;
  const [deleted, archived] = [named("schema-dump"), named("hotfix-room")];
  return { current: all.map((session) => session.key).filter((key) => key !== deleted && key !== archived).sort(), archived };
}

test("both homes list the sessions of their program and files", { tag: "@quick" }, async ({ page, open, older }) => {
  const { current, archived } = await captured();
  await open("/");
  await menu(page, "OpenClaw 세션").click();
  await page.waitForURL(/\/sessions$/);
  await waitUntilLoaded(page);
  assert.deepEqual(await keys(page), current);
  assert.match(await mainText(page), new RegExp(`저장소에 있는 세션과 그 대화 기록 · ${current.length}개`));
  const main = await row(page, "배포 담당").innerText();
  for (const told of ["메인", "끝남", "studio-1", "토큰 40,664", "컨텍스트 20%", "하위 세션 1개", "staging을 먼저 확인하고"]) {
    assert.ok(main.includes(told), `${told}: ${main}`);
  }
  const late = await row(page, "load-test").innerText();
  assert.match(late, /하위 에이전트[^]*시간 초과/);
  assert.doesNotMatch(late, /토큰/, "an outdated total is hidden");
  assert.match(await row(page, "Automation: 일일 점검").innerText(), /예약 작업/);
  await row(page, "research-a1").getByRole("link", { name: /의 하위 세션/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: "research-a" })).toBeVisible();
  await open("/sessions");
  await page.getByRole("button", { name: "보관됨" }).click();
  await expect.poll(() => keys(page), "the archived one alone").toEqual([archived]);

  const files = await Promise.all(["dajim", "eden", "ruda", "seum", "worker-quick"].map(async (agent) =>
    Object.keys(JSON.parse(await readFile(path.join(fixtures, `openclaw-2026.2/dot-openclaw/agents/${agent}/sessions/sessions.json`), "utf8")))));
  await open("/sessions", older);
  assert.deepEqual(await keys(page), files.flat().filter((key) => !key.includes(":run:")).sort());
});

test("filters are in the address, narrow together, undo with Back", async ({ page, open }) => {
  await open("/sessions");
  await page.getByLabel("모든 종류").selectOption("main");
  await expect(rows(page), "main sessions").toHaveCount(4);
  await page.getByLabel("모든 종류").selectOption("cron");
  await expect(rows(page), "and scheduled ones").toHaveCount(5);
  await page.getByRole("combobox", { name: "에이전트", exact: true }).selectOption("ruda");
  await expect(rows(page), "of one agent").toHaveCount(2);
  assert.match(page.url(), /kind=main&kind=cron&agent=ruda/);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(rows(page)).toHaveCount(2);
  await page.goBack();
  await expect(rows(page), "Back takes the agent off").toHaveCount(5);
  await page.getByRole("link", { name: "필터 지우기" }).click();
  await expect(rows(page), "all again").toHaveCount(11);
  await page.goto("/sessions?since=1h&q=nothing-is-called-so");
  await expect(page.getByText("조건에 맞는 세션이 없습니다")).toBeVisible();
  await page.goto("/sessions?kind=dream");
  await expect(page.getByText(/kind=dream/)).toBeVisible();
});

test("Korean is searched when its composition ends", async ({ page, open }) => {
  await open("/sessions");
  const field = page.getByRole("searchbox", { name: "이름·라벨·키로 찾기" });
  await page.keyboard.press("/");
  await expect(field).toBeFocused();
  const ime = await page.context().newCDPSession(page);
  const asked = [];
  page.on("request", (request) => request.url().includes("sessions-store?") && asked.push(new URL(request.url()).searchParams.get("search")));
  for (const text of ["ㅂ", "배"]) await ime.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  await ime.send("Input.insertText", { text: "배포" });
  await page.waitForURL((url) => url.searchParams.get("q") === "배포");
  await expect.poll(() => keys(page), "one is called so").toEqual([EDEN]);
  assert.deepEqual(asked.filter((text) => text && text !== "배포"), [], "half a syllable is not searched");
});

test("unlogged talk is a conversation; a message links its line", async ({ page, open, monitor }) => {
  await open("/all");
  const sessions = (await monitor.get("/api/v2/sessions?limit=100")).sessions;
  assert.equal(new Set(sessions.map((session) => session.title)).size, sessions.length, "no conversation is listed twice");
  await page.getByRole("link", { name: /결제 API 배포 파이프라인 점검/ }).first().click();
  await page.waitForURL(/\/s\//);
  await waitUntilLoaded(page);
  const bubble = page.locator(".stream article").filter({ has: page.getByRole("link", { name: "원문 보기" }) }).first();
  const words = (await bubble.locator(".bubble__body").innerText()).split("\n").find((line) => line.includes("결제"));
  await bubble.hover();
  await bubble.getByRole("link", { name: "원문 보기" }).click();
  await page.waitForURL(/\/sessions\/.*[?&]at=/);
  await waitUntilLoaded(page);
  await expect(page.locator(".is-target").filter({ hasText: words }).first(), "the line is marked").toBeVisible();
});

test("the keyboard opens a session, its history and a tool", { tag: "@quick" }, async ({ page, open }) => {
  await open("/sessions?q=eden:main");
  await expect(rows(page), "one row").toHaveCount(1);
  await page.locator("h1").focus();
  await page.keyboard.press("j");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.event), EDEN);
  await page.keyboard.press("o");
  await page.waitForURL((url) => url.pathname === "/sessions/agent:eden:main");
  await expect(page.getByRole("heading", { level: 1, name: "배포 담당" })).toBeVisible();
  await waitUntilLoaded(page);
  // Back to the row it was opened from.
  await page.goBack();
  await expect.poll(() => page.evaluate(() => document.activeElement.closest("[data-event]")?.dataset.event), "the row has the focus again").toBe(EDEN);
  await page.goForward();
  await waitUntilLoaded(page);
  const call = page.getByRole("article").filter({ hasText: "태그는 인프라 담당인 세움에게" });
  await call.focus();
  await page.keyboard.press("o");
  await expect(call.getByText("보낸 값")).toBeVisible();
  assert.match(await call.innerText(), /sessions_send[^]*결과는 ‘도구 포함’을 켜면 보입니다/);
});

test("a history shows speakers, compaction and failures", async ({ page, open }) => {
  await open(store(EDEN));
  const head = await page.getByRole("main").locator("header").first().innerText();
  for (const told of ["배포 담당", "메인", EDEN, "studio/studio-1", "40,664", "컨텍스트 200,000의 20%"]) assert.ok(head.includes(told), `${told}: ${head}`);
  const first = page.getByRole("article").first();
  assert.match(await first.getAttribute("aria-label"), /^루다에게서 전달됨, /);
  await expect(first.getByRole("link", { name: "루다 · main" })).toHaveAttribute("href", "/sessions/agent:ruda:main");
  assert.match(await first.innerText(), /결제 API 배포 파이프라인 점검/);
  assert.doesNotMatch(await mainText(page), /Inter-session message|routed by OpenClaw/);
  // The wrapper of a tool search shows only the called tool, once.
  await expect(page.getByText("tool_call")).toHaveCount(0);
  await expect(turns(page).filter({ hasText: "응답하지 못하고 실패했습니다" })).toHaveCount(4);
  await expect(page.getByText("여기까지의 대화를 요약해 컨텍스트를 줄였습니다 (Compaction)")).toBeVisible();
  await expect(page.getByRole("article", { name: /^OpenClaw가 대신 적음/ })).toHaveCount(1);
  await expect(page.getByRole("article", { name: /^사람, / })).toHaveCount(1);
  await expect(page.getByText("대화의 처음입니다")).toBeVisible();
  // Thoughts are folded.
  const thought = page.getByText("AGENTS.md의 규칙을 확인하고");
  await expect(thought).toHaveCount(0);
  await page.locator("summary").filter({ hasText: "생각 보기" }).first().click();
  await expect(thought).toBeVisible();
  // What tools gave, in the address.
  const count = await turns(page).count();
  await page.getByRole("button", { name: "도구 포함" }).click();
  await page.waitForURL(/tools=1/);
  const exec = page.locator("details").filter({ hasText: "exec" });
  await expect(async () => {
    await exec.first().evaluate((details) => (details.open = true));
    assert.match(await exec.first().innerText(), /결과\s+payments-api 2026\.2\.14-rc3\s+payments-worker latest/);
  }, "results are there").toPass();
  await expect(turns(page), "results stand within their calls").toHaveCount(count);
  await open(store("agent:ruda:main", "?tools=1"));
  await open(store("agent:seum:main"));
});

test("talk before a reset loads on demand", async ({ page, open, older }) => {
  await open(store("agent:dajim:main"), older);
  await expect(turns(page).first()).toBeVisible();
  const long = startOf(older, "reset-room", [
    { type: "message", id: "r1", message: { role: "user", content: "처음 이야기", timestamp: NOW - 9_000 } },
    { type: "reset", id: "r2", timestamp: new Date(NOW - 8_000).toISOString() },
    { type: "message", id: "r3", message: { role: "user", content: "새로 시작한 이야기", timestamp: NOW - 7_000 } },
  ]);
  await page.goto(older.url + store(await long));
  await expect(page.getByText("여기서 대화를 새로 시작했습니다 (Reset)")).toBeVisible();
  await expect(said(page, "처음 이야기")).toHaveCount(0);
  await page.getByRole("button", { name: "이전 대화 더 보기" }).click();
  await expect(said(page, "처음 이야기")).toBeVisible();
  await expect(page.getByText("대화의 처음입니다")).toBeVisible();
});

/** A session of eden with these lines in its transcript. */
async function startOf(monitor, name, lines) {
  const folder = path.join(monitor.home, "agents/eden/sessions");
  const file = path.join(folder, "sessions.json");
  const all = JSON.parse(await readFile(file, "utf8"));
  const key = `agent:eden:${name}`;
  all[key] = { sessionId: name, updatedAt: NOW };
  await writeFile(path.join(folder, `${name}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  await writeFile(file, JSON.stringify(all));
  return key;
}

test("a long history loads by pages; links reach any line", async ({ page, open, older }) => {
  const line = (n) => ({ type: "message", id: `line-${n}`, parentId: n ? `line-${n - 1}` : null,
    message: { role: n % 2 ? "assistant" : "user", content: `${n}번째 말. ${"배포 기록을 남깁니다. ".repeat(20)}`, timestamp: NOW - 600_000 + n * 1_000 } });
  const key = await startOf(older, "long-room", Array.from({ length: 420 }, (_, n) => line(n)));
  await open(store(key), older);
  await expect(page.getByText("419번째 말.")).toBeVisible();
  await expect(turns(page)).toHaveCount(100);
  await page.getByRole("button", { name: "이전 대화 더 보기" }).click();
  await expect(turns(page), "a page more").toHaveCount(200);
  assert.match(page.url(), /older=1/);
  await page.reload();
  await expect(turns(page), "the address brings it back").toHaveCount(200);
  // What is appended comes by itself, and what was read before it stays.
  await appendFile(path.join(older.home, "agents/eden/sessions/long-room.jsonl"), `${JSON.stringify(line(420))}\n`);
  await expect(page.getByText("420번째 말.")).toBeVisible();
  await expect(turns(page)).toHaveCount(201);
  // The link of a line, from its time.
  await said(page, "300번째 말.").getByRole("link").first().click();
  await page.waitForURL(/at=line-300/);
  await page.goto(older.url + store(key, "?at=line-7"));
  const far = said(page, /^7번째 말\./);
  await expect(far.first()).toBeFocused();
  await expect(far.first()).toBeInViewport({ ratio: 0.95 });
  await expect(far.first()).toHaveClass(/(^| )is-target( |$)/);
  await page.goto(older.url + store(key, "?at=line-of-another"));
  await expect(page.getByText("링크가 가리키는 줄을 여기서 찾지 못했습니다.")).toBeVisible();
  await expect(turns(page), "the search went to the beginning").toHaveCount(421);
});

test("a log change refreshes an open history at once", async ({ page, open, older }) => {
  await open(store(await startOf(older, "live-room", [{ type: "message", id: "a", message: { role: "user", content: "처음", timestamp: NOW } }])), older);
  await expect(said(page, "처음")).toBeVisible();
  await appendFile(path.join(older.home, "agents/eden/sessions/live-room.jsonl"), `${JSON.stringify({ type: "message", id: "b", message: { role: "assistant", content: "새 답", timestamp: NOW } })}\n`);
  const asked = page.waitForRequest((request) => request.url().includes("/history"), { timeout: 12_000 });
  await older.append(message({ from: "eden", to: "seum", text: "소식", session: "ws_news", conversation: "news", at: NOW }));
  await asked;
  await expect(page.getByText("새 답")).toBeVisible();
});

test("unreadable stores are named, not shown as empty", async ({ page, open, startMonitor }) => {
  allowProblems(page, [/404/]);
  const monitor = await startMonitor(STORES);
  const database = (agent) => path.join(monitor.home, `agents/${agent}/agent/openclaw-agent.sqlite`);
  const before = (await monitor.get("/api/v2/sessions-store")).sessions.length;
  const ofSeum = (await monitor.get("/api/v2/sessions-store?agent=seum")).sessions.length;
  assert.ok(ofSeum > 0 && before > ofSeum);
  // A database of unknown tables, and a folder in place of a database.
  await cp(path.join(monitor.home, "state/openclaw.sqlite"), database("seum"));
  await rm(database("dajim"));
  await mkdir(database("dajim"));
  await open("/sessions", monitor);
  const told = page.getByRole("region", { name: "온전히 읽지 못한 저장소 2곳" });
  await expect(told).toBeVisible();
  assert.match(await told.innerText(), /지원하지 않는 저장소 버전 \(18\)[^]*agents\/seum/);
  assert.match(await told.innerText(), /읽지 못함[^]*agents\/dajim[^]*보통 파일이 아님/);
  await expect(rows(page), "the other sessions stay, and the last good state of the folder").toHaveCount(before - ofSeum);
  await page.goto(`${monitor.url}/sessions?agent=seum`);
  await expect(page.getByText("읽은 세션이 없습니다")).toBeVisible();
  await page.goto(monitor.url + store("agent:nobody:main"));
  await expect(page.getByText("이 키의 세션이 없습니다")).toBeVisible();
});

test("a missing, empty and unreadable record is each named", async ({ page, open, older }) => {
  const folder = path.join(older.home, "agents/eden/sessions");
  const missing = await startOf(older, "no-record", []);
  await rm(path.join(folder, "no-record.jsonl"));
  const empty = await startOf(older, "still-room", [{ type: "session", version: 3, id: "still-room" }]);
  const broken = await startOf(older, "broken-room", []);
  await rm(path.join(folder, "broken-room.jsonl"));
  await mkdir(path.join(folder, "broken-room.jsonl"));
  await open(store(missing), older);
  await expect(page.getByText("대화 기록이 없습니다")).toBeVisible();
  await page.goto(older.url + store(empty));
  await expect(page.getByText("아직 나눈 대화가 없습니다")).toBeVisible();
  await page.goto(older.url + store(broken));
  await expect(page.getByText("대화 기록을 읽지 못했습니다")).toBeVisible();
  await rm(path.join(folder, "broken-room.jsonl"), { recursive: true });
  await writeFile(path.join(folder, "broken-room.jsonl"), `half\n${JSON.stringify({ type: "message", id: "x", message: { role: "user", content: "돌아왔습니다" } })}\n`);
  await page.getByRole("button", { name: "다시 시도" }).click();
  await expect(page.getByText("돌아왔습니다")).toBeVisible();
  await expect(page.getByText("기록에서 1줄은 읽지 못했습니다.")).toBeVisible();
});

test("of five thousand sessions few rows are drawn", async ({ page, open, startMonitor }) => {
  const monitor = await startMonitor({ story: null, clock: NOW });
  const all = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`agent:eden:direct:peer-${n}`, { sessionId: `s-${n}`, updatedAt: NOW - n * 1_000, label: `이름 ${n}` }]));
  await mkdir(path.join(monitor.home, "agents/eden/sessions"), { recursive: true });
  await writeFile(path.join(monitor.home, "agents/eden/sessions/sessions.json"), JSON.stringify(all));
  await open("/sessions", monitor);
  await expect(page.getByText("모두 5,000개 중 200개입니다.")).toBeVisible();
  const more = page.getByRole("button", { name: "더 보기" });
  await more.click();
  await expect(page.getByText("모두 5,000개 중 1,000개입니다.")).toBeVisible();
  await more.click();
  await expect(more, "nothing is left").toHaveCount(0);
  await expect.poll(() => rows(page).count(), "most rows are not drawn").toBeLessThan(400);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expect(row(page, "이름 4999")).toBeVisible();
});

test("a monitor without stored sessions says so without alert", async ({ page, startMonitor }) => {
  allowProblems(page, [/404|410/]);
  const old = await startMonitor({ args: ["--api", "1"] });
  await page.goto(`${old.url}/sessions`);
  await expect(page.getByText("이 모니터는 OpenClaw 세션을 보여 주지 않습니다")).toBeVisible();
  await page.goto(old.url + store(EDEN));
  await expect(page.getByText("이 모니터는 OpenClaw 세션을 보여 주지 않습니다")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
});
