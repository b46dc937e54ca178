// Shared helpers of the browser benchmarks. Results go to `make bench` as lines of JSON
// (crates/bench/src/groups.rs). Other output goes to the other stream.
import { openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

/** Events of the log that the goals speak of; fewer when a run is only rehearsed. */
export const EVENTS = Number(process.env.TASK_HUB_EVENTS ?? 1_000_000);

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
  await idle(page);
  return page;
}

/** A page of the browser that holds only `html`: a control. */
export async function barePage(monitor, browser, html) {
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  await page.goto("about:blank");
  await page.setContent(html);
  return page;
}

/** Prints a figure: `name`, `value`, `unit`, and of `goal`, `bound`, `control`, `ratio`, `spread`, `note`, `exact` what there is. */
export function figure(fields) {
  console.log(`figure\t${JSON.stringify({ unit: "", ...fields })}`);
}

/** A figure of rounds in ms: the middle, with smallest and largest, beside those of the control. */
export function paired(name, own, control, beside, more) {
  const ratios = own.map((value, round) => value / Math.max(control[round], Number.MIN_VALUE));
  figure({
    name,
    unit: "ms",
    value: middle(own),
    spread: spread(own),
    control: { name: beside, value: middle(control) },
    ratio: middle(ratios),
    ratioSpread: spread(ratios),
    ...more,
  });
}

export const middle = (list) => spread(list)[1];

/** Smallest, middle and largest. */
export function spread(list) {
  const sorted = [...list].sort((a, b) => a - b);
  return [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
}

/** The value at or below which so many percent lie. */
export function percentile(list, percent) {
  const sorted = [...list].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)];
}
