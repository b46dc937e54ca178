// Browser tests of the search fields of sessions, events and tasks, and of unknown filter values in an address.
//
// Proves (search): Typing narrows a list and leaves a Hangul composition alone. Unknown values in an address are
// reported.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { address, mainText, offered, seek, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

/** A session with an old message, and a word of it that no title and no newest line holds. */
async function hiddenWord(monitor) {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  const shown = sessions.map((one) => `${one.title} ${one.lastMessage?.text ?? ""} ${one.subTags ?? ""}`).join(" ");
  for (const session of sessions) {
    for (const thread of await threadsOf(monitor, session)) {
      const route = `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}/threads/${encodeURIComponent(thread.threadId)}`;
      for (const message of (await monitor.get(route)).messages.slice(0, -1)) {
        const word = message.text.match(/[가-힣]{4,}/g)?.find((word) => !shown.includes(word));
        if (word) return { session, message, word };
      }
    }
  }
  throw new Error("the fixtures hold no such message");
}

test("a word finds its session and is highlighted in the message", { tag: "@quick" }, async ({ page, monitor }) => {
  const { session, word } = await hiddenWord(monitor);
  await page.goto(`/c/${session.category.key}`);
  await waitUntilLoaded(page);
  await seek(page, word);
  await offered(page, `이 목록에서 “${word}” 찾기`).click();
  await page.waitForURL((url) => url.pathname === `/c/${session.category.key}` && url.search.includes("q="));
  await expect(page.getByRole("heading", { name: session.title }).first()).toBeVisible();
  const snippet = page.getByTitle("찾은 메시지 열기").first();
  await expect(snippet).toContainText(word);
  await snippet.click();
  await page.waitForURL(/\/t\/.*[?&]at=/);
  await expect(page.locator(".is-target").getByText(word).first()).toBeVisible();
});

for (const [place, name] of [["/events", "이벤트 내용 찾기"], ["/tasks", "작업 찾기"]]) {
  test(`slash focuses the field of ${place}, which filters while typing`, async ({ page }) => {
    await page.goto(place);
    await waitUntilLoaded(page);
    await page.keyboard.press("/");
    const box = page.getByRole("searchbox", { name, exact: true });
    await expect(box).toBeFocused();
    await page.keyboard.type("배포 ");
    await page.waitForURL((url) => new URLSearchParams(url.search).get("q") === "배포");
    assert.equal(await box.inputValue(), "배포 ", "what is typed stays as it is");
  });
}

test("a Hangul composition is neither searched nor replaced before it ends", async ({ page }) => {
  await page.goto("/events");
  await waitUntilLoaded(page);
  const box = page.getByRole("searchbox", { name: "이벤트 내용 찾기" });
  await box.focus();
  const keyboard = await page.context().newCDPSession(page);
  const asked = [];
  page.on("request", (request) => request.url().includes("/events?") && asked.push(decodeURIComponent(request.url())));
  await keyboard.send("Input.imeSetComposition", { text: "배", selectionStart: 1, selectionEnd: 1 });
  await keyboard.send("Input.imeSetComposition", { text: "뱊", selectionStart: 1, selectionEnd: 1 });
  // Another filter changes the address meanwhile: the field keeps what is being composed.
  await page.evaluate(() => document.querySelector("a[href*='role=conversation.main']").click());
  await page.waitForURL(/role=/);
  await expect(box).toHaveValue("뱊");
  await keyboard.send("Input.insertText", { text: "배포" });
  await page.waitForURL((url) => new URLSearchParams(url.search).get("q") === "배포");
  assert.ok(!asked.some((url) => /[?&]q=(배|뱊)(&|$)/.test(url)), asked.join("\n"));
  await expect(box).toHaveValue("배포");
});

test("unknown values of an address are named and can be cleared", async ({ page, monitor }) => {
  await page.goto("/c/xyz");
  await expect(page.getByRole("heading", { name: "그런 카테고리는 없습니다" })).toBeVisible();
  await page.getByRole("link", { name: "모든 협업 보기" }).click();
  await page.waitForURL(/\/all$/);
  for (const place of ["/all?status=bogus", "/events?role=bogus", "/tasks?status=bogus"]) {
    await page.goto(place);
    await waitUntilLoaded(page);
    await expect(page.getByText(/=bogus” 조건은 알 수 없어 쓰지 않았습니다/)).toBeVisible();
    await page.getByRole("button", { name: "지우기", exact: true }).click();
    await page.waitForURL((url) => !url.search.includes("bogus"));
    await expect(page.getByText(/=bogus”/)).toHaveCount(0);
  }
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(`${address(session, thread)}?at=zzz`);
  await waitUntilLoaded(page);
  const notice = page.getByText("링크가 가리키는 메시지를 이 스레드에서 찾지 못했습니다");
  await expect(notice).toBeInViewport({ ratio: 0.95 });
  await page.getByRole("button", { name: "지우기", exact: true }).click();
  await expect(notice).toHaveCount(0);
});

test("a task's tab has its title, and the key sheet lists the keys", async ({ page, monitor }) => {
  const { tasks } = await monitor.get("/api/v2/tasks");
  const task = tasks.find((one) => one.title);
  await page.goto(`/tasks/${task.agentId}/${task.id}`);
  await expect.poll(async () => (await page.title()).startsWith(task.title.slice(0, 10)), "the tab is titled").toBe(true);
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "단축키" });
  await expect(sheet.locator("kbd").first()).toBeVisible();
  const keys = await sheet.locator("kbd").allInnerTexts();
  for (const key of ["/", "?", "[", "]"]) assert.ok(keys.includes(key), `${key} is listed`);
});

test("filters of a phone are all in view", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const place of ["/all", "/events", "/tasks"]) {
    await page.goto(place);
    await waitUntilLoaded(page);
    const cut = await page.locator(".filters, .events-filters, .tasks-main__tools").evaluateAll((rows) =>
      rows.flatMap((row) => [...row.querySelectorAll("select, button, input")]).filter((control) => {
        const box = control.getBoundingClientRect();
        return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
      }).map((control) => control.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(cut, [], place);
  }
  assert.ok((await mainText(page)).length > 0);
});
