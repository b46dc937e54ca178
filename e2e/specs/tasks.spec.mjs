// Browser tests of tasks on an open page: blocked, resumed and completed task files, disagreement of file and events,
// and sessions that resume each other.
//
// Proves (work): The open page shows without a reload that a task file changed from blocked to done, that file and
// events disagree, and that sessions resume each other.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { markDocument, waitUntilLoaded, wasNotReloaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "tasks" } });

const STUCK = "task_7f3a91c02b4de8815a60";
const detail = (page) => page.getByRole("complementary", { name: "작업 자세히" });
const row = (page, task) => page.locator(`[data-task="${task}"]`);
const apart = (page) => detail(page).getByRole("note").filter({ hasText: "파일과 이벤트가 다릅니다" });

/** Rewrites a task's file, as its agent does. */
async function edit(monitor, agent, task, change) {
  const file = path.join(monitor.home, `workspace-${agent}/tasks/${task}.md`);
  const before = await readFile(file, "utf8");
  const text = change(before);
  assert.notEqual(text, before, "the file changes");
  await writeFile(file, text);
}

const status = (word) => (text) => text.replace(/\*\*Status:\*\* \w+/, `**Status:** ${word}`);
const event = (type) => ({ type, agentId: "eden", ts: FIXTURE_NOW - 60_000, data: { taskId: STUCK } });

test("a task that one arrives at has its row in view", async ({ page, monitor }) => {
  const { tasks } = await monitor.get("/api/v2/tasks");
  const task = tasks.find(({ status }) => status === "pending_approval");
  await page.goto(`/tasks/${task.agentId}/${task.id}`);
  await waitUntilLoaded(page);
  await expect(row(page, task.id)).toBeInViewport({ ratio: 1 });
  assert.ok((await page.evaluate(() => scrollY)) > 0, "it is not among the first");
  await expect(detail(page).getByRole("heading", { name: task.title }).first()).toBeInViewport();
});

test("a blocked task is resumed and completed in its file without a reload", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto(`/tasks/eden/${STUCK}`);
  await waitUntilLoaded(page);
  await markDocument(page);
  const reason = detail(page).getByRole("heading", { name: /막힌 이유/ });
  await expect(reason).toBeVisible();
  await expect(detail(page).getByText("운영 DB 접근 권한이 필요합니다").first()).toBeVisible();
  const blocked = page.getByRole("region", { name: /차단됨/ }).or(page.locator("section").filter({ has: page.getByRole("heading", { name: /차단됨/ }) }));
  await expect(blocked.locator(`[data-task="${STUCK}"]`).first()).toBeVisible();
  await expect(page.getByRole("main").getByRole("heading", { name: /^(차단됨|진행 중|승인 대기|완료)/, level: 2 }).first(), "what needs somebody comes first").toHaveText(/차단됨/);

  await edit(monitor, "eden", STUCK, (text) => status("in_progress")(text)
    .replace(/\n## Blocking[\s\S]*?```\n[\s\S]*?```\n|\n## Blocking\n```json[\s\S]*?```\n/, "\n")
    .replace("## Last Activity", "- Task resumed from blocked state\n\n## Last Activity"));
  await expect(detail(page).getByText("진행 중", { exact: true }).first()).toBeVisible();
  await expect(reason).toHaveCount(0);
  await monitor.append(event("task.resumed"));

  await edit(monitor, "eden", STUCK, (text) => status("completed")(text).replace("- [>] (s2)", "- [x] (s2)").replace("- [ ] (s3)", "- [x] (s3)"));
  await expect(detail(page).getByText("완료", { exact: true }).first()).toBeVisible();
  await expect(detail(page).getByRole("heading", { name: /단계.*3\/4/ })).toBeVisible();
  await monitor.append(event("task.completed"));
  await expect(apart(page)).toHaveCount(0);
  assert.ok(await wasNotReloaded(page), "the page was not reloaded");
});

test("a task whose file and events differ is marked and shows both", async ({ page, monitor }) => {
  const { tasks } = await monitor.get("/api/v2/tasks");
  const task = tasks.find((one) => one.status === "in_progress" && one.source !== "events" && !one.differs && one.agentId !== "eden");
  assert.ok(task, "the story has a task under way");
  await page.goto(`/tasks/${task.agentId}/${task.id}`);
  await waitUntilLoaded(page);
  await markDocument(page);
  const differs = row(page, task.id).getByText("서로 다름");
  expect(await differs.count()).toBe(0);
  await monitor.append({ type: "task.blocked", agentId: task.agentId, ts: FIXTURE_NOW - 30_000, data: { taskId: task.id, reason: "열쇠가 없음" } });
  await expect(differs).toBeVisible();
  await expect(apart(page), "what the file says and what the event says").toContainText(/‘진행 중’[\s\S]*‘차단됨’/);
  await edit(monitor, task.agentId, task.id, status("blocked"));
  await expect(apart(page)).toHaveCount(0);
  await expect(differs).toHaveCount(0);
  assert.ok(await wasNotReloaded(page), "the page was not reloaded");
});

test("sessions that resume each other are listed in order and linked", async ({ page, monitor }) => {
  const task = "task_3d1c3d29c157066f1d11";
  const { chain } = await monitor.get(`/api/v2/tasks/yunseul/${task}`);
  assert.equal(chain.length, 2, "the story resumes one session");
  const [first, second] = chain.map((link) => link.workSessionId);
  await page.goto(`/tasks/yunseul/${task}`);
  await waitUntilLoaded(page);
  const steps = detail(page).locator(".session-chain").getByRole("listitem");
  expect(await steps.count()).toBe(2);
  expect(await steps.nth(1).getAttribute("aria-current"), "the task's own session is the newer one").toBe("true");
  // A third session resumes the second while the page is open, and the task moves to it.
  await monitor.append(message({ from: "yunseul", to: "miri", text: "[Goal] 뉴스레터 3차 발송", session: "ws_third", conversation: "c_third", at: FIXTURE_NOW - 20_000, previousWorkSessionId: second }));
  await edit(monitor, "yunseul", task, (text) => text.replace(/\*\*Work Session:\*\* \S+/, "**Work Session:** ws_third").replace(/\*\*Previous Work Session:\*\* \S+/, `**Previous Work Session:** ${second}`));
  await expect(steps).toHaveCount(3);
  await expect(steps.nth(2)).toHaveAttribute("aria-current", "true");
  await steps.nth(0).getByRole("link").click();
  await expect(page).toHaveURL((url) => url.pathname.startsWith(`/s/${encodeURIComponent(first)}`));
  await waitUntilLoaded(page);
  // From the oldest session to the newer ones.
  for (const next of [second, "ws_third"]) {
    await page.locator(`main a[href*="/s/${next}"]`).first().click();
    await expect(page).toHaveURL((url) => url.pathname.startsWith(`/s/${encodeURIComponent(next)}`));
    await waitUntilLoaded(page);
  }
  await expect(page.getByText("뉴스레터 3차 발송").first()).toBeVisible();
});
