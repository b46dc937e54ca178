// Every route opens: nothing on the console, nothing raw on the page, nothing wider than the window.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { address, idle, mainText, threadsOf, walk } from "../support/verbs.mjs";

let monitor;
let browser;
let routes;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  const { tasks } = await monitor.get("/api/v2/tasks");
  const { categories } = await monitor.get("/api/v2/home");
  routes = ["/", "/all", "/all?group=category", "/events", "/events?view=tree", "/events?role=system.observability&table=1", "/events?group=off", "/tasks", "/agents", "/agents?role=worker&since=all", "/all?q=배포&status=active", "/audit", "/audit?who=운영자&to=automatic", "/drift", "/drift?since=30d&table=1", "/rules", "/sessions", "/sessions?kind=main&since=7d&archived=1", "/search", "/search?q=배포", "/search?q=배포&in=messages", "/search?q=없는말없는말 from:eden"];
  for (const category of categories) routes.push(`/c/${category.key}`);
  for (const session of sessions.slice(0, 12)) {
    routes.push(address(session), `${address(session)}/flow`, `/events?session=${encodeURIComponent(session.workSessionId)}`);
    const [thread] = await threadsOf(monitor, session);
    if (thread) routes.push(address(session, thread));
  }
  for (const task of tasks.slice(0, 4)) routes.push(`/tasks/${task.agentId}/${task.id}`);
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

const RAW = /\[outcome\]|<@!?\d|\[\[reply_to|\bNaN\b|\bundefined\b|\[object Object\]|Invalid Date|ANNOUNCE_SKIP|REPLY_SKIP$/m;

// Every address is loaded anew once; in the other language and on a phone the reader walks from one to the next.
const loaded = async (page, route) => {
  await page.goto(monitor.url + route);
  await idle(page);
};
for (const [language, width, open] of [["ko", 1440, loaded], ["en", 1440, walk], ["ko", 390, walk]]) {
  test(`every route opens cleanly (${language}, ${width} px)`, async () => {
    const page = await openPage(browser, monitor.url, { language, width, height: 900 });
    await idle(page);
    for (const route of routes) {
      await open(page, route);
      const text = await mainText(page);
      assert.doesNotMatch(text, RAW, route);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${route} is ${wide} px wider than the window`);
      assert.deepEqual(page.problems, [], route);
    }
    assertNoProblems(page);
    await page.context().close();
  });
}
