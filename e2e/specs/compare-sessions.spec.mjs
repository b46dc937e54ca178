// Browser tests of the comparison of two sessions.
//
// Proves (past): Two sessions are compared from the details of one: what differs in status, size and outcomes of requests is
// what both pages say. The comparison is in the address.
import assert from "node:assert/strict";

import { waitUntilLoaded } from "../support/steps.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";

const dialog = (page) => page.getByRole("dialog", { name: "다른 협업과 비교" });

test("two sessions are compared, by an address that can be shared", { tag: "@quick" }, async ({ monitor, page }) => {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  const one = sessions.find(({ category }) => sessions.filter((other) => other.category.key === category.key).length > 1);
  await page.goto(`/s/${encodeURIComponent(one.workSessionId)}`);
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "비교할 협업 고르기" }).click();
  const choices = dialog(page).getByRole("listitem").getByRole("button");
  const ofKind = sessions.filter(({ category, workSessionId }) => category.key === one.category.key && workSessionId !== one.workSessionId);
  await expect(choices).toHaveCount(Math.min(ofKind.length, 20));
  await choices.first().click();
  await expect(dialog(page).getByRole("table")).toBeVisible();
  const id = new URL(page.url()).searchParams.get("with");
  const other = sessions.find(({ workSessionId }) => workSessionId === id);
  assert.ok(other && other.category.key === one.category.key, id);
  assert.notEqual(one.messageCount, other.messageCount, "the story has sessions of different size");
  const row = dialog(page).getByRole("row", { name: /^메시지/ });
  await expect(row.getByRole("cell").first()).toHaveText(String(one.messageCount));
  await expect(row.getByRole("cell").nth(1)).toHaveText(String(other.messageCount));
  await expect(dialog(page).getByRole("row", { name: /^카테고리/ }), "both are of one").toHaveCount(0);

  // The address alone, without a thread, as a person would share it.
  await page.goto(`/s/${encodeURIComponent(one.workSessionId)}?with=${encodeURIComponent(id)}`);
  await expect(row.getByRole("cell").first()).toHaveText(String(one.messageCount));
  await dialog(page).getByRole("button", { name: "다른 협업 고르기" }).click();
  await expect(page).not.toHaveURL(/with=/);
  await dialog(page).getByRole("searchbox").fill("없는 협업 이름");
  await expect(dialog(page)).toContainText("비교할 협업이 없습니다.");
  // The first one clears the field.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toHaveCount(0);
});

test("a session that is not there is named as such, also on a phone", async ({ monitor, openPage }) => {
  const [{ workSessionId }] = (await monitor.get("/api/v2/sessions?limit=1")).sessions;
  const page = await openPage(`${monitor.url}/s/${encodeURIComponent(workSessionId)}?with=ws_nobody`, { viewport: { width: 390, height: 844 } });
  allowProblems(page, [/404/]);
  await expect(dialog(page).getByRole("alert")).toContainText("찾는 것이 기록에 없습니다");
  await expect(dialog(page).getByRole("button", { name: "다른 협업 고르기" })).toBeVisible();
});
