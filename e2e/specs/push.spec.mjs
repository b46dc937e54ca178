// Browser tests of Web Push: a browser subscribes on the page, the monitor sends encrypted messages to its push service, and
// the service worker shows them. The push service is a server of this machine, which decrypts as a browser does.
//
// Proves (work): A browser that subscribed gets a message about each new matter from the push service, without a page, and the
// notification changes to "해결됨" when it is over; nobody but the browser can read the message; one that is gone is
// forgotten.
import { createPublicKey, verify } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";

import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { base64url, receiver } from "../support/push.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";
import { test as base, expect } from "../support/test.mjs";

/** Whether the header is signed by the key that it names, for this push service. */
function signedFor(header, origin) {
  const [, token, key] = header.match(/^vapid t=([^,]+), k=(.+)$/);
  const [head, claims, signature] = token.split(".");
  const raw = Buffer.from(key, "base64url");
  const jwk = { kty: "EC", crv: "P-256", x: base64url(raw.subarray(1, 33)), y: base64url(raw.subarray(33)) };
  const signed = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" };
  const is_valid = verify("sha256", Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, "base64url"));
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, "base64url"));
  expect(exp - Date.now() / 1000, "at most a day").toBeLessThan(86_400);
  return { is_valid: is_valid && aud === origin, sub, key };
}

const test = base.extend({
  /** A push service of this machine; it does not know the addresses in `gone`. */
  service: [
    async ({}, use) => {
      const service = { gone: new Set(), received: [], browser: receiver() };
      const server = createServer((request, response) => {
        const parts = [];
        request.on("data", (part) => parts.push(part));
        request.on("end", () => {
          service.received.push({ path: request.url, headers: request.headers, body: Buffer.concat(parts) });
          response.writeHead(service.gone.has(request.url) ? 410 : 201).end();
        });
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      service.url = `http://127.0.0.1:${server.address().port}`;
      await use(service);
      await new Promise((resolve) => server.close(resolve));
    },
    { scope: "worker" },
  ],
  monitor: [
    async ({ selectBundle, service }, use) => {
      void selectBundle;
      const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-push-"));
      const config = path.join(folder, "config.toml");
      const sink = `name = "phones"\nkind = "push"\ncontact = "mailto:ops@example.org"\nservices = ["${service.url}"]\n`;
      const rule = `name = "person"\ngroups = ["person"]\nafter = "0s"\n`;
      await writeFile(config, `[[alerts.sinks]]\n${sink}\n[[alerts.rules]]\n${rule}`);
      const monitor = await startMonitor({ story: "ping-pong", args: ["--config", config] });
      await use(monitor);
      await monitor.stop();
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 180_000 },
  ],
});

test.use({ look: { workers: "allow" } });

/** A page whose browser has the push service of this machine instead of its maker's. */
async function open(page, service, address = "/") {
  await page.context().grantPermissions(["notifications"]);
  await page.addInitScript(({ endpoint, keys }) => {
    let key = localStorage.getItem("subscribed-with");
    const subscription = {
      // Each subscription has its own address, as at a real service.
      toJSON: () => ({ endpoint: `${endpoint}-${localStorage.getItem("subscription") ?? 0}`, expirationTime: null, keys }),
      unsubscribe: async () => {
        key = null;
        localStorage.removeItem("subscribed-with");
        localStorage.setItem("subscription", Number(localStorage.getItem("subscription") ?? 0) + 1);
        return true;
      },
    };
    Object.setPrototypeOf(subscription, PushSubscription.prototype);
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      if (key && key !== applicationServerKey) throw new DOMException("another key", "InvalidStateError");
      key = applicationServerKey;
      localStorage.setItem("subscribed-with", key);
      return subscription;
    };
    PushManager.prototype.getSubscription = async () => (key ? subscription : null);
  }, { endpoint: `${service.url}/wpush/s3cret`, keys: service.browser.keys });
  await page.goto(address);
  await waitUntilLoaded(page);
  await expect.poll(() => page.evaluate(async () => (await navigator.serviceWorker.getRegistration())?.active?.state), { timeout: 30_000 }).toBe("activated");
}

/** Hands a message to the service worker, as the browser does. */
async function deliver(page, text) {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => registrations[0] && resolve(registrations[0]));
  });
  await session.send("ServiceWorker.enable");
  const { registrationId } = await registered;
  await session.send("ServiceWorker.deliverPushMessage", { origin: new URL(page.url()).origin, registrationId, data: text });
  await session.detach();
}

const notifications = (page) => page.evaluate(async () => (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title, body, data, tag, silent }) => ({ title, body, data, tag, silent: silent === true })));
const settings = async (page) => {
  await page.getByRole("button", { name: "설정" }).first().click();
  return page.getByRole("dialog");
};
const blocked = (id, reason) => ({ type: "task.blocked", agentId: "seum", ts: FIXTURE_NOW - 1_000, data: { taskId: id, reason, unblockedBy: [] } });

test("a browser subscribes and is notified of a matter and of its end", { tag: "@quick" }, async ({ page, monitor, service }) => {
  test.slow();
  service.received.length = 0;
  await open(page, service);
  const dialog = await settings(page);
  const push = dialog.getByRole("switch", { name: "푸시 알림" });
  await expect(push).toHaveAttribute("aria-checked", "false");
  await push.click();
  await expect(push).toHaveAttribute("aria-checked", "true");
  await dialog.getByRole("button", { name: "시험 알림 보내기" }).click();
  await expect(page.getByText("시험 알림을 보냈습니다")).toBeVisible();
  const [request] = service.received;
  expect(request.path).toMatch(/^\/wpush\/s3cret-\d$/);
  expect(signedFor(request.headers.authorization, service.url)).toMatchObject({ is_valid: true, sub: "mailto:ops@example.org" });
  expect(request.body.toString("latin1")).not.toContain("title");
  await deliver(page, service.browser.read(request.body));
  await expect.poll(() => notifications(page)).toEqual([expect.objectContaining({ title: expect.stringContaining("시험 알림"), tag: "test" })]);
  await dialog.press("Escape");

  await monitor.append(blocked("task_push", "배포 승인 필요"));
  const line = await eventually("a push message", () => service.received[1]);
  const message = JSON.parse(service.browser.read(line.body));
  expect(message).toMatchObject({ title: expect.stringContaining("차단됨"), path: "tasks/seum/task_push", over: false });
  expect(line.headers).toMatchObject({ urgency: "high", ttl: "86400", "content-encoding": "aes128gcm" });
  await deliver(page, JSON.stringify(message));
  const shown = async () => (await notifications(page)).filter(({ tag }) => tag === message.tag);
  await expect.poll(shown).toEqual([expect.objectContaining({ title: message.title, data: "tasks/seum/task_push", silent: false })]);

  // The message that it is over takes its place, without a sound.
  await deliver(page, JSON.stringify({ ...message, title: "해결됨 · 차단됨", over: true }));
  await expect.poll(shown).toEqual([expect.objectContaining({ title: "해결됨 · 차단됨", silent: true })]);

  // A page that starts repeats the subscription; it stays one browser.
  await page.reload();
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: /데이터 상태/ }).first().click();
  const channels = page.getByRole("region", { name: "알림 채널" });
  await expect(channels.getByRole("listitem").filter({ hasText: "Chrome · Linux" })).toHaveCount(1);
  await expect(page.locator("body")).not.toContainText("s3cret");
});

test("a browser that its push service forgot is forgotten", async ({ page, monitor, service }) => {
  await open(page, service);
  const dialog = await settings(page);
  const push = dialog.getByRole("switch", { name: "푸시 알림" });
  await push.click();
  await expect(push).toHaveAttribute("aria-checked", "true");
  service.gone.add("/wpush/s3cret-0");
  await dialog.getByRole("button", { name: "시험 알림 보내기" }).click();
  await expect(page.getByText(/이 기기의 푸시 알림이 끊겼습니다/)).toBeVisible();
  await expect(push).toHaveAttribute("aria-checked", "false");
  const receivers = async () => (await monitor.get("/api/v2/alerts")).sinks[0].receivers ?? [];
  await expect.poll(receivers).toEqual([]);
  // Switched on again it has a new address.
  await push.click();
  await expect.poll(async () => (await receivers()).length).toBe(1);
  await dialog.getByRole("button", { name: "시험 알림 보내기" }).click();
  await expect(page.getByText("시험 알림을 보냈습니다")).toBeVisible();
  await push.click();
  await expect.poll(receivers).toEqual([]);
});

test("a browser that somebody removed says so", async ({ page, monitor, service }) => {
  await open(page, service);
  const push = (await settings(page)).getByRole("switch", { name: "푸시 알림" });
  await push.click();
  await expect(push).toHaveAttribute("aria-checked", "true");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /데이터 상태/ }).first().click();
  await page.getByRole("button", { name: "Chrome · Linux 기기 삭제" }).click();
  await expect.poll(async () => (await monitor.get("/api/v2/alerts")).sinks[0].receivers ?? []).toEqual([]);
  // As another machine's page would have removed it.
  await page.evaluate(() => localStorage.setItem("task-hub.push", "0123456789abcdef"));
  await page.reload();
  await waitUntilLoaded(page);
  await expect(page.getByText(/이 기기의 푸시 알림이 끊겼습니다/)).toBeVisible();
  await expect((await settings(page)).getByRole("switch", { name: "푸시 알림" })).toHaveAttribute("aria-checked", "false");
});

test("a push service replaces the subscription while no page is open", async ({ page, monitor, service }) => {
  await open(page, service);
  const context = page.context();
  await (await settings(page)).getByRole("switch", { name: "푸시 알림" }).click();
  const receivers = async () => (await monitor.get("/api/v2/alerts")).sinks[0].receivers ?? [];
  await expect.poll(async () => (await receivers()).length).toBe(1);
  const [{ id: before, name }] = await receivers();
  const [worker] = context.serviceWorkers();
  const renewed = { endpoint: `${service.url}/wpush/s3cret-renewed`, keys: service.browser.keys };
  const stored = () => worker.evaluate(async () => (await caches.has("task-hub-push")));
  await expect.poll(stored).toBe(true);
  const home = page.url();
  await page.close();

  // An event of the browser alone may wait for its work, so the work is called.
  await worker.evaluate((renewed) => self.renewPush({ toJSON: () => renewed }), renewed);
  await expect.poll(async () => (await receivers()).length).toBe(2);
  expect((await receivers()).filter((receiver) => receiver.name === name)).toHaveLength(2);

  // The next page knows the new one; the old one goes when its push service says so.
  const next = await context.newPage();
  await next.addInitScript(() => localStorage.setItem("subscription", "renewed"));
  await open(next, service, home);
  const push = (await settings(next)).getByRole("switch", { name: "푸시 알림" });
  await expect(push).toHaveAttribute("aria-checked", "true");
  const after = async () => next.evaluate(() => localStorage.getItem("task-hub.push"));
  await expect.poll(after).toContain("s3cret-renewed");
  expect(await after()).not.toContain(before);
  await push.click();
  await expect.poll(async () => (await receivers()).map((receiver) => receiver.id)).toEqual([before]);
  await expect.poll(stored).toBe(false);
});

test("a press on a notification opens its matter in the tab that is open", async ({ page, monitor, service }) => {
  await monitor.append(blocked("task_press", "배포 승인 필요"));
  await expect.poll(async () => (await fetch(`${monitor.url}/api/v2/tasks/seum/task_press`)).status).toBe(200);
  await open(page, service);
  const context = page.context();
  await page.evaluate(() => (globalThis.isSamePage = true));
  const [worker] = context.serviceWorkers();
  // Only a real press may bring a tab to the front.
  await worker.evaluate(() => {
    WindowClient.prototype.focus = async function () {
      return this;
    };
  });
  const press = (path) => worker.evaluate((path) => self.openPath(path), path);
  await press("tasks/seum/task_press");
  await expect(page).toHaveURL(/\/tasks\/seum\/task_press$/);
  expect(await page.evaluate(() => globalThis.isSamePage), "without loading it again").toBe(true);
  expect(context.pages()).toHaveLength(1);
  // A message of another program leads nowhere else.
  await press("https://elsewhere.example/");
  await expect(page).toHaveURL(/\/tasks\/seum\/task_press$/);
});
