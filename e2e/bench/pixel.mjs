// Benchmark of the delay from a line in the log to the screen. A hundred lines a second arrive in an open thread of ten
// thousand messages. Writer and pages share one clock.
//
// The control is a page that inserts a text node a hundred times a second by itself.
import { place, talk, writeThread } from "../support/thread.mjs";
import { eventually } from "../support/monitor.mjs";
import { EVENTS, barePage, bench, figure, hubPage, paired, percentile } from "./support.mjs";

const LENGTH = Math.max(1_000, EVENTS / 100);
const PER_SECOND = 100;
const SECONDS = 5;
const ROUNDS = 3;

await bench(async (monitor, browser) => {
  await writeThread(monitor, "long", LENGTH, Date.now());
  const page = await hubPage(browser, place(monitor, "long"));
  await page.locator(".stream article").first().waitFor();
  const rest = await barePage(monitor, browser, "<main></main>");
  const [own, control] = [[], []];
  let missed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    // A page that is not in front gets no frames.
    await rest.bringToFront();
    control.push(await inserted(rest));
    await page.bringToFront();
    const seen = await appended(monitor, page, round);
    missed += seen.missed;
    own.push(seen.delays);
  }
  for (const percent of [50, 99]) {
    const [values, beside] = [own, control].map((rounds) => rounds.map((delays) => percentile(delays, percent)));
    const name = `append → screen at ${PER_SECOND}/s in a thread of ${LENGTH.toLocaleString("en")}, p${percent}`;
    const bound = percent === 99 ? { atMost: 33.4 } : null;
    paired(name, values, beside, "a text node put in by a bare page", { goal: "G4", bound });
  }
  // A page that falls behind by more messages than it draws shows the newest of them at once.
  figure({ goal: "G4", name: "lines that were past before a frame showed them", value: missed, bound: { atMost: 0 } });
});

/** Delays of the lines of one round, by the frame after they stood in the page. */
async function appended(monitor, page, round) {
  await page.evaluate((mark) => {
    window.shown = new Map();
    let asked = false;
    const look = () => {
      asked = false;
      const now = Date.now();
      // Its words as they stand in the tree: reading them lays nothing out.
      for (const [, number] of document.querySelector(".stream").textContent.matchAll(new RegExp(`${mark}-(\\d+)-end`, "g"))) {
        if (!window.shown.has(Number(number))) window.shown.set(Number(number), now);
      }
    };
    window.looking?.disconnect();
    window.looking = new MutationObserver(() => {
      if (!asked) requestAnimationFrame(look);
      asked = true;
    });
    window.looking.observe(document.querySelector(".stream"), { childList: true, subtree: true });
  }, `mark${round}`);
  const count = PER_SECOND * SECONDS;
  const written = [];
  const start = performance.now();
  for (let number = 0; number < count; number += 1) {
    const due = start + (number * 1000) / PER_SECOND;
    while (performance.now() < due) await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
    written.push(Date.now());
    await monitor.append(talk("long", `mark${round}-${number}-end`, round * count + number, number % 2 === 0, Date.now()));
  }
  const shown = () => page.evaluate(() => [...window.shown]);
  await eventually("the last line is on the screen", async () => (await shown()).some(([number]) => number === count - 1));
  const seen = new Map(await shown());
  const delays = written.map((at, number) => seen.get(number) - at).filter(Number.isFinite);
  return { delays, missed: count - delays.length };
}

/** The same for a text node put in at that pace by the page itself. */
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
  }), [PER_SECOND * SECONDS, 1000 / PER_SECOND]);
}
