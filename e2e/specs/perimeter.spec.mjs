// Browser tests of attacks by hostile pages on an open dashboard: from another port, from localhost, from a foreign
// host name, and by DNS rebinding. No attack reads, changes or receives anything.
//
// Proves (security): Hostile pages read nothing, change nothing and receive nothing.
// Long form: `make soak ARGS=perimeter`.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";

import { attack, startAttacker, startOpenServer } from "../support/attack.mjs";
import { message } from "../support/monitor.mjs";
import { expect, test as base } from "../support/test.mjs";
import { titledSession } from "../support/steps.mjs";

const SECRET = "what-only-the-reader-may-see";

// The browser takes the attacker's side: foreign names resolve to this machine, its own guards are off.
const HOSTILE = [
  "--host-resolver-rules=MAP *.example 127.0.0.1",
  "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights",
  "--disable-popup-blocking",
];
const test = base.extend({
  launchOptions: [async ({ launchOptions }, use) => use({ ...launchOptions, args: [...launchOptions.args, ...HOSTILE] }), { scope: "worker" }],
});
test.use({ home: { story: "everything", owner: "perimeter" } });

let attacker;
let open;
let session;
let start;

test.beforeAll(async ({ monitor }) => {
  start = Date.now();
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  attacker = await startAttacker();
  open = await startOpenServer(SECRET);
});
test.afterAll(async () => {
  await open?.stop();
  await attacker?.stop();
});

/** The dashboard, in the context in which the hostile pages open. */
test.beforeEach(async ({ page, monitor }) => {
  await page.goto("/");
  const names = async () => (await page.context().cookies(monitor.url)).map((cookie) => cookie.name).join();
  await expect.poll(names, "the dashboard has its session").toMatch(/task_hub_session/);
});

/** The files that every write changes. */
function files(monitor) {
  const names = ["work-session-category-overrides.json", "work-session-category-audit.ndjson", "task-hub-classifier.json", "task-hub-shared.ndjson"];
  return Promise.all(names.map((name) => readFile(path.join(monitor.home, name), "utf8").catch((error) => error.code)));
}

/**
 * Opens a hostile page at `origin` and lets it attack the server on `port`. Returns the attempts and what they won once
 * `ready` resolves. The page waits for attempts whose names begin with one of `expected`.
 */
async function runAttack(context, origin, port, secrets, { expected = [], framed = false, ready } = {}) {
  const page = await context.newPage();
  const windows = [];
  page.on("popup", (popup) => windows.push(popup));
  await page.route((url) => url.href === `${origin}/attack`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>attack</title><body>" }),
  );
  await page.goto(`${origin}/attack`);
  const target = new URL(origin).port === String(port) ? origin : `http://127.0.0.1:${port}`;
  const socket = target.replace("http:", "ws:");
  const result = await page.evaluate(attack, { target, socket, session: session.workSessionId, secrets, expected });
  // The refused attack gets at least as much time as the successful one.
  await ready;
  // A frame leaks when it holds a secret at the address it was sent to.
  const leaks = async () => {
    const frames = page.frames().slice(1).filter((frame) => frame.url().startsWith(target) && !frame.url().includes("form"));
    const texts = await Promise.all(frames.map((frame) => frame.content().catch(() => "")));
    return frames.filter((_, at) => secrets.some((secret) => texts[at].includes(secret))).map((frame) => frame.url());
  };
  if (framed) await expect.poll(async () => (await leaks()).length, "a frame shows the secret").toBeGreaterThan(0);
  result.won.push(...(await leaks()).map((url) => `framed ${url}`));
  for (const popup of windows) await popup.close();
  await page.close();
  return result;
}

/**
 * Runs the same attack against the monitor and, as the control, against an open server. The control succeeds in every
 * expected kind; the monitor gives nothing away and changes no file.
 */
async function attackBoth(page, monitor, origin, openOrigin, expected) {
  // Texts of the monitor's responses that no refusal holds.
  const secrets = [session.workSessionId, session.title, "coordination-events", "Task Monitor API", '"status"'];
  const before = await files(monitor);
  const context = page.context();
  const control = runAttack(context, openOrigin, open.port, [SECRET], { expected, framed: true });
  const real = runAttack(context, origin, monitor.port, secrets, { ready: control });
  const [{ won: controlWon }, { tried, won }] = await Promise.all([control, real]);
  for (const kind of expected) {
    assert.ok(controlWon.some((name) => name.startsWith(kind)), `${kind} can succeed: ${controlWon.join(", ")}`);
  }
  console.log(`${origin}: ${tried} attempts, ${won.length} successes (open server: ${controlWon.length})`);
  assert.deepEqual(won, []);
  assert.deepEqual(await files(monitor), before, "nothing was changed");
  return controlWon;
}

for (const [what, host] of [["another port", "127.0.0.1"], ["another name of this machine", "localhost"], ["a foreign name", "evil.example"]]) {
  test(`a page of ${what} gets nothing`, async ({ page, monitor }) => {
    open.changes.clear();
    const origin = `http://${host}:${attacker.port}`;
    const kinds = ["read cors", "read xhr", "socket", "events", "image", "script", "style", "import", "message", "xhr"];
    const won = await attackBoth(page, monitor, origin, origin, kinds);
    assert.ok(won.some((name) => name.startsWith("framed")), `a frame can succeed: ${won.join(", ")}`);
    for (const kind of ["form application", "form multipart", "form text", "fetch cors PATCH", "fetch no-cors POST", "xhr PATCH", "beacon"]) {
      await expect.poll(() => [...open.changes].join("\n"), `${kind} can succeed`).toMatch(new RegExp(`^${kind}`, "m"));
    }
  });
}

test("DNS rebinding gets nothing and floods no log", async ({ page, monitor }) => {
  const kinds = ["read same-origin include", "fetch same-origin PATCH", "socket", "events", "iframe", "window"];
  const rebound = (port) => `http://rebind.example:${port}`;
  await attackBoth(page, monitor, rebound(monitor.port), rebound(open.port), kinds);
  const lines = monitor.output.split("\n").filter((line) => line.includes("request refused"));
  const minutes = Math.ceil((Date.now() - start) / 60_000);
  assert.ok(lines.length > 0 && lines.length <= 20 * (minutes + 1), `${lines.length} lines in ${minutes} min`);
  assert.ok(lines.every((line) => line.length < 400 && !line.includes("attack=")), "no line holds what was sent");
});

test("foreign links open pages only; the dashboard still writes", async ({ page, monitor }) => {
  for (const [path, status] of [["/all", 200], ["/api/v2/home", 403], ["/api/events", 403]]) {
    const foreign = await page.context().newPage();
    await foreign.goto(`http://evil.example:${attacker.port}`);
    const response = foreign.waitForResponse((response) => response.url() === monitor.url + path);
    await foreign.evaluate((to) => (location.href = to), monitor.url + path);
    assert.equal((await response).status(), status, path);
    await foreign.close();
  }
  await monitor.append(message({ from: "eden", to: "seum", text: "그 뒤의 소식", session: "ws_after", conversation: "c_after" }));
  const before = await files(monitor);
  const status = await page.evaluate(async (id) => {
    const body = JSON.stringify({ collabCategory: "legal_compliance" });
    const headers = { "content-type": "application/json" };
    return (await fetch(`/api/v2/sessions/${encodeURIComponent(id)}/category`, { method: "PATCH", headers, body })).status;
  }, session.workSessionId);
  assert.equal(status, 200, "no attack locked the dashboard out");
  assert.notDeepEqual(await files(monitor), before, "a write shows in the files that the attacks left alone");
});
