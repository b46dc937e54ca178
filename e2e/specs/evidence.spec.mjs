// Browser tests of agreement between a page and the page that it links to as evidence: home, events, tasks and sessions
// state the same facts.
//
// Proves (work): A line and the page that it links to agree: events and their tasks, home and its evidence, who can
// unblock a task, missing answers that are inferred, and the counts of a session.
import assert from "node:assert/strict";

import { message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { address, mainText, threadsOf, waitUntilLoaded, walk } from "../support/steps.mjs";

let home;
test.beforeAll(async ({ monitor }) => {
  home = await monitor.get("/api/v2/home");
});

/** Unfolds the lines of home that wait for the user. */
async function unfoldLines(page) {
  await waitUntilLoaded(page);
  const more = page.getByRole("button", { name: /더 보기/ });
  if (await more.isVisible()) await more.click();
}

test("every task link of an event opens a task", async ({ monitor, page }) => {
  const { events } = await monitor.get("/api/v2/events?limit=100");
  const named = events.filter((event) => event.taskId);
  const foreign = named.filter((event) => event.taskOwner && event.taskOwner !== event.agentId);
  assert.ok(foreign.length > 0, "the story has events about tasks of others");

  // Each event by itself, and so high a window that none is far from the screen: far ones are not drawn.
  await page.setViewportSize({ width: 1440, height: 14_000 });
  await page.goto("/events?group=off");
  await waitUntilLoaded(page);
  const links = page.getByRole("main").getByRole("link", { name: "작업 열기", exact: true });
  await expect(links, "an event of an unrecorded task has none").toHaveCount(named.filter((event) => event.taskOwner).length);
  const addresses = new Set(await links.evaluateAll((all) => all.map((link) => new URL(link.href).pathname)));
  for (const address of addresses) await monitor.get(`/api/v2${address}`);

  const { taskOwner, taskId } = foreign[0];
  await page.goto(`/tasks/${taskOwner}/${taskId}`);
  await expect(page.getByRole("complementary").getByRole("heading", { level: 2 }).first()).toBeVisible();
  assert.doesNotMatch(await mainText(page), /찾을 수 없습니다/);
});

test("a blocked task and a plan lead from home to their event", { tag: "@quick" }, async ({ page }) => {
  const proven = home.attention.filter((line) => ["taskBlocked", "approval"].includes(line.kind));
  assert.deepEqual(new Set(proven.map((line) => line.evidence)), new Set(["task.blocked", "plan.submitted"]));
  await page.goto("/");
  for (const line of proven) {
    await walk(page, "/");
    await unfoldLines(page);
    const text = line.detail && line.kind === "taskBlocked" ? line.detail : line.title;
    const item = page.getByRole("listitem").filter({ hasText: text.slice(0, 12) }).filter({ hasText: "근거" }).first();
    await item.getByRole("link", { name: /^근거/ }).click();
    const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
    await expect(drawer).toContainText(line.evidence);
    assert.ok((await drawer.innerText()).includes(line.taskId), "and it is about that task");
  }
});

test("home and the task's page name the same unblockers", async ({ page }) => {
  const line = home.attention.find((line) => line.unblockers?.length > 1);
  const names = line.unblockers.map((id) => home.agents.find((agent) => agent.id === id).name);
  await page.goto("/");
  await waitUntilLoaded(page);
  const row = await page.getByRole("link", { name: new RegExp(line.detail) }).innerText();
  for (const name of names) assert.ok(row.includes(name), name);
  await page.goto(`/tasks/${line.agent}/${line.taskId}`);
  const detail = page.getByRole("complementary", { name: /작업/ });
  await expect(detail.getByRole("heading", { level: 2 }).first()).toBeVisible();
  for (const name of names) assert.ok((await detail.innerText()).includes(name), name);
});

test("a failed response in a task's history is no answer", async ({ monitor, page }) => {
  const line = home.attention.find((line) => line.kind === "taskBlocked" && line.agent === "eden");
  await page.goto(`/tasks/${line.agent}/${line.taskId}`);
  const missing = page.getByRole("listitem").filter({ hasText: "응답 없음" }).first();
  await expect(missing).toBeVisible();
  assert.match(await missing.innerText(), /원인/);
  const { events } = await monitor.get(`/api/v2/tasks/${line.agent}/${line.taskId}`);
  const answers = events.filter((event) => event.type === "a2a.response" && !event.missing);
  await expect(page.getByRole("link", { name: "답변", exact: true })).toHaveCount(answers.length);
});

test("an inferred silence is counted apart in its thread", async ({ monitor, page }) => {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  const session = sessions.find((session) => session.attention?.noTrace === 1);
  const thread = (await threadsOf(monitor, session)).find((thread) => thread.trouble.noTrace > 0);
  await page.goto(address(session, thread));
  await waitUntilLoaded(page);
  assert.match(await mainText(page), /응답 없음 1\(추정\)/);
  assert.match(await page.getByRole("complementary", { name: "이 스레드의 정보" }).innerText(), /없음 중 추정\s+1/);
});

test("a guessed category is named in words of the page", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor();
  // Talk that holds no word by which a category could be told.
  await monitor.append(message({ from: "eden", to: "seum", text: "ㅇㅇ", session: "ws_wordless", conversation: "wordless" }));
  await expect.poll(async () => (await monitor.get("/api/v2/home")).attention.map((line) => line.kind)).toContain("lowConfidence");
  const page = await openPage(monitor.url);
  await unfoldLines(page);
  const text = await mainText(page);
  assert.doesNotMatch(text, /fallback/);
  assert.match(text, /분류 확인/);
  assert.match(text, /“ㅇㅇ/);
});
