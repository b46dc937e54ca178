// Tasks as their files say, live: stuck, freed and done; file and events at odds; sessions that resume each other.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle, mark, unmoved } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const STUCK = "task_7f3a91c02b4de8815a60";
const detail = (page) => page.getByRole("complementary", { name: "작업 자세히" });
const row = (page, task) => page.locator(`[data-task="${task}"]`);
const taskFile = (agent, task) => path.join(monitor.home, `workspace-${agent}/tasks/${task}.md`);

/** Writes a task's file anew, as its agent does. */
async function edit(agent, task, change) {
  const file = taskFile(agent, task);
  const before = await readFile(file, "utf8");
  const text = change(before);
  assert.notEqual(text, before, "the file changes");
  await writeFile(file, text);
}

const status = (word) => (text) => text.replace(/\*\*Status:\*\* \w+/, `**Status:** ${word}`);
const event = (type, more = {}) => ({ type, agentId: "eden", ts: FIXTURE_NOW - 60_000, data: { taskId: STUCK, ...more } });

test("a task that is stuck is freed and done in its file, and the open page says so each time, without a reload", async () => {
  const page = await openPage(browser, `${monitor.url}/tasks/eden/${STUCK}`);
  await idle(page);
  await mark(page);
  await detail(page).getByRole("heading", { name: /막힌 이유/ }).waitFor();
  await detail(page).getByText("운영 DB 접근 권한이 필요합니다").first().waitFor();
  await page.getByRole("region", { name: /차단됨/ }).or(page.locator("section").filter({ has: page.getByRole("heading", { name: /차단됨/ }) })).locator(`[data-task="${STUCK}"]`).first().waitFor();

  await edit("eden", STUCK, (text) => status("in_progress")(text)
    .replace(/\n## Blocking[\s\S]*?```\n[\s\S]*?```\n|\n## Blocking\n```json[\s\S]*?```\n/, "\n")
    .replace("## Last Activity", "- Task resumed from blocked state\n\n## Last Activity"));
  await detail(page).getByText("진행 중", { exact: true }).first().waitFor();
  await eventually("nothing blocks it any more", async () => (await detail(page).getByRole("heading", { name: /막힌 이유/ }).count()) === 0);
  await monitor.append(event("task.resumed"));

  await edit("eden", STUCK, (text) => status("completed")(text).replace("- [>] (s2)", "- [x] (s2)").replace("- [ ] (s3)", "- [x] (s3)"));
  await detail(page).getByText("완료", { exact: true }).first().waitFor();
  await detail(page).getByRole("heading", { name: /단계.*3\/4/ }).waitFor();
  await monitor.append(event("task.completed"));
  await eventually("file and events agree in the end", async () => (await detail(page).getByRole("note").filter({ hasText: "파일과 이벤트가 다릅니다" }).count()) === 0);
  assert.ok(await unmoved(page), "the page was not reloaded");
  assertNoProblems(page);
  await page.context().close();
});

test("where file and events say different things, the list marks it and the task tells both", async () => {
  const { tasks } = await monitor.get("/api/v2/tasks");
  const task = tasks.find((one) => one.status === "in_progress" && one.source !== "events" && !one.differs && one.agentId !== "eden");
  assert.ok(task, "the story has a task under way");
  const page = await openPage(browser, `${monitor.url}/tasks/${task.agentId}/${task.id}`);
  await idle(page);
  await mark(page);
  assert.equal(await row(page, task.id).getByText("서로 다름").count(), 0);
  await monitor.append({ type: "task.blocked", agentId: task.agentId, ts: FIXTURE_NOW - 30_000, data: { taskId: task.id, reason: "열쇠가 없음" } });
  await row(page, task.id).getByText("서로 다름").waitFor();
  const note = detail(page).getByRole("note").filter({ hasText: "파일과 이벤트가 다릅니다" });
  await note.waitFor();
  assert.match(await note.innerText(), /‘진행 중’[\s\S]*‘차단됨’/, "what the file says and what the event says");
  await edit(task.agentId, task.id, status("blocked"));
  await eventually("once the file says the same, nothing is at odds", async () => (await note.count()) === 0);
  await eventually("nor in the list", async () => (await row(page, task.id).getByText("서로 다름").count()) === 0);
  assert.ok(await unmoved(page), "the page was not reloaded");
  assertNoProblems(page);
  await page.context().close();
});

test("sessions that resume each other are drawn in a row and walked from task to session and on", async () => {
  const task = "task_3d1c3d29c157066f1d11";
  const { chain } = await monitor.get(`/api/v2/tasks/yunseul/${task}`);
  assert.equal(chain.length, 2, "the story resumes one session");
  const [first, second] = chain.map((link) => link.workSessionId);
  const page = await openPage(browser, `${monitor.url}/tasks/yunseul/${task}`);
  await idle(page);
  const steps = detail(page).locator(".session-chain").getByRole("listitem");
  assert.equal(await steps.count(), 2);
  assert.equal(await steps.nth(1).getAttribute("aria-current"), "true", "the task's own session is the newer one");
  // A third session goes on from there while the page is open, and the task goes with it.
  await monitor.append(message({ from: "yunseul", to: "miri", text: "[Goal] 뉴스레터 3차 발송", session: "ws_third", conversation: "c_third", at: FIXTURE_NOW - 20_000, previousWorkSessionId: second }));
  await edit("yunseul", task, (text) => text.replace(/\*\*Work Session:\*\* \S+/, "**Work Session:** ws_third").replace(/\*\*Previous Work Session:\*\* \S+/, `**Previous Work Session:** ${second}`));
  await eventually("the row grows", async () => (await steps.count()) === 3);
  assert.equal(await steps.nth(2).getAttribute("aria-current"), "true");
  await steps.nth(0).getByRole("link").click();
  await page.waitForURL((url) => url.pathname.startsWith(`/s/${encodeURIComponent(first)}`));
  await idle(page);
  // From the oldest session on to the next ones, and back.
  const next = page.locator(`main a[href*="/s/${second}"]`).first();
  await next.click();
  await page.waitForURL((url) => url.pathname.startsWith(`/s/${encodeURIComponent(second)}`));
  await idle(page);
  await page.locator('main a[href*="/s/ws_third"]').first().click();
  await page.waitForURL((url) => url.pathname.startsWith("/s/ws_third"));
  await page.getByText("뉴스레터 3차 발송").first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});
