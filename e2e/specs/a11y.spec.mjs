// Browser tests of accessibility: landmarks and heading levels of every view, and the screen-reader text of a list and
// of a thread.
//
// Proves (page): Headings skip no rank. A list and a thread are understandable through a screen reader.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";
import { STORES, storeViews, views } from "../support/views.mjs";

test("every view has one h1 and skips no heading rank", async ({ page, monitor, startMonitor }) => {
  const stores = await startMonitor(STORES);
  const at = (home, pages) => Object.entries(pages).map(([name, address]) => [name, home.url + address]);
  for (const [name, address] of [...at(monitor, await views(monitor)), ...at(stores, storeViews)]) {
    await page.goto(address);
    await waitUntilLoaded(page);
    await expect(page.getByRole("main"), name).toHaveCount(1);
    await expect(page.getByRole("banner"), name).toHaveCount(1);
    await expect(page.getByRole("navigation", { name: "주 메뉴", exact: true }), name).toHaveCount(1);
    const ranks = await page.getByRole("heading").evaluateAll((list) =>
      list.filter((one) => one.checkVisibility()).map((one) => Number(one.getAttribute("aria-level") ?? one.tagName[1])),
    );
    assert.equal(ranks.filter((rank) => rank === 1).length, 1, `${name}: ${ranks}`);
    for (const [at, rank] of ranks.entries()) {
      assert.ok(at === 0 || rank <= ranks[at - 1] + 1, `${name} skips a rank: ${ranks}`);
    }
  }
});

/** The accessibility tree of a part, without the addresses of its links. */
async function spoken(part) {
  return (await part.ariaSnapshot()).replaceAll(/^\s*- \/url:.*$\n?/gm, "");
}

test("a screen reader reads lists and threads whole", { tag: "@quick" }, async ({ page, monitor }) => {
  const all = await views(monitor);
  await page.goto(all.sessions);
  await waitUntilLoaded(page);
  const list = await spoken(page.getByRole("region", { name: "협업 목록" }));
  const card = list.slice(list.indexOf("결제 게이트웨이 v2.14.0 운영 배포")).slice(0, 900);
  for (const word of ["진행 중", "응답 없음 1", "메시지 36", "인프라/운영", "이든"]) assert.ok(card.includes(word), `${word}\n${card}`);
  assert.doesNotMatch(list, /undefined|NaN|ws_[0-9a-f]{8}|<@|\[outcome\]/);

  await page.goto(all.thread);
  await waitUntilLoaded(page);
  const thread = await spoken(page.getByRole("log"));
  // Sender and time come before the text, the delivery state after it.
  const said = thread.indexOf("환불 콜백 큐 적체 확인 부탁해요");
  assert.ok(said > 0, thread);
  assert.match(thread.slice(0, said), /이든[^]*14:09/);
  assert.match(thread.slice(said), /응답 없음/);
  assert.doesNotMatch(thread, /undefined|NaN|\[outcome\]|<@/);
});
