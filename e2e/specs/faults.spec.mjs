// The seven faults of the page this one replaces. Each has a test that shows it is gone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { address, idle, mainText, threadsOf, titledSession } from "../support/verbs.mjs";

let monitor;
let browser;
let sessions;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  sessions = (await monitor.get("/api/v2/sessions?limit=200")).sessions;
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

/** The first session with a thread for which `wanted` holds, and that thread. */
async function find(wanted) {
  for (const session of sessions) {
    for (const thread of await threadsOf(monitor, session)) {
      if (await wanted(session, thread)) return { session, thread };
    }
  }
  throw new Error("the fixtures no longer hold what this test needs");
}

async function messages(session, thread) {
  const route = `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/threads/${encodeURIComponent(thread.threadId)}`;
  return (await monitor.get(route)).messages;
}

async function open(session, thread) {
  const page = await openPage(browser, monitor.url + address(session, thread));
  await idle(page);
  await page.getByRole("article").first().waitFor();
  return page;
}

test("fault 1: a blocked or missing answer is a notice in plain words, not a raw [outcome] text", async () => {
  const { session, thread } = await find((_, thread) => thread.trouble?.blocked > 0);
  const page = await open(session, thread);
  const text = await mainText(page);
  assert.doesNotMatch(text, /\[outcome\]/);
  assert.match(text, /받지 못했습니다|차단됨/);
  await page.context().close();
});

test("fault 2: no session is called by a raw id", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  const raw = /\b(task_[0-9a-f]{8,}|ws_[0-9a-f-]{8,}|conv:[0-9a-f-]{8,}|[0-9a-f]{8}-[0-9a-f]{4}-)/;
  for (const session of sessions) assert.doesNotMatch(session.title, raw);
  const titles = await page.getByRole("main").getByRole("heading").allInnerTexts();
  assert.ok(titles.length > 5, "session cards have headings");
  for (const title of titles) assert.doesNotMatch(title, raw);
  await page.context().close();
});

test("fault 3: mentions are names, not <@id>", async () => {
  const logged = await logText();
  assert.match(logged, /<@!?\d+>/, "the fixture has raw mentions");
  const { session, thread } = await find(async (session, thread) => {
    const all = await messages(session, thread);
    return all.some((message) => /<@!?\d+>|@everyone/.test(message.text));
  });
  const page = await open(session, thread);
  const text = await mainText(page);
  assert.doesNotMatch(text, /<@|<#\d|<:\w+:\d/);
  assert.match(text, /@/);
  await page.context().close();
});

test("fault 4: markdown is rendered: code, tables and emphasis", async () => {
  const { session, thread } = await find(async (session, thread) => {
    const all = await messages(session, thread);
    return all.some((message) => message.text.includes("```") && /\|.*\|/.test(message.text));
  });
  const page = await open(session, thread);
  const article = page.getByRole("article");
  assert.ok((await article.locator("pre code").count()) > 0, "a code block");
  assert.ok((await article.getByRole("table").count()) > 0, "a table");
  const shown = await article.allInnerTexts();
  assert.ok(!shown.some((text) => text.includes("```")), "no raw fence is left");
  assert.ok(!shown.some((text) => /\*\*[^*\s][^*]*\*\*/.test(text)), "no raw emphasis is left");
  await page.context().close();
});

test("fault 5: each session tells its status with a word", async () => {
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  assert.match(await mainText(page), /진행 중|조용함|보관됨/);
  const active = sessions.find((session) => session.status === "ACTIVE");
  const detail = await openPage(browser, monitor.url + address(active));
  await idle(detail);
  await detail.getByRole("heading", { name: active.title }).waitFor();
  assert.match(await mainText(detail), /진행 중/);
  await page.context().close();
  await detail.context().close();
});

test("fault 6: sessions can be searched and filtered", async () => {
  const wanted = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const page = await openPage(browser, `${monitor.url}/all`);
  await idle(page);
  const box = page.getByRole("searchbox").first();
  await box.fill("결제 게이트웨이");
  await box.press("Enter");
  await page.waitForURL(/[?&]q=/);
  await page.getByRole("heading", { name: wanted.title }).first().waitFor();
  const { total } = await monitor.get(`/api/v2/sessions?limit=1&q=${encodeURIComponent("결제 게이트웨이")}`);
  assert.ok(total < sessions.length, "the search leaves something out");
  await page.goto(`${monitor.url}/all?status=archived`);
  await idle(page);
  const text = await mainText(page);
  assert.match(text, /보관됨/);
  await page.context().close();
});

test("fault 7: bubbles on both sides tell who spoke and when", async () => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  const page = await open(session, thread);
  const names = await page.getByRole("article").evaluateAll((articles) => articles.map((one) => one.getAttribute("aria-label")));
  assert.ok(names.length > 1);
  for (const name of names) assert.match(name ?? "", /.+, .*\d{1,2}:\d{2}/, "each message is named by sender and time");
  const senders = new Set(names.map((name) => name.split(",")[0]));
  assert.ok(senders.size > 1, `both sides are named: ${[...senders].join(", ")}`);
  await page.context().close();
});

async function logText() {
  const { readFile, readdir } = await import("node:fs/promises");
  const folder = `${monitor.home}/logs`;
  const files = await readdir(folder);
  return (await Promise.all(files.map((file) => readFile(`${folder}/${file}`, "utf8")))).join("");
}
