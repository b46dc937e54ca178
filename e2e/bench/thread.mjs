// Benchmark of a long thread, a tenth of the largest log, compared with one of a hundred messages: opening, scrolling
// and node count.
import { place, writeThread } from "../support/thread.mjs";
import { idle } from "../support/verbs.mjs";
import { EVENTS, barePage, bench, figure, hubPage, middle, paired, spread } from "./support.mjs";

const LENGTHS = { short: 100, middle: 1_000, long: Math.max(1_000, EVENTS / 10) };
const LONG = LENGTHS.long.toLocaleString("en");
const OPENINGS = 9;
const WHEELS = 3;
const WHEEL_MS = 10_000;
const FRAME_MS = 1000 / 60;

/** The control of the wheel. */
const lines = Array.from({ length: 60 }, (_, n) => `<p style="margin:40px">${n}번째 줄입니다. 배포 확인 부탁드립니다.</p>`);
const STILL = `<main>${lines.join("")}</main>`;

await bench(async (monitor, browser) => {
  for (const [name, length] of Object.entries(LENGTHS)) await writeThread(monitor, name, length, Date.now());
  await openings(monitor, browser);
  await wheels(monitor, browser);
  await nodes(monitor, browser);
});

/** From the press of a session's link to its first bubble on the screen, the short and the long one in turn. */
async function openings(monitor, browser) {
  const page = await hubPage(browser, `${monitor.url}/all`);
  const times = { short: [], long: [] };
  for (let round = 0; round < OPENINGS; round += 1) {
    for (const name of round % 2 ? ["short", "long"] : ["long", "short"]) {
      await page.goto(`${monitor.url}/all?q=${name}`);
      await idle(page);
      times[name].push(await pressToBubble(page, `/s/ws_${name}/t/conv:${name}`));
    }
  }
  const title = `open a thread of ${LONG} messages to its first bubble`;
  paired(title, times.long, times.short, "of 100 messages", { goal: "G7", bound: { atMost: 100 } });
  await page.context().close();
}

function pressToBubble(page, address) {
  return page.evaluate((to) => new Promise((done) => {
    const start = performance.now();
    const look = () => {
      const isShown = document.querySelector(".stream article");
      requestAnimationFrame(isShown ? () => done(performance.now() - start) : look);
    };
    const link = document.createElement("a");
    link.href = to;
    document.querySelector("main").append(link);
    link.click();
    look();
  }), address);
}

async function threadPage(monitor, browser, name) {
  const page = await hubPage(browser, place(monitor, name));
  await page.locator(".stream article").first().waitFor();
  return page;
}

/** Late frames beyond the control's, the longest task, and the bubbles drawn at most. */
async function wheels(monitor, browser) {
  const rounds = [];
  for (let round = 0; round < WHEELS; round += 1) {
    const control = await turned(await barePage(monitor, browser, STILL));
    rounds.push([await turned(await threadPage(monitor, browser, "long")), control]);
  }
  const more = rounds.map(([own, control]) => own.share - control.share);
  const shares = (which) => rounds.map((round) => `${round[which].share.toFixed(1)} %`).join(", ");
  figure({
    goal: "G7",
    name: "wheel for 10 s in the thread: frames later than 1.5 × 16.7 ms beyond the control's",
    value: middle(more),
    unit: "%",
    spread: spread(more),
    bound: { atMost: 1 },
    note: `${shares(0)} beside ${shares(1)}`,
  });
  const longest = rounds.map(([own]) => own.longest);
  figure({
    goal: "G7",
    name: "wheel for 10 s in the thread: longest task",
    value: Math.max(...longest),
    unit: "ms",
    spread: spread(longest),
    control: { name: "60 lines that do nothing", value: Math.max(...rounds.map(([, control]) => control.longest)) },
    bound: { atMost: 50 },
    note: `${rounds.reduce((sum, [own]) => sum + own.tasks, 0)} tasks above 50 ms; 0: none that long`,
  });
  const drawn = Math.max(...rounds.map(([own]) => own.drawn));
  figure({ goal: "G8", name: "bubbles drawn at most", value: drawn, bound: { atMost: 120 }, exact: true });
}

/** Late frames and long tasks of a page while the wheel turns, up as one reads back, with a turn now and then. */
async function turned(page) {
  await page.evaluate(() => {
    const seen = { gaps: [], longest: 0, tasks: 0, drawn: 0, over: false };
    window.seen = seen;
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) {
        seen.longest = Math.max(seen.longest, task.duration);
        seen.tasks += 1;
      }
    }).observe({ type: "longtask" });
    let last = performance.now();
    const frame = (now) => {
      seen.gaps.push(now - last);
      last = now;
      if (seen.gaps.length % 30 === 0) seen.drawn = Math.max(seen.drawn, document.querySelectorAll(".stream article").length);
      if (!seen.over) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.mouse.move(700, 500);
  const end = Date.now() + WHEEL_MS;
  for (let step = 0; Date.now() < end; step += 1) {
    await page.mouse.wheel(0, step % 40 < 32 ? -120 : 120);
    await page.waitForTimeout(FRAME_MS);
  }
  const { gaps, ...seen } = await page.evaluate(() => {
    window.seen.over = true;
    return window.seen;
  });
  await page.context().close();
  const late = gaps.filter((gap) => gap > 1.5 * FRAME_MS).length;
  return { ...seen, share: (late / Math.max(1, gaps.length)) * 100 };
}

async function nodes(monitor, browser) {
  const counts = {};
  for (const name of ["middle", "long"]) {
    const page = await threadPage(monitor, browser, name);
    counts[name] = await page.evaluate(() => document.querySelectorAll("*").length);
    await page.context().close();
  }
  figure({
    goal: "G8",
    name: `nodes of the page with ${LONG} messages`,
    value: counts.long,
    control: { name: "with 1,000", value: counts.middle },
    ratio: counts.long / counts.middle,
    bound: { ratioAtMost: 1.05 },
    exact: true,
  });
}
