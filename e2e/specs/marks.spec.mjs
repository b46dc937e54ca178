// What is found in a thread is marked where it was found, however it is written there; what was not found is not.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { eventually, startMonitor } from "../support/monitor.mjs";
import { count, place, talk } from "../support/thread.mjs";
import { idle } from "../support/verbs.mjs";

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

const said = [
  "배포는 내일 `Work_Session`부터 합니다",
  "배포만 먼저 합니다",
  "서버\n배포를 **nginx**와 함께",
  "[안내 문서](https://example.com/rollback-guide)를 봐 주세요",
  "비품을 챙겨 주세요",
];
// What is looked for, how many messages hold it, and what is marked in all of them.
const cases = [
  ["배포를", 3, ["배포", "배포", "배포"]],
  ["work-session 배포가", 1, ["Work_Session", "배포"]],
  ["workSession", 1, ["Work_Session"]],
  ["ㅂㅍ", 4, ["배포", "배포", "배포", "비품"]],
  ['"서버 배포"', 1, ["서버배포"]],
  ["nginx와 배포", 1, ["nginx", "배포"]],
  // It stands in the address of a link, which is not drawn.
  ["rollback", 1, [/^안내문서.*를봐주세요$/]],
  ["배포 롤백", 0, []],
];

test("every counted match shows a mark, and nothing else does", async () => {
  await monitor.append(...said.map((text, n) => talk("marks", text, n * 1_000, n % 2 === 0)));
  await eventually("they are read", async () => (await count(monitor, "marks")) === said.length);
  const page = await openPage(browser, place(monitor, "marks"));
  await idle(page);
  await page.getByRole("button", { name: /이 대화에서 찾기/ }).first().click();
  const field = page.getByRole("searchbox", { name: "이 대화에서 찾을 말" });
  const number = page.getByRole("search").getByRole("status");
  const marked = (name) => page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString().replace(/\s/g, "")).sort(), name);
  const rows = () => page.evaluate(() => new Set([...(CSS.highlights.get("find-hit") ?? [])].map((range) => range.startContainer.parentElement.closest("[data-event]").dataset.event)).size);
  for (const [q, hits, marks] of cases) {
    await field.fill(q);
    await eventually(`${q}: counted`, async () => (hits > 0 ? new RegExp(`^[1-9] / ${hits}$`) : /^없음$/).test(await number.innerText()));
    // A pattern stands for what it fits.
    const told = (text) => marks.find((mark) => mark instanceof RegExp && mark.test(text)) ?? text;
    const wanted = marks.map(String).sort().join(" | ");
    await eventually(`${q}: marked ${wanted}`, async () => (await marked("find-hit")).map((text) => String(told(text))).sort().join(" | ") === wanted);
    assert.equal(await rows(), hits, `${q}: a mark in each message that is counted`);
    if (hits > 0) assert.ok((await marked("find-here")).length > 0, `${q}: the match one is at`);
  }
  await field.fill("");
  await eventually("an empty field marks nothing", async () => (await marked("find-hit")).length === 0);
  assertNoProblems(page);
  await page.context().close();
});
