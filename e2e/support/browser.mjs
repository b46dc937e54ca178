// One Chromium per spec file; every page remembers what went wrong on it.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";

import { chromium } from "playwright-core";

import { standingAt } from "./clock.mjs";
import { FIXTURE_NOW, PATIENCE } from "./monitor.mjs";

const known = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = process.env.TASK_HUB_CHROMIUM ?? known.find((file) => existsSync(file));

/** Starts the browser; it can reach nothing but this machine. `more` are flags of its own. */
export async function startBrowser(more = []) {
  return chromium.launch({
    executablePath,
    headless: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--force-color-profile=srgb",
      ...more,
    ],
  });
}

/**
 * A page in a fresh context. Options: `width`, `height`, `theme` (light|dark), `language` (ko|en) and `now`
 * (epoch ms the page's `Date` stands at, null for the real one), `contrast` ("more" as the system may ask), `workers` ("allow" for those of the page), `credentials` (of a proxy that asks).
 */
export async function openPage(browser, url, options = {}) {
  const { width = 1440, height = 1000, theme = "light", language = "ko", now = FIXTURE_NOW, block = [] } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    contrast: options.contrast ?? "no-preference",
    locale: language === "ko" ? "ko-KR" : "en-GB",
    timezoneId: "Asia/Seoul",
    reducedMotion: options.reducedMotion ?? "reduce",
    // A worker would answer before the routes of a spec do.
    serviceWorkers: options.workers ?? "block",
    httpCredentials: options.credentials,
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
  page.problems = [];
  page.on("console", (entry) => {
    // What Playwright itself says of the workers it keeps out is none of the page's.
    const own = entry.text() === "Service Worker registration blocked by Playwright";
    if (!own && (entry.type() === "error" || entry.type() === "warning")) page.problems.push(`${entry.type()}: ${entry.text()}`);
  });
  page.on("pageerror", (error) => page.problems.push(`page error: ${error.message}`));
  for (const pattern of block) await page.route(pattern, (route) => route.abort());
  await page.goto(url);
  return page;
}

/**
 * Lets a page work as on a small machine behind a long line: half the speed, and every answer comes late. Specs
 * that look before the page can have heard of what they did fail on it.
 */
async function slowDown(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: 2 });
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", { offline: false, latency: 500, downloadThroughput: -1, uploadThroughput: -1 });
}

/** Fails when the page's console told of an error or a warning. */
export function assertNoProblems(page, allowed = []) {
  const real = page.problems.filter((text) => !allowed.some((pattern) => pattern.test(text)));
  assert.deepEqual(real, [], "the console must stay clean");
}
