// Browser tests of the recovery of the live connection after crashes, freezes, cuts in mid-frame, half-open connections
// and sleep. The open page must then equal a newly loaded page.
//
// Sequences of these faults are random, from a seed. In some runs, a Next.js app serves the page and forwards its
// requests to the monitor.
//
// Proves (live): In Chromium, the open page equals a newly loaded page after these faults: crashes, freezes, cuts in
// mid-frame, half-open connections and sleep. Some runs go through a Next.js app that serves the page.
// Long form: `make soak ARGS=browser`.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";

import { message } from "../support/monitor.mjs";
import { startHost } from "../support/next-host.mjs";
import { startProxy } from "../support/proxy.mjs";
import { allowProblems, test as base, expect } from "../support/test.mjs";
import { connection, isLive, markDocument, wasNotReloaded } from "../support/steps.mjs";

const SCHEDULES = process.env.TASK_HUB_SOAK ? 50 : 4;
/** Every so many schedules go through the host. */
const HOSTED = 4;
/** The first schedule. */
const SEED = Number(process.env.TASK_HUB_SEED ?? 1);

const test = base.extend({
  /** The TCP proxy between page and monitor. */
  tcp: [
    async ({ monitor }, use) => {
      const tcp = await startProxy(monitor.port);
      await use(tcp);
      await tcp.stop();
    },
    { scope: "worker" },
  ],
  host: [
    async ({ tcp }, use) => {
      const host = await startHost(tcp.url);
      await use(host);
      host.stop();
    },
    { scope: "worker", timeout: 240_000 },
  ],
  /** Appends the next message of a conversation of this test; the log takes it whether the monitor runs or not. */
  talk: async ({ monitor }, use, info) => {
    const id = `link-${info.testId}-${info.retry}`;
    const talk = {
      path: `/s/ws_${id}`,
      count: 0,
      async say() {
        talk.count += 1;
        const text = `소식 ${talk.count}번입니다`;
        await monitor.append(message({ from: "eden", to: "seum", session: `ws_${id}`, conversation: id, text, at: Date.now() }));
      },
    };
    await use(talk);
  },
});
// Timeouts need a running clock, in page and monitor.
test.use({ home: { story: "ping-pong", clock: null, owner: "link" } });

/** The texts of all bubbles, without ages and waiting times, which change with time. */
async function shown(page) {
  const bubbles = await page.getByRole("article").allInnerTexts();
  return bubbles.map((text) => text.replace(/방금|\d+(초|분|시간|일)( 전)?/g, "").replace(/\s+/g, " "));
}

/**
 * All messages up to `count`, in order, once, and as the fresh page shows them. A fresh page shows the newest hundred:
 * what the open page shows beyond them has no counterpart.
 */
function isWhole(texts, fresh, count) {
  const from = texts.length - fresh.length;
  const numbers = texts.map((text) => Number(/소식 (\d+)번/.exec(text)?.[1]));
  const whole = numbers.every((number, at) => number === count - texts.length + 1 + at);
  // The first bubble of a page names its speaker, whoever spoke before.
  const skipped = from > 0 ? 1 : 0;
  return whole && from >= 0 && JSON.stringify(texts.slice(from + skipped)) === JSON.stringify(fresh.slice(skipped));
}

/** A small generator, so that a seed names a schedule. */
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

/** Faults of the connection, each with at least one message around it. */
const faults = {
  message: ({ say }) => say(),
  "many messages": async ({ say, random }) => {
    for (let more = 5 + random(20); more > 0; more -= 1) await say();
  },
  wait: ({ random }) => pause(random(1500)),
  "cut in mid-frame": async ({ tcp, say, random }) => {
    tcp.cut(random(3000));
    await say();
  },
  "cut at once": async ({ tcp }) => tcp.cut(),
  "half-open": async ({ page, tcp, say }) => {
    tcp.halfOpen();
    await say();
    await page.context().clock.fastForward(40_000);
  },
  freeze: async ({ page, monitor, say, random }) => {
    monitor.freeze(true);
    await say();
    if (random(2) === 0) await page.context().clock.fastForward(40_000);
    await pause(random(2000));
    monitor.freeze(false);
  },
  crash: async ({ monitor, say, random }) => {
    await monitor.kill();
    await say();
    await pause(random(1500));
    await monitor.start();
  },
  restart: async ({ monitor }) => {
    await monitor.halt();
    await monitor.start();
  },
  sleep: async ({ page, say, random }) => {
    await say();
    await page.context().clock.fastForward((1 + random(180)) * 60_000);
  },
};

/** Opens the conversation, causes the faults and compares the page with a fresh one. */
async function recover({ openPage, monitor, tcp, talk }, base, names, random) {
  await talk.say();
  const page = await openPage("about:blank", { now: null });
  allowProblems(page, [/WebSocket connection/, /Failed to load resource/]);
  await page.context().clock.install();
  await page.goto(base + talk.path);
  await expect(page.getByRole("article").first()).toBeVisible();
  await expect.poll(() => isLive(page), "the page is connected").toBe(true);
  await markDocument(page);
  for (const name of names) await faults[name]({ page, monitor, tcp, say: talk.say, random });
  await talk.say();
  const fresh = await openPage(monitor.url + talk.path, { now: null });
  await expect(fresh.getByRole("article").last()).toContainText(`소식 ${talk.count}번입니다`);
  const expected = await shown(fresh);
  const after = `after: ${names.join(", ")}`;
  await expect(async () => {
    const texts = await shown(page);
    if (!isWhole(texts, expected, talk.count)) assert.deepEqual(texts, expected, after);
    assert.ok(await isLive(page), `${await connection(page).innerText()} ${after}`);
  }).toPass({ timeout: 120_000 });
  assert.ok(await wasNotReloaded(page), "the page was not reloaded");
}

test("a page recovers from a cut and a crash", { tag: "@quick" }, async ({ openPage, monitor, tcp, talk }) => {
  await recover({ openPage, monitor, tcp, talk }, tcp.url, ["cut in mid-frame", "crash"], randomOf(SEED));
});

for (let number = 0; number < SCHEDULES; number += 1) {
  const random = randomOf(SEED + number);
  const names = Array.from({ length: 6 }, () => Object.keys(faults)[random(Object.keys(faults).length)]);
  const title = `schedule ${SEED + number}: the open page equals a fresh page`;
  if (number % HOSTED === HOSTED - 1) {
    test(`${title}, through the host`, { tag: "@release" }, ({ openPage, monitor, tcp, talk, host }) =>
      recover({ openPage, monitor, tcp, talk }, `${host.url}/hub`, names, random));
  } else {
    test(title, ({ openPage, monitor, tcp, talk }) => recover({ openPage, monitor, tcp, talk }, tcp.url, names, random));
  }
}
