// Screenshots of every view: Korean and English, light and dark, at three window sizes, at the fixed time of the
// fixtures. `node screenshots.mjs` writes all into target/screenshots/; with a view's name it writes only those of that
// view. Screenshots in DOCUMENTED are also copied to docs/screenshots/.
import { copyFile, mkdir, rm } from "node:fs/promises";
import path from "node:path";

import { openPage, startBrowser } from "./support/browser.mjs";
import { startMixed } from "./support/mixed.mjs";
import { FIXTURE_NOW, startMonitor } from "./support/monitor.mjs";
import { startTeam } from "./support/team.mjs";
import { waitUntilLoaded } from "./support/steps.mjs";
import { SIZES, STORES, mixedViews, storeViews, views } from "./support/views.mjs";

/** Pictures that README.md and docs/*.md show, at most twelve: all others would only weigh on every clone. */
const DOCUMENTED = [
  "flow-ko-light-1440",
  "home-en-light-1440",
  "home-ko-dark-390",
  "home-ko-light-1440",
  "search-ko-light-1440",
  "team-home-ko-light-1440",
  "team-ko-light-1440",
  "thread-ko-light-1440",
];
const documents = path.join(import.meta.dirname, "../docs/screenshots");
const chosen = process.env.TASK_HUB_SCREENSHOTS;
const out = chosen ?? path.join(import.meta.dirname, "../target/screenshots");

const only = process.argv[2];
const monitor = await startMonitor();
const stores = await startMonitor(STORES);
const { monitor: mixed } = await startMixed();
const { monitor: team, views: teamViews } = await startTeam();
const browser = await startBrowser();
let failed = 0;
try {
  // The states of one list look like the list: one picture of it is enough.
  const found = await views(monitor);
  for (const state of ["found", "nothing", "nothing-found", "unknown"]) delete found[state];
  const at = (home, now) => ([name, address]) => ({ name, address: home.url + address, now });
  const pages = [
    ...Object.entries(found).map(at(monitor, FIXTURE_NOW)),
    ...Object.entries(storeViews).map(at(stores, STORES.clock)),
    ...Object.entries(mixedViews).map(at(mixed, STORES.clock)),
    ...Object.entries(teamViews).map(at(team, FIXTURE_NOW)),
  ];
  // Pictures of one view replace the old ones; the others stay.
  if (!only) await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const { name, address, now } of pages) {
    if (only && name !== only) continue;
    for (const language of ["ko", "en"]) {
      for (const theme of ["light", "dark"]) {
        for (const size of SIZES) {
          const page = await openPage(browser, address, { ...size, language, theme, now });
          await waitUntilLoaded(page);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          if (wide > 0) {
            console.error(`${name} ${language} ${theme} ${size.name}: ${wide} px wider than the window`);
            failed += 1;
          }
          const picture = `${name}-${language}-${theme}-${size.name}`;
          const file = path.join(out, `${picture}.png`);
          await page.screenshot({ path: file, animations: "disabled" });
          await page.context().close();
          // Another folder is for looking, not for the documents.
          if (!chosen && DOCUMENTED.includes(picture)) await copyFile(file, path.join(documents, `${picture}.png`));
          console.log(file);
        }
      }
    }
  }
} finally {
  await browser.close();
  await monitor.stop();
  await stores.stop();
  await mixed.stop();
  await team.stop();
}
if (failed) process.exit(1);
