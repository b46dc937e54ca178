// Browser tests of the addresses of views: reload, filters in the query, Back, and unknown addresses.
//
// Proves (page): Every view has an address that survives reload and Back, and an unknown address is reported.
import assert from "node:assert/strict";

import { allowProblems, expect, test } from "../support/test.mjs";
import { address, mainText, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

test("a deep link opens and reloads every kind of page", async ({ page, monitor }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  const { tasks } = await monitor.get("/api/v2/tasks");
  const deep = ["/c/infra_ops", "/all", address(session), address(session, thread), "/events", "/tasks", `/tasks/${tasks[0].agentId}/${tasks[0].id}`];
  for (const place of deep) {
    await page.goto(place);
    await waitUntilLoaded(page);
    const first = await page.getByRole("main").getByRole("heading").first().innerText();
    await page.reload();
    await waitUntilLoaded(page);
    assert.equal(await page.getByRole("main").getByRole("heading").first().innerText(), first, place);
  }
});

test("a filtered list comes back from its address", { tag: "@quick" }, async ({ page, monitor }) => {
  const { sessions, total } = await monitor.get("/api/v2/sessions?limit=50&status=quiet&agent=eden");
  assert.ok(total > 0);
  await page.goto("/all?status=quiet&agent=eden");
  await waitUntilLoaded(page);
  const first = page.getByRole("heading", { name: sessions[0].title }).first();
  await expect(first).toBeVisible();
  const text = await mainText(page);
  assert.match(text, /조용함/);
  assert.match(text, /이든/);
  await page.reload();
  await expect(first).toBeVisible();
  await expect(page).toHaveURL(/status=quiet/);

  await page.goto("/events?since=7d");
  await waitUntilLoaded(page);
  await expect(page.getByRole("combobox", { name: "기간" })).toHaveValue("7d");
});

test("grouping by category changes the address; Back undoes it", async ({ page }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "카테고리별" }).click();
  await expect(page).toHaveURL(/group=category/);
  await waitUntilLoaded(page);
  await page.goBack();
  await expect(page).not.toHaveURL(/group=category/);
});

test("an unknown address says so and links home", async ({ page }) => {
  await page.goto("/no/such/place");
  await expect(page.getByText("페이지를 찾을 수 없습니다")).toBeVisible();
  await page.getByRole("link", { name: "홈으로" }).click();
  await expect(page).toHaveURL((url) => url.pathname === "/");
  allowProblems(page, [/404/]);
  await page.goto("/s/ws_that-never-was");
  await expect(page.getByText("이 협업을 찾을 수 없습니다")).toBeVisible();
});
