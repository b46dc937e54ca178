// Browser tests of unread marks on home, session cards and the thread list. Marks are cleared one by one or all at
// once. Clearing all can be undone.
//
// Proves (reading): Unread counts are exact where they can be known and a dot where they cannot. They survive reload
// and other tabs. Reading one thread keeps the marks of the others. Mark-all-read can be undone.
// See also: `src/state/reading/marks`.
import { FIXTURE_NOW, message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { address, menu, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "unread" } });

let later = FIXTURE_NOW;
/** Appends a message that is newer than all before it, and newer than a first visit. */
function say(monitor, session, conversation, text) {
  later += 1_000;
  return monitor.append(message({ from: "ruda", to: "hangyeol", text, session, conversation, at: later }));
}

/** Opens a path for a reader who has read everything so far. */
async function openAllRead(page, path) {
  await page.goto(path);
  await page.evaluate((floor) => localStorage.setItem("task-hub.read", JSON.stringify({ v: 1, floor, threads: [] })), later);
  await page.reload();
  await waitUntilLoaded(page);
}

const badge = (page, name) => page.getByRole("main").getByRole("link", { name });
const card = (page, name) => page.getByRole("region", { name: "협업 목록" }).getByRole("link", { name });

test("a first visit has no unread marks, later messages have", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  expect(await badge(page, /안 읽은/).count()).toBe(0);
  await say(monitor, "ws_unread-1", "unread-a", "[Goal] 첫 번째 안 읽은 협업\n확인해 주세요.");
  await say(monitor, "ws_unread-1", "unread-a", "한 번 더 여쭙니다.");
  await say(monitor, "ws_unread-2", "unread-b", "[Goal] 두 번째 안 읽은 협업\n확인해 주세요.");
  await expect(badge(page, /전체 보기.*안 읽은 협업 2/)).toBeVisible();
  await menu(page, "협업").click();
  await expect(card(page, /첫 번째 안 읽은 협업 안 읽은 메시지 2$/)).toBeVisible();
  await expect(card(page, /두 번째 안 읽은 협업 안 읽은 메시지 1$/)).toBeVisible();
  await card(page, /두 번째 안 읽은 협업/).click();
  await expect(page.getByRole("article").first()).toBeVisible();
  await menu(page, "협업").click();
  await expect(card(page, /두 번째 안 읽은 협업$/), "what was read has no mark").toBeVisible();
});

test("a new message in an old session marks its card and its thread with a dot", async ({ page, monitor }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread, other] = await threadsOf(monitor, session);
  await page.goto("/all");
  await waitUntilLoaded(page);
  await say(monitor, session.workSessionId, thread.conversationId, "오래된 협업의 새 말입니다.");
  await expect(card(page, /결제 게이트웨이 v2\.14\.0.* 안 읽은 메시지 있음/).first()).toBeVisible();
  // With another thread open, the mark stays: an address without a thread opens the newest one, which is then read.
  await page.goto(address(session, other));
  const list = page.getByRole("navigation", { name: "스레드" });
  await expect(list.getByRole("link", { name: /안 읽은 메시지 있음/ })).toBeVisible();
  await page.goto(address(session));
  await expect(page).toHaveURL((url) => url.pathname.endsWith(`/t/${thread.threadId}`));
  await expect(list.locator("[aria-current]")).toBeVisible();
  await expect(list.getByRole("link", { name: /안 읽은 메시지/ })).toHaveCount(0);
});

test("the unread filter is in the address; reading one card keeps the other marks", async ({ page, monitor }) => {
  await openAllRead(page, "/all");
  await say(monitor, "ws_unread-3", "unread-c", "[Goal] 세 번째 안 읽은 협업\n확인해 주세요.");
  await say(monitor, "ws_unread-4", "unread-d", "[Goal] 네 번째 안 읽은 협업\n확인해 주세요.");
  await page.getByRole("button", { name: "새 활동 2" }).click();
  await expect(card(page, /(세|네) 번째 안 읽은 협업 안 읽은 메시지 1/)).toHaveCount(2);
  await page.getByRole("button", { name: "안 읽음", exact: true }).click();
  await expect(page).toHaveURL(/\?unread=1$/);
  await expect(card(page, /협업/)).toHaveCount(2);
  await page.getByRole("article").filter({ hasText: "세 번째 안 읽은 협업" }).getByLabel("협업 메뉴").first().click();
  await page.getByRole("button", { name: "읽음으로", exact: true }).click();
  // The card stays in the list, without its mark.
  await expect(card(page, /세 번째 안 읽은 협업$/)).toHaveCount(1);
  await expect(card(page, /네 번째 안 읽은 협업 안 읽은 메시지 1/)).toHaveCount(1);
  await page.reload();
  await waitUntilLoaded(page);
  await expect(card(page, /네 번째/)).toBeVisible();
  expect(await card(page, /세 번째/).count(), "read marks survive a reload").toBe(0);
});

test("marking all as read and its undo reach the other tab", async ({ page, monitor }) => {
  await openAllRead(page, "/");
  await say(monitor, "ws_unread-5", "unread-e", "[Goal] 다섯 번째 안 읽은 협업\n확인해 주세요.");
  await expect(badge(page, /전체 보기.*안 읽은 협업 1/)).toBeVisible();
  const other = await page.context().newPage();
  await other.goto("/");
  await expect(badge(other, /전체 보기.*안 읽은 협업 1/)).toBeVisible();
  await page.getByRole("button", { name: "모두 읽음으로 표시" }).click();
  for (const tab of [page, other]) await expect(badge(tab, /안 읽은/)).toHaveCount(0);
  await page.getByRole("button", { name: "되돌리기" }).click();
  for (const tab of [page, other]) await expect(badge(tab, /전체 보기.*안 읽은 협업 1/)).toBeVisible();
});

test("the unread filter without unread sessions says so and links to all", async ({ page }) => {
  await openAllRead(page, "/all?unread=1");
  await expect(page.getByText("안 읽은 협업이 없습니다")).toBeVisible();
  await page.getByRole("link", { name: /협업 .*건 모두 보기/ }).click();
  await expect(page).toHaveURL(/\/all$/);
});
