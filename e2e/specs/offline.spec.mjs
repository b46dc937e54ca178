// Without its server the page opens all the same, with what it knew last and how old that is; once the server is back
// it goes on by itself.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { connection, idle } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

test("the page opens without its monitor, tells how old its data is, and comes back to life by itself", async () => {
  const page = await openPage(browser, monitor.url, { workers: "allow", now: null });
  await idle(page);
  const kept = (name) => page.evaluate(async (key) => {
    const cache = await caches.open(key);
    return (await cache.keys()).map((request) => new URL(request.url).pathname);
  }, name);
  await eventually("the program is kept", async () => (await kept("task-hub-files")).filter((path) => path.endsWith(".wasm")).length > 3, 90_000);
  await eventually("the page is kept", async () => (await kept("task-hub-page")).includes("/"));
  await eventually("home is kept", () => page.evaluate(() => Object.keys(localStorage).some((key) => key.startsWith("task-hub.home"))), 90_000);
  assert.ok((await kept("task-hub-files")).every((path) => !path.startsWith("/api")), "no answer of the API is kept");
  const all = page.getByRole("link", { name: /전체 보기/ }).first();
  const before = await all.innerText();

  await monitor.halt();
  await page.reload();
  await page.getByRole("heading", { name: /카테고리/ }).first().waitFor();
  assert.equal(await all.innerText(), before, "the counts are those known last");
  await eventually("it says that the monitor is away", async () => /연결 끊김|다시 연결/.test(await connection(page).innerText()));
  assert.doesNotMatch(await connection(page).innerText(), /실시간/);
  // A page that was never open can be opened too; what nobody can answer is said.
  await page.goto(`${monitor.url}/tasks`);
  await page.getByRole("main").getByText(/닿지 않/).first().waitFor();

  await monitor.start();
  await page.goto(monitor.url);
  await eventually("it is live again", async () => /실시간/.test(await connection(page).innerText()), 90_000);
  await page.context().close();
});

test("a link of another site opens the page, also where the worker passes it on", async () => {
  const elsewhere = createServer((_, answer) => answer.setHeader("content-type", "text/html").end(`<a href="${monitor.url}/all">세션</a>`));
  await new Promise((done) => elsewhere.listen(0, "127.0.0.1", done));
  const page = await openPage(browser, monitor.url, { workers: "allow", now: null });
  await eventually("the worker has the page", () => page.evaluate(() => navigator.serviceWorker.controller !== null));
  // Another port is another origin of the same site, another name another site.
  for (const host of ["127.0.0.1", "localhost"]) {
    await page.goto(`http://${host}:${elsewhere.address().port}/`);
    const [opened] = await Promise.all([page.waitForResponse((answer) => answer.url() === `${monitor.url}/all`), page.getByRole("link").click()]);
    assert.equal(opened.status(), 200, host);
    assert.ok(opened.fromServiceWorker(), "the worker passed it on");
    await page.getByRole("heading", { level: 1 }).first().waitFor();
  }
  await page.context().close();
  elsewhere.close();
});
