// Browser tests of waits between agents: the tree of those that wait for one, deadlocks, and the search for both.
//
// Proves (work): A line of the work list names who waits for its agent and shows them as a tree with links to the
// evidence; the tree stays open, with the focus, while it changes. A circle of waits is a line for a person once it has
// lasted a minute. A line that names an agent whose name only looks like a known one has a warning.
import { FIXTURE_NOW } from "../support/monitor.mjs";

import { allowProblems, expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "waits" } });

const minutes = (ago) => FIXTURE_NOW - ago * 60_000;
const asks = (from, to, ago, message) => ({
  type: "a2a.send",
  agentId: from,
  ts: minutes(ago),
  data: { fromAgent: from, toAgent: to, conversationId: `wait-${from}-${to}`, workSessionId: `ws_wait_${from}`, eventRole: "conversation.main", fromSessionType: "main", toSessionType: "main", message },
});
const blocked = (agent, helper, ago) => ({
  type: "task.blocked",
  agentId: agent,
  ts: minutes(ago),
  data: { taskId: `task_wait_${agent}`, workSessionId: `ws_wait_${agent}`, reason: `${agent} 열쇠 필요`, unblockedBy: helper },
});
const mine = (page) => page.getByRole("region", { name: "내가 결정할 것" }).getByRole("listitem");

test.beforeAll(async ({ monitor }) => {
  await monitor.append(blocked("dajim", [], 40), blocked("seum", ["dajim"], 30), asks("eden", "seum", 2, "결제 화면 확인 부탁해요"));
  await expect.poll(async () => JSON.stringify((await monitor.get("/api/v2/home")).attention), "the lines are read").toContain("task_wait_seum");
});

test.beforeEach(async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
});

test("agents that wait are shown as a tree with their evidence", { tag: "@quick" }, async ({ page, monitor }) => {
  const line = mine(page).filter({ hasText: "dajim 열쇠 필요" }).first();
  const button = line.getByRole("button", { name: /기다림: / });
  await expect(button).toHaveText(/에이전트 2명이 기다림/);
  await expect(button).toHaveAttribute("aria-expanded", "false");
  await button.focus();
  await page.keyboard.press("Enter");
  const tree = line.getByRole("group", { name: "기다리는 에이전트" });
  await expect(tree.getByText("병목")).toBeVisible();
  await expect(tree).toContainText(/seum 열쇠 필요.*작업이 막힘/);
  await expect(tree.locator("li li li")).toContainText(/결제 화면 확인 부탁해요.*답을 기다림/);
  const message = tree.getByRole("link", { name: /결제 화면 확인 부탁해요/ });
  await message.focus();
  await monitor.append(asks("miri", "seum", 1, "색상 값이 필요해요"));
  await expect(tree).toContainText("색상 값이 필요해요");
  await expect(message, "the branch stays in place").toBeFocused();
  await expect(button).toHaveText(/에이전트 3명이 기다림/);
  await tree.getByRole("link", { name: /색상 값이 필요해요/ }).click();
  await expect(page).toHaveURL(/\/s\/ws_wait_miri\/t\/.*at=/);
  await expect(page.getByText("색상 값이 필요해요").first()).toBeVisible();
});

test("a line warns of a name that only looks like a known one", async ({ page, monitor }) => {
  // The second letter is Cyrillic; the story's configuration knows hangyeol.
  const twin = blocked("h\u0430ngyeol", [], 50);
  twin.data.taskId = "task_wait_twin";
  await monitor.append(twin);
  const line = mine(page).filter({ hasText: "ngyeol 열쇠 필요" });
  await expect(line.getByRole("img", { name: /비슷해 보이지만 다른 이름입니다/ })).toBeVisible();
});

test("agents that asked each other some seconds ago are no deadlock", async ({ page, monitor }) => {
  await monitor.append(asks("ieum", "onsae", 1 / 2, "약관 봐 주세요"), asks("onsae", "ieum", 1 / 4, "기록부터 주세요"));
  await expect.poll(async () => JSON.stringify(await monitor.get("/api/v2/waits")), "both are read").toContain("기록부터 주세요");
  await page.reload();
  await waitUntilLoaded(page);
  await expect(mine(page).first()).toBeVisible();
  await expect(mine(page).filter({ hasText: "교착" })).toHaveCount(0);
});

test("agents that wait for each other are a deadlock", async ({ page, monitor }) => {
  await monitor.append(asks("dajim", "eden", 3 / 2, "열쇠 있으면 주세요"));
  const line = mine(page).filter({ hasText: "교착" });
  await expect(line).toContainText(/서로 기다립니다: .* → .* → .* → /);
  await expect(line).toContainText("열쇠 있으면 주세요");
  await line.getByRole("link", { name: /근거/ }).click();
  await expect(page).toHaveURL(/\/events\?.*open=/);
  await page.goto("/search?q=is%3Adeadlock");
  await expect(page.getByRole("link", { name: /열쇠 있으면 주세요/ }).first()).toBeVisible();
  // An answer ends it.
  await monitor.append({
    type: "a2a.response",
    agentId: "eden",
    ts: minutes(1 / 4),
    data: { fromAgent: "eden", toAgent: "dajim", conversationId: "wait-dajim-eden", workSessionId: "ws_wait_dajim", eventRole: "conversation.main", message: "여기요" },
  });
  await page.goto("/");
  await expect(mine(page).filter({ hasText: "교착" })).toHaveCount(0);
});

test("a tree that cannot be loaded says so and can be asked again", async ({ page }) => {
  allowProblems(page, [/ERR_FAILED/]);
  const line = mine(page).filter({ hasText: "dajim 열쇠 필요" }).first();
  await page.route("**/api/v2/waits*", (route) => route.abort());
  await line.getByRole("button", { name: /기다림: / }).click();
  await expect(line.getByRole("alert")).toContainText("기다리는 에이전트를 불러오지 못했습니다.");
  await page.unroute("**/api/v2/waits*");
  await line.getByRole("button", { name: "다시 시도" }).click();
  await expect(line.getByText("병목")).toBeVisible();
});
