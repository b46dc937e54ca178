// Recorded hook events of a team of Claude Code agents, for browser tests. A monitor reads all of them from its drop
// file (`startTeam`), or receives each from the hook command that is installed for Claude Code (`installed`).
import { spawn } from "node:child_process";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { eventually, startMonitor } from "./monitor.mjs";

const root = path.join(import.meta.dirname, "../..");
const program = process.env.TASK_HUB_MONITOR ?? path.join(root, "target/debug/task-monitor");
const recording = path.join(root, "fixtures/claude-code/team.ndjson");

/** The write token of the monitors that take hooks. */
export const TOKEN = "write-token-of-the-team-spec";

/**
 * Starts a monitor, at the fixtures' moment, over a home that holds the recorded hooks and nothing else. They lie where
 * hooks leave them while no monitor runs. Returns the monitor and the addresses of its views. `start` is `startMonitor`
 * or the fixture of that name.
 */
export async function startTeam(start = startMonitor) {
  const monitor = await start({ story: null });
  try {
    const logs = path.join(monitor.home, "logs");
    await mkdir(logs, { recursive: true });
    await copyFile(recording, path.join(logs, "hook-events.ndjson"));
    const known = (await recordedHooks()).length;
    await eventually("the recording is read", async () => (await monitor.get("/api/v2/health")).ingest.inputs >= known);
    const [session] = await eventually("its session is listed", async () => {
      const { sessions } = await monitor.get("/api/v2/sessions");
      return sessions.length > 0 && sessions[0].taskCount === 3 && sessions;
    });
    return { monitor, views: { "team-home": "/", team: `/s/${session.workSessionId}/whole`, "team-agents": "/agents", "team-events": "/events" } };
  } catch (error) {
    await monitor.stop();
    throw error;
  }
}

/** The recorded hooks in order: what Claude Code gave, and the stamp of the machine. */
export async function recordedHooks() {
  return (await readFile(recording, "utf8")).trim().split("\n").map((line) => JSON.parse(line));
}

/** Runs a program with a text on its standard input; its exit code and what it printed. */
function run(command, words, input = "", env = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "pipe"] });
    let printed = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (printed += bytes));
    child.on("error", reject);
    child.on("exit", (code) => resolve({ code, printed }));
    child.stdin.end(input);
  });
}

/**
 * Installs the hooks for a user whose home is `folder`. `send` delivers one hook as Claude Code does: by the shell
 * command that its settings hold for that event. `version` is Claude Code's, `more` are further words of the installation.
 */
export async function installed(monitor, folder, version = "2.1.280", more = []) {
  const config = await writeConfig(monitor, folder);
  await mkdir(path.join(folder, ".claude"), { recursive: true });
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: path.join(folder, ".claude"), TASK_MONITOR_WRITE_TOKEN: "" };
  const hooks = (...words) => run(program, ["hooks", ...words], "", env);
  const words = ["--user", "--home", monitor.home, "--config", config];
  const done = await hooks("install", ...words, "--claude-version", version, ...more);
  if (done.code !== 0) throw new Error(`hooks install ended with ${done.code}: ${done.printed}`);
  const settings = path.join(folder, ".claude/settings.json");
  const installedHooks = Object.entries(JSON.parse(await readFile(settings, "utf8")).hooks);
  const commands = new Map(installedHooks.map(([event, groups]) => [event, groups[0].hooks[0].command]));
  const send = async ({ payload, terminal_session_id }) => {
    const command = commands.get(payload.hook_event_name);
    if (!command) return;
    const terminal = { TERM_SESSION_ID: terminal_session_id.replace(/^term_/, "") };
    const ended = await run("/bin/sh", ["-c", command], JSON.stringify(payload), { ...env, ...terminal });
    if (ended.code !== 0 || ended.printed !== "") throw new Error(`the hook ended with ${ended.code}: ${ended.printed}`);
  };
  return { send, status: () => hooks("status", ...words), uninstall: () => hooks("uninstall", "--user") };
}

/** Installs the hooks into the Codex of a user whose home is `folder`. `file` is where they were written. */
export async function installedForCodex(monitor, folder, more = []) {
  const config = await writeConfig(monitor, folder);
  const settings = path.join(folder, ".codex");
  const env = { HOME: folder, CODEX_HOME: settings, TASK_MONITOR_WRITE_TOKEN: "" };
  const hooks = (...words) => run(program, ["hooks", ...words, "--program", "codex"], "", env);
  const words = ["--home", monitor.home, "--config", config];
  const done = await hooks("install", ...words, ...more);
  if (done.code !== 0) throw new Error(`hooks install ended with ${done.code}: ${done.printed}`);
  return { file: path.join(settings, "hooks.json"), status: () => hooks("status", ...words), uninstall: () => hooks("uninstall") };
}

/** The monitor's settings for its hooks, with the token. */
async function writeConfig(monitor, folder) {
  const config = path.join(folder, "monitor.toml");
  await writeFile(config, `port = ${monitor.port}\nwrite_token_file = ${JSON.stringify(path.join(folder, "token"))}\n`);
  await writeFile(path.join(folder, "token"), TOKEN, { mode: 0o600 });
  return config;
}
