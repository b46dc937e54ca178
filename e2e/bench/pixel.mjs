// Benchmark of the delay from a line in the log to the screen. A hundred lines a second arrive in an open thread of ten
// thousand messages. The control is a page that inserts a text node a hundred times a second by itself.
import { place, talk, writeThread } from "../support/thread.mjs";
import { eventually } from "../support/monitor.mjs";
import { barePage, bench, figure, hubPage, percentile } from "./support.mjs";

const LENGTH = Math.max(1_000, Number(process.env.TASK_HUB_EVENTS ?? 1_000_000) / 100);
const PER_SECOND = 100;
const COUNT = 5 * PER_SECOND;
const ROUNDS = 3;

await bench(async (monitor, browser) => {
  await writeThread(monitor, "long", LENGTH, Date.now());
  const page = await hubPage(browser, place(monitor, "long"));
  await page.locator(".stream article").first().waitFor();
  const bare = await barePage(monitor, browser, "<main></main>");
  const delays = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // A page that is not in front gets no frames.
    await bare.bringToFront();
    const control = await inserted(bare);
    await page.bringToFront();
    delays.push([await appended(monitor, page, round), control]);
  }
  // A page that falls behind by more messages than it draws shows the newest of them at once.
  const note = `${delays.reduce((sum, [own]) => sum + COUNT - own.length, 0)} lines were never drawn`;
  for (const percent of [50, 99]) {
    const name = `append → screen at ${PER_SECOND}/s in a thread of ${LENGTH.toLocaleString("en")}, p${percent}`;
    const rounds = delays.map((sides) => sides.map((side) => percentile(side, percent)));
    figure({ name, rounds, control: "a text node inserted by a bare page", note });
  }
});

/** Delays of the lines of one round, by the frame after they entered the page. Writer and page share one clock. */
async function appended(monitor, page, round) {
  await page.evaluate((mark) => {
    window.shown = new Map();
    let requested = false;
    const look = () => {
      requested = false;
      const now = Date.now();
      // The text content: reading it lays nothing out.
      for (const [, number] of document.querySelector(".stream").textContent.matchAll(new RegExp(`${mark}-(\\d+)-end`, "g"))) {
        if (!window.shown.has(Number(number))) window.shown.set(Number(number), now);
      }
    };
    window.looking?.disconnect();
    window.looking = new MutationObserver(() => {
      if (!requested) requestAnimationFrame(look);
      requested = true;
    });
    window.looking.observe(document.querySelector(".stream"), { childList: true, subtree: true });
  }, `mark${round}`);
  const written = [];
  const start = performance.now();
  for (let number = 0; number < COUNT; number += 1) {
    const due = start + (number * 1000) / PER_SECOND;
    while (performance.now() < due) await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    written.push(Date.now());
    await monitor.append(talk("long", `mark${round}-${number}-end`, round * COUNT + number, number % 2 === 0, Date.now()));
  }
  const shown = async () => new Map(await page.evaluate(() => [...window.shown]));
  await eventually("the last line is on the screen", async () => (await shown()).has(COUNT - 1));
  const seen = await shown();
  return written.map((at, number) => seen.get(number) - at).filter(Number.isFinite);
}

/** The same for a text node that the page itself inserts at that pace. */
function inserted(page) {
  return page.evaluate(([count, pause]) => new Promise((done) => {
    const [main, delays] = [document.querySelector("main"), []];
    let number = 0;
    const timer = setInterval(() => {
      const at = Date.now();
      main.append(document.createTextNode(`${number} `));
      requestAnimationFrame(() => {
        delays.push(Date.now() - at);
        if (delays.length === count) done(delays);
      });
      if ((number += 1) === count) clearInterval(timer);
    }, pause);
  }), [COUNT, 1000 / PER_SECOND]);
}
