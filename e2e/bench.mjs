// `make bench ARGS=page`: what a reader of a very long thread waits for, each figure beside a control of the same run.
// Prints, never passes or fails.
import { openPage, startBrowser } from "./support/browser.mjs";
import { eventually, message, startMonitor } from "./support/monitor.mjs";
import { idle } from "./support/verbs.mjs";

const OPENINGS = 5;
const WHEEL_MS = 10_000;
const FRAME_MS = 1000 / 60;

const monitor = await startMonitor({ clock: null });
const browser = await startBrowser();
const table = [];
const row = (name, measured, goal = "") => table.push([name, measured, goal]);
const ms = (value) => `${value.toFixed(0)} ms`;
const middle = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

try {
  for (const [name, length] of [["short", 100], ["long", 100_000]]) await writeThread(name, length);
  await openings();
  await wheel();
  await interactions();
} finally {
  await browser.close();
  await monitor.stop();
}
console.log(`\n${"page".padEnd(58)} ${"measured".padStart(20)}   goal`);
for (const [name, measured, goal] of table) console.log(`${name.padEnd(58)} ${measured.padStart(20)}   ${goal}`);

/** A talk of so many messages, the newest now. */
async function writeThread(name, length) {
  const now = Date.now();
  for (let first = 0; first < length; first += 5_000) {
    const part = [];
    for (let n = first; n < Math.min(length, first + 5_000); n += 1) {
      const asks = n % 2 === 0;
      part.push(message({
        from: asks ? "eden" : "seum",
        to: asks ? "seum" : "eden",
        type: asks ? "a2a.send" : "a2a.response",
        text: `${n}번째 말입니다. ${"배포 확인 부탁드립니다. ".repeat(n % 9)}`,
        session: `ws_${name}`,
        conversation: name,
        at: now - (length - n) * 10_000,
      }));
    }
    await monitor.append(...part);
  }
  await eventually("all of it is read", async () => {
    const detail = await monitor.get(`/api/v2/sessions/ws_${name}`);
    return detail.threads[0].messageCount === length;
  }, 200_000);
}

/** From the click on a session's thread to its first bubble on the screen, the short and the long one in turn. */
async function openings() {
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  await idle(page);
  const times = { short: [], long: [] };
  for (let round = 0; round < OPENINGS; round += 1) {
    for (const name of Object.keys(times)) {
      await page.goto(`${monitor.url}/all?q=${name}`);
      await idle(page);
      times[name].push(await page.evaluate((address) => new Promise((done) => {
        const start = performance.now();
        const look = () => {
          if (document.querySelector(".stream article")) requestAnimationFrame(() => done(performance.now() - start));
          else requestAnimationFrame(look);
        };
        const link = document.createElement("a");
        link.href = address;
        document.querySelector("main").append(link);
        link.click();
        look();
      }), `/s/ws_${name}/t/conv:${name}`));
    }
  }
  row("open a thread of 100,000 messages to its first bubble, p50", ms(middle(times.long)));
  row("  the same with 100 messages (control)", ms(middle(times.short)));
  row("  ratio", `× ${(middle(times.long) / middle(times.short)).toFixed(2)}`);
  await page.context().close();
}

/** Frames and long tasks while the wheel turns for ten seconds: the long thread, and a page that does nothing. */
async function wheel() {
  const still = await openPage(browser, `${monitor.url}/all`, { now: null });
  const lines = Array.from({ length: 60 }, (_, n) => `<p style="margin:40px">${n}번째 줄입니다. 배포 확인 부탁드립니다.</p>`);
  await still.goto("about:blank");
  await still.setContent(`<main>${lines.join("")}</main>`);
  const control = await turned(still, 700, 500);
  const page = await openPage(browser, `${monitor.url}/s/ws_long/t/conv:long`, { now: null });
  await idle(page);
  const thread = await turned(page, 700, 500);
  row("wheel for 10 s in it: frames later than 1.5 × 16.7 ms", share(thread), "≤ 1 % more");
  row("  the same on 60 lines that do nothing (control)", share(control));
  row("  longest task", ms(thread.longest), "none > 50 ms");
  row("  bubbles drawn at most", String(thread.drawn), "≤ 120");
  await page.context().close();
  await still.context().close();
}

const share = ({ frames, late }) => `${late} of ${frames} (${((late / frames) * 100).toFixed(1)} %)`;

async function turned(page, x, y) {
  await page.evaluate(() => {
    const seen = { frames: 0, gaps: [], longest: 0, drawn: 0, over: false };
    window.seen = seen;
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) seen.longest = Math.max(seen.longest, task.duration);
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
  const end = Date.now() + WHEEL_MS;
  // Up, as one reads back, with a turn now and then.
  for (let step = 0; Date.now() < end; step += 1) {
    await page.mouse.wheel(0, step % 40 < 32 ? -120 : 120);
    await page.waitForTimeout(FRAME_MS);
  }
  return page.evaluate((frame) => {
    window.seen.over = true;
    const { frames, gaps, longest, drawn } = window.seen;
    return { frames, late: gaps.filter((gap) => gap > 1.5 * frame).length, longest, drawn };
  }, FRAME_MS);
}

/** From input to the next picture (event timing), on a processor four times slower. */
async function interactions() {
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  await idle(page);
  const driver = await page.context().newCDPSession(page);
  await driver.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const deeds = {
    "filter a list of sessions": async (turn) => page.getByRole("button", { name: turn % 2 ? /^모두/ : /^진행 중/ }).first().click(),
    "one row on with the keyboard": async () => page.keyboard.press("ArrowDown"),
    "light and dark": async () => theme(page),
    "Korean and English": async () => page.getByRole("button", { name: /^(EN|한국어|KO|English)/ }).first().click(),
  };
  for (const [name, deed] of Object.entries(deeds)) {
    if (name.startsWith("one row")) await page.getByRole("main").getByRole("article").first().getByRole("link").first().focus();
    await page.evaluate(() => {
      window.took = [];
      window.watch?.disconnect();
      window.watch = new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (entry.interactionId) window.took.push(entry.duration);
      });
      window.watch.observe({ type: "event", durationThreshold: 16 });
    });
    for (let turn = 0; turn < 8; turn += 1) {
      await deed(turn);
      await page.waitForTimeout(400);
    }
    const took = await page.evaluate(() => window.took);
    row(`${name}: slowest of 8, at a quarter of the speed`, ms(Math.max(0, ...took)), "≤ 100 ms");
  }
  await page.context().close();
}

/** Switches between light and dark by whatever way the page offers. */
async function theme(page) {
  await page.evaluate(() => {
    const root = document.documentElement;
    window.dark = root.dataset.theme !== "dark";
  });
  await page.getByRole("button", { name: /화면|테마|Theme|Appearance|설정|Settings/ }).first().click();
  const dark = await page.evaluate(() => window.dark);
  await page.getByRole("menuitemradio", { name: dark ? /어둡게|어두운|Dark/ : /밝게|밝은|Light/ }).first().click();
}
