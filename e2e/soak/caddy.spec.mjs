// Tests of the Caddy example docs/deploy/Caddyfile. Only its name, user and address are changed; TLS is real, with a
// certificate of Caddy's own authority.
//
// Proves (api): Behind the Caddy example in docs/deploy/, the page is live over wss, events stream, and a change is by
// the person who signed in. Requests without the password, writes by other sites and forged names are refused.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import os from "node:os";
import path from "node:path";

import { startBrowser } from "../support/browser.mjs";
import { eventually, freePort, message, startMonitor } from "../support/monitor.mjs";
import { test as base, expect } from "../support/test.mjs";
import { address, threadsOf, titledSession } from "../support/steps.mjs";

const token = "caddy-write-token-0123456789abcdef";
const credentials = { username: "eden", password: "correct horse" };
const basic = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;

const test = base.extend({
  monitor: [
    async ({ selectBundle }, use) => {
      void selectBundle;
      const words = ["--allowed-hosts", "localhost", "--trusted-proxies", "127.0.0.1", "--identity-header", "X-Forwarded-User"];
      const monitor = await startMonitor({ args: words, env: { TASK_MONITOR_WRITE_TOKEN: token } });
      await use(monitor);
      await monitor.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  /** URL of Caddy in front of the monitor. */
  url: [
    async ({ monitor }, use) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-caddy-"));
      const port = await freePort();
      const hash = execFileSync("caddy", ["hash-password", "--plaintext", credentials.password]).toString().trim();
      const example = await readFile(path.join(import.meta.dirname, "../../docs/deploy/Caddyfile"), "utf8");
      const changed = [
        ["\nhub.example.org {", `\n{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\nhttps://localhost:${port} {\n\ttls internal`],
        ["$2a$14$replace.this.with.the.output.of.caddy.hash-password", hash],
        ["127.0.0.1:3847", `127.0.0.1:${monitor.port}`],
      ].reduce((text, [from, to]) => {
        assert.ok(text.includes(from), `the example has ${from}`);
        return text.replace(from, () => to);
      }, example);
      await writeFile(path.join(folder, "Caddyfile"), changed);
      const env = { ...process.env, TASK_HUB_TOKEN: token, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
      const caddy = spawn("caddy", ["run", "--config", path.join(folder, "Caddyfile")], { env, stdio: ["ignore", "ignore", "inherit"] });
      const url = `https://localhost:${port}`;
      await eventually("Caddy answers", async () => (await ask(url, "/", { authorization: "" })).status === 401, 60_000);
      await use(url);
      caddy.kill("SIGTERM");
      await new Promise((resolve) => caddy.on("exit", resolve));
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

/** A request with the password, whatever the certificate. The body ends after its first part for a stream. */
function ask(url, where, headers = {}, { method = "GET", body, first = false } = {}) {
  return new Promise((resolve, reject) => {
    const options = { method, rejectUnauthorized: false, headers: { authorization: basic, ...headers } };
    const sent = request(url + where, options, (answer) => {
      let text = "";
      answer.on("data", (bytes) => {
        text += bytes;
        if (first) resolve({ status: answer.statusCode, text }), sent.destroy();
      });
      answer.on("end", () => resolve({ status: answer.statusCode, text }));
    });
    sent.on("error", reject).end(body);
  });
}

test("Caddy asks for a password, then events stream through it", async ({ url }) => {
  for (const where of ["/", "/api/v2/home", "/ws"]) assert.equal((await ask(url, where, { authorization: "" })).status, 401, where);
  const answer = await ask(url, "/api/v2/home");
  assert.equal(answer.status, 200);
  assert.ok(!answer.text.includes(token));
  const stream = await ask(url, "/api/v2/live/events", { accept: "text/event-stream" }, { first: true });
  assert.equal(stream.status, 200);
  assert.match(stream.text, /^(event|data|id|retry|:)/);
});

test("a change is by the person who signed in; forged names and other sites are refused", async ({ monitor, url }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const where = `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/category`;
  const body = JSON.stringify({ collabCategory: "qa_validation", updatedBy: "mallory" });
  const write = (headers) => ask(url, where, { "content-type": "application/json", ...headers }, { method: "PATCH", body });
  assert.equal((await write({ origin: "https://evil.example" })).status, 403);
  assert.equal((await write({ "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await write({ "x-forwarded-user": "seum" })).status, 200);
  const file = JSON.parse(await readFile(path.join(monitor.home, "work-session-category-overrides.json"), "utf8"));
  assert.equal(file[session.workSessionId].updatedBy, credentials.username);
});

test("the page is live over wss", async ({ monitor, url }) => {
  const browser = await startBrowser();
  try {
    const context = await browser.newContext({ ignoreHTTPSErrors: true, httpCredentials: credentials, locale: "ko-KR" });
    const page = await context.newPage();
    const sockets = [];
    page.on("websocket", (socket) => sockets.push(socket.url()));
    const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
    const [thread] = await threadsOf(monitor, session);
    await page.goto(url + address(session, thread));
    await expect(page.getByRole("article").first()).toBeVisible();
    const text = "Caddy를 거쳐 온 새 소식입니다";
    await monitor.append(
      message({ from: thread.from, to: thread.to, text, session: session.workSessionId, conversation: thread.conversationId }),
    );
    await expect(page.getByRole("article").getByText(text)).toBeVisible();
    assert.ok(sockets.some((socket) => socket.startsWith("wss://localhost:")), `sockets: ${sockets}`);
  } finally {
    await browser.close();
  }
});
