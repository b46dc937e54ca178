// Runs the specs with node's own runner. Each spec file starts its own monitor and its own browser.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import { prepareHost } from "./support/next-host.mjs";

// Some proofs want what only `make soak` brings.
const folders = process.env.TASK_HUB_SOAK ? ["specs", "soak"] : ["specs"];
const named = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));
const flags = process.argv.slice(2).filter((arg) => arg.startsWith("-"));
const files = folders
  .flatMap((folder) => readdirSync(path.join(import.meta.dirname, folder)).map((name) => path.join(import.meta.dirname, folder, name)))
  .filter((file) => file.endsWith(".spec.mjs"))
  .filter((file) => named.length === 0 || named.some((part) => path.basename(file).includes(part)));
if (files.length === 0) {
  console.error(`no spec matches ${named.join(" ")}`);
  process.exit(2);
}

if (files.some((file) => readFileSync(file, "utf8").includes("startHost("))) await prepareHost();

// The limit of a spec file is a guard against one that hangs; within it each wait of a page has its own. Slow pages
// (`slowDown` of support/browser.mjs) take their time.
const limit = process.env.TASK_HUB_SLOW ? 3_600_000 : 600_000;
const concurrency = process.env.TASK_HUB_E2E_CONCURRENCY ?? "2";
const node = spawn(
  process.execPath,
  ["--test", "--test-reporter=spec", `--test-concurrency=${concurrency}`, `--test-timeout=${limit}`, ...flags, ...files],
  { stdio: "inherit", cwd: import.meta.dirname },
);
node.on("exit", (code, signal) => process.exit(signal ? 1 : code));
