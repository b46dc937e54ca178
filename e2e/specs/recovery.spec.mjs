// Missing or unreadable data is said, with the place where it was looked for, and heals by itself.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cp, rename, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import path from "node:path";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { eventually, message, startMonitor } from "../support/monitor.mjs";
import { connection, idle, mainText } from "../support/verbs.mjs";

const fixtures = path.join(import.meta.dirname, "../../fixtures");
const program = process.env.TASK_HUB_MONITOR ?? path.join(import.meta.dirname, "../../target/debug/task-monitor");
let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
});

test("a home that is not there is said with its path, and the page fills when it appears", async () => {
  const monitor = await startMonitor({ story: null });
  try {
    const page = await openPage(browser, monitor.url);
    await page.getByText("OpenClaw 홈을 찾지 못했습니다").first().waitFor();
    assert.match(await mainText(page), /\.openclaw/);
    await cp(path.join(fixtures, "ping-pong"), monitor.home, { recursive: true });
    await eventually("the sessions are there", async () => /[1-9]\d*\s*세션/.test(await mainText(page)), 30_000);
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("a log that is not there is said with its path, and the first line written to it shows", async () => {
  const monitor = await startMonitor({ story: "ping-pong" });
  const away = `${monitor.home}-log`;
  try {
    await monitor.halt();
    await rename(path.join(monitor.home, "logs"), away);
    await monitor.start();
    const page = await openPage(browser, monitor.url);
    await page.getByText("로그 파일을 찾지 못했습니다").first().waitFor();
    assert.match(await mainText(page), /coordination-events\.ndjson/);
    await monitor.append(message({ from: "eden", to: "seum", text: "첫 줄입니다", session: "ws_first", conversation: "first" }));
    await eventually("home counts the session", async () => /[1-9]\d*\s*세션/.test(await mainText(page)), 30_000);
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

test("a broken line is counted and skipped, its neighbours are kept", async () => {
  const monitor = await startMonitor({ story: "ping-pong" });
  try {
    const before = await monitor.get("/api/v2/health");
    const whole = (text) => JSON.stringify(message({ from: "eden", to: "seum", text, session: "ws_torn", conversation: "torn" }));
    const { appendFile } = await import("node:fs/promises");
    await appendFile(monitor.log, `${whole("앞 줄")}\n{"type": 여기는 JSON이 아님\n${whole("뒷줄")}\n`);
    await eventually("both neighbours and the count", async () => {
      const health = await monitor.get("/api/v2/health");
      return health.events === before.events + 2 && health.badLines === before.badLines + 1;
    });
  } finally {
    await monitor.stop();
  }
});

test("a config that breaks leaves the last good names in force", async () => {
  const monitor = await startMonitor({ story: "ping-pong" });
  try {
    const names = async () => (await monitor.get("/api/v2/home")).agents.map((agent) => agent.name).join();
    const before = await names();
    await writeFile(path.join(monitor.home, "openclaw.json"), "{ agents: [ oops");
    await eventually("the config is stale", async () => (await monitor.get("/api/v2/home")).source.config === "stale");
    assert.equal(await names(), before);
  } finally {
    await monitor.stop();
  }
});

test("when the monitor goes the page says so, and is live again when it is back", async () => {
  // Waiting needs time that passes, on both sides.
  const monitor = await startMonitor({ story: "ping-pong", clock: null });
  try {
    const page = await openPage(browser, monitor.url, { now: null });
    await idle(page);
    await monitor.halt();
    await eventually("the page does not call a dead link live", async () => !/실시간/.test(await connection(page).innerText()), 60_000);
    await monitor.start();
    await eventually("the page is live again", async () => /실시간/.test(await connection(page).innerText()), 60_000);
    await page.context().close();
  } finally {
    await monitor.stop();
  }
});

/** Runs the program to its end. */
function ends(args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.on("data", (bytes) => (errors += bytes));
    child.on("exit", (code) => resolve({ code, errors }));
  });
}

test("a bad flag, a bad config file and a taken port end with one clear sentence", async () => {
  const flag = await ends(["serve", "--no-such-flag"]);
  assert.notEqual(flag.code, 0);
  assert.match(flag.errors, /no-such-flag/);

  const config = await ends(["serve", "--config", "/nowhere/monitor.toml"]);
  assert.notEqual(config.code, 0);
  assert.match(config.errors, /\/nowhere\/monitor\.toml/);

  const taken = createServer();
  const port = await new Promise((resolve) => taken.listen(0, "127.0.0.1", () => resolve(taken.address().port)));
  const port_taken = await ends(["serve", "--home", path.join(fixtures, "ping-pong"), "--port", String(port)]);
  taken.close();
  assert.notEqual(port_taken.code, 0);
  assert.match(port_taken.errors, new RegExp(String(port)));
  for (const { errors } of [flag, config, port_taken]) assert.doesNotMatch(errors, /panicked|RUST_BACKTRACE/);
});
