// A person changes a category: at once on the page, durable on disk, rolled back when it could not be written.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { address, idle, titledSession } from "../support/verbs.mjs";

let monitor;
let browser;
let session;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

async function choose(page, category) {
  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  await dialog.getByRole("radio", { name: new RegExp(category) }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
}

const route = () => `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`;

test("a write that fails is rolled back on the page and said", async () => {
  const page = await openPage(browser, monitor.url + address(session));
  await idle(page);
  const before = (await monitor.get(route())).session.category.key;
  await page.route("**/category", (request) =>
    request.request().method() === "PATCH"
      ? request.fulfill({ status: 503, contentType: "application/json", body: '{"error":"disk full","code":"not_committed","requestId":"e2e"}' })
      : request.continue(),
  );
  await choose(page, "법무");
  await page.getByText(/되돌렸습니다|저장하지 못했습니다/).first().waitFor();
  await eventually("the old category is shown again", async () => {
    const header = await page.getByRole("main").innerText();
    return header.includes("인프라/운영");
  });
  assert.equal((await monitor.get(route())).session.category.key, before, "nothing was written");
  assertNoProblems(page, [/503/]);
  await page.context().close();
});

test("an override shows at once, is on disk, and outlives page and monitor", async () => {
  const page = await openPage(browser, monitor.url + address(session));
  await idle(page);
  await choose(page, "문서");
  await page.getByText("문서/지식화").first().waitFor();
  await eventually("the monitor holds it", async () => {
    return (await monitor.get(route())).session.category.key === "docs_knowledge";
  });
  const file = JSON.parse(await readFile(path.join(monitor.home, "work-session-category-overrides.json"), "utf8"));
  assert.ok(JSON.stringify(file).includes(session.workSessionId), "the file the other tools read names the session");

  await page.reload();
  await page.getByText("문서/지식화").first().waitFor();
  await monitor.halt();
  await monitor.start();
  const again = await monitor.get(route());
  assert.equal(again.session.category.key, "docs_knowledge");
  assert.equal(again.session.category.source, "manual_override");
  assertNoProblems(page, [/WebSocket|ERR_CONNECTION|Failed to fetch|Failed to load/]);
  await page.context().close();
});
