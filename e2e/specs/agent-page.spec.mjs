// Browser tests of the page of one agent. Also tests the notice that says what an agent did while another agent waited
// for its answer.
//
// Proves (work): An agent's page agrees with the list of agents. The notice of a missing answer says what the agent did
// meanwhile.
import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "agent-page" } });

const MINUTE = 60_000;
const event = (type, agentId, ts, data) => ({ type, agentId, ts, data });
const section = (page, name) => page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name, exact: true }) });
let names;

test.beforeAll(async ({ monitor }) => {
  const at = FIXTURE_NOW - 10 * MINUTE;
  const ask = (from, to, conversation, minutes) =>
    message({ from, to, text: `${conversation} 부탁합니다`, session: `ws_${conversation}`, conversation, at: at + minutes * MINUTE });
  const missing = { fromAgent: "seum", toAgent: "eden", message: "[outcome] no_reply: timed out", waitStatus: "timeout", workSessionId: "ws_asked", conversationId: "asked", eventRole: "conversation.main" };
  await monitor.append(
    event("task.started", "seum", at - 5 * MINUTE, { taskId: "task_deploy", workSessionId: "ws_asked" }),
    ask("eden", "seum", "asked", 0),
    ask("seum", "ruda", "other", 2),
    event("a2a.response", "seum", at + 5 * MINUTE, missing),
    ask("ruda", "seum", "waiting", 9),
  );
  await expect.poll(async () => (await monitor.get("/api/v2/agents/seum")).card.agent.queueTotal).toBe(1);
  const { agents } = await monitor.get("/api/v2/agents");
  names = Object.fromEntries(agents.map(({ agent }) => [agent.id, agent.name]));
});

test("a missing answer says what the other agent did meanwhile", { tag: "@quick" }, async ({ page }) => {
  await page.goto("/s/ws_asked/t/conv:asked");
  await waitUntilLoaded(page);
  const notice = page.getByRole("note").filter({ hasText: "원인" });
  await expect(notice.getByText(new RegExp(`^그때 ${names.seum}[은는]$`))).toBeVisible();
  await expect(notice).toContainText(/작업 중 · 그 사이 활동 1건, 마지막 \d/);
  await notice.getByRole("link", { name: "그때 활동 보기" }).click();
  await expect(page).toHaveURL(/\/s\/ws_other\/t\/conv:other\?at=/);
  await expect(page.getByText("other 부탁합니다").first()).toBeVisible();
});

test("names lead to the agent's page with its waits, tasks and threads", { tag: "@quick" }, async ({ page }) => {
  await page.goto("/s/ws_asked/t/conv:asked");
  await waitUntilLoaded(page);
  await page.getByRole("heading", { level: 2 }).getByRole("link", { name: names.seum }).click();
  await expect(page).toHaveURL(/\/agents\/seum$/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText(names.seum);
  await expect(section(page, "답을 기다리는 쪽").getByRole("link", { name: new RegExp(`^${names.ruda}[이가] 보냄`) })).toBeVisible();
  await expect(section(page, "기다리는 답").getByRole("link", { name: `${names.ruda}의 답을 기다림` })).toBeVisible();
  await expect(section(page, "작업").locator("[data-task=task_deploy]")).toBeVisible();
  await expect(section(page, "최근 스레드").getByRole("listitem")).not.toHaveCount(0);
  await expect(section(page, "최근 협업").locator("[data-session=ws_waiting]")).toBeVisible();
  await expect(section(page, "확인할 것").getByRole("listitem").filter({ hasText: "asked 부탁합니다" })).toBeVisible();
  // The period of the table is in the address and outlives a reload.
  await page.getByRole("group", { name: "주고받기 기간" }).getByRole("button", { name: "전체 기간" }).click();
  await expect(page).toHaveURL(/\/agents\/seum\?since=all$/);
  await page.reload();
  await expect(page.getByRole("rowheader").first()).toBeVisible();
  await page.getByRole("navigation").getByRole("link", { name: "협업", exact: true }).last().click();
  await expect(page).toHaveURL(/\/all\?agent=seum/);
});

test("an answer leaves the queue live, and an unknown agent is said to be unknown", async ({ page, monitor }) => {
  await page.goto("/agents/seum");
  await waitUntilLoaded(page);
  const queue = section(page, "답을 기다리는 쪽");
  await expect(queue.getByRole("link", { name: /보냄/ })).toHaveCount(1);
  await monitor.append(message({ from: "seum", to: "ruda", text: "했습니다", session: "ws_waiting", conversation: "waiting", at: FIXTURE_NOW - 1, type: "a2a.response" }));
  await expect(queue.getByText("이 에이전트의 답을 기다리는 요청이 없습니다.")).toBeVisible();
  allowProblems(page, [/404/]);
  await page.goto("/agents/nobody");
  await expect(page.getByText("이 에이전트를 찾을 수 없습니다")).toBeVisible();
  await page.getByRole("link", { name: "에이전트 모두 보기" }).click();
  await expect(page).toHaveURL(/\/agents$/);
});
