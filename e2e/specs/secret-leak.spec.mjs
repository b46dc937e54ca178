// Browser tests that search for secrets in everything the monitor sends or writes: responses, errors, streams, pages,
// bundle files, trace logs, command line and records.
//
// Canaries (random secrets made for the test) are planted in all places that the monitor can read. The tests search for
// them in all captured bytes.
//
// Proves (security): No secret appears in anything the monitor sends or writes. The gateway's token never reaches a
// browser.
// Long form: `make soak ARGS=canary`.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import os from "node:os";
import path from "node:path";

import { canaries } from "../support/canary.mjs";
import { captured, startGateway } from "../support/gateway.mjs";
import { FIXTURE_NOW, bundleInUse, message, startMonitor } from "../support/monitor.mjs";
import { test as base, expect } from "../support/test.mjs";
import { titledSession, waitUntilLoaded } from "../support/steps.mjs";
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
/** A canary in a message, and so in plain sight: it proves that the search finds. */
const control = fresh("told");
/** All that was captured: `[where, bytes]`. */
const captures = [];
const capture = (where, bytes) => captures.push([where, Buffer.isBuffer(bytes) ? bytes : Buffer.from(String(bytes))]);

const test = base.extend({
  /** Knows every secret; has its `folder` of configuration, its `gateway` and the `session` that shows the control. */
  monitor: [
    async ({ selectBundle }, use) => {
      void selectBundle;
      const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-canary-"));
      await writeFile(path.join(folder, "token"), `${secrets["write token"]}\n`, { mode: 0o600 });
      await writeFile(path.join(folder, "gateway-token"), `${secrets["gateway token in use"]}\n`, { mode: 0o600 });
      const gateway = await startGateway(secrets["gateway token in use"]);
      gateway.part = await captured("2026.9", "send-ok");
      const config = path.join(folder, "monitor.toml");
      const fileOf = (name) => JSON.stringify(path.join(folder, name));
      await writeFile(config, `write_token_file = ${fileOf("token")}\n[gateway]\nurl = "${gateway.url}"\ntoken_file = ${fileOf("gateway-token")}\n`);
      const env = { RUST_LOG: "trace", OPENAI_API_KEY: secrets["key in the environment"] };
      const monitor = await startMonitor({ args: ["--config", config], env });
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
      // A restart, so that the monitor reads the configuration with the keys in it from the start.
      await monitor.halt();
      await monitor.start();
      assert.deepEqual((await monitor.get("/api/v2/health")).unreadable, [], "the configuration with keys in it is read");
      const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
      await monitor.append(message({ from: "eden", to: "seum", text: `열쇠는 ${control} 입니다`, session: session.workSessionId, conversation: "c_told", at: FIXTURE_NOW }));
      await use(Object.assign(monitor, { folder, gateway, session }));
      await monitor.stop();
      await gateway.stop();
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 180_000 },
  ],
});
// The last test searches what the others captured.
test.describe.configure({ mode: "serial" });

/** Every route that the router names, filled in with what there is. */
async function routes(monitor) {
  const v1 = await readFile(path.join(root, "crates/monitor/src/web/v1/mod.rs"), "utf8");
  const found = [...v1.matchAll(/\.route\(\s*"([^"]+)"/g)].map(([, route]) => route);
  // A native test holds this description to the router of v2.
  found.push(...Object.keys(JSON.parse(await readFile(path.join(root, "docs/openapi.json"), "utf8")).paths));
  const { threads } = await monitor.get(`/api/v2/sessions/${encodeURIComponent(monitor.session.workSessionId)}`);
  const { events } = await monitor.get("/api/v2/events?limit=1");
  const { tasks } = await monitor.get("/api/v2/tasks");
  const fill = (route) =>
    route
      .replace("sessions/{id}", `sessions/${encodeURIComponent(monitor.session.workSessionId)}`)
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

/** Sends a request, captures status, headers and body. */
async function ask(monitor, route, { method = "GET", headers = {}, body } = {}) {
  // A stream never ends by itself.
  const streams = /live\/events|schema-events\/live/.test(route);
  const signal = AbortSignal.timeout(streams ? 1500 : 60_000);
  const answer = await fetch(monitor.url + route, { method, headers, body, signal });
  const name = `${method} ${route} ${answer.status}`;
  capture(`${name} headers`, JSON.stringify([...answer.headers].filter(([key]) => key !== "set-cookie")));
  const bytes = [];
  try {
    for await (const chunk of answer.body ?? []) bytes.push(chunk);
  } catch (error) {
    if (error.name !== "TimeoutError") throw error;
  }
  capture(name, Buffer.concat(bytes));
  return answer.status;
}

/** Sends bytes over a connection of its own. */
function send(monitor, text) {
  return new Promise((resolve) => {
    const wire = connect(monitor.port, "127.0.0.1", () => wire.write(text));
    let said = "";
    wire.on("data", (bytes) => (said += bytes));
    wire.on("error", () => {});
    wire.on("close", () => (capture(`raw ${text.slice(0, 40)}`, said), resolve(said)));
  });
}

test("every route and every kind of error is captured", async ({ monitor }) => {
  const all = await routes(monitor);
  assert.ok(all.length >= 40, `the routers name their routes: ${all.length}`);
  const statuses = new Set();
  const token = { "x-task-monitor-token": secrets["write token"] };
  const json = { "content-type": "application/json" };
  const lists = ["/api/v2/sessions?limit=200", "/api/v2/events?limit=200", "/api/events?limit=1000", "/api/work-sessions?limit=1000", "/api/v2/live/poll?wait=0"];
  for (const route of [...all, ...lists, "/", "/no/such/page", "/sw.js"]) {
    const query = route.includes("search") ? "?q=a" : route.endsWith("find") ? "?q=a" : "";
    // What a caller brings is not said back either.
    statuses.add(await ask(monitor, route + query, { headers: token }));
    statuses.add(await ask(monitor, route + query, { headers: { accept: "text/html", "sec-fetch-mode": "navigate" } }));
    statuses.add(await ask(monitor, route, { method: "POST", headers: { ...token, ...json }, body: "{}" }));
  }
  const change = `/api/v2/sessions/${encodeURIComponent(monitor.session.workSessionId)}/category`;
  const old = `/api/work-sessions/${encodeURIComponent(monitor.session.workSessionId)}/category`;
  const good = JSON.stringify({ collabCategory: "legal_compliance", updatedBy: "canary", reason: "search" });
  const odd = `Bearer ${secrets["write token"]}`;
  for (const [route, method, headers, body] of [
    [change, "PATCH", { ...json, ...token }, good],
    [old, "PATCH", { ...json, ...token }, good],
    [change, "DELETE", token, undefined],
    ["/api/v2/categories", "PATCH", { ...json, ...token }, JSON.stringify({ items: [{ workSessionId: monitor.session.workSessionId, collabCategory: "infra_ops" }] })],
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
    statuses.add(await ask(monitor, route, { method, headers, body }));
  }
  for (let count = 0; count < 12; count += 1) {
    statuses.add(await ask(monitor, change, { method: "PATCH", headers: { ...json, "x-task-monitor-token": "guess" }, body: good }));
  }
  const withToken = `X-Task-Monitor-Token: ${secrets["write token"]}\r\nConnection: close\r\n\r\n`;
  for (const head of [
    `GET / HTTP/1.1\r\nHost: evil.example\r\n${withToken}`,
    `GET / HTTP/1.1\r\n${withToken}`,
    `NONSENSE\r\n${withToken}`,
    `GET / HTTP/9.9\r\n${withToken}`,
    `PATCH ${old} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n${withToken}`,
  ]) {
    statuses.add(Number((await send(monitor, head)).split(" ")[1]));
  }
  for (const status of [200, 400, 401, 403, 404, 405, 409, 410, 413, 414, 415, 421, 422, 429, 431]) {
    assert.ok(statuses.has(status), `a ${status} was among them: ${[...statuses].sort().join(" ")}`);
  }
});

test("every page, its files, frames and storage are captured", async ({ page, monitor }) => {
  const bodies = [];
  const files = new Set();
  page.on("response", (answer) => {
    const url = answer.url();
    // A file of the bundle is the same for every view.
    if (/\.(wasm|js|css|woff2)$/.test(url) && files.size === files.add(url).size) return;
    bodies.push(answer.body().then((bytes) => capture(`page's ${url}`, bytes), () => {}));
  });
  page.on("console", (entry) => capture("console", entry.text()));
  page.on("websocket", (wire) => wire.on("framereceived", ({ payload }) => capture("frame", payload)));
  for (const [name, at] of Object.entries(await views(monitor))) {
    await page.goto(at);
    await waitUntilLoaded(page);
    capture(`page ${name}`, await page.content());
  }
  await monitor.append(message({ from: "eden", to: "seum", text: "산 채로", session: monitor.session.workSessionId, conversation: "c_told", at: FIXTURE_NOW }));
  await expect.poll(() => captures.some(([where, bytes]) => where === "frame" && bytes.includes("산 채로")), "a frame arrives").toBe(true);
  capture("storage", await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie));
  const old = await page.evaluate(
    (url) =>
      new Promise((resolve) => {
        const wire = new WebSocket(url);
        wire.onmessage = (event) => resolve(event.data);
      }),
    `${monitor.url.replace("http", "ws")}/ws`,
  );
  capture("frame of 1.x", old);
  const cookie = (await page.context().cookies()).find(({ name }) => name.startsWith("task_hub_session"));
  secrets["session of the page"] = cookie.value;
  await Promise.all(bodies);
});

test("bundle, command line and written files are captured", async ({ monitor }) => {
  for (const name of await readdir(bundleInUse.folder, { recursive: true })) {
    if (/\.(br|gz|zst|woff2|png)$/.test(name)) continue;
    capture(`bundle ${name}`, await readFile(path.join(bundleInUse.folder, name)).catch(() => ""));
  }
  capture("command line", await readFile(`/proc/${monitor.child.pid}/cmdline`));
  const kept = /openclaw\.json$|credentials|\.env$|\.ndjson$/;
  for (const name of await readdir(monitor.home, { recursive: true })) {
    if (kept.test(name) && !/audit|speak/.test(name)) continue;
    const bytes = await readFile(path.join(monitor.home, name)).catch(() => null);
    if (bytes) capture(`home's ${name}`, bytes);
  }
  const audit = captures.find(([where]) => where.includes("audit.ndjson"));
  assert.ok(audit && audit[1].includes("canary"), "the audit log has the changes");
  const spoken = captures.find(([where]) => where.includes("speak.ndjson"));
  assert.ok(spoken && spoken[1].includes("canary-0001") && monitor.gateway.heard.length === 1, "the message was sent and recorded");
});

test("a refused configuration names its file", async ({ monitor }) => {
  const config = path.join(monitor.folder, "wrong.toml");
  for (const text of [`write_token = "${secrets["write token"]}"`, `port = "${secrets["write token"]}"`, `watcher = "${secrets["write token"]}"`, `${secrets["write token"]}`]) {
    await writeFile(config, text);
    const program = process.env.TASK_HUB_MONITOR ?? path.join(root, "target/debug/task-monitor");
    const child = spawn(program, ["serve", "--config", config], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (said += bytes));
    const code = await new Promise((resolve) => child.on("close", resolve));
    assert.notEqual(code, 0, said);
    assert.ok(said.includes("wrong.toml"), said);
    capture("refused configuration", said);
  }
});

test("no capture holds a secret; the control is found", async ({ monitor }) => {
  await monitor.halt();
  assert.ok(monitor.output.includes("TRACE") || monitor.output.includes("DEBUG"), "the log has trace lines");
  capture("standard output and error", monitor.output);
  const search = canaries(secrets);
  const plain = canaries({ control });
  const hits = new Map();
  const seen = new Set();
  let bytes = 0;
  for (const [where, text] of captures) {
    bytes += text.length;
    for (const hit of search.in(text)) hits.set(`${hit} in ${where}`, true);
    if (plain.in(text).length > 0) seen.add(where.split(" ")[0]);
  }
  console.log(`${captures.length} captures, ${(bytes / 1e6).toFixed(1)} MB, ${search.pieces} pieces: ${hits.size} hits`);
  assert.deepEqual([...hits.keys()], []);
  for (const place of ["GET", "page", "frame", "page's"]) {
    assert.ok(seen.has(place), `the search finds the control in ${place}: ${[...seen].join(", ")}`);
  }
  for (const wrap of [(text) => Buffer.from(text).toString("base64"), (text) => Buffer.from(`ab${text}c`).toString("base64url"), (text) => Buffer.from(text).toString("hex"), (text) => [...text].reverse().join(""), (text) => text.slice(9, 21)]) {
    assert.equal(search.in(Buffer.from(`… ${wrap(secrets["gateway token"])} …`)).length > 0, true, `${wrap}`);
  }
});
