// Agents: what each is at and by what evidence, who waits for whom, how pairs answer, and the reader's own word on roles.
import assert from "node:assert/strict";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle, mark, menu, unmoved } from "../support/verbs.mjs";

const MINUTE = 60_000;
let monitor;
let browser;
before(async () => {
  monitor = await startMonitor({ story: "ping-pong" });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const card = (page, name) => page.getByRole("article", { name, exact: true });
const task = (type, agent, taskId, at, more = {}) => ({ type, agentId: agent, ts: at, data: { taskId, ...more } });

test("every agent's state names its evidence, which leads to the event, the task and the talk", async () => {
  await monitor.append(
    task("task.blocked", "seum", "task_stuck", FIXTURE_NOW - 50 * MINUTE, { reason: "운영 DB 접근 권한 필요", unblockedBy: ["eden"] }),
    task("task.started", "eden", "task_quiet", FIXTURE_NOW - 300 * MINUTE),
  );
  const page = await openPage(browser, monitor.url);
  await idle(page);
  await menu(page, "에이전트").click();
  await page.waitForURL(/\/agents$/);
  await page.getByRole("heading", { level: 1, name: "에이전트" }).waitFor();
  const { agents } = await monitor.get("/api/v2/agents");
  const stuck = agents.find((one) => one.agent.id === "seum");
  await card(page, stuck.agent.name).getByText("차단됨", { exact: true }).waitFor();
  await card(page, stuck.agent.name).getByText("task.blocked").waitFor();
  await card(page, stuck.agent.name).getByRole("link", { name: "이벤트 보기" }).click();
  await page.waitForURL(/\/events\?agent=seum&open=/);
  await page.getByRole("dialog", { name: /원본/ }).getByText("운영 DB 접근 권한 필요").waitFor();
  await page.goBack();
  await card(page, stuck.agent.name).getByRole("link", { name: "작업 보기" }).click();
  await page.waitForURL(/\/tasks\/seum\/task_stuck/);
  assertNoProblems(page);
  await page.context().close();
});

test("work of which nothing was heard for an hour is called a guess, here, on home and in the list of tasks", async () => {
  const { agents } = await monitor.get("/api/v2/agents");
  const quiet = agents.find((one) => one.agent.id === "eden");
  assert.equal(quiet.agent.state, "working");
  const page = await openPage(browser, `${monitor.url}/agents`);
  await idle(page);
  await card(page, quiet.agent.name).getByText("추정", { exact: true }).waitFor();
  await card(page, quiet.agent.name).getByText(/한 시간 넘게 소식이 없어/).waitFor();
  await page.goto(`${monitor.url}/tasks`);
  await idle(page);
  await page.locator("[data-task=task_quiet]").getByText("소식 없음(추정)").waitFor();
  await page.goto(monitor.url);
  await idle(page);
  await page.getByRole("main").getByRole("link", { name: /작업 중.*추정/ }).first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("a queue grows and shrinks before the reader's eyes, and a send tells its place in it", async () => {
  const page = await openPage(browser, `${monitor.url}/agents`);
  await idle(page);
  await mark(page);
  const name = (await monitor.get("/api/v2/agents")).agents.find((one) => one.agent.id === "seum").agent.name;
  const ask = (from, number) =>
    message({ from, to: "seum", text: `부탁 ${number}`, session: `ws_q${number}`, conversation: `conv_q${number}`, at: FIXTURE_NOW - MINUTE + number });
  await monitor.append(ask("eden", 1), ask("ruda", 2));
  await card(page, name).getByRole("heading", { name: `${name}에게 2건 대기` }).waitFor();
  await card(page, name).getByText("부탁 2").last().waitFor();
  await card(page, name).getByRole("link", { name: /보냄/ }).nth(1).click();
  await page.waitForURL(/\/s\/ws_q2\/t\/.*at=/);
  await page.getByText("2번째로 기다림").waitFor();
  await page.goBack();
  await monitor.append(message({ from: "seum", to: "eden", text: "했습니다", session: "ws_q1", conversation: "conv_q1", at: FIXTURE_NOW - 1, type: "a2a.response" }));
  await card(page, name).getByRole("heading", { name: `${name}에게 1건 대기` }).waitFor();
  assert.ok(await unmoved(page), "all of it without a reload");
  assertNoProblems(page);
  await page.context().close();
});

test("filters, the period of the pairs and the reader's own roles stand the reload", async () => {
  const page = await openPage(browser, `${monitor.url}/agents`);
  await idle(page);
  const { agents, pairs } = await monitor.get("/api/v2/agents");
  const busiest = pairs[0];
  await page.getByRole("table").getByRole("row").nth(1).getByRole("cell", { name: String(busiest.sends), exact: true }).first().waitFor();
  await page.getByRole("group", { name: "주고받기 기간" }).getByRole("button", { name: "전체 기간" }).click();
  await page.waitForURL(/since=all/);
  await page.getByRole("group", { name: "상태로 거르기" }).getByRole("button", { name: /차단됨/ }).click();
  await page.waitForURL(/state=blocked/);
  await page.reload();
  await idle(page);
  assert.equal(await page.getByRole("article").count(), agents.filter((one) => one.agent.state === "blocked").length);
  await page.goto(`${monitor.url}/agents`);
  await idle(page);
  const name = agents.find((one) => !one.worker).agent.name;
  await card(page, name).getByLabel(`${name}의 역할`).first().click();
  await card(page, name).getByRole("button", { name: "하위 에이전트으로 정하기" }).click();
  await card(page, name).getByText("직접 정함").waitFor();
  await page.goto(`${monitor.url}/agents?role=worker`);
  await idle(page);
  await card(page, name).waitFor();
  assertNoProblems(page);
  await page.context().close();
});

test("the pairs are folded after the busiest twelve, sorted by any column, and the address keeps both", async () => {
  const monitor = await startMonitor();
  const page = await openPage(browser, `${monitor.url}/agents?since=all`);
  await idle(page);
  const { pairs } = await monitor.get("/api/v2/agents");
  assert.ok(pairs.length > 13, "the story has more");
  const rows = page.getByRole("table").getByRole("row");
  assert.equal(await rows.count(), 13, "twelve and the heads");
  await page.getByRole("button", { name: `나머지 ${pairs.length - 12}쌍 보기` }).click();
  await page.waitForURL(/pairs=all/);
  await eventually("all are there", async () => (await rows.count()) === pairs.length + 1);
  const head = page.getByRole("columnheader", { name: "답변 p95" });
  await head.getByRole("button").click();
  await page.waitForURL(/sort=p95/);
  await eventually("the head says so", async () => (await head.getAttribute("aria-sort")) === "descending");
  const slowest = [...pairs].sort((a, b) => (b.p95Ms ?? -1) - (a.p95Ms ?? -1))[0];
  const names = async (number) => (await rows.nth(number).getByRole("rowheader").innerText()).replace(/\s+/g, " ");
  const { agents } = await monitor.get("/api/v2/agents");
  const called = (id) => agents.find((one) => one.agent.id === id)?.agent.name ?? id;
  assert.ok((await names(1)).startsWith(called(slowest.from)), `${await names(1)} begins with ${called(slowest.from)}`);
  await head.getByRole("button").click();
  await page.waitForURL(/sort=p95-up/);
  await page.reload();
  await idle(page);
  assert.equal(await head.getAttribute("aria-sort"), "ascending", "the address keeps it");
  const fastest = pairs.filter((pair) => pair.p95Ms !== undefined && pair.p95Ms !== null).sort((a, b) => a.p95Ms - b.p95Ms)[0];
  assert.ok((await names(1)).startsWith(called(fastest.from)));
  await page.goBack();
  await page.waitForURL((url) => /sort=p95(&|$)/.test(url.search));
  await page.getByRole("button", { name: "처음 쌍만 보기" }).click();
  await eventually("folded again", async () => (await rows.count()) === 13);
  assertNoProblems(page);
  await page.context().close();
  await monitor.stop();
});

test("a picture of the workspace is shown, one elsewhere only linked, one behind a link not served", async () => {
  const config = path.join(monitor.home, "openclaw.json");
  const folder = path.join(monitor.home, "workspace-eden");
  await mkdir(folder, { recursive: true });
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  await writeFile(path.join(folder, "face.png"), png);
  await symlink(path.join(folder, "face.png"), path.join(folder, "link.png"));
  const before = await readFile(config, "utf8");
  const list = (avatar) =>
    `{agents:{list:[{id:"ruda"},{id:"eden",identity:{name:"이든",avatar:"${avatar}"}},{id:"seum",identity:{name:"세움",avatar:"https://example.org/a.png"}}]}}`;
  await writeFile(config, list("face.png"));
  const page = await openPage(browser, `${monitor.url}/agents`);
  await idle(page);
  const picture = card(page, "이든").locator("img");
  await eventually("the picture is drawn", async () => (await picture.evaluate((img) => img.naturalWidth)) === 1);
  assert.equal(await card(page, "세움").getByRole("link", { name: "프로필 사진" }).getAttribute("href"), "https://example.org/a.png");
  assert.equal(await card(page, "세움").locator("img").count(), 0);
  assertNoProblems(page);
  const answer = await fetch(`${monitor.url}/api/v2/agents/eden/avatar`);
  assert.equal(answer.headers.get("content-type"), "image/png");
  assert.match(answer.headers.get("content-security-policy"), /sandbox/);
  await writeFile(config, list("link.png"));
  await eventually("a link is not followed", async () => (await fetch(`${monitor.url}/api/v2/agents/eden/avatar`)).status === 404);
  await writeFile(config, before);
  await page.context().close();
});

test("home counts as many agents as the agents' page, though it names only those people know", async () => {
  const all = await startMonitor();
  const { agents } = await all.get("/api/v2/agents");
  assert.ok(agents.some((one) => !one.agent.main && !one.agent.configured), "one that only the log knows");
  const page = await openPage(browser, all.url);
  await idle(page);
  const side = page.getByRole("complementary", { name: "에이전트" });
  await side.getByText(String(agents.length), { exact: true }).waitFor();
  await side.getByRole("link", { name: `${agents.length}명 모두 보기` }).waitFor();
  const rows = await side.locator(".agent-row").count();
  const names = await side.locator(".agent-list__idle .agent-name").count();
  const others = agents.length - rows - names;
  assert.ok(others > 0);
  await side.getByRole("link", { name: `외 ${others}명` }).click();
  await page.waitForURL(/\/agents$/);
  await eventually("as many there", async () => (await page.getByRole("article").count()) === agents.length);
  assertNoProblems(page);
  await page.context().close();
  await all.stop();
});
