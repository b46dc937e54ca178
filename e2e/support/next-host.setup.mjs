// Setup step that builds the Next.js host once before the release project. Its specs run in parallel and only start the
// host.
import { test } from "@playwright/test";

import { prepareHost } from "./next-host.mjs";

test("the Next.js host builds", async () => {
  test.setTimeout(600_000);
  await prepareHost();
});
