// A monitor that has never heard of v2: the same queries and the classifier run in the browser over its events.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, message, startMonitor } from "../support/monitor.mjs";
import { address, idle, mainText, threadsOf, titledSession } from "../support/verbs.mjs";

// The v2 monitor is only asked what is true; the page talks to the other one.
let modern;
let old;
let browser;
const allowed = [/404|410/];
before(async () => {
  modern = await startMonitor();
  old = await startMonitor({ args: ["--api", "1"] });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await modern?.stop();
  await old?.stop();
});

test("the old monitor really has no v2", async () => {
  const answer = await fetch(`${old.url}/api/v2/health`);
  assert.equal(answer.status, 404);
});

test("home counts the same as with a v2 monitor", async () => {
  const page = await openPage(browser, old.url);
  await idle(page);
  const { all } = await modern.get("/api/v2/home");
  const text = await mainText(page);
  assert.ok(text.includes(String(all.total)), `${all.total} sessions in: ${text.slice(-400)}`);
  assertNoProblems(page, allowed);
  await page.context().close();
});

test("a thread opens, with names and rendered markdown", async () => {
  const session = await titledSession(modern, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(modern, session);
  const page = await openPage(browser, old.url + address(session, thread));
  await idle(page);
  await page.getByRole("article").first().waitFor();
  await page.getByRole("heading", { name: session.title }).waitFor();
  assert.doesNotMatch(await mainText(page), /\[outcome\]|<@\d/);
  assertNoProblems(page, allowed);
  await page.context().close();
});

test("a new event shows without a reload and is classified in the browser", async () => {
  const page = await openPage(browser, `${old.url}/all`);
  await idle(page);
  await old.append(
    message({
      from: "eden",
      to: "seum",
      text: "[Goal] 스테이징 배포 파이프라인 복구\n배포 서버의 docker 이미지 태그를 고치고 kubernetes 롤백까지 확인해 주세요.",
      session: "ws_e2e-compat",
      conversation: "e2e-compat",
    }),
  );
  await eventually("the list shows it", async () => {
    const pill = page.getByRole("button", { name: /새 활동/ });
    if (await pill.isVisible()) await pill.click();
    return (await mainText(page)).includes("스테이징 배포 파이프라인 복구");
  });
  await page.goto(`${old.url}/s/ws_e2e-compat`);
  await page.getByRole("article").first().waitFor();
  await page.getByRole("main").getByText("인프라/운영").first().waitFor();
  assertNoProblems(page, allowed);
  await page.context().close();
});

test("an event of an old monitor has no place in a file, and the page says so", async () => {
  const page = await openPage(browser, `${old.url}/events`);
  await idle(page);
  await page.getByRole("button", { name: /원본 보기$/ }).first().click();
  const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
  await drawer.getByText("이 모니터는 파일 위치를 알려 주지 않습니다").waitFor();
  assert.doesNotMatch(await drawer.innerText(), /v1-\d|v1 ·|바이트째/);
  assertNoProblems(page, allowed);
  await page.context().close();
});
