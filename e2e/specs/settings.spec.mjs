// Browser tests of the settings (language, theme, density, contrast), of installation as an app, of keyboard use and of
// small windows.
//
// Proves (page): In high contrast every text of every page has a contrast of 7:1 in both themes. Rows of the compact
// density are 64 px high. A zoom of 200 % and a tablet cut nothing off. The page can be installed.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { address, mainText, seek, titledSession, waitUntilLoaded } from "../support/steps.mjs";

/** Opens an address of the worker's monitor. */
async function open(page, path = "/") {
  await page.goto(path);
  await waitUntilLoaded(page);
}

test("the language switches the whole page and is remembered", { tag: "@quick" }, async ({ page }) => {
  await open(page);
  assert.match(await mainText(page), /카테고리/);
  await page.getByRole("button", { name: "언어" }).click();
  await expect(page.getByRole("navigation").getByRole("link", { name: "Tasks" }).first()).toBeVisible();
  assert.match(await mainText(page), /Categories/i);
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await expect(page.getByRole("banner"), "the age of the data, too").not.toContainText(/[가-힣]/);
  await page.reload();
  await waitUntilLoaded(page);
  assert.match(await mainText(page), /Categories/i);
});

/** The settings, opened. */
async function settings(page) {
  await page.getByRole("button", { name: "설정", exact: true }).click();
  const panel = page.getByRole("dialog", { name: "설정" });
  await expect(panel.getByRole("group", { name: "밝기" })).toBeVisible();
  return panel;
}

const paper = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

test("the theme switches, keeps the focus and is remembered", { tag: "@quick" }, async ({ page }) => {
  await open(page);
  const light = await paper(page);
  const panel = await settings(page);
  await panel.getByRole("button", { name: "어둡게" }).click();
  await expect.poll(() => paper(page), "the page is dark").not.toBe(light);
  const dark = await paper(page);
  assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), "어둡게");
  const bars = await page.locator("meta[name=theme-color]").evaluateAll((tags) => tags.map((tag) => tag.content));
  assert.equal(new Set(bars).size, 1, "both theme-color tags have the chosen theme's colour");
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "설정");
  await page.reload();
  await waitUntilLoaded(page);
  assert.equal(await paper(page), dark);
});

test("compact density gives rows of 64 px and is remembered", async ({ page }) => {
  await open(page, "/all");
  const heights = () => page.getByRole("main").locator("article").evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().height));
  const compact = async () => (await heights()).every((height) => Math.abs(height - 64) < 1.5);
  const usual = await heights();
  const panel = await settings(page);
  await panel.getByRole("group", { name: "간격" }).getByRole("button", { name: "촘촘하게" }).click();
  await expect.poll(compact, "every row is 64 px high").toBe(true);
  assert.ok(usual.some((height) => height > 66));
  await page.reload();
  await waitUntilLoaded(page);
  assert.ok(await compact());
});

/** Texts with a contrast below `least` against their background. */
function weakTexts(page, least) {
  return page.evaluate((least) => {
    const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    const rgba = (color) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = color;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const luminance = (color) => {
      const [r, g, b] = color.map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const color = rgba(getComputedStyle(at).backgroundColor);
        if (color[3] > 250) return color;
      }
      return [255, 255, 255, 255];
    };
    const weak = new Set();
    for (const element of document.querySelectorAll("body *")) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!own || !element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || element.closest(".visually-hidden, .emoji, .avatar, .tile, :disabled")) continue;
      const [a, b] = [luminance(rgba(getComputedStyle(element).color)), luminance(ground(element))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (contrast < least) weak.add(`${contrast.toFixed(2)} ${element.tagName}.${element.className} "${element.textContent.trim().slice(0, 30)}"`);
    }
    return [...weak];
  }, least);
}

for (const theme of ["light", "dark"]) {
  test(`high contrast gives every text 7:1 (${theme})`, async ({ page, openPage, monitor }) => {
    const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
    await page.emulateMedia({ colorScheme: theme });
    await open(page);
    const panel = await settings(page);
    await panel.getByRole("group", { name: "대비" }).getByRole("button", { name: "높게" }).click();
    // The press is drawn first, the page a moment later.
    await expect(page.locator("html")).toHaveAttribute("data-contrast", "more");
    assert.deepEqual(await weakTexts(page, 7), [], "the settings over home");
    for (const place of ["/", "/all", address(session), "/events", "/tasks"]) {
      await open(page, place);
      assert.deepEqual(await weakTexts(page, 7), [], place);
    }
    const fresh = await openPage(monitor.url, { theme });
    await fresh.emulateMedia({ contrast: "more" });
    await expect(fresh.locator("html"), "the page follows the system").toHaveAttribute("data-contrast", "more");
  });
}

test("with forced colours the chosen setting has an outline", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await open(page);
  const panel = await settings(page);
  const pressed = panel.getByRole("group", { name: "밝기" }).getByRole("button", { name: "시스템" });
  assert.equal(await pressed.evaluate((button) => getComputedStyle(button).outlineStyle), "solid");
});

test("the page can be installed: manifest and icons load", async ({ page, monitor }) => {
  await open(page);
  const href = await page.locator("link[rel=manifest]").evaluate((link) => link.href);
  const manifest = await page.evaluate(async (href) => (await fetch(href)).json(), href);
  assert.equal(new URL(manifest.start_url, href).href, `${monitor.url}/`);
  for (const icon of manifest.icons) {
    const answer = await page.evaluate(async (src) => {
      const response = await fetch(src);
      const size = await createImageBitmap(await response.blob()).then((bitmap) => bitmap.width, () => null);
      return { type: response.headers.get("content-type"), size };
    }, new URL(icon.src, href).href);
    assert.equal(answer.type, icon.type, icon.src);
    if (icon.type === "image/png") assert.equal(answer.size, Number(icon.sizes.split("x")[0]), icon.src);
  }
  const devtools = await page.context().newCDPSession(page);
  const { installabilityErrors } = await devtools.send("Page.getInstallabilityErrors");
  // A fresh context counts as private, where nothing can be installed. No other error is allowed.
  assert.deepEqual(installabilityErrors.map((error) => error.errorId).filter((id) => id !== "in-incognito"), []);
});

test("the page follows the system's dark theme", async ({ page, openPage, monitor }) => {
  await open(page);
  const dark = await openPage(monitor.url, { theme: "dark" });
  await waitUntilLoaded(dark);
  assert.notEqual(await paper(page), await paper(dark));
});

test("the keyboard reaches the main part with visible focus", { tag: "@quick" }, async ({ page }) => {
  await open(page);
  await page.keyboard.press("Tab");
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /본문으로 건너뛰기/);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement?.id), "main");
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => {
    const style = getComputedStyle(document.activeElement);
    return style.outlineStyle !== "none" || style.boxShadow !== "none";
  });
  assert.ok(outline, "the focused link shows that it is focused");
});

for (const [name, size] of [["zoomed to 200 %", { width: 640, height: 500 }], ["on a tablet", { width: 820, height: 1180 }]]) {
  test(`${name}, no item of the bar is cut off or overlaps`, async ({ page }) => {
    await page.setViewportSize(size);
    for (const place of ["/", "/all", "/events", "/tasks"]) {
      await open(page, place);
      const cut = await page.evaluate(() => {
        const items = [...document.querySelectorAll("header.masthead :is(a, button)")].filter((item) => item.checkVisibility());
        const boxes = items.map((item) => [item.textContent || item.ariaLabel, item.getBoundingClientRect()]);
        const wide = document.documentElement.scrollWidth - innerWidth;
        const out = boxes.filter(([, box]) => box.left < -0.5 || box.right > innerWidth + 0.5).map(([name]) => name);
        const over = boxes.flatMap(([name, a], at) => boxes.slice(at + 1).filter(([, b]) => a.right > b.left + 0.5 && b.right > a.left + 0.5 && a.bottom > b.top + 0.5 && b.bottom > a.top + 0.5).map(([other]) => `${name} × ${other}`));
        return { wide: Math.max(wide, 0), out, over };
      });
      assert.deepEqual(cut, { wide: 0, out: [], over: [] }, place);
    }
  });
}

test("g then a letter goes to a view, within its time", async ({ page }) => {
  await open(page);
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL(/\/tasks/);
  await page.keyboard.press("g");
  await page.keyboard.press("h");
  await page.waitForURL((url) => url.pathname === "/");
  // The timer of the first g must not end the second one.
  await page.keyboard.press("g");
  await page.keyboard.press("t");
  await page.waitForURL(/\/tasks/);
  await page.waitForTimeout(600);
  await page.keyboard.press("g");
  // Now the first g is older than its time, and the second one is not.
  await page.waitForTimeout(700);
  await page.keyboard.press("h");
  await page.waitForURL((url) => url.pathname === "/");
});

test("letters typed in the palette are no shortcuts", async ({ page }) => {
  await open(page, "/all");
  await seek(page, "");
  await page.keyboard.type("gh");
  await expect(page.getByRole("combobox", { name: "명령과 찾기" })).toHaveValue("gh");
  assert.match(page.url(), /\/all/);
});

test("a phone has tabs at the bottom and no overflow", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  for (const place of ["홈", "협업", "이벤트", "작업"]) {
    await page.getByRole("navigation", { name: /휴대폰/ }).getByRole("link", { name: place, exact: true }).click();
    await waitUntilLoaded(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(wide <= 0, `${place} is ${wide} px too wide`);
  }
});
