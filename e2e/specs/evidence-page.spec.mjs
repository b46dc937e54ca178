// Browser tests of the evidence page: an evidence file that opens from a disk, without a monitor and without a network.
//
// Proves (evidence): A session that is saved as HTML on the page opens from a disk and shows the same messages, flow, events
// and search as the dashboard, with the names of agents, with the keyboard, without a request, and prints. A page that it
// does not have is a sentence and no link of the menu. A page whose lines were changed shows none. A thread, and the events
// that a search finds, are saved in the same way. Markup in messages and notes stays text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import { message, monitorProgram } from "../support/monitor.mjs";
import { show, waitUntilLoaded } from "../support/steps.mjs";
import { expect, test } from "../support/test.mjs";

test.use({ home: { story: "trouble", owner: "evidence-page" } });

const folder = mkdtempSync(path.join(tmpdir(), "task-hub-evidence-"));
test.afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the dashboard around the lines may take; see docs/internals.md for what it is made of. */
const MAX_PAGE_MEGABYTES = 2.75;

const main = (page) => page.getByRole("main");
const band = (page) => page.getByRole("region", { name: "연 파일" });
const messages = (page) => page.locator(".stream").innerText();

/** Saves a session as HTML, as a person does; the file's path. */
async function saved(page, session, name) {
  await page.goto(`/s/${encodeURIComponent(session)}`);
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  const dialog = page.getByRole("dialog", { name: "증거 파일 저장" });
  await expect(dialog).toContainText("이 협업의 모든 로그 줄");
  await expect(dialog.getByRole("radio", { name: /HTML/ })).toBeChecked();
  await dialog.getByLabel("받는 사람에게 남길 메모").fill("2월 배포 검토");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "증거 파일 저장" }).click();
  const file = path.join(folder, name);
  await (await download).saveAs(file);
  return file;
}

/** Opens a file from the disk in a browser without a network. Also returns what it requested. */
async function fromDisk(openPage, file) {
  const page = await openPage(null);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.context().setOffline(true);
  await page.goto(pathToFileURL(file).href);
  return { page, asked };
}

test("a session opens from a disk as the dashboard shows it", { tag: "@quick" }, async ({ monitor, openPage, page }) => {
  const id = (await monitor.get("/api/v2/sessions?limit=1")).sessions[0].workSessionId;
  const file = await saved(page, id, "handed over.html");
  await waitUntilLoaded(page);
  const title = await main(page).getByRole("heading", { level: 1 }).innerText();
  const text = await messages(page);

  const { page: opened, asked } = await fromDisk(openPage, file);
  await expect(main(opened).getByRole("heading", { level: 1 })).toHaveText(title);
  await expect(band(opened)).toContainText("handed over.html 파일을 보고 있습니다");
  await expect(band(opened)).toContainText("파일 자체는 온전함");
  await expect(band(opened)).toContainText("“2월 배포 검토”");
  await expect(main(opened).getByRole("alert")).toHaveCount(0);
  // As of the time at which it was made, whatever the clock of the reader says, and with the names of the home.
  assert.equal(flat(await messages(opened)), flat(text));
  // On paper: what the file says of itself and the messages, without what only a screen needs.
  await opened.emulateMedia({ media: "print" });
  await expect(band(opened)).toContainText("파일 자체는 온전함");
  await expect(opened.locator(".stream article").first()).toBeVisible();
  for (const name of [/파일 열기/, /이 대화에서 찾기/]) await expect(opened.getByRole("button", { name })).toHaveCount(0);
  await opened.emulateMedia({ media: null });

  await main(opened).getByRole("link", { name: "흐름", exact: true }).click();
  await expect(opened).toHaveURL(/#\/s\/.*\/flow/);
  await expect(opened.locator("svg.flow, .flow svg").first()).toBeVisible();
  await opened.goBack();
  await expect(opened).not.toHaveURL(/\/flow/);
  await opened.keyboard.press("Control+k");
  await opened.getByRole("combobox").fill("배포");
  await expect(opened.getByRole("option").first()).toBeVisible();
  await opened.keyboard.press("Escape");
  await opened.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "이벤트" }).click();
  await expect(opened).toHaveURL(/#\/events/);
  await expect(main(opened).getByRole("alert")).toHaveCount(0);
  await expect(opened.getByRole("navigation", { name: "주 메뉴" }).getByRole("link")).toHaveText(["홈", "협업", "이벤트"]);
  await show(opened, "/agents");
  await expect(main(opened).getByRole("heading", { level: 1 })).toHaveText("이 증거 파일에는 없는 화면입니다");
  await opened.goBack();
  // The address holds the view: a reload shows it again.
  await opened.reload();
  await expect(main(opened).getByRole("heading", { level: 1 })).toHaveText("이벤트");
  await opened.emulateMedia({ media: "print" });
  await expect(main(opened).getByRole("heading", { level: 1 })).toBeVisible();
  assert.deepEqual(asked.filter((url) => !url.startsWith(pathToFileURL(file).href)), [], "no other file, no address");
});

test("the released dashboard fits into a small page, and no view of it is broken", { tag: "@release" }, async ({ monitor, openPage }) => {
  const answer = await fetch(`${monitor.url}/api/v2/evidence?since=0&format=html`);
  const html = await answer.text();
  const lines = html.split('id="evidence">')[1].split("</script>")[0];
  const megabytes = (Buffer.byteLength(html) - Buffer.byteLength(lines)) / 1e6;
  assert.ok(megabytes < MAX_PAGE_MEGABYTES, `${megabytes} MB around the lines`);
  const file = path.join(folder, "released.html");
  writeFileSync(file, html);
  const { page } = await fromDisk(openPage, file);
  await expect(main(page).getByRole("heading", { level: 1 })).toBeVisible();
  const session = (await monitor.get("/api/v2/sessions?limit=1")).sessions[0].workSessionId;
  const of = `/s/${encodeURIComponent(session)}`;
  for (const view of ["/all", of, `${of}/flow`, "/events", "/search?q=배포", "/"]) {
    await show(page, view);
    await expect(main(page).getByRole("heading").first(), view).toBeVisible();
    await expect(main(page).getByRole("alert"), view).toHaveCount(0);
  }
  for (const view of ["/tasks", "/agents", "/sessions", "/drift", "/rules", "/audit", "/alerts"]) {
    await show(page, view);
    await expect(main(page).getByRole("heading", { level: 1 }), view).toHaveText("이 증거 파일에는 없는 화면입니다");
  }
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("배포");
  await expect(page.getByRole("option").first()).toBeVisible();
});

test("a changed page is refused by verify, and shows none of its lines", { tag: "@quick" }, async ({ monitor, openPage, page }) => {
  const id = (await monitor.get("/api/v2/sessions?limit=1")).sessions[0].workSessionId;
  const file = await saved(page, id, "evidence.html");
  const verify = (file) => {
    try {
      return { code: 0, text: execFileSync(monitorProgram, ["verify", file, "--home", monitor.home], { encoding: "utf8" }) };
    } catch (error) {
      return { code: error.status, text: error.stdout };
    }
  };
  const whole = verify(file);
  assert.equal(whole.code, 0, whole.text);
  assert.match(whole.text, /The log has every line of it/);

  const forged = path.join(folder, "forged.html");
  const text = readFileSync(file, "utf8");
  writeFileSync(forged, text.replace('"text":"', '"text":" '));
  assert.equal(verify(forged).code, 1);
  assert.match(verify(forged).text, /hash of its bytes differs[^]*byte \d+: the text does not have the hash of the line/);
  const { page: opened } = await fromDisk(openPage, forged);
  await expect(opened.getByText(/온전하지 않거나/)).toBeVisible();
  await expect(opened.locator(".stream")).toHaveCount(0);

  // A changed byte of the program around the lines is found, too.
  writeFileSync(forged, text.replace("color-scheme", "color-schema"));
  assert.deepEqual([verify(forged).code, /The lines are whole/.test(verify(forged).text)], [1, true]);

  // A file that cannot be read at all says so.
  writeFileSync(forged, text.replace('"format":"task-hub-evidence"', '"format":task-hub-evidence"'));
  const { page: broken } = await fromDisk(openPage, forged);
  await expect(broken.getByText(/온전하지 않거나/)).toBeVisible();
});

test("a thread, and events that were found, are saved alone", async ({ monitor, openPage, page }) => {
  const id = (await monitor.get("/api/v2/sessions?limit=1")).sessions[0].workSessionId;
  const dialog = page.getByRole("dialog", { name: "증거 파일 저장" });
  await page.goto(`/s/${encodeURIComponent(id)}`);
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  await expect(dialog).toContainText("이 협업의 모든 로그 줄");
  await dialog.getByRole("radio", { name: "지금 보는 스레드만" }).check();
  await expect(dialog).toContainText("이 스레드의 모든 로그 줄");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "증거 파일 저장" }).click();
  const file = path.join(folder, (await download).suggestedFilename());
  assert.match(file, /-thread\.html$/);
  await (await download).saveAs(file);
  const { page: opened } = await fromDisk(openPage, file);
  await expect(band(opened)).toContainText("일부만 담겨 있어 상태가 실제와 다를 수 있음");
  await expect(opened.getByRole("navigation", { name: /스레드/ }).getByRole("link", { name: /메시지/ })).toHaveCount(1);

  await page.goto("/events?q=확인");
  await waitUntilLoaded(page);
  const { total } = await monitor.get("/api/v2/events?q=%ED%99%95%EC%9D%B8");
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  await expect(dialog).toContainText(`찾은 이벤트의 모든 로그 줄 ${total}개`);
  await page.keyboard.press("Escape");
  await page.goto("/events?q=확인&agent=eden");
  await waitUntilLoaded(page);
  await expect(page.getByRole("button", { name: "증거 파일 저장" }), "such a file could not be checked").toHaveCount(0);

  await page.goto("/search?q=확인");
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  await expect(dialog).toContainText(`찾은 이벤트의 모든 로그 줄 ${total}개`);
  await page.keyboard.press("Escape");
  await page.goto("/search?q=확인 from:eden");
  await waitUntilLoaded(page);
  await expect(page.getByRole("button", { name: "증거 파일 저장" })).toHaveCount(0);
});

test("hostile texts stay texts in a page from a disk", async ({ openPage, startMonitor }) => {
  const monitor = await startMonitor({ story: null });
  const texts = ["</script><script>window.owned=1</script>", "<!-- </script -->", '<img src=x onerror="window.owned=1">', '<script type="application/x-ndjson" id="evidence">'];
  for (const [number, text] of texts.entries()) {
    await monitor.append(message({ from: "eden", to: "part:seum", text, session: "ws_hostile", conversation: `c${number}` }));
  }
  await expect.poll(async () => (await monitor.get("/api/v2/sessions?limit=1")).sessions[0]?.messageCount).toBe(texts.length);
  const note = encodeURIComponent("</script><b id=evidence>");
  const answer = await fetch(`${monitor.url}/api/v2/evidence?session=ws_hostile&format=html&note=${note}`);
  const file = path.join(folder, "hostile.html");
  writeFileSync(file, await answer.text());
  const { page } = await fromDisk(openPage, file);
  await expect(main(page).getByRole("heading", { level: 1 })).toBeVisible();
  await main(page).getByRole("link", { name: "협업 전체" }).click();
  for (const text of texts) await expect(main(page).getByText(text.slice(0, 20)).first()).toBeVisible();
  assert.equal(await page.evaluate(() => "owned" in window), false);
  assert.equal(await page.locator("#evidence").count(), 1);
});

/** A text whose blanks are all alike. */
const flat = (text) => text.replace(/\s+/g, " ");
