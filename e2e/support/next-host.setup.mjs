// Playwright setup step that builds the Next.js host once, before the tests of the project `release`. These tests run
// in parallel and only start the built host.
import { test } from "@playwright/test";

import { prepareHost } from "./next-host.mjs";

test("the Next.js host builds", async () => {
  test.setTimeout(600_000);
  await prepareHost();
});
