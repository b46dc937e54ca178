// Browser tests of the page that answers a permission request of a coding agent: from the line on home to the hook that
// waits. The hook is a request of this test, as the hook command sends it.
//
// Proves (claude-code): A line of home leads to the page of its permission request. It shows the command exactly, the first
// words of the person, and who waits. An answer reaches the waiting hook; a call that is hard to undo takes a second
// press; the page says how a request ended elsewhere. At 390 px every button is on the screen.
import { mkdir } from "node:fs/promises";
import path from "node:path";

import { TOKEN } from "../support/team.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";

test.use({ home: { story: null, owner: "permission", env: { TASK_MONITOR_WRITE_TOKEN: TOKEN } } });

const SESSION = "8c35adc1-0000-4000-8000-00000000000a";
const headers = { "content-type": "application/json", "x-task-monitor-token": TOKEN };
let count = 0;

function post(monitor, route, body, signal) {
  return fetch(`${monitor.url}${route}`, { method: "POST", headers, body: JSON.stringify(body), signal });
}

// A monitor writes into a home that is there.
test.beforeEach(({ monitor }) => mkdir(path.join(monitor.home, "logs"), { recursive: true }));

/** A hook that reports a permission request and waits; `answer` is what it gets, `end` ends it. */
async function ask(monitor, command, more = {}) {
  count += 1;
  const tool_input = { command, description: "결과 파일 만들기" };
  const payload = { session_id: `${SESSION}-${count}`, cwd: "/home/kim/bookstore", hook_event_name: "PermissionRequest", tool_name: "Bash", tool_input };
  const item = { received_at: new Date(1771651020000).toISOString(), payload };
  let key;
  // The monitor may not have found its home yet.
  await expect(async () => {
    const { items } = await (await post(monitor, "/api/hooks/claude-code", item)).json();
    key = items[0].key;
  }).toPass();
  const hook = new AbortController();
  const body = { key, session: payload.session_id, call: { tool: "Bash", input: tool_input, cwd: payload.cwd }, waitSeconds: 120, ...more };
  const before = (await monitor.get("/api/v2/permission-requests")).open.length;
  const answer = post(monitor, "/api/hooks/permission", body, hook.signal).then((answered) => answered.json()).catch(() => null);
  let open = [];
  await expect(async () => {
    ({ open } = await monitor.get("/api/v2/permission-requests"));
    expect(open.length).toBe(before + 1);
  }).toPass();
  return { id: open.at(-1).id, answer, end: () => hook.abort() };
}

test("a request on home is allowed on its page", { tag: "@quick" }, async ({ page, monitor }) => {
  const hook = await ask(monitor, "touch made.txt", { firstWords: "쿠폰을 쓰면 할인이 두 번 들어갑니다. 고쳐 주세요." });
  await page.goto("/");
  await page.getByRole("link", { name: /여기서 답할 수 있음/ }).click();
  await expect(page).toHaveURL(new RegExp(`/permission/${hook.id}$`));
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Bash를 쓰려고 합니다");
  await expect(page.getByLabel("실행할 명령")).toHaveText("touch made.txt");
  await expect(page.getByText("쿠폰을 쓰면 할인이 두 번 들어갑니다.")).toBeVisible();
  await page.getByRole("button", { name: "한 번 허용" }).click();
  expect((await hook.answer).decision).toBe("allow");
  await expect(page.getByRole("main").getByRole("status")).toContainText("답을 전했습니다");
  await expect(page.getByRole("button", { name: "한 번 허용" })).toHaveCount(0);
});

test("a command that is hard to undo takes a second press", { tag: "@quick" }, async ({ page, monitor }) => {
  const hook = await ask(monitor, "rm -rf build && git push --force");
  await page.goto(`/permission/${hook.id}`);
  await expect(page.getByRole("region", { name: "되돌리기 어려울 수 있습니다" })).toContainText("rm -rf build");
  await page.getByRole("button", { name: "한 번 허용" }).click();
  await expect(page.getByRole("button", { name: "확인했습니다, 허용" })).toBeVisible();
  expect((await monitor.get(`/api/v2/permission-requests/${hook.id}`)).request.state).toBe("open");
  await page.getByRole("button", { name: "확인했습니다, 허용" }).click();
  expect((await hook.answer).decision).toBe("allow");
});

test("a refusal takes its reason along, by keyboard", async ({ page, monitor }) => {
  const hook = await ask(monitor, "touch made.txt");
  await page.goto(`/permission/${hook.id}`);
  await page.getByRole("button", { name: "거절", exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.insertText("지금은 하지 말아 주세요.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expect(await hook.answer).toMatchObject({ decision: "deny", reason: "지금은 하지 말아 주세요." });
  await expect(page.getByRole("main").getByRole("status")).toContainText("지금은 하지 말아 주세요.");
});

test("a request that ends elsewhere says so", async ({ page, monitor }) => {
  allowProblems(page, [/404/]);
  const hook = await ask(monitor, "touch made.txt");
  await page.goto(`/permission/${hook.id}`);
  await expect(page.getByRole("button", { name: "한 번 허용" })).toBeVisible();
  hook.end();
  await expect(page.getByRole("main").getByRole("status")).toContainText("요청이 끝났습니다");
  await expect(page.getByRole("button", { name: "한 번 허용" })).toHaveCount(0);
  await page.goto("/permission/nothing-of-this-name");
  await expect(page.getByRole("heading", { name: "이 권한 요청이 없습니다" })).toBeVisible();
});

test("the answer fits a phone, in English too", async ({ monitor, openPage }) => {
  const command = `${"npm run build -- --filter shop && ".repeat(60)}echo done`;
  const hook = await ask(monitor, command, { firstWords: "장바구니를 고쳐 주세요.", serial: true });
  const page = await openPage(`${monitor.url}/permission/${hook.id}`, { width: 390, height: 780, language: "en" });
  await expect(page.getByText("The terminal asks only when this is answered or the time is over.")).toBeVisible();
  for (const name of ["In the terminal", "Deny", "Allow once"]) await expect(page.getByRole("button", { name })).toBeInViewport({ ratio: 1 });
  await expect(page.getByLabel("Command", { exact: true })).toHaveText(command);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
  await page.getByRole("button", { name: "In the terminal" }).click();
  expect(await hook.answer).not.toHaveProperty("decision");
});

test("characters that hide or turn a command are marked", async ({ page, monitor }) => {
  const hook = await ask(monitor, "cat \u202egnp.sh # p\u0430ypal");
  await page.goto(`/permission/${hook.id}`);
  await expect(page.getByLabel("실행할 명령").locator(".hidden-char")).toHaveCount(1);
  await expect(page.getByRole("region", { name: "되돌리기 어려울 수 있습니다" })).toContainText("U+202E");
  hook.end();
});
