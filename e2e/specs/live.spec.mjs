// Browser tests of live updates. Changes on disk appear on the open page without a reload.
//
// Proves (live): A new log line, a new session and an edited task appear on the open page without a reload.
import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { message } from "../support/monitor.mjs";
import { expect, test } from "../support/test.mjs";
import { address, markDocument, threadsOf, titledSession, waitUntilLoaded, wasNotReloaded } from "../support/steps.mjs";

test.use({ home: { story: "everything", owner: "live" } });

test("a line appended to the log shows in the open thread", { tag: "@quick" }, async ({ page, monitor }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(monitor, session);
  await page.goto(address(session, thread));
  await waitUntilLoaded(page);
  await expect(page.getByRole("article").first()).toBeVisible();
  await markDocument(page);
  await monitor.append(
    message({
      from: thread.from,
      to: thread.to,
      text: "큐 길이 2,481건까지 줄었습니다. `refund-callback` **정상**입니다.",
      session: session.workSessionId,
      conversation: thread.conversationId,
    }),
  );
  await expect(page.getByRole("article").getByText("큐 길이 2,481건까지 줄었습니다.")).toBeVisible();
  assert.ok(await wasNotReloaded(page), "the page was not reloaded");
});

test("a new session shows in the open list and in home's count", { tag: "@quick" }, async ({ page: home, openPage, monitor }) => {
  await home.goto("/");
  const list = await openPage(`${monitor.url}/all`);
  await waitUntilLoaded(home);
  await waitUntilLoaded(list);
  const before = (await monitor.get("/api/v2/home")).all.total;
  await markDocument(home);
  await markDocument(list);
  await monitor.append(
    message({
      from: "ruda",
      to: "hangyeol",
      text: "[Goal] 야간 당직 안내문 새로 쓰기\n내일 아침까지 부탁합니다.",
      session: "ws_e2e-new-session",
      conversation: "e2e-new-conversation",
    }),
  );
  await list.getByRole("button", { name: /새 활동/ }).click();
  await expect(list.getByRole("main")).toContainText("야간 당직 안내문 새로 쓰기");
  await expect(home.getByRole("main")).toContainText(String(before + 1));
  assert.ok((await wasNotReloaded(home)) && (await wasNotReloaded(list)), "no page was reloaded");
});

test("a task edited on disk shows on its open page", async ({ page, monitor }) => {
  const folder = path.join(monitor.home, "workspace-eden/tasks");
  const [name] = (await readdir(folder)).filter((file) => file.startsWith("task_"));
  const file = path.join(folder, name);
  const text = await readFile(file, "utf8");
  await page.goto(`/tasks/eden/${name.replace(/\.md$/, "")}`);
  await waitUntilLoaded(page);
  await markDocument(page);
  const description = text.match(/(## Description\s+)(.+)/);
  assert.ok(description, `${name} has a description:\n${text}`);
  await writeFile(file, text.replace(description[0], `${description[1]}디스크에서 고친 설명입니다`));
  await expect(page.getByText("디스크에서 고친 설명입니다").first()).toBeVisible();
  assert.ok(await wasNotReloaded(page), "the page was not reloaded");
});
