// Browser tests of what OpenClaw asks of a person: commands and tools that wait for approval, and agents that ask for
// attention in their own words. The home is one that the real program wrote.
//
// Proves (work): A command that waits for approval in OpenClaw is a line of home with its exact text, its end and a link to
// the gateway's own page, until it is decided. What an agent wrote about itself is shown as its own words, apart from
// what is inferred. A database that cannot be read is named, and not shown as calm.
import { cp, writeFile } from "node:fs/promises";
import path from "node:path";

import { waitUntilLoaded } from "../support/steps.mjs";
import { expect, test } from "../support/test.mjs";

const fixtures = path.join(import.meta.dirname, "../../fixtures");
const GATEWAY = "http://127.0.0.1:18789";
test.use({
  home: {
    story: "openclaw-approvals/dot-openclaw",
    clock: 1_795_874_970_000,
    owner: "approvals",
    env: { TASK_MONITOR_GATEWAY_URL: GATEWAY, TASK_MONITOR_GATEWAY_TOKEN: "only-on-loopback" },
  },
});
test.describe.configure({ mode: "serial" });

const mine = (page) => page.getByRole("region", { name: "내가 결정할 것" }).getByRole("listitem");
const shared = (monitor) => path.join(monitor.home, "state/openclaw.sqlite");

test("a pending approval shows the exact command and where to answer", { tag: "@quick" }, async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  const line = mine(page).filter({ hasText: "이든이 명령 실행 승인을 기다립니다" });
  await expect(line).toContainText("실행 승인");
  await expect(line.locator("pre")).toHaveText("rm -rf build && ./deploy.sh --prod");
  await expect(line).toContainText(/23:17에 자동으로 거절됨/);
  const answer = line.getByRole("link", { name: "OpenClaw에서 답하기" });
  await expect(answer).toHaveAttribute("href", `${GATEWAY}/approve/e42da536-bcf7-4fb7-ad24-dbe9d6d4b8cc`);
  await expect(answer).toHaveAttribute("rel", /noopener/);
  const tool = mine(page).filter({ hasText: "문서 게시" });
  await expect(tool.locator("pre")).toHaveText("docs/install.md를 공개 위키에 올립니다.");
  await expect(tool).toContainText("publish_page");
  await expect(tool.getByRole("link", { name: "OpenClaw에서 답하기" })).toHaveAttribute("href", /\/approve\/plugin:2fe5929d/);
  await line.getByRole("link", { name: /명령 실행 승인/ }).first().click();
  await expect(page).toHaveURL(/\/permission\/e42da536-bcf7-4fb7-ad24-dbe9d6d4b8cc$/);
});

test("an agent's own statement stands apart from its state", async ({ page }) => {
  await page.goto("/");
  const line = mine(page).filter({ hasText: "이든이 확인을 요청합니다" });
  await expect(line).toContainText("에이전트가 적음: “결제 키가 필요합니다” · 11월 29일 00:38까지");
  await page.goto("/agents/eden");
  const stated = page.getByRole("main").locator("header").getByText("결제 키가 필요합니다");
  await expect(stated).toBeVisible();
  await expect(page.getByText("에이전트가 적음", { exact: true }).first()).toBeVisible();
  await page.goto("/sessions/agent:eden:main");
  await expect(page.getByRole("definition").filter({ hasText: "결제 키가 필요합니다" })).toBeVisible();
});

test("a database that cannot be read is named and hides nothing", async ({ page, monitor }) => {
  await page.goto("/");
  await expect(mine(page)).toHaveCount(3);
  await writeFile(shared(monitor), "no database");
  await expect.poll(async () => JSON.stringify((await monitor.get("/api/v2/health")).unreadable)).toContain("state/openclaw.sqlite");
  await page.reload();
  await expect(mine(page).filter({ hasText: "rm -rf build" }), "what was read before still waits").toHaveCount(1);
});

test("a decided approval is no line any more", async ({ page, monitor }) => {
  await page.goto("/");
  await expect(mine(page).filter({ hasText: "rm -rf build" })).toHaveCount(1);
  await cp(path.join(fixtures, "openclaw-approvals/resolved/openclaw.sqlite"), shared(monitor));
  await expect(mine(page).filter({ hasText: "rm -rf build" })).toHaveCount(0);
  await expect(mine(page)).toHaveCount(1);
});
