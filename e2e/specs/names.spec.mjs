// Browser tests of the names of Discord users in messages: the name from the configuration file, else “unknown”.
//
// Proves (work): Discord users in messages have the names of the configuration file.
import { writeFileSync } from "node:fs";

import { expect, test } from "../support/test.mjs";
import { place, talk } from "../support/thread.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

test("a mention shows the configured name, else unknown", async ({ openPage, startMonitor }, info) => {
  const file = info.outputPath("hub.toml");
  writeFileSync(file, '[discord_users]\n"123456789012345678" = "김하늘"\n');
  const monitor = await startMonitor({ args: ["--config", file] });
  await monitor.append(talk("named", "<@123456789012345678> 님과 <@!876543210987654321> 님이 확인해 주세요.", -60_000));
  const page = await openPage(place(monitor, "named"));
  await waitUntilLoaded(page);
  const text = page.locator(".stream").getByText("님이 확인해 주세요.");
  await expect(text).toHaveText("@김하늘 님과 @알 수 없음 님이 확인해 주세요.", { useInnerText: true });
});
