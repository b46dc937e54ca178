// Pictures of every page: ko/en × light/dark × wide/tablet/phone, at the fixtures' moment, into docs/screenshots/.
import { mkdir, rm } from "node:fs/promises";
import path from "node:path";

import { openPage, startBrowser } from "./support/browser.mjs";
import { startMonitor } from "./support/monitor.mjs";
import { idle } from "./support/verbs.mjs";
import { SIZES, views } from "./support/views.mjs";

const out = process.env.TASK_HUB_SCREENSHOTS ?? path.join(import.meta.dirname, "../docs/screenshots");
const only = process.argv[2];
const monitor = await startMonitor();
const browser = await startBrowser();
let failed = 0;
try {
  // The states of one list look like the list: one picture of it is enough.
  const pages = await views(monitor);
  for (const state of ["found", "nothing", "nothing-found", "unknown"]) delete pages[state];
  // One view alone is taken anew beside the others.
  if (!only) await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  for (const [name, address] of Object.entries(pages)) {
    if (only && name !== only) continue;
    for (const language of ["ko", "en"]) {
      for (const theme of ["light", "dark"]) {
        for (const size of SIZES) {
          const page = await openPage(browser, monitor.url + address, { ...size, language, theme });
          await idle(page);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
          if (wide > 0) {
            console.error(`${name} ${language} ${theme} ${size.name}: ${wide} px wider than the window`);
            failed += 1;
          }
          const file = `${name}-${language}-${theme}-${size.name}.png`;
          await page.screenshot({ path: path.join(out, file), animations: "disabled" });
          await page.context().close();
          console.log(file);
        }
      }
    }
  }
} finally {
  await browser.close();
  await monitor.stop();
}
if (failed) process.exit(1);
