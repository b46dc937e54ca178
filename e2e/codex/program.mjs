// Launcher of the real Codex for the tests in this folder. It prepares a home folder with a project and settings, and
// starts a session in a pseudo-terminal (by the program `script`). Tests send keys and read the screen.
import { spawn } from "node:child_process";
import { mkdir, realpath, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { eventually } from "../support/monitor.mjs";

const program = process.env.TASK_HUB_CODEX;

/** Starting takes it some seconds on a small machine. */
const START = 60_000;

/** A person's home below `folder`, with a project that they trust, and a model on loopback. */
export async function makeHome(folder, modelUrl) {
  const home = path.join(await realpath(folder), "person");
  const project = path.join(home, "bookstore");
  const settings = path.join(home, ".codex");
  await mkdir(path.join(project, ".git"), { recursive: true });
  await mkdir(settings, { recursive: true });
  const config = [
    'model = "gpt-5.1-codex"',
    'model_provider = "local"',
    "check_for_update_on_startup = false",
    "[model_providers.local]",
    'name = "local"',
    `base_url = ${JSON.stringify(modelUrl)}`,
    'wire_api = "responses"',
    `[projects.${JSON.stringify(project)}]`,
    'trust_level = "trusted"',
    "",
  ];
  await writeFile(path.join(settings, "config.toml"), config.join("\n"));
  return { home, project, settings };
}

/**
 * Starts a session; what a person would see of it is in `screen`, what they would type goes to `type`. Codex asks whether
 * new hooks are trusted; `trust` is the answer.
 */
export async function startSession({ home, project, settings }, { trust = true } = {}) {
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CODEX|OPENAI|TASK_MONITOR|TMUX)/.test(name))),
    HOME: home,
    CODEX_HOME: settings,
    TERM: "xterm-256color",
    COLUMNS: "160",
    LINES: "50",
  };
  // Its background server would outlive the test.
  const command = `stty cols 160 rows 50; exec '${program}' --no-daemon`;
  const child = spawn("script", ["-qfec", command, "/dev/null"], { cwd: project, env, stdio: ["pipe", "pipe", "pipe"] });
  let printed = "";
  child.stdout.on("data", (bytes) => {
    printed += bytes;
    for (const [question, answer] of TERMINAL) if (String(bytes).includes(question)) child.stdin.write(answer);
  });
  child.stderr.on("data", (bytes) => (printed += bytes));
  const ended = new Promise((resolve) => child.on("exit", resolve));
  const session = {
    /** The end of what it printed, without what steers the terminal. */
    screen: () => plain(printed).slice(-8_000),
    type: (keys) => child.stdin.write(keys),
    /** Ends it as a person does who closes the terminal. */
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGHUP");
      const late = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(late);
    },
  };
  const has = (words) => () => session.screen().includes(words);
  try {
    await eventually("the program asks about the hooks", has("Trust all and continue"), START);
    // Keys that come while it draws the question are lost.
    await pause(1_500);
    session.type(trust ? "2" : "3");
    await pause(1_000);
    session.type("\r");
    await eventually("the program is ready", has("gpt-5.1-codex default"), START);
  } catch (error) {
    const seen = session.screen();
    child.kill("SIGKILL");
    throw new Error(`${error.message}\n${seen}`);
  }
  return session;
}

/** What it asks its terminal, and what one answers. */
const TERMINAL = [
  ["\u001b[6n", "\u001b[1;1R"],
  ["\u001b]10;?", "\u001b]10;rgb:ffff/ffff/ffff\u001b\\"],
  ["\u001b]11;?", "\u001b]11;rgb:0000/0000/0000\u001b\\"],
  ["\u001b[c", "\u001b[?62c"],
];

function plain(text) {
  const moved = text.replace(/\u001b\[\d*(;\d*)?[CGH]/g, " ");
  const bare = moved.replace(/\u001b\[[0-9;?<>=]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(\u0007|\u001b\\)|\u001b[()].|\u001b./g, "");
  return bare.replace(/ +/g, " ");
}
