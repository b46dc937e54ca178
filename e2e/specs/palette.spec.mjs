// Browser tests of the command palette: it opens by key and by pointer, finds by Korean initials, acts once per Enter,
// and returns the focus.
//
// Proves (search): One press of Enter acts once, however the input method forwards it. Late answers never replace newer
// ones, and new results move nothing.
// See also: `src/app/tools/palette`.
import assert from "node:assert/strict";

import { allowProblems, expect, test } from "../support/test.mjs";
import { menu, titledSession, waitUntilLoaded } from "../support/steps.mjs";

const field = (page) => page.getByRole("combobox", { name: "명령과 찾기" });
const options = (page, group) => page.getByRole("group", { name: group, exact: true }).getByRole("option");

/** Opens the page at this address and its palette by key. */
async function openPalette(page, address) {
  await page.goto(address);
  await waitUntilLoaded(page);
  await pressOpen(page);
}

async function pressOpen(page) {
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
  await expect(options(page, "최근 협업").first()).toBeVisible();
}

/** Text of the selected option, read in one step: options may be redrawn between two. */
async function selected(page) {
  const [text, state] = await field(page).evaluate((box) => {
    const line = document.getElementById(box.getAttribute("aria-activedescendant"));
    return [line?.innerText ?? "", line?.ariaSelected];
  });
  assert.equal(state, "true");
  return text;
}

/** Moves the selection down to the option with this text. */
async function select(page, group, text) {
  await expect(options(page, group).filter({ hasText: text }).first()).toBeVisible();
  while (!(await selected(page)).includes(text)) await page.keyboard.press("ArrowDown");
}

/** Types the words and holds back their search response until the returned function is called. */
async function holdSearch(page, words) {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const matches = (request) => decodeURIComponent(request.url()).includes(`q=${words}`);
  await page.route(/\/api\/v2\/search\?.*q=/, async (route) => {
    if (matches(route.request())) await held;
    await route.continue().catch(() => undefined);
  });
  const requested = page.waitForRequest(matches);
  await page.keyboard.insertText(words);
  await requested;
  return release;
}

test("the palette returns the focus, finds by initials, opens", { tag: "@quick" }, async ({ page, monitor }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  await page.goto("/events");
  await waitUntilLoaded(page);
  await menu(page, "작업").focus();
  await pressOpen(page);
  await expect(options(page, "최근 협업")).toHaveCount(5);
  assert.ok((await options(page, "이동과 동작").count()) > 10);
  await page.keyboard.press("Escape");
  await expect(field(page)).toHaveCount(0);
  await expect(menu(page, "작업"), "the focus is back").toBeFocused();
  await page.getByRole("button", { name: "모든 곳에서 찾기" }).click();
  await expect(field(page)).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(field(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "모든 곳에서 찾기" })).toBeFocused();

  await pressOpen(page);
  await page.keyboard.insertText("ㄱㅈ ㄱㅇㅌ");
  const line = options(page, "협업").filter({ hasText: session.title });
  await expect(line).toBeVisible();
  assert.deepEqual(await line.locator("mark").allInnerTexts(), ["결제", "게이트"]);
  await select(page, "협업", session.title);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname.startsWith(`/s/${encodeURIComponent(session.workSessionId)}`));
  await expect(page.getByRole("heading", { name: session.title }).first()).toBeVisible();
});

test("a composition searches, keeps its arrows, Enter acts once", { tag: "@quick" }, async ({ page }) => {
  await openPalette(page, "/all");
  const ime = await page.context().newCDPSession(page);
  const compose = (text) => ime.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  await page.evaluate(() => {
    window.navigations = 0;
    const push = history.pushState;
    history.pushState = function (...args) {
      if (!String(args[2] ?? "").includes("/all")) window.navigations += 1;
      return push.apply(this, args);
    };
  });
  const commands = options(page, "이동과 동작");
  for (const typed of ["ㅇ", "이", "입", "이베"]) {
    await compose(typed);
    await expect(commands.filter({ hasText: "이벤트 열기" }).first(), typed).toBeVisible();
  }
  await expect(commands.first()).toContainText("이벤트 열기");
  const before = await field(page).getAttribute("aria-activedescendant");
  await page.keyboard.press("ArrowDown");
  assert.equal(await field(page).getAttribute("aria-activedescendant"), before, "the arrow belongs to the composition");
  await compose("이벤트 열");
  await expect(async () => assert.match(await selected(page), /이벤트 열기/)).toPass({ timeout: 30_000 });
  // Some systems send the Enter that ends a composition a second time.
  await page.keyboard.down("Enter");
  await ime.send("Input.insertText", { text: "이벤트 열" });
  await page.keyboard.up("Enter");
  await page.waitForURL(/\/events$/);
  await waitUntilLoaded(page);
  assert.equal(await page.evaluate(() => window.navigations), 1, "one press is one navigation");
  await expect(field(page)).toHaveCount(0);
});

test("Enter acts when the composition ended before it", async ({ page }) => {
  await openPalette(page, "/all");
  await page.keyboard.insertText("이벤트 열");
  await expect(async () => assert.match(await selected(page), /이벤트 열기/)).toPass({ timeout: 30_000 });
  // Safari's order: the key that ends a composition comes after its end, still with the `keyCode` of the input method.
  await field(page).dispatchEvent("compositionend");
  await field(page).dispatchEvent("keydown", { key: "Enter", code: "Enter", keyCode: 229, isComposing: false });
  await page.waitForURL(/\/events$/);
  await expect(field(page)).toHaveCount(0);
});

test("message results keep the layout and lead to the message", async ({ page }) => {
  await openPalette(page, "/");
  await page.keyboard.insertText("배포");
  const message = options(page, "메시지").first();
  await expect(message).toBeVisible();
  const height = () => page.getByRole("group", { name: "메시지", exact: true }).evaluate((group) => group.getBoundingClientRect().height);
  const full = await height();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("없는말입니다");
  await expect(page.getByText("이 말이 든 메시지가 없습니다")).toBeVisible();
  assert.equal(await height(), full, "results and their absence take the same height");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("배포");
  await message.click();
  await page.waitForURL(/\/t\/.*[?&]at=/);
  await expect(page.locator(".is-target").getByText("배포").first()).toBeVisible();
});

test("a late response does not replace newer results", async ({ page }) => {
  await openPalette(page, "/");
  const release = await holdSearch(page, "배포");
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText("확인");
  await expect(options(page, "메시지").first()).toBeVisible();
  const shown = await options(page, "메시지").allInnerTexts();
  release();
  await page.keyboard.press("ArrowDown");
  assert.deepEqual(await options(page, "메시지").allInnerTexts(), shown);
});

test("messages inserted above keep the selected option", async ({ page }) => {
  await openPalette(page, "/");
  const release = await holdSearch(page, "작업");
  const first = await selected(page);
  assert.ok(!/전체/.test(first) && first.length > 0, first);
  await expect(options(page, "메시지")).toHaveCount(0);
  release();
  await expect(options(page, "메시지").first()).toBeVisible();
  assert.equal(await selected(page), first);
});

test("Ctrl+Enter filters the open list by the agent", async ({ page }) => {
  await openPalette(page, "/c/infra_ops?since=7d");
  await page.keyboard.insertText("이든");
  await select(page, "에이전트", "함께한 협업");
  await page.keyboard.press("Control+Enter");
  await page.waitForURL((url) => url.pathname === "/c/infra_ops" && url.searchParams.get("agent") === "eden" && url.searchParams.get("since") === "7d");
});

test("commands switch the theme and open the category menu", async ({ page, monitor }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  await openPalette(page, `/s/${encodeURIComponent(session.workSessionId)}`);
  await page.keyboard.insertText("ㅇㄷㅇ ㅎㅁ");
  await select(page, "이동과 동작", "어두운 화면으로");
  await page.keyboard.press("Enter");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await pressOpen(page);
  await page.keyboard.insertText("카테고리 바꾸기");
  await select(page, "이동과 동작", "카테고리 바꾸기");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: /카테고리/ })).toBeVisible();
});

test("failed requests are reported, agents are still found", async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  allowProblems(page, [/ERR_FAILED/]);
  await page.route(/\/api\/v2\/(sessions|tasks|search)\?/, (route) => route.abort());
  await page.keyboard.press("Control+k");
  await expect(page.getByText("협업과 작업을 읽지 못했습니다")).toBeVisible();
  await page.keyboard.insertText("이든");
  await expect(page.getByText("메시지는 찾지 못했습니다")).toBeVisible();
  await expect(options(page, "에이전트")).toHaveCount(1);
});
