// Playwright fixtures of the browser tests: a monitor for each worker, and pages that fail a test on console errors.
// Specs use them by `import { expect, test } from "../support/test.mjs"`.
//
// Worker options are set with `test.use` at the top of a file: `home` is the argument of `startMonitor`. Files with
// equal options share a worker, its browser and its monitor. A file that writes to its home needs a monitor of its own.
// It sets a unique `owner`: `test.use({ home: { story: "everything", owner: "override" } })`.
import { test as base, expect } from "@playwright/test";

import { assertNoProblems, newPage } from "./browser.mjs";
import { FIXTURE_NOW, bundleInUse, startMonitor } from "./monitor.mjs";

export { expect };

export const test = base.extend({
  /** Options of the worker's monitor, see `startMonitor`. */
  home: [{ story: "everything" }, { option: true, scope: "worker" }],
  /** Folder of the bundle that every monitor of the worker serves. */
  bundle: [undefined, { option: true, scope: "worker" }],
  /** How the default page looks at the world, see `newPage`. */
  look: [{}, { option: true }],

  /** Selects the bundle for monitors that a spec starts by itself. */
  selectBundle: [
    async ({ bundle }, use) => {
      if (bundle) bundleInUse.folder = bundle;
      await use();
    },
    { auto: true, scope: "worker" },
  ],

  /** The monitor of the worker: shared by all files with the same `home`. */
  monitor: [
    async ({ home, selectBundle }, use) => {
      void selectBundle;
      const { owner: _owner, ...options } = home;
      const monitor = await startMonitor(options);
      await use(monitor);
      await monitor.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],

  /** Starts further monitors; they stop with the test. */
  startMonitor: async ({}, use) => {
    const started = [];
    await use(async (options) => {
      const monitor = await startMonitor(options);
      started.push(monitor);
      return monitor;
    });
    for (const monitor of started) await monitor.stop();
  },

  /**
   * Opens pages, each in a context of its own: `openPage(url, look)`. When the test ends they are closed, and an error
   * or a warning on a console fails the test, unless `allowProblems(page, patterns)` named it.
   */
  openPage: async ({ browser, startMonitor }, use, info) => {
    // Depends on `startMonitor` so that pages close before the monitors that serve them.
    void startMonitor;
    const pages = [];
    await use(async (url, look = {}) => {
      const page = await newPage(browser, look);
      pages.push(page);
      if (url) await page.goto(url);
      return page;
    });
    for (const page of pages) await page.context().close();
    if (info.status === info.expectedStatus) for (const page of pages) assertNoProblems(page);
  },

  /** A page of the worker's monitor that has not gone anywhere yet: `page.goto("/all")`. */
  page: async ({ openPage, monitor, look }, use) => {
    await use(await openPage(null, { now: FIXTURE_NOW, baseURL: monitor.url, ...look }));
  },
});

/** Errors and warnings that this page's console may show in this test. */
export function allowProblems(page, patterns) {
  page.allowedProblems.push(...patterns);
}
