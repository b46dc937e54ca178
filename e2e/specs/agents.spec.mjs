// Browser tests of the agents page: states with their evidence, queues, reply times of pairs, roles set by the reader,
// avatars.
//
// Proves (work): Every agent's state names its evidence and its age. Home counts as many agents as the agents page.
// Work without a sign of life is called a guess on every page. Queues and pairs are counted exactly. Pairs are sorted
// and folded as the address says.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { markDocument, menu, waitUntilLoaded, wasNotReloaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "agents" } });

const MINUTE = 60_000;
const card = (page, name) => page.getByRole("article", { name, exact: true });
const task = (type, agent, taskId, at, more = {}) => ({ type, agentId: agent, ts: at, data: { taskId, ...more } });
const agentOf = async (monitor, id) => (await monitor.get("/api/v2/agents")).agents.find((one) => one.agent.id === id)?.agent;

test.beforeAll(async ({ monitor }) => {
  await monitor.append(
    task("task.blocked", "seum", "task_stuck", FIXTURE_NOW - 50 * MINUTE, { reason: "운영 DB 접근 권한 필요", unblockedBy: ["eden"] }),
    task("task.started", "eden", "task_quiet", FIXTURE_NOW - 300 * MINUTE),
  );
  await expect.poll(async () => (await agentOf(monitor, "eden"))?.state).toBe("silent");
});

test("an agent's state links to its event and task", async ({ page, monitor }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  await menu(page, "에이전트").click();
  await expect(page).toHaveURL(/\/agents$/);
  await expect(page.getByRole("heading", { level: 1, name: "에이전트" })).toBeVisible();
  const stuck = card(page, (await agentOf(monitor, "seum")).name);
  await expect(stuck.getByText("차단됨", { exact: true })).toBeVisible();
  await expect(stuck.getByText("task.blocked")).toBeVisible();
  await stuck.getByRole("link", { name: "이벤트 보기" }).click();
  await expect(page).toHaveURL(/\/events\?agent=seum&open=/);
  await expect(page.getByRole("dialog", { name: /원본/ }).getByText("운영 DB 접근 권한 필요")).toBeVisible();
  await page.goBack();
  await stuck.getByRole("link", { name: "작업 보기" }).click();
  await expect(page).toHaveURL(/\/tasks\/seum\/task_stuck/);
});

test("work without news is called silent everywhere", async ({ page, monitor }) => {
  const { name } = await agentOf(monitor, "eden");
  await page.goto("/agents");
  await waitUntilLoaded(page);
  await expect(card(page, name).getByText("소식 없음", { exact: true })).toBeVisible();
  await expect(card(page, name).getByText(/한 시간 넘게 소식이 없어/)).toBeVisible();
  await page.goto("/tasks");
  await waitUntilLoaded(page);
  await expect(page.locator("[data-task=task_quiet]").getByText("소식 없음(추정)")).toBeVisible();
  await page.goto("/");
  await waitUntilLoaded(page);
  await expect(page.getByRole("main").getByRole("link", { name: /소식 없음/ }).first()).toBeVisible();
});

test("a queue grows and shrinks live", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto("/agents");
  await waitUntilLoaded(page);
  await markDocument(page);
  const { name } = await agentOf(monitor, "seum");
  const seum = card(page, name);
  const ask = (from, number) =>
    message({ from, to: "seum", text: `부탁 ${number}`, session: `ws_q${number}`, conversation: `conv_q${number}`, at: FIXTURE_NOW - MINUTE + number });
  await monitor.append(ask("eden", 1), ask("ruda", 2));
  await expect(seum.getByRole("heading", { name: `${name}에게 2건 대기` })).toBeVisible();
  await expect(seum.getByText("부탁 2").last()).toBeVisible();
  await seum.getByRole("link", { name: /보냄/ }).nth(1).click();
  await expect(page).toHaveURL(/\/s\/ws_q2\/t\/.*at=/);
  await expect(page.getByText("앞에 1건")).toBeVisible();
  await page.goBack();
  await monitor.append(message({ from: "seum", to: "eden", text: "했습니다", session: "ws_q1", conversation: "conv_q1", at: FIXTURE_NOW - 1, type: "a2a.response" }));
  await expect(seum.getByRole("heading", { name: `${name}에게 1건 대기` })).toBeVisible();
  assert.ok(await wasNotReloaded(page), "all of it without a reload");
});

test("filters, the period and own roles survive a reload", async ({ page, monitor }) => {
  await page.goto("/agents");
  await waitUntilLoaded(page);
  const { agents, pairs } = await monitor.get("/api/v2/agents");
  await expect(page.getByRole("table").getByRole("row").nth(1).getByRole("cell", { name: String(pairs[0].sends), exact: true }).first()).toBeVisible();
  await page.getByRole("group", { name: "주고받기 기간" }).getByRole("button", { name: "전체 기간" }).click();
  await expect(page).toHaveURL(/since=all/);
  await page.getByRole("group", { name: "상태로 거르기" }).getByRole("button", { name: /차단됨/ }).click();
  await expect(page).toHaveURL(/state=blocked/);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(page.getByRole("article")).toHaveCount(agents.filter((one) => one.agent.state === "blocked").length);
  await page.goto("/agents");
  await waitUntilLoaded(page);
  const { name } = agents.find((one) => !one.worker).agent;
  await card(page, name).getByLabel(`${name}의 역할`).first().click();
  await card(page, name).getByRole("button", { name: "하위 에이전트로 정하기" }).click();
  await expect(card(page, name).getByText("직접 정함")).toBeVisible();
  await page.goto("/agents?role=worker");
  await waitUntilLoaded(page);
  await expect(card(page, name)).toBeVisible();
});

test("pairs unfold after twelve and sort by column", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor();
  const page = await openPage(`${monitor.url}/agents?since=all`);
  await waitUntilLoaded(page);
  const { agents, pairs } = await monitor.get("/api/v2/agents");
  assert.ok(pairs.length > 13, "the story has more");
  const rows = page.getByRole("table").getByRole("row");
  await expect(rows, "twelve and the heads").toHaveCount(13);
  await page.getByRole("button", { name: `나머지 ${pairs.length - 12}쌍 보기` }).click();
  await expect(page).toHaveURL(/pairs=all/);
  await expect(rows).toHaveCount(pairs.length + 1);
  const head = page.getByRole("columnheader", { name: "느린 답변(95%)" });
  await head.getByRole("button").click();
  await expect(page).toHaveURL(/sort=p95/);
  await expect(head).toHaveAttribute("aria-sort", "descending");
  const slowest = [...pairs].sort((a, b) => (b.p95Ms ?? -1) - (a.p95Ms ?? -1))[0];
  const { name } = agents.find((one) => one.agent.id === slowest.from).agent;
  await expect(rows.nth(1).getByRole("rowheader")).toHaveText(new RegExp(`^${name}`));
  await head.getByRole("button").click();
  await expect(page).toHaveURL(/sort=p95-up/);
  await page.reload();
  await waitUntilLoaded(page);
  assert.equal(await head.getAttribute("aria-sort"), "ascending", "the address keeps it");
  await page.goBack();
  await expect(page).toHaveURL(/sort=p95(&|$)/);
  await page.getByRole("button", { name: "처음 쌍만 보기" }).click();
  await expect(rows).toHaveCount(13);
});

test("avatars from the workspace show; external ones are links", async ({ page, monitor }) => {
  const folder = path.join(monitor.home, "workspace-eden");
  await mkdir(folder, { recursive: true });
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  await writeFile(path.join(folder, "face.png"), png);
  const list = `[{id:"ruda"},{id:"eden",identity:{name:"이든",avatar:"face.png"}},{id:"seum",identity:{name:"세움",avatar:"https://example.org/a.png"}}]`;
  await writeFile(path.join(monitor.home, "openclaw.json"), `{agents:{list:${list}}}`);
  await page.goto("/agents");
  await waitUntilLoaded(page);
  await expect.poll(() => card(page, "이든").locator("img").evaluate((img) => img.naturalWidth), "the picture is drawn").toBe(1);
  const external = card(page, "세움");
  await expect(external.getByRole("link", { name: "프로필 사진" })).toHaveAttribute("href", "https://example.org/a.png");
  await expect(external.locator("img")).toHaveCount(0);
});

test("home and the agents page count the same agents", async ({ openPage, startMonitor }) => {
  const all = await startMonitor();
  const { agents } = await all.get("/api/v2/agents");
  assert.ok(agents.some((one) => !one.agent.main && !one.agent.configured), "one that only the log knows");
  const page = await openPage(all.url);
  await waitUntilLoaded(page);
  const side = page.getByRole("complementary", { name: "에이전트" });
  await expect(side.getByRole("link", { name: `${agents.length}명 모두 보기` })).toBeVisible();
  const rows = await side.locator(".agent-row").count();
  const names = await side.locator(".agent-list__idle .agent-name").count();
  const others = agents.length - rows - names;
  assert.ok(others > 0);
  await side.getByRole("link", { name: `외 ${others}명` }).click();
  await expect(page).toHaveURL(/\/agents$/);
  await expect(page.getByRole("article")).toHaveCount(agents.length);
});
