// Benchmark of messages that are built to be large (crates/coordination/tests/bombs/patterns.rs), each in its own
// thread. It measures the time from the click on the link to the visible message, and the longest main-thread task when
// loading and unfolding.
import { execFileSync } from "node:child_process";

import { openPage } from "../support/browser.mjs";
import { eventually, message } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";
import { bench, figure, middle, opened } from "./support.mjs";

/** As much as a message may hold before its tree is cut. */
const BYTES = 20_000;
const ASKED = 5;

const bombs = JSON.parse(execFileSync(process.env.TASK_HUB_GAUGE, ["bombs", String(BYTES)], { maxBuffer: 1 << 28 }));

await bench(async (monitor, browser) => {
  const texts = [{ name: "a short text", text: "배포 확인 부탁드립니다." }, ...bombs];
  for (const [number, { text }] of texts.entries()) {
    await monitor.append(message({ from: "eden", to: "seum", text, session: `ws_b${number}`, conversation: `b${number}`, at: Date.now() - number }));
  }
  await eventually("all are read", async () => (await monitor.get(`/api/v2/sessions/ws_b${texts.length - 1}`)).threads.length === 1);
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  await idle(page);
  const driver = await page.context().newCDPSession(page);
  await driver.send("Performance.enable");
  await page.evaluate(() => {
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
    }).observe({ type: "longtask" });
  });
  // Once unmeasured, so that every part of the program is there.
  await open(page, driver, monitor, 1);
  const control = [];
  for (let round = 0; round < ASKED; round += 1) control.push(await open(page, driver, monitor, 0));
  const seen = [];
  for (const [at, { name }] of bombs.entries()) seen.push({ name, ...(await open(page, driver, monitor, at + 1)) });
  const worst = (field) => seen.reduce((most, one) => (one[field] > most[field] ? one : most));
  const [slowest, longest, unfolding, busiest] = ["took", "longest", "unfolding", "busy"].map(worst);
  figure({
    name: `longest task while one of ${bombs.length} texts of ${BYTES.toLocaleString("en")} bytes is opened`,
    value: longest.longest,
    unit: "ms",
    control: { name: "a short text", value: Math.max(...control.map((one) => one.longest)) },
    bound: { atMost: 50 },
    note: `${longest.name}; 0: none above 50 ms; ${seen.filter((one) => one.longest > 50).length} of them have one`,
  });
  figure({
    name: "longest task while one of them is unfolded",
    value: unfolding.unfolding,
    unit: "ms",
    bound: { atMost: 50 },
    note: `${unfolding.name}; ${seen.filter((one) => one.unfolding > 50).length} of them have one above 50 ms`,
  });
  figure({
    name: "press → bubble, the slowest of them",
    value: slowest.took,
    unit: "ms",
    control: { name: "a short text", value: middle(control.map((one) => one.took)) },
    ratio: slowest.took / middle(control.map((one) => one.took)),
    note: slowest.name,
  });
  figure({
    name: "the page's work meanwhile, the most of them",
    value: busiest.busy,
    unit: "ms",
    control: { name: "a short text", value: middle(control.map((one) => one.busy)) },
    ratio: busiest.busy / middle(control.map((one) => one.busy)),
    note: busiest.name,
  });
});

/** Opens the thread of that number, unfolds its text, and goes back to where it came from. */
async function open(page, driver, monitor, number) {
  const busy = async () => (await driver.send("Performance.getMetrics")).metrics.find(({ name }) => name === "TaskDuration").value * 1000;
  const watch = () => page.evaluate(() => (window.longest = 0));
  // The browser tells of a long task only once it is over.
  const told = async () => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
    return page.evaluate(() => window.longest);
  };
  await watch();
  const before = await busy();
  const took = await opened(page, `/s/ws_b${number}/t/conv:b${number}`, ".stream article");
  const longest = await told();
  const seen = { took, longest, busy: (await busy()) - before, unfolding: 0 };
  const fold = page.locator(".stream .bubble__fold");
  if ((await fold.count()) > 0) {
    await watch();
    await fold.first().evaluate((button) => button.click());
    await page.waitForFunction(() => !document.querySelector(".stream .bubble__text.is-folded, .stream .md[aria-busy=true]"));
    seen.unfolding = await told();
  }
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector(".stream article"));
  await idle(page);
  return seen;
}
