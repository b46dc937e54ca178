// Whatever happens to the link, an open page ends up showing what a page just opened shows: random schedules of
// crashes, freezes, cuts in mid-frame, half-open wires and sleep, some of them through the Next.js host.
// Long form: `make soak ARGS=browser`.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { eventually, message, startMonitor } from "../support/monitor.mjs";
import { startHost } from "../support/next-host.mjs";
import { startProxy } from "../support/proxy.mjs";
import { connection, isLive, mark, unmoved } from "../support/verbs.mjs";

const SCHEDULES = process.env.TASK_HUB_SOAK ? 50 : 4;
/** Every so many schedules go through the host. */
const HOSTED = 4;
/** The first schedule. */
const SEED = Number(process.env.TASK_HUB_SEED ?? 1);

let monitor;
let browser;
let proxy;
let host;
/** The talk that grows, one for each schedule, and how many messages it has. */
let talk;
let count;

before(
  async () => {
    // Waiting needs time that passes, on both sides.
    monitor = await startMonitor({ story: "ping-pong", clock: null });
    browser = await startBrowser();
    proxy = await startProxy(monitor.port);
    host = await startHost(proxy.url);
  },
  { timeout: 240_000 },
);
after(async () => {
  await browser?.close();
  host?.stop();
  await proxy?.stop();
  await monitor?.stop();
});

/** A new talk with one message. */
async function begin(seed) {
  talk = { from: "eden", to: "seum", session: `ws_link-${seed}`, conversation: `link-${seed}` };
  count = 0;
  await say();
}

/** Appends one more message; the log takes it whether the monitor runs or not. */
async function say() {
  count += 1;
  await monitor.append(message({ ...talk, text: `소식 ${count}번입니다`, at: Date.now() }));
}

/** A page whose clock the test can push forward, over the thread that grows. */
async function open(base) {
  const page = await openPage(browser, "about:blank", { now: null });
  await page.context().clock.install();
  await page.goto(`${base}/s/${talk.session}`);
  await page.getByRole("article").first().waitFor();
  return page;
}

/** What the page says of the talk: each bubble, without ages and waiting times, which differ by the moment. */
async function shown(page) {
  const bubbles = await page.getByRole("article").allInnerTexts();
  return bubbles.map((text) => text.replace(/방금|\d+(초|분|시간|일)( 전)?/g, "").replace(/\s+/g, " "));
}

/**
 * Everything said, in order, once; and said as a page just opened says it. That one shows the newest hundred: what the
 * open page shows beyond them has nothing to be held against.
 */
function isWhole(said, fresh) {
  const from = said.length - fresh.length;
  const numbers = said.map((text) => Number(/소식 (\d+)번/.exec(text)?.[1]));
  const whole = numbers.every((number, at) => number === count - said.length + 1 + at);
  // The first bubble of a page names its speaker, whoever spoke before.
  const skipped = from > 0 ? 1 : 0;
  return whole && from >= 0 && JSON.stringify(said.slice(from + skipped)) === JSON.stringify(fresh.slice(skipped));
}

/** A small generator, so that a schedule can be told by its seed. */
function randomOf(seed) {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
}

const deeds = {
  say: async () => say(),
  "say much": async (_, random) => {
    for (let more = 5 + random(20); more > 0; more -= 1) await say();
  },
  wait: async (_, random) => pause(random(1500)),
  "cut in mid-frame": async (_, random) => {
    proxy.cut(random(3000));
    await say();
  },
  "cut at once": async () => proxy.cut(),
  "half-open": async (page) => {
    proxy.halfOpen();
    await say();
    await page.context().clock.fastForward(40_000);
  },
  freeze: async (page, random) => {
    monitor.freeze(true);
    await say();
    if (random(2) === 0) await page.context().clock.fastForward(40_000);
    await pause(random(2000));
    monitor.freeze(false);
  },
  crash: async (_, random) => {
    await monitor.kill();
    await say();
    await pause(random(1500));
    await monitor.start();
  },
  restart: async () => {
    await monitor.halt();
    await monitor.start();
  },
  sleep: async (page, random) => {
    await say();
    await page.context().clock.fastForward((1 + random(180)) * 60_000);
  },
};

for (let number = 0; number < SCHEDULES; number += 1) {
  const hosted = number % HOSTED === HOSTED - 1;
  test(`schedule ${SEED + number}${hosted ? " through the host" : ""}: the open page ends up as a page just opened`, async () => {
    const random = randomOf(SEED + number);
    await begin(SEED + number);
    const page = await open(hosted ? `${host.url}/hub` : proxy.url);
    const done = [];
    try {
      await eventually("the page is connected", () => isLive(page), 30_000);
      await mark(page);
      const names = Object.keys(deeds);
      for (let step = 0; step < 6; step += 1) {
        const name = names[random(names.length)];
        done.push(name);
        await deeds[name](page, random);
      }
      await say();
      const fresh = await openPage(browser, `${monitor.url}/s/${talk.session}`, { now: null });
      await eventually("the fresh page has the last word", async () => (await shown(fresh)).at(-1)?.includes(`소식 ${count}번입니다`), 60_000);
      const expected = await shown(fresh);
      await fresh.context().close();
      await eventually("the page is live again and the same", async () => {
        return (await isLive(page)) && isWhole(await shown(page), expected);
      }, 120_000).catch(async (error) => {
        assert.deepEqual(await shown(page), expected, `${error.message} after: ${done.join(", ")}`);
        throw new Error(`${error.message} after: ${done.join(", ")}; ${await connection(page).innerText()}`);
      });
      assert.ok(await unmoved(page), "the page was not reloaded");
    } finally {
      monitor.freeze(false);
      await page.context().close();
    }
  });
}
