// Browser tests of teams of Claude Code agents. The events that the `hook` command delivers appear on home, sessions,
// events, tasks and agents.
//
// Proves (claude-code): The browser shows everything that a recorded team sends through the hook command: messages,
// subagents, tasks, a failed tool and a permission wait. Hooks that arrive in the drop file (`logs/hook-events.ndjson`)
// appear too.
import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";

import { expect, test } from "../support/test.mjs";
import { TOKEN, installed, recordedHooks, startTeam } from "../support/team.mjs";
import { mainText, waitUntilLoaded, walk } from "../support/steps.mjs";

test.use({ home: { story: null, clock: null, env: { TASK_MONITOR_WRITE_TOKEN: TOKEN }, owner: "hooks" }, look: { now: null } });
// The first test sends the recorded hooks, the next ones go on from there.
test.describe.configure({ mode: "serial" });

let hooks;
let recorded;
test.beforeAll(async ({ monitor }) => {
  await mkdir(path.join(monitor.home, "logs"), { recursive: true });
  hooks = await installed(monitor, path.dirname(monitor.home));
  recorded = await recordedHooks();
});

test("a team is shown with its talk, runs, tasks and waits", { tag: "@quick" }, async ({ monitor, page }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  for (const hook of recorded) await hooks.send(hook);
  // The session of the first hooks may be listed before the team has its name: then the named one waits behind the pill.
  const pill = page.getByRole("button", { name: /새 활동/ });
  await expect(async () => {
    if (await pill.isVisible()) await pill.click();
    await expect(page.getByRole("link", { name: /쿠폰 중복 적용 원인 찾기/ }).first()).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(page.getByText("여기 있는 것은 모두 코딩 에이전트의 훅이 알려 준 것입니다. 조정 로그에는 없습니다.")).toBeVisible();
  const { sessions } = await monitor.get("/api/v2/sessions");
  assert.equal(sessions.length, 1, "one team is one session");
  assert.deepEqual([sessions[0].delegationCount, sessions[0].taskCount, sessions[0].threadCount], [2, 3, 2]);
  await walk(page, `/s/${sessions[0].workSessionId}/whole`);
  await expect(page.getByText("원인을 찾았습니다.", { exact: false }).first()).toBeVisible();
  await expect(page.getByText("결제 쪽을 남기고 장바구니에는", { exact: false }).first()).toBeVisible();
  await expect(page.locator(".session-head .small-mark.is-hooked")).toBeVisible();
  assert.doesNotMatch(await mainText(page), /답 기다림|이후 기록 없음/, "a message to a teammate needs no answer");

  await walk(page, "/");
  await expect(page.getByText("checkout/jiho가 Bash 사용 권한을 기다립니다")).toBeVisible();
  await expect(page.locator(".work-line").filter({ hasText: "권한 대기" }).getByText(/^(방금|\d+분째)$/)).toBeVisible();
  await expect(page.locator(".agent-row").filter({ hasText: "jiho" }).getByText("권한 대기")).toBeVisible();
  assert.doesNotMatch(await page.locator("body").innerText(), /로그 파일을 찾지 못했습니다|openclaw\.json이 없어/);

  await walk(page, "/events?view=tree");
  await expect(page.getByRole("treegrid").getByRole("row").filter({ has: page.locator(".run__who") })).toHaveCount(2);
  await walk(page, "/tasks");
  for (const title of ["쿠폰 중복 적용 원인 찾기", "할인 계산 테스트 보강", "결제 화면 안내 문구 다듬기"]) {
    await expect(page.getByText(title).first()).toBeVisible();
  }
});

test("a failed tool stands alone with its exit code", async ({ monitor, page }) => {
  const failures = async () => (await monitor.get("/api/v2/events?limit=200")).events.filter((event) => event.type === "tool.failed");
  await page.goto("/events");
  await waitUntilLoaded(page);
  const [failed] = await failures();
  assert.deepEqual([failed.tool.name, failed.tool.exitCode, failed.tool.inferred ?? false], ["Bash", 101, false]);
  await expect(page.locator(".event-row.is-burst").filter({ hasText: "도구 사용" }).first()).toBeVisible();
  // A failure without an exit code: the monitor infers one, and the page says so.
  const { payload, ...stamp } = recorded.find(({ payload }) => payload.hook_event_name === "PostToolUseFailure");
  await hooks.send({ ...stamp, payload: { ...payload, tool_use_id: "toolu_01Odd", error: "the tool ended without a word" } });
  let event;
  await expect(async () => assert.ok((event = (await failures()).find((one) => one.tool.inferred)))).toPass();
  const pill = page.getByRole("button", { name: /새 이벤트/ });
  if (await pill.count()) await pill.click();
  const row = page.locator(`[data-event="${event.id}"]`);
  await expect(row.getByText("종료 코드 1")).toBeVisible();
  await expect(row.getByText("추정").first()).toBeVisible();
  await row.focus();
  await page.keyboard.press("o");
  await expect(page.getByRole("dialog", { name: "원본 이벤트" }).getByText("조정 로그에 없음 · 훅에서 받음")).toBeVisible();
});

test("agents at terminals show state and last signal, without a composer", async ({ monitor, openPage }) => {
  // It went on after the failure, and asks again: the same payload within four seconds would be a duplicate.
  const { payload, ...stamp } = recorded.findLast(({ payload }) => payload.hook_event_name === "PermissionRequest");
  await hooks.send({ ...stamp, payload: { ...payload, prompt_id: "5f0d2a90-1f5e-4a55-9a2b-000000000003" } });
  for (const [language, resting, input, signal] of [["ko", "쉬는 중", "입력 대기", "마지막 신호"], ["en", "Idle", "Needs input", "Last signal"]]) {
    const page = await openPage(`${monitor.url}/agents`, { now: null, language });
    await expect(page.getByRole("article", { name: "checkout/nara" }).getByText(resting)).toBeVisible();
    const card = page.getByRole("article", { name: "checkout/jiho" });
    await expect(card.getByText(input)).toBeVisible();
    await expect(card.getByText(signal)).toBeVisible();
    await expect(card.locator(".small-mark.is-hooked")).toBeVisible();
    await expect(card.getByRole("button", { name: /메시지|message/i })).toHaveCount(0);
    await page.getByRole("button", { name: new RegExp(input) }).click();
    await page.waitForURL(/state=input/);
  }
});

test("waits and silences are counted by the monitor's clock", async ({ openPage, startMonitor }) => {
  // Its clock stands three minutes after the last hook.
  const { monitor } = await startTeam(startMonitor);
  const page = await openPage(monitor.url);
  const wait = page.locator(".work-line").filter({ hasText: "권한 대기" });
  await expect(wait.getByText("3분째", { exact: true })).toBeVisible();
  await wait.getByRole("link", { name: /근거/ }).click();
  await page.waitForURL(/\/events\?.*open=/);
  await expect(page.getByText("원본 이벤트").first()).toBeVisible();
  await page.goto(`${monitor.url}/agents`);
  await expect(page.locator(".agent-card__beat").filter({ hasText: "3분 전" }).filter({ hasText: "잠잠함" }).first()).toBeVisible();
});
