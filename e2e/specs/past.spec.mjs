// Browser tests of the view of a past moment: address, bar, slider, calendar, playback, links, and the way back.
//
// Proves (past): Every page shows a past moment that its address names, says so, and keeps it in links. Live goes on
// behind it, and one press returns. Nothing can be changed there. Playback stops when something needs a person.
import { FIXTURE_NOW } from "../support/monitor.mjs";

import { allowProblems, expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "past" }, timezoneId: "Asia/Seoul" });

const minutes = (ago) => FIXTURE_NOW - ago * 60_000;
const iso = (at) => new Date(at).toISOString().replace(".000Z", "Z");
const at = (ago) => `at=${iso(minutes(ago))}`;
const bar = (page) => page.getByRole("region", { name: "지난 시점" });
const mine = (page) => page.getByRole("region", { name: "내가 결정할 것" }).getByRole("listitem");
const send = (ago, message) => ({
  type: "a2a.send",
  agentId: "eden",
  ts: minutes(ago),
  data: { fromAgent: "eden", toAgent: "seum", message, conversationId: "past-1", workSessionId: "ws_past", eventRole: "conversation.main", fromSessionType: "main", toSessionType: "main" },
});
const blocked = { type: "task.blocked", agentId: "eden", ts: minutes(20), data: { taskId: "task_past", workSessionId: "ws_past", reason: "서명 키 필요", unblockedBy: [] } };

test.beforeAll(async ({ monitor }) => {
  await monitor.append(send(60, "첫째 부탁"), send(40, "둘째 부탁"), blocked, send(5, "셋째 부탁"));
  await expect.poll(async () => JSON.stringify(await monitor.get("/api/v2/sessions?q=ws_past"))).toContain("셋째 부탁");
});

test("an address shows home and a thread as they were, and links keep the moment", { tag: "@quick" }, async ({ page }) => {
  await page.goto(`/?${at(30)}`);
  await waitUntilLoaded(page);
  await expect(bar(page)).toContainText("시점을 보고 있습니다");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(/이때는 결정할 것이 없었습니다/);
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "협업" }).click();
  await expect(page).toHaveURL(new RegExp(`/all\\?${at(30)}$`));
  await page.getByRole("link", { name: /첫째 부탁/ }).first().click();
  await expect(page).toHaveURL(new RegExp(at(30)));
  await expect(page.getByText("둘째 부탁").first()).toBeVisible();
  await expect(page.getByText("셋째 부탁")).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`/all\\?${at(30)}$`));
});

test("one press returns to now, where live went on", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto(`/?${at(30)}`);
  await waitUntilLoaded(page);
  await expect(mine(page).filter({ hasText: "서명 키 필요" })).toHaveCount(0);
  await monitor.append({ ...blocked, ts: minutes(2), data: { ...blocked.data, taskId: "task_behind", reason: "뒤에서 생긴 일" } });
  await expect.poll(async () => JSON.stringify((await monitor.get("/api/v2/home")).attention)).toContain("task_behind");
  await expect(mine(page).filter({ hasText: "뒤에서 생긴 일" })).toHaveCount(0);
  await bar(page).getByRole("button", { name: "지금으로" }).click();
  await expect(mine(page).filter({ hasText: "뒤에서 생긴 일" }).first()).toBeVisible();
  await expect(bar(page)).toHaveCount(0);
  await expect(page).toHaveURL(/\/$/);
  await page.goBack();
  await expect(bar(page), "Back leads to the past again").toBeVisible();
});

test("the past is reached from home, by the slider and the keyboard", async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "지난 시점 보기" }).click();
  await expect(bar(page)).toBeVisible();
  await expect(mine(page).filter({ hasText: "서명 키 필요" }).first()).toBeVisible();
  const slider = bar(page).getByRole("slider", { name: "시각 고르기" });
  await slider.fill(String(minutes(30)));
  await expect(mine(page).filter({ hasText: "서명 키 필요" })).toHaveCount(0);
  await expect(page).toHaveURL(new RegExp(at(30)));
  await slider.focus();
  await page.keyboard.press("ArrowRight");
  await expect(page).toHaveURL(new RegExp(iso(minutes(30) + 1_000)));
  await bar(page).getByRole("button", { name: "다음 이벤트" }).click();
  await expect(page).toHaveURL(new RegExp(at(20)));
  await expect(mine(page).filter({ hasText: "서명 키 필요" }).first()).toBeVisible();
  await bar(page).getByRole("button", { name: "이전 이벤트" }).click();
  await expect(page).toHaveURL(new RegExp(at(40)));
});

test("the calendar leads to a day, and playback stops where a person is needed", async ({ page }) => {
  await page.goto(`/?at=${iso(minutes(20) - 8_000)}`);
  await waitUntilLoaded(page);
  await bar(page).getByRole("button", { name: "재생" }).click();
  await expect(page.getByText("사람이 필요한 일이 1건 생겨 재생을 멈췄습니다")).toBeVisible();
  await expect(bar(page).getByRole("button", { name: "재생" })).toBeVisible();
  await expect(mine(page).filter({ hasText: "서명 키 필요" }).first()).toBeVisible();
  await bar(page).getByRole("button", { name: "달력" }).click();
  const days = bar(page).getByRole("table").getByRole("button");
  await expect(days.first()).toHaveAttribute("aria-label", /이벤트 \d+건/);
  await expect(bar(page).locator("[aria-current=date]")).toHaveCount(1);
  await days.first().click();
  await expect(bar(page).getByRole("table")).toHaveCount(0);
});

test("moving into the past without a reload leaves nothing of the present", async ({ page }) => {
  const slider = bar(page).getByRole("slider", { name: "시각 고르기" });
  const past = async () => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "명령과 찾기" }).fill("지난 시점");
    await page.getByRole("option", { name: /지난 시점 보기/ }).first().click();
    await expect(bar(page)).toBeVisible();
  };
  await page.goto("/s/ws_past");
  await expect(page.getByText("셋째 부탁").first()).toBeVisible();
  await past();
  await expect(page.getByText("셋째 부탁").first()).toBeVisible();
  await slider.fill(String(minutes(30)));
  await expect(page.getByText("둘째 부탁").first()).toBeVisible();
  await expect(page.getByText("셋째 부탁")).toHaveCount(0);
  await slider.fill(String(minutes(50)));
  await expect(page.getByText("둘째 부탁")).toHaveCount(0);
  await bar(page).getByRole("button", { name: "지금으로" }).click();
  await expect(page.getByText("셋째 부탁").first()).toBeVisible();
  await page.goto("/all?q=ws_past");
  await expect(page.getByText("셋째 부탁").first()).toBeVisible();
  await past();
  await slider.fill(String(minutes(59)));
  await expect(page.getByText("셋째 부탁")).toHaveCount(0);
  await expect(page.getByText("첫째 부탁").first()).toBeVisible();
  // Before the session began it is not there, and says so.
  allowProblems(page, [/404/]);
  await page.goto(`/s/ws_past?${at(30)}`);
  await expect(page.getByText("둘째 부탁").first()).toBeVisible();
  await bar(page).getByRole("button", { name: "달력" }).click();
  await bar(page).getByRole("table").getByRole("button").first().click();
  await expect(page.getByText("둘째 부탁")).toHaveCount(0);
  await expect(page.getByText("첫째 부탁")).toHaveCount(0);
  await expect(page.getByRole("main")).toContainText("찾을 수 없");
});

test("two moments are compared, by an address that can be shared", async ({ page }) => {
  await page.goto(`/?${at(30)}`);
  await waitUntilLoaded(page);
  await bar(page).getByRole("button", { name: "비교", exact: true }).click();
  await expect(page).toHaveURL(/compare=now/);
  const row = bar(page).getByRole("row", { name: /작업 차단/ }).or(bar(page).getByRole("row", { name: /차단됨/ })).first();
  await expect(row).toContainText(/\+[12]$/);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(row).toContainText(/\+[12]$/);
  await bar(page).getByLabel("비교할 시점").fill("2026-02-21T13:47");
  await expect(page).toHaveURL(/compare=2026-02-21T04:47:00Z/);
  await expect(bar(page)).toContainText("두 시점이 같습니다");
  await bar(page).getByRole("button", { name: "비교", exact: true }).click();
  await expect(bar(page).getByLabel("비교할 시점")).toHaveCount(0);
});

test("nothing is changed or said in the past", async ({ page }) => {
  await page.goto(`/s/ws_past?${at(30)}`);
  await waitUntilLoaded(page);
  await page.keyboard.press("c");
  await expect(page.getByText("지난 시점에서는 바꿀 수 없습니다").first()).toBeVisible();
});

test("a moment that cannot be shown is explained", async ({ page, monitor }) => {
  await page.goto("/?at=1999-01-01T00:00:00Z");
  await waitUntilLoaded(page);
  await expect(bar(page)).toContainText("아직 아무 기록이 없습니다");
  await page.goto("/?at=2999-01-01T00:00:00Z");
  await waitUntilLoaded(page);
  await expect(bar(page), "the future is the present").toHaveCount(0);
  await page.goto("/?at=yesterday");
  await waitUntilLoaded(page);
  await expect(bar(page)).toHaveCount(0);
  allowProblems(page, [/503/]);
  await page.route(/\/api\/v2\/home\?at=/, (route) => route.fulfill({ status: 503, contentType: "application/json", body: JSON.stringify({ error: "no", code: "source_unavailable" }) }));
  await page.goto(`/?${at(30)}`);
  await expect(bar(page)).toContainText("이 시점을 불러오지 못했습니다");
  // An older monitor ignores the moment.
  const now = JSON.stringify(await monitor.get("/api/v2/home"));
  await page.unroute(/\/api\/v2\/home\?at=/);
  await page.route(/\/api\/v2\/home\?at=/, (route) => route.fulfill({ contentType: "application/json", body: now }));
  await bar(page).getByRole("button", { name: "다시 시도" }).click();
  await expect(bar(page)).toContainText("이 모니터는 지난 시점을 보여 주지 못합니다");
  await page.unroute(/\/api\/v2\/home\?at=/);
  await bar(page).getByRole("button", { name: "다시 시도" }).click();
  await expect(bar(page)).toContainText("작업 파일, 승인 요청");
});

test("an address without a time that has come shows the present and says why", async ({ page }) => {
  for (const [value, reason] of [["yesterday", "시점을 읽을 수 없어 지금을 보여 드립니다: yesterday"], ["2126-01-01T00:00:00Z", "시점이 아직 오지 않아"]]) {
    await page.goto(`/?at=${value}`);
    await waitUntilLoaded(page);
    const notice = page.getByRole("status").filter({ hasText: reason });
    await expect(notice).toBeVisible();
    await expect(bar(page)).toHaveCount(0);
    await expect(mine(page).filter({ hasText: "서명 키 필요" }).first(), "the present").toBeVisible();
    await notice.getByRole("button", { name: "닫기" }).click();
    await expect(notice).toHaveCount(0);
    await expect(page).toHaveURL(/\/$/);
  }
});
