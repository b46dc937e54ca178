// Browser tests of the panel "State of the data" (read errors, connection, log), and of failed reads. No page shows a
// failed read as an empty list. Also the notice of a monitor whose clock is behind the events.
//
// Proves (log): No page shows a failed or malformed answer as an empty list. A monitor's clock that is hours behind the
// events is named on every page, in the panel and in the log.
import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";

import { allowProblems, expect, test } from "../support/test.mjs";
import { FIXTURE_NOW } from "../support/monitor.mjs";
import { address, mainText, titledSession, waitUntilLoaded } from "../support/steps.mjs";

const NAME = { ko: "데이터 상태", en: "State of the data" };
const panel = (page, language = "ko") => page.getByRole("dialog", { name: NAME[language] });
const button = (page, language = "ko") => page.getByRole("button", { name: new RegExp(`^${NAME[language]}`) });

/** What axe finds wrong in the open panel. */
async function violations(page) {
  await page.evaluate(await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document.querySelector("dialog[open]"), { resultTypes: ["violations"] });
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
  });
}

for (const [language, theme, tag] of [["ko", "light", "@quick"], ["en", "dark", []]]) {
  test(`the panel works by keyboard and lists a new bad line (${language})`, { tag }, async ({ openPage, startMonitor }) => {
    const monitor = await startMonitor({ story: "ping-pong" });
    const page = await openPage(monitor.url, { language, theme });
    await waitUntilLoaded(page);
    await button(page, language).focus();
    await page.keyboard.press("Enter");
    const open = panel(page, language);
    await expect(open).toContainText("coordination-events.ndjson");
    await expect(open).toContainText(/0\.\d+\.\d+/);
    assert.doesNotMatch(await open.innerText(), /손상된 줄/);
    const { size } = await stat(monitor.log);
    await appendFile(monitor.log, "손상된 줄 <b>굵게</b>\n");
    for (const part of ["손상된 줄 <b>굵게</b>", size.toLocaleString("en"), "JSON"]) await expect(open).toContainText(part);
    assert.deepEqual(await violations(page), []);
    await page.keyboard.press("Escape");
    await expect(open).toBeHidden();
    await expect(button(page, language)).toBeFocused();
  });
}

test("the events page counts unreadable lines and links to the panel", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "text-zoo" });
  const page = await openPage(`${monitor.url}/events`, { width: 390, height: 800 });
  await waitUntilLoaded(page);
  await expect(page.getByText("읽지 못한 줄이 2개")).toBeVisible();
  await page.getByRole("button", { name: "어디인지 보기" }).click();
  await expect(panel(page)).toContainText(/문제[\s\S]*이벤트로 읽지 못한 줄/);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than a phone");
  await page.getByRole("button", { name: "닫기" }).first().click();
  await expect(panel(page)).toBeHidden();
});

test("a monitor's clock that is hours behind is named", async ({ openPage, startMonitor }) => {
  // No event of the story is within five minutes of this moment, so nothing on the page may be called "just now".
  const monitor = await startMonitor({ story: "everything", clock: FIXTURE_NOW - 99 * 60_000 });
  const page = await openPage(`${monitor.url}/all`);
  await waitUntilLoaded(page);
  const sentence = /이벤트 시각이 모니터 시계보다 1시간 \d+분 앞서 있어/;
  await expect(page.getByText(sentence)).toBeVisible();
  assert.doesNotMatch(await mainText(page), /방금/, "a time that is still to come is not \"just now\"");
  await button(page).click();
  await expect(panel(page).getByText(sentence)).toBeVisible();
  assert.match(monitor.output, /WARN clock: the newest events of .* are 9\d min ahead of this machine's clock/);
});

test("over a 1.x monitor the panel names what it cannot know", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong", args: ["--api", "1"] });
  const page = await openPage();
  allowProblems(page, [/404/]);
  await page.goto(monitor.url);
  await waitUntilLoaded(page);
  await button(page).click();
  await expect(panel(page).getByText("예전 모니터는 여기까지만 알려 줍니다")).toBeVisible();
});

const abort = (route) => route.abort();
const answer500 = (route) => route.fulfill({ status: 500, body: "no" });
const LISTS = /\/api\/v2\/sessions(\?|$)/;
/** Pages and what they request; null is the page of a session. */
const MAIN = [["/all", LISTS], [null, /\/api\/v2\/sessions\//], ["/events", /\/api\/v2\/events(\?|$)/], ["/sessions", /\/api\/v2\/sessions-store(\?|$)/]];
const OTHERS = [["/c/infra_ops", LISTS], ["/tasks", /\/api\/v2\/tasks(\?|$)/], ["/drift", /\/api\/v2\/drift(\?|$)/]];
for (const [name, fail, problem, pages, tag] of [
  ["an answer of 500 is shown as an error", answer500, /500/, MAIN, "@quick"],
  ["an answer of 500 is shown as an error by other pages", answer500, /500/, OTHERS, []],
  ["a lost connection is shown as an error", abort, /ERR_FAILED/, [...MAIN, ...OTHERS], []],
]) {
  test(name, { tag }, async ({ monitor, openPage }) => {
    for (const [path, pattern] of pages) {
      const page = await openPage();
      allowProblems(page, [problem]);
      await page.route(pattern, fail);
      await page.goto(monitor.url + (path ?? address(await titledSession(monitor, "배포"))));
      await expect(page.getByRole("main").getByRole("alert").first(), page.url()).toContainText("불러오지 못했습니다");
    }
  });
}

test("without any answer of the API each page shows an error", async ({ monitor, openPage }) => {
  for (const path of ["/", "/all", "/events", "/tasks"]) {
    const page = await openPage();
    allowProblems(page, [/ERR_FAILED/]);
    await page.route("**/api/**", abort);
    await page.goto(monitor.url + path);
    await expect(page.getByRole("main").getByRole("alert").getByText("불러오지 못했습니다"), path).toBeVisible({ timeout: 60_000 });
  }
});

/** What home and lists say when nothing waits. They must not say it when something could not be read. */
const CALM = /결정할 것이 없습니다|막힌 에이전트가 없습니다/;
const UNKNOWN = { name: "지금 결정할 것이 있는지 알 수 없습니다" };

test("an unreadable log is never shown as an empty list", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong" });
  const { sessions } = await monitor.get("/api/v2/sessions");
  const [thread] = (await monitor.get(`/api/v2${address(sessions[0]).replace("/s/", "/sessions/")}`)).threads;
  await monitor.halt();
  await rm(monitor.log);
  await mkdir(monitor.log);
  await monitor.start();
  for (const path of ["/", "/all", "/c/infra_ops", "/all?status=ACTIVE", "/events", "/tasks", address(sessions[0]), address(sessions[0], thread)]) {
    const page = await openPage(monitor.url + path);
    if (path.startsWith("/s/")) allowProblems(page, [/404/]);
    await expect(page.getByRole("main").getByRole("alert").first(), path).toBeVisible();
    assert.match(await mainText(page), /coordination-events\.ndjson/, path);
    assert.doesNotMatch(await mainText(page), CALM, path);
  }
  assert.match(monitor.output, /WARN .*coordination-events\.ndjson cannot be read/);
});

test("a missing home, or a file in its place, is named on home", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: null });
  const page = await openPage(monitor.url);
  await expect(page.getByRole("heading", UNKNOWN)).toBeVisible();
  await expect(page.getByText("OpenClaw 홈을 찾지 못했습니다").first()).toBeVisible();
  assert.doesNotMatch(await mainText(page), CALM);
  assert.doesNotMatch(await mainText(page), /아직 없음|\b0\s*협업/, "what was not read is not counted as nothing");
  await writeFile(monitor.home, "a file");
  await expect(page.getByText("OpenClaw 홈이 폴더가 아닙니다").first()).toBeVisible();
  assert.doesNotMatch(await mainText(page), /권한/);
  for (const line of [/there is no .*\.openclaw/g, /is not a folder/g]) {
    await expect.poll(() => monitor.output.match(line)?.length, "logged once").toBe(1);
  }
});

test("a log that becomes unreadable is shown on open pages, and heals", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong" });
  const home = await monitor.get("/api/v2/home");
  assert.ok(home.all.total > 0 && home.attention.length === 0, "the story is one in which nothing waits");
  const { sessions } = await monitor.get("/api/v2/sessions");
  const pages = [];
  for (const path of ["/", "/all", "/events", "/tasks", address(sessions[0])]) {
    pages.push(await openPage(monitor.url + path));
    await waitUntilLoaded(pages.at(-1));
  }
  assert.match(await mainText(pages[0]), CALM);
  await rename(monitor.log, `${monitor.log}.away`);
  await mkdir(monitor.log);
  for (const page of pages) {
    await expect(page.getByText(/로그 파일을 읽을 수 없습니다 · .*coordination-events\.ndjson/).first(), page.url()).toBeVisible();
    assert.doesNotMatch(await mainText(page), CALM, page.url());
  }
  await expect(pages[0].getByRole("heading", UNKNOWN)).toBeVisible();
  await rmdir(monitor.log);
  await rename(`${monitor.log}.away`, monitor.log);
  await expect(pages[0].getByRole("heading", { name: "지금 결정할 것이 없습니다" })).toBeVisible();
  await expect.poll(() => monitor.output).toMatch(/cannot be read[\s\S]*INFO following/);
});

test("an unreadable task file keeps home from saying that nothing waits", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong" });
  await mkdir(`${monitor.home}/workspace-eden/tasks/task_0123456789abcdef0123.md`, { recursive: true });
  const page = await openPage(monitor.url);
  await expect(page.getByRole("heading", UNKNOWN)).toBeVisible();
  await expect(page.getByText(/파일 1개를 읽지 못했습니다 · .*task_0123456789abcdef0123\.md/).first()).toBeVisible();
  assert.doesNotMatch(await mainText(page), CALM);
});
