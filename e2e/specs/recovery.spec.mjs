// Browser tests of missing or unreadable data. The page names the path of the file and recovers without a reload.
//
// Proves (log): Missing or unreadable data is named with its path, and the page recovers by itself. A failed read is
// never shown as an empty list or as an absence of activity.
import assert from "node:assert/strict";
import { cp, rename, writeFile } from "node:fs/promises";
import path from "node:path";

import { message } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { connection, mainText, waitUntilLoaded } from "../support/steps.mjs";

const fixtures = path.join(import.meta.dirname, "../../fixtures");

const expectSessions = (page) => expect(page.getByRole("main")).toContainText(/[1-9]\d*\s*협업/, { useInnerText: true });

test("a missing home is reported and read when it appears", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: null });
  const page = await openPage(monitor.url);
  await expect(page.getByText("OpenClaw 홈을 찾지 못했습니다").first()).toBeVisible();
  assert.match(await mainText(page), /\.openclaw/);
  await cp(path.join(fixtures, "ping-pong"), monitor.home, { recursive: true });
  await expectSessions(page);
});

test("a missing log is reported; its first line shows", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong" });
  await monitor.halt();
  await rename(path.join(monitor.home, "logs"), `${monitor.home}-log`);
  await monitor.start();
  const page = await openPage(monitor.url);
  await expect(page.getByText("로그 파일을 찾지 못했습니다").first()).toBeVisible();
  assert.match(await mainText(page), /coordination-events\.ndjson/);
  await monitor.append(message({ from: "eden", to: "seum", text: "첫 줄입니다", session: "ws_first", conversation: "first" }));
  await expectSessions(page);
});

test("a broken config keeps the last good names", async ({ startMonitor }) => {
  const monitor = await startMonitor({ story: "ping-pong" });
  const names = async () => (await monitor.get("/api/v2/home")).agents.map((agent) => agent.name).join();
  const before = await names();
  await writeFile(path.join(monitor.home, "openclaw.json"), "{ agents: [ oops");
  await expect.poll(async () => (await monitor.get("/api/v2/home")).source.config).toBe("stale");
  assert.equal(await names(), before);
});

test("the page reports a stopped monitor and reconnects", { tag: "@quick" }, async ({ openPage, startMonitor }) => {
  // Time passes in the monitor and in the page.
  const monitor = await startMonitor({ story: "ping-pong", clock: null });
  const page = await openPage(monitor.url, { now: null });
  await waitUntilLoaded(page);
  allowProblems(page, [/WebSocket|ERR_CONNECTION/]);
  await monitor.halt();
  await expect(connection(page)).not.toContainText("실시간", { useInnerText: true });
  // Data of the last read is described in the past tense, and no spinner is shown.
  const lede = page.locator(".lede");
  await expect(lede).toContainText(/마지막으로 읽|연결이 끊/);
  await expect(lede).not.toContainText(/작업 중입니다|진행되고 있습니다/);
  const link = () => page.evaluate(() => document.documentElement.dataset.link ?? "up");
  assert.equal(await link(), "down");
  await monitor.start();
  await expect(connection(page)).toContainText("실시간", { useInnerText: true });
  await expect.poll(link).toBe("up");
});
