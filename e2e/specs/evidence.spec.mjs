// What a line says, the place it leads to says too: home, events, tasks and sessions agree.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle, mainText } from "../support/verbs.mjs";

let monitor;
let browser;
let home;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  home = await monitor.get("/api/v2/home");
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

test("every link from an event to its task opens a task; an event of an unrecorded task has none", async () => {
  const { events } = await monitor.get("/api/v2/events?limit=100");
  const named = events.filter((event) => event.taskId);
  const foreign = named.filter((event) => event.taskOwner && event.taskOwner !== event.agentId);
  assert.ok(foreign.length > 0, "the story has events about tasks of others");

  // Each event by itself, and so high a window that none is far from the screen: far ones are not drawn.
  const page = await openPage(browser, `${monitor.url}/events?group=off`, { height: 14_000 });
  await idle(page);
  const links = page.getByRole("main").getByRole("link", { name: "작업 열기", exact: true });
  assert.equal(await links.count(), named.filter((event) => event.taskOwner).length);
  const addresses = new Set(await links.evaluateAll((all) => all.map((link) => new URL(link.href).pathname)));
  for (const address of addresses) await monitor.get(`/api/v2${address}`);

  const { taskOwner, taskId } = foreign[0];
  await page.goto(`${monitor.url}/tasks/${taskOwner}/${taskId}`);
  await page.getByRole("complementary").getByRole("heading", { level: 2 }).first().waitFor();
  assert.doesNotMatch(await mainText(page), /찾을 수 없습니다/);
  assertNoProblems(page);
  await page.context().close();
});

test("a blocked task and a plan lead from home to the event that proves them", async () => {
  const proven = home.attention.filter((line) => ["taskBlocked", "approval"].includes(line.kind));
  assert.deepEqual(new Set(proven.map((line) => line.evidence)), new Set(["task.blocked", "plan.submitted"]));
  for (const line of proven) {
    const page = await openPage(browser, monitor.url);
    await idle(page);
    const more = page.getByRole("button", { name: /더 보기/ });
    if (await more.isVisible()) await more.click();
    const said = line.detail && line.kind === "taskBlocked" ? line.detail : line.title;
    await page.getByRole("link", { name: new RegExp(said.slice(0, 12)) }).first().click();
    const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
    await drawer.waitFor();
    await eventually("the event itself", async () => (await drawer.innerText()).includes(line.evidence));
    assert.ok((await drawer.innerText()).includes(line.taskId), "and it is about that task");
    await page.context().close();
  }
});

test("home and the task's page name the same agents who can unblock it", async () => {
  const line = home.attention.find((line) => line.unblockers?.length > 1);
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const names = line.unblockers.map((id) => home.agents.find((agent) => agent.id === id).name);
  const row = page.getByRole("link", { name: new RegExp(line.detail) });
  for (const name of names) assert.ok((await row.innerText()).includes(name), name);
  await page.goto(`${monitor.url}/tasks/${line.agent}/${line.taskId}`);
  const detail = page.getByRole("complementary", { name: /작업/ });
  await detail.getByRole("heading", { level: 2 }).first().waitFor();
  for (const name of names) assert.ok((await detail.innerText()).includes(name), name);
  await page.context().close();
});

test("a response that is no answer is not called one in a task's history, and says why", async () => {
  const line = home.attention.find((line) => line.kind === "taskBlocked" && line.agent === "eden");
  const page = await openPage(browser, `${monitor.url}/tasks/${line.agent}/${line.taskId}`);
  const missing = page.getByRole("listitem").filter({ hasText: "응답 없음" });
  await missing.first().waitFor();
  assert.match(await missing.first().innerText(), /원인/);
  const { events } = await monitor.get(`/api/v2/tasks/${line.agent}/${line.taskId}`);
  const answers = events.filter((event) => event.type === "a2a.response" && !event.missing);
  assert.equal(await page.getByRole("link", { name: "답변", exact: true }).count(), answers.length);
  await page.context().close();
});

test("a silence that home concludes is counted in its thread, and told apart from what is written", async () => {
  const line = home.attention.find((line) => line.kind === "noReply" && line.inferred);
  const session = encodeURIComponent(line.sessionId);
  const page = await openPage(browser, `${monitor.url}/s/${session}/t/${encodeURIComponent(line.threadId)}`);
  await idle(page);
  assert.match(await mainText(page), /응답 없음 1\(추정\)/);
  const about = page.getByRole("complementary", { name: "이 스레드의 정보" });
  assert.match(await about.innerText(), /없음 가운데 추정\s+1/);
  await page.context().close();
});

test("words of the machinery are said in the reader's own", async () => {
  // Talk that holds no word by which a category could be told.
  await monitor.append(message({ from: "eden", to: "seum", text: "ㅇㅇ", session: "ws_wordless", conversation: "wordless" }));
  await eventually("its category is a guess", async () =>
    (await monitor.get("/api/v2/home")).attention.some((line) => line.kind === "lowConfidence"),
  );
  const page = await openPage(browser, monitor.url);
  await idle(page);
  const more = page.getByRole("button", { name: /더 보기/ });
  if (await more.isVisible()) await more.click();
  const text = await mainText(page);
  assert.doesNotMatch(text, /fallback/);
  assert.match(text, /근거 맞는 낱말 없음/);
  await page.context().close();
});
