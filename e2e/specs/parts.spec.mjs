// The first load is Home; the other pages are parts that come when they are opened, or ahead.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { idle, mainText, menu } from "../support/verbs.mjs";

const PART = /\/part-[a-z0-9]+-[0-9a-f]{16}\.wasm$/;
let browser;
let monitor;
before(async () => {
  [browser, monitor] = await Promise.all([startBrowser(), startMonitor()]);
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

test("Home shows without any part, and pages fetched ahead open without the network", async () => {
  const page = await openPage(browser, monitor.url, { block: [PART] });
  await idle(page);
  assert.match(await mainText(page), /에이전트/);
  await page.unrouteAll();
  await page.context().close();

  const asked = [];
  const second = await openPage(browser, "about:blank");
  second.on("requestfinished", (request) => PART.test(request.url()) && asked.push(request.url()));
  await second.goto(monitor.url);
  await idle(second);
  await eventually("the parts of both groups of pages came ahead", () =>
    ["part-talk-", "part-work-"].every((part) => asked.some((url) => url.includes(part))),
  );
  await second.waitForLoadState("networkidle").catch(() => undefined);
  await second.route(PART, (route) => route.abort());
  await menu(second, "이벤트").click();
  await second.waitForURL(/\/events/);
  await idle(second);
  assert.ok(!asked.some((url) => url.includes("part-compat-")), "a v2 monitor needs no reader of 1.x");
  await second.context().close();
});

test("a part that cannot be fetched is said, and the next try brings the page", async () => {
  const page = await openPage(browser, `${monitor.url}/all`, { block: [PART] });
  await page.getByText("이 화면의 프로그램을 받지 못했습니다").waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "다시 시도" }).click();
  await idle(page);
  assert.equal(await page.getByText("이 화면의 프로그램을 받지 못했습니다").count(), 0);
  assert.ok((await mainText(page)).includes("결제 게이트웨이"));
  await page.context().close();
});
