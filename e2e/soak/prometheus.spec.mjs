// Tests of /metrics with Prometheus itself, of the alert rules and of the Grafana dashboard in docs/deploy/.
//
// Proves (api): promtool finds no fault in /metrics, in the alert rules and in the example configuration. A Prometheus
// server scrapes the monitor, and every expression of the rules and of the dashboard finds its series.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { freePort, startMonitor } from "../support/monitor.mjs";
import { test as base, expect } from "../support/test.mjs";

const run = promisify(execFile);
const deploy = path.join(import.meta.dirname, "../../docs/deploy");
const read = (name) => readFile(path.join(deploy, name), "utf8");

const test = base.extend({
  monitor: [
    async ({}, use) => {
      const monitor = await startMonitor();
      await use(monitor);
      await monitor.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  /** Asks a Prometheus server that scrapes the monitor every second. */
  query: [
    async ({ monitor }, use) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-prometheus-"));
      const example = await read("prometheus.yml");
      const config = example
        .replace("127.0.0.1:3847", `127.0.0.1:${monitor.port}`)
        .replace("15s", "1s")
        .replace("task-monitor.rules.yml", path.join(deploy, "task-monitor.rules.yml"));
      await writeFile(path.join(folder, "prometheus.yml"), config);
      const port = await freePort();
      const words = ["--config.file", path.join(folder, "prometheus.yml"), "--storage.tsdb.path", path.join(folder, "data")];
      const server = spawn("prometheus", [...words, "--web.listen-address", `127.0.0.1:${port}`], { stdio: "ignore" });
      await use(async (expression) => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(expression)}`);
        const body = await answer.json();
        assert.equal(body.status, "success", `${expression}: ${body.error}`);
        return body.data.result;
      });
      server.kill("SIGTERM");
      await new Promise((resolve) => server.on("exit", resolve));
      await rm(folder, { recursive: true, force: true });
    },
    { scope: "worker", timeout: 60_000 },
  ],
});

test("promtool finds no fault in metrics, rules and configuration", async ({ monitor }) => {
  const metrics = await (await fetch(`${monitor.url}/metrics`)).text();
  const check = spawn("promtool", ["check", "metrics"], { stdio: ["pipe", "pipe", "pipe"] });
  let output = "";
  for (const stream of [check.stdout, check.stderr]) stream.on("data", (bytes) => (output += bytes));
  check.stdin.end(metrics);
  const code = await new Promise((resolve) => check.on("exit", resolve));
  assert.deepEqual([code, output], [0, ""]);
  await run("promtool", ["check", "rules", path.join(deploy, "task-monitor.rules.yml")]);
  await run("promtool", ["check", "config", path.join(deploy, "prometheus.yml")]);
});

test("Prometheus scrapes the monitor", async ({ monitor, query }) => {
  await expect(async () => assert.equal((await query('up{job="task-monitor"}'))[0]?.value[1], "1")).toPass();
  const home = await (await fetch(`${monitor.url}/api/v2/home`)).json();
  const [active] = await query('task_monitor_sessions{status="active"}');
  assert.equal(Number(active.value[1]), home.statusCounts.active);
});

test("expressions of rules and dashboard find their series", async ({ query }) => {
  await expect(async () => assert.equal((await query("up"))[0]?.value[1], "1")).toPass();
  const dashboard = JSON.parse(await read("grafana-dashboard.json"));
  const panels = dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr));
  const rules = [...(await read("task-monitor.rules.yml")).matchAll(/expr: (.+)/g)].map((match) => match[1]);
  const names = [...panels, ...rules].flatMap((expression) => expression.match(/\b(?:task_monitor|process)_\w+/g) ?? []);
  assert.ok(names.length > 15);
  for (const name of new Set(names)) assert.ok((await query(name)).length > 0, `no series ${name}`);
  const [{ metric }] = await query("task_monitor_ready");
  const found = async (expression, least) =>
    expect(async () => assert.ok((await query(expression)).length >= least, `${expression} finds too little`)).toPass();
  for (const expression of panels) await found(expression.replaceAll("$instance", metric.instance), 1);
  for (const rule of rules) {
    // What the rule compares: every alternative of a label has its series.
    const compared = rule.split(/ (?:==|[<>]) /)[0];
    await found(compared, compared.startsWith("sum(") ? 1 : (compared.match(/\|/g) ?? []).length + 1);
  }
});
