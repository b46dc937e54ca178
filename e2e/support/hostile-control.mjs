// Control experiment of the hostile-text tests (`hostile.spec.mjs`): it draws the attack texts in the page with an
// unsafe markdown renderer. The detector of these tests (`hostile-watch.mjs`) must notice their effects, which proves
// that the detector works.
import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";

import { FIXTURE_NOW } from "./monitor.mjs";
import { openWatched } from "./hostile-watch.mjs";
import { waitUntilLoaded, walk } from "./steps.mjs";

/** Messages whose markup stands in the page at once. */
const AT_ONCE = 40;
/** How long such markup may run. Payloads end pages, stop them and send them away: nothing is waited for that may never come. */
const RUN_MS = 150;
const HANG_MS = 6_000;

const within = (work, limit) => Promise.race([work, pause(limit, null, { ref: false }).then(() => Promise.reject(new Error("it hangs")))]);

/** Draws each message's text a second time, as HTML with all that marked lets through, and runs its scripts as jQuery does. */
const draw = (said) => {
  for (const old of document.querySelectorAll(".unsafe")) old.remove();
  for (const [id, text] of said) {
    const place = document.createElement("div");
    place.className = "unsafe";
    (document.querySelector(`[data-event="${id}"]`) ?? document.body).append(place);
    place.innerHTML = globalThis.marked.parse(text);
    for (const dead of place.querySelectorAll("script")) {
      const script = document.createElement("script");
      for (const { name, value } of dead.attributes) script.setAttribute(name, value);
      script.append(dead.textContent);
      dead.replaceWith(script);
    }
    // A reader who follows the link.
    for (const link of place.querySelectorAll("a")) if (link.protocol === "javascript:") link.click();
  }
};

/**
 * Walks over the threads with the unsafe renderer and gives what the detector counted, `executions` being at most one a
 * message. `threads` are messages by address.
 */
export async function walkUnsafely(browser, url, threads) {
  const script = await readFile(new URL("./marked.umd.js", import.meta.resolve("marked")), "utf8");
  const counts = {};
  let pages = 0;
  let executions = 0;
  let watched = null;
  const close = async () => {
    for (const [kind, count] of Object.entries(watched?.counts ?? {})) counts[kind] = (counts[kind] ?? 0) + count;
    await within(watched?.context.close(), HANG_MS).catch(() => undefined);
    watched = null;
  };
  const stand = async (path) => {
    if (watched === null) {
      watched = await openWatched(browser, { url, csp: false, now: FIXTURE_NOW, script, hold: true });
      pages += 1;
      await waitUntilLoaded(watched.page);
    }
    await walk(watched.page, path);
  };
  for (const [path, messages] of threads) {
    let broken = true;
    for (let first = 0; first < messages.length; first += AT_ONCE) {
      const part = messages.slice(first, first + AT_ONCE).map(({ id, text }) => [id, text]);
      try {
        if (broken) await within(stand(path), 3 * HANG_MS);
        broken = false;
        const before = watched.counts.ran ?? 0;
        const ran = () => Math.min((watched.counts.ran ?? 0) - before, part.length);
        await within(watched.page.evaluate(draw, part), HANG_MS);
        // The last ones are waited for until nothing more happens.
        for (let count = -1; count !== watched.counts.ran; ) {
          count = watched.counts.ran;
          await within(watched.page.evaluate((ms) => new Promise((done) => setTimeout(done, ms)), RUN_MS), HANG_MS);
          if (first + AT_ONCE < messages.length || ran() === part.length) break;
        }
        // One that calls for ever counts no more than the messages it came with.
        executions += ran();
      } catch {
        // This page is no more what it was; what it told is counted.
        broken = true;
        await close();
      }
    }
  }
  await close();
  return { counts, pages, executions };
}
