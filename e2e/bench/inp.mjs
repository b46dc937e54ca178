// Benchmark of interaction latency: from a press to the next frame (event timing), on a processor four times slower.
import { writeThread } from "../support/thread.mjs";
import { barePage, bench, figure, hubPage, percentile, spread } from "./support.mjs";

const TURNS = 16;

/** A page with one button that does next to nothing: what a press costs at the least. */
const BARE = `<button onclick="this.textContent = this.textContent === '하나' ? '둘' : '하나'">하나</button>`;

await bench(async (monitor, browser) => {
  await writeThread(monitor, "short", 100, Date.now());
  const page = await hubPage(browser, `${monitor.url}/all`);
  await slow(page);
  const panel = page.getByRole("dialog", { name: "설정" });
  const deeds = {
    "filter a list of sessions": async (turn) => page.locator(".filters button").nth(turn % 2 ? 0 : 1).click(),
    "one row on with the keyboard": async () => page.keyboard.press("ArrowDown"),
    "light and dark": async (turn) => panel.getByRole("button", { name: turn % 2 ? "밝게" : "어둡게" }).click(),
    "Korean and English": async () => page.getByRole("button", { name: /언어|Language/ }).click(),
  };
  const bare = await barePage(monitor, browser, BARE);
  await slow(bare);
  const control = percentile(await presses(bare, () => bare.getByRole("button").click()), 98);
  const all = [];
  for (const [name, deed] of Object.entries(deeds)) {
    if (name.startsWith("light")) {
      await page.getByRole("button", { name: "설정", exact: true }).click();
      await panel.getByRole("group", { name: "밝기" }).waitFor();
    } else if (await panel.isVisible()) {
      await page.keyboard.press("Escape");
    }
    if (name.startsWith("one row")) await page.getByRole("main").getByRole("article").first().getByRole("link").first().focus();
    const took = await presses(page, deed);
    all.push(...took);
    report(`${name}, p98 of ${TURNS}`, took, control);
  }
  report(`all of them, p98 of ${all.length}`, all, control);
});

function report(name, took, control) {
  const value = percentile(took, 98);
  figure({
    goal: "G6",
    name,
    value,
    unit: "ms",
    spread: spread(took),
    control: { name: "a bare button", value: control },
    ratio: value / control,
    bound: { atMost: 100 },
  });
}

async function slow(page) {
  const driver = await page.context().newCDPSession(page);
  await driver.send("Emulation.setCPUThrottlingRate", { rate: 4 });
}

/** The duration of each press. The browser tells of those from 16 ms on, in steps of 8; others count as 16. */
async function presses(page, deed) {
  await page.evaluate(() => {
    window.took = new Map();
    window.watch?.disconnect();
    window.watch = new PerformanceObserver((list) => {
      for (const { interactionId, duration } of list.getEntries()) {
        if (interactionId) window.took.set(interactionId, Math.max(duration, window.took.get(interactionId) ?? 0));
      }
    });
    window.watch.observe({ type: "event", durationThreshold: 16 });
  });
  for (let turn = 0; turn < TURNS; turn += 1) {
    await deed(turn);
    await page.waitForTimeout(400);
  }
  const took = await page.evaluate(() => [...window.took.values()]);
  return [...took, ...Array.from({ length: Math.max(0, TURNS - took.length) }, () => 16)];
}
