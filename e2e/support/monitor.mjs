// Launcher of the real monitor over a temporary copy of a fixture home (OpenClaw state folder). It can start and stop
// the monitor, append to the log and edit files.
import { spawn } from "node:child_process";
import { appendFile, cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

const root = path.join(import.meta.dirname, "../..");

/** The moment the fixtures were written for: 2026-02-21 14:17 in Seoul. */
export const FIXTURE_NOW = 1771651020000;

/** The bundle for behaviour: quick to build, not optimised. */
export const testBundle = process.env.TASK_HUB_BUNDLE ?? path.join(root, "target/page/dist");
/** The bundle as it ships. */
export const releaseBundle = process.env.TASK_HUB_RELEASE_BUNDLE ?? path.join(root, "dist");
/** What monitors of this worker serve; the project of the Playwright configuration chooses (`support/test.mjs`). */
export const bundleInUse = { folder: testBundle };
/** The built monitor. */
export const monitorProgram = process.env.TASK_HUB_MONITOR ?? path.join(root, "target/debug/task-monitor");

/** A free port of this machine. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** How long anything is waited for: a machine that also builds is slow, and nothing here is about speed. */
export const PATIENCE = 60_000;

/** Waits until `probe` gives something truthy; the last error is told when it never does. */
export async function eventually(what, probe, limit = PATIENCE) {
  const end = Date.now() + limit;
  let last;
  while (Date.now() < end) {
    try {
      const value = await probe();
      if (value) return value;
    } catch (error) {
      last = error;
    }
    await pause(50);
  }
  throw new Error(`${what}: not within ${limit} ms${last ? ` (${last.message})` : ""}`);
}

/** A copy of a fixture home in a temporary folder, inside a folder really named `.openclaw`. */
export async function copyHome(story) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-e2e-"));
  const home = path.join(folder, ".openclaw");
  if (story) await cp(path.join(root, "fixtures", story), home, { recursive: true });
  return { home, folder };
}

/**
 * Starts the monitor. Options: `story` (a folder of fixtures/, or null for a home that is not there),
 * `clock` (epoch ms, or null for the real one), `bundle` (a folder), `args`, `env`.
 */
export async function startMonitor({ story = "everything", clock = FIXTURE_NOW, bundle = bundleInUse.folder, args = [], env = {} } = {}) {
  const { home, folder } = await copyHome(story);
  const port = await freePort();
  const log = path.join(home, "logs/coordination-events.ndjson");
  const monitor = {
    home,
    log,
    port,
    url: `http://127.0.0.1:${port}`,
    output: "",
    child: null,

    /** Starts (again) on the same home and port. */
    async start() {
      const words = ["serve", "--home", home, "--port", String(port), "--bundle", bundle];
      if (clock !== null) words.push("--clock", String(clock));
      const child = spawn(monitorProgram, [...words, ...args], {
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...cleanEnv(), ...env },
      });
      monitor.child = child;
      for (const stream of [child.stdout, child.stderr]) {
        stream.on("data", (bytes) => (monitor.output += bytes));
      }
      const ended = new Promise((resolve, reject) => {
        child.on("error", reject);
        child.on("exit", (code) => resolve(code));
      });
      monitor.ended = ended;
      await eventually("the monitor answers", async () => {
        if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${monitor.output}`);
        return (await fetch(`${monitor.url}/api/health`)).status < 500;
      });
      if (!args.includes("--api")) {
        await eventually("history is read", async () => {
          const health = await (await fetch(`${monitor.url}/api/v2/health`)).json();
          return health.source.state !== "starting";
        });
      }
    },

    /** Ends the process, keeps the home. */
    async halt() {
      if (monitor.child && monitor.child.exitCode === null) {
        monitor.child.kill("SIGTERM");
        const late = setTimeout(() => monitor.child.kill("SIGKILL"), 5000);
        await monitor.ended;
        clearTimeout(late);
      }
    },

    /** Kills the process, as a crash would. */
    async kill() {
      monitor.child.kill("SIGKILL");
      await monitor.ended;
    },

    /** The process stands still, or goes on: its connections stay, nobody is told. */
    freeze(still) {
      monitor.child.kill(still ? "SIGSTOP" : "SIGCONT");
    },

    /** Ends the process and removes the home. */
    async stop() {
      await monitor.halt();
      await rm(folder, { recursive: true, force: true });
    },

    /** Appends events to the live log, as the gateway does. */
    async append(...events) {
      await mkdir(path.dirname(log), { recursive: true });
      await appendFile(log, events.map((event) => `${JSON.stringify(event)}\n`).join(""));
    },

    /** A JSON answer of the API. */
    async get(route) {
      const answer = await fetch(`${monitor.url}${route}`);
      if (!answer.ok) throw new Error(`${route} answered ${answer.status}`);
      return answer.json();
    },
  };
  try {
    await monitor.start();
  } catch (error) {
    await monitor.stop();
    throw error;
  }
  return monitor;
}

/** The environment without what would change the monitor's mind. */
function cleanEnv() {
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (name.startsWith("OPENCLAW_") || name.startsWith("TASK_MONITOR_")) delete env[name];
  }
  // Without the configuration file of the person who runs the tests, and without their Claude Code.
  return { ...env, XDG_CONFIG_HOME: "/nowhere", CLAUDE_CONFIG_DIR: "/nowhere" };
}

/** A message between two main agents. */
export function message({ from, to, text, session, conversation, at = FIXTURE_NOW, type = "a2a.send", ...more }) {
  return {
    type,
    agentId: from,
    ts: at,
    data: {
      fromAgent: from,
      toAgent: to,
      message: text,
      ...(type === "a2a.response" ? { replyPreview: text.slice(0, 200) } : {}),
      conversationId: conversation,
      eventRole: "conversation.main",
      fromSessionType: "main",
      toSessionType: "main",
      workSessionId: session,
      ...more,
    },
  };
}
