// Looking for words: among sessions in every message, on Events and Tasks while typing; and values nobody knows.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { address, idle, mainText, threadsOf, titledSession } from "../support/verbs.mjs";

let monitor;
let browser;
before(async () => {
  monitor = await startMonitor();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
});

/** A session with an old message, and a word of it that no title and no newest line holds. */
async function hiddenWord() {
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

test("a word of an old message finds its session, and the card leads to a message that holds it", async () => {
  const { session, word } = await hiddenWord();
  const page = await openPage(browser, `${monitor.url}/c/${session.category.key}`);
  await idle(page);
  await page.keyboard.press("/");
  await page.keyboard.type(word);
  await page.getByRole("button", { name: "이 목록에서" }).click();
  await page.waitForURL((url) => url.pathname === `/c/${session.category.key}` && url.search.includes("q="));
  await page.getByRole("heading", { name: session.title }).first().waitFor();
  const snippet = page.getByTitle("찾은 메시지 열기").first();
  assert.ok((await snippet.innerText()).includes(word));
  await snippet.click();
  await page.waitForURL(/\/t\/.*[?&]at=/);
  await page.locator(".is-target").getByText(word).first().waitFor();
  assertNoProblems(page);
  await page.context().close();
});

for (const [place, name] of [["/events", "이벤트 내용 찾기"], ["/tasks", "작업 찾기"]]) {
  test(`slash leads to the field of ${place}, which narrows the list while one types`, async () => {
    const page = await openPage(browser, monitor.url + place);
    await idle(page);
    await page.keyboard.press("/");
    const box = page.getByRole("searchbox", { name, exact: true });
    assert.ok(await box.evaluate((field) => field === document.activeElement));
    await page.keyboard.type("배포 ");
    await page.waitForURL((url) => new URLSearchParams(url.search).get("q") === "배포");
    assert.equal(await box.inputValue(), "배포 ", "what is typed stays as it is");
    assertNoProblems(page);
    await page.context().close();
  });
}

test("a Hangul composition is neither looked for nor replaced before it ends", async () => {
  const page = await openPage(browser, `${monitor.url}/events`);
  await idle(page);
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
  assert.equal(await box.inputValue(), "뱊");
  await keyboard.send("Input.insertText", { text: "배포" });
  await page.waitForURL((url) => new URLSearchParams(url.search).get("q") === "배포");
  assert.ok(!asked.some((url) => /[?&]q=(배|뱊)(&|$)/.test(url)), asked.join("\n"));
  assert.equal(await box.inputValue(), "배포");
  await page.context().close();
});

test("what an address says and nobody knows is told, and can be cleared", async () => {
  const page = await openPage(browser, `${monitor.url}/c/xyz`);
  await page.getByRole("heading", { name: "그런 카테고리는 없습니다" }).waitFor();
  await page.getByRole("link", { name: "모든 대화 보기" }).click();
  await page.waitForURL(/\/all$/);
  for (const place of ["/all?status=bogus", "/events?role=bogus", "/tasks?status=bogus"]) {
    await page.goto(monitor.url + place);
    await idle(page);
    await page.getByText(/=bogus” 조건은 알 수 없어 쓰지 않았습니다/).waitFor();
    await page.getByRole("button", { name: "지우기", exact: true }).click();
    await page.waitForURL((url) => !url.search.includes("bogus"));
    await page.getByText(/=bogus”/).waitFor({ state: "detached" });
  }
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(`${monitor.url}${address(session, thread)}?at=zzz`);
  await idle(page);
  const notice = page.getByText("링크가 가리키는 메시지를 이 스레드에서 찾지 못했습니다");
  await notice.waitFor();
  await eventually("the notice is in view", () => notice.evaluate((text) => text.getBoundingClientRect().top < innerHeight && text.getBoundingClientRect().top > 0));
  await page.getByRole("button", { name: "지우기", exact: true }).click();
  await notice.waitFor({ state: "detached" });
  await page.context().close();
});

test("the tab of a task bears its title, and the sheet of keys names them all", async () => {
  const { tasks } = await monitor.get("/api/v2/tasks");
  const task = tasks.find((one) => one.title);
  const page = await openPage(browser, `${monitor.url}/tasks/${task.agentId}/${task.id}`);
  await eventually("the tab is titled", async () => (await page.title()).startsWith(task.title.slice(0, 10)));
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "단축키" });
  await sheet.locator("kbd").first().waitFor();
  const keys = await sheet.locator("kbd").allInnerTexts();
  for (const key of ["/", "?", "[", "]"]) assert.ok(keys.includes(key), `${key} is listed`);
  await page.context().close();
});

test("filters of a phone are all in view", async () => {
  const page = await openPage(browser, monitor.url, { width: 390, height: 844 });
  for (const place of ["/all", "/events", "/tasks"]) {
    await page.goto(monitor.url + place);
    await idle(page);
    const cut = await page.locator(".filters, .events-filters, .tasks-main__tools").evaluateAll((rows) =>
      rows.flatMap((row) => [...row.querySelectorAll("select, button, input")]).filter((control) => {
        const box = control.getBoundingClientRect();
        return box.width > 0 && (box.right > innerWidth + 0.5 || box.left < -0.5);
      }).map((control) => control.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(cut, [], place);
  }
  assert.ok((await mainText(page)).length > 0);
  await page.context().close();
});
