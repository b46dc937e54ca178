// Browser pages for the tests. Every page records the problems on its console.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";

import { chromium } from "@playwright/test";

import { standingAt } from "./clock.mjs";
import { FIXTURE_NOW, PATIENCE } from "./monitor.mjs";

const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** How the browser starts: installed Chromium, connected to nothing but this machine. */
export const launchOptions = {
  executablePath: process.env.TASK_HUB_CHROMIUM ?? known.find((file) => existsSync(file)),
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
  ],
};

/** Starts a browser for scripts outside the test runner (benches, screenshots); `more` are extra flags. */
export const startBrowser = (more = []) => chromium.launch({ ...launchOptions, args: [...launchOptions.args, ...more] });

/** Opens an address in a page of its own, for scripts outside the test runner. */
export async function openPage(browser, url, look = {}) {
  const page = await newPage(browser, look);
  await page.goto(url);
  return page;
}

/**
 * A blank page in a fresh context. `look`: `width`, `height`, `theme` (light|dark), `language` (ko|en), `now` (epoch ms
 * at which the page's `Date` stands, null for the real one), `contrast` ("more" as the system may ask), `workers`
 * ("allow" for service workers), `credentials` (for a proxy that asks), `baseURL`, `block` (URL patterns to abort).
 */
export async function newPage(browser, look = {}) {
  const { width = 1440, height = 1000, theme = "light", language = "ko", now = FIXTURE_NOW, block = [] } = look;
  const context = await browser.newContext({
    baseURL: look.baseURL,
    viewport: { width, height },
    colorScheme: theme,
    contrast: look.contrast ?? "no-preference",
    locale: language === "ko" ? "ko-KR" : "en-GB",
    timezoneId: "Asia/Seoul",
    reducedMotion: look.reducedMotion ?? "reduce",
    // A service worker would answer before the routes of a spec do.
    serviceWorkers: look.workers ?? "block",
    httpCredentials: look.credentials,
  });
  // The page is Korean unless its reader chose otherwise, whatever the browser speaks.
  if (language !== "ko") {
    await context.addInitScript((chosen) => {
      if (localStorage.getItem("task-hub.locale") === null) localStorage.setItem("task-hub.locale", chosen);
    }, language);
  }
  if (now !== null) await context.addInitScript(standingAt(now));
  const page = await context.newPage();
  if (process.env.TASK_HUB_SLOW) await slowDown(page);
  page.setDefaultTimeout(PATIENCE);
  recordProblems(page);
  for (const pattern of block) await page.route(pattern, (route) => route.abort());
  return page;
}

/** Collects the console's errors and warnings in `page.problems`. */
function recordProblems(page) {
  page.problems = [];
  page.allowedProblems = [];
  page.on("console", (entry) => {
    // Playwright's own message about the service workers it blocks is not the page's.
    const own = entry.text() === "Service Worker registration blocked by Playwright";
    if (!own && (entry.type() === "error" || entry.type() === "warning")) page.problems.push(`${entry.type()}: ${entry.text()}`);
  });
  page.on("pageerror", (error) => page.problems.push(`page error: ${error.message}`));
}

/**
 * Half the speed, and every answer 500 ms late: a small machine behind a slow link. A spec that reads the page before
 * the page can know the result of an action fails on it.
 */
async function slowDown(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 2 });
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 500, downloadThroughput: -1, uploadThroughput: -1 });
}

/** Fails when the page's console shows an error or a warning that is not allowed. */
export function assertNoProblems(page, allowed = page.allowedProblems) {
  const real = page.problems.filter((text) => !allowed.some((pattern) => pattern.test(text)));
  assert.deepEqual(real, [], "the console must stay clean");
}
