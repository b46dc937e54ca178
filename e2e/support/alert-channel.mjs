// Fixture of tests of alerts that the monitor sends: a channel of this machine that records what it is sent.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";

import { startMonitor } from "./monitor.mjs";
import { test as base } from "./test.mjs";

export { expect } from "./test.mjs";

/** Tests of a monitor with one channel of alerts, `team`, which leads to `webhook`. */
export const test = base.extend({
  /** A channel of this machine; `status` is what it answers. */
  webhook: [
    async ({}, use) => {
      const webhook = { status: 200, received: [] };
      const server = createServer((request, response) => {
        let body = "";
        request.on("data", (part) => (body += part));
        request.on("end", () => {
          webhook.received.push(JSON.parse(body));
          response.writeHead(webhook.status).end("{}");
        });
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
      webhook.url = `http://127.0.0.1:${server.address().port}`;
      await use(webhook);
      await new Promise((resolve) => server.close(resolve));
    },
    { scope: "worker" },
  ],
  monitor: [
    async ({ selectBundle, webhook }, use) => {
      void selectBundle;
      const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-alerts-"));
      const config = path.join(folder, "config.toml");
      await writeFile(config, `[[alerts.sinks]]\nname = "team"\nkind = "json"\nurl = "${webhook.url}/s3cret-address"\n`);
      const monitor = await startMonitor({ story: "ping-pong", args: ["--config", config] });
      await use(monitor);
      await monitor.stop();
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 180_000 },
  ],
});
