// The panel on the state of the data, and pages that never show "could not read" as "nothing there".
import assert from "node:assert/strict";
import { appendFile, mkdir, readFile, rm, stat } from "node:fs/promises";
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

test("a log that cannot be read is never an empty list", async () => {
  const monitor = await startMonitor({ story: "ping-pong" });
  try {
    await monitor.halt();
    await rm(monitor.log);
    await mkdir(monitor.log);
    await monitor.start();
    for (const path of ["/", "/all", "/c/infra_ops", "/all?status=ACTIVE", "/events"]) {
      const page = await openPage(browser, `${monitor.url}${path}`);
      await page.getByRole("main").getByRole("alert").first().waitFor();
      assert.match(await mainText(page), /coordination-events\.ndjson/, path);
      await page.context().close();
    }
  } finally {
    await monitor.stop();
  }
});
