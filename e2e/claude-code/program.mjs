// Launcher of the real Claude Code for the tests in this folder. It prepares a home folder with a project and settings,
// and starts a session in a pseudo-terminal (by the program `script`). Tests send keys and read the screen.
import { spawn } from "node:child_process";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";

import { eventually } from "../support/monitor.mjs";

const program = process.env.TASK_HUB_CLAUDE_CODE;

/** It opens nothing: the model on loopback takes any. */
const KEY = "sk-ant-api03-key-of-one-run-on-loopback";

/** Starting takes it some seconds on a small machine. */
const START = 120_000;

/** A person's home below `folder`, with a project in it, as someone has it who used the program before. */
export async function makeHome(folder) {
  const home = path.join(await realpath(folder), "person");
  const project = path.join(home, "bookstore");
  const settings = path.join(home, ".claude");
  await mkdir(project, { recursive: true });
  await mkdir(settings, { recursive: true });
  const known = {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
    projects: { [project]: { hasTrustDialogAccepted: true, allowedTools: [] } },
  };
  await writeFile(path.join(settings, ".claude.json"), JSON.stringify(known));
  const own = { permissions: { allow: ["Agent", "SendMessage", "TaskCreate", "TaskUpdate"] }, env: { DISABLE_AUTOUPDATER: "1" } };
  await writeFile(path.join(settings, "settings.json"), `${JSON.stringify(own, null, 4)}\n`);
  return { home, project, settings };
}

/** Starts a session; what a person would see of it is in `screen`, what they would type goes to `type`. */
export async function startSession({ home, project, settings }, modelUrl) {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CLAUDE|ANTHROPIC|TASK_MONITOR)/.test(name))),
    HOME: home,
    CLAUDE_CONFIG_DIR: settings,
    ANTHROPIC_BASE_URL: modelUrl,
    ANTHROPIC_API_KEY: KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1",
    CLAUDE_CODE_ENABLE_TASKS: "1",
    CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
    TERM: "xterm-256color",
    TERM_SESSION_ID: "claude-code-spec",
    COLUMNS: "160",
    LINES: "50",
  };
  delete env.TMUX;
  const command = `stty cols 160 rows 50; exec '${program}' --permission-mode default --teammate-mode in-process`;
  const child = spawn("script", ["-qfec", command, "/dev/null"], { cwd: project, env, stdio: ["pipe", "pipe", "pipe"] });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (printed += bytes));
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const session = {
    /** The end of what it printed, without what steers the terminal. */
    screen: () => plain(printed).slice(-6_000),
    type: (keys) => child.stdin.write(keys),
    /** Ends it as a person does who closes the terminal. */
    async stop() {
      if (child.exitCode !== null) return;
      child.stdin.write("\u0003");
      await new Promise((resolve) => setTimeout(resolve, 300));
      child.stdin.write("\u0003");
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(late);
    },
  };
  await eventually("the program is ready", () => /for ?(shortcuts|agents)/.test(session.screen()), START).catch(async (error) => {
    const seen = session.screen();
    child.kill("SIGKILL");
    throw new Error(`${error.message}\n${seen}`);
  });
  return session;
}

function plain(text) {
  return text.replace(/\u001b\[\d*[CG]/g, " ").replace(/\u001b\[[0-9;?<>=]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(\u0007|\u001b\\)|\u001b[()].|\u001b./g, "");
}
