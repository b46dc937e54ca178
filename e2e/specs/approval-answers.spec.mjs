// Browser tests of answers to OpenClaw's approvals: from the line on home to the gateway, which is a stand-in. The home is one
// that the real program wrote.
//
// Proves (gateway): A line of home leads to the page of an approval that waits in OpenClaw. It shows the command exactly, where
// it runs and what is hard to undo. One answer reaches the gateway; the page says when it was answered elsewhere, and when
// nobody knows. Allowing for ever is not offered.
import { startApprovalGateway } from "../support/approval-gateway.mjs";
import { test as base, expect } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

const EXEC = "e42da536-bcf7-4fb7-ad24-dbe9d6d4b8cc";
const PLUGIN = "plugin:2fe5929d-da55-4430-bbf1-6789d54f6151";
const decisions = ["allow-once", "allow-always", "deny"];

/** What the gateway holds: the same as the database of the home. */
const approvals = () => ({
  [EXEC]: {
    id: EXEC,
    status: "pending",
    expiresAtMs: 1795875463232,
    presentation: { kind: "exec", commandText: "rm -rf build && ./deploy.sh --prod", host: "gateway", agentId: "eden", allowedDecisions: decisions },
  },
  [PLUGIN]: {
    id: PLUGIN,
    status: "pending",
    expiresAtMs: 1795875527207,
    presentation: {
      kind: "plugin",
      title: "문서 게시",
      description: "docs/install.md를 공개 위키에 올립니다.",
      severity: "warning",
      pluginId: "wiki",
      toolName: "publish_page",
      agentId: "ruda",
      allowedDecisions: decisions,
    },
  },
});

const test = base.extend({
  gateway: async ({}, use) => {
    const gateway = await startApprovalGateway(approvals());
    await use(gateway);
    await gateway.stop();
  },
  /** A monitor of its own for each test: an answer is given once. */
  hub: async ({ gateway, startMonitor }, use) => {
    const env = { TASK_MONITOR_GATEWAY_URL: gateway.url, TASK_MONITOR_GATEWAY_TOKEN: "only-on-loopback" };
    await use(await startMonitor({ story: "openclaw-approvals/dot-openclaw", clock: 1_795_874_970_000, env }));
  },
});

const state = (page) => page.getByRole("main").getByRole("status");

test("an approval of OpenClaw is allowed once on its page", { tag: "@quick" }, async ({ gateway, hub, openPage }) => {
  const page = await openPage(`${hub.url}/`, { now: 1_795_874_970_000 });
  await waitUntilLoaded(page);
  const line = page.getByRole("listitem").filter({ hasText: "이든이 명령 실행 승인을 기다립니다" });
  await line.getByRole("link", { name: /여기서 답할 수 있음/ }).click();
  await expect(page).toHaveURL(new RegExp(`/permission/${EXEC}$`));
  await expect(page.getByLabel("실행할 명령")).toHaveText("rm -rf build && ./deploy.sh --prod");
  await expect(page.getByText("실행하는 곳").locator("..")).toContainText("gateway");
  await expect(page.getByRole("region", { name: "되돌리기 어려울 수 있습니다" })).toContainText("rm -rf build");
  await expect(page.getByText("OpenClaw에서도 답할 수 있습니다.")).toBeVisible();
  await expect(page.getByRole("link", { name: "OpenClaw에서 답하기" })).toHaveAttribute("href", `${gateway.url}/approve/${EXEC}`);
  await expect(page.getByRole("button", { name: "터미널에서" })).toHaveCount(0);
  await page.getByRole("button", { name: "한 번 허용" }).click();
  await expect(page.getByRole("button", { name: "확인했습니다, 허용" })).toBeVisible();
  expect(gateway.decisions).toEqual([]);
  await page.getByRole("button", { name: "확인했습니다, 허용" }).click();
  await expect(state(page)).toContainText("답을 전했습니다");
  await expect(page.getByRole("button", { name: /허용/ })).toHaveCount(0);
  expect(gateway.decisions).toEqual([{ id: EXEC, kind: "exec", decision: "allow-once" }]);
});

test("a plugin's tool is denied with one press", async ({ gateway, hub, openPage }) => {
  const page = await openPage(`${hub.url}/permission/${encodeURIComponent(PLUGIN)}`, { width: 390, height: 780, now: 1_795_874_970_000 });
  await expect(page.getByRole("heading", { level: 1 })).toContainText("publish_page");
  await expect(page.getByText("docs/install.md를 공개 위키에 올립니다.")).toBeVisible();
  await expect(page.getByText("wiki")).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false);
  await page.getByRole("button", { name: "거절", exact: true }).click();
  await expect(state(page)).toContainText("거절함");
  expect(gateway.decisions).toEqual([{ id: PLUGIN, kind: "plugin", decision: "deny" }]);
});

test("an approval that was answered elsewhere says so", async ({ gateway, hub, openPage }) => {
  const page = await openPage(`${hub.url}/permission/${EXEC}`, { now: 1_795_874_970_000 });
  await expect(page.getByRole("button", { name: "거절", exact: true })).toBeVisible();
  Object.assign(gateway.approvals[EXEC], { status: "denied", decision: "deny" });
  await page.getByRole("button", { name: "한 번 허용" }).click();
  await page.getByRole("button", { name: "확인했습니다, 허용" }).click();
  await expect(state(page)).toContainText("다른 곳에서 끝났습니다");
  expect(gateway.decisions).toEqual([]);
});

test("an answer without a reply is unknown and not sent again", async ({ gateway, hub, openPage }) => {
  const page = await openPage(`${hub.url}/permission/${EXEC}`, { language: "en", now: 1_795_874_970_000 });
  gateway.cut = true;
  await page.getByRole("button", { name: "Deny" }).click();
  await expect(state(page)).toContainText("Nobody knows whether the answer arrived");
  await expect(page.getByRole("link", { name: "Answer in OpenClaw" })).toBeVisible();
  await page.reload();
  await expect(state(page)).toContainText("It is not sent again");
  await expect(page.getByRole("button", { name: "Deny" })).toHaveCount(0);
  expect(gateway.decisions).toHaveLength(1);
});
