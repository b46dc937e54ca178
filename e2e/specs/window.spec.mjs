// A thread of any length: what is read stays in its place, and little is drawn.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { drawn, driftOf, edge, frames, place, scrollTo, writeThread } from "../support/thread.mjs";
import { idle } from "../support/verbs.mjs";

/** The long form of the proof. */
const ROUNDS = process.env.TASK_HUB_SOAK === "1" ? 1_000 : 50;

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  await writeThread(monitor, "short", 1_000);
  await writeThread(monitor, "long", 100_000);
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

async function assertStill(page, read, what) {
  const drift = await driftOf(page, read);
  assert.ok(drift <= 1, `${what}: what is read moved by ${drift} px`);
  return drift;
}

test("a page that stands at a time is drawn by the browser's own frames", async () => {
  const page = await openPage(browser, place(monitor, "short"));
  const native = await page.evaluate(() => [requestAnimationFrame, setTimeout, setInterval].map((one) => /\[native code\]/.test(one)));
  assert.deepEqual(native, [true, true, true], "frames and timers are the browser's");
  const times = await page.evaluate(() => [Date.now(), +new Date(), Date.parse(Date()), +new Date(7), new Date() instanceof Date]);
  const second = Math.floor(FIXTURE_NOW / 1_000) * 1_000;
  assert.deepEqual(times, [FIXTURE_NOW, FIXTURE_NOW, second, 7, true], "its time stands");
  await page.context().close();
});

test("pages that come and go at either end move what is read by at most a pixel", async () => {
  const page = await openPage(browser, place(monitor, "long"));
  await idle(page);
  await eventually("it opens at its end", () => page.getByText(/^1번째 앞의 말입니다\./).isVisible());
  // A row that stays is not taken out and put back: that would lay out all of it anew, and lose the focus.
  await page.evaluate(() => {
    window.moved = 0;
    new MutationObserver((list) => {
      for (const { removedNodes } of list) for (const node of removedNodes) if (node.isConnected) window.moved += 1;
    }).observe(document.querySelector(".stream"), { childList: true, subtree: true });
  });
  let worst = 0;
  // Up, then nearly as far down again.
  for (let round = 0; round < ROUNDS; round += 1) {
    const up = round < ROUNDS / 2 + 3;
    const before = await edge(page, up ? 0 : -1);
    const read = await scrollTo(page, up ? 300 + (round % 7) * 13 : 1_000_000);
    await eventually("the next page is there", async () => (await edge(page, up ? 0 : -1)) !== before);
    worst = Math.max(worst, await assertStill(page, read, `page ${round}`));
    assert.ok((await drawn(page)) <= 120, "at most 120 messages are drawn");
  }
  assert.equal(await page.evaluate(() => window.moved), 0, "rows that stay are left alone");
  console.log(`${ROUNDS} pages, at most ${worst} px`);
  assertNoProblems(page);
  await page.context().close();
});

for (const [name, size] of [["a wide screen", { width: 1440, height: 900 }], ["a phone", { width: 390, height: 844 }]]) {
  test(`another width, another font and a taller message above leave what is read in its place on ${name}`, async () => {
    const page = await openPage(browser, place(monitor, "short"), size);
    await idle(page);
    await page.locator(".stream article").first().waitFor();
    await scrollTo(page, 2_000);
    await frames(page);
    let worst = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const read = await scrollTo(page, null);
      const kind = round % 3;
      if (kind === 0) await page.setViewportSize({ ...size, width: size.width + (round % 2 === 0 ? 40 : 0) });
      if (kind === 1) await page.evaluate((px) => (document.documentElement.style.fontSize = `${px}px`), 16 + (round % 4));
      if (kind === 2) {
        // As a picture or a late font would.
        await page.evaluate(([id, px]) => {
          const rows = [...document.querySelectorAll(".stream [data-event]")];
          const above = rows[Math.max(0, rows.findIndex((row) => row.dataset.event === id) - 3)];
          above.style.paddingBottom = `${px}px`;
        }, [read.id, (round % 5) * 60]);
      }
      worst = Math.max(worst, await assertStill(page, read, `change ${round}`));
    }
    console.log(`${ROUNDS} changes on ${name}, at most ${worst} px`);
    assertNoProblems(page);
    await page.context().close();
  });
}

test("what comes above in the very frame in which the reader scrolls is not taken as scrolled", async () => {
  const page = await openPage(browser, place(monitor, "short"));
  await idle(page);
  await page.locator(".stream article").first().waitFor();
  await scrollTo(page, 2_000);
  await frames(page);
  for (const way of [-37, 61]) {
    for (const px of [120, 0]) {
      const before = await scrollTo(page, null);
      // As a picture that comes while a wheel is turned: no frame lies between the two.
      await page.evaluate(
        ([id, px, way]) => {
          const rows = [...document.querySelectorAll(".stream [data-event]")];
          rows[rows.findIndex((row) => row.dataset.event === id) - 3].style.paddingBottom = `${px}px`;
          document.querySelector(".thread").scrollTop += way;
        },
        [before.id, px, way],
      );
      const drift = await driftOf(page, { ...before, offset: before.offset - way });
      assert.ok(drift <= 1, `scrolled by ${way} px beside ${px} px above: off by ${drift} px`);
    }
  }
  assertNoProblems(page);
  await page.context().close();
});

test("a thread of 100,000 messages draws as much as one of 1,000, at its end and at its beginning", async () => {
  const seen = [];
  for (const name of ["short", "long"]) {
    const page = await openPage(browser, place(monitor, name));
    await idle(page);
    const nodes = () => page.evaluate(() => document.querySelectorAll(".stream *").length);
    await eventually("its end is drawn", () => page.getByText(/^1번째 앞의 말입니다\./).isVisible());
    await frames(page);
    const end = [await drawn(page), await nodes()];
    await page.keyboard.press("Home");
    await page.locator(".stream").getByText(`${name === "short" ? "1000" : "100000"}번째 앞의 말입니다.`).waitFor();
    await frames(page);
    assert.ok((await drawn(page)) <= 120);
    await page.keyboard.press("End");
    await page.locator(".stream").getByText(/^1번째 앞의 말입니다\./).waitFor();
    await eventually("as at first", async () => (await nodes()) === end[1]);
    seen.push(end);
    assertNoProblems(page);
    await page.context().close();
  }
  console.log(`${seen[0][0]} messages, ${seen[0][1]} nodes`);
  assert.deepEqual(seen[0], seen[1], "the same");
});
