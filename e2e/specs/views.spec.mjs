// Browser tests of saved views: create, sort, rename, remove, show on home with live counts, share by link. Saved views
// are kept in the browser.
//
// Proves (search): Saved views work in two tabs, on home and as a shared link.
import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "views" } });

const button = (page) => page.locator("details.views > summary");
const panel = (page) => page.getByRole("group", { name: "저장한 보기" });
const names = (page) => panel(page).getByRole("link");

/** Saves the current view under a name. */
async function save(page, name) {
  await button(page).click();
  await panel(page).getByRole("textbox", { name: "지금 보기 저장" }).fill(name);
  await page.keyboard.press("Enter");
  await expect(page.getByText(`‘${name}’`).first()).toBeVisible();
  await expect(button(page)).toContainText(name);
  await page.keyboard.press("Escape");
}

/** Chooses an entry of a view's menu. */
async function act(page, name, what) {
  await panel(page).getByLabel(`‘${name}’ 보기 메뉴`).first().click();
  await panel(page).getByRole("button", { name: what, exact: true }).filter({ visible: true }).click();
}

for (const [place, tag] of [["/all?status=active", "@quick"], ["/events?role=conversation.main"], ["/search?q=배포"]]) {
  const [list] = place.split("?");
  test(`a view of ${list} is saved, opened, renamed, removed and restored`, { tag: tag ?? [] }, async ({ page }) => {
    await page.goto(place);
    await waitUntilLoaded(page);
    await button(page).click();
    await expect(panel(page).getByText("이 브라우저에만 저장됩니다.")).toBeVisible();
    await page.keyboard.press("Escape");
    await save(page, "아침 점검");
    await page.goto(list);
    await waitUntilLoaded(page);
    await button(page).click();
    await panel(page).getByRole("link", { name: "아침 점검" }).click();
    await expect(page).toHaveURL((url) => decodeURIComponent(url.pathname + url.search) === place);
    await waitUntilLoaded(page);
    await button(page).click();
    await act(page, "아침 점검", "이름 바꾸기");
    await panel(page).getByRole("textbox", { name: "보기 이름" }).fill("저녁 점검");
    await page.keyboard.press("Enter");
    await expect(names(page).filter({ hasText: "저녁 점검" })).toBeVisible();
    await act(page, "저녁 점검", "지우기");
    await expect(names(page)).toHaveCount(0);
    await page.getByRole("button", { name: "되돌리기" }).click();
    // The click outside closed the panel.
    await button(page).click();
    await expect(names(page).filter({ hasText: "저녁 점검" })).toBeVisible();
  });
}

test("a new order of views reaches the other tab", async ({ page }) => {
  for (const [status, name] of [["active", "하나"], ["quiet", "둘"]]) {
    await page.goto(`/all?status=${status}`);
    await waitUntilLoaded(page);
    await save(page, name);
  }
  const other = await page.context().newPage();
  await other.goto("/all");
  await waitUntilLoaded(other);
  await button(other).click();
  await expect(names(other)).toHaveText(["하나", "둘"]);
  await button(page).click();
  await act(page, "둘", "위로");
  for (const tab of [page, other]) await expect(names(tab)).toHaveText(["둘", "하나"]);
});

test("a view on home counts live, and the palette opens it", async ({ page, monitor }) => {
  await page.goto(`/search?q=${encodeURIComponent("해맞이언덕")}`);
  await waitUntilLoaded(page);
  await save(page, "해맞이");
  await button(page).click();
  await act(page, "해맞이", "홈에 놓기");
  await page.goto("/");
  await waitUntilLoaded(page);
  const mine = page.getByRole("region", { name: "저장한 보기" });
  await expect(mine).toContainText(/해맞이\s*0/);
  await monitor.append(message({ from: "eden", to: "seum", text: "해맞이언덕 확인", session: "ws_view", conversation: "view", at: FIXTURE_NOW - 1_000 }));
  await expect(mine).toContainText(/해맞이\s*[1-9]/);
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: "명령과 찾기" })).toBeVisible();
  await page.keyboard.insertText("해맞이");
  await page.getByRole("option", { name: /보기 ‘해맞이’ 열기/ }).click();
  await expect(page).toHaveURL((url) => url.searchParams.get("q") === "해맞이언덕");
});

test("a shared view is stored only on request", async ({ page }) => {
  await page.goto(`/all?status=active&view-name=${encodeURIComponent("팀 보기")}`);
  await waitUntilLoaded(page);
  await expect(page.getByText("함께 보려고 받은 보기 ‘팀 보기’입니다.")).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("task-hub.views"))).toBe(null);
  await page.getByRole("button", { name: "이 브라우저에 저장" }).click();
  await expect(page).toHaveURL((url) => !url.searchParams.has("view-name"));
  await expect(button(page)).toContainText("팀 보기");
});
