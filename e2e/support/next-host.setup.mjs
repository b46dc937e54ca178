// Playwright setup step that builds the Next.js app of `e2e/next-host`, which hosts the dashboard in some tests. It
// runs once, before the tests of the project `release`. These run in parallel and only start the built app.
import { test } from "@playwright/test";

import { prepareHost } from "./next-host.mjs";

test("the Next.js host builds", async () => {
  test.setTimeout(600_000);
  await prepareHost();
});
