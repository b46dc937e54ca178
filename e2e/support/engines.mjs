// Drivers of Firefox and WebKit with one common interface, for the smoke tests in `e2e/engines/`.
//
// Firefox is driven by puppeteer-core over WebDriver BiDi: Playwright's channel `moz-firefox` needs the command
// `emulation.setMediaFeaturesOverride`, which Firefox ESR 153 does not have. WebKitGTK is driven by selenium-webdriver,
// WebKitWebDriver and MiniBrowser on an X server without a screen. Both drivers are the last releases for Node 20.
//
// The interface of an engine: `name`, `open(url)`, `resize(width, height)`, `evaluate(fn, ...args)`, `text(selector)`,
// `waitFor(what, fn, ...args)`, `console()` (errors and warnings since the last call), `screenshot()`, `close()`.
import { spawn } from "node:child_process";
import { once } from "node:events";

import puppeteer from "puppeteer-core";
import { Builder, Capabilities } from "selenium-webdriver";

import { eventually, freePort } from "./monitor.mjs";

const programs = {
  firefox: process.env.TASK_HUB_FIREFOX ?? "/usr/bin/firefox-esr",
  webkitDriver: process.env.TASK_HUB_WEBKIT_DRIVER ?? "/usr/bin/WebKitWebDriver",
  xvfb: process.env.TASK_HUB_XVFB ?? "/usr/bin/Xvfb",
};

/** The verbs that need no driver. */
const withCommonVerbs = (engine) => ({
  ...engine,
  text: (selector) => engine.evaluate((where) => document.querySelector(where)?.innerText ?? "", selector),
  waitFor: (what, fn, ...args) => eventually(`${engine.name}: ${what}`, () => engine.evaluate(fn, ...args)),
});

/** puppeteer also turns the screen, which Firefox ESR 140 cannot; the size is set all the same. */
function unlessUnknown(error) {
  if (!error.message.includes("unknown command")) throw error;
}

/** Firefox without a window. Its console is complete: it is recorded from the first script of a page. */
export async function startFirefox() {
  // A first visit follows the browser's language.
  const extraPrefsFirefox = { "intl.accept_languages": "ko" };
  const browser = await puppeteer.launch({ browser: "firefox", executablePath: programs.firefox, headless: true, extraPrefsFirefox });
  const page = await browser.newPage();
  const problems = [];
  page.on("console", (entry) => {
    if (["error", "warn"].includes(entry.type())) problems.push(`${entry.type()}: ${entry.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  return withCommonVerbs({
    name: "firefox",
    open: (url) => page.goto(url),
    async resize(width, height) {
      await page.setViewport({ width, height }).catch(unlessUnknown);
      await eventually(`${width} px wide`, () => page.evaluate((wide) => innerWidth === wide, width));
    },
    evaluate: (fn, ...args) => page.evaluate(fn, ...args),
    console: async () => problems.splice(0),
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  });
}

/**
 * WebKitGTK's MiniBrowser. WebDriver has no console, so it is recorded inside the page, from its `load` event on: what a
 * page says before is lost. The page load strategy stays `normal`: with `eager` WebKitWebDriver 2.50 sometimes waits for
 * ever, or returns while the previous page is still open.
 */
export async function startWebKit() {
  const started = [];
  const start = (program, ...rest) => {
    const child = spawn(program, ...rest);
    started.unshift(child);
    return child;
  };
  const stop = () => started.forEach((child) => child.kill());
  try {
    const browser = await startMiniBrowser(start);
    const evaluate = (fn, ...args) => browser.executeScript(fn, ...args);
    return withCommonVerbs({
      name: "webkit",
      async open(url) {
        await browser.get(url);
        await evaluate(recordConsole);
      },
      async resize(width, height) {
        // WebDriver sizes the window: the page and a bar.
        const { width: outerWidth, height: outerHeight } = await browser.manage().window().getRect();
        const [innerWidth, innerHeight] = await evaluate(() => [window.innerWidth, window.innerHeight]);
        const size = { width: width + outerWidth - innerWidth, height: height + outerHeight - innerHeight };
        await browser.manage().window().setRect({ x: 0, y: 0, ...size });
        await eventually("webkit: the window has its size", () => evaluate((wanted) => window.innerWidth === wanted, width));
      },
      evaluate,
      console: () => evaluate(() => window.recordedProblems?.splice(0) ?? []),
      screenshot: async () => Buffer.from(await browser.takeScreenshot(), "base64"),
      close: () => browser.quit().finally(stop),
    });
  } catch (error) {
    stop();
    throw error;
  }
}

/** A WebDriver session; `start` spawns the X server and the driver. */
async function startMiniBrowser(start) {
  const xvfb = start(programs.xvfb, ["-displayfd", "3", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"], {
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const [display] = await unlessEnded(xvfb, once(xvfb.stdio[3], "data"));
  const port = await freePort();
  const driver = start(programs.webkitDriver, [`--port=${port}`], {
    stdio: "ignore",
    env: { ...process.env, DISPLAY: `:${String(display).trim()}`, NO_AT_BRIDGE: "1" },
  });
  const server = `http://127.0.0.1:${port}`;
  await unlessEnded(driver, eventually("WebKitWebDriver answers", async () => (await fetch(`${server}/status`)).ok));
  const wanted = new Capabilities({ browserName: "MiniBrowser" });
  return new Builder().disableEnvironmentOverrides().usingServer(server).withCapabilities(wanted).build();
}

/** The result of `promise`, or an error as soon as the program ends or cannot start. */
function unlessEnded(child, promise) {
  const ended = new Promise((_resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${child.spawnfile} ended with ${code}`)));
  });
  return Promise.race([promise, ended]);
}

/** Collects errors and warnings in `window.recordedProblems`. Runs inside the page. */
function recordConsole() {
  const problems = (window.recordedProblems = []);
  for (const level of ["error", "warn"]) {
    const original = console[level];
    console[level] = (...words) => {
      problems.push(`${level}: ${words.join(" ")}`);
      original.apply(console, words);
    };
  }
  addEventListener("error", (event) => problems.push(`page error: ${event.message}`));
  addEventListener("unhandledrejection", (event) => problems.push(`page error: ${event.reason}`));
  addEventListener("securitypolicyviolation", (event) => problems.push(`policy: ${event.violatedDirective} ${event.blockedURI}`));
}
