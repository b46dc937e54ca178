// The recorded story of a team of coding agents, told by the command that Claude Code starts for each of its hooks.
import { spawn } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { FIXTURE_NOW, eventually, startMonitor } from "./monitor.mjs";

const root = path.join(import.meta.dirname, "../..");
const program = process.env.TASK_HUB_MONITOR ?? path.join(root, "target/debug/task-monitor");

/** What may be told to the monitor of these stories. */
export const TOKEN = "write-token-of-the-team-spec";

/**
 * Starts the monitor, at the fixtures' moment, over a home that holds nothing but the recorded story, left where hooks
 * leave it while no monitor runs; with names and addresses of what it shows of the team.
 */
export async function startTeam() {
  const monitor = await startMonitor({ story: null, clock: FIXTURE_NOW });
  try {
    const logs = path.join(monitor.home, "logs");
    await mkdir(logs, { recursive: true });
    await copyFile(path.join(root, "fixtures/claude-code/team.ndjson"), path.join(logs, "hook-events.ndjson"));
    const known = (await story()).length;
    await eventually("the story is taken in", async () => (await monitor.get("/api/v2/health")).ingest.inputs >= known);
    const [session] = await eventually("it is shown", async () => {
      const { sessions } = await monitor.get("/api/v2/sessions");
      return sessions.length > 0 && sessions[0].taskCount === 3 && sessions;
    });
    return { monitor, views: { "team-home": "/", team: `/s/${session.workSessionId}/whole`, "team-agents": "/agents", "team-events": "/events" } };
  } catch (error) {
    await monitor.stop();
    throw error;
  }
}

/** The payloads, as Claude Code gave them, in order. */
export async function story() {
  const lines = await readFile(path.join(root, "fixtures/claude-code/team.ndjson"), "utf8");
  return lines.trim().split("\n").map((line) => JSON.parse(line));
}

/** Runs the program with a text on its standard input; its exit code and what it printed. */
export function run(words, input = "", env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (printed += bytes));
    child.on("error", reject);
    child.on("exit", (code) => resolve({ code, printed }));
    child.stdin.end(input);
  });
}

/**
 * Installs the hooks for a person whose home is `folder`, and gives a function that tells one event as Claude Code would:
 * by the shell command that stands in its settings for that event. `version` is the program's.
 */
export async function installed(monitor, folder, version = "2.1.280") {
  const config = path.join(folder, "monitor.toml");
  await writeFile(config, `port = ${monitor.port}\nwrite_token_file = ${JSON.stringify(path.join(folder, "token"))}\n`);
  await writeFile(path.join(folder, "token"), TOKEN, { mode: 0o600 });
  await mkdir(path.join(folder, ".claude"), { recursive: true });
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: path.join(folder, ".claude"), TASK_MONITOR_WRITE_TOKEN: "" };
  const words = ["--user", "--home", monitor.home, "--config", config, "--claude-version", version];
  const done = await run(["hooks", "install", ...words], "", env);
  if (done.code !== 0) throw new Error(`hooks install ended with ${done.code}: ${done.printed}`);
  const settings = JSON.parse(await readFile(path.join(folder, ".claude/settings.json"), "utf8"));
  const commands = new Map(Object.entries(settings.hooks).map(([event, groups]) => [event, groups[0].hooks[0].command]));
  const tell = async ({ payload, terminal_session_id }) => {
    const command = commands.get(payload.hook_event_name);
    if (!command) return false;
    const told = await shell(command, JSON.stringify(payload), { ...env, TERM_SESSION_ID: terminal_session_id.replace(/^term_/, "") });
    if (told.code !== 0 || told.printed !== "") throw new Error(`the hook ended with ${told.code}: ${told.printed}`);
    return true;
  };
  const uninstall = () => run(["hooks", "uninstall", "--user"], "", env);
  const status = () => run(["hooks", "status", ...words.slice(0, 5)], "", env);
  return { tell, uninstall, status, settings: path.join(folder, ".claude/settings.json") };
}

/** As Claude Code runs a command of its settings. */
function shell(command, input, env) {
  return new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", command], { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (printed += bytes));
    child.on("error", reject);
    child.on("exit", (code) => resolve({ code, printed }));
    child.stdin.end(input);
  });
}
