// Set-up step that builds the Next.js host once before the release project. The specs run in parallel and only start
// it.
import { test } from "@playwright/test";

import { prepareHost } from "./next-host.mjs";

test("the Next.js host builds", async () => {
  test.setTimeout(600_000);
  await prepareHost();
});
