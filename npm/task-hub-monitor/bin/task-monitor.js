#!/usr/bin/env node
// Starter of the program for npm: finds the package of this platform and runs its program in the foreground, with the
// same arguments, streams, signals and exit code.
"use strict";

const { spawn } = require("node:child_process");

const PACKAGES = { "linux x64": "task-hub-monitor-linux-x64" };

const platform = `${process.platform} ${process.arch}`;
const wanted = PACKAGES[platform];
if (!wanted) {
  console.error(`task-monitor: no program for ${platform}; there is one for: ${Object.keys(PACKAGES).join(", ")}`);
  process.exit(1);
}
let program;
try {
  program = require.resolve(`${wanted}/task-monitor`);
} catch {
  console.error(`task-monitor: the package ${wanted} is missing. Install again without --omit=optional`);
  process.exit(1);
}

const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  console.error(`task-monitor: cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code ?? 1);
  }
});
