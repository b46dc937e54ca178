// Browser tests of the audit page: category changes of all sessions, filters, pagination, export, and an unreadable
// file.
//
// Proves (categories): Every category change of every session is found by who, what and when, also for sessions that
// the log no longer holds. The pages together contain every change. An unreadable record is not shown as empty. The
// export follows RFC 4180 and contains no spreadsheet formula.
// See also: `crates/protocol/src/csv.rs`.
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";

import { allowProblems, expect, test } from "../support/test.mjs";
import { titledSession, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "audit" } });

const rows = (page) => page.getByRole("list", { name: "변경 기록" }).getByRole("listitem");
const MANY = `/audit?who=${encodeURIComponent("많이")}`;

/** Changes a category with the page's own right to write. */
const patch = (page, route, body) =>
  page.evaluate(([route, body]) => fetch(route, { method: "PATCH", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }).then(({ ok }) => ok), [route, body]);

/** Opens the page over a record that holds 120 changes under one name. */
async function openMany(page, monitor) {
  await page.goto("/audit");
  await waitUntilLoaded(page);
  if ((await monitor.get("/api/v2/category-changes?who=많이")).total === 0) {
    const { sessions } = await monitor.get("/api/v2/sessions?limit=120");
    const items = sessions.map(({ workSessionId }) => ({ workSessionId, collabCategory: "biz_strategy" }));
    assert.ok(await patch(page, "/api/v2/categories", { items, updatedBy: "많이" }));
  }
  await page.goto(MANY);
  await expect(rows(page)).toHaveCount(100);
}

test("all changes are listed, newest first", async ({ page }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  await page.getByRole("link", { name: "변경 기록" }).click();
  await waitUntilLoaded(page);
  await expect(page).toHaveURL(/\/audit$/);
  await expect(rows(page)).toHaveCount(9);
  const all = (await rows(page).allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
  assert.match(all[0], /자동 분류 → .*인프라\/운영.*다른 프로그램/);
  assert.match(all[1], /고객\/커뮤니티 → .*법무\/컴플라이언스.*약관 검토가 본론.*운영자/);
  assert.match(all[2], /고객\/커뮤니티 → 자동 분류.*miri.*되돌림/);
  assert.match(all[5], /ws_0d3c1f5e-7a55-4d0c-9b7e-5f3f0c7e1a11.*로그에 없음/);
  await rows(page).nth(1).getByRole("link").click();
  await expect(page).toHaveURL(/\/s\/ws_31bc9f75/);
});

test("filters combine in the address; Back removes one", async ({ page }) => {
  await page.goto("/audit");
  await waitUntilLoaded(page);
  await page.getByLabel("바꾼 사람").selectOption("운영자");
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel("이후 카테고리").selectOption("legal_compliance");
  await expect(rows(page)).toHaveCount(1);
  assert.match(decodeURIComponent(page.url()), /who=운영자&to=legal_compliance/);
  await page.goBack();
  await expect(rows(page)).toHaveCount(3);
  await page.getByRole("link", { name: "필터 지우기" }).click();
  await expect(rows(page)).toHaveCount(9);
  await page.getByLabel("시작일").fill("2026-02-20");
  await page.getByLabel("마지막 날").fill("2026-02-20");
  await expect(page).toHaveURL(/since=2026-02-20&until=2026-02-20/);
  await expect(rows(page)).toHaveCount(3);
  await page.goto("/audit?q=없는말없는말");
  await expect(page.getByText("조건에 맞는 기록이 없습니다")).toBeVisible();
  await page.goto("/audit?from=galactic");
  await expect(page.getByText(/from=galactic/)).toBeVisible();
});

test("a change while the page is open shows on top", async ({ page, monitor }) => {
  await page.goto("/audit");
  await waitUntilLoaded(page);
  const { workSessionId: id } = await titledSession(monitor, "봄 신상 캠페인");
  assert.ok(await patch(page, `/api/v2/sessions/${encodeURIComponent(id)}/category`, { collabCategory: "docs_knowledge", updatedBy: "온새" }));
  await expect(rows(page).first()).toContainText("봄 신상 캠페인");
  await expect(rows(page).first()).toContainText("문서/지식화");
  // From the session back to its own changes.
  await rows(page).first().getByRole("link").click();
  await page.getByRole("link", { name: "모든 변경 기록" }).click();
  await expect(page).toHaveURL((url) => url.href.includes(encodeURIComponent(id)));
  await expect(rows(page)).toHaveCount(1);
});

test("a long record is paged and exported whole", async ({ page, monitor }) => {
  await openMany(page, monitor);
  await expect(page.getByText("모두 120건 중 100건입니다.")).toBeVisible();
  const take = async (name) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  };
  const csv = await take("CSV 내려받기");
  assert.equal(csv.name, "category-changes.csv");
  const lines = csv.text.split("\r\n");
  assert.ok(lines[0].startsWith("\ufeff시각,협업,제목,이전,이후,바꾼 사람,이유"), lines[0]);
  assert.equal(lines.length, 122, "the changes, the heads and the end");
  const json = JSON.parse((await take("JSON 내려받기")).text);
  assert.deepEqual(json.map((row) => row.change.to), Array(120).fill("biz_strategy"));
  await page.getByRole("button", { name: "더 보기" }).click();
  await expect(rows(page)).toHaveCount(120);
});

test("after an empty page another press loads the rest", async ({ page, monitor }) => {
  // The second page is empty, then the rest follows: pages are requested again from the first one on.
  let pages = 0;
  await page.route("**/api/v2/category-changes?*", async (route) => {
    const mark = new URL(route.request().url()).searchParams.get("cursor");
    pages = mark === null ? 1 : pages + 1;
    if (pages !== 2) return route.continue();
    const answer = await route.fetch();
    return route.fulfill({ response: answer, json: { ...(await answer.json()), changes: [], next: mark } });
  });
  await openMany(page, monitor);
  const more = page.getByRole("button", { name: "더 보기" });
  await Promise.all([page.waitForResponse((answer) => answer.url().includes("cursor=")), more.click()]);
  await expect(rows(page)).toHaveCount(100);
  // A press while a response is pending does nothing.
  await expect(async () => {
    if ((await rows(page).count()) !== 120) await more.click({ timeout: 2_000 }).catch(() => undefined);
    await expect(rows(page)).toHaveCount(120);
  }).toPass();
});

test("an unreadable record is not called empty", { tag: "@quick" }, async ({ page, monitor }) => {
  const file = path.join(monitor.home, "work-session-category-audit.ndjson");
  const { total } = await monitor.get("/api/v2/category-changes");
  allowProblems(page, [/503/]);
  await rename(file, `${file}.away`);
  await mkdir(file);
  await page.goto("/audit");
  await expect(page.getByText("변경 기록을 읽지 못했습니다")).toBeVisible();
  await expect(page.getByText("아직 바꾼 기록이 없습니다")).toHaveCount(0);
  await rm(file, { recursive: true });
  await rename(`${file}.away`, file);
  await chmod(file, 0o600);
  await page.getByRole("button", { name: "다시 시도" }).click();
  await expect(rows(page)).toHaveCount(Math.min(total, 100));
});

test("an empty record is called empty", async ({ openPage, startMonitor }) => {
  const bare = await startMonitor({ story: "ping-pong" });
  const page = await openPage(`${bare.url}/audit`);
  await expect(page.getByText("아직 바꾼 기록이 없습니다")).toBeVisible();
});
