// Benchmark of a long thread, a tenth of the largest log, compared with one of a hundred messages: opening, scrolling
// and node count.
import { openPage } from "../support/browser.mjs";
import { place, writeThread } from "../support/thread.mjs";
import { idle } from "../support/verbs.mjs";
import { LONG, ROUNDS, bench, figure, opened, paired, still, turned, wheeled } from "./support.mjs";

const WHEELS = 3;
const LENGTHS = { short: 100, middle: 1_000, long: LONG };

await bench(async (monitor, browser) => {
  for (const [name, length] of Object.entries(LENGTHS)) await writeThread(monitor, name, length, Date.now());
  await openings(monitor, browser);
  await wheels(monitor, browser);
  await nodes(monitor, browser);
});

/** From the press of a session's link to its first bubble on the screen, the short and the long one in turn. */
async function openings(monitor, browser) {
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  const times = { short: [], long: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of round % 2 ? ["short", "long"] : ["long", "short"]) {
      await page.goto(`${monitor.url}/all?q=${name}`);
      await idle(page);
      times[name].push(await opened(page, `/s/ws_${name}/t/conv:${name}`, ".stream article"));
    }
  }
  const title = `open a thread of ${LONG.toLocaleString("en")} messages to its first bubble`;
  paired(title, "ms", times.long, times.short, "of 100 messages", { goal: "G7", bound: { atMost: 100 } });
  await page.context().close();
}

async function wheels(monitor, browser) {
  const rounds = [];
  for (let round = 0; round < WHEELS; round += 1) {
    const rest = await openPage(browser, `${monitor.url}/all`, { now: null });
    await still(rest);
    const control = await turned(rest, 700, 500);
    await rest.context().close();
    const page = await openPage(browser, place(monitor, "long"), { now: null });
    await idle(page);
    await page.locator(".stream article").first().waitFor();
    rounds.push([await turned(page, 700, 500), control]);
    await page.context().close();
  }
  wheeled("wheel for 10 s in the thread", "G7", rounds);
  const drawn = Math.max(...rounds.map(([own]) => own.drawn));
  figure({ goal: "G8", name: "bubbles drawn at most", value: drawn, bound: { atMost: 120 }, exact: true });
}

async function nodes(monitor, browser) {
  const counts = {};
  for (const name of ["middle", "long"]) {
    const page = await openPage(browser, place(monitor, name), { now: null });
    await idle(page);
    await page.locator(".stream article").first().waitFor();
    counts[name] = await page.evaluate(() => document.querySelectorAll("*").length);
    await page.context().close();
  }
  figure({
    goal: "G8",
    name: `nodes of the page with ${LONG.toLocaleString("en")} messages`,
    value: counts.long,
    control: { name: "with 1,000", value: counts.middle },
    ratio: counts.long / counts.middle,
    bound: { ratioAtMost: 1.05 },
    exact: true,
  });
}
