// Shared helpers of the browser benchmarks, which print lines of JSON for `make bench` (crates/bench/src/groups.rs).
import { openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

/** Starts a monitor and a browser, runs the bench, and ends both whatever happens. */
export async function bench(work) {
  const monitor = await startMonitor({ clock: null });
  let browser;
  try {
    browser = await startBrowser();
    await work(monitor, browser);
  } finally {
    await browser?.close();
    await monitor.stop();
  }
}

/** An idle page of the monitor at that address. */
export async function hubPage(browser, address) {
  const page = await openPage(browser, address, { now: null });
  await waitUntilLoaded(page);
  return page;
}

/** A page of the browser that holds only `html`: a control. */
export async function barePage(monitor, browser, html) {
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  await page.goto("about:blank");
  await page.setContent(html);
  return page;
}

/** Prints a figure: its `name`, its `rounds` in ms as `[own, control]`, the name of the `control`, and a `note`. */
export const figure = (fields) => console.log(JSON.stringify(fields));

/** The value at or below which so many percent lie. */
export function percentile(list, percent) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}
