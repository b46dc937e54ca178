// Browser tests of a session's flow, its sequence diagram: arrows, delegated runs and task bars with their states, and
// their links to messages, runs, tasks and events. Also tests the keyboard, the table and the saved SVG file.
//
// Proves (reading): Links lead from an arrow of the flow to its message, run, task and events, and back, by keyboard
// alone. A person's words are in a lane of their own. The table and the saved SVG hold what the drawing holds. A flow
// of 5,000 events has fewer than 400 marks on the page.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { sessionWithFlow, waitUntilLoaded } from "../support/steps.mjs";

/** Words of the titles of the sessions that these stories are part of. */
const FAN_OUT = "장애 회고";
const TROUBLE = "재고 동기화 배치 정상화";
const SPAWN = "시간대 처리 정리";
const BLOCKED = "해외 고객 환불";
const RESUMED = "재발송";

const drawing = (page) => page.getByRole("region", { name: "협업 흐름" });
const mark = (page, name) => drawing(page).getByRole("button", { name });
const panel = (page) => page.getByRole("complementary", { name: "선택한 항목" });
/** Presses a mark where it can be pressed: its frame is wider, and what is drawn of it lies above and lets through. */
const press = (one) => one.locator("rect").first().click({ force: true });
const chosen = (page) => drawing(page).getByRole("button", { pressed: true });
const selection = (page) => new URL(page.url()).searchParams.get("sel");

async function go(page, address) {
  await page.goto(address);
  await waitUntilLoaded(page);
}

/** Opens the flow of a session of the worker's monitor. */
async function open(page, monitor, words) {
  const session = await sessionWithFlow(monitor, words);
  await go(page, session.path);
  return session;
}

test("a request to three agents is three arrows and three answers", async ({ monitor, page }) => {
  await open(page, monitor, FAN_OUT);
  for (const who of ["이든", "세움", "다짐"]) {
    await expect(mark(page, new RegExp(`^요청, 루다 → ${who},.*답변 받음`)).first()).toBeVisible();
    await expect(mark(page, new RegExp(`^답변, ${who} → 루다,.*답변 받음 · `)).first()).toBeVisible();
  }
  await expect(page.getByText(/에이전트 4 · 요청 \d+ · 하위 에이전트 0/)).toBeVisible();
  await expect(page.getByRole("navigation", { name: "협업 보기" }).getByRole("link", { name: "흐름", exact: true })).toBeVisible();
});

test("an arrow leads to its message, and the message back", { tag: "@quick" }, async ({ monitor, page }) => {
  await open(page, monitor, FAN_OUT);
  await press(mark(page, /^요청, 루다 → 세움/).first());
  await expect(panel(page).getByRole("heading", { name: "루다 → 세움" })).toBeVisible();
  await expect(panel(page).getByText("DB와 인프라 지표를 모아주세요")).toBeVisible();
  await expect(panel(page).getByText("보냄")).toBeVisible();
  const selected = selection(page);
  assert.ok(selected);
  await panel(page).getByRole("link", { name: "대화에서 보기" }).click();
  await page.waitForURL(/\/t\/.*at=/);
  await waitUntilLoaded(page);
  const bubble = page.getByRole("article").filter({ hasText: "DB와 인프라 지표를 모아주세요" }).first();
  await bubble.hover();
  await bubble.getByRole("link", { name: "흐름에서 보기" }).click();
  await page.waitForURL(/\/flow\?sel=/);
  await waitUntilLoaded(page);
  assert.equal(selection(page), selected);
  await expect(chosen(page)).toHaveCount(1);
});

test("no reply and a refusal differ in shape, word and reason", async ({ monitor, page }) => {
  const { flow } = await open(page, monitor, TROUBLE);
  const states = flow.arrows.map((arrow) => arrow.exchange?.state).filter(Boolean);
  assert.ok(states.includes("noReply") && states.includes("blocked"), String(states));
  await expect(mark(page, /^요청,.*응답 없음/).first()).toBeVisible();
  await press(mark(page, /^요청,.*거절됨/).first());
  await expect(panel(page).getByText("거절됨").first()).toBeVisible();
  const shapes = await drawing(page).locator(".flow__mark path.flow__line").evaluateAll((list) =>
    list.map((one) => [one.getAttribute("class"), getComputedStyle(one).strokeDasharray]),
  );
  const dashes = (name) => [...new Set(shapes.filter(([classes]) => classes.includes(name)).map(([, dash]) => dash))];
  assert.equal(dashes("is-failed").length, 1, String(shapes));
  assert.notEqual(dashes("is-failed")[0], dashes("is-sent")[0], "not by colour alone");
});

test("runs of every state are drawn and lead to the tree", async ({ monitor, page }) => {
  const { path, flow } = await open(page, monitor, SPAWN);
  await expect(mark(page, /^하위 에이전트,/)).toHaveCount(flow.delegations.length);
  const failed = flow.delegations.find((delegation) => delegation.state === "failed");
  assert.ok(failed && flow.delegations.some((delegation) => delegation.orphan) && flow.delegations.some((delegation) => delegation.state === "running"));
  await go(page, `${path}?sel=${failed.events.at(-1)}`);
  await panel(page).getByRole("link", { name: "트리에서 보기" }).click();
  await page.waitForURL(/\/events\?session=.*run=/);
  await waitUntilLoaded(page);
  await page.getByRole("link", { name: "흐름에서 보기" }).first().click();
  await page.waitForURL(/\/flow\?sel=/);
  await waitUntilLoaded(page);
  await expect(chosen(page)).toHaveCount(1);
});

test("a task bar names its states with times and links to the task", async ({ monitor, page }) => {
  await open(page, monitor, BLOCKED);
  await press(mark(page, /^작업, 온새,.*차단됨 \d\d:\d\d · 관세사 확인서.*→ 진행 중.*→ 완료/));
  await expect(panel(page).getByRole("list").first().getByText(/차단됨/)).toBeVisible();
  await panel(page).getByRole("link", { name: "작업 열기" }).click();
  await page.waitForURL(/\/tasks\/onsae\//);
});

test("a resumed session names the one before it", async ({ monitor, page }) => {
  await open(page, monitor, RESUMED);
  await expect(page.getByText("이어받은 협업")).toBeVisible();
  await expect(mark(page, /^요청, 윤슬 → 미리/).first()).toBeVisible();
});

test("keys alone: from mark to mark, to the message and back", async ({ monitor, page }) => {
  const { flow } = await open(page, monitor, FAN_OUT);
  await page.keyboard.press("j");
  await expect.poll(() => selection(page)).toBeTruthy();
  const first = selection(page);
  const second = flow.arrows[0].id; // after the task bar
  assert.notEqual(first, second);
  await page.keyboard.press("j");
  await expect.poll(() => selection(page)).toBe(second);
  await expect(page.locator(":focus")).toHaveAttribute("aria-pressed", "true");
  await page.keyboard.press("k");
  await expect.poll(() => selection(page)).toBe(first);
  await page.keyboard.press("j");
  await expect.poll(() => selection(page)).toBe(second);
  await expect(page.locator(":focus")).toHaveId(`flow-${second}`);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/t\/.*at=/);
  await waitUntilLoaded(page);
  await page.goBack();
  await waitUntilLoaded(page);
  await expect.poll(() => selection(page)).toBe(second);
  await expect(chosen(page)).toHaveCount(1);
});

test("idle time unfolds by pointer and key, and the address keeps it", async ({ monitor, page }) => {
  await open(page, monitor, FAN_OUT);
  const folded = drawing(page).getByRole("button", { name: /접힘 · 이벤트 없음/ }).first();
  const unfolded = drawing(page).getByRole("button", { name: /동안 이벤트 없음/ }).first();
  await press(folded);
  await expect(unfolded).toBeVisible();
  assert.match(page.url(), /open=/);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(unfolded).toBeVisible();
  await page.keyboard.press("o");
  await expect(folded).toBeVisible();
  assert.doesNotMatch(page.url(), /open=/);
});

test("the table holds what the drawing holds, and selects the same", async ({ monitor, page }) => {
  const { flow } = await open(page, monitor, TROUBLE);
  const drawn = await drawing(page).getByRole("button", { pressed: false }).evaluateAll((list) =>
    list.filter((one) => one.id.startsWith("flow-")).map((one) => [one.id, one.getAttribute("aria-label")]),
  );
  const marks = flow.arrows.length + flow.delegations.length + flow.taskBars.length + flow.notes.length;
  assert.equal(drawn.length, marks, "a short session is drawn whole");
  await page.getByRole("navigation", { name: "보기" }).getByRole("link", { name: "표" }).click();
  const table = page.getByRole("table", { name: "협업 흐름 표" });
  await expect(table).toBeVisible();
  const rows = await table.locator("tbody tr").evaluateAll((list) => list.map((row) => [row.querySelector("button").id, row.innerText]));
  assert.deepEqual(new Set(rows.map(([id]) => id)), new Set(drawn.map(([id]) => id)));
  const texts = new Map(rows);
  for (const [id, label] of drawn) {
    const words = label.split(", ").filter((part) => part && !/^\d\d:\d\d:\d\d$/.test(part));
    const row = texts.get(id).replaceAll(/\s+/g, " ");
    for (const word of words) assert.ok(row.includes(word.replaceAll(/\s+/g, " ")), `${word} in ${row}`);
  }
  await table.getByRole("button").nth(1).click();
  await expect(panel(page).getByRole("heading", { level: 2 })).toBeVisible();
  assert.ok(selection(page));
});

test("the saved SVG stands alone and holds every label", async ({ monitor, page }) => {
  await open(page, monitor, SPAWN);
  const shown = await page.locator(".flow-frame .flow-heads text, .flow-frame svg.is-body text").allTextContents();
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
  assert.ok(new Set(read.fills).size > 2, "the file has the colours of the page");
});

test("a new event is drawn live and keeps the selection", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "fan-out" });
  const { path, workSessionId, flow } = await sessionWithFlow(monitor);
  const page = await openPage();
  await go(page, `${monitor.url}${path}?sel=${flow.arrows[0].id}`);
  await expect(chosen(page)).toHaveCount(1);
  await monitor.append(message({ from: "eden", to: "dajim", text: "회고 문서 검토 부탁해요", session: workSessionId, conversation: "new-one" }));
  await expect(mark(page, /^요청, 이든 → 다짐, 회고 문서 검토 부탁해요, 답 기다림/)).toBeVisible();
  await expect(chosen(page)).toHaveCount(1);
});

test.describe("on a phone", () => {
  test.use({ look: { width: 390, height: 844 } });

  test("the flow is a list whose rows show details", { tag: "@quick" }, async ({ monitor, page }) => {
    const { flow } = await open(page, monitor, FAN_OUT);
    const rows = page.getByRole("list", { name: "협업 흐름" });
    await expect(rows.getByRole("listitem")).toHaveCount(flow.arrows.length + flow.taskBars.length + flow.notes.length);
    await rows.getByRole("button").nth(1).click();
    await expect(panel(page).getByRole("link", { name: "대화에서 보기" })).toBeVisible();
    await panel(page).getByRole("button", { name: "고르기 풀기" }).click();
    await expect(panel(page)).toBeHidden();
  });

  test("the address of a table shows the flow, marked as such", async ({ monitor, page }) => {
    const { path } = await sessionWithFlow(monitor, FAN_OUT);
    await go(page, `${path}?view=table`);
    await expect(page.getByRole("navigation", { name: "보기", exact: true }).locator("[aria-current=true]")).toHaveText("흐름");
  });
});

test("over a 1.x monitor the browser draws the same flow", async ({ monitor, openPage, startMonitor }) => {
  const old = await startMonitor({ story: "fan-out", args: ["--api", "1"] });
  const { path, flow } = await sessionWithFlow(monitor, FAN_OUT);
  const page = await openPage();
  allowProblems(page, [/404|410/]);
  await go(page, old.url + path);
  await expect(mark(page, /^(요청|답변|대화 턴), /)).toHaveCount(flow.arrows.length);
});

test("five thousand events draw a few hundred marks and a minimap", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "fan-out" });
  const agents = ["ruda", "eden", "seum", "dajim"];
  await monitor.append(...Array.from({ length: 5000 }, (_, n) =>
    message({
      from: agents[n % 4], to: agents[(n + 1) % 4], text: `확인 부탁 ${n}`, session: "ws_long", conversation: `long-${n % 40}`,
      at: FIXTURE_NOW - (5000 - n) * 9_000, type: n % 2 ? "a2a.response" : "a2a.send",
    }),
  ));
  await expect(async () => assert.ok((await monitor.get("/api/v2/sessions/ws_long/flow")).arrows.length > 4900)).toPass();
  const page = await openPage();
  await go(page, `${monitor.url}/s/ws_long/flow`);
  await expect(mark(page, /확인 부탁 0/).first()).toBeVisible();
  const marks = page.locator(".flow__mark");
  assert.ok((await marks.count()) < 400);
  await expect(page.locator(".minimap")).toHaveCount(1);
  await drawing(page).evaluate((one) => one.scrollTo(0, one.scrollHeight));
  await expect(mark(page, /확인 부탁 4999/)).toBeVisible();
  assert.ok((await marks.count()) < 400);
});

test("a human intervention starts in the lane of people", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "fan-out" });
  const say = (from, to, text, after, type) => message({ from, to, text, session: "ws_person", conversation: "c_person", at: FIXTURE_NOW - 600_000 + after, type });
  await monitor.append(
    say("eden", "seum", "배포를 시작합니다", 0),
    say("seum", "eden", "네, 보고 있습니다", 20_000, "a2a.response"),
    say("eden", "seum", "[Human Intervention] 지금은 멈춰 주세요", 60_000),
    say("seum", "eden", "멈췄습니다", 80_000, "a2a.response"),
  );
  const flow = () => monitor.get("/api/v2/sessions/ws_person/flow");
  await expect(async () => assert.equal((await flow()).arrows.length, 4)).toPass();
  const page = await openPage();
  await go(page, `${monitor.url}/s/ws_person/flow`);
  await expect(mark(page, /사람 개입, 사람 → 세움 \(이든 세션으로\)/)).toBeVisible();
  await expect(mark(page, /이든 → 세움/), "the agent spoke once").toHaveCount(1);
  await expect(drawing(page).getByText("사람", { exact: true })).toBeVisible();
});
