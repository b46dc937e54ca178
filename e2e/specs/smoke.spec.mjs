// Browser tests of every route: no console message, no unprocessed text (such as `undefined` or `<@123`), and nothing
// wider than the window.
//
// Proves (page): Every route renders without a console message, raw text or overflow.
import assert from "node:assert/strict";

import { test } from "../support/test.mjs";
import { address, mainText, threadsOf, waitUntilLoaded, walk } from "../support/steps.mjs";

/** The address of every view, with its common filters, and of at most `count` objects of each kind. */
async function allRoutes(monitor, count) {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  const { tasks } = await monitor.get("/api/v2/tasks");
  const { categories } = await monitor.get("/api/v2/home");
  const routes = ["/", "/all", "/all?group=category", "/events", "/events?view=tree", "/events?role=system.observability&table=1", "/events?group=off", "/tasks", "/agents", "/agents?role=worker&since=all", "/all?q=배포&status=active", "/audit", "/audit?who=운영자&to=automatic", "/drift", "/drift?since=30d&table=1", "/rules", "/sessions", "/sessions?kind=main&since=7d&archived=1", "/search", "/search?q=배포", "/search?q=배포&in=messages", "/search?q=없는말없는말 from:eden"];
  for (const category of categories.slice(0, count)) routes.push(`/c/${category.key}`);
  for (const session of sessions.slice(0, count)) {
    routes.push(address(session), `${address(session)}/flow`, `/events?session=${encodeURIComponent(session.workSessionId)}`);
    const [thread] = await threadsOf(monitor, session);
    if (thread) routes.push(address(session, thread));
  }
  for (const task of tasks.slice(0, Math.min(count, 4))) routes.push(`/tasks/${task.agentId}/${task.id}`);
  return routes;
}

const RAW = /\[outcome\]|<@!?\d|\[\[reply_to|\bNaN\b|\bundefined\b|\[object Object\]|Invalid Date|ANNOUNCE_SKIP|REPLY_SKIP$/m;

const load = async (page, route) => {
  await page.goto(route);
  await waitUntilLoaded(page);
};
// Every address is loaded anew once. Elsewhere the reader walks from one to the next.
for (const [name, language, width, open, count, tag] of [
  ["every view", "ko", 1440, walk, 1, "@quick"],
  ["every route", "ko", 1440, load, 12, []],
  ["every route", "en", 1440, walk, 12, []],
  ["every route", "ko", 390, walk, 12, []],
]) {
  test(`${name} opens cleanly (${language}, ${width} px)`, { tag }, async ({ openPage, monitor }) => {
    test.slow(open === load, "about sixty loads of an unoptimised page");
    const page = await openPage(monitor.url, { baseURL: monitor.url, language, width, height: 900 });
    await waitUntilLoaded(page);
    for (const route of await allRoutes(monitor, count)) {
      await open(page, route);
      assert.doesNotMatch(await mainText(page), RAW, route);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(wide <= 0, `${route} is ${wide} px wider than the window`);
      assert.deepEqual(page.problems, [], route);
    }
  });
}
