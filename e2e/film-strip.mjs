// Film strip of an answer from a phone, for docs/guide/alerts.md: `node film-strip.mjs` writes
// docs/screenshots/answer-ko.png and answer-en.png. A coding agent asks for a permission, four agents wait for it, the
// phone is notified, and one press lets them go on. The hook and the agents are requests and log lines of this script, as the
// real ones send them; the first picture is the text of the push message, drawn as a card, because no browser without a
// screen shows notifications.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import os from "node:os";
import path from "node:path";

import { openPage, startBrowser } from "./support/browser.mjs";
import { FIXTURE_NOW, eventually, message, startMonitor } from "./support/monitor.mjs";
import { receiver } from "./support/push.mjs";
import { waitUntilLoaded } from "./support/steps.mjs";

const TOKEN = "write-token-of-the-film-strip";
const PHONE = { width: 390, height: 780 };
const documents = path.join(import.meta.dirname, "../docs/screenshots");
const headers = { "content-type": "application/json", "x-task-monitor-token": TOKEN };
const WORDS = {
  ko: { allow: "한 번 허용", first: "쿠폰을 두 번 쓰면 할인이 두 번 들어갑니다. 고치고 배포까지 해 주세요.", command: "npm run deploy -- --stage beta", ask: ["쿠폰 수정이 올라가면 결제 시험을 시작하겠습니다.", "배포되면 알려 주세요. 화면을 확인하겠습니다.", "시험 결과를 기다립니다.", "문서에 넣을 결과를 기다립니다."], done: "배포했습니다." },
  en: { allow: "Allow once", first: "Using a coupon twice gives the discount twice. Please fix it and deploy.", command: "npm run deploy -- --stage beta", ask: ["I start the payment tests once the coupon fix is up.", "Tell me when it is deployed; I check the pages.", "Waiting for the test results.", "Waiting for the results to document them."], done: "Deployed." },
};

/** Pictures of one language. */
async function pictures(browser, language) {
  const words = WORDS[language];
  const phone = receiver();
  const received = [];
  const service = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      received.push(JSON.parse(phone.read(Buffer.concat(parts))));
      response.writeHead(201).end();
    });
  });
  await new Promise((resolve) => service.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${service.address().port}`;
  const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-strip-"));
  const config = path.join(folder, "config.toml");
  const sink = `name = "phones"\nkind = "push"\ncontact = "mailto:ops@example.org"\nservices = ["${origin}"]\ntext = "full"\n`;
  await writeFile(config, `[[alerts.sinks]]\n${sink}\n[[alerts.rules]]\nname = "person"\ngroups = ["person"]\nafter = "2s"\n`);
  const monitor = await startMonitor({ story: null, clock: null, args: ["--config", config], env: { TASK_MONITOR_WRITE_TOKEN: TOKEN } });
  const post = async (route, body) => (await fetch(`${monitor.url}${route}`, { method: "POST", headers, body: JSON.stringify(body) })).json();
  const shots = [];
  try {
    await mkdir(path.join(monitor.home, "logs"), { recursive: true });
    const agents = { ko: ["이든", "다짐", "세움", "루다"], en: ["Eden", "Dajim", "Seum", "Ruda"] }[language];
    const list = ["eden", "dajim", "seum", "ruda"].map((id, n) => ({ id, identity: { name: agents[n] } }));
    await writeFile(path.join(monitor.home, "openclaw.json"), JSON.stringify({ agents: { list } }));
    const subscription = { endpoint: `${origin}/phone`, keys: phone.keys, name: "Safari · iPhone", language };
    await eventually("the phone is subscribed", async () => (await post("/api/v2/push-subscriptions", subscription)).id);
    const tool_input = { command: words.command };
    const payload = { session_id: "8c35adc1-0000-4000-8000-00000000000a", cwd: "/home/kim/bookstore", hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input };
    const { items } = await eventually("the event is taken", async () => {
      const taken = await post("/api/hooks/claude-code", { received_at: new Date().toISOString(), payload });
      return taken.items && taken;
    });
    const body = { key: items[0].key, session: payload.session_id, call: { tool: "Bash", input: tool_input, cwd: payload.cwd }, waitSeconds: 120, firstWords: words.first };
    const answer = post("/api/hooks/permission", body);
    const { id, agent } = await eventually("it asks", async () => (await monitor.get("/api/v2/permission-requests")).open[0]);
    const talk = { session: "ws_coupon", at: Date.now() - 1_000 };
    const asks = [["eden", agent], ["dajim", agent], ["seum", "eden"], ["ruda", "eden"]].map(([from, to], n) => message({ ...talk, from, to, conversation: `c${n}`, text: words.ask[n] }));
    await monitor.append(...asks);
    await eventually("four agents wait", async () => (await monitor.get("/api/v2/home")).attention.some((line) => line.heldUp === 4));
    const notified = await eventually("the phone is notified", () => received.find((it) => it.path.includes("permission")));
    const page = await openPage(browser, "about:blank", { ...PHONE, language, theme: "light", now: Date.now() });
    const shoot = async () => shots.push(await page.screenshot({ animations: "disabled" }));
    await page.setContent(`<body style="margin:0;height:780px;background:linear-gradient(#3d5a6b,#14252e);font:15px system-ui;display:grid;align-content:center;padding:0 14px"><div style="background:#f4f4f1;border-radius:18px;padding:14px 16px;color:#191d1e"><div style="color:#5f6567;font-size:13px;margin-bottom:6px">Task-Hub</div><b></b><div style="margin-top:4px;line-height:1.45"></div></div></body>`);
    await page.evaluate(({ title, body }) => {
      document.querySelector("b").textContent = title;
      document.querySelector("b + div").textContent = body;
    }, notified);
    await shoot();
    await page.goto(`${monitor.url}/`);
    await waitUntilLoaded(page);
    await page.waitForTimeout(500);
    await shoot();
    await page.goto(`${monitor.url}/${notified.path}`);
    const allow = page.getByRole("button", { name: words.allow });
    await allow.waitFor();
    await page.waitForTimeout(500);
    await shoot();
    await allow.click();
    await answer;
    await page.waitForTimeout(800);
    await shoot();
    // The command runs, and each agent answers who waits for it.
    const ended = { ...payload, hook_event_name: "PostToolUse", tool_response: { stdout: "", stderr: "" } };
    await post("/api/hooks/claude-code", { received_at: new Date().toISOString(), payload: ended });
    await monitor.append(...asks.map(({ data }, n) => message({ session: talk.session, at: Date.now(), type: "a2a.response", from: data.toAgent, to: data.fromAgent, conversation: `c${n}`, text: words.done })));
    await page.goto(`${monitor.url}/`);
    await waitUntilLoaded(page);
    await page.waitForTimeout(800);
    await shoot();
    console.log(language, id, notified.title, notified.body);
    await page.context().close();
  } finally {
    await monitor.stop();
    await rm(folder, { recursive: true, force: true });
    await new Promise((resolve) => service.close(resolve));
  }
  return shots;
}

const browser = await startBrowser();
try {
  for (const language of ["ko", "en"]) {
    const shots = await pictures(browser, language);
    const page = await browser.newPage({ viewport: { width: shots.length * 402 + 12, height: 804 }, deviceScaleFactor: 1 });
    const images = shots.map((shot) => `<img src="data:image/png;base64,${shot.toString("base64")}" width="390" height="780">`);
    await page.setContent(`<body style="margin:12px;background:#d8d8d2;display:flex;gap:12px">${images.join("")}</body>`);
    await page.screenshot({ path: path.join(documents, `answer-${language}.png`) });
    await page.close();
  }
} finally {
  await browser.close();
}
