// A real Next.js app serves the bundle below /hub/ and forwards /api/proxy/* to the monitor: no WebSocket there.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { request } from "node:http";
import path from "node:path";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { startHost } from "../support/next-host.mjs";
import { address, connection, idle, mark, threadsOf, titledSession, unmoved } from "../support/verbs.mjs";

const token = "e2e-write-token-0123456789";
let monitor;
let browser;
let host;
let url;

before(
  async () => {
    monitor = await startMonitor({ env: { TASK_MONITOR_WRITE_TOKEN: token } });
    browser = await startBrowser();
    host = await startHost(monitor.url, token);
    url = host.url;
  },
  { timeout: 240_000 },
);
after(async () => {
  await browser?.close();
  host?.stop();
  await monitor?.stop();
});

test("the host's own page leads to the hub, and a deep link below /hub/ opens and reloads", async () => {
  const page = await openPage(browser, url);
  await page.getByRole("link", { name: "Conversations" }).click();
  await page.waitForURL(/\/hub\/?$/);
  await idle(page);
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(`${url}/hub${address(session, thread)}`);
  await page.getByRole("heading", { name: session.title }).waitFor();
  await page.getByRole("article").first().waitFor();
  await page.reload();
  await page.getByRole("article").first().waitFor();
  await page.getByRole("navigation").getByRole("link", { name: "작업" }).first().click();
  await page.waitForURL(/\/hub\/tasks/);
  await page.getByRole("link", { name: "Task-Hub", exact: true }).click();
  await page.waitForURL(`${url}/`);
  await page.context().close();
});

test("a stored session opens below /hub/, whatever its key holds", async () => {
  const folder = path.join(monitor.home, "agents/eden/sessions");
  const key = "agent:eden:discord:channel:배포/방 #1?";
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, "sessions.json"), JSON.stringify({ [key]: { sessionId: "room", updatedAt: FIXTURE_NOW, label: "배포 방" } }));
  await writeFile(path.join(folder, "room.jsonl"), `${JSON.stringify({ type: "message", id: "a/1", message: { role: "user", content: "호스트 아래의 말" } })}\n`);
  const page = await openPage(browser, `${url}/hub/sessions`);
  await page.getByRole("link", { name: "배포 방", exact: true }).click();
  await page.getByText("호스트 아래의 말").waitFor();
  assert.equal(decodeURIComponent(new URL(page.url()).pathname), `/hub/sessions/${key}`);
  await page.reload();
  await page.getByText("호스트 아래의 말").waitFor();
  await page.getByRole("article").getByRole("link").first().click();
  await page.waitForURL((there) => there.searchParams.get("at") === "a/1");
  await page.context().close();
});

test("updates arrive without a WebSocket", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  const page = await openPage(browser, `${url}/hub${address(session, thread)}`);
  await idle(page);
  await page.getByRole("article").first().waitFor();
  await mark(page);
  await monitor.append(
    message({ from: thread.from, to: thread.to, text: "호스트를 거쳐 온 새 소식입니다", session: session.workSessionId, conversation: thread.conversationId }),
  );
  await page.getByRole("article").getByText("호스트를 거쳐 온 새 소식입니다").waitFor({ timeout: 40_000 });
  assert.ok(await unmoved(page), "the page was not reloaded");
  assert.match(await connection(page).innerText(), /실시간|주기 확인/);
  await page.context().close();
});

test("an override is written through the host, whose token the browser never sees", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const refused = await fetch(`${monitor.url}/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/category`, {
    method: "PATCH",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ collabCategory: "legal_compliance" }),
  });
  assert.equal(refused.status, 401, "the monitor wants the token");

  const page = await openPage(browser, `${url}/hub${address(session)}`);
  await idle(page);
  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: /법무/ }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
  await eventually("it is on disk", async () => {
    const file = await readFile(path.join(monitor.home, "work-session-category-overrides.json"), "utf8");
    return file.includes(session.workSessionId) && file.includes("legal_compliance");
  });
  const sent = await page.content();
  assert.ok(!sent.includes(token));
  await page.context().close();
});

test("the host writes for its own pages only", async () => {
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
