// The live link can stand while a page's questions find nobody: the page keeps what it shows, does not call itself
// live, and catches up by itself.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { eventually, message, startMonitor } from "../support/monitor.mjs";
import { startProxy } from "../support/proxy.mjs";
import { isLive, mark, unmoved } from "../support/verbs.mjs";

/** As many as a browser keeps to one host. */
const KEPT = 6;

const session = { from: "eden", to: "seum", session: "ws_asked", conversation: "asked" };
let monitor;
let browser;
let proxy;
let count = 0;

before(async () => {
  // Waiting needs time that passes, on both sides.
  monitor = await startMonitor({ story: "ping-pong", clock: null });
  browser = await startBrowser();
  proxy = await startProxy(monitor.port);
  await say();
});
after(async () => {
  await browser?.close();
  await proxy?.stop();
  await monitor?.stop();
});

async function say() {
  count += 1;
  await monitor.append(message({ ...session, text: `소식 ${count}번입니다`, at: Date.now() }));
}

/** A live page over the thread, whose clock the test can push forward. */
async function open() {
  const page = await openPage(browser, "about:blank", { now: null });
  await page.context().clock.install();
  await page.goto(`${proxy.url}/s/${session.session}`);
  await eventually("the page is live and has the last word", async () => (await isLive(page)) && (await knows(page)), 60_000);
  await mark(page);
  return page;
}

async function words(page) {
  return page.getByRole("article").allInnerTexts();
}

async function knows(page) {
  return (await words(page)).at(-1)?.includes(`소식 ${count}번입니다`) ?? false;
}

async function catchesUp(page) {
  await eventually("the page is live and has the last word", async () => (await isLive(page)) && (await knows(page)), 120_000);
  assert.ok(await unmoved(page), "the page was not reloaded");
  await page.context().close();
}

test("connections that the browser kept and that died without a word cost a page nothing but a moment", async () => {
  const page = await open();
  await page.evaluate(
    (kept) => Promise.all(Array.from({ length: kept }, async (_, n) => (await fetch(`/api/v2/sessions?limit=${n + 1}`)).text())),
    KEPT,
  );
  proxy.halfOpen();
  await say();
  await page.context().clock.fastForward(40_000);
  await catchesUp(page);
});

for (const [what, answer] of [
  ["find nobody", (route) => route.abort()],
  ["get half an answer", (route) => route.fulfill({ contentType: "application/json", body: '{"session":{"workSess' })],
  ["hear of trouble", (route) => route.fulfill({ status: 502, body: "" })],
]) {
  test(`a page whose questions ${what} keeps what it shows, is not called live, and catches up`, async () => {
    const page = await open();
    const before = (await words(page)).length;
    await page.route("**/api/v2/sessions/**", answer);
    await say();
    await eventually("the page says that it is behind", async () => !(await isLive(page)), 60_000);
    assert.equal((await words(page)).length, before, "what was there is still there");
    await page.unroute("**/api/v2/sessions/**");
    await catchesUp(page);
  });
}
