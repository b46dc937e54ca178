// Browser tests of the page with a monitor that has REST 1.x alone. The page then computes its queries and categories
// in the browser.
//
// Proves (api): The page works with a monitor that has REST 1.x alone.
import assert from "node:assert/strict";

import { message } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { address, mainText, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", args: ["--api", "1"], owner: "compat" } });
test.beforeEach(({ page }) => allowProblems(page, [/404|410/]));

test("home counts sessions as a v2 monitor does", async ({ page, startMonitor }) => {
  const { all } = await (await startMonitor()).get("/api/v2/home");
  await page.goto("/");
  await waitUntilLoaded(page);
  const text = await mainText(page);
  assert.ok(text.includes(String(all.total)), `${all.total} sessions in: ${text.slice(-400)}`);
});

test("a thread shows names and rendered Markdown", async ({ page, startMonitor }) => {
  const modern = await startMonitor();
  const session = await titledSession(modern, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(modern, session);
  await page.goto(address(session, thread));
  await waitUntilLoaded(page);
  await expect(page.getByRole("article").first()).toBeVisible();
  await expect(page.getByRole("heading", { name: session.title })).toBeVisible();
  assert.doesNotMatch(await mainText(page), /\[outcome\]|<@\d/);
});

test("a new event shows live and is classified", { tag: "@quick" }, async ({ page, monitor }) => {
  await page.goto("/all");
  await waitUntilLoaded(page);
  const title = "스테이징 배포 파이프라인 복구";
  await monitor.append(
    message({
      from: "eden",
      to: "seum",
      text: `[Goal] ${title}\n배포 서버의 docker 이미지 태그를 고치고 kubernetes 롤백까지 확인해 주세요.`,
      session: "ws_e2e-compat",
      conversation: "e2e-compat",
    }),
  );
  await expect(async () => {
    const pill = page.getByRole("button", { name: /새 활동/ });
    if (await pill.isVisible()) await pill.click();
    assert.ok((await mainText(page)).includes(title));
  }).toPass();
  await page.getByRole("link", { name: title }).first().click();
  await expect(page).toHaveURL(/\/s\/ws_e2e-compat/);
  await expect(page.getByRole("article").first()).toBeVisible();
  await expect(page.getByRole("main").getByText("인프라/운영").first()).toBeVisible();
});

test("an address with a past moment shows the present, by the present clock", async ({ page }) => {
  await page.goto("/?at=2026-02-20T04:05:00Z");
  await waitUntilLoaded(page);
  await expect(page.locator(".lede__when")).toContainText("2월 21일");
  await expect(page.getByRole("region", { name: "지난 시점" })).toHaveCount(0);
  await expect(page.getByRole("button", { name: "지난 시점 보기" })).toHaveCount(0);
});

test("the raw event says that its file position is unknown", async ({ page }) => {
  await page.goto("/events");
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: /원본 보기$/ }).first().click();
  const drawer = page.getByRole("dialog", { name: "원본 이벤트" });
  await expect(drawer.getByText("이 모니터는 파일 위치를 알려 주지 않습니다")).toBeVisible();
  assert.doesNotMatch(await drawer.innerText(), /v1-\d|v1 ·|바이트 위치/);
});
