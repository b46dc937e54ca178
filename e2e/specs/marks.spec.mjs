// Browser tests of search highlights in a thread. Exactly the counted matches are highlighted.
//
// Proves (search): Find-in-thread marks exactly the matches that it counts.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { count, place, talk } from "../support/thread.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

const messages = [
  "배포는 내일 `Work_Session`부터 합니다",
  "배포만 먼저 합니다",
  "서버\n배포를 **nginx**와 함께",
  "[안내 문서](https://example.com/rollback-guide)를 봐 주세요",
  "비품을 챙겨 주세요",
];
// Query, number of messages that match, highlighted texts (a pattern stands for one of them).
const cases = [
  ["배포를", 3, ["배포", "배포", "배포"]],
  ["work-session 배포가", 1, ["Work_Session", "배포"]],
  ["workSession", 1, ["Work_Session"]],
  ["ㅂㅍ", 4, ["배포", "배포", "배포", "비품"]],
  ['"서버 배포"', 1, ["서버배포"]],
  ["nginx와 배포", 1, ["nginx", "배포"]],
  // The address of a link is not drawn: the link's message is highlighted.
  ["rollback", 1, [/^안내문서.*를봐주세요$/]],
  ["배포 롤백", 0, []],
];

test("every counted match is highlighted, and nothing else", { tag: "@quick" }, async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor();
  await monitor.append(...messages.map((text, n) => talk("marks", text, n * 1_000, n % 2 === 0)));
  await expect.poll(() => count(monitor, "marks").catch(() => 0)).toBe(messages.length);
  const page = await openPage(place(monitor, "marks"));
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: /이 대화에서 찾기/ }).first().click();
  const field = page.getByRole("searchbox", { name: "이 대화에서 찾을 말" });
  const number = page.getByRole("search").getByRole("status");
  const marked = (name) => page.evaluate((name) => [...(CSS.highlights.get(name) ?? [])].map((range) => range.toString().replace(/\s/g, "")).sort(), name);
  const rows = () => page.evaluate(() => new Set([...(CSS.highlights.get("find-hit") ?? [])].map((range) => range.startContainer.parentElement.closest("[data-event]").dataset.event)).size);
  for (const [q, hits, marks] of cases) {
    await field.fill(q);
    await expect(number, `${q}: counted`).toHaveText(hits > 0 ? new RegExp(`^[1-9] / ${hits}$`) : "없음");
    const texts = marks.map((mark) => (mark instanceof RegExp ? expect.stringMatching(mark) : mark)).sort();
    await expect.poll(() => marked("find-hit"), `${q}: highlighted`).toEqual(texts);
    assert.equal(await rows(), hits, `${q}: a highlight in each message that is counted`);
    if (hits > 0) assert.ok((await marked("find-here")).length > 0, `${q}: the current match`);
  }
  await field.fill("");
  await expect.poll(() => marked("find-hit"), "an empty field highlights nothing").toEqual([]);
});
