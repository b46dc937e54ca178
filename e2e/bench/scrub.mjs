// Benchmark of the slider of the past over a flow. The history has a tenth of the events, the session of the flow some
// hundred messages. The slider moves a step in each frame; what counts is the time between two frames in which the flow
// changed. The control is a slider of a bare page that writes its value into the page.
import { place, writeThread } from "../support/thread.mjs";
import { barePage, bench, figure, hubPage, percentile } from "./support.mjs";

const HISTORY = Math.max(1_000, Number(process.env.TASK_HUB_EVENTS ?? 1_000_000) / 10);
const MESSAGES = 300;
const STEPS = 200;
const ROUNDS = 3;
const BARE = `<input type="range" min="0" max="3000000" step="1000" oninput="drawing.textContent = value"><p id="drawing">0</p>`;

await bench(async (monitor, browser) => {
  const now = Date.now();
  await writeThread(monitor, "history", HISTORY - MESSAGES, now);
  await writeThread(monitor, "flow", MESSAGES, now);
  const address = place(monitor, "flow").replace(/\/t\/.*/, "/flow");
  // From the second half on, so that there is something to draw.
  const page = await hubPage(browser, `${address}?at=${new Date(now - 1_000).toISOString()}`);
  await page.locator(".flow-frame .flow__mark").first().waitFor();
  const bare = await barePage(monitor, browser, BARE);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await bare.bringToFront();
    const control = await scrubbed(bare, "input", "#drawing");
    await page.bringToFront();
    rounds.push([await scrubbed(page, ".past__scrubber input", ".flow-frame"), control]);
  }
  for (const percent of [50, 95]) {
    const name = `between two drawn moments of a flow of ${MESSAGES} messages, p${percent}`;
    figure({ name, rounds: rounds.map((sides) => sides.map((side) => percentile(side, percent))), control: "a slider of a bare page" });
  }
});

/** Milliseconds between frames in which `drawing` changed, while the slider moves through its last half. */
function scrubbed(page, slider, drawing) {
  return page.evaluate(([slider, drawing, steps]) => new Promise((done) => {
    const input = document.querySelector(slider);
    const [min, max] = [Number(input.min), Number(input.max)];
    const drawn = [];
    const watch = new MutationObserver(() => {
      // The time of the frame: all changes of a frame count as one.
      const frame = document.timeline.currentTime;
      if (drawn.at(-1) !== frame) drawn.push(frame);
    });
    watch.observe(document.querySelector(drawing), { childList: true, subtree: true, attributes: true, characterData: true });
    let step = 0;
    const move = () => {
      input.value = String(Math.round(min + (max - min) * (0.5 + step / steps / 2)));
      input.dispatchEvent(new Event("input", { bubbles: true }));
      if ((step += 1) <= steps) return requestAnimationFrame(move);
      setTimeout(() => {
        watch.disconnect();
        done(drawn.slice(1).map((at, place) => at - drawn[place]));
      }, 500);
    };
    requestAnimationFrame(move);
  }), [slider, drawing, STEPS]);
}
