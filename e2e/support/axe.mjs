// No violation of any weight on any view, in one theme at every width. One theme a spec, so that they run side by side.
//
// What hangs on colours is asked in each look. The rest hangs on what is drawn, which no theme changes: it is asked once
// at each width. A view is opened once, and the window changes while it stands open, as a reader's does.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "./browser.mjs";
import { startMixed } from "./mixed.mjs";
import { startMonitor } from "./monitor.mjs";
import { startTeam } from "./team.mjs";
import { frames } from "./thread.mjs";
import { drawn, idle } from "./verbs.mjs";
import { SIZES, STORES, mixedViews, storeViews, views } from "./views.mjs";

/** The rules that look at colours, of those that axe goes by unless told otherwise. */
const COLOURS = ["color-contrast", "link-in-text-block"];

/** Makes the tests of one theme. */
export function axeFindsNothing(theme) {
  let monitor;
  let stores;
  let mixed;
  let team;
  let browser;
  let axe;
  let all;
  before(async () => {
    monitor = await startMonitor();
    stores = await startMonitor(STORES);
    mixed = (await startMixed()).monitor;
    const { monitor: hooked, views: teamViews } = await startTeam();
    team = hooked;
    browser = await startBrowser();
    axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
    // Its thread is left to its own story: an agent wrote a heading there, whose level is the message's own matter.
    const events = { "origin-events": mixedViews["origin-events"] };
    const at = (home, pages) => Object.entries(pages).map(([name, address]) => [name, home.url + address]);
    all = [...at(monitor, await views(monitor)), ...at(stores, storeViews), ...at(mixed, events), ...at(team, teamViews)];
  });
  after(async () => {
    await browser?.close();
    await monitor?.stop();
    await stores?.stop();
    await mixed?.stop();
    await team?.stop();
  });

  const looks = [...SIZES.map((size) => ({ ...size, name: `${size.name} px` })), { ...SIZES[0], name: "1440 px, more contrast", contrast: "more" }];
  test(`axe finds nothing on any view (${theme}: ${looks.map((look) => look.name).join("; ")})`, async () => {
    const page = await openPage(browser, monitor.url, { ...SIZES[0], theme });
    const found = [];
    for (const [name, address] of all) {
      await page.goto(address);
      await idle(page);
      // Through the driver, not as a script tag: the page's own policy forbids foreign scripts.
      await page.evaluate(axe);
      for (const look of looks) {
        const contrast = look.contrast ?? null;
        await page.setViewportSize(look);
        await page.emulateMedia({ contrast: contrast ?? "no-preference" });
        await page.waitForFunction((wish) => document.documentElement.getAttribute("data-contrast") === wish, contrast);
        await idle(page);
        await drawn(page);
        await frames(page);
        const only = theme === "light" && contrast === null ? null : COLOURS;
        found.push(...(await violations(page, only)).map((text) => `${name}, ${look.name}: ${text}`));
      }
    }
    assert.deepEqual(found, []);
    await page.context().close();
  });
}

/** What axe finds on the page as it stands, by all of its rules or by some. */
async function violations(page, only) {
  return page.evaluate(async (only) => {
    const of = only === null ? {} : { runOnly: { type: "rule", values: only } };
    const result = await window.axe.run(document, { resultTypes: ["violations"], ...of });
    const where = (node) => `${node.target.join(" ")} (${node.any[0]?.message ?? node.failureSummary})`;
    return result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map(where).join(" | ")}`);
  }, only);
}
