// Every view holds together at every width and in both languages: nothing wider than the window, no two controls on
// top of each other, no text cut without a sign, nothing too small to be hit.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { frames } from "../support/thread.mjs";
import { idle } from "../support/verbs.mjs";
import { SIZES, views } from "../support/views.mjs";

let monitor;
let browser;
let all;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
  all = await views(monitor);
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

/** What is wrong with how the page lies, in words. Runs inside the page. */
function faults() {
  const out = [];
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) out.push(`${wide} px wider than the window`);
  const told = (one) => {
    const text = (one.getAttribute("aria-label") ?? one.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `${one.tagName.toLowerCase()}.${[...one.classList].join(".")} “${text}”`;
  };
  const seen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const box = (one) => one.getBoundingClientRect();

  const controls = [...document.querySelectorAll("a[href], button, input, select, summary, [role=option], [role=tab]")];
  const shown = controls.filter((one) => seen(one) && box(one).width > 0 && !one.closest(".skip-link, .visually-hidden"));
  for (const one of shown) {
    let { width, height } = box(one);
    // A link within a sentence is as high as its line (WCAG 2.5.8, inline).
    const inline = getComputedStyle(one).display === "inline";
    // A pseudo-element may make the hit area larger than what is drawn.
    const after = getComputedStyle(one, "::after");
    if (after.position === "absolute" && after.content !== "none") {
      width = Math.max(width, parseFloat(after.width) || 0);
      height = Math.max(height, parseFloat(after.height) || 0);
    }
    if (!inline && (width < 23.5 || height < 23.5)) {
      out.push(`${told(one)} is ${Math.round(width)} × ${Math.round(height)} px`);
    }
  }
  // Controls on top of each other: what lies at the middle of one must be it, a part of it, or something around it
  // that lets it through.
  for (const one of shown) {
    const { left, right, top, bottom } = box(one);
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const hit = document.elementFromPoint(x, y);
    if (!hit || one.contains(hit) || hit.contains(one)) continue;
    const other = hit.closest("a[href], button, input, select, summary");
    // Bars that stay in place cover what scrolls beneath them.
    const fixed = (element) => {
      for (let at = element; at; at = at.parentElement) {
        if (["fixed", "sticky"].includes(getComputedStyle(at).position)) return true;
      }
      return false;
    };
    if (other && other !== one && !fixed(other)) out.push(`${told(one)} lies under ${told(other)}`);
  }
  // Text that its box cuts off without an ellipsis or a way to scroll.
  for (const one of document.querySelectorAll("main *, header *, nav *")) {
    if (!seen(one) || one.closest(".visually-hidden, svg, pre, table")) continue;
    // A heading kept for the ear alone lies on one pixel.
    if (box(one).width <= 1 && box(one).height <= 1) continue;
    const style = getComputedStyle(one);
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !["hidden", "clip"].includes(style.overflowX)) continue;
    const cut = one.scrollWidth > one.clientWidth + 1;
    const clamped = style.webkitLineClamp !== "none" || style.textOverflow === "ellipsis";
    if (cut && !clamped) out.push(`${told(one)} is cut`);
  }
  // Times stay within their row, labels of a chart on their one line and apart, and no word of a table breaks.
  for (const one of document.querySelectorAll("main li > time, main article > time")) {
    const words = document.createRange();
    words.selectNodeContents(one);
    const over = box(words).right - box(one.parentElement).right;
    if (seen(one) && over > 0.5) out.push(`${told(one)} sticks out by ${over.toFixed(1)} px`);
  }
  for (const label of document.querySelectorAll(".share__edges > span, .share__top")) {
    const { fontSize, paddingTop } = getComputedStyle(label);
    if (box(label).height - parseFloat(paddingTop) > 1.6 * parseFloat(fontSize)) out.push(`${told(label)} wraps`);
    if (label.scrollWidth > label.clientWidth + 1) out.push(`${told(label)} is cut`);
    const next = label.nextElementSibling;
    if (label.matches("span") && next && box(label).right + 4 > box(next).left) out.push(`${told(label)} meets ${told(next)}`);
  }
  for (const cell of document.querySelectorAll(".flow-table td:not(.flow-table__text), .flow-table th")) {
    const text = cell.firstChild?.nodeType === 3 ? cell.firstChild : null;
    for (const word of text?.data.matchAll(/[\p{L}\p{N}]+/gu) ?? []) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (range.getClientRects().length > 1) out.push(`${told(cell)} breaks “${word[0]}”`);
    }
  }
  // All views of a session are in sight, and what parts people from the rest of a card never begins a line.
  for (const tabs of document.querySelectorAll(".session-tabs")) {
    if (tabs.scrollWidth > tabs.clientWidth) out.push(`${told(tabs)} does not fit`);
  }
  for (const people of document.querySelectorAll(".session-card__people:not(:empty)")) {
    const line = box(people.parentElement);
    const begins = [...people.parentElement.children].every((other) => other === people || box(other).bottom <= box(people).top + 2 || box(other).top >= box(people).bottom - 2);
    const { left, content } = getComputedStyle(people, "::before");
    const drawn = content !== "none" && box(people).left + parseFloat(left) + 1 > line.left;
    if (begins && (drawn || parseFloat(getComputedStyle(people).borderLeftWidth) > 0)) out.push(`${told(people)} begins with a divider`);
  }
  return [...new Set(out)];
}

// At 200 % a window is half as wide: nothing is lost there either.
const ZOOMED = { name: "640", width: 640, height: 450 };
const WIDTHS = [...SIZES, ZOOMED];

for (const language of ["ko", "en"]) {
  test(`every view holds together, also while its window changes (${language}: ${WIDTHS.map(({ name }) => name).join(", ")} px)`, async () => {
    const page = await openPage(browser, monitor.url, { ...SIZES[0], language });
    const found = [];
    for (const [name, path] of Object.entries(all)) {
      await page.goto(monitor.url + path);
      for (const size of WIDTHS) {
        await page.setViewportSize(size);
        await idle(page);
        await frames(page);
        found.push(...(await page.evaluate(faults)).map((text) => `${name}, ${size.name} px: ${text}`));
      }
    }
    assert.deepEqual(found, []);
    await page.context().close();
  });
}
