// OpenClaw's own sessions: the list of two real homes against what their program answered, and what was said in each.
import assert from "node:assert/strict";
import { appendFile, cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle, mainText, menu } from "../support/verbs.mjs";

const fixtures = path.join(import.meta.dirname, "../../fixtures");
/** Just behind the last line of both homes: 2026-11-21T03:05:00Z. */
const NOW = 1_795_230_300_000;
const EDEN = "agent:eden:main";

let newer; // of the database era
let older; // of the file era
let browser;
before(async () => {
  newer = await startMonitor({ story: "openclaw-2026.9/dot-openclaw", clock: NOW });
  older = await startMonitor({ story: "openclaw-2026.2/dot-openclaw", clock: NOW });
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

test("both homes list what their program and their files say, and nothing else", async () => {
  const { current, archived } = await captured();
  let page = await open(newer, "/");
  await menu(page, "세션").click();
  await page.waitForURL(/\/sessions$/);
  await idle(page);
  assert.deepEqual(await keys(page), current);
  assert.match(await mainText(page), new RegExp(`저장소에 있는 세션과 그 대화 기록 · ${current.length}개`));
  const main = await row(page, "배포 담당").innerText();
  for (const told of ["메인", "끝남", "studio-1", "토큰 40,664", "컨텍스트 20%", "하위 세션 1개", "staging을 먼저 확인하고"]) {
    assert.ok(main.includes(told), `${told}: ${main}`);
  }
  const late = await row(page, "load-test").innerText();
  assert.match(late, /하위 에이전트[^]*시간 초과/);
  assert.doesNotMatch(late, /토큰/, "a total that is not of now is hidden");
  assert.match(await row(page, "Automation: 일일 점검").innerText(), /예약 작업/);
  await row(page, "research-a1").getByRole("link", { name: /의 하위 세션/ }).click();
  await page.getByRole("heading", { level: 1, name: "research-a" }).waitFor();
  await page.goto(`${newer.url}/sessions`);
  await idle(page);
  await page.getByRole("button", { name: "보관됨" }).click();
  await eventually("the archived one alone", async () => (await keys(page)).join() === archived);
  assertNoProblems(page);
  await page.context().close();

  const files = await Promise.all(["dajim", "eden", "ruda", "seum", "worker-quick"].map(async (agent) =>
    Object.keys(JSON.parse(await readFile(path.join(fixtures, `openclaw-2026.2/dot-openclaw/agents/${agent}/sessions/sessions.json`), "utf8")))));
  page = await open(older, "/sessions");
  assert.deepEqual(await keys(page), files.flat().filter((key) => !key.includes(":run:")).sort());
  assertNoProblems(page);
  await page.context().close();
});

test("filters stand in the address, narrow together and come back with Back", async () => {
  const page = await open(newer, "/sessions");
  await page.getByLabel("모든 종류").selectOption("main");
  await eventually("main sessions", async () => (await rows(page).count()) === 4);
  await page.getByLabel("모든 종류").selectOption("cron");
  await eventually("and scheduled ones", async () => (await rows(page).count()) === 5);
  await page.getByRole("combobox", { name: "에이전트", exact: true }).selectOption("ruda");
  await eventually("of one agent", async () => (await rows(page).count()) === 2);
  assert.match(page.url(), /kind=main&kind=cron&agent=ruda/);
  await page.reload();
  await idle(page);
  assert.equal(await rows(page).count(), 2);
  await page.goBack();
  await eventually("Back takes the agent off", async () => (await rows(page).count()) === 5);
  await page.getByRole("link", { name: "필터 지우기" }).click();
  await eventually("all again", async () => (await rows(page).count()) === 11);
  await page.goto(`${newer.url}/sessions?since=1h&q=nothing-is-called-so`);
  await page.getByText("조건에 맞는 세션이 없습니다").waitFor();
  await page.goto(`${newer.url}/sessions?kind=dream`);
  await page.getByText(/kind=dream/).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("Korean is looked for when its composition ends", async () => {
  const page = await open(newer, "/sessions");
  const field = page.getByRole("searchbox", { name: "이름·라벨·키로 찾기" });
  await page.keyboard.press("/");
  await eventually("the key leads to the page's own field", () => field.evaluate((own) => own === document.activeElement));
  const ime = await page.context().newCDPSession(page);
  const asked = [];
  page.on("request", (request) => request.url().includes("sessions-store?") && asked.push(new URL(request.url()).searchParams.get("search")));
  for (const text of ["ㅂ", "배"]) await ime.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  await ime.send("Input.insertText", { text: "배포" });
  await page.waitForURL((url) => url.searchParams.get("q") === "배포");
  await eventually("one is called so", async () => (await keys(page)).join() === EDEN);
  assert.deepEqual(asked.filter((text) => text && text !== "배포"), [], "half a syllable is not looked for");
  assertNoProblems(page);
  await page.context().close();
});

test("talk that never reached the log stands among the conversations, once, and a message leads to its line", async () => {
  const page = await open(newer, "/all");
  const sessions = (await newer.get("/api/v2/sessions?limit=100")).sessions;
  assert.equal(new Set(sessions.map((session) => session.title)).size, sessions.length, "nothing is told twice");
  await page.getByRole("link", { name: /결제 API 배포 파이프라인 점검/ }).first().click();
  await page.waitForURL(/\/s\//);
  await idle(page);
  const bubble = page.locator(".stream article").filter({ has: page.getByRole("link", { name: "원문 보기" }) }).first();
  const words = (await bubble.locator(".bubble__body").innerText()).split("\n").find((line) => line.includes("결제"));
  await bubble.hover();
  await bubble.getByRole("link", { name: "원문 보기" }).click();
  await page.waitForURL(/\/sessions\/.*[?&]at=/);
  await idle(page);
  await eventually("the line is marked", async () => (await page.locator(".turn.is-target, .is-target").filter({ hasText: words }).count()) > 0);
  assertNoProblems(page);
  await page.context().close();
});

test("with the keyboard alone: from the list into a session, through its history, into a folded tool", async () => {
  const page = await open(newer, "/sessions?q=eden:main");
  await eventually("one row", async () => (await rows(page).count()) === 1);
  await page.locator("h1").focus();
  await page.keyboard.press("j");
  assert.equal(await page.evaluate(() => document.activeElement.dataset.event), EDEN);
  await page.keyboard.press("o");
  await page.waitForURL((url) => url.pathname === "/sessions/agent:eden:main");
  await page.getByRole("heading", { level: 1, name: "배포 담당" }).waitFor();
  await idle(page);
  // Back to the row it was opened from.
  await page.goBack();
  await eventually("the row has the focus again", () => page.evaluate((key) => document.activeElement.closest("[data-event]")?.dataset.event === key, EDEN));
  await page.goForward();
  await idle(page);
  const call = page.getByRole("article").filter({ hasText: "태그는 인프라 담당인 세움에게" });
  await call.focus();
  await page.keyboard.press("o");
  await call.getByText("보낸 값").waitFor();
  assert.match(await call.innerText(), /sessions_send[^]*결과는 ‘도구 포함’을 켜면 보입니다/);
  assertNoProblems(page);
  await page.context().close();
});

test("a history tells who speaks, what was cut off and what failed", async () => {
  const page = await open(newer, store(EDEN));
  const head = await page.getByRole("main").locator("header").first().innerText();
  for (const told of ["배포 담당", "메인", EDEN, "studio/studio-1", "40,664", "컨텍스트 200,000의 20%"]) assert.ok(head.includes(told), `${told}: ${head}`);
  const first = page.getByRole("article").first();
  assert.match(await first.getAttribute("aria-label"), /^루다에게서 전달됨, /);
  assert.equal(await first.getByRole("link", { name: "루다 · main" }).getAttribute("href"), "/sessions/agent:ruda:main");
  assert.match(await first.innerText(), /결제 API 배포 파이프라인 점검/);
  assert.doesNotMatch(await mainText(page), /Inter-session message|routed by OpenClaw/);
  // Of the wrapper of the tool search only the tool that was called is told, once.
  assert.equal(await page.getByText("tool_call").count(), 0);
  assert.equal(await turns(page).filter({ hasText: "응답하지 못하고 실패했습니다" }).count(), 4);
  await page.getByText("여기까지의 대화를 요약해 컨텍스트를 줄였습니다 (Compaction)").waitFor();
  assert.equal(await page.getByRole("article", { name: /^OpenClaw가 대신 적음/ }).count(), 1);
  assert.equal(await page.getByRole("article", { name: /^사람, / }).count(), 1);
  await page.getByText("대화의 처음입니다").waitFor();
  // Thoughts are folded.
  const thought = page.getByText("AGENTS.md의 규칙을 확인하고");
  assert.equal(await thought.count(), 0);
  await page.locator("summary").filter({ hasText: "생각 보기" }).first().click();
  await thought.waitFor();
  // What tools gave, in the address.
  const count = await turns(page).count();
  await page.getByRole("button", { name: "도구 포함" }).click();
  await page.waitForURL(/tools=1/);
  const exec = page.locator("details").filter({ hasText: "exec" });
  await eventually("results are there", async () => {
    await exec.first().evaluate((details) => (details.open = true));
    return /결과\s+payments-api 2026\.2\.14-rc3\s+payments-worker latest/.test(await exec.first().innerText());
  });
  assert.equal(await turns(page).count(), count, "results stand within their calls");
  await page.goto(newer.url + store("agent:ruda:main", "?tools=1"));
  await idle(page);
  await page.goto(newer.url + store("agent:seum:main"));
  await idle(page);
  assertNoProblems(page);
  await page.context().close();
});

test("talk from before a reset is there on demand", async () => {
  const page = await open(older, store("agent:dajim:main"));
  await turns(page).first().waitFor();
  const long = startOf(older, "reset-room", [
    { type: "message", id: "r1", message: { role: "user", content: "처음 이야기", timestamp: NOW - 9_000 } },
    { type: "reset", id: "r2", timestamp: new Date(NOW - 8_000).toISOString() },
    { type: "message", id: "r3", message: { role: "user", content: "새로 시작한 이야기", timestamp: NOW - 7_000 } },
  ]);
  await page.goto(older.url + store(await long));
  await page.getByText("여기서 대화를 새로 시작했습니다 (Reset)").waitFor();
  assert.equal(await said(page, "처음 이야기").count(), 0);
  await page.getByRole("button", { name: "이전 대화 더 보기" }).click();
  await said(page, "처음 이야기").waitFor();
  await page.getByText("대화의 처음입니다").waitFor();
  assertNoProblems(page);
  await page.context().close();
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

test("a long history is read back page by page, and a link opens at its line however far it is", async () => {
  const line = (n) => ({ type: "message", id: `line-${n}`, parentId: n ? `line-${n - 1}` : null,
    message: { role: n % 2 ? "assistant" : "user", content: `${n}번째 말. ${"배포 기록을 남깁니다. ".repeat(20)}`, timestamp: NOW - 600_000 + n * 1_000 } });
  const key = await startOf(older, "long-room", Array.from({ length: 420 }, (_, n) => line(n)));
  const page = await open(older, store(key));
  await page.getByText("419번째 말.").waitFor();
  assert.equal(await turns(page).count(), 100);
  await page.getByRole("button", { name: "이전 대화 더 보기" }).click();
  await eventually("a page more", async () => (await turns(page).count()) === 200);
  assert.match(page.url(), /older=1/);
  await page.reload();
  await eventually("the address brings it back", async () => (await turns(page).count()) === 200);
  // What is appended comes by itself, and what was read before it stays.
  await appendFile(path.join(older.home, "agents/eden/sessions/long-room.jsonl"), `${JSON.stringify(line(420))}\n`);
  await page.getByText("420번째 말.").waitFor();
  assert.equal(await turns(page).count(), 201);
  // The link of a line, from its time.
  await said(page, "300번째 말.").getByRole("link").first().click();
  await page.waitForURL(/at=line-300/);
  await page.goto(older.url + store(key, "?at=line-7"));
  const far = said(page, /^7번째 말\./);
  await eventually("it is in sight and marked", () => far.first().evaluate((own) => {
    const box = own.getBoundingClientRect();
    return own.classList.contains("is-target") && own === document.activeElement && box.top >= 0 && box.top < innerHeight;
  }));
  await page.goto(older.url + store(key, "?at=line-of-another"));
  await page.getByText("링크가 가리키는 줄을 여기서 찾지 못했습니다.").waitFor();
  assert.equal(await turns(page).count(), 421, "it was looked for to the beginning");
  assertNoProblems(page);
  await page.context().close();
});

test("a delta of the log asks again at once", async () => {
  const page = await open(older, store(await startOf(older, "live-room", [{ type: "message", id: "a", message: { role: "user", content: "처음", timestamp: NOW } }])));
  await said(page, "처음").waitFor();
  await appendFile(path.join(older.home, "agents/eden/sessions/live-room.jsonl"), `${JSON.stringify({ type: "message", id: "b", message: { role: "assistant", content: "새 답", timestamp: NOW } })}\n`);
  const asked = page.waitForRequest((request) => request.url().includes("/history"), { timeout: 12_000 });
  await older.append(message({ from: "eden", to: "seum", text: "소식", session: "ws_news", conversation: "news", at: NOW }));
  await asked;
  await page.getByText("새 답").waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("what cannot be read is told and never looks like nothing", async () => {
  const monitor = await startMonitor({ story: "openclaw-2026.9/dot-openclaw", clock: NOW });
  try {
    const database = (agent) => path.join(monitor.home, `agents/${agent}/agent/openclaw-agent.sqlite`);
    const before = (await monitor.get("/api/v2/sessions-store")).sessions.length;
    const ofSeum = (await monitor.get("/api/v2/sessions-store?agent=seum")).sessions.length;
    assert.ok(ofSeum > 0 && before > ofSeum);
    // A database of tables that nobody knows, and one that is a folder.
    await cp(path.join(monitor.home, "state/openclaw.sqlite"), database("seum"));
    await rm(database("dajim"));
    await mkdir(database("dajim"));
    const page = await open(monitor, "/sessions");
    const told = page.getByRole("region", { name: "온전히 읽지 못한 저장소 2곳" });
    await told.waitFor();
    assert.match(await told.innerText(), /지원하지 않는 저장소 버전 \(18\)[^]*agents\/seum/);
    assert.match(await told.innerText(), /읽지 못함[^]*agents\/dajim[^]*보통 파일이 아님/);
    assert.equal(await rows(page).count(), before - ofSeum, "the others are there, and what was read before there was a folder");
    await page.goto(`${monitor.url}/sessions?agent=seum`);
    await page.getByText("읽은 세션이 없습니다").waitFor();
    await page.goto(monitor.url + store("agent:nobody:main"));
    await page.getByText("이 키의 세션이 없습니다").waitFor();
    assertNoProblems(page, [/404/]);
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("a record that is missing, empty or unreadable is each called so", async () => {
  const folder = path.join(older.home, "agents/eden/sessions");
  const missing = await startOf(older, "no-record", []);
  await rm(path.join(folder, "no-record.jsonl"));
  const empty = await startOf(older, "still-room", [{ type: "session", version: 3, id: "still-room" }]);
  const broken = await startOf(older, "broken-room", []);
  await rm(path.join(folder, "broken-room.jsonl"));
  await mkdir(path.join(folder, "broken-room.jsonl"));
  const page = await open(older, store(missing));
  await page.getByText("대화 기록이 없습니다").waitFor();
  await page.goto(older.url + store(empty));
  await page.getByText("아직 나눈 대화가 없습니다").waitFor();
  await page.goto(older.url + store(broken));
  await page.getByText("대화 기록을 읽지 못했습니다").waitFor();
  await rm(path.join(folder, "broken-room.jsonl"), { recursive: true });
  await writeFile(path.join(folder, "broken-room.jsonl"), `half\n${JSON.stringify({ type: "message", id: "x", message: { role: "user", content: "돌아왔습니다" } })}\n`);
  await page.getByRole("button", { name: "다시 시도" }).click();
  await page.getByText("돌아왔습니다").waitFor();
  await page.getByText("기록에서 1줄은 읽지 못했습니다.").waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("five thousand sessions: few rows are drawn, all can be reached", async () => {
  const monitor = await startMonitor({ story: null, clock: NOW });
  try {
    const all = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`agent:eden:direct:peer-${n}`, { sessionId: `s-${n}`, updatedAt: NOW - n * 1_000, label: `이름 ${n}` }]));
    await mkdir(path.join(monitor.home, "agents/eden/sessions"), { recursive: true });
    await writeFile(path.join(monitor.home, "agents/eden/sessions/sessions.json"), JSON.stringify(all));
    const page = await open(monitor, "/sessions");
    await page.getByText("모두 5,000개 가운데 200개입니다.").waitFor();
    for (const here of ["1,000", "all"]) {
      await page.getByRole("button", { name: "더 보기" }).click();
      if (here !== "all") await page.getByText(`모두 5,000개 가운데 ${here}개입니다.`).waitFor();
    }
    await eventually("nothing is left", async () => (await page.getByRole("button", { name: "더 보기" }).count()) === 0);
    await eventually("most rows are put away", async () => (await rows(page).count()) < 400);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await row(page, "이름 4999").waitFor();
    assertNoProblems(page);
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("an old monitor has no such sessions, and that is said calmly", async () => {
  const old = await startMonitor({ args: ["--api", "1"] });
  try {
    const page = await openPage(browser, `${old.url}/sessions`);
    await page.getByText("이 모니터는 OpenClaw 세션을 보여 주지 않습니다").waitFor();
    await page.goto(old.url + store(EDEN));
    await page.getByText("이 모니터는 OpenClaw 세션을 보여 주지 않습니다").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
    assertNoProblems(page, [/404|410/]);
    await page.context().close();
  } finally {
    await old.stop();
  }
});
