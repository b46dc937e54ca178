// Browser tests of two protections against foreign code. A bundle file that was changed does not run (integrity
// hashes). The browser refuses strings where the DOM would parse them as HTML or script, such as `innerHTML` (Trusted
// Types).
//
// Proves (security): A bundle with one changed byte does not run. The page inserts no string as HTML or script, except
// the program's own empty elements.
import assert from "node:assert/strict";
import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import { releaseBundle } from "../support/monitor.mjs";
import { allowProblems, test as base, expect } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

const test = base.extend({
  /** Opens the page of a monitor over a copy of the bundle in which the file of this shape has a changed byte. */
  openDamaged: async ({ openPage, startMonitor }, use, info) => {
    const folder = info.outputPath("bundle");
    await use(async (shape) => {
      await cp(releaseBundle, folder, { recursive: true });
      if (shape) await damage(path.join(folder, (await readdir(folder)).find((name) => shape.test(name))));
      const monitor = await startMonitor({ bundle: folder });
      return openPage(monitor.url, { baseURL: monitor.url });
    });
    await rm(folder, { recursive: true, force: true });
  },
});

/** Changes one byte and removes the packed siblings, so that this file is served. */
async function damage(file) {
  const bytes = await readFile(file);
  // Any bit of a wasm file counts; a script or a sheet stays valid with a blank at its end.
  if (file.endsWith(".wasm")) bytes[bytes.length >> 1] ^= 1;
  await writeFile(file, file.endsWith(".wasm") ? bytes : Buffer.concat([bytes, Buffer.from(" ")]));
  for (const packed of ["br", "zst", "gz"]) await rm(`${file}.${packed}`, { force: true });
}

const title = (page) => page.getByRole("heading", { level: 1 }).first();
const refusal = /integrity/i;

test("an untouched copy starts with a clean console", { tag: "@release" }, async ({ openDamaged }) => {
  const page = await openDamaged(null);
  await expect(title(page)).toBeVisible();
  await page.goto("/all");
  await waitUntilLoaded(page);
  let requests = 0;
  page.on("request", (request) => (requests += /_bg\.wasm$/.test(request.url()) ? 1 : 0));
  await page.goto("/");
  await waitUntilLoaded(page);
  assert.equal(requests, 1, "the preloaded wasm is the one that runs");
});

for (const [what, shape] of [
  ["script", /^task-hub-[0-9a-f]{16}\.js$/],
  ["wasm", /^task-hub-[0-9a-f]{16}_bg\.wasm$/],
]) {
  test(`a changed byte in the ${what} stops the start`, { tag: "@release" }, async ({ openDamaged }) => {
    const page = await openDamaged(shape);
    allowProblems(page, [refusal, /Failed to fetch/, /preload/]);
    await expect.poll(() => page.problems, "the browser refuses it").toContainEqual(expect.stringMatching(refusal));
    await page.waitForLoadState("load");
    await expect(title(page), "the program did not start").toHaveCount(0);
  });
}

test("a changed style sheet is not applied", { tag: "@release" }, async ({ openDamaged }) => {
  const page = await openDamaged(/^styles-/);
  allowProblems(page, [refusal]);
  await expect(title(page)).toBeVisible();
  assert.ok(page.problems.some((text) => refusal.test(text)), "the browser says so");
  const sheets = await page.evaluate(() => [...document.styleSheets].map((sheet) => sheet.href ?? "").join(" "));
  assert.doesNotMatch(sheets, /styles-/);
});

test("a changed part fails on its page only", { tag: "@release" }, async ({ openDamaged }) => {
  const page = await openDamaged(/^part-work-/);
  allowProblems(page, [refusal]);
  await expect(title(page)).toBeVisible();
  await page.goto("/tasks");
  await expect(page.getByRole("button", { name: "다시 시도" }).first()).toBeVisible();
  await page.getByRole("link", { name: "홈" }).first().click();
  await expect(page).toHaveURL("/");
  await expect(page.getByRole("link", { name: /전체 보기/ }).first()).toBeVisible();
});

test("a damaged cached file is fetched again", { tag: "@release" }, async ({ openPage, monitor }) => {
  const page = await openPage(monitor.url, { workers: "allow", now: null });
  await expect(title(page)).toBeVisible();
  const cached = () =>
    page.evaluate(async () => {
      const files = await caches.open("task-hub-files");
      return (await files.keys()).map((request) => request.url).find((url) => /_bg\.wasm$/.test(url));
    });
  await expect.poll(cached, "the worker caches the program").toBeTruthy();
  const wasm = await cached();
  await page.evaluate(async (url) => {
    const files = await caches.open("task-hub-files");
    await files.put(url, new Response(new Uint8Array([0, 97, 115, 109, 1]), { headers: { "content-type": "application/wasm" } }));
  }, wasm);
  await page.reload();
  await expect(title(page)).toBeVisible();
  const size = await page.evaluate(async (url) => (await (await (await caches.open("task-hub-files")).match(url)).arrayBuffer()).byteLength, wasm);
  assert.ok(size > 100_000, "the whole file took its place");
});

test("the page refuses markup and scripts given as text", { tag: "@quick" }, async ({ openPage, monitor }) => {
  const page = await openPage(monitor.url, { workers: "allow" });
  allowProblems(page, [/This document requires 'Trusted(HTML|Script|ScriptURL)' assignment/]);
  await expect(title(page)).toBeVisible();
  const outcome = await page.evaluate(async () => {
    const place = document.createElement("div");
    const put = (markup) => {
      try {
        place.innerHTML = markup;
        return "taken";
      } catch (error) {
        return error.name;
      }
    };
    const refused = ["<img src=x onerror=alert(1)>", "<a href='javascript:alert(1)'>x</a>", "<span onclick=x>", "<span style=\"x\">", "<script>x</script>", "<svg></svg>", "<span class=\"a\"\">", "< span>", "<span class=a onclick=b>"];
    const sinks = {
      insert: () => place.insertAdjacentHTML("beforeend", refused[0]),
      outer: () => (place.outerHTML = refused[0]),
      parser: () => new DOMParser().parseFromString(refused[0], "text/html"),
      source: () => (document.createElement("script").src = "x.js"),
      text: () => (document.createElement("script").text = "1"),
      frame: () => (document.createElement("iframe").srcdoc = refused[0]),
    };
    const names = Object.entries(sinks).map(([name, sink]) => {
      try {
        sink();
        return `${name}: taken`;
      } catch {
        return null;
      }
    });
    const worker = await navigator.serviceWorker.register("/elsewhere.js").then(() => "taken", (error) => error.name);
    // Trusted Types refuse the text, the policy would refuse to run it.
    let timer = "taken";
    try {
      setTimeout("window.ran = true");
    } catch (error) {
      timer = error.name;
    }
    await new Promise((done) => setTimeout(done, 50));
    return { worker, timer, ran: window.ran ?? false, refused: refused.map(put), own: put('<span class="rule-v" aria-hidden="true"></span><kbd>J</kbd>'), sinks: names.filter(Boolean) };
  });
  assert.deepEqual(new Set(outcome.refused), new Set(["TypeError"]));
  assert.equal(outcome.own, "taken", "the program's own empty elements pass");
  assert.deepEqual(outcome.sinks, []);
  assert.equal(outcome.worker, "TypeError");
  assert.equal(outcome.timer, "TypeError");
  assert.equal(outcome.ran, false, "no timer runs text");
});
