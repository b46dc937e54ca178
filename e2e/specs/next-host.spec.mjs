// Browser tests of the bundle in a real Next.js app. The app serves it below /hub/ and forwards /api/proxy/* to the
// monitor, without a WebSocket.
//
// Proves (api): The bundle works inside a Next.js app, below a path and without a WebSocket.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { startHost } from "../support/next-host.mjs";
import { allowProblems, test as base, expect } from "../support/test.mjs";
import { address, connection, markDocument, threadsOf, titledSession, waitUntilLoaded, wasNotReloaded } from "../support/steps.mjs";

const token = "e2e-write-token-0123456789";
const test = base.extend({
  /** URL of the Next.js app in front of the worker's monitor. */
  url: [
    async ({ monitor }, use) => {
      const host = await startHost(monitor.url, token);
      await use(host.url);
      host.stop();
    },
    { scope: "worker", timeout: 240_000 },
  ],
});
test.use({ home: { story: "everything", owner: "next-host", env: { TASK_MONITOR_WRITE_TOKEN: token } } });

/** The host forwards no WebSocket: the browser reports each attempt, and the page goes on with an event stream. */
test.beforeEach(async ({ page }) => allowProblems(page, [/WebSocket connection to .*\/api\/proxy\/v2\/live/]));

test("links lead from the host to the hub, deep and back", { tag: "@release" }, async ({ page, monitor, url }) => {
  // The example host's own page has no icon.
  allowProblems(page, [/404 \(Not Found\)/]);
  await page.goto(url);
  await page.getByRole("link", { name: "Conversations" }).click();
  await page.waitForURL(/\/hub\/?$/);
  await waitUntilLoaded(page);
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(`${url}/hub${address(session, thread)}`);
  await expect(page.getByRole("heading", { name: session.title })).toBeVisible();
  await expect(page.getByRole("article").first()).toBeVisible();
  await page.reload();
  await expect(page.getByRole("article").first()).toBeVisible();
  await page.getByRole("navigation").getByRole("link", { name: "작업" }).first().click();
  await page.waitForURL(/\/hub\/tasks/);
  await page.getByRole("link", { name: "Task-Hub", exact: true }).click();
  await page.waitForURL(`${url}/`);
});

test("a stored session opens below /hub/, whatever its key holds", { tag: "@release" }, async ({ page, monitor, url }) => {
  const folder = path.join(monitor.home, "agents/eden/sessions");
  const key = "agent:eden:discord:channel:배포/방 #1?";
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "sessions.json"), JSON.stringify({ [key]: { sessionId: "room", updatedAt: FIXTURE_NOW, label: "배포 방" } }));
  await writeFile(path.join(folder, "room.jsonl"), `${JSON.stringify({ type: "message", id: "a/1", message: { role: "user", content: "호스트 아래의 말" } })}\n`);
  await page.goto(`${url}/hub/sessions`);
  await page.getByRole("link", { name: "배포 방", exact: true }).click();
  await expect(page.getByText("호스트 아래의 말")).toBeVisible();
  assert.equal(decodeURIComponent(new URL(page.url()).pathname), `/hub/sessions/${key}`);
  await page.reload();
  await expect(page.getByText("호스트 아래의 말")).toBeVisible();
  await page.getByRole("article").getByRole("link").first().click();
  await page.waitForURL((there) => there.searchParams.get("at") === "a/1");
});

test("updates arrive without a WebSocket", { tag: "@release" }, async ({ page, monitor, url }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(`${url}/hub${address(session, thread)}`);
  await waitUntilLoaded(page);
  await expect(page.getByRole("article").first()).toBeVisible();
  await markDocument(page);
  await monitor.append(
    message({ from: thread.from, to: thread.to, text: "호스트를 거쳐 온 새 소식입니다", session: session.workSessionId, conversation: thread.conversationId }),
  );
  await expect(page.getByRole("article").getByText("호스트를 거쳐 온 새 소식입니다")).toBeVisible({ timeout: 40_000 });
  assert.ok(await wasNotReloaded(page), "the page was not reloaded");
  assert.match(await connection(page).innerText(), /실시간|주기 확인/);
});

test("the host writes an override with a token the browser never sees", { tag: "@release" }, async ({ page, monitor, url }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const refused = await fetch(`${monitor.url}/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/category`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ collabCategory: "legal_compliance" }),
  });
  assert.equal(refused.status, 401, "the monitor wants the token");

  await page.goto(`${url}/hub${address(session)}`);
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: /법무/ }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
  await expect(async () => {
    const file = await readFile(path.join(monitor.home, "work-session-category-overrides.json"), "utf8");
    assert.equal(JSON.parse(file)[session.workSessionId].collabCategory, "legal_compliance");
  }).toPass();
  assert.ok(!(await page.content()).includes(token));
});

test("the host refuses writes of other sites", { tag: "@release" }, async ({ monitor, url }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const route = `${url}/api/proxy/v2/sessions/${encodeURIComponent(session.workSessionId)}/category`;
  const status = (site) =>
    new Promise((resolve, reject) => {
      const headers = { "content-type": "application/json", ...(site ? { "sec-fetch-site": site } : {}) };
      const asked = request(route, { method: "PATCH", headers }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on("error", reject);
      asked.end(JSON.stringify({ collabCategory: "qa_validation" }));
    });
  assert.equal(await status("cross-site"), 403);
  assert.equal(await status("same-site"), 403);
  assert.equal(await status("same-origin"), 200);
});
