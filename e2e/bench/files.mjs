// Benchmark of opened files, one round, on one core: `node files.mjs LOG LARGE SESSION` drops each log onto the page of a
// static host, as a person does, and saves the session of the last one as evidence. The control is a bare page whose
// worker streams the bytes of the same dropped file. Prints one JSON object (crates/bench/src/groups/files.rs).
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { openPage, startBrowser } from "../support/browser.mjs";
import { eventually, releaseBundle } from "../support/monitor.mjs";
import { startSite } from "../support/site.mjs";

const [log, large, session] = process.argv.slice(2);
/** A page loads its other parts 1.5 s after its start. */
const SETTLE_MS = 3_000;
/** A page is idle when its process takes less of the core than this share, over a second. */
const IDLE_SHARE = 0.1;
/** Longer than a slow machine takes. */
const LIMIT_MS = 300_000;

useOneCore();
const site = await startSite(releaseBundle);
const bare = await startSite(path.join(import.meta.dirname, "stream"));
const browser = await startBrowser();
try {
  console.log(JSON.stringify({ log: await readLog(log), large: await readLog(large), saved: await saveSession() }));
} finally {
  await browser.close();
  site.stop();
  bare.stop();
}

/** Keeps this process and the browser that it starts on one core. */
function useOneCore() {
  const id = String(process.pid);
  const [, core] = execFileSync("taskset", ["-pc", id], { encoding: "utf8" }).match(/: (\d+)/);
  execFileSync("taskset", ["-pc", core, id]);
}

/** Times of a dropped log, its events, and the peak memory of the page's process once all is indexed. */
async function readLog(file) {
  const control = await streamed(file);
  const page = await openedPage();
  await watch(page, "files");
  await drop(page, file);
  const times = await page.evaluate(() => window.watched);
  const events = Number((await band(page).innerText()).match(/이벤트 ([\d,]+)건/)[1].replaceAll(",", ""));
  // The search index is built after the last line is read.
  await untilIdle();
  const peakMb = (await renderers()).reduce((most, { id }) => Math.max(most, peakOf(id)), 0);
  await page.context().close();
  return { ...times, events, peakMb, control };
}

/** Milliseconds from the press to the finished file, of the session in its log, in both forms of opened files. */
async function saveSession() {
  const control = await streamed(session);
  const page = await openedPage();
  await watch(page, "files");
  await drop(page, session);
  await page.evaluate(() => window.watched);
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "협업" }).click();
  await page.locator("[data-session] h3 a").click();
  const lines = (await readFile(session, "utf8")).trim().split("\n").length;
  const ndjsonMs = await saved(page, /NDJSON/, (text) => assert.equal(text.trim().split("\n").length, lines + 2));
  const markdownMs = await saved(page, /Markdown/, (text) => assert.equal(text.match(/SHA-256/g).length, lines));
  await page.context().close();
  return { ndjsonMs, markdownMs, control };
}

/** Saves the open session in a form, masked as the dialog offers it, and checks the file. */
async function saved(page, form, check) {
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  const dialog = page.getByRole("dialog", { name: "증거 파일 저장" });
  await dialog.getByRole("radio", { name: form }).check();
  const save = dialog.getByRole("button", { name: "증거 파일 저장" });
  // The preview is there.
  await eventually("the session can be saved", () => save.isEnabled());
  const took = page.evaluate(() => new Promise((done) => {
    const make = URL.createObjectURL;
    let pressed;
    addEventListener("click", () => (pressed = performance.now()), { capture: true, once: true });
    URL.createObjectURL = (file) => {
      done(performance.now() - pressed);
      URL.createObjectURL = make;
      return make.call(URL, file);
    };
  }));
  const download = page.waitForEvent("download");
  await save.click();
  check(await readFile(await (await download).path(), "utf8"));
  await dialog.waitFor({ state: "detached" });
  return took;
}

/** A page of the site that offers to open files, with all its parts loaded. */
async function openedPage() {
  const page = await openPage(browser, site.url, { now: null });
  await page.getByRole("region", { name: "모니터 없이 기록 파일 보기" }).waitFor();
  await pause(SETTLE_MS);
  await untilIdle();
  return page;
}

/** The band that says what is read. */
function band(page) {
  return page.getByRole("region", { name: "연 파일" });
}

/** The same file dropped onto a page whose worker streams its bytes and drops them. */
async function streamed(file) {
  const page = await openPage(browser, `${bare.url}/`, { now: null });
  await watch(page, "bare");
  await drop(page, file);
  const times = await page.evaluate(() => window.watched);
  await page.context().close();
  return times;
}

/**
 * Looks at each frame of a page from the next drop until all of the file is read; `window.watched` promises the times
 * from the drop to the frame that shows a card and to the one that shows the end, and the longest time between frames.
 */
function watch(page, kind) {
  return page.evaluate(([kind, limit]) => {
    const { hasCard, isRead } = {
      files: {
        hasCard: () => [...document.querySelectorAll(".category-cell__total")].some((total) => /[1-9]/.test(total.textContent)),
        isRead: () => document.querySelector(".files__facts")?.textContent && !document.querySelector(".files progress"),
      },
      bare: { hasCard: () => false, isRead: () => document.querySelector("main").textContent },
    }[kind];
    window.watched = new Promise((done, failed) => {
      addEventListener("drop", () => {
        const began = performance.now();
        let [before, longestFrameMs, firstCardSeconds] = [began, 0, null];
        const frame = () => {
          const now = performance.now();
          longestFrameMs = Math.max(longestFrameMs, now - before);
          before = now;
          if (document.querySelector(".files.is-danger")) return failed(new Error(document.querySelector(".files").textContent));
          if (now - began > limit) return failed(new Error("not read in time"));
          const seconds = (now - began) / 1000;
          if (firstCardSeconds === null && hasCard()) firstCardSeconds = seconds;
          if (isRead()) return done({ firstCardSeconds, readSeconds: seconds, longestFrameMs });
          requestAnimationFrame(frame);
        };
        requestAnimationFrame(frame);
      }, { capture: true, once: true });
    });
    // It is awaited after the drop.
    window.watched.catch(() => {});
  }, [kind, LIMIT_MS]);
}

/** Drops a file of this machine onto the page. */
async function drop(page, file) {
  // A page that is not in front gets no frames.
  await page.bringToFront();
  const driver = await page.context().newCDPSession(page);
  const data = { items: [], files: [file], dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) await driver.send("Input.dispatchDragEvent", { type, x: 700, y: 500, data });
}

/** Processes that run pages, with the seconds of processor time that each has used. */
async function renderers() {
  const driver = await browser.newBrowserCDPSession();
  const { processInfo } = await driver.send("SystemInfo.getProcessInfo");
  await driver.detach();
  return processInfo.filter(({ type }) => type === "renderer");
}

/** Waits until the pages take almost no processor time. */
async function untilIdle() {
  const used = async () => (await renderers()).reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  let before = await used();
  await eventually("the pages are idle", async () => {
    await pause(1000);
    const [earlier, now] = [before, await used()];
    before = now;
    return now - earlier < IDLE_SHARE;
  }, LIMIT_MS);
}

/** The most memory that a process has held, in megabytes (10⁶ bytes). */
function peakOf(id) {
  const [, kib] = readFileSync(`/proc/${id}/status`, "utf8").match(/^VmHWM:\s+(\d+) kB/m);
  return (kib * 1024) / 1e6;
}
