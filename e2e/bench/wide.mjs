// Benchmark of a flow of 5,000 events and a delegation tree of 10,000 runs: opening each compared with a small one, and
// scrolling in it.
import { openPage } from "../support/browser.mjs";
import { eventually, message } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";
import { ROUNDS, bench, figure, opened, paired, still, turned, wheeled } from "./support.mjs";

await bench(async (monitor, browser) => {
  await flows(monitor, browser);
  await tree(monitor, browser);
});

/** Opens each in turn from the same page: ms of each opening. */
async function openings(page, from, addresses, shown) {
  const times = Object.fromEntries(Object.keys(addresses).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, address] of Object.entries(addresses)) {
      await page.goto(from);
      await idle(page);
      times[name].push(await opened(page, address, shown));
    }
  }
  return times;
}

async function control(monitor, browser) {
  const rest = await openPage(browser, `${monitor.url}/all`, { now: null });
  await still(rest);
  const seen = await turned(rest, 700, 500);
  await rest.context().close();
  return seen;
}

async function flows(monitor, browser) {
  const agents = ["ruda", "eden", "seum", "dajim", "onsae"];
  for (const [name, length] of Object.entries({ short: 100, long: 5_000 })) {
    const lines = Array.from({ length }, (_, n) =>
      message({
        from: agents[n % 5], to: agents[(n + 1 + (n % 3)) % 5], text: `배포 확인 부탁합니다 ${n}`, session: `ws_flow-${name}`,
        conversation: `flow-${name}-${n % 40}`, at: Date.now() - (length - n) * 9_000, type: n % 2 ? "a2a.response" : "a2a.send",
      }),
    );
    await monitor.append(...lines);
    await eventually("all is read", async () => (await monitor.get(`/api/v2/sessions/ws_flow-${name}/flow`)).arrows.length > length * 0.9);
  }
  const page = await openPage(browser, `${monitor.url}/all`, { now: null });
  const times = await openings(page, `${monitor.url}/all`, { long: "/s/ws_flow-long/flow", short: "/s/ws_flow-short/flow" }, ".flow__mark");
  paired("open a flow of 5,000 events to its first arrow", "ms", times.long, times.short, "of 100 events");
  await page.goto(`${monitor.url}/s/ws_flow-long/flow`);
  await page.locator(".flow__mark").first().waitFor();
  wheeled("wheel for 10 s in the flow", null, [[await turned(page, 500, 600), await control(monitor, browser)]]);
  figure({ name: "marks drawn at the end", value: await page.locator(".flow__mark").count(), exact: true });
  await page.context().close();
}

async function tree(monitor, browser) {
  const at = Date.now() - 600_000;
  const runs = (session, many) => Array.from({ length: many }, (_, number) => ({
    type: "a2a.spawn",
    agentId: "ruda",
    ts: at + number,
    data: { fromAgent: "ruda", toAgent: "worker-a", targetSessionKey: `agent:worker-a:subagent:${session}-${number}`, message: `${number}번째로 맡긴 일`, conversationId: `c-${session}-${number}`, workSessionId: session, depth: 0, hop: 0 },
  }));
  await monitor.append(...runs("ws_few", 20));
  for (let part = 0; part < 5; part += 1) await monitor.append(...runs("ws_many", 10_000).slice(part * 2_000, (part + 1) * 2_000));
  await eventually("all runs are read", async () => (await monitor.get("/api/v2/sessions/ws_many/delegations?limit=1")).total >= 10_000);
  const page = await openPage(browser, `${monitor.url}/events`, { now: null });
  const times = await openings(page, `${monitor.url}/events`, { many: "/events?session=ws_many", few: "/events?session=ws_few" }, ".tree [role=row]");
  paired("open a delegation tree of 10,000 runs to its first line", "ms", times.many, times.few, "of 20 runs");
  await page.goto(`${monitor.url}/events?session=ws_many`);
  await idle(page);
  const box = await page.getByRole("treegrid").boundingBox();
  wheeled("wheel for 10 s in the tree", null, [[await turned(page, box.x + 200, box.y + 200), await control(monitor, browser)]]);
  figure({ name: "lines drawn", value: await page.getByRole("row").count(), bound: { atMost: 120 }, exact: true });
  await page.context().close();
}
