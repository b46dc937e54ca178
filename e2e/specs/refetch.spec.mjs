// Browser tests of failing requests while the live connection works. The page keeps its content, reports that it is
// behind, and catches up.
//
// Proves (live): A page whose requests fail or hang while its link works keeps its content, is not called live, and
// catches up.
// See also: `src/queries/refetch_policy.rs`.
import assert from "node:assert/strict";

import { message } from "../support/monitor.mjs";
import { startProxy } from "../support/proxy.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { isLive, markDocument, wasNotReloaded } from "../support/steps.mjs";

// The tests wait: time passes in the monitor and in the page.
test.use({ home: { story: "ping-pong", clock: null, owner: "questions" }, look: { now: null } });

/** Connections that a browser keeps to one host. */
const KEPT_CONNECTIONS = 6;

let proxy;
let sent = 0;

test.beforeAll(async ({ monitor }) => {
  proxy = await startProxy(monitor.port);
  await send(monitor);
});
test.afterAll(() => proxy?.stop());

async function send(monitor) {
  sent += 1;
  await monitor.append(message({ from: "eden", to: "seum", session: "ws_asked", conversation: "asked", text: `소식 ${sent}번입니다`, at: Date.now() }));
}

const messages = (page) => page.getByRole("article");

/** Opens the thread with a clock that the test can move forward. */
async function open(page) {
  await page.context().clock.install();
  await page.goto(`${proxy.url}/s/ws_asked`);
  await expectCurrent(page);
  await markDocument(page);
}

/** Waits until the page is live and shows the newest message. */
async function expectCurrent(page) {
  await expect(messages(page).last()).toContainText(`소식 ${sent}번입니다`, { timeout: 100_000 });
  await expect.poll(() => isLive(page), { message: "the page is live", timeout: 60_000 }).toBe(true);
}

async function expectCaughtUp(page) {
  await expectCurrent(page);
  assert.ok(await wasNotReloaded(page), "the page was not reloaded");
}

test("connections that died silently are replaced", async ({ page, monitor }) => {
  await open(page);
  await page.evaluate(
    (kept) => Promise.all(Array.from({ length: kept }, async (_, n) => (await fetch(`/api/v2/sessions?limit=${n + 1}`)).text())),
    KEPT_CONNECTIONS,
  );
  proxy.halfOpen();
  await send(monitor);
  await page.context().clock.fastForward(40_000);
  await expectCaughtUp(page);
});

for (const [what, respond] of [
  ["are aborted", (route) => route.abort()],
  ["are answered by half a body", (route) => route.fulfill({ contentType: "application/json", body: '{"session":{"workSess' })],
  ["are answered with 502", (route) => route.fulfill({ status: 502, body: "" })],
]) {
  test(`a page whose requests ${what} catches up`, { tag: what === "are aborted" ? "@quick" : [] }, async ({ page, monitor }) => {
    await open(page);
    const before = await messages(page).count();
    allowProblems(page, [/ERR_FAILED|502/]);
    await page.route("**/api/v2/sessions/**", respond);
    await send(monitor);
    await expect.poll(() => isLive(page), { message: "the page reports that it is behind", timeout: 60_000 }).toBe(false);
    // The frame brought the new message; what the page asks for is missing.
    await expect(messages(page).last()).toContainText(`소식 ${sent}번입니다`);
    assert.equal(await messages(page).count(), before + 1, "the content stays");
    await page.unroute("**/api/v2/sessions/**");
    await expectCaughtUp(page);
  });
}
