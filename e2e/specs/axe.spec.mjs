// Browser tests with axe-core on every view: all rules in the light theme, the colour rules in the dark theme and in
// high contrast.
//
// Proves (page): axe-core finds nothing on any view at 1440, 820 and 390 px: all rules in the light theme, the colour
// rules in the dark theme and in high contrast.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { startMixed } from "../support/mixed.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { startTeam } from "../support/team.mjs";
import { test as base } from "../support/test.mjs";
import { frames } from "../support/thread.mjs";
import { drawn, waitUntilLoaded } from "../support/steps.mjs";
import { SIZES, STORES, mixedViews, storeViews, views } from "../support/views.mjs";

const axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
/** The default rules of axe that depend on colours; the others give the same result in every theme. */
const COLOURS = ["color-contrast", "link-in-text-block"];

const test = base.extend({
  /** Names and URLs of all views, over four homes. */
  everyView: [
    async ({ monitor }, use) => {
      const stores = await startMonitor(STORES);
      const { monitor: mixed } = await startMixed();
      const team = await startTeam();
      // The mixed thread is left out: an agent wrote a heading there, whose rank is part of the message.
      const events = { "origin-events": mixedViews["origin-events"] };
      const at = (home, pages) => Object.entries(pages).map(([name, address]) => [name, home.url + address]);
      await use([...at(monitor, await views(monitor)), ...at(stores, storeViews), ...at(mixed, events), ...at(team.monitor, team.views)]);
      for (const started of [stores, mixed, team.monitor]) await started.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

/** Opens each view once and changes the window to each look; fails with what axe finds. */
async function check(page, everyView, looks) {
  const found = [];
  for (const [name, address] of everyView) {
    await page.goto(address);
    await waitUntilLoaded(page);
    // Through the driver, not as a script tag: the page's policy forbids foreign scripts.
    await page.evaluate(axe);
    for (const { only, contrast = null, ...size } of looks) {
      await page.setViewportSize(size);
      await page.emulateMedia({ contrast: contrast ?? "no-preference" });
      await page.waitForFunction((wish) => document.documentElement.getAttribute("data-contrast") === wish, contrast);
      await waitUntilLoaded(page);
      await drawn(page);
      await frames(page);
      found.push(...(await violations(page, only)).map((text) => `${name}, ${size.width} px, contrast ${contrast}: ${text}`));
    }
  }
  assert.deepEqual(found, []);
}

/** What axe finds on the page, by all of its rules or by some. */
async function violations(page, only) {
  return page.evaluate(async (only) => {
    const of = only ? { runOnly: { type: "rule", values: only } } : {};
    const result = await window.axe.run(document, { resultTypes: ["violations"], ...of });
    const where = (node) => `${node.target.join(" ")} (${node.any[0]?.message ?? node.failureSummary})`;
    return result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 3).map(where).join(" | ")}`);
  }, only);
}

const contrasted = { ...SIZES[0], contrast: "more", only: COLOURS };

test("axe once per view in light theme, 1440 px", { tag: "@quick" }, async ({ page, everyView }) => {
  // About three dozen views, one after the other.
  test.slow();
  await check(page, everyView, [SIZES[0]]);
});

test("axe on every view in light theme, every width", async ({ page, everyView }) => {
  test.setTimeout(900_000);
  await check(page, everyView, [...SIZES, contrasted]);
});

test.describe(() => {
  test.use({ look: { theme: "dark" } });

  test("axe on every view in dark theme, every width", async ({ page, everyView }) => {
    test.setTimeout(900_000);
    await check(page, everyView, [...SIZES.map((size) => ({ ...size, only: COLOURS })), contrasted]);
  });
});
