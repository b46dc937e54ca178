// The panel on the state of the data, and pages that never show "could not read" as "nothing there".
import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { address, idle, mainText, titledSession } from "../support/verbs.mjs";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
});

const NAME = { ko: "데이터 상태", en: "State of the data" };

function panel(page, language = "ko") {
  return page.getByRole("dialog", { name: NAME[language] });
}

function mark(page, language = "ko") {
  return page.getByRole("button", { name: new RegExp(`^${NAME[language]}`) });
}

/** What axe finds wrong in the open panel. */
async function violations(page) {
  await page.evaluate(await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8"));
  return page.evaluate(async () => {
    const { violations } = await window.axe.run(document.querySelector("dialog[open]"), { resultTypes: ["violations"] });
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
  });
}

for (const [language, theme] of [["ko", "light"], ["en", "dark"]]) {
  test(`the panel opens by keyboard, shows a bad line as it comes, and gives the focus back (${language})`, async () => {
    const monitor = await startMonitor({ story: "ping-pong" });
    try {
      const page = await openPage(browser, monitor.url, { language, theme });
      await idle(page);
      await mark(page, language).focus();
      await page.keyboard.press("Enter");
      await panel(page, language).waitFor();
      const text = () => panel(page, language).innerText();
      await eventually("the log's path and the version", async () => /coordination-events\.ndjson/.test(await text()) && /0\.\d+\.\d+/.test(await text()));
      assert.doesNotMatch(await text(), /손상된 줄/);
      const { size } = await stat(monitor.log);
      await appendFile(monitor.log, "손상된 줄 <b>굵게</b>\n");
      await eventually("the line, where it stands and why", async () => {
        const shown = await text();
        return /손상된 줄 <b>굵게<\/b>/.test(shown) && shown.includes(size.toLocaleString("en")) && /JSON/.test(shown);
      });
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press("Escape");
      await panel(page, language).waitFor({ state: "hidden" });
      assert.ok(await mark(page, language).evaluate((button) => button === document.activeElement), "the focus is back");
      assertNoProblems(page);
      await page.context().close();
    } finally {
      await monitor.stop();
    }
  });
}

test("the events page tells of lines that are missing in it and leads to where they are", async () => {
  const monitor = await startMonitor({ story: "text-zoo" });
  try {
    const page = await openPage(browser, `${monitor.url}/events`, { width: 390, height: 800 });
    await idle(page);
    await page.getByText("읽지 못한 줄이 2개").waitFor();
    await page.getByRole("button", { name: "어디인지 보기" }).click();
    await eventually("the doctor's findings", async () => /문제[\s\S]*이벤트로 읽지 못한 줄/.test(await panel(page).innerText()));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than a phone");
    await page.getByRole("button", { name: "닫기" }).first().click();
    await panel(page).waitFor({ state: "hidden" });
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("with a monitor of the old API the panel says what it cannot know", async () => {
  const monitor = await startMonitor({ story: "ping-pong", args: ["--api", "1"] });
  try {
    const page = await openPage(browser, monitor.url);
    await idle(page);
    await mark(page).click();
    await panel(page).getByText("예전 모니터는 여기까지만 알려 줍니다").waitFor();
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("a page whose question fails says so, whether the answer is an error or none at all", async () => {
  const monitor = await startMonitor();
  try {
    const session = await titledSession(monitor, "배포");
    const pages = [
      ["/all", /\/api\/v2\/sessions(\?|$)/],
      ["/c/infra_ops", /\/api\/v2\/sessions(\?|$)/],
      [address(session), /\/api\/v2\/sessions\//],
      ["/events", /\/api\/v2\/events(\?|$)/],
      ["/tasks", /\/api\/v2\/tasks(\?|$)/],
      ["/drift", /\/api\/v2\/drift(\?|$)/],
    ];
    for (const [path, pattern] of pages) {
      for (const fail of [(route) => route.abort(), (route) => route.fulfill({ status: 500, body: "no" })]) {
        const page = await openPage(browser, "about:blank");
        await page.route(pattern, fail);
        await page.goto(`${monitor.url}${path}`);
        await eventually(`${path} says that it could not read`, async () => {
          const said = await page.getByRole("main").getByRole("alert").first().innerText();
          return /불러오지 못했습니다/.test(said);
        });
        await page.context().close();
      }
    }
    for (const path of ["/", "/all", "/events", "/tasks"]) {
      const page = await openPage(browser, "about:blank");
      await page.route("**/api/**", (route) => route.abort());
      await page.goto(`${monitor.url}${path}`);
      await page.getByRole("main").getByRole("alert").getByText("불러오지 못했습니다").waitFor({ timeout: 60_000 });
      await page.context().close();
    }
  } finally {
    await monitor.stop();
  }
});

/** What is said when nothing waits; never when something could not be read. */
const CALM = /지금 확인할 것이 없습니다|기다리는 답변도 막힌 작업도 없습니다/;

test("a log that cannot be read is never an empty list", async () => {
  const monitor = await startMonitor({ story: "ping-pong" });
  try {
    const { sessions } = await monitor.get("/api/v2/sessions");
    const [thread] = (await monitor.get(`/api/v2${address(sessions[0]).replace("/s/", "/sessions/")}`)).threads;
    await monitor.halt();
    await rm(monitor.log);
    await mkdir(monitor.log);
    await monitor.start();
    const sessionPages = [address(sessions[0]), address(sessions[0], thread)];
    for (const path of ["/", "/all", "/c/infra_ops", "/all?status=ACTIVE", "/events", "/tasks", ...sessionPages]) {
      const page = await openPage(browser, `${monitor.url}${path}`);
      await page.getByRole("main").getByRole("alert").first().waitFor();
      assert.match(await mainText(page), /coordination-events\.ndjson/, path);
      assert.doesNotMatch(await mainText(page), CALM, path);
      await page.context().close();
    }
    assert.match(monitor.output, /WARN .*coordination-events\.ndjson cannot be read/);
  } finally {
    await monitor.stop();
  }
});

test("home is not calm while there is no home, or a file in its place, and says where it looked", async () => {
  const monitor = await startMonitor({ story: null });
  try {
    const page = await openPage(browser, monitor.url);
    await page.getByRole("heading", { name: "지금 확인할 것이 있는지 알 수 없습니다" }).waitFor();
    await page.getByText("OpenClaw 홈을 찾지 못했습니다").first().waitFor();
    assert.doesNotMatch(await mainText(page), CALM);
    assert.doesNotMatch(await mainText(page), /아직 없음|\b0\s*세션/, "what was not read is not counted as nothing");
    await writeFile(monitor.home, "a file");
    await page.getByText("OpenClaw 홈이 폴더가 아닙니다").first().waitFor();
    assert.doesNotMatch(await mainText(page), /권한/);
    await eventually("the terminal says both, once each", () =>
      monitor.output.match(/there is no .*\.openclaw/g)?.length === 1 && monitor.output.match(/is not a folder/g)?.length === 1,
    );
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("with sessions on screen a log that can no longer be read is said on home, lists and threads, and heals", async () => {
  const monitor = await startMonitor({ story: "ping-pong" });
  const away = `${monitor.log}.away`;
  try {
    const home = await monitor.get("/api/v2/home");
    assert.ok(home.all.total > 0 && home.attention.length === 0, "the story is one in which nothing waits");
    const { sessions } = await monitor.get("/api/v2/sessions");
    const paths = ["/", "/all", "/events", "/tasks", address(sessions[0])];
    const pages = [];
    for (const path of paths) {
      pages.push(await openPage(browser, `${monitor.url}${path}`));
      await idle(pages.at(-1));
    }
    assert.match(await mainText(pages[0]), CALM);
    await rename(monitor.log, away);
    await mkdir(monitor.log);
    for (const [index, page] of pages.entries()) {
      await page.getByText(/로그 파일을 읽을 수 없습니다 · .*coordination-events\.ndjson/).first().waitFor();
      assert.doesNotMatch(await mainText(page), CALM, paths[index]);
    }
    await pages[0].getByRole("heading", { name: "지금 확인할 것이 있는지 알 수 없습니다" }).waitFor();
    await rmdir(monitor.log);
    await rename(away, monitor.log);
    await pages[0].getByRole("heading", { name: "지금 확인할 것이 없습니다" }).waitFor();
    await eventually("the terminal says that it is well again", () => /cannot be read[\s\S]*INFO following/.test(monitor.output));
    for (const page of pages) await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("a task file that cannot be read keeps home from being calm", async () => {
  const monitor = await startMonitor({ story: "ping-pong" });
  try {
    await mkdir(`${monitor.home}/workspace-eden/tasks/task_0123456789abcdef0123.md`, { recursive: true });
    const page = await openPage(browser, monitor.url);
    await page.getByRole("heading", { name: "지금 확인할 것이 있는지 알 수 없습니다" }).waitFor();
    await page.getByText(/파일 1개를 읽지 못했습니다 · .*task_0123456789abcdef0123\.md/).first().waitFor();
    assert.doesNotMatch(await mainText(page), CALM);
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});
