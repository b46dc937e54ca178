// Launcher of the real OpenClaw gateway on loopback. It uses its own home. All its files are in one temporary folder.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { eventually, freePort } from "../support/monitor.mjs";

const node = process.env.TASK_HUB_OPENCLAW_NODE;
const program = process.env.TASK_HUB_OPENCLAW;

/** It guards nothing but one run on loopback. */
export const TOKEN = "token-of-one-run-on-loopback";

/** Starting takes it half a minute on a small machine. */
const START = 300_000;

/** Writes the configuration of three agents into `home` (a folder named `.openclaw`) and starts the gateway over it. */
export async function startGateway(home, modelUrl) {
  const port = await freePort();
  const folder = path.dirname(home);
  const temporary = path.join(folder, "tmp");
  await mkdir(temporary, { recursive: true });
  await mkdir(home, { recursive: true });
  await writeFile(path.join(home, "openclaw.json"), JSON.stringify(configuration(port, modelUrl, temporary), null, 2), { mode: 0o600 });
  const options = { cwd: folder, env: environment(folder, home, temporary) };
  const gateway = { port, output: "" };
  const child = spawn(node, [program, "gateway", "run", "--port", String(port)], { ...options, stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (gateway.output += bytes));
  const ended = new Promise((resolve) => {
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(code ?? signal));
  });
  let over;
  ended.then((how) => (over = how));

  /** Ends it as a service manager would, so that it closes its databases. */
  gateway.stop = async () => {
    if (over !== undefined) return over;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), 30_000);
    await ended;
    clearTimeout(late);
    await removeLocks(home);
    return over;
  };
  /** A turn of an agent, as its owner starts one at a terminal; waits for its end. */
  gateway.ask = (agent, message) =>
    run([program, "agent", "--agent", agent, "--message", message, "--json", "--timeout", "240"], options);
  /** What a method of the gateway's WebSocket answers, called by the program's own command. */
  gateway.call = async (method, params) =>
    JSON.parse(await run([program, "gateway", "call", method, "--json", "--timeout", "120000", "--params", JSON.stringify(params)], options));
  /** A person's decision, made with the program's own command. */
  gateway.decide = (id, decision) => run([program, "approvals", "resolve", id, decision], options);
  /** What a tool of the gateway itself answers. */
  gateway.invoke = async (tool, args) => {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}/tools/invoke`, { method: "POST", headers, body: JSON.stringify({ tool, args }) });
    const answer = await response.json();
    if (!answer.ok) throw new Error(`${tool} answered ${response.status}: ${JSON.stringify(answer)}`);
    return answer.result.details ?? JSON.parse(answer.result.content[0].text);
  };

  try {
    await eventually(
      "the gateway answers",
      async () => {
        if (over !== undefined) return true;
        await pause(200);
        return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok;
      },
      START,
    );
    if (over !== undefined) throw new Error(`the gateway ended with ${over}`);
  } catch (error) {
    await gateway.stop();
    throw new Error(`${error.message}\n${gateway.output.slice(-4000)}`);
  }
  return gateway;
}

/** What is allowed is what a home needs whose agents may talk: nothing of it is ours. */
function configuration(port, baseUrl, temporary) {
  const model = {
    id: "studio-1",
    name: "Studio One",
    reasoning: false,
    input: ["text"],
    cost: { input: 1, output: 3, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 200000,
    maxTokens: 16000,
  };
  return {
    update: { checkOnStart: false },
    // Its own place for this is outside the home, where it also clears away what other gateways logged.
    logging: { file: path.join(temporary, "gateway.log") },
    discovery: { mdns: { mode: "off" } },
    models: {
      mode: "replace",
      catalogRefresh: { enabled: false },
      providers: { studio: { baseUrl, apiKey: "only-on-loopback", api: "openai-completions", models: [model] } },
    },
    agents: {
      ownership: "explicit",
      defaults: {
        model: { primary: "studio/studio-1" },
        systemAgent: { agentId: "ruda" },
        heartbeat: { every: "0m", agentId: "ruda" },
        subagents: { maxConcurrent: 4, archiveAfterMinutes: 0 },
      },
      entries: {
        ruda: { name: "루다", identity: { name: "루다", emoji: "🦞" }, subagents: { allowAgents: ["worker-quick"] } },
        eden: { identity: { name: "이든", emoji: "💻" } },
        "worker-quick": { identity: { name: "빠른 일꾼", emoji: "⚡" } },
      },
    },
    tools: { agentToAgent: { enabled: true, allow: ["ruda", "eden"] }, sessions: { visibility: "all" }, toolSearch: false },
    gateway: { mode: "local", port, bind: "loopback", auth: { mode: "token", token: TOKEN } },
  };
}

/** The caller's environment, but a home, a state folder and a place for temporary files of its own. */
function environment(folder, home, temporary) {
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (/^(OPENCLAW_|XDG_|NODE_OPTIONS$)/.test(name)) delete env[name];
  }
  return {
    ...env,
    HOME: folder,
    TMPDIR: temporary,
    TZ: "Asia/Seoul",
    OPENCLAW_STATE_DIR: home,
    OPENCLAW_NO_AUTO_UPDATE: "1",
    OPENCLAW_DISABLE_BONJOUR: "1",
    OPENCLAW_NO_RESPAWN: "1",
  };
}

/** Where the program leaves empty lock files for all homes, whatever the environment says; each bears the hash of a database's path. */
const LOCKS = `/tmp/openclaw-state-locks-${process.getuid?.()}`;

async function removeLocks(home) {
  const folder = await realpath(home);
  const databases = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".sqlite"));
  const hash = (name) => createHash("sha256").update(path.join(folder, name)).digest("hex").slice(0, 8);
  const endings = databases.map((name) => `.${hash(name)}.lock.sqlite`);
  const names = await readdir(LOCKS).catch(() => []);
  for (const name of names.filter((name) => endings.some((ending) => name.endsWith(ending)))) {
    await rm(path.join(LOCKS, name), { force: true });
  }
}

function run(args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const output = { out: "", err: "" };
    child.stdout.on("data", (bytes) => (output.out += bytes));
    child.stderr.on("data", (bytes) => (output.err += bytes));
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve(output.out) : reject(new Error(`the turn ended with ${code}: ${output.err.slice(-2000)} ${output.out.slice(-2000)}`)),
    );
  });
}
