// Browser tests of the page without its monitor. The service worker serves the last known data with its age. The page
// recovers when the monitor is back.
//
// Proves (live): Without its monitor the page opens with the last known home and says how old it is. It recovers by
// itself. The service worker stores no answer of the API.
import assert from "node:assert/strict";
import { createServer } from "node:http";

import { allowProblems, expect, test } from "../support/test.mjs";
import { connection, waitUntilLoaded } from "../support/steps.mjs";

test.use({ look: { workers: "allow", now: null } });

test("the page opens without its monitor and recovers by itself", { tag: "@release" }, async ({ openPage, startMonitor, look }) => {
  const monitor = await startMonitor();
  const page = await openPage(monitor.url, look);
  allowProblems(page, [/ERR_CONNECTION_REFUSED/, /The FetchEvent for/]);
  await waitUntilLoaded(page);
  const cached = (name) =>
    page.evaluate(async (key) => {
      const cache = await caches.open(key);
      return (await cache.keys()).map((request) => new URL(request.url).pathname);
    }, name);
  await expect.poll(async () => (await cached("task-hub-files")).filter((path) => path.endsWith(".wasm")).length, { timeout: 90_000 }).toBeGreaterThan(3);
  await expect.poll(() => cached("task-hub-page")).toContain("/");
  await expect.poll(() => page.evaluate(() => Object.keys(localStorage).join()), { timeout: 90_000 }).toContain("task-hub.home");
  assert.ok((await cached("task-hub-files")).every((path) => !path.startsWith("/api")), "no answer of the API is kept");
  const all = page.getByRole("link", { name: /전체 보기/ }).first();
  const before = await all.innerText();

  await monitor.halt();
  await page.reload();
  await expect(page.getByRole("heading", { name: /카테고리/ }).first()).toBeVisible();
  assert.equal(await all.innerText(), before, "the counts are the last known ones");
  await expect(connection(page)).toHaveText(/연결 끊김|다시 연결/);
  assert.doesNotMatch(await connection(page).innerText(), /실시간/);
  // A page that was never open opens too, and says what it cannot load.
  await page.goto(`${monitor.url}/tasks`);
  await expect(page.getByRole("main").getByText(/연결할 수 없/).first()).toBeVisible();

  await monitor.start();
  await page.goto(monitor.url);
  await expect(connection(page)).toContainText("실시간", { timeout: 90_000 });
});

test("a link on another site opens the page through the service worker", { tag: "@release" }, async ({ page, monitor }) => {
  const elsewhere = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(`<a href="${monitor.url}/all">협업</a>`));
  await new Promise((done) => elsewhere.listen(0, "127.0.0.1", done));
  await page.goto("/");
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null), "the worker has the page").toBe(true);
  // Another port is another origin of the same site, another name another site.
  for (const host of ["127.0.0.1", "localhost"]) {
    await page.goto(`http://${host}:${elsewhere.address().port}/`);
    const [opened] = await Promise.all([page.waitForResponse((answer) => answer.url() === `${monitor.url}/all`), page.getByRole("link").click()]);
    assert.equal(opened.status(), 200, host);
    assert.ok(opened.fromServiceWorker(), "the worker passed it on");
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
  }
  elsewhere.close();
});
