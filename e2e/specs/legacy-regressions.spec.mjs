// Regression tests for seven defects of the former page, which this page replaces. One test per defect.
//
// Proves (api): The seven faults of the page that this one replaces are gone. Each has a test.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";

import { expect, test } from "../support/test.mjs";
import { address, mainText, offered, seek, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

let sessions;
test.beforeAll(async ({ monitor }) => {
  sessions = (await monitor.get("/api/v2/sessions?limit=200")).sessions;
});

/** Opens the first thread for which `wanted` holds. */
async function openThread(page, monitor, wanted) {
  for (const session of sessions) {
    for (const thread of await threadsOf(monitor, session)) {
      if (!(await wanted(session, thread))) continue;
      await page.goto(address(session, thread));
      await waitUntilLoaded(page);
      return expect(page.getByRole("article").first()).toBeVisible();
    }
  }
  throw new Error("no thread of the fixtures has what this test needs");
}

/** Holds for a thread with a message whose text passes `test`. */
const withText = (monitor, test) => async (session, thread) => {
  const route = `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/threads/${encodeURIComponent(thread.threadId)}`;
  return (await monitor.get(route)).messages.some((message) => test(message.text));
};

test("a blocked answer is a notice, not raw [outcome] text", async ({ monitor, page }) => {
  await openThread(page, monitor, (_, thread) => thread.trouble?.blocked > 0);
  const text = await mainText(page);
  assert.doesNotMatch(text, /\[outcome\]/);
  assert.match(text, /받지 못했습니다|차단됨/);
});

test("no session is titled by a raw id", async ({ page }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  const titles = await page.getByRole("main").getByRole("heading").allInnerTexts();
  assert.ok(titles.length > 5, "session cards have headings");
  const raw = /\b(task_[0-9a-f]{8,}|ws_[0-9a-f-]{8,}|conv:[0-9a-f-]{8,}|[0-9a-f]{8}-[0-9a-f]{4}-)/;
  for (const title of [...titles, ...sessions.map((session) => session.title)]) assert.doesNotMatch(title, raw);
});

test("mentions are names, not <@id>", async ({ monitor, page }) => {
  const folder = `${monitor.home}/logs`;
  const logs = await Promise.all((await readdir(folder)).map((file) => readFile(`${folder}/${file}`, "utf8")));
  assert.match(logs.join(""), /<@!?\d+>/, "the fixture has raw mentions");
  await openThread(page, monitor, withText(monitor, (text) => /<@!?\d+>|@everyone/.test(text)));
  const text = await mainText(page);
  assert.doesNotMatch(text, /<@|<#\d|<:\w+:\d/);
  assert.match(text, /@/);
});

test("markdown is rendered: code, tables and emphasis", async ({ monitor, page }) => {
  await openThread(page, monitor, withText(monitor, (text) => text.includes("```") && /\|.*\|/.test(text)));
  const article = page.getByRole("article");
  assert.ok((await article.locator("pre code").count()) > 0, "a code block");
  assert.ok((await article.getByRole("table").count()) > 0, "a table");
  const shown = await article.allInnerTexts();
  assert.ok(!shown.some((text) => text.includes("```")), "no raw fence is left");
  assert.ok(!shown.some((text) => /\*\*[^*\s][^*]*\*\*/.test(text)), "no raw emphasis is left");
});

test("each session states its status with a word", async ({ page }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  assert.match(await mainText(page), /진행 중|조용함|보관됨/);
  const active = sessions.find((session) => session.status === "ACTIVE");
  await page.goto(address(active));
  await waitUntilLoaded(page);
  await expect(page.getByRole("heading", { name: active.title })).toBeVisible();
  assert.match(await mainText(page), /진행 중/);
});

test("sessions can be searched and filtered", async ({ monitor, page }) => {
  const wanted = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  await page.goto("/all");
  await waitUntilLoaded(page);
  await seek(page, "결제 게이트웨이");
  await offered(page, /^이 목록에서/).click();
  await page.waitForURL(/[?&]q=/);
  await expect(page.getByRole("heading", { name: wanted.title }).first()).toBeVisible();
  const { total } = await monitor.get(`/api/v2/sessions?limit=1&q=${encodeURIComponent("결제 게이트웨이")}`);
  assert.ok(total < sessions.length, "the search leaves something out");
  await page.goto("/all?status=archived");
  await waitUntilLoaded(page);
  assert.match(await mainText(page), /보관됨/);
});

test("each message is named by sender and time", async ({ monitor, page }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(address(session, thread));
  await waitUntilLoaded(page);
  await expect(page.getByRole("article").first()).toBeVisible();
  const names = await page.getByRole("article").evaluateAll((articles) => articles.map((one) => one.getAttribute("aria-label")));
  assert.ok(names.length > 1);
  for (const name of names) assert.match(name ?? "", /.+, .*\d{1,2}:\d{2}/);
  const senders = new Set(names.map((name) => name.split(",")[0]));
  assert.ok(senders.size > 1, `both sides are named: ${[...senders].join(", ")}`);
});
