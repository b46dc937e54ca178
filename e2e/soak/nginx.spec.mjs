// Tests of the nginx example docs/deploy/nginx.conf. Only its names, ports and TLS settings are changed.
//
// Proves (api): Behind the nginx example in docs/deploy/, the page loads, stays live and can write. Requests without
// the password, writes by other sites and other host names are refused.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { request } from "node:http";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { freePort, message, startMonitor } from "../support/monitor.mjs";
import { test as base, expect } from "../support/test.mjs";
import { address, connection, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

const token = "nginx-write-token-0123456789abcdef";
const credentials = { username: "eden", password: "correct horse" };
const basic = `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`;

const test = base.extend({
  /** Folder of the configuration files. */
  folder: [
    async ({}, use) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-nginx-"));
      await use(folder);
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker" },
  ],
  monitor: [
    async ({ folder, selectBundle }, use) => {
      void selectBundle;
      const config = path.join(folder, "monitor.toml");
      await writeFile(config, 'allowed_hosts = ["hub.example.org"]\ntrusted_proxies = ["127.0.0.1"]\n[identity]\nheader = "X-Forwarded-User"\n');
      const monitor = await startMonitor({ args: ["--config", config], env: { TASK_MONITOR_WRITE_TOKEN: token } });
      await use(monitor);
      await monitor.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  /** URL of nginx in front of the monitor. */
  url: [
    async ({ folder, monitor }, use) => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const nginx = await startNginx(folder, monitor, port);
      await expect(async () => assert.equal((await fetch(url)).status, 401)).toPass();
      await use(url);
      nginx.kill("SIGTERM");
    },
    { scope: "worker" },
  ],
  /** `fetch` with the password. */
  ask: async ({ url }, use) => {
    await use((where, options = {}) => fetch(url + where, { ...options, headers: { authorization: basic, ...options.headers } }));
  },
});
test.use({ look: { credentials } });

async function startNginx(folder, monitor, port) {
  await writeFile(path.join(folder, "users"), `${credentials.username}:{PLAIN}${credentials.password}\n`);
  await writeFile(path.join(folder, "token"), `proxy_set_header X-Task-Monitor-Token "${token}";\n`, { mode: 0o600 });
  const example = await readFile(path.join(import.meta.dirname, "../../docs/deploy/nginx.conf"), "utf8");
  const changed = [
    ["server 127.0.0.1:3847;", `server 127.0.0.1:${monitor.port};`],
    ["listen 443 ssl;", `listen 127.0.0.1:${port};`],
    ["server_name hub.example.org;", "server_name hub.example.org 127.0.0.1;"],
    ["    ssl_certificate     /etc/ssl/hub.example.org.pem;\n", ""],
    ["    ssl_certificate_key /etc/ssl/hub.example.org.key;\n", ""],
    ["/etc/nginx/task-hub.users", path.join(folder, "users")],
    ["include /etc/nginx/task-hub.token;", `include ${path.join(folder, "token")};`],
  ].reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `the example has ${from}`);
    return text.replace(from, to);
  }, example);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path ${folder}/${name};`).join(" ");
  const whole = `daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1; user root;
    events {} http { access_log off; ${temporary} ${changed} }`;
  await writeFile(path.join(folder, "nginx.conf"), process.getuid() === 0 ? whole : whole.replace("user root;", ""));
  return spawn(process.env.TASK_HUB_NGINX ?? "nginx", ["-p", folder, "-c", path.join(folder, "nginx.conf")], { stdio: "inherit" });
}

test("nginx asks for a password before anything else", async ({ url, ask }) => {
  for (const where of ["/", "/api/v2/home", "/api/v2/live/poll", "/ws"]) assert.equal((await fetch(url + where)).status, 401, where);
  const answer = await ask("/api/v2/home");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.ok(!(await answer.text()).includes(token));
});

test("the page behind nginx is live and writes with nginx's token", async ({ page, monitor, url }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(url + address(session, thread));
  await waitUntilLoaded(page);
  await expect(page.getByRole("article").first()).toBeVisible();
  await monitor.append(
    message({ from: thread.from, to: thread.to, text: "프록시를 거쳐 온 새 소식입니다", session: session.workSessionId, conversation: thread.conversationId }),
  );
  await expect(page.getByRole("article").getByText("프록시를 거쳐 온 새 소식입니다")).toBeVisible();
  assert.match(await connection(page).innerText(), /실시간|주기 확인/);
  await page.getByRole("button", { name: "카테고리 바꾸기" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: /법무/ }).check({ force: true });
  await dialog.getByRole("button", { name: "바꾸기", exact: true }).click();
  await expect(async () => {
    const file = await readFile(path.join(monitor.home, "work-session-category-overrides.json"), "utf8");
    const change = JSON.parse(file)[session.workSessionId];
    assert.deepEqual([change.collabCategory, change.updatedBy], ["legal_compliance", credentials.username]);
  }).toPass();
});

test("other sites cannot write in a signed-in reader's name", async ({ monitor, ask }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const where = `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/category`;
  const body = JSON.stringify({ collabCategory: "qa_validation" });
  const write = (headers) => ask(where, { method: "PATCH", body, headers: { "content-type": "application/json", ...headers } });
  assert.equal((await write({ origin: "https://evil.example" })).status, 403);
  assert.equal((await write({ origin: "null" })).status, 403);
  assert.equal((await write({ "sec-fetch-site": "cross-site" })).status, 403);
  assert.equal((await write({})).status, 200, "the same without a page behind it");
  assert.equal((await write({ "x-forwarded-user": "seum" })).status, 200);
  const file = JSON.parse(await readFile(path.join(monitor.home, "work-session-category-overrides.json"), "utf8"));
  assert.equal(file[session.workSessionId].updatedBy, credentials.username, "a forged name is replaced");
});

test("only the configured host is answered; client headers are replaced", async ({ monitor, url }) => {
  const called = (host) =>
    new Promise((resolve, reject) => {
      const headers = { host, authorization: basic, "x-forwarded-for": "203.0.113.7", "x-forwarded-host": "evil.example" };
      request(`${url}/api/v2/home`, { headers }, (answer) => resolve(answer.resume().statusCode)).on("error", reject).end();
    });
  assert.equal(await called("hub.example.org"), 200);
  // nginx hands unknown names to its first server; the monitor refuses them.
  assert.equal(await called("evil.example"), 421);
  await expect.poll(() => monitor.output, "the refusal is in the monitor's log").toMatch(/request refused/);
  assert.doesNotMatch(monitor.output, /203\.0\.113\.7/, "nginx replaced what the client claimed");
  assert.match(monitor.output, /client=127\.0\.0\.1/);
});
