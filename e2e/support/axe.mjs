// No violation of any weight on any view, in one theme at every width. One theme a spec, so that they run side by side.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "./browser.mjs";
import { startMixed } from "./mixed.mjs";
import { startMonitor } from "./monitor.mjs";
import { startTeam } from "./team.mjs";
import { idle } from "./verbs.mjs";
import { SIZES, STORES, mixedViews, storeViews, views } from "./views.mjs";

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
  for (const look of looks) {
    test(`axe finds nothing on any view (${theme}, ${look.name})`, async () => {
      const page = await openPage(browser, monitor.url, { ...look, theme });
      await idle(page);
      const asked = await page.locator("html").getAttribute("data-contrast");
      assert.equal(asked, look.contrast ?? null, "the page follows the system's wish");
      const found = [];
      for (const [name, address] of all) {
        await page.goto(address);
        await idle(page);
        found.push(...(await violations(page, axe)).map((text) => `${name}: ${text}`));
      }
      assert.deepEqual(found, []);
      await page.context().close();
    });
  }
}

/** What axe finds on the page as it stands. */
async function violations(page, axe) {
  // Through the driver, not as a script tag: the page's own policy forbids foreign scripts.
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const result = await window.axe.run(document, { resultTypes: ["violations"] });
    const where = (node) => `${node.target.join(" ")} (${node.any[0]?.message ?? node.failureSummary})`;
    return result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map(where).join(" | ")}`);
  });
}
