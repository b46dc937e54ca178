// Browser tests of messages to an agent through the gateway: the text of each result, sending exactly once, the
// disabled state, and the secret token.
//
// Proves (gateway): A message to an agent is sent once, whatever is pressed, cut or restarted, and is never repeated by
// itself. Each outcome has its own text.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { canaries } from "../support/canary.mjs";
import { captured, startGateway } from "../support/gateway.mjs";
import { freePort, startMonitor } from "../support/monitor.mjs";
import { allowProblems, test as base, expect } from "../support/test.mjs";
import { address, threadsOf, titledSession, waitUntilLoaded } from "../support/steps.mjs";

const TOKEN = `gw-${randomBytes(24).toString("base64url")}`;

const test = base.extend({
  /** The gateway of the worker's monitor. */
  server: [
    async ({}, use) => {
      const server = await startGateway(TOKEN);
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  monitor: [
    async ({ selectBundle, server }, use) => {
      void selectBundle;
      const monitor = await startMonitor({ env: { RUST_LOG: "trace", TASK_MONITOR_GATEWAY_URL: server.url, TASK_MONITOR_GATEWAY_TOKEN: TOKEN } });
      await use(monitor);
      await monitor.stop();
    },
    { scope: "worker", timeout: 180_000 },
  ],
  /** The gateway, which has received nothing in this test and answers every message. */
  gateway: async ({ server }, use) => {
    server.heard.length = 0;
    server.part = await captured("2026.9", "send-ok");
    await use(server);
  },
});

const dialog = (page) => page.getByRole("dialog", { name: "에이전트에게 메시지 보내기", exact: true });
const field = (page) => dialog(page).getByLabel("보낼 내용", { exact: true });
const button = (page, name) => dialog(page).getByRole("button", { name, exact: true });
const toAgent = (page, name) => page.getByRole("button", { name: `${name}에게 메시지 보내기`, exact: true });

/** The agents, and the dialog for one of them. */
async function speakTo(page, name) {
  await page.goto("/agents");
  await waitUntilLoaded(page);
  await toAgent(page, name).click();
}

/** Writes a message and opens its preview. */
async function write(page, text) {
  await field(page).fill(text);
  await button(page, "보내기 전에 확인").click();
  await expect(button(page, "보내기")).toBeVisible();
}

async function send(page, text) {
  await write(page, text);
  await button(page, "보내기").click();
}

/** The dialog's outcome of the message. */
const outcome = (page) => dialog(page).getByRole("status");

/** The lines of the record. */
async function record(monitor) {
  const text = await readFile(path.join(monitor.home, "logs/task-hub-speak.ndjson"), "utf8").catch(() => "");
  return text.split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

// What each answer of each version means is held by crates/coordination/tests/it/speak.rs; here is one of each state.
test("each outcome is named, with whether it was delivered", async ({ page, gateway, monitor }) => {
  const stories = [
    ["2026.9 send-ok", "답을 받았습니다", "에이전트에게 전달됨"],
    ["2026.9 send-accepted", "보냈습니다", "에이전트에게 전달됨"],
    ["2026.9 send-timeout", "보냈고, 아직 답이 없습니다", "에이전트에게 전달됨"],
    ["2026.9 send-no-reply", "보냈고, 답하지 않기로 했습니다", "에이전트에게 전달됨"],
    ["2026.2 send-error", "에이전트가 실행에 실패했습니다", "전달되었을 수 있음"],
    ["2026.9 send-error", "에이전트가 실행에 실패했습니다", "에이전트에게 전달됨"],
    ["2026.9 send-forbidden", "이 에이전트에게는 보낼 수 없습니다", "전달되지 않음"],
    ["2026.9 send-unknown-session", "게이트웨이에 그런 세션이 없습니다", "전달되지 않음"],
    ["2026.9 send-empty-message", "게이트웨이가 요청을 받지 않았습니다", "전달되지 않음"],
    ["2026.9 unknown-tool", "게이트웨이가 메시지 보내기를 막고 있습니다", "전달되지 않음"],
    ["2026.9 unauthorized", "게이트웨이가 토큰을 받아들이지 않습니다", "전달되지 않음"],
    ["2026.9 moved", "그 주소에서 답한 것은 게이트웨이가 아닙니다", "전달되지 않음"],
    ["2026.9 503-draining", "게이트웨이가 곧 멈추거나 다시 켜집니다", "전달되지 않음"],
    ["2026.9 rate-limited", "지금은 메시지를 더 보낼 수 없습니다", "전달되지 않음"],
    ["cut", "보냈는지 알 수 없습니다", "전달되었을 수 있음"],
  ];
  const before = (await record(monitor)).length;
  // The wait is one second instead of thirty: 2026.9 tells a timeout only by the time it took.
  await page.route("**/api/v2/speak", (route) => {
    const asked = route.request().postDataJSON();
    return asked ? route.continue({ postData: JSON.stringify({ ...asked, timeoutSeconds: 1 }) }) : route.continue();
  });
  await speakTo(page, "세움");
  for (const [story, state, delivered] of stories) {
    const [version, name] = story.split(" ");
    gateway.heard.length = 0;
    gateway.part = name ? await captured(version, name) : story;
    if (name === "send-timeout") {
      const late = gateway.part;
      gateway.part = async ({ args }) => (await pause(args.timeoutSeconds * 1000), late);
    }
    await send(page, `이야기 ${story}`);
    await expect(outcome(page), story).toContainText(state);
    const words = await outcome(page).innerText();
    assert.ok(words.includes(delivered), `${story}: ${delivered} in ${words}`);
    if (name === "send-ok") assert.ok(words.includes("staging 클러스터를 먼저 보고"), words);
    if (name === "503-draining") assert.ok(words.includes("1초 뒤"), words);
    if (name === "rate-limited") assert.ok(words.includes("7초 뒤"), words);
    assert.equal(gateway.heard.length, 1, `${story}: one request`);
    // What was not delivered can be edited; what was, or may have been, has no way to be sent again.
    await expect(button(page, "고치기"), story).toHaveCount(delivered === "전달되지 않음" ? 1 : 0);
    assert.equal(await button(page, "보내기").count() + (await button(page, "결과 확인").count()), 0, `${story}: nothing sends again`);
    if (delivered === "전달되지 않음") {
      await button(page, "고치기").click();
      assert.equal(await field(page).inputValue(), `이야기 ${story}`, "the text is still there");
    } else {
      await dialog(page).getByRole("button", { name: "닫기", exact: true }).last().click();
      await toAgent(page, "세움").click();
    }
  }
  const lines = (await record(monitor)).slice(before);
  assert.equal(lines.length, 2 * stories.length, "a line before and a line behind each");
  assert.deepEqual([...new Set(lines.map((line) => line.what))], ["asked", "told"]);
});

test("an unreachable gateway is named, and the text stays", async ({ openPage, startMonitor }) => {
  const env = { TASK_MONITOR_GATEWAY_URL: `http://127.0.0.1:${await freePort()}`, TASK_MONITOR_GATEWAY_TOKEN: TOKEN };
  const { url } = await startMonitor({ env });
  const page = await openPage(null, { baseURL: url });
  await speakTo(page, "세움");
  await send(page, "거기 있어요?");
  await expect(outcome(page)).toContainText(/게이트웨이에 연결하지 못했습니다[\s\S]*전달되지 않음/);
  await button(page, "고치기").click();
  await expect(field(page)).toHaveValue("거기 있어요?");
});

test("a message from a thread names agent, conversation and session", async ({ page, gateway, monitor }) => {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const thread = (await threadsOf(monitor, session)).find((one) => one.conversationId);
  await page.goto(address(session, thread));
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "개입하기", exact: true }).click();
  const choices = dialog(page).getByRole("group", { name: "받는 에이전트" }).getByRole("radio");
  await expect(choices).toHaveCount(2);
  await dialog(page).locator(`input[value="${thread.from}"]`).check();
  await write(page, "  멈춰 주세요\n둘째 줄  ");
  assert.ok((await dialog(page).innerText()).includes("멈춰 주세요\n둘째 줄"), "the preview shows the message");
  await button(page, "보내기").click();
  await expect(outcome(page)).toContainText("답을 받았습니다");
  const [{ path: route, headers, body }] = gateway.heard;
  assert.equal(route, "POST /tools/invoke");
  assert.equal(headers.authorization, `Bearer ${TOKEN}`);
  assert.match(body.sessionKey, /^agent:[a-z0-9_-]+:task-hub$/);
  assert.deepEqual(body.args, {
    sessionKey: `agent:${thread.from}:main`,
    message: "[Human Intervention] 멈춰 주세요\n둘째 줄",
    timeoutSeconds: 30,
    conversationId: thread.conversationId,
    workSessionId: session.workSessionId,
  });
  await page.keyboard.press("Escape");
  // The session's own button offers all participants.
  await page.getByRole("main").getByRole("button", { name: "메시지 보내기", exact: true }).click();
  await expect(dialog(page).getByRole("radio")).toHaveCount(session.participants.length);
});

// That a request id is sent once, also after a restart, is held by crates/monitor/src/gateway/tests.rs.
test("a double press sends once", { tag: "@quick" }, async ({ page, gateway }) => {
  gateway.part = "hold";
  await speakTo(page, "이든");
  await write(page, "한 번만 보내 주세요");
  await button(page, "보내기").evaluate((send) => (send.click(), send.click(), send.click()));
  await expect(outcome(page)).toContainText("보내는 중");
  await expect.poll(() => gateway.heard.length, "the gateway has it").toBeGreaterThan(0);
  gateway.release(await captured("2026.9", "send-ok"));
  await expect(outcome(page)).toContainText("답을 받았습니다");
  assert.equal(gateway.heard.length, 1);
});

test("after a cut link the outcome is fetched, not sent again", { tag: "@quick" }, async ({ page, gateway }) => {
  allowProblems(page, [/Failed to load resource/]);
  let cut = true;
  await page.route("**/api/v2/speak", async (route) => {
    if (route.request().method() !== "POST" || !cut) return route.continue();
    // The monitor gets it and answers; the page gets no answer.
    await route.fetch();
    await route.abort();
  });
  await speakTo(page, "다짐");
  await send(page, "링크가 끊깁니다");
  await expect(outcome(page)).toContainText("모니터의 답을 받지 못했습니다");
  assert.equal(gateway.heard.length, 1);
  await expect(button(page, "보내기")).toHaveCount(0);
  // It is still there when the dialog is closed and opened again.
  await page.keyboard.press("Escape");
  await toAgent(page, "다짐").click();
  assert.ok((await outcome(page).innerText()).includes("모니터의 답을 받지 못했습니다"));
  cut = false;
  await button(page, "결과 확인").click();
  await expect(outcome(page)).toContainText("답을 받았습니다");
  assert.equal(gateway.heard.length, 1, "it was sent once");
});

test("a dialog closed while sending still reports its outcome", async ({ page, gateway }) => {
  gateway.part = "hold";
  await speakTo(page, "이든");
  await send(page, "창을 닫습니다");
  await expect.poll(() => gateway.heard.length, "the gateway has it").toBe(1);
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  // Something else is written meanwhile.
  await toAgent(page, "세움").click();
  await field(page).fill("다른 글");
  gateway.release(await captured("2026.9", "send-no-reply"));
  await expect(page.getByText("보냈고, 답하지 않기로 했습니다")).toBeVisible();
  assert.equal(await field(page).inputValue(), "다른 글", "the other draft is left alone");
  await page.keyboard.press("Escape");
  await toAgent(page, "이든").click();
  assert.ok((await outcome(page).innerText()).includes("답하지 않기로"), "the outcome is in the first agent's dialog");
});

test("a gateway's missing settings and the message can be copied", async ({ page, gateway }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  gateway.part = await captured("2026.9", "spawn-denied");
  await speakTo(page, "세움");
  await send(page, "복사할 글");
  await expect(outcome(page)).toContainText("막고 있습니다");
  const clip = () => page.evaluate(() => navigator.clipboard.readText());
  await button(page, "설정 복사").click();
  await expect.poll(clip, "the settings are copied").toContain('gateway: { tools: { allow: ["sessions_send"] } }');
  assert.match(await clip(), /agentToAgent: \{ enabled: true \},\s+sessions: \{ visibility: "all" \}/);
  await button(page, "보낼 내용 복사").click();
  await expect.poll(clip, "the message is copied").toBe("복사할 글");
});

test("Enter makes a line, Ctrl+Enter previews, Escape closes", async ({ page, gateway }) => {
  await page.goto("/agents");
  await waitUntilLoaded(page);
  await toAgent(page, "세움").focus();
  await page.keyboard.press("Enter");
  await expect(field(page)).toBeFocused();
  const ime = await page.context().newCDPSession(page);
  const compose = (text) => ime.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  for (const typed of ["ㅁ", "머", "멈"]) await compose(typed);
  // The press that ends the composition is handed on once more, as some systems do.
  await page.keyboard.down("Enter");
  await ime.send("Input.insertText", { text: "멈" });
  await page.keyboard.up("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.insertText("둘째 줄");
  assert.match(await field(page).inputValue(), /^멈\n+둘째 줄\n*$/);
  await field(page).evaluate((it) => {
    it.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", code: "Enter", ctrlKey: true, isComposing: true, bubbles: true, cancelable: true }));
  });
  assert.equal(await button(page, "보내기").count(), 0, "a composition is not cut short");
  await page.keyboard.press("Control+Enter");
  await expect(button(page, "보내기")).toBeFocused();
  assert.equal(gateway.heard.length, 0, "it is only previewed");
  for (let press = 0; press < 12; press += 1) {
    await page.keyboard.press("Tab");
    assert.ok(await page.evaluate(() => document.activeElement === document.body || document.activeElement.closest("dialog[open]") !== null), "the focus stays inside");
  }
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toBeHidden();
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-label")), "세움에게 메시지 보내기");
  await page.keyboard.press("Enter");
  assert.match(await field(page).inputValue(), /둘째 줄\n*$/, "what was written is still there");
  assert.equal(gateway.heard.length, 0);
});

test("switched off there is no button, only how to switch on", async ({ openPage, startMonitor }) => {
  const off = await startMonitor();
  const page = await openPage(`${off.url}/agents`);
  await waitUntilLoaded(page);
  await expect(page.getByText("에이전트에게 메시지 보내기가 꺼져 있습니다.")).toBeVisible();
  await expect(page.getByRole("button", { name: /메시지 보내기$/ })).toHaveCount(0);
  await page.getByRole("button", { name: "켜는 방법", exact: true }).click();
  const how = page.getByRole("dialog", { name: "메시지 보내기가 꺼져 있습니다" });
  for (const setting of ["[gateway]", "token_file", "sessions_send", "agentToAgent", "visibility", "TASK_MONITOR_GATEWAY_TOKEN"]) {
    await expect(how).toContainText(setting);
  }
  const session = await titledSession(off, "결제 게이트웨이 v2.14.0");
  const [thread] = await threadsOf(off, session);
  await page.goto(off.url + address(session, thread));
  await waitUntilLoaded(page);
  await expect(page.getByText("읽기 전용")).toBeVisible();
  await expect(page.getByRole("button", { name: /개입하기|메시지 보내기/ })).toHaveCount(0);
});

test("axe finds nothing in any stage of the dialog", async ({ openPage, gateway, monitor }) => {
  const axe = await readFile(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
  for (const look of [{ theme: "light" }, { theme: "dark", width: 390, height: 844, language: "en" }]) {
    const page = await openPage(`${monitor.url}/agents`, look);
    await waitUntilLoaded(page);
    await page.evaluate(axe);
    const clean = async (stage) => {
      const found = await page.evaluate(async () => {
        const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
        return violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(" | ")}`);
      });
      assert.deepEqual(found, [], `${stage} ${JSON.stringify(look)}`);
    };
    const press = (at) => page.locator("dialog[open] .dialog__actions .button.is-primary, dialog[open] form .button.is-primary").nth(at).click();
    gateway.part = await captured("2026.9", "unknown-tool");
    await page.locator(".speak-button").first().click();
    await clean("writing");
    await page.locator("dialog[open] textarea").fill("살펴봐 주세요");
    await press(0);
    await expect(page.locator("dialog[open] .speak__text")).toBeVisible();
    await clean("the preview");
    await press(0);
    await expect(page.locator("dialog[open] .speak__settings")).toBeVisible();
    await clean("the outcome");
    assert.equal(await page.evaluate(() => document.querySelector("dialog[open]").scrollWidth > document.querySelector("dialog[open]").clientWidth), false, "nothing sticks out");
  }
});

test("the token reaches no browser, record or log", async ({ page, gateway, monitor }) => {
  const search = canaries({ token: TOKEN });
  const heard = [];
  const bodies = [];
  page.on("response", (answer) => {
    heard.push([`headers of ${answer.url()}`, JSON.stringify(answer.headers())]);
    bodies.push(answer.body().then((bytes) => heard.push([answer.url(), bytes]), () => {}));
  });
  page.on("request", (request) => heard.push([`request ${request.url()}`, JSON.stringify(request.headers()) + (request.postData() ?? "")]));
  page.on("console", (entry) => heard.push(["console", entry.text()]));
  page.on("websocket", (wire) => wire.on("framereceived", ({ payload }) => heard.push(["frame", payload])));
  // A gateway that echoes everything.
  gateway.part = ({ args }) => ({ status: 200, headers: [`X-Echo: ${TOKEN}`], response: { ok: true, result: { details: { status: "ok", reply: `Bearer ${TOKEN} ${args.message}`, runId: TOKEN } } } });
  await speakTo(page, "세움");
  await send(page, "열쇠가 무엇인가요?");
  await expect(outcome(page)).toContainText("Bearer … [Human Intervention] 열쇠가 무엇인가요?");
  heard.push(["page", await page.content()]);
  heard.push(["storage", await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }) + document.cookie)]);
  await Promise.all(bodies);
  await page.context().close();
  for (const route of ["/api/v2/speak", "/api/v2/health"]) heard.push([route, await (await fetch(monitor.url + route)).text()]);
  heard.push(["record", await readFile(path.join(monitor.home, "logs/task-hub-speak.ndjson"))]);
  heard.push(["command line", await readFile(`/proc/${monitor.child.pid}/cmdline`)]);
  await monitor.halt();
  assert.ok(/TRACE|DEBUG/.test(monitor.output), "the log is talkative");
  heard.push(["log", monitor.output]);
  const hits = heard.filter(([, bytes]) => search.in(Buffer.from(bytes)).length > 0).map(([where]) => where);
  console.log(`${heard.length} things heard, ${heard.reduce((sum, [, bytes]) => sum + bytes.length, 0)} bytes, ${hits.length} hits`);
  assert.deepEqual(hits, []);
  assert.ok(heard.some(([where, bytes]) => where === "page" && bytes.includes("열쇠가 무엇인가요")), "the searched bytes include the message");
  assert.ok(search.in(Buffer.from(`x${TOKEN}x`)).length > 0, "and finds");
  await monitor.start();
});
