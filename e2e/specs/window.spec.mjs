// Browser tests of threads of any length. The visible message keeps its position, and at most 120 messages are drawn.
//
// Proves (reading): A thread of 100,000 messages draws as many messages as one of 1,000: 80 at first, never more than
// 120. Loading, resizing and font changes move the message being read by at most a pixel. Its buttons are drawn after it.
// See also: `src/components/thread/window.rs`, `crates/protocol/src/view/thread.rs`.
// Long form: `make soak ARGS=window`.
import assert from "node:assert/strict";

import { FIXTURE_NOW } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { drawn, driftOf, edge, frames, inView, place, scrollTo, talk, writeThread } from "../support/thread.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "window" } });

/** More rounds for the soak. */
const ROUNDS = process.env.TASK_HUB_SOAK === "1" ? 1_000 : 50;

const newest = (page) => page.locator(".stream").getByText(/^1번째 앞의 말입니다\./);

/** Opens a thread and waits for its end. */
async function open(page, monitor, name) {
  await page.goto(place(monitor, name));
  await waitUntilLoaded(page);
  await expect(newest(page)).toBeVisible();
  await frames(page);
}

/** To the first message, and to the newest again. */
async function toStartAndEnd(page, length) {
  await page.keyboard.press("Home");
  await expect(page.locator(".stream").getByText(`${length}번째 앞의 말입니다.`)).toBeVisible();
  await frames(page);
  assert.ok((await drawn(page)) <= 120);
  await page.keyboard.press("End");
  await expect(newest(page)).toBeVisible();
}

async function assertStill(page, read, what) {
  const drift = await driftOf(page, read);
  assert.ok(drift <= 1, `${what}: the read message moved by ${drift} px`);
}

test("buttons of a message are drawn after it, and Tab reaches those of one message", async ({ page, monitor }) => {
  await writeThread(monitor, "buttons", 20);
  await open(page, monitor, "buttons");
  const rows = page.locator(".stream .bubble");
  const buttons = rows.locator(".bubble__acts");
  await expect(buttons).toHaveCount(20);
  await page.evaluate(() => {
    window.hadButtons = [];
    const added = (records) => records.flatMap(({ addedNodes }) => [...addedNodes]).filter((node) => node.matches?.(".bubble"));
    const note = (records) => window.hadButtons.push(...added(records).map((row) => row.querySelector(".bubble__acts") !== null));
    new MutationObserver(note).observe(document.querySelector(".stream"), { childList: true, subtree: true });
  });
  await monitor.append(talk("buttons", "새 말입니다.", 1_000));
  await expect(rows).toHaveCount(21);
  await expect(buttons).toHaveCount(21);
  assert.deepEqual(await page.evaluate(() => window.hadButtons.includes(true)), false, "a message is drawn without its buttons");
  const stops = () => page.locator(".stream :is(article, a, button)[tabindex='0']").evaluateAll((all) => [...new Set(all.map((one) => one.closest("[data-event]").id))]);
  await expect.poll(stops).toEqual([await rows.last().getAttribute("id")]);
  await rows.nth(5).focus();
  await expect.poll(stops).toEqual([await rows.nth(5).getAttribute("id")]);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await expect(rows.nth(5).getByRole("button", { name: "내용 복사" })).toBeFocused();
});

test("a page with a fixed Date keeps native frames and timers", async ({ page }) => {
  await page.goto("/");
  const native = await page.evaluate(() => [requestAnimationFrame, setTimeout, setInterval].map((one) => /\[native code\]/.test(one)));
  assert.deepEqual(native, [true, true, true]);
  const times = await page.evaluate(() => [Date.now(), +new Date(), Date.parse(Date()), +new Date(7), new Date() instanceof Date]);
  const second = Math.floor(FIXTURE_NOW / 1_000) * 1_000;
  assert.deepEqual(times, [FIXTURE_NOW, FIXTURE_NOW, second, 7, true]);
});

test("a long thread goes to its start and follows its end", { tag: "@quick" }, async ({ page, monitor }) => {
  await writeThread(monitor, "followed", 300);
  await open(page, monitor, "followed");
  await toStartAndEnd(page, 300);
  await monitor.append(talk("followed", "방금 온 말입니다.", 1_000));
  await expect.poll(() => inView(page, "방금 온 말입니다."), "the end is followed").toBe(true);
  assert.ok((await drawn(page)) <= 120);
});

test.describe("of 1,000 messages", () => {
  test.beforeAll(({ monitor }) => writeThread(monitor, "short", 1_000));

  for (const [name, size] of [["a wide screen", { width: 1440, height: 900 }], ["a phone", { width: 390, height: 844 }]]) {
    test(`width, font and height changes keep the read position on ${name}`, async ({ openPage, monitor }) => {
      const page = await openPage(null, size);
      await open(page, monitor, "short");
      await scrollTo(page, 2_000);
      await frames(page);
      for (let round = 0; round < ROUNDS; round += 1) {
        const read = await scrollTo(page, null);
        const kind = round % 3;
        if (kind === 0) await page.setViewportSize({ ...size, width: size.width + (round % 2 === 0 ? 40 : 0) });
        if (kind === 1) await page.evaluate((px) => (document.documentElement.style.fontSize = `${px}px`), 16 + (round % 4));
        if (kind === 2) {
          // As a late image or font does.
          await page.evaluate(([id, px]) => {
            const rows = [...document.querySelectorAll(".stream [data-event]")];
            const above = rows[Math.max(0, rows.findIndex((row) => row.dataset.event === id) - 3)];
            above.style.paddingBottom = `${px}px`;
          }, [read.id, (round % 5) * 60]);
        }
        await assertStill(page, read, `change ${round}`);
      }
    });
  }

  test("growth above in the frame of a scroll is not taken as scrolled", async ({ page, monitor }) => {
    await open(page, monitor, "short");
    await scrollTo(page, 2_000);
    await frames(page);
    for (const way of [-37, 61]) {
      for (const px of [120, 0]) {
        const before = await scrollTo(page, null);
        // As an image that loads while a wheel turns: no frame is between the two.
        await page.evaluate(
          ([id, px, way]) => {
            const rows = [...document.querySelectorAll(".stream [data-event]")];
            rows[rows.findIndex((row) => row.dataset.event === id) - 3].style.paddingBottom = `${px}px`;
            document.querySelector(".thread").scrollTop += way;
          },
          [before.id, px, way],
        );
        await assertStill(page, { ...before, offset: before.offset - way }, `scrolled by ${way} px beside ${px} px above`);
      }
    }
  });

  test.describe("and of 100,000", () => {
    test.beforeAll(async ({ monitor }) => {
      test.setTimeout(300_000);
      await writeThread(monitor, "long", 100_000);
    });

    test("pages loaded and dropped at either end keep the read position", async ({ page, monitor }) => {
      await open(page, monitor, "long");
      // A row that stays is not moved in the document: that would lay out its subtree again and lose the focus.
      await page.evaluate(() => {
        window.moved = 0;
        new MutationObserver((list) => {
          for (const { removedNodes } of list) for (const node of removedNodes) if (node.isConnected) window.moved += 1;
        }).observe(document.querySelector(".stream"), { childList: true, subtree: true });
      });
      // Up, then nearly as far down again.
      for (let round = 0; round < ROUNDS; round += 1) {
        const up = round < ROUNDS / 2 + 3;
        const before = await edge(page, up ? 0 : -1);
        const read = await scrollTo(page, up ? 300 + (round % 7) * 13 : 1_000_000);
        await expect.poll(() => edge(page, up ? 0 : -1), { message: "the next page is there", intervals: [50] }).not.toBe(before);
        await assertStill(page, read, `page ${round}`);
        assert.ok((await drawn(page)) <= 120, "at most 120 messages are drawn");
      }
      assert.equal(await page.evaluate(() => window.moved), 0, "rows that stay are not moved");
    });

    test("both draw the same number of messages and nodes", async ({ page, monitor }) => {
      const nodes = () => page.evaluate(() => document.querySelectorAll(".stream *").length);
      const seen = [];
      for (const [name, length] of [["short", 1_000], ["long", 100_000]]) {
        await open(page, monitor, name);
        const end = [await drawn(page), await nodes()];
        await toStartAndEnd(page, length);
        await expect.poll(nodes, "as at first").toBe(end[1]);
        seen.push(end);
      }
      assert.deepEqual(seen[0], seen[1]);
    });
  });
});
