// Teams of coding agents beside the others: from `hooks install` to what an operator sees, told by the real command.
import assert from "node:assert/strict";
import { mkdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { TOKEN, installed, startTeam, story } from "../support/team.mjs";
import { idle, mainText } from "../support/verbs.mjs";

let monitor;
let hooks;
let told; // the payloads of the story
let browser;
before(async () => {
  monitor = await startMonitor({ story: null, clock: null, env: { TASK_MONITOR_WRITE_TOKEN: TOKEN } });
  await mkdir(path.join(monitor.home, "logs"), { recursive: true });
  hooks = await installed(monitor, path.dirname(monitor.home));
  told = await story();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const open = async (address, options = {}) => {
  const page = await openPage(browser, monitor.url + address, { now: Date.now(), ...options });
  await idle(page);
  return page;
};
const events = async () => (await monitor.get("/api/v2/events?limit=200")).events;

test("a team is seen as soon as its hooks speak: its talk, its children, its tasks, and who waits for a person", async () => {
  const page = await open("/all");
  for (const one of told) await hooks.tell(one);
  await page.getByRole("link", { name: /쿠폰 중복 적용 원인 찾기/ }).first().waitFor();
  await page.getByText("여기 있는 것은 모두 코딩 에이전트의 훅이 알려 준 것입니다. 조정 로그에는 없습니다.").waitFor();
  const { sessions } = await monitor.get("/api/v2/sessions");
  assert.equal(sessions.length, 1, "one team is one session");
  assert.deepEqual([sessions[0].delegationCount, sessions[0].taskCount, sessions[0].threadCount], [2, 3, 2]);
  await page.goto(`${monitor.url}/s/${sessions[0].workSessionId}/whole`);
  await idle(page);
  await page.getByText("원인을 찾았습니다.", { exact: false }).first().waitFor();
  await page.getByText("결제 쪽을 남기고 장바구니에는", { exact: false }).first().waitFor();
  await page.locator(".session-head .small-mark.is-hooked").waitFor();
  assert.doesNotMatch(await mainText(page), /답 기다림|이후 기록 없음/, "a message to a teammate owes no answer");

  const home = await open("/");
  await home.getByText("checkout/jiho가 Bash 사용 권한을 기다립니다").waitFor();
  await home.locator(".attention").filter({ hasText: "권한 대기" }).getByText(/^(방금|\d+분째)$/).waitFor();
  assert.doesNotMatch(await home.locator("body").innerText(), /로그 파일을 찾지 못했습니다|openclaw\.json이 없어/);
  assertNoProblems(home);
  await home.context().close();

  await page.goto(`${monitor.url}/events?view=tree`);
  await idle(page);
  const runs = page.getByRole("treegrid").getByRole("row").filter({ has: page.locator(".run__who") });
  await eventually("both children", async () => (await runs.count()) === 2);
  await page.goto(`${monitor.url}/tasks`);
  await idle(page);
  for (const title of ["쿠폰 중복 적용 원인 찾기", "할인 계산 테스트 보강", "결제 화면 안내 문구 다듬기"]) {
    await page.getByText(title).first().waitFor();
  }
  assertNoProblems(page);
  await page.context().close();
});

test("tools are one line, a failure stands alone with its exit code, and what is concluded says so", async () => {
  const page = await open("/events");
  const failed = (await events()).find((event) => event.type === "tool.failed");
  assert.deepEqual([failed.tool.name, failed.tool.exitCode, failed.tool.inferred ?? false], ["Bash", 101, false]);
  const bursts = page.locator(".event-row.is-burst").filter({ hasText: "도구 사용" });
  await bursts.first().waitFor();
  // A failure that tells no exit code.
  const { payload, ...stamp } = told.find(({ payload }) => payload.hook_event_name === "PostToolUseFailure");
  const odd = { ...payload, tool_use_id: "toolu_01Odd", error: "the tool ended without a word" };
  await hooks.tell({ ...stamp, payload: odd });
  const event = await eventually("it came", async () => (await events()).find((one) => one.type === "tool.failed" && one.tool.inferred));
  const pill = page.getByRole("button", { name: /새 이벤트/ });
  if (await pill.count()) await pill.click();
  const row = page.locator(`[data-event="${event.id}"]`);
  await row.getByText("종료 코드 1").waitFor();
  await row.getByText("추정").first().waitFor();
  await row.focus();
  await page.keyboard.press("o");
  await page.getByRole("dialog", { name: "원본 이벤트" }).getByText("조정 로그에 없음 · 훅에서 받음").waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("agents at terminals tell their state and when they were last heard, and nobody offers to speak to them", async () => {
  // It went on when the failure was told, and asks again.
  await hooks.tell(told.findLast(({ payload }) => payload.hook_event_name === "PermissionRequest"));
  for (const language of ["ko", "en"]) {
    const page = await open("/agents", { language });
    const rests = page.getByRole("article", { name: "checkout/nara" });
    await rests.getByText(language === "ko" ? "쉬는 중" : "Idle").waitFor();
    const card = page.getByRole("article", { name: "checkout/jiho" });
    await card.getByText(language === "ko" ? "입력 대기" : "Needs input").waitFor();
    await card.getByText(language === "ko" ? "마지막 신호" : "Last heard").waitFor();
    await card.locator(".small-mark.is-hooked").waitFor();
    assert.equal(await card.getByRole("button", { name: /메시지|message/i }).count(), 0);
    await page.getByRole("button", { name: language === "ko" ? /입력 대기/ : /Needs input/ }).click();
    await page.waitForURL(/state=input/);
    assertNoProblems(page);
    await page.context().close();
  }
});

test("what is told while the monitor is down is kept and comes when it is back, once", async () => {
  await monitor.kill();
  const { payload, ...stamp } = told.find(({ payload }) => payload.hook_event_name === "PostToolUse");
  const late = { ...payload, tool_name: "WebFetch", tool_use_id: "toolu_01Late" };
  await hooks.tell({ ...stamp, payload: late });
  assert.match(await readFile(path.join(monitor.home, "logs/hook-events.ndjson"), "utf8"), /toolu_01Late/);
  await monitor.start();
  const all = () => events().then((list) => list.filter((event) => event.tool?.name === "WebFetch"));
  await eventually("it came", async () => (await all()).length === 1);
  // Told once more, as a hook that was not sure would.
  await hooks.tell({ ...stamp, payload: late });
  const { sessions } = await monitor.get("/api/v2/sessions");
  assert.equal(sessions.length, 1, "the record of before is there too");
  assert.equal((await all()).length, 1);
});

test("taken out, nothing is left of the hooks", async () => {
  const status = await hooks.status();
  assert.equal(status.code, 0, status.printed);
  const done = await hooks.uninstall();
  assert.equal(done.code, 0, done.printed);
  await assert.rejects(stat(hooks.settings), "the settings were ours alone");
});

test("how long somebody waits, and since when nothing was heard of whom, is told", async () => {
  // A monitor whose clock stands three minutes behind the last hook: pages go by its clock, not by their own.
  const { monitor: later } = await startTeam();
  try {
    const home = await openPage(browser, `${later.url}/`, { now: FIXTURE_NOW });
    await home.locator(".attention").filter({ hasText: "권한 대기" }).getByText("3분째", { exact: true }).waitFor();
    await home.locator(".attention").filter({ hasText: "권한 대기" }).click();
    await home.waitForURL(/\/events\?.*open=/);
    await home.getByText("원본 이벤트").first().waitFor();
    await home.goto(`${later.url}/agents`);
    await home.locator(".agent-card__beat").filter({ hasText: "3분 전" }).filter({ hasText: "잠잠함" }).first().waitFor();
    assertNoProblems(home);
    await home.context().close();
  } finally {
    await later.stop();
  }
});
