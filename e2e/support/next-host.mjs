// Launcher of the app in `next-host/`, an example of a Next.js site that hosts the dashboard. It builds the app once,
// with the bundle in it, and starts it in front of a monitor.
import { spawn } from "node:child_process";
import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";

import { eventually, freePort, releaseBundle } from "./monitor.mjs";

const host = path.join(import.meta.dirname, "../next-host");
const next = "node_modules/next/dist/bin/next";
const env = { ...process.env, NEXT_TELEMETRY_DISABLED: "1", TASK_HUB_BUNDLE: releaseBundle };
/** Loads the configuration as a build does, which copies the bundle to public/. */
const COPY_BUNDLE = `const config = await import("./next.config.mjs"); await config.default("phase-production-build", {});`;

/** Copies the bundle into the host and builds the host, once for all specs. Specs only start it. */
export async function prepareHost() {
  // Nothing else is there. A copy that anything else made would be refused, and an old one must not stay.
  await rm(path.join(host, "public"), { recursive: true, force: true });
  if (await builtAfterItsSources()) await run(["--input-type=module", "--eval", COPY_BUNDLE]);
  else await run([next, "build"]);
}

/** Starts the prepared host in front of a monitor; `token` is what it writes with. */
export async function startHost(monitorUrl, token = "") {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(process.execPath, [next, "start", "-H", "127.0.0.1", "-p", String(port)], {
    cwd: host,
    stdio: "ignore",
    env: { ...env, TASK_MONITOR_URL: monitorUrl, TASK_MONITOR_WRITE_TOKEN: token },
  });
  await eventually("the host answers", async () => (await fetch(`${url}/api/proxy/health`)).ok, 60_000);
  return { url, stop: () => server.kill("SIGKILL") };
}

function run(args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: host, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (bytes) => (output += bytes));
    child.stderr.on("data", (bytes) => (output += bytes));
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`${args.join(" ")}: ${output}`))));
  });
}

/** The build is kept between runs. The bundle below public/ is not part of it; the package of the host is. */
async function builtAfterItsSources() {
  const built = await stat(path.join(host, ".next/BUILD_ID")).catch(() => null);
  if (!built) return false;
  const sources = ["next.config.mjs", "package-lock.json"];
  for (const folder of ["app", "node_modules/task-hub-next/"]) {
    for (const name of await readdir(path.join(host, folder), { recursive: true })) sources.push(path.join(folder, name));
  }
  const times = await Promise.all(sources.map(async (name) => (await stat(path.join(host, name))).mtimeMs));
  return times.every((time) => time < built.mtimeMs);
}
