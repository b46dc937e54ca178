// Hostile pages in the same browser as an open dashboard: of another port, of localhost, of a foreign name, and of one
// that was made to lead to the monitor (DNS rebinding). None changes anything, reads anything or hears a frame.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, test } from "node:test";

import { attack, startAttacker, startOpenServer } from "../support/attack.mjs";
import { startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, PATIENCE, eventually, message, startMonitor } from "../support/monitor.mjs";
import { titledSession } from "../support/verbs.mjs";

const SECRET = "what-only-the-reader-may-see";
let monitor;
let browser;
let attacker;
let open;
let context;
let dashboard;
let session;
let files;
let began;

before(async () => {
  began = Date.now();
  monitor = await startMonitor();
  session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  attacker = await startAttacker();
  open = await startOpenServer(SECRET);
  // The browser is on the attacker's side: foreign names lead here, and no other guard of its own stands before us.
  browser = await startBrowser([
    "--host-resolver-rules=MAP *.example 127.0.0.1",
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights",
    "--disable-popup-blocking",
  ]);
  context = await browser.newContext({ locale: "ko-KR", serviceWorkers: "block" });
  context.setDefaultTimeout(PATIENCE);
  dashboard = await context.newPage();
  await dashboard.goto(monitor.url);
  await eventually("the dashboard has its session", async () =>
    (await context.cookies(monitor.url)).some((cookie) => cookie.name.startsWith("task_hub_session")),
  );
  files = await written();
});
after(async () => {
  await browser?.close();
  await open?.stop();
  await attacker?.stop();
  await monitor?.stop();
});

/** All that a change would show in, byte by byte. */
async function written() {
  const names = ["work-session-category-overrides.json", "work-session-category-audit.ndjson", "task-hub-classifier.json"];
  const read = (name) => readFile(path.join(monitor.home, name), "utf8").catch((error) => error.code);
  return Promise.all(names.map(read));
}

/**
 * Opens a hostile page at an address and lets it try everything against a server; what it won, once `ready` is there.
 * Names that begin with what is `expected` are waited for.
 */
async function letLoose(at, port, secrets, { expected = [], framed = false, ready } = {}) {
  const page = await context.newPage();
  const windows = [];
  page.on("popup", (popup) => windows.push(popup));
  await page.route((url) => url.href === `${at}/attack`, (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>attack</title><body>" }),
  );
  await page.goto(`${at}/attack`);
  const target = new URL(at).port === String(port) ? at : `http://127.0.0.1:${port}`;
  const socket = target.replace("http:", "ws:");
  const result = await page.evaluate(attack, { target, socket, session: session.workSessionId, secrets, expected });
  // Who is let in needs time; whoever is kept out had at least as much.
  await ready;
  // A frame shows something when it stands at the address it was sent to.
  const shown = async () => {
    const frames = page.frames().slice(1).filter((frame) => frame.url().startsWith(target) && !frame.url().includes("form"));
    const texts = await Promise.all(frames.map((frame) => frame.content().catch(() => "")));
    return frames.filter((_, at) => secrets.some((secret) => texts[at].includes(secret))).map((frame) => frame.url());
  };
  const seen = framed ? await eventually("a frame shows something", async () => (await shown()).length > 0 && shown()) : await shown();
  result.won.push(...seen.map((url) => `framed ${url}`));
  for (const popup of windows) await popup.close();
  await page.close();
  return result;
}

/** The same tries at once against the monitor and an open server, which shows that they can succeed. */
async function both(monitors, opens, expected, framed) {
  const control = letLoose(opens, open.port, [SECRET], { expected, framed });
  const real = letLoose(monitors, monitor.port, theirs(), { ready: control });
  return Promise.all([control, real]);
}

/** What stands in the monitor's answers, and nowhere in what it refuses with. */
const theirs = () => [session.workSessionId, session.title, "coordination-events", "Task Monitor API", '"status"'];

const places = {
  "another port": () => `http://127.0.0.1:${attacker.port}`,
  "another name of this machine": () => `http://localhost:${attacker.port}`,
  "a foreign name": () => `http://evil.example:${attacker.port}`,
};

for (const [what, place] of Object.entries(places)) {
  test(`a page of ${what} gets nothing, though all of it works on an open server`, async () => {
    open.changes.clear();
    const kinds = ["read cors", "read xhr", "socket", "events", "image", "script", "style", "import", "message", "xhr"];
    const [control, { tried, won }] = await both(place(), place(), kinds, true);
    for (const kind of [...kinds, "framed"]) {
      assert.ok(control.won.some((name) => name.startsWith(kind)), `${kind} can succeed: ${control.won.join(", ")}`);
    }
    for (const kind of ["form application", "form multipart", "form text", "fetch cors PATCH", "fetch no-cors POST", "xhr PATCH", "beacon"]) {
      await eventually(`${kind} can succeed`, () => [...open.changes].some((name) => name.startsWith(kind)));
    }
    console.log(`${what}: ${tried} tries, ${won.length} successes (open server: ${control.won.length} reads, ${open.changes.size} changes)`);
    assert.deepEqual(won, []);
    assert.deepEqual(await written(), files, "nothing was changed");
  });
}

test("a name that was made to lead to the monitor gets nothing either", async () => {
  const kinds = ["read same-origin include", "fetch same-origin PATCH", "socket", "events", "iframe", "window"];
  const rebound = (port) => `http://rebind.example:${port}`;
  const [control, { tried, won }] = await both(rebound(monitor.port), rebound(open.port), kinds, true);
  for (const kind of kinds) {
    assert.ok(control.won.some((name) => name.startsWith(kind)), `${kind} can succeed: ${control.won.join(", ")}`);
  }
  console.log(`rebinding: ${tried} tries, ${won.length} successes (open server: ${control.won.length} reads)`);
  assert.deepEqual(won, []);
  assert.deepEqual(await written(), files, "nothing was changed");
});

test("a link leads to a page, never to an answer of the API, and the reader's own page writes on", async () => {
  for (const [path, wanted] of [["/all", 200], ["/api/v2/home", 403], ["/api/events", 403]]) {
    const page = await context.newPage();
    await page.goto(`http://evil.example:${attacker.port}`);
    const answer = page.waitForResponse((response) => response.url() === monitor.url + path);
    await page.evaluate((to) => (location.href = to), monitor.url + path);
    assert.equal((await answer).status(), wanted, path);
    await page.close();
  }
  await monitor.append(message({ from: "eden", to: "seum", text: "그 뒤의 소식", session: "ws_after", conversation: "c_after", at: FIXTURE_NOW }));
  const status = await dashboard.evaluate(async (id) => {
    const body = JSON.stringify({ collabCategory: "legal_compliance" });
    const answer = await fetch(`/api/v2/sessions/${encodeURIComponent(id)}/category`, {
      method: "PATCH",
      headers: { "content-type": "application/json" },
      body,
    });
    return answer.status;
  }, session.workSessionId);
  assert.equal(status, 200, "no attack locked the reader out");
  assert.notDeepEqual(await written(), files, "a change shows where the attacks left no trace");
});

test("a thousand refusals are a few lines of the log", async () => {
  const lines = monitor.output.split("\n").filter((line) => line.includes("request refused"));
  const minutes = Math.ceil((Date.now() - began) / 60_000);
  console.log(`${lines.length} lines in ${minutes} min`);
  assert.ok(lines.length > 0 && lines.length <= 20 * (minutes + 1), `${lines.length} lines in ${minutes} min`);
  assert.ok(lines.every((line) => line.length < 400 && !line.includes("attack=")), "none holds what was sent");
});
