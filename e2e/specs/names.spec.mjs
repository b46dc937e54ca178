// People are called by the names the operator gave them.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { assertNoProblems, openPage, startBrowser } from "../support/browser.mjs";
import { startMonitor } from "../support/monitor.mjs";
import { place, talk } from "../support/thread.mjs";
import { idle } from "../support/verbs.mjs";

const folder = mkdtempSync(path.join(tmpdir(), "task-hub-names-"));
const file = path.join(folder, "hub.toml");
let monitor;
let browser;
before(async () => {
  writeFileSync(file, '[discord_users]\n"123456789012345678" = "김하늘"\n');
  monitor = await startMonitor({ args: ["--config", file] });
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await monitor?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test("a mention is a name the operator gave, else it says that nobody knows", async () => {
  await monitor.append(talk("named", "<@123456789012345678> 님과 <@!876543210987654321> 님이 확인해 주세요.", -60_000));
  const page = await openPage(browser, place(monitor, "named"));
  await idle(page);
  const said = page.locator(".stream").getByText("님이 확인해 주세요.");
  await said.waitFor();
  await page.locator(".stream").getByText("@김하늘").waitFor();
  assert.equal((await said.innerText()).replace(/\s+/g, " ").trim(), "@김하늘 님과 @알 수 없음 님이 확인해 주세요.");
  assertNoProblems(page);
  await page.context().close();
});
