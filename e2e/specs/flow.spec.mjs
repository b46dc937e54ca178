// The braid of a session: who was asked, what came back, what hangs; from every mark to its message, run, task and event,
// and back; by keys alone; the same as a table; as a file.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { braided, idle } from "../support/verbs.mjs";

let browser;
const monitors = {};
before(async () => {
  browser = await startBrowser();
  for (const story of ["fan-out", "trouble", "spawn", "resumed-session", "blocked-task"]) {
    monitors[story] = await startMonitor({ story });
  }
});
after(async () => {
  await browser?.close();
  for (const monitor of Object.values(monitors)) await monitor.stop();
});

async function open(monitor, path, options = {}) {
  const page = await openPage(browser, monitor.url + path, options);
  await idle(page);
  return page;
}

const drawing = (page) => page.getByRole("region", { name: "협업 흐름" });
const mark = (page, name) => drawing(page).getByRole("button", { name });
const panel = (page) => page.getByRole("complementary", { name: "고른 것" });
/** Presses a mark where it can be pressed: its frame is wider, and what is drawn of it lies above and lets through. */
const press = (one) => one.locator("rect").first().click({ force: true });
const chosen = (page) => drawing(page).getByRole("button", { pressed: true });

test("one request is split over three and gathered: three arrows leave, three answers come back", async () => {
  const { path } = await braided(monitors["fan-out"]);
  const page = await open(monitors["fan-out"], path);
  for (const who of ["이든", "세움", "다짐"]) {
    await mark(page, new RegExp(`^요청, 루다 → ${who},.*답변 받음`)).first().waitFor();
    await mark(page, new RegExp(`^답변, ${who} → 루다,.*답변 받음 · `)).first().waitFor();
  }
  await page.getByText(/에이전트 4 · 요청 \d+ · 하위 에이전트 0/).waitFor();
  await page.getByRole("navigation", { name: "세션 보기" }).getByRole("link", { name: "흐름", exact: true }).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("a selected arrow leads to its bubble, and the bubble back to its arrow", async () => {
  const { path } = await braided(monitors["fan-out"]);
  const page = await open(monitors["fan-out"], path);
  await press(mark(page, /^요청, 루다 → 세움/).first());
  await panel(page).getByRole("heading", { name: "루다 → 세움" }).waitFor();
  await panel(page).getByText("DB와 인프라 지표를 모아주세요").waitFor();
  await panel(page).getByText("보냄").waitFor();
  assert.match(page.url(), /sel=/);
  const selected = new URL(page.url()).searchParams.get("sel");
  await panel(page).getByRole("link", { name: "대화에서 보기" }).click();
  await page.waitForURL(/\/t\/.*at=/);
  await idle(page);
  const bubble = page.getByRole("article").filter({ hasText: "DB와 인프라 지표를 모아주세요" }).first();
  await bubble.hover();
  await bubble.getByRole("link", { name: "흐름에서 보기" }).click();
  await page.waitForURL(/\/flow\?sel=/);
  await idle(page);
  assert.equal(new URL(page.url()).searchParams.get("sel"), selected);
  await eventually("the arrow is selected", async () => (await chosen(page).count()) === 1);
  assertNoProblems(page);
  await page.context().close();
});

test("no reply and a refusal are told by shape, word and reason", async () => {
  const { path, flow } = await braided(monitors.trouble);
  const page = await open(monitors.trouble, path);
  const states = flow.arrows.map((arrow) => arrow.exchange?.state).filter(Boolean);
  assert.ok(states.includes("noReply") && states.includes("blocked"), String(states));
  await mark(page, /^요청,.*응답 없음/).first().waitFor();
  await press(mark(page, /^요청,.*차단됨/).first());
  await panel(page).getByText("차단됨").first().waitFor();
  const shapes = await drawing(page).locator("path.braid__line").evaluateAll((list) =>
    list.filter((one) => one.closest(".braid__mark")).map((one) => `${one.getAttribute("class")} ${getComputedStyle(one).strokeDasharray}`),
  );
  assert.ok(new Set(shapes.filter((one) => /is-failed/.test(one))).size === 1, String(shapes));
  assert.notEqual(
    shapes.find((one) => /is-failed/.test(one))?.split(" ").slice(2).join(),
    shapes.find((one) => /is-sent/.test(one))?.split(" ").slice(2).join(),
    "not by colour alone",
  );
  assertNoProblems(page);
  await page.context().close();
});

test("runs branch off and come back; a refused, a hanging and an orphan one stand there too, and lead to the tree", async () => {
  const { path, flow } = await braided(monitors.spawn);
  const page = await open(monitors.spawn, path);
  await eventually("all runs are drawn", async () => (await mark(page, /^하위 에이전트,/).count()) === flow.twigs.length);
  const failed = flow.twigs.find((twig) => twig.state === "failed");
  const orphan = flow.twigs.find((twig) => twig.orphan);
  assert.ok(failed && orphan && flow.twigs.some((twig) => twig.state === "running"));
  await page.goto(`${monitors.spawn.url}${path}?sel=${failed.events.at(-1)}`);
  await idle(page);
  await panel(page).getByRole("link", { name: "나무에서 보기" }).click();
  await page.waitForURL(/\/events\?session=.*run=/);
  await idle(page);
  const back = page.getByRole("link", { name: "흐름에서 보기" });
  await back.first().click();
  await page.waitForURL(/\/flow\?sel=/);
  await idle(page);
  await eventually("the run is selected", async () => (await chosen(page).count()) === 1);
  assertNoProblems(page);
  await page.context().close();
});

test("a task's ribbon tells blocked, resumed and done with their times, and leads to the task", async () => {
  const { path } = await braided(monitors["blocked-task"], "해외 고객 환불");
  const page = await open(monitors["blocked-task"], path);
  const ribbon = mark(page, /^작업, 온새,.*차단됨 \d\d:\d\d · 관세사 확인서.*→ 진행 중.*→ 완료/);
  await press(ribbon);
  const steps = panel(page).getByRole("list").first();
  await steps.getByText(/차단됨/).waitFor();
  await panel(page).getByRole("link", { name: "작업 열기" }).click();
  await page.waitForURL(/\/tasks\/onsae\//);
  assertNoProblems(page);
  await page.context().close();
});

test("a resumed session names the one before it above its braid", async () => {
  const { path } = await braided(monitors["resumed-session"], "재발송");
  const page = await open(monitors["resumed-session"], path);
  await page.getByText("이어받은 세션").waitFor();
  await mark(page, /^요청, 윤슬 → 미리/).first().waitFor();
  await page.context().close();
});

test("by keys alone: from mark to mark, to the bubble, and Back to the same mark", async () => {
  const { path, flow } = await braided(monitors["fan-out"]);
  const page = await open(monitors["fan-out"], path);
  const name = async () => new URL(page.url()).searchParams.get("sel");
  await page.keyboard.press("j");
  await eventually("something is selected", name);
  const first = await name();
  await page.keyboard.press("j");
  await eventually("the next one is", async () => (await name()) !== first);
  await eventually("it has the focus", () => page.evaluate(() => document.activeElement?.getAttribute("aria-pressed") === "true"));
  const second = await name();
  assert.equal(second, flow.arrows[0].id, "the task's ribbon, then the first request");
  await page.keyboard.press("k");
  await eventually("back to the first", async () => (await name()) === first);
  await page.keyboard.press("j");
  await eventually("and on", async () => (await name()) === second);
  await eventually("focus", () => page.evaluate((id) => document.activeElement?.id === `braid-${id}`, second));
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/t\/.*at=/);
  await idle(page);
  await page.goBack();
  await idle(page);
  await eventually("selected as before", async () => (await name()) === second && (await chosen(page).count()) === 1);
  assertNoProblems(page);
  await page.context().close();
});

test("idle time is folded, unfolds where it is pressed and all at once by key, and the address keeps it", async () => {
  const { path } = await braided(monitors["fan-out"]);
  const page = await open(monitors["fan-out"], path);
  const pause = drawing(page).getByRole("button", { name: /접힘 · 이벤트 없음/ });
  await press(pause.first());
  await drawing(page).getByRole("button", { name: /동안 이벤트 없음/ }).first().waitFor();
  assert.match(page.url(), /open=/);
  await page.reload();
  await idle(page);
  await drawing(page).getByRole("button", { name: /동안 이벤트 없음/ }).first().waitFor();
  await page.keyboard.press("o");
  await pause.first().waitFor();
  assert.doesNotMatch(page.url(), /open=/);
  await page.context().close();
});

test("the table holds what the drawing holds, and selects the same", async () => {
  const { path, flow } = await braided(monitors.trouble);
  const page = await open(monitors.trouble, path);
  const drawn = await drawing(page).getByRole("button", { pressed: false }).evaluateAll((list) =>
    list.filter((one) => one.id.startsWith("braid-")).map((one) => [one.id, one.getAttribute("aria-label")]),
  );
  const marks = flow.arrows.length + flow.twigs.length + flow.ribbons.length + flow.notes.length;
  assert.equal(drawn.length, marks, "a short session is drawn whole");
  await page.getByRole("navigation", { name: "보기" }).getByRole("link", { name: "표" }).click();
  const table = page.getByRole("table", { name: "협업 흐름 표" });
  await table.waitFor();
  const rows = await table.locator("tbody tr").evaluateAll((list) => list.map((row) => [row.querySelector("button").id, row.innerText]));
  assert.deepEqual(new Set(rows.map(([id]) => id)), new Set(drawn.map(([id]) => id)));
  const told = new Map(rows);
  for (const [id, label] of drawn) {
    const words = label.split(", ").filter((part) => part && !/^\d\d:\d\d:\d\d$/.test(part));
    const row = told.get(id).replaceAll(/\s+/g, " ");
    for (const word of words) assert.ok(row.includes(word.replaceAll(/\s+/g, " ")), `${word} in ${row}`);
  }
  await table.getByRole("button").nth(1).click();
  await panel(page).getByRole("heading", { level: 2 }).waitFor();
  assert.match(page.url(), /sel=/);
  assertNoProblems(page);
  await page.context().close();
});

test("the saved file stands alone and holds every name and every label of the drawing", async () => {
  const { path } = await braided(monitors.spawn);
  const page = await open(monitors.spawn, path);
  const shown = await page.locator(".braid-frame .braid-heads text, .braid-frame svg.is-body text").allTextContents();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG로 저장" }).click()]);
  assert.match(download.suggestedFilename(), /^흐름-.*\.svg$/);
  const text = await readFile(await download.path(), "utf8");
  assert.match(text, /^<svg[^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  assert.doesNotMatch(text, /var\(--|class=|currentcolor/i);
  const alone = await page.context().newPage();
  await alone.setContent("<main></main>");
  const read = await alone.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
    const root = document.importNode(parsed.documentElement, true);
    document.querySelector("main").append(root);
    const texts = [...root.querySelectorAll("text")];
    return { fault: parsed.querySelector("parsererror")?.textContent, texts: texts.map((one) => one.textContent), fills: texts.map((one) => getComputedStyle(one).fill) };
  }, text);
  assert.equal(read.fault, undefined);
  for (const label of shown) assert.ok(read.texts.includes(label), label);
  assert.ok(new Set(read.fills).size > 2, "the inks of the page came along");
  await page.context().close();
});

test("a new event is drawn without a reload, and the selection stays", async () => {
  const monitor = await startMonitor({ story: "fan-out" });
  const { path, workSessionId, flow } = await braided(monitor);
  const page = await open(monitor, `${path}?sel=${flow.arrows[0].id}`);
  await eventually("selected", async () => (await chosen(page).count()) === 1);
  await monitor.append(message({ from: "eden", to: "dajim", text: "회고 문서 검토 부탁해요", session: workSessionId, conversation: "new-one", at: FIXTURE_NOW }));
  await mark(page, /^요청, 이든 → 다짐, 회고 문서 검토 부탁해요, 답 기다림/).waitFor();
  assert.equal(await chosen(page).count(), 1);
  assertNoProblems(page);
  await page.context().close();
  await monitor.stop();
});

test("on a phone it is a list from top to bottom, and a row shows its details", async () => {
  const { path, flow } = await braided(monitors["fan-out"]);
  const other = await open(monitors["fan-out"], `${path}?view=table`, { width: 390, height: 844 });
  const forms = other.getByRole("navigation", { name: "보기", exact: true });
  assert.equal(await forms.locator("[aria-current=true]").innerText(), "흐름", "what is shown is what is marked");
  await other.context().close();
  const page = await open(monitors["fan-out"], path, { width: 390, height: 844 });
  const list = page.getByRole("list", { name: "협업 흐름" });
  await eventually("all rows", async () => (await list.getByRole("listitem").count()) === flow.arrows.length + flow.ribbons.length + flow.notes.length);
  await list.getByRole("button").nth(1).click();
  await panel(page).getByRole("link", { name: "대화에서 보기" }).waitFor();
  await panel(page).getByRole("button", { name: "고르기 풀기" }).click();
  await panel(page).waitFor({ state: "hidden" });
  assertNoProblems(page);
  await page.context().close();
});

test("over a 1.x monitor the browser draws the same braid", async () => {
  const old = await startMonitor({ story: "fan-out", args: ["--api", "1"] });
  const { path, flow } = await braided(monitors["fan-out"]);
  const page = await open(old, path);
  await eventually("all arrows", async () => (await mark(page, /^(요청|답변|대화 턴), /).count()) === flow.arrows.length);
  assertNoProblems(page, [/404|410/]);
  await page.context().close();
  await old.stop();
});

test("five thousand events stay a few hundred marks on the page, with a small picture beside them", async () => {
  const monitor = await startMonitor({ story: "fan-out" });
  const agents = ["ruda", "eden", "seum", "dajim"];
  const lines = Array.from({ length: 5000 }, (_, n) =>
    message({
      from: agents[n % 4], to: agents[(n + 1) % 4], text: `확인 부탁 ${n}`, session: "ws_long", conversation: `long-${n % 40}`,
      at: FIXTURE_NOW - (5000 - n) * 9_000, type: n % 2 ? "a2a.response" : "a2a.send",
    }),
  );
  await monitor.append(...lines);
  await eventually("all are read", async () => (await monitor.get("/api/v2/sessions/ws_long/flow")).arrows.length > 4900);
  const page = await open(monitor, "/s/ws_long/flow");
  await mark(page, /확인 부탁 0/).first().waitFor();
  assert.ok((await page.locator(".braid__mark").count()) < 400);
  assert.equal(await page.locator(".minimap").count(), 1);
  await drawing(page).evaluate((one) => one.scrollTo(0, one.scrollHeight));
  await mark(page, /확인 부탁 4999/).waitFor();
  assert.ok((await page.locator(".braid__mark").count()) < 400);
  assertNoProblems(page);
  await page.context().close();
  await monitor.stop();
});

test("what a person says comes from the lane of people, not from the agent whose session carried it", async () => {
  const monitor = monitors["fan-out"];
  const at = FIXTURE_NOW - 600_000;
  const said = (from, to, text, after, type) => message({ from, to, text, session: "ws_person", conversation: "c_person", at: at + after, type });
  await monitor.append(
    said("eden", "seum", "배포를 시작합니다", 0),
    said("seum", "eden", "네, 보고 있습니다", 20_000, "a2a.response"),
    said("eden", "seum", "[Human Intervention] 지금은 멈춰 주세요", 60_000),
    said("seum", "eden", "멈췄습니다", 80_000, "a2a.response"),
  );
  const flow = await eventually("the session is read", async () => {
    const found = await monitor.get("/api/v2/sessions/ws_person/flow");
    return found.arrows.length === 4 && found;
  });
  assert.deepEqual(flow.lanes.map((lane) => lane.person === true), [true, false, false]);
  const page = await open(monitor, "/s/ws_person/flow");
  const { agents } = await monitor.get("/api/v2/agents");
  const name = (id) => agents.find((one) => one.agent.id === id).agent.name;
  const person = mark(page, new RegExp(`사람 개입, 사람 → ${name("seum")} \\(${name("eden")} 세션으로\\)`));
  await person.waitFor();
  assert.equal(await mark(page, new RegExp(`${name("eden")} → ${name("seum")}`)).count(), 1, "the agent spoke once");
  await drawing(page).getByText("사람", { exact: true }).waitFor();
  assertNoProblems(page);
  await page.context().close();
});
