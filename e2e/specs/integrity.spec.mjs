// Nothing but what was built runs: one changed byte stops a file, and markup that comes as text is refused.
import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { bundleDir, eventually, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
});

/** A copy of the bundle in which `change` may damage files; `file` finds one by its name's shape. */
async function bundleWith(change) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-bundle-"));
  await cp(bundleDir, folder, { recursive: true });
  const names = await readdir(folder);
  await change(folder, (shape) => names.find((name) => shape.test(name)));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Changes one byte in the middle and takes the packed siblings away, so that this file is what is served. */
async function damage(folder, name) {
  const file = path.join(folder, name);
  const bytes = await readFile(file);
  // The last byte but one of a script or sheet stands outside of strings; any bit of a wasm file counts.
  const at = name.endsWith(".wasm") ? bytes.length >> 1 : bytes.length - 1;
  if (name.endsWith(".wasm")) bytes[at] ^= 1;
  await writeFile(file, name.endsWith(".wasm") ? bytes : Buffer.concat([bytes, Buffer.from(" ")]));
  for (const packed of ["br", "zst", "gz"]) await rm(`${file}.${packed}`, { force: true });
}

async function over(folder, look, options) {
  const monitor = await startMonitor({ bundle: folder });
  try {
    const page = await openPage(browser, monitor.url, options);
    await look(page, monitor);
    await page.context().close();
  } finally {
    await monitor.stop();
  }
}

const home = (page) => page.getByRole("heading", { level: 1 }).first();

test("an untouched copy starts, without a word in the console", async () => {
  const copy = await bundleWith(async () => {});
  await over(copy.folder, async (page, monitor) => {
    await home(page).waitFor();
    await page.goto(`${monitor.url}/all`);
    await idle(page);
    assertNoProblems(page);
    let asked = 0;
    page.on("request", (request) => (asked += /_bg\.wasm$/.test(request.url()) ? 1 : 0));
    await page.goto(`${monitor.url}/`);
    await idle(page);
    assert.equal(asked, 1, "the preloaded wasm is the one that runs");
  });
  await copy.remove();
});

for (const [what, shape] of [
  ["script", /^task-hub-[0-9a-f]{16}\.js$/],
  ["wasm", /^task-hub-[0-9a-f]{16}_bg\.wasm$/],
]) {
  test(`one changed byte in the ${what} and nothing starts`, async () => {
    const copy = await bundleWith((folder, file) => damage(folder, file(shape)));
    await over(copy.folder, async (page) => {
      await eventually("the browser refuses it", () => page.problems.some((text) => /integrity/i.test(text)));
      await page.waitForLoadState("load");
      assert.equal(await home(page).count(), 0, "the program did not start");
    });
    await copy.remove();
  });
}

test("a changed style sheet is not applied", async () => {
  const copy = await bundleWith((folder, file) => damage(folder, file(/^styles-/)));
  await over(copy.folder, async (page) => {
    await home(page).waitFor();
    assert.ok(page.problems.some((text) => /integrity/i.test(text)), "the browser says so");
    const sheets = await page.evaluate(() => [...document.styleSheets].map((sheet) => sheet.href ?? "").join(" "));
    assert.doesNotMatch(sheets, /styles-/);
  });
  await copy.remove();
});

test("a changed part is told on the page that needs it, and the rest goes on", async () => {
  const copy = await bundleWith((folder, file) => damage(folder, file(/^part-work-/)));
  await over(copy.folder, async (page, monitor) => {
    await home(page).waitFor();
    await page.goto(`${monitor.url}/tasks`);
    await page.getByRole("button", { name: "다시 시도" }).first().waitFor();
    await page.getByRole("link", { name: "홈" }).first().click();
    await page.waitForURL(`${monitor.url}/`);
    await page.getByRole("link", { name: /전체 보기/ }).first().waitFor();
  });
  await copy.remove();
});

test("a kept file that was damaged is fetched anew", async () => {
  const monitor = await startMonitor();
  const page = await openPage(browser, monitor.url, { workers: "allow", now: null });
  await home(page).waitFor();
  const kept = () =>
    page.evaluate(async () => {
      const files = await caches.open("task-hub-files");
      return (await files.keys()).map((request) => request.url).find((url) => /_bg\.wasm$/.test(url));
    });
  const wasm = await eventually("the worker keeps the program", kept);
  await page.evaluate(async (url) => {
    const files = await caches.open("task-hub-files");
    await files.put(url, new Response(new Uint8Array([0, 97, 115, 109, 1]), { headers: { "content-type": "application/wasm" } }));
  }, wasm);
  await page.reload();
  await home(page).waitFor();
  const size = await page.evaluate(async (url) => (await (await (await caches.open("task-hub-files")).match(url)).arrayBuffer()).byteLength, wasm);
  assert.ok(size > 100_000, "the whole file took its place");
  await page.context().close();
  await monitor.stop();
});

test("markup and scripts that come as text are refused by the page itself", async () => {
  const monitor = await startMonitor();
  const page = await openPage(browser, monitor.url, { workers: "allow" });
  await home(page).waitFor();
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
    // The page's types refuse the text as such, its policy would refuse to run it.
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
  await page.context().close();
  await monitor.stop();
});
