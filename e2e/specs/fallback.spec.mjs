// A page finds the way that works, and never calls a link live that is dead.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { startProxy } from "../support/proxy.mjs";
import { connection, isLive } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  // Waiting needs time that passes, on both sides.
  monitor = await startMonitor({ story: "ping-pong", clock: null });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

test("behind a proxy that refuses upgrades the page is live by events, behind a buffering one by polls", async (context) => {
  for (const [kind, way] of [["refuses", "events"], ["buffers", "poll"]]) {
    const between = await startProxy(monitor.port, kind);
    const page = await openPage(browser, between.url, { now: null });
    try {
      await eventually("the page is connected", () => isLive(page), 60_000);
      assert.match(await connection(page).innerText(), way === "poll" ? /주기 확인/ : /실시간/);
      const took = between.first[way] - between.first.refused;
      assert.ok(took >= 0, `${way} came after the refusal`);
      context.diagnostic(`${kind}: ${way} ${took} ms after the first refusal`);
    } finally {
      await page.context().close();
      await between.stop();
    }
  }
});

test("a page whose monitor stands still says so, and never that it is live", async () => {
  const page = await openPage(browser, "about:blank", { now: null });
  try {
    await page.context().clock.install();
    await page.goto(monitor.url);
    await eventually("the page is connected", () => isLive(page), 30_000);
    monitor.freeze(true);
    await page.context().clock.fastForward(40_000);
    await eventually("the page does not call it live", async () => !(await isLive(page)), 20_000);
    const end = Date.now() + 5_000;
    while (Date.now() < end) {
      assert.ok(!(await isLive(page)), "nor does it change its mind while nothing answers");
      await pause(200);
    }
    monitor.freeze(false);
    await eventually("the page is live again", () => isLive(page), 60_000);
  } finally {
    monitor.freeze(false);
    await page.context().close();
  }
});
