// Nobody is shut out: one heading of the first rank and the same landmarks everywhere, and a list and a thread read
// well without eyes. What axe finds is in axe-light and axe-dark.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";
import { STORES, storeViews, views } from "../support/views.mjs";

let monitor;
let stores;
let browser;
let all;
before(async () => {
  monitor = await startMonitor();
  stores = await startMonitor(STORES);
  browser = await startBrowser();
  all = await views(monitor);
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
  await stores?.stop();
});

test("every view has one main part, one first heading, and headings that skip no rank", async () => {
  const page = await openPage(browser, monitor.url);
  const at = (home, pages) => Object.entries(pages).map(([name, address]) => [name, home.url + address]);
  for (const [name, address] of [...at(monitor, all), ...at(stores, storeViews)]) {
    await page.goto(address);
    await idle(page);
    assert.equal(await page.getByRole("main").count(), 1, name);
    assert.equal(await page.getByRole("banner").count(), 1, name);
    assert.equal(await page.getByRole("navigation", { name: "주 메뉴", exact: true }).count(), 1, name);
    const ranks = await page.getByRole("heading").evaluateAll((list) =>
      list.filter((one) => one.checkVisibility()).map((one) => Number(one.getAttribute("aria-level") ?? one.tagName[1])),
    );
    assert.equal(ranks.filter((rank) => rank === 1).length, 1, `${name}: ${ranks}`);
    for (const [at, rank] of ranks.entries()) {
      assert.ok(at === 0 || rank <= ranks[at - 1] + 1, `${name} skips a rank: ${ranks}`);
    }
  }
  await page.context().close();
});

/** What a screen reader says of a part, without the addresses behind the links. */
async function spoken(part) {
  return (await part.ariaSnapshot()).replaceAll(/^\s*- \/url:.*$\n?/gm, "");
}

test("a list and a thread read well without eyes", async () => {
  const page = await openPage(browser, monitor.url + all.sessions);
  await idle(page);
  const list = await spoken(page.getByRole("region", { name: "세션 목록" }));
  const card = list.slice(list.indexOf("결제 게이트웨이 v2.14.0 운영 배포")).slice(0, 900);
  for (const word of ["진행 중", "응답 없음 1", "메시지 36", "인프라/운영", "이든"]) assert.ok(card.includes(word), `${word}\n${card}`);
  assert.doesNotMatch(list, /undefined|NaN|ws_[0-9a-f]{8}|<@|\[outcome\]/);

  await page.goto(monitor.url + all.thread);
  await idle(page);
  const thread = await spoken(page.getByRole("log"));
  // Who speaks and when, before what is said; what became of it, after.
  const said = thread.indexOf("환불 콜백 큐 적체 확인 부탁해요");
  assert.ok(said > 0, thread);
  assert.match(thread.slice(0, said), /이든[^]*14:09/);
  assert.match(thread.slice(said), /응답 없음/);
  assert.doesNotMatch(thread, /undefined|NaN|\[outcome\]|<@/);
  await page.context().close();
});
