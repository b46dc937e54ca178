// Browser tests of the printed flow (sequence diagram). Each sheet repeats the lane heads and prints dark on light in
// every theme. No text or shape of the diagram is cut in two; only lanes and the bars along them continue on the next
// sheet.
//
// Proves (reading): In Chromium's print output each mark of a flow is whole on exactly one sheet and none exceeds the
// paper. Each sheet has lane heads and times. The print is dark on light in every theme.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";

import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { sessionWithFlow, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "print" } });

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
  // The session is not found until its first line is read.
  const arrows = async () => (await monitor.get(`/api/v2/sessions/${id}/flow`).catch(() => null))?.arrows.length;
  await expect.poll(arrows).toBe(count);
  return sessionWithFlow(monitor, "점검 결과 0");
}

/** Opens the page with a print dialog that returns at once. The page keeps its sheets until `afterprint`. */
async function open(page, path) {
  await page.goto(path);
  await waitUntilLoaded(page);
  await page.evaluate(() => (window.print = () => (window.prints = (window.prints ?? 0) + 1)));
}

/** Presses the button and waits for the sheets. */
async function print(page) {
  await expect(page.locator(".sheet"), "sheets exist only while they are printed").toHaveCount(0);
  await page.getByRole("button", { name: "인쇄", exact: true }).click();
  await expect.poll(() => page.evaluate(() => window.prints)).toBe(1);
  await page.emulateMedia({ media: "print" });
}

/** The content of each sheet. Runs inside the page. */
function onSheets() {
  const box = (one) => one.getBoundingClientRect();
  const texts = (root, selector) => [...root.querySelectorAll(selector)].map((one) => one.textContent);
  return [...document.querySelectorAll(".sheet")].map((sheet) => {
    const drawing = sheet.querySelector("svg.is-sheet");
    const frame = box(drawing);
    const paper = box(sheet);
    // Lanes, work, stems and task bars continue from sheet to sheet, in an svg element of their own.
    const whole = [...drawing.children].filter((one) => one.tagName !== "svg").flatMap((one) => [one, ...one.querySelectorAll("*")]);
    const shapes = whole.filter((one) => ["path", "text", "circle", "rect"].includes(one.tagName));
    const cut = shapes.filter((one) => {
      const { top, bottom, left, right } = box(one);
      return top < frame.top - 1 || bottom > frame.bottom + 1 || left < frame.left - 1 || right > frame.right + 1;
    });
    const lines = whole.filter((one) => one.matches(".flow__line"));
    const inside = (one) => box(one).bottom <= paper.bottom + 1 && box(one).top >= paper.top - 1 && box(one).right <= paper.right + 1;
    return {
      names: texts(drawing, ".flow__name"),
      times: texts(drawing, ".flow__tick").length,
      texts: texts(drawing, "text"),
      lines: lines.map((one) => one.getAttribute("d")),
      cut: cut.map((one) => `${one.getAttribute("class")} ${one.textContent}`),
      above: sheet.querySelector("header").innerText,
      below: sheet.querySelector("footer").innerText,
      fits: [...sheet.children].every(inside),
      ink: getComputedStyle(drawing.querySelector(".flow__name")).fill,
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

const A4 = { format: "A4", preferCSSPageSize: false, margin: { top: "12mm", bottom: "12mm", left: "12mm", right: "12mm" } };

test("a long flow in dark prints every arrow once", async ({ openPage, monitor }) => {
  const { flow, path, title, workSessionId } = await longSession(monitor, "ws_paper", 150);
  const page = await openPage(null, { theme: "dark", baseURL: monitor.url });
  await open(page, path);
  await print(page);
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
    assert.ok(sheet.ink.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 60), `dark ink: ${sheet.ink}`);
  }
  const lines = sheets.flatMap((sheet) => sheet.lines);
  assert.equal(lines.length, flow.arrows.length, "each arrow is drawn");
  assert.equal(new Set(lines).size, flow.arrows.length, "each once");
  const texts = sheets.flatMap((sheet) => sheet.texts).filter((text) => /^점검 결과 \d/.test(text));
  assert.deepEqual(texts.map((text) => Number(text.match(/\d+/)[0])), Array.from({ length: 150 }, (_, n) => n), "in order of time");
  assert.equal(await page.getByRole("banner").count(), 0, "nothing else of the page is printed");
  assert.ok(!(await page.locator(".flow-frame").isVisible()));
  const { count, boxes } = pagesOf(await page.pdf({ preferCSSPageSize: true }));
  assert.equal(count, sheets.length, "a sheet is a page");
  assert.ok(boxes.every(([, , width, height]) => height > width), String(boxes[0]));
  assert.equal(pagesOf(await page.pdf(A4)).count, sheets.length, "on A4 too");
  // The saved file still holds the whole flow.
  await page.emulateMedia({ media: "screen" });
  await expect(page.locator(".sheet")).toHaveCount(0);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "SVG로 저장" }).click()]);
  const file = await readFile(await download.path(), "utf8");
  for (const nth of [0, 75, 149]) assert.ok(file.includes(`점검 결과 ${nth} `), `message ${nth} is in the file`);
});

for (const [words, landscape] of [["재고 동기화 배치 정상화", true], ["시간대 처리 정리", false], ["해외 고객 환불", false]]) {
  test(`"${words}" prints whole marks, ${landscape ? "landscape" : "portrait"}`, async ({ page, monitor }) => {
    const { flow, path } = await sessionWithFlow(monitor, words);
    await open(page, path);
    await print(page);
    const sheets = await page.evaluate(onSheets);
    assert.deepEqual(sheets.flatMap((sheet) => sheet.cut), []);
    assert.ok(sheets.every((sheet) => sheet.fits && sheet.names.length === flow.lanes.length));
    const delegations = (await page.locator(".sheet .flow__delegation").count()) - sheets.length;
    assert.equal(delegations, flow.delegations.length, "one stem each, besides the legend's");
    assert.ok(!sheets.flatMap((sheet) => sheet.texts).some((text) => text.includes("눌러서")), "nothing to press on paper");
    await expect(page.locator(".sheets.is-lying")).toHaveCount(Number(landscape));
    const { count, boxes } = pagesOf(await page.pdf({ preferCSSPageSize: true }));
    assert.equal(count, sheets.length);
    assert.ok(boxes.every(([, , width, height]) => width > height === landscape), String(boxes[0]));
  });
}

test("the browser's own print command prints the same", { tag: "@quick" }, async ({ page, monitor }) => {
  const { path } = await sessionWithFlow(monitor, "시간대 처리 정리");
  await open(page, path);
  await print(page);
  const sheets = await page.locator(".sheet").count();
  await page.emulateMedia({ media: null });
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await expect(page.locator(".sheet")).toHaveCount(0);
  // No button is pressed here: the browser notifies the page before it prints.
  await page.evaluate(() => addEventListener("beforeprint", () => (window.sheets = document.querySelectorAll(".sheet").length)));
  assert.equal(pagesOf(await page.pdf({ preferCSSPageSize: true })).count, sheets);
  assert.equal(await page.evaluate(() => window.sheets), sheets, "the sheets were there in time");
  await expect(page.locator(".sheet")).toHaveCount(0);
  // A table is printed as a table.
  const table = page.getByRole("table", { name: "협업 흐름 표" });
  await page.getByRole("navigation", { name: "보기" }).getByRole("link", { name: "표" }).click();
  await expect(table).toBeVisible();
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.emulateMedia({ media: "print" });
  await expect(table).toBeVisible();
  await expect(page.locator(".sheet")).toHaveCount(0);
});
