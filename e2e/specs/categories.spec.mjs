// Browser tests of a session's category. Home, lists, filters and search show the category that REST 1.x returns.
//
// Proves (categories): Home, lists, filters, search and REST 1.x name the same category of a session.
import assert from "node:assert/strict";

import { expect, test } from "../support/test.mjs";
import { address, waitUntilLoaded } from "../support/steps.mjs";

const NAMES = {
  engineering_build: "개발/구현", infra_ops: "인프라/운영", qa_validation: "QA/검증", planning_decision: "기획/의사결정",
  research_analysis: "조사/분석", docs_knowledge: "문서/지식화", growth_marketing: "성장/마케팅", customer_community: "고객/커뮤니티",
  legal_compliance: "법무/컴플라이언스", biz_strategy: "비즈니스/전략",
};

const cards = (page) => page.locator("article.session-card");

/**
 * The category of every session by its id, as `GET /api/work-sessions` answers. A note that a person's message was passed
 * on is a session there, and a mark in a thread here.
 */
async function oldCategories(monitor) {
  const { sessions } = await monitor.get("/api/work-sessions?limit=1000");
  const hasTalk = ({ threads }) => threads.some(({ events }) => events.some(({ type }) => type !== "a2a.auto_route"));
  return new Map(sessions.filter(hasTalk).map((session) => [session.workSessionId, session.collabCategory]));
}
/** Messages without any id are no session of the old API. */
const isTalkWithoutId = (id) => id.startsWith("thread:pair:");

/** Shows the whole list, then gives each card's session and the category on it. Only cards in the window are drawn. */
async function listed(page) {
  await page.setViewportSize({ width: 1440, height: 12_000 });
  const more = page.getByRole("button", { name: /개 더 보기$/ });
  while (await more.isVisible()) {
    const before = await cards(page).count();
    await more.click();
    await expect.poll(() => cards(page).count()).toBeGreaterThan(before);
  }
  const status = page.getByRole("group", { name: "상태" }).getByRole("button", { name: /^모두/ });
  await expect(cards(page)).toHaveCount(Number((await status.innerText()).match(/\d+/)[0]));
  return cards(page).evaluateAll((all) =>
    all.map((card) => {
      const badge = card.querySelector(".badge");
      return [card.dataset.session, badge.dataset.cat, badge.innerText.split("\n").at(-1).trim()];
    }),
  );
}

test("badges, lists and cards show the category that API v1 names", async ({ page, monitor }) => {
  const categories = await oldCategories(monitor);
  assert.ok(categories.size > 300, `${categories.size} sessions`);
  for (const [key, name] of Object.entries(NAMES)) {
    await page.goto("/");
    await waitUntilLoaded(page);
    const badge = page.locator(`.category-band a[href$="/c/${key}"]`);
    const total = Number(await badge.locator(".category-cell__end > .category-cell__total").innerText());
    await badge.click();
    await page.waitForURL((url) => url.pathname === `/c/${key}`);
    await waitUntilLoaded(page);
    const rows = await listed(page);
    assert.equal(total, rows.length, `${name}: the count of home's badge`);
    const ofOld = rows.filter(([id]) => !isTalkWithoutId(id)).map(([id]) => id);
    const expected = [...categories].filter(([, category]) => category === key).map(([id]) => id);
    assert.deepEqual(ofOld.sort(), expected.sort(), `${name}: the sessions of the list`);
    const badges = new Set(rows.map(([, ...badge]) => badge.join(" ")));
    assert.deepEqual([...badges], [`${key} ${name}`], `${name}: the badge of every card`);
  }
});

test("search shows the category that API v1 names", async ({ page, monitor }) => {
  const categories = await oldCategories(monitor);
  await page.goto(`/search?${new URLSearchParams({ q: "agent:eden", in: "sessions" })}`);
  await waitUntilLoaded(page);
  const hits = page.getByRole("list", { name: "찾은 것" }).getByRole("listitem");
  await expect(hits.first()).toBeVisible();
  const rows = await hits.evaluateAll((all) => all.map((hit) => [hit.dataset.hit.replace("sessions ", ""), hit.querySelector(".badge").dataset.cat]));
  assert.ok(rows.length > 10, `${rows.length} hits`);
  for (const [id, shown] of rows) assert.equal(shown, categories.get(id), id);
});

test("other categories of a session show on its card, in its panel and by the filter", { tag: "@quick" }, async ({ page, monitor }) => {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  const session = sessions.find(({ category }) => category.secondary?.length > 0);
  const [second] = session.category.secondary;
  await page.goto(`/c/${second}`);
  await waitUntilLoaded(page);
  const card = page.locator(`article[data-session="${session.workSessionId}"]`);
  await expect(card).toHaveCount(0);
  await page.getByRole("button", { name: "보조 분류 포함" }).click();
  await page.waitForURL(/secondary=1/);
  await waitUntilLoaded(page);
  await listed(page);
  const others = card.locator(".session-card__secondary");
  await expect(others, "out of the way until it is asked for").toHaveCSS("opacity", "0");
  await card.getByRole("heading").getByRole("link").focus();
  await expect(others).toHaveCSS("opacity", "1");
  await expect(others).toContainText(session.category.secondary.map((key) => NAMES[key]).join(", "), { useInnerText: true });
  await page.goto(address(session));
  await waitUntilLoaded(page);
  const panel = page.getByRole("complementary", { name: "이 스레드의 정보" });
  await expect(panel.locator(".evidence__secondary")).toContainText(NAMES[second], { useInnerText: true });
});
