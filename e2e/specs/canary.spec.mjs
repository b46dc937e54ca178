// Secrets that the monitor knows or could read stand in nothing it says or writes: answers, errors, streams, pages,
// files of the bundle, logs at their most talkative, its command line, its records.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { canaries } from "../support/canary.mjs";
import { captured, startGateway } from "../support/gateway.mjs";
import { FIXTURE_NOW, bundleDir, eventually, message, startMonitor } from "../support/monitor.mjs";
import { idle, titledSession } from "../support/verbs.mjs";
import { views } from "../support/views.mjs";

const root = path.join(import.meta.dirname, "../..");
const fresh = (name) => `${name}-${randomBytes(24).toString("base64url")}`;
const secrets = {
  "write token": fresh("token"),
  "gateway token": fresh("gateway"),
  "gateway token in use": fresh("in-use"),
  "key of a provider": fresh("sk"),
  "bot token": fresh("bot"),
  "key in the environment": fresh("env"),
  "key in a credentials file": fresh("cred"),
};
/** Stands in a message, and so in plain sight: it proves that the search finds. */
const told = fresh("told");
let gateway;
let monitor;
let browser;
let folder;
let session;
/** All that was heard: `[where, bytes]`. */
const heard = [];
const hear = (where, bytes) => heard.push([where, Buffer.isBuffer(bytes) ? bytes : Buffer.from(String(bytes))]);

before(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-canary-"));
  await writeFile(path.join(folder, "token"), `${secrets["write token"]}\n`, { mode: 0o600 });
  await writeFile(path.join(folder, "gateway-token"), `${secrets["gateway token in use"]}\n`, { mode: 0o600 });
  gateway = await startGateway(secrets["gateway token in use"]);
  gateway.part = await captured("2026.9", "send-ok");
  const config = path.join(folder, "monitor.toml");
  const fileOf = (name) => JSON.stringify(path.join(folder, name));
  await writeFile(config, `write_token_file = ${fileOf("token")}\n[gateway]\nurl = "${gateway.url}"\ntoken_file = ${fileOf("gateway-token")}\n`);
  const env = { RUST_LOG: "trace", OPENAI_API_KEY: secrets["key in the environment"] };
  monitor = await startMonitor({ args: ["--config", config], env });
  const file = path.join(monitor.home, "openclaw.json");
  const keys = {
    gateway: { auth: { mode: "token", token: secrets["gateway token"] } },
    models: { providers: { openai: { apiKey: secrets["key of a provider"] } } },
    channels: { discord: { token: secrets["bot token"] } },
  };
  const held = await readFile(file, "utf8");
  await writeFile(file, held.replace("{", `${JSON.stringify(keys).slice(0, -1)},`));
  await mkdir(path.join(monitor.home, "credentials"), { recursive: true });
  await writeFile(path.join(monitor.home, "credentials/oauth.json"), JSON.stringify({ access: secrets["key in a credentials file"] }));
  await writeFile(path.join(monitor.home, ".env"), `TOKEN=${secrets["key in a credentials file"]}\n`);
  // Read from its start with the keys in it.
  await monitor.halt();
  await monitor.start();
  assert.deepEqual((await monitor.get("/api/v2/health")).unreadable, [], "the configuration with keys in it is read");
  browser = await startBrowser();
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  await monitor.append(message({ from: "eden", to: "seum", text: `열쇠는 ${told} 입니다`, session: session.workSessionId, conversation: "c_told", at: FIXTURE_NOW }));
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Every route that the router names, filled in with what there is. */
async function routes() {
  const found = [];
  for (const [file, prefix] of [["v1/mod.rs", ""], ["v2/mod.rs", "/api/v2"], ["v2/live.rs", "/api/v2"]]) {
    const text = await readFile(path.join(root, "crates/monitor/src/http", file), "utf8");
    for (const [, route] of text.matchAll(/\.route\(\s*"([^"]+)"/g)) found.push(prefix + route);
  }
  const { threads } = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`);
  const { events } = await monitor.get("/api/v2/events?limit=1");
  const { tasks } = await monitor.get("/api/v2/tasks");
  const fill = (route) =>
    route
      .replace("sessions/{id}", `sessions/${encodeURIComponent(session.workSessionId)}`)
      .replace("threads/{thread}", `threads/${encodeURIComponent(threads[0].conversationId)}`)
      .replace("events/{id}", `events/${encodeURIComponent(events[0].id)}`)
      .replace("{agent}/{id}", `${tasks[0].agentId}/${tasks[0].id}`)
      .replace("tasks/{task}", `tasks/${tasks[0].id}`)
      .replace("{*rest}", "no/such/thing");
  const actions = ["info", "tasks", "current", "history", "blocked", "plans"];
  return found.flatMap((route) => {
    const filled = fill(route).replace("agents/{id}", `agents/${tasks[0].agentId}`);
    return filled.includes("{action}") ? actions.map((action) => filled.replace("{action}", action)) : [filled];
  });
}

/** Asks and hears status, headers and body. */
async function ask(route, { method = "GET", headers = {}, body } = {}) {
  // A stream never ends by itself.
  const streams = /live\/events|schema-events\/live/.test(route);
  const signal = AbortSignal.timeout(streams ? 1500 : 60_000);
  const answer = await fetch(monitor.url + route, { method, headers, body, signal });
  const name = `${method} ${route} ${answer.status}`;
  hear(`${name} headers`, JSON.stringify([...answer.headers].filter(([key]) => key !== "set-cookie")));
  const bytes = [];
  try {
    for await (const chunk of answer.body ?? []) bytes.push(chunk);
  } catch (error) {
    if (error.name !== "TimeoutError") throw error;
  }
  hear(name, Buffer.concat(bytes));
  return answer.status;
}

/** Says bytes over a connection of its own. */
function say(text) {
  return new Promise((resolve) => {
    const wire = connect(monitor.port, "127.0.0.1", () => wire.write(text));
    let said = "";
    wire.on("data", (bytes) => (said += bytes));
    wire.on("error", () => {});
    wire.on("close", () => (hear(`raw ${text.slice(0, 40)}`, said), resolve(said)));
  });
}

test("answers of every route, and errors of every kind", async () => {
  const all = await routes();
  assert.ok(all.length >= 40, `the routers name their routes: ${all.length}`);
  const statuses = new Set();
  const token = { "x-task-monitor-token": secrets["write token"] };
  const json = { "content-type": "application/json" };
  const lists = ["/api/v2/sessions?limit=200", "/api/v2/events?limit=200", "/api/events?limit=1000", "/api/work-sessions?limit=1000", "/api/v2/live/poll?wait=0"];
  for (const route of [...all, ...lists, "/", "/no/such/page", "/sw.js"]) {
    const query = route.includes("search") ? "?q=a" : route.endsWith("find") ? "?q=a" : "";
    // What a caller brings is not said back either.
    statuses.add(await ask(route + query, { headers: token }));
    statuses.add(await ask(route + query, { headers: { accept: "text/html", "sec-fetch-mode": "navigate" } }));
    statuses.add(await ask(route, { method: "POST", headers: { ...token, ...json }, body: "{}" }));
  }
  const change = `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/category`;
  const old = `/api/work-sessions/${encodeURIComponent(session.workSessionId)}/category`;
  const good = JSON.stringify({ collabCategory: "legal_compliance", updatedBy: "canary", reason: "search" });
  const odd = `Bearer ${secrets["write token"]}`;
  for (const [route, method, headers, body] of [
    [change, "PATCH", { ...json, ...token }, good],
    [old, "PATCH", { ...json, ...token }, good],
    [change, "DELETE", token, undefined],
    ["/api/v2/categories", "PATCH", { ...json, ...token }, JSON.stringify({ items: [{ workSessionId: session.workSessionId, collabCategory: "infra_ops" }] })],
    ["/api/v2/classifier/config", "PUT", { ...json, ...token }, JSON.stringify({ config: {} })],
    ["/api/v2/speak", "POST", { ...json, ...token }, JSON.stringify({ to: "eden", text: "canary", requestId: "canary-0001", timeoutSeconds: 0 })],
    ["/api/v2/speak", "POST", { ...json, ...token }, JSON.stringify({ to: "eden", text: "another", requestId: "canary-0001" })],
    [change, "PATCH", { ...json, ...token }, JSON.stringify({ collabCategory: "infra_ops", expected: "qa_validation" })],
    [change, "PATCH", json, good],
    [change, "PATCH", { ...json, "x-task-monitor-token": `${secrets["write token"]}x` }, good],
    [change, "PATCH", { ...json, authorization: odd, cookie: `token=${secrets["write token"]}` }, good],
    [change, "PATCH", { ...json, ...token, origin: "https://evil.example" }, good],
    [change, "PATCH", { ...token, "content-type": "text/plain" }, good],
    [change, "PATCH", { ...json, ...token }, "x".repeat(20_000)],
    [change, "PATCH", { ...json, ...token }, "{"],
    [change, "PATCH", { ...json, ...token }, "{}"],
    ["/api/v2/sessions/nobody/category", "PATCH", { ...json, ...token }, good],
    [`/api/v2/home?${"x".repeat(9000)}`, "GET", token, undefined],
    ["/api/v2/home", "GET", { ...token, "x-long": "x".repeat(16_300) }, undefined],
    ["/api/v2/events?limit=x", "GET", token, undefined],
  ]) {
    statuses.add(await ask(route, { method, headers, body }));
  }
  for (let count = 0; count < 12; count += 1) {
    statuses.add(await ask(change, { method: "PATCH", headers: { ...json, "x-task-monitor-token": "guess" }, body: good }));
  }
  const withToken = `X-Task-Monitor-Token: ${secrets["write token"]}\r\nConnection: close\r\n\r\n`;
  for (const head of [
    `GET / HTTP/1.1\r\nHost: evil.example\r\n${withToken}`,
    `GET / HTTP/1.1\r\n${withToken}`,
    `NONSENSE\r\n${withToken}`,
    `GET / HTTP/9.9\r\n${withToken}`,
    `PATCH ${old} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${withToken}`,
  ]) {
    statuses.add(Number((await say(head)).split(" ")[1]));
  }
  for (const status of [200, 400, 401, 403, 404, 405, 409, 410, 413, 414, 415, 421, 422, 429, 431]) {
    assert.ok(statuses.has(status), `a ${status} was among them: ${[...statuses].sort().join(" ")}`);
  }
});

test("every page, what it loads, keeps and hears live", async () => {
  const page = await openPage(browser, "about:blank");
  const bodies = [];
  page.on("response", (answer) => {
    bodies.push(answer.body().then((bytes) => hear(`page's ${answer.url()}`, bytes), () => {}));
  });
  page.on("console", (entry) => hear("console", entry.text()));
  page.on("websocket", (wire) => wire.on("framereceived", ({ payload }) => hear("frame", payload)));
  for (const [name, at] of Object.entries(await views(monitor))) {
    await page.goto(monitor.url + at);
    await idle(page);
    hear(`page ${name}`, await page.content());
  }
  await monitor.append(message({ from: "eden", to: "seum", text: "산 채로", session: session.workSessionId, conversation: "c_told", at: FIXTURE_NOW }));
  await eventually("a frame came", () => heard.some(([where, bytes]) => where === "frame" && bytes.includes("산 채로")));
  hear("storage", await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie));
  const old = await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const wire = new WebSocket(url);
        wire.onmessage = (event) => resolve(event.data);
      }),
    `${monitor.url.replace("http", "ws")}/ws`,
  );
  hear("frame of 1.x", old);
  const cookie = (await page.context().cookies()).find(({ name }) => name.startsWith("task_hub_session"));
  secrets["session of the page"] = cookie.value;
  await Promise.all(bodies);
  await page.context().close();
});

test("the files of the bundle, the command line, the environment and what was written", async () => {
  for (const name of await readdir(bundleDir, { recursive: true })) {
    if (/\.(br|gz|zst|woff2|png)$/.test(name)) continue;
    hear(`bundle ${name}`, await readFile(path.join(bundleDir, name)).catch(() => ""));
  }
  hear("command line", await readFile(`/proc/${monitor.child.pid}/cmdline`));
  const kept = /openclaw\.json$|credentials|\.env$|\.ndjson$/;
  for (const name of await readdir(monitor.home, { recursive: true })) {
    if (kept.test(name) && !/audit|speak/.test(name)) continue;
    const bytes = await readFile(path.join(monitor.home, name)).catch(() => null);
    if (bytes) hear(`home's ${name}`, bytes);
  }
  const audit = heard.find(([where]) => where.includes("audit.ndjson"));
  assert.ok(audit && audit[1].includes("canary"), "the changes stand in the record");
  const spoken = heard.find(([where]) => where.includes("speak.ndjson"));
  assert.ok(spoken && spoken[1].includes("canary-0001") && gateway.heard.length === 1, "and so does what was said");
});

test("a configuration that is refused does not say what stands in it", async () => {
  const config = path.join(folder, "wrong.toml");
  for (const text of [`write_token = "${secrets["write token"]}"`, `port = "${secrets["write token"]}"`, `watcher = "${secrets["write token"]}"`, `${secrets["write token"]}`]) {
    await writeFile(config, text);
    const program = process.env.TASK_HUB_MONITOR ?? path.join(root, "target/debug/task-monitor");
    const child = spawn(program, ["serve", "--config", config], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said += bytes));
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.notEqual(code, 0, said);
    assert.ok(said.includes("wrong.toml"), said);
    hear("refused configuration", said);
  }
});

test("none of it holds a secret, and what stands in a message is found in all that shows it", async () => {
  await monitor.halt();
  assert.ok(monitor.output.includes("TRACE") || monitor.output.includes("DEBUG"), "the log is talkative");
  hear("standard output and error", monitor.output);
  const search = canaries(secrets);
  const control = canaries({ told });
  const hits = new Map();
  const seen = new Set();
  let bytes = 0;
  for (const [where, text] of heard) {
    bytes += text.length;
    for (const hit of search.in(text)) hits.set(`${hit} in ${where}`, true);
    if (control.in(text).length > 0) seen.add(where.split(" ")[0]);
  }
  console.log(`${heard.length} answers, frames, pages and files, ${(bytes / 1e6).toFixed(1)} MB, ${search.pieces} pieces: ${hits.size} hits`);
  assert.deepEqual([...hits.keys()], []);
  for (const place of ["GET", "page", "frame", "page's"]) {
    assert.ok(seen.has(place), `the search finds what a message says, in ${place}: ${[...seen].join(", ")}`);
  }
  for (const wrap of [(text) => Buffer.from(text).toString("base64"), (text) => Buffer.from(`ab${text}c`).toString("base64url"), (text) => Buffer.from(text).toString("hex"), (text) => [...text].reverse().join(""), (text) => text.slice(9, 21)]) {
    assert.equal(search.in(Buffer.from(`… ${wrap(secrets["gateway token"])} …`)).length > 0, true, `${wrap}`);
  }
});
