// What is written to disk shows on the open page, without a reload.
import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { address, idle, mainText, mark, threadsOf, titledSession, unmoved } from "../support/verbs.mjs";

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

test("a line appended to the log shows in the open thread without a reload", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  const page = await openPage(browser, monitor.url + address(session, thread));
  await idle(page);
  await page.getByRole("article").first().waitFor();
  await mark(page);
  await monitor.append(
    message({
      from: thread.from,
      to: thread.to,
      text: "큐 길이 2,481건까지 줄었습니다. `refund-callback` **정상**입니다.",
      session: session.workSessionId,
      conversation: thread.conversationId,
    }),
  );
  await page.getByRole("article").getByText("큐 길이 2,481건까지 줄었습니다.").waitFor();
  assert.ok(await unmoved(page), "the page was not reloaded");
  assertNoProblems(page);
  await page.context().close();
});

test("a new session shows on the open session list and counts on home", async () => {
  const home = await openPage(browser, monitor.url);
  const list = await openPage(browser, `${monitor.url}/all`);
  await idle(home);
  await idle(list);
  const before = (await monitor.get("/api/v2/home")).all.total;
  await mark(home);
  await mark(list);
  await monitor.append(
    message({
      from: "ruda",
      to: "hangyeol",
      text: "[Goal] 야간 당직 안내문 새로 쓰기\n내일 아침까지 부탁합니다.",
      session: "ws_e2e-new-session",
      conversation: "e2e-new-conversation",
    }),
  );
  await eventually("the list tells of the new session", async () => {
    const pill = list.getByRole("button", { name: /새 활동/ });
    if (await pill.isVisible()) await pill.click();
    return (await mainText(list)).includes("야간 당직 안내문 새로 쓰기");
  });
  await eventually("home counts it", async () => (await mainText(home)).includes(String(before + 1)));
  assert.ok((await unmoved(home)) && (await unmoved(list)), "no page was reloaded");
  assertNoProblems(home);
  assertNoProblems(list);
  await home.context().close();
  await list.context().close();
});

test("half a line is not shown before its end is written", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  const before = (await monitor.get("/api/v2/health")).events;
  const line = `${JSON.stringify(
    message({ from: thread.from, to: thread.to, text: "반쪽 줄 다음에 온 나머지", session: session.workSessionId, conversation: thread.conversationId, at: FIXTURE_NOW }),
  )}\n`;
  const bytes = Buffer.from(line);
  const { appendFile } = await import("node:fs/promises");
  await appendFile(monitor.log, bytes.subarray(0, 150));
  await eventually("the monitor holds the half line back", async () => {
    const health = await monitor.get("/api/v2/health");
    return health.pendingBytes === 150 && health.events === before && health.badLines === (await badLines());
  });
  await appendFile(monitor.log, bytes.subarray(150));
  await eventually("the whole line is there", async () => (await monitor.get("/api/v2/health")).events === before + 1);
});

async function badLines() {
  return (await monitor.get("/api/v2/health")).badLines;
}

test("an agent's task edited on disk shows on the open tasks page", async () => {
  const folder = path.join(monitor.home, "workspace-eden/tasks");
  const [name] = (await readdir(folder)).filter((file) => file.startsWith("task_"));
  const file = path.join(folder, name);
  const text = await readFile(file, "utf8");
  const page = await openPage(browser, `${monitor.url}/tasks/eden/${name.replace(/\.md$/, "")}`);
  await idle(page);
  await mark(page);
  const description = text.match(/(## Description\s+)(.+)/);
  assert.ok(description, `${name} has a description:\n${text}`);
  await writeFile(file, text.replace(description[0], `${description[1]}디스크에서 고친 설명입니다`));
  await page.getByText("디스크에서 고친 설명입니다").first().waitFor();
  assert.ok(await unmoved(page), "the page was not reloaded");
  assertNoProblems(page);
  await page.context().close();
});

test("a log that is rotated away goes on being followed", async () => {
  const { rename } = await import("node:fs/promises");
  const before = (await monitor.get("/api/v2/health")).events;
  await rename(monitor.log, path.join(path.dirname(monitor.log), "coordination-events-2026-02-21T05-17-30-000Z.ndjson"));
  await monitor.append(
    message({ from: "ruda", to: "eden", text: "새 파일의 첫 줄입니다", session: "ws_e2e-rotated", conversation: "e2e-rotated" }),
  );
  await eventually("the new file is read, the old one not twice", async () => {
    return (await monitor.get("/api/v2/health")).events === before + 1;
  });
  const page = await openPage(browser, `${monitor.url}/s/ws_e2e-rotated`);
  await page.getByRole("article").getByText("새 파일의 첫 줄입니다").waitFor();
  await page.context().close();
});
