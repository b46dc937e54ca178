// Browser tests of people without rights: what they may not do is not offered, and a refused page says so. Also the offer
// of hooks on a machine with Claude Code alone.
//
// Proves (security): A person without the right to change categories sees no button for it, nor for notes, rules or views
// for everybody. To a person who may not see the dashboard, the page says so.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { allowProblems, expect, test } from "../support/test.mjs";
import { address, titledSession, waitUntilLoaded } from "../support/steps.mjs";

const WORDS = ["--trusted-proxies", "127.0.0.1", "--identity-header", "X-Forwarded-User", "--rights-categorize", "eden"];
const TOKEN = "a token of the tests";

/** Opens a page as a proxy forwards it for `user`. */
async function openAs(openPage, monitor, user, place) {
  const page = await openPage(null, { baseURL: monitor.url });
  await page.setExtraHTTPHeaders({ "x-forwarded-user": user, "x-forwarded-for": "203.0.113.7", "x-task-monitor-token": TOKEN });
  await page.goto(place);
  await waitUntilLoaded(page);
  return page;
}

test("a person without the right is offered nothing that would be refused", { tag: "@quick" }, async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "everything", args: WORDS, env: { TASK_MONITOR_WRITE_TOKEN: TOKEN } });
  const place = address(await titledSession(monitor, "결제 게이트웨이 v2.14.0"));
  for (const [user, may] of [["eden", true], ["seum", false]]) {
    const page = await openAs(openPage, monitor, user, place);
    const about = page.getByRole("complementary", { name: "이 스레드의 정보" });
    await expect(about.getByRole("button", { name: "카테고리 바꾸기" })).toHaveCount(may ? 1 : 0);
    await expect(about.getByRole("textbox", { name: "메모 쓰기" })).toHaveCount(may ? 1 : 0);
    if (!may) await expect(about).toContainText("이 작업을 할 권한이 없습니다.");
    await page.goto("/rules");
    await waitUntilLoaded(page);
    await expect(page.getByRole("button", { name: "저장", exact: true })).toHaveCount(may ? 1 : 0);
    await page.goto("/all");
    await waitUntilLoaded(page);
    await page.locator("[data-session]").first().hover();
    await expect(page.locator(".choice-box").first()).toBeVisible({ visible: may });
  }
});

test("a refused page says that the person may not see it", { tag: "@quick" }, async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong" });
  const page = await openPage(null, { baseURL: monitor.url });
  allowProblems(page, [/403/]);
  let refused = true;
  const answer = { status: 403, json: { error: "no", code: "forbidden", requestId: "e2e" } };
  await page.route("**/api/v2/home", (route) => (refused ? route.fulfill(answer) : route.continue()));
  await page.goto("/");
  await expect(page.getByText("이 화면을 볼 권한이 없습니다.")).toBeVisible();
  refused = false;
  await waitUntilLoaded(page);
  await expect(page.getByText("이 화면을 볼 권한이 없습니다.")).toHaveCount(0);
});

test("an empty home on a machine with Claude Code and Codex offers the hooks of both", { tag: "@quick" }, async ({ openPage, startMonitor }) => {
  const user = await mkdtemp(path.join(os.tmpdir(), "task-hub-user-"));
  for (const folder of [".claude", ".codex"]) await mkdir(path.join(user, folder));
  const monitor = await startMonitor({ story: null, env: { HOME: user, CLAUDE_CONFIG_DIR: "", CODEX_HOME: "" } });
  const page = await openPage(monitor.url);
  const target = `--home '${monitor.home}' --monitor http://127.0.0.1:${monitor.port}`;
  const offers = {
    "모니터가 있는 컴퓨터에 Claude Code가 있습니다": [`task-monitor hooks install ${target}`, "~/.claude/settings.json", "task-monitor hooks uninstall"],
    "모니터가 있는 컴퓨터에 Codex가 있습니다": [`task-monitor hooks install --program codex ${target}`, "~/.codex/hooks.json", "task-monitor hooks uninstall --program codex", "훅을 신뢰할지 물으면"],
  };
  for (const [name, texts] of Object.entries(offers)) {
    const offer = page.getByRole("region", { name });
    for (const words of [...texts, "파일 내용은 보내지 않습니다"]) await expect(offer).toContainText(words);
  }
  await rm(user, { recursive: true });
});
