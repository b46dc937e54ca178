// Playwright configuration: test projects, workers, traces and reports. `make e2e` starts it and passes ARGS to
// `playwright test`.
//
// The project `page` runs against the test bundle. `release` runs against dist/: chunks, integrity, offline use, size,
// and the dashboard inside a Next.js app. `engines` is the smoke test in the installed Firefox and WebKit, against the
// test bundle.
import { defineConfig } from "@playwright/test";

import { launchOptions } from "./support/browser.mjs";
import { PATIENCE, releaseBundle, testBundle } from "./support/monitor.mjs";

/** Slow pages (`TASK_HUB_SLOW`) and long forms (`TASK_HUB_SOAK`) need longer than a hung test may take. */
const slow = process.env.TASK_HUB_SLOW || process.env.TASK_HUB_SOAK;

/** `make soak` adds the long proofs, `make test-openclaw` and its like run against the real programs only. */
const testMatch = process.env.TASK_HUB_REAL
  ? ["openclaw/*.spec.mjs", "claude-code/*.spec.mjs", "codex/*.spec.mjs"]
  : ["specs/*.spec.mjs", ...(process.env.TASK_HUB_SOAK ? ["soak/*.spec.mjs"] : [])];

export default defineConfig({
  testDir: import.meta.dirname,
  outputDir: "../target/e2e/results",
  testMatch,
  workers: Number(process.env.TASK_HUB_E2E_WORKERS ?? 2),
  timeout: slow ? 5_400_000 : 120_000,
  expect: { timeout: 30_000 },
  forbidOnly: Boolean(process.env.CI),
  reporter: [
    ["list"],
    ["html", { outputFolder: "../target/e2e/report", open: "never" }],
    ["./support/reporter.mjs", { file: "../target/e2e/times.tsv" }],
  ],
  use: {
    actionTimeout: PATIENCE,
    navigationTimeout: PATIENCE,
    trace: "retain-on-failure",
    launchOptions,
  },
  projects: [
    { name: "page", grepInvert: /@release/, use: { bundle: testBundle } },
    { name: "next-host", testMatch: "support/next-host.setup.mjs" },
    { name: "release", grep: /@release/, use: { bundle: releaseBundle }, dependencies: ["next-host"] },
    { name: "engines", testMatch: "engines/*.spec.mjs", use: { bundle: testBundle } },
  ],
});
