// Browser tests of the live connection: its transports behind proxies, and a monitor that stops responding.
//
// Proves (live): After a refused WebSocket upgrade the page falls back to server-sent events, then to polling, within
// seconds.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

import { startProxy } from "../support/proxy.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { connection, isLive } from "../support/steps.mjs";

// Waiting needs time that passes, on both sides.
test.use({ home: { story: "ping-pong", clock: null, owner: "fallback" }, look: { now: null } });

const LIVE = /실시간|주기 확인/;

for (const [kind, transport, label] of [["refuses", "events", /실시간/], ["buffers", "poll", /주기 확인/]]) {
  test(`behind a proxy that ${kind} the page is live by ${transport}`, async ({ monitor, page }) => {
    const proxy = await startProxy(monitor.port, kind);
    allowProblems(page, [/502/]);
    await page.goto(proxy.url);
    await expect(connection(page)).toHaveText(LIVE, { timeout: 60_000 });
    assert.match(await connection(page).innerText(), label);
    assert.ok(proxy.first[transport] >= proxy.first.refused, `${transport} came after the refusal`);
    await page.context().close();
    await proxy.stop();
  });
}

test("while the monitor is frozen the page is never live", async ({ monitor, page }) => {
  // The page gives up attempts to connect to the frozen monitor.
  allowProblems(page, [/WebSocket is closed before the connection is established/]);
  await page.context().clock.install();
  await page.goto("/");
  await expect(connection(page)).toHaveText(LIVE);
  monitor.freeze(true);
  await page.context().clock.fastForward(40_000);
  await expect(connection(page)).not.toHaveText(LIVE, { timeout: 20_000 });
  const end = Date.now() + 5_000;
  while (Date.now() < end) {
    assert.ok(!(await isLive(page)), "it stays so while nothing answers");
    await pause(200);
  }
  monitor.freeze(false);
  await expect(connection(page)).toHaveText(LIVE, { timeout: 60_000 });
});
