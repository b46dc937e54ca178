// `make bench ARGS=page`: what a reader of a very long thread waits for, each figure beside a control of the same run.
// Prints, never passes or fails.
import { openPage, startBrowser } from "./support/browser.mjs";
import { eventually, message, startMonitor } from "./support/monitor.mjs";
import { writeThread } from "./support/thread.mjs";
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
  for (const [name, length] of [["short", 100], ["long", 100_000]]) await writeThread(monitor, name, length, Date.now());
  await openings();
  await braids();
  await wheel();
  await interactions();
  await tree();
} finally {
  await browser.close();
  await monitor.stop();
}
console.log(`\n${"page".padEnd(58)} ${"measured".padStart(20)}   goal`);
for (const [name, measured, goal] of table) console.log(`${name.padEnd(58)} ${measured.padStart(20)}   ${goal}`);

/** From the press of a link on one page to what `shown` selects on the screen, each name in turn: ms of each opening. */
async function opened(page, names, from, to, shown) {
  const times = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < OPENINGS; round += 1) {
    for (const name of names) {
      await page.goto(from(name));
      await idle(page);
      times[name].push(await page.evaluate(([address, selector]) => new Promise((done) => {
        const start = performance.now();
        const look = () => {
          if (document.querySelector(selector)) requestAnimationFrame(() => done(performance.now() - start));
          else requestAnimationFrame(look);
        };
        const link = document.createElement("a");
        link.href = address;
        document.querySelector("main").append(link);
        link.click();
        look();
      }), [to(name), shown]));
    }
  }
  return times;
}

/** From the click on a session's thread to its first bubble on the screen, the short and the long one in turn. */
async function openings() {
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  await idle(page);
  const times = await opened(page, ["short", "long"], (name) => `${monitor.url}/all?q=${name}`, (name) => `/s/ws_${name}/t/conv:${name}`, ".stream article");
  row("open a thread of 100,000 messages to its first bubble, p50", ms(middle(times.long)));
  row("  the same with 100 messages (control)", ms(middle(times.short)));
  row("  ratio", `× ${(middle(times.long) / middle(times.short)).toFixed(2)}`);
  await page.context().close();
}

/** From the click on a session's braid to its first arrow on the screen: 5,000 events and 100, in turn; then through it. */
async function braids() {
  const lengths = { short: 100, long: 5000 };
  for (const [name, length] of Object.entries(lengths)) {
    const agents = ["ruda", "eden", "seum", "dajim", "onsae"];
    const lines = Array.from({ length }, (_, n) =>
      message({
        from: agents[n % 5], to: agents[(n + 1 + (n % 3)) % 5], text: `배포 확인 부탁합니다 ${n}`, session: `ws_braid-${name}`,
        conversation: `braid-${name}-${n % 40}`, at: Date.now() - (length - n) * 9_000, type: n % 2 ? "a2a.response" : "a2a.send",
      }),
    );
    await monitor.append(...lines);
    await eventually("all is read", async () => (await monitor.get(`/api/v2/sessions/ws_braid-${name}/flow`)).arrows.length > length * 0.9);
  }
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  await idle(page);
  const times = await opened(page, ["short", "long"], () => `${monitor.url}/all`, (name) => `/s/ws_braid-${name}/flow`, ".braid__mark");
  row("open a braid of 5,000 events to its first arrow, p50", ms(middle(times.long)));
  row("  the same with 100 events (control)", ms(middle(times.short)));
  row("  ratio", `× ${(middle(times.long) / middle(times.short)).toFixed(2)}`);
  const wheeled = await turned(page, 500, 600);
  row("wheel for 10 s in it: frames later than 1.5 × 16.7 ms", share(wheeled));
  row("  longest task", ms(wheeled.longest));
  row("  marks drawn at the end", String(await page.locator(".braid__mark").count()));
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

function share({ frames, late }) {
  return `${late} of ${frames} (${((late / frames) * 100).toFixed(1)} %)`;
}

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

/** A delegation tree of ten thousand runs, all of it open: to its first line, to its last, and the wheel in it. */
async function tree() {
  const at = Date.now() - 600_000;
  const runs = (session, many) => Array.from({ length: many }, (_, number) => ({
    type: "a2a.spawn",
    agentId: "ruda",
    ts: at + number,
    data: { fromAgent: "ruda", toAgent: "worker-a", targetSessionKey: `agent:worker-a:subagent:${session}-${number}`, message: `${number}번째로 맡긴 일`, conversationId: `c-${session}-${number}`, workSessionId: session, depth: 0, hop: 0 },
  }));
  await monitor.append(...runs("ws_few", 20));
  for (let part = 0; part < 5; part += 1) await monitor.append(...runs("ws_many", 10_000).slice(part * 2_000, (part + 1) * 2_000));
  const total = async () => (await monitor.get("/api/v2/sessions/ws_many/delegations?limit=1")).total;
  while ((await total().catch(() => 0)) < 10_000) await new Promise((done) => setTimeout(done, 100));
  const page = await openPage(browser, `${monitor.url}/events`, { now: null });
  await idle(page);
  const times = await opened(page, ["ws_many", "ws_few"], () => `${monitor.url}/events`, (name) => `/events?session=${name}`, ".tree [role=row]");
  row("open a delegation tree of 10,000 runs to its first line, p50", ms(middle(times.ws_many)));
  row("  the same with 20 runs (control)", ms(middle(times.ws_few)));
  await page.goto(`${monitor.url}/events?session=ws_many`);
  await idle(page);
  const box = await page.getByRole("treegrid").boundingBox();
  const turning = await turned(page, box.x + 200, box.y + 200);
  row("wheel for 10 s in it: frames later than 1.5 × 16.7 ms", share(turning), "≤ 1 % more");
  row("  longest task", ms(turning.longest), "none > 50 ms");
  row("  lines drawn", String(await page.getByRole("row").count()), "≤ 120");
  await page.context().close();
}

/** From input to the next picture (event timing), on a processor four times slower. */
async function interactions() {
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  await idle(page);
  const driver = await page.context().newCDPSession(page);
  await driver.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  const panel = page.getByRole("dialog", { name: "설정" });
  const deeds = {
    "filter a list of sessions": async (turn) => page.locator(".filters button").nth(turn % 2 ? 0 : 1).click(),
    "one row on with the keyboard": async () => page.keyboard.press("ArrowDown"),
    "light and dark": async (turn) => panel.getByRole("button", { name: turn % 2 ? "밝게" : "어둡게" }).click(),
    "Korean and English": async () => page.getByRole("button", { name: /언어|Language/ }).click(),
  };
  for (const [name, deed] of Object.entries(deeds)) {
    if (name.startsWith("light")) {
      await page.getByRole("button", { name: "설정", exact: true }).click();
      await panel.getByRole("group", { name: "밝기" }).waitFor();
    } else if (await panel.isVisible()) {
      await page.keyboard.press("Escape");
    }
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
