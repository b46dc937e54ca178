// Shared helpers of the browser benchmarks. Results go to `make bench` as lines of JSON
// (crates/devtools/src/bench/page.rs). Other output goes to the other stream.
import { startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";

/** Events of the log that the goals speak of; fewer when a run is only rehearsed. */
export const EVENTS = Number(process.env.TASK_HUB_EVENTS ?? 1_000_000);

/** A tenth of it: the longest thread. */
export const LONG = Math.max(1_000, EVENTS / 10);

/** Rounds in which a thing and its control take turns. */
export const ROUNDS = 9;

export const FRAME_MS = 1000 / 60;

/** Starts a monitor and a browser, runs the bench, and ends both whatever happens. */
export async function bench(work, options = {}) {
  const monitor = await startMonitor({ clock: null, ...options });
  let browser;
  try {
    browser = await startBrowser();
    await work(monitor, browser);
  } finally {
    await browser?.close();
    await monitor.stop();
  }
}

/** Tells a figure: `name`, `value`, `unit`, and of `goal`, `bound`, `control`, `ratio`, `spread`, `note`, `exact` what there is. */
export function figure(fields) {
  console.log(`figure\t${JSON.stringify({ value: null, unit: "", ...fields })}`);
}

/** A figure of rounds: the middle, with smallest and largest, beside those of the control. */
export function paired(name, unit, own, control, beside, more = {}) {
  const ratios = own.map((value, round) => value / Math.max(control[round], Number.MIN_VALUE));
  figure({
    name,
    unit,
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

/** From the press of a link on the open page to what `shown` selects on the screen: ms. */
export function opened(page, address, shown) {
  return page.evaluate(([to, selector]) => new Promise((done) => {
    const start = performance.now();
    const look = () => {
      if (document.querySelector(selector)) requestAnimationFrame(() => done(performance.now() - start));
      else requestAnimationFrame(look);
    };
    const link = document.createElement("a");
    link.href = to;
    document.querySelector("main").append(link);
    link.click();
    look();
  }), [address, shown]);
}

/** Frames, late ones and long tasks while the wheel turns over (x, y), up as one reads back, with a turn now and then. */
export async function turned(page, x, y, forMs = 10_000) {
  await page.evaluate(() => {
    const seen = { frames: 0, gaps: [], longest: 0, tasks: 0, drawn: 0, over: false };
    window.seen = seen;
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) {
        seen.longest = Math.max(seen.longest, task.duration);
        seen.tasks += 1;
      }
    }).observe({ type: "longtask" });
    let last = performance.now();
    const frame = (now) => {
      seen.frames += 1;
      seen.gaps.push(now - last);
      last = now;
      if (seen.frames % 30 === 0) seen.drawn = Math.max(seen.drawn, document.querySelectorAll(".stream article").length);
      if (!seen.over) requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await page.mouse.move(x, y);
  const end = Date.now() + forMs;
  for (let step = 0; Date.now() < end; step += 1) {
    await page.mouse.wheel(0, step % 40 < 32 ? -120 : 120);
    await page.waitForTimeout(FRAME_MS);
  }
  return page.evaluate((frame) => {
    window.seen.over = true;
    const { frames, gaps, longest, tasks, drawn } = window.seen;
    const late = gaps.filter((gap) => gap > 1.5 * frame).length;
    return { frames, late, share: (late / Math.max(1, frames)) * 100, longest, tasks, drawn };
  }, FRAME_MS);
}

/** The control of every wheel: sixty lines that do nothing. */
export async function still(page) {
  const lines = Array.from({ length: 60 }, (_, n) => `<p style="margin:40px">${n}번째 줄입니다. 배포 확인 부탁드립니다.</p>`);
  await page.goto("about:blank");
  await page.setContent(`<main>${lines.join("")}</main>`);
}

/** The goal of a wheel, over rounds of [own, control]: late frames beyond the control's, and the longest task. */
export function wheeled(name, goal, rounds) {
  const more = rounds.map(([own, control]) => own.share - control.share);
  const shares = (which) => rounds.map((round) => `${round[which].share.toFixed(1)} %`).join(", ");
  figure({
    goal,
    name: `${name}: frames later than 1.5 × 16.7 ms beyond the control's`,
    value: middle(more),
    unit: "%",
    spread: spread(more),
    bound: { atMost: 1 },
    note: `${shares(0)} beside ${shares(1)}`,
  });
  const longest = rounds.map(([own]) => own.longest);
  figure({
    goal,
    name: `${name}: longest task`,
    value: Math.max(...longest),
    unit: "ms",
    spread: spread(longest),
    control: { name: "60 lines that do nothing", value: Math.max(...rounds.map(([, control]) => control.longest)) },
    bound: { atMost: 50 },
    note: `${rounds.reduce((sum, [own]) => sum + own.tasks, 0)} tasks above 50 ms; 0: none that long`,
  });
}
