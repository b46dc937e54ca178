// Browser tests of the layout of every view, at every width and in both languages. Nothing is wider than the window, no
// controls overlap, no text is cut without an ellipsis, and no control is too small.
//
// Proves (page): On every view, in both languages, at every width from 320 to 1,480 px in steps of 40 and at 200 %:
// nothing is wider than the window, no controls overlap, no text is cut without a sign, no word in a table is broken,
// and no touch target is below 24 px.
import assert from "node:assert/strict";

import { test } from "../support/test.mjs";
import { frames } from "../support/thread.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";
import { views } from "../support/views.mjs";

/** Faults of the page's layout, as text. Runs inside the page. */
function faults() {
  const out = [];
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) out.push(`${wide} px wider than the window`);
  const name = (one) => {
    const text = (one.getAttribute("aria-label") ?? one.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    return `${one.tagName.toLowerCase()}.${[...one.classList].join(".")} “${text}”`;
  };
  const seen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const box = (one) => one.getBoundingClientRect();
  /** True where a scroller around the element hides this point of it. */
  const isClipped = (one, x, y) => {
    for (let at = one.parentElement; at; at = at.parentElement) {
      const { left, right, top, bottom } = box(at);
      const outside = x < left || x > right || y < top || y > bottom;
      if (outside && getComputedStyle(at).overflowY !== "visible") return true;
    }
    return false;
  };

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
      out.push(`${name(one)} is ${Math.round(width)} × ${Math.round(height)} px`);
    }
  }
  // Overlapping controls: the element at the middle of one must be itself, a part of it, or an ancestor.
  for (const one of shown) {
    // The box of a link on two lines has its middle between them.
    const { left, right, top, bottom } = one.getClientRects()[0];
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight || isClipped(one, x, y)) continue;
    const hit = document.elementFromPoint(x, y);
    if (!hit || one.contains(hit) || hit.contains(one)) continue;
    const other = hit.closest("a[href], button, input, select, summary");
    // Fixed and sticky bars cover the content that scrolls below them.
    const fixed = (element) => {
      for (let at = element; at; at = at.parentElement) {
        if (["fixed", "sticky"].includes(getComputedStyle(at).position)) return true;
      }
      return false;
    };
    if (other && other !== one && !fixed(other)) out.push(`${name(one)} lies under ${name(other)}`);
  }
  // Text cut off by its box without an ellipsis or a way to scroll.
  for (const one of document.querySelectorAll("main *, header *, nav *")) {
    if (!seen(one) || one.closest(".visually-hidden, svg, pre, table")) continue;
    // A heading for screen readers only is one pixel large.
    if (box(one).width <= 1 && box(one).height <= 1) continue;
    const style = getComputedStyle(one);
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || !["hidden", "clip"].includes(style.overflowX)) continue;
    const cut = one.scrollWidth > one.clientWidth + 1;
    const clamped = style.webkitLineClamp !== "none" || style.textOverflow === "ellipsis";
    if (cut && !clamped) out.push(`${name(one)} is cut`);
  }
  // Times stay within their row, labels of a chart on one line and apart; no word of a table breaks.
  for (const one of document.querySelectorAll("main li > time, main article > time")) {
    const words = document.createRange();
    words.selectNodeContents(one);
    const over = box(words).right - box(one.parentElement).right;
    if (seen(one) && over > 0.5) out.push(`${name(one)} sticks out by ${over.toFixed(1)} px`);
  }
  for (const label of document.querySelectorAll(".share__edges > span, .share__top")) {
    const { fontSize, paddingTop } = getComputedStyle(label);
    if (box(label).height - parseFloat(paddingTop) > 1.6 * parseFloat(fontSize)) out.push(`${name(label)} wraps`);
    if (label.scrollWidth > label.clientWidth + 1) out.push(`${name(label)} is cut`);
    const next = label.nextElementSibling;
    if (label.matches("span") && next && box(label).right + 4 > box(next).left) out.push(`${name(label)} meets ${name(next)}`);
  }
  for (const cell of document.querySelectorAll(".flow-table td:not(.flow-table__text), .flow-table th")) {
    const text = cell.firstChild?.nodeType === 3 ? cell.firstChild : null;
    for (const word of text?.data.matchAll(/[\p{L}\p{N}]+/gu) ?? []) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (range.getClientRects().length > 1) out.push(`${name(cell)} breaks “${word[0]}”`);
    }
  }
  // All tabs of a session are visible, and the divider before a card's people never begins a line.
  for (const tabs of document.querySelectorAll(".session-tabs")) {
    if (tabs.scrollWidth > tabs.clientWidth) out.push(`${name(tabs)} does not fit`);
  }
  for (const people of document.querySelectorAll(".session-card__people:not(:empty)")) {
    const line = box(people.parentElement);
    const begins = [...people.parentElement.children].every((other) => other === people || box(other).bottom <= box(people).top + 2 || box(other).top >= box(people).bottom - 2);
    const { left, content } = getComputedStyle(people, "::before");
    const drawn = content !== "none" && box(people).left + parseFloat(left) + 1 > line.left;
    if (begins && (drawn || parseFloat(getComputedStyle(people).borderLeftWidth) > 0)) out.push(`${name(people)} begins with a divider`);
  }
  return [...new Set(out)];
}

/** Opens the views, resizes the window to each width and collects the faults. */
async function walkWidths(page, views, sizes) {
  const found = [];
  for (const [name, path] of Object.entries(views)) {
    await page.goto(path);
    for (const size of sizes) {
      await page.setViewportSize(size);
      await waitUntilLoaded(page);
      await frames(page);
      found.push(...(await page.evaluate(faults)).map((text) => `${name}, ${size.width} px: ${text}`));
    }
  }
  assert.deepEqual(found, []);
}

test("the main views fit a phone, a tablet and a desktop", { tag: "@quick" }, async ({ page, monitor }) => {
  const { sessions, thread, events } = await views(monitor);
  await walkWidths(page, { sessions, thread, events }, [390, 1024, 1440].map((width) => ({ width, height: 1000 })));
});

test.describe("every view fits every width", () => {
  test.describe.configure({ mode: "parallel", timeout: 1_800_000 });
  const widths = Array.from({ length: 30 }, (_, step) => ({ width: 320 + 40 * step, height: 1000 }));
  // At 200 % a window is half as wide and half as high.
  const zoomed = { width: 640, height: 450 };
  for (const language of ["ko", "en"]) {
    test.describe(() => {
      test.use({ look: { language } });
      test(`in ${language}, from 320 to 1480 px and zoomed`, async ({ page, monitor }) => {
        await walkWidths(page, await views(monitor), [...widths, zoomed]);
      });
    });
  }
});
