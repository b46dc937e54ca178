// Steps of the smoke test of one browser engine. Every view is complete, the masthead fits, and a new event appears
// without a reload.
//
// It uses the real clock: WebKitGTK's driver cannot run a script before the page's own scripts.
import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { startMixed } from "../support/mixed.mjs";
import { eventually, monitorProgram } from "../support/monitor.mjs";
import { test as base, expect } from "../support/test.mjs";
import { count, place, talk } from "../support/thread.mjs";
import { STORES, mixedViews, storeViews, views } from "../support/views.mjs";

const REAL_CLOCK = { clock: null };
/** The narrowest window that MiniBrowser can have is 447 px. */
const SIZES = [
  { width: 480, height: 900 },
  { width: 1440, height: 900 },
];

/** Declares the tests of the engine `title`; `start` is one of `support/engines.mjs`. */
export function smoke(title, start) {
  const test = base.extend({
    browserEngine: [
      async ({}, use) => {
        const engine = await start();
        await use(engine);
        await engine.close();
      },
      { scope: "worker" },
    ],
    /** The worker's engine; a failed test attaches what it shows. */
    engine: async ({ browserEngine }, use, info) => {
      await use(browserEngine);
      if (info.status !== info.expectedStatus) {
        await info.attach(`${browserEngine.name}.png`, { body: await browserEngine.screenshot(), contentType: "image/png" });
      }
    },
  });
  test.use({ home: { story: "everything", ...REAL_CLOCK, owner: "engines" } });
  test.describe.configure({ timeout: 300_000 });

  test(`${title}: every view of the log is complete`, async ({ engine, monitor }) => {
    expect(await faultsOf(engine, monitor, await views(monitor))).toEqual([]);
  });

  test(`${title}: every view of stored sessions is complete`, async ({ engine, startMonitor }) => {
    const monitor = await startMonitor({ ...STORES, ...REAL_CLOCK });
    expect(await faultsOf(engine, monitor, storeViews)).toEqual([]);
  });

  test(`${title}: every view of log and transcripts is complete`, async ({ engine }) => {
    const { monitor } = await startMixed(REAL_CLOCK);
    try {
      expect(await faultsOf(engine, monitor, mixedViews)).toEqual([]);
    } finally {
      await monitor.stop();
    }
  });

  test(`${title}: the masthead fits from 881 to 1221 px`, async ({ engine, monitor }) => {
    const found = [];
    for (const language of ["ko", "en"]) {
      await engine.open(`${monitor.url}/all`);
      await idle(engine);
      await engine.evaluate((chosen) => localStorage.setItem("task-hub.locale", chosen), language);
      await engine.open(`${monitor.url}/all`);
      await idle(engine);
      expect(await engine.evaluate(() => document.documentElement.lang)).toBe(language);
      for (let width = 881; width <= 1221; width += 20) {
        await engine.resize(width, 900);
        found.push(...(await engine.evaluate(mastheadFaults)).map((fault) => `${language}, ${width} px: ${fault}`));
      }
    }
    await engine.evaluate(() => localStorage.removeItem("task-hub.locale"));
    expect([...found, ...(await engine.console())]).toEqual([]);
  });

  test(`${title}: a new event appears in the open thread and in the list`, async ({ engine, monitor }) => {
    const now = Date.now();
    await monitor.append(talk("engines", "첫 메시지입니다.", -60_000, true, now));
    await eventually("the thread is read", async () => (await count(monitor, "engines")) === 1);
    await engine.open(place(monitor, "engines"));
    await idle(engine);
    await engine.evaluate(() => (window.notReloaded = true));
    await monitor.append(talk("engines", "새 답장입니다.", 0, false, now));
    await waitForText(engine, ".stream", "새 답장입니다.");
    expect(await engine.evaluate(() => window.notReloaded)).toBe(true);

    await engine.open(`${monitor.url}/all`);
    await idle(engine);
    await engine.evaluate(() => (window.notReloaded = true));
    await monitor.append(talk("engines-new", "방금 시작한 대화입니다.", 0, true, now));
    // The list of an open page changes at its reader's wish.
    await engine.waitFor("the list offers new activity", pressNewActivity);
    await waitForText(engine, "main", "방금 시작한 대화입니다.");
    expect(await engine.evaluate(() => window.notReloaded)).toBe(true);
    expect(await engine.console()).toEqual([]);
  });

  test(`${title}: an evidence page opens from a disk, and a changed one shows nothing`, async ({ engine, monitor }) => {
    const folder = await mkdtemp(path.join(tmpdir(), "task-hub-evidence-"));
    try {
      const [{ workSessionId }] = (await monitor.get("/api/v2/sessions?limit=1")).sessions;
      const session = encodeURIComponent(workSessionId);
      const answer = await fetch(`${monitor.url}/api/v2/evidence?session=${session}&format=html`);
      const file = path.join(folder, "evidence.html");
      const text = await answer.text();
      await writeFile(file, text);
      const found = [];
      await engine.resize(SIZES[1].width, SIZES[1].height);
      for (const view of ["", `#/s/${session}/flow`, `#/events?session=${session}`, "#/search?q=배포", "#/"]) {
        await engine.open("about:blank");
        await engine.open(`${pathToFileURL(file).href}${view}`);
        await engine.waitFor(`the evidence page shows ${view || "its session"}`, isShown);
        found.push(...(await engine.evaluate(viewFaults)).map((fault) => `${view}: ${fault}`));
        found.push(...(await engine.console()).map((line) => `${view}: ${line}`));
      }
      await engine.evaluate(() => document.querySelector("nav a[href$='/events']").click());
      await engine.waitFor("a link leads to the events", () => location.hash === "#/events");
      await engine.waitFor("the events are shown", isShown);
      expect([...found, ...(await engine.console())]).toEqual([]);

      const verified = (file) => spawnSync(monitorProgram, ["verify", file, "--home", monitor.home], { encoding: "utf8" });
      expect(verified(file).stdout).toContain("The log has every line of it");
      const forged = path.join(folder, "forged.html");
      await writeFile(forged, text.replace('"text":"', '"text":" '));
      expect(verified(forged).status).toBe(1);
      await engine.open(pathToFileURL(forged).href);
      await waitForText(engine, "body", "온전하지 않거나");
      expect(await engine.evaluate(() => document.querySelectorAll(".stream").length)).toBe(0);
    } finally {
      await engine.open("about:blank");
      await rm(folder, { recursive: true, force: true });
    }
  });
}

/** True when a page of opened files shows data. Runs inside the page. */
function isShown() {
  const loading = document.querySelector("[aria-busy=true], .skeleton, progress");
  return !loading && document.querySelector(".band.files") && document.querySelector("main h1")?.innerText.trim();
}

/** Opens the views and returns what is wrong with them, as text. */
async function faultsOf(engine, monitor, views) {
  const found = [];
  for (const [name, path] of Object.entries(views)) {
    await engine.resize(SIZES[0].width, SIZES[0].height);
    await engine.open(`${monitor.url}${path}`);
    await idle(engine, name);
    for (const { width, height } of SIZES) {
      await engine.resize(width, height);
      await idle(engine, name);
      const faults = await engine.evaluate(viewFaults);
      found.push(...faults.map((fault) => `${name}, ${width} px: ${fault}`));
    }
    found.push(...(await engine.console()).map((line) => `${name}: ${line}`));
  }
  // A page whose monitor stops reports its lost connection.
  await engine.open("about:blank");
  return found;
}

/** Waits until the page's link is alive and nothing is loading any more. */
const idle = (engine, name = "the page") => engine.waitFor(`${name} is idle`, isIdle);

/** Waits until the element shows the text. */
const waitForText = (engine, selector, text) =>
  eventually(`${engine.name}: ${selector} shows “${text}”`, async () => (await engine.text(selector)).includes(text));

/** True when the page shows data and its link is alive. Runs inside the page. */
function isIdle() {
  const status = document.querySelector("[role=status][aria-label='연결 상태'], [role=status][aria-label='Connection']");
  const live = /실시간|주기 확인|Live|Polling/i.test(status?.innerText ?? "");
  const loading = document.querySelector("[aria-busy=true], .skeleton");
  return live && !loading && document.fonts.status === "loaded" && document.querySelector("main")?.innerText.trim();
}

/** Faults of a loaded view, as text. Runs inside the page. */
function viewFaults() {
  const out = [];
  const heading = document.querySelector("main h1");
  if (!heading?.textContent.trim()) out.push("no level-1 heading");
  const alert = document.querySelector("main [role=alert]");
  if (alert) out.push(`an error: ${alert.innerText}`);
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) out.push(`${scrollWidth - clientWidth} px wider than the window`);
  return out;
}

/** Faults of the masthead's layout, as text. Runs inside the page. */
function mastheadFaults() {
  const out = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) out.push(`${scrollWidth - clientWidth} px wider than the window`);
  const boxes = [...document.querySelectorAll(".masthead > .brand, .masthead__nav a, .masthead__end > *:not(.visually-hidden, [popover])")]
    .filter((one) => one.checkVisibility() && getComputedStyle(one).position !== "absolute")
    .map((one) => ({ name: one.className || one.innerText, box: one.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0);
  for (const { name, box } of boxes) if (box.right > clientWidth) out.push(`${name} ends ${box.right - clientWidth} px outside`);
  boxes.reduce((left, right) => {
    if (left.box.right > right.box.left) out.push(`${left.name} overlaps ${right.name}`);
    return right;
  });
  return out;
}

/** Presses the button that shows what came in since the list was drawn; true when it was there. */
function pressNewActivity() {
  const button = [...document.querySelectorAll("main button")].find((one) => one.innerText.includes("새 활동"));
  button?.click();
  return Boolean(button);
}
