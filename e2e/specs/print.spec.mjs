// The braid on paper: sheets that each have the heads of all lanes, that cut no mark in two and leave none out, light in
// every theme; as the browser prints them.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "../support/monitor.mjs";
import { braided, idle } from "../support/verbs.mjs";

let browser;
const monitors = {};
before(async () => {
  browser = await startBrowser();
  for (const story of ["fan-out", "trouble", "spawn", "blocked-task"]) monitors[story] = await startMonitor({ story });
});
after(async () => {
  await browser?.close();
  for (const monitor of Object.values(monitors)) await monitor.stop();
});

/** A session of many turns between four agents, some of them at once, over two days. */
async function longSession(monitor, id, count) {
  const agents = ["ruda", "eden", "seum", "dajim"];
  const lines = Array.from({ length: count }, (_, n) =>
    message({
      from: agents[n % 4], to: agents[(n + 1 + (n % 3)) % 4], text: `점검 결과 ${n} 공유드립니다`, session: id, conversation: `${id}-${n % 9}`,
      at: FIXTURE_NOW - (count - n) * (n < count / 2 ? 900_000 : 20_000), type: n % 2 ? "a2a.response" : "a2a.send",
    }),
  );
  await monitor.append(...lines);
  await eventually("all are read", async () => (await monitor.get(`/api/v2/sessions/${id}/flow`)).arrows.length === count);
  return braided(monitor, "점검 결과 0");
}

async function open(monitor, path, options = {}) {
  const page = await openPage(browser, monitor.url + path, options);
  await idle(page);
  // What the browser's own dialog would hold up; the page takes it for open until it is told otherwise.
  await page.evaluate(() => (window.print = () => (window.asked = (window.asked ?? 0) + 1)));
  return page;
}

/** Presses the button and waits for the sheets. */
async function askForPaper(page) {
  assert.equal(await page.locator(".sheet").count(), 0, "they are there only while they are printed");
  await page.getByRole("button", { name: "인쇄", exact: true }).click();
  await eventually("the printer is asked", () => page.evaluate(() => window.asked === 1));
  await page.emulateMedia({ media: "print" });
}

/** What stands on each sheet. Runs inside the page. */
function onSheets() {
  const box = (one) => one.getBoundingClientRect();
  const texts = (root, selector) => [...root.querySelectorAll(selector)].map((one) => one.textContent);
  return [...document.querySelectorAll(".sheet")].map((sheet) => {
    const drawing = sheet.querySelector("svg.is-sheet");
    const frame = box(drawing);
    const paper = box(sheet);
    // Lanes, work, stems and stretches of ribbons go on from sheet to sheet: they stand in a frame of their own.
    const whole = [...drawing.children].filter((one) => one.tagName !== "svg").flatMap((one) => [one, ...one.querySelectorAll("*")]);
    const shapes = whole.filter((one) => ["path", "text", "circle", "rect"].includes(one.tagName));
    const cut = shapes.filter((one) => {
      const { top, bottom, left, right } = box(one);
      return top < frame.top - 1 || bottom > frame.bottom + 1 || left < frame.left - 1 || right > frame.right + 1;
    });
    const lines = whole.filter((one) => one.matches(".braid__line"));
    const inside = (one) => box(one).bottom <= paper.bottom + 1 && box(one).top >= paper.top - 1 && box(one).right <= paper.right + 1;
    return {
      names: texts(drawing, ".braid__name"),
      times: texts(drawing, ".braid__tick").length,
      texts: texts(drawing, "text"),
      lines: lines.map((one) => one.getAttribute("d")),
      cut: cut.map((one) => `${one.getAttribute("class")} ${one.textContent}`),
      above: sheet.querySelector("header").innerText,
      below: sheet.querySelector("footer").innerText,
      fits: [...sheet.children].every(inside),
      ink: getComputedStyle(drawing.querySelector(".braid__name")).fill,
    };
  });
}

/** Pages of a PDF, with their sizes. */
function pagesOf(pdf) {
  const text = pdf.toString("latin1");
  const boxes = [...text.matchAll(/\/MediaBox \[([\d. ]+)\]/g)].map((found) => found[1].trim().split(" ").map(Number));
  return { count: [...text.matchAll(/\/Type \/Page\b/g)].length, boxes };
}

const number = (text) => text.split("\n").at(-1).trim();

test("a long braid fills sheet after sheet: heads and times on each, every arrow whole on exactly one, in any theme", async () => {
  const { flow, path, title, workSessionId } = await longSession(monitors["fan-out"], "ws_paper", 150);
  const page = await open(monitors["fan-out"], path, { theme: "dark" });
  await askForPaper(page);
  const sheets = await page.evaluate(onSheets);
  assert.ok(sheets.length >= 4, `${sheets.length} sheets`);
  for (const [at, sheet] of sheets.entries()) {
    assert.deepEqual(sheet.names, sheets[0].names, "the same heads");
    assert.equal(sheet.names.length, flow.lanes.length);
    assert.deepEqual(sheet.cut, [], `sheet ${at + 1}`);
    assert.ok(sheet.times > 0 && sheet.fits, `sheet ${at + 1}: ${sheet.times} times`);
    assert.ok(sheet.above.includes(title) && sheet.above.includes(workSessionId), sheet.above);
    assert.match(sheet.above, /2026\. ?02\. ?21\./, "the date of the print");
    assert.equal(number(sheet.below), `${at + 1} / ${sheets.length}쪽`);
    assert.ok(sheet.ink.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 60), `dark ink on paper: ${sheet.ink}`);
  }
  assert.equal(sheets.flatMap((sheet) => sheet.lines).length, flow.arrows.length, "each arrow is drawn");
  assert.equal(new Set(sheets.flatMap((sheet) => sheet.lines)).size, flow.arrows.length, "each once");
  const said = sheets.flatMap((sheet) => sheet.texts).filter((text) => /^점검 결과 \d/.test(text));
  assert.deepEqual(said.map((text) => Number(text.match(/\d+/)[0])), Array.from({ length: 150 }, (_, n) => n), "in order of time");
  assert.equal(await page.getByRole("banner").count(), 0, "nothing else of the page is printed");
  assert.ok(!(await page.locator(".braid-frame").isVisible()));
  const { count, boxes } = pagesOf(await page.pdf({ preferCSSPageSize: true }));
  assert.equal(count, sheets.length, "a sheet is a page");
  assert.ok(boxes.every(([, , width, height]) => height > width), String(boxes[0]));
  assert.equal(pagesOf(await page.pdf({ format: "A4", preferCSSPageSize: false, margin: { top: "12mm", bottom: "12mm", left: "12mm", right: "12mm" } })).count, sheets.length, "on A4 too");
  // The file still holds all of it.
  await page.emulateMedia({ media: "screen" });
  await eventually("the sheets are gone once printed", async () => (await page.locator(".sheet").count()) === 0);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG로 저장" }).click()]);
  const file = await readFile(await download.path(), "utf8");
  for (const nth of [0, 75, 149]) assert.ok(file.includes(`점검 결과 ${nth} `), `message ${nth} is in the file`);
  assertNoProblems(page);
  await page.context().close();
});

test("a wide braid lies on its side; runs, ribbons and pauses stand whole on one sheet", async () => {
  for (const [story, words, lies] of [["trouble", "", true], ["spawn", "", false], ["blocked-task", "해외 고객 환불", false]]) {
    const { flow, path } = await braided(monitors[story], words);
    const page = await open(monitors[story], path);
    await askForPaper(page);
    const sheets = await page.evaluate(onSheets);
    assert.deepEqual(sheets.flatMap((sheet) => sheet.cut), [], story);
    assert.ok(sheets.every((sheet) => sheet.fits && sheet.names.length === flow.lanes.length), story);
    const texts = sheets.flatMap((sheet) => sheet.texts);
    assert.equal(await page.locator(".sheet .braid__twig").count() - sheets.length, flow.twigs.length, "a stem each, beside that of the legend");
    assert.ok(!texts.some((text) => text.includes("눌러서")), "nothing to press on paper");
    assert.equal(await page.locator(".sheets.is-lying").count(), Number(lies), story);
    const { count, boxes } = pagesOf(await page.pdf({ preferCSSPageSize: true }));
    assert.equal(count, sheets.length, story);
    assert.ok(boxes.every(([, , width, height]) => width > height === lies), `${story}: ${boxes[0]}`);
    assertNoProblems(page);
    await page.context().close();
  }
});

test("the browser's own command prints the same sheets; a table is printed as a table", async () => {
  const { path } = await braided(monitors.spawn);
  const page = await open(monitors.spawn, path);
  await askForPaper(page);
  const sheets = await page.locator(".sheet").count();
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await eventually("the sheets are gone", async () => (await page.locator(".sheet").count()) === 0);
  // Nobody presses the button here: the browser tells the page before it prints.
  const { count } = pagesOf(await page.pdf({ preferCSSPageSize: true }));
  assert.equal(count, sheets);
  await eventually("and gone again", async () => (await page.locator(".sheet").count()) === 0);
  await page.getByRole("navigation", { name: "보기" }).getByRole("link", { name: "표" }).click();
  await page.getByRole("table", { name: "협업 흐름 표" }).waitFor();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await page.getByRole("table", { name: "협업 흐름 표" }).waitFor();
  assert.equal(await page.locator(".sheet").count(), 0);
  assertNoProblems(page);
  await page.context().close();
});
