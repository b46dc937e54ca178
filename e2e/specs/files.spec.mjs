// Browser tests of files that are opened on the page in place of a monitor: dropped, chosen and pasted.
//
// Proves (local): A dropped log shows home, sessions, a thread, the flow, search, events and its past without any request
// to a monitor. Transcripts give their messages and name their agents. Damaged and foreign files are named with their
// cause. Following a monitor resumes when they are closed. A session of a dropped log is saved as an evidence file that
// fits the log, also as a page that opens from a disk.
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { monitorProgram } from "../support/monitor.mjs";
import { allowProblems, expect, test } from "../support/test.mjs";
import { show, waitUntilLoaded } from "../support/steps.mjs";

test.use({ home: { story: "ping-pong", owner: "files" }, timezoneId: "Asia/Seoul" });

const fixtures = join(import.meta.dirname, "../../fixtures");
const band = (page) => page.getByRole("region", { name: "연 파일" });

/** Drops files onto the page, as a person does. */
async function drop(page, files) {
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const { name, base64 } of files) {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      data.items.add(new File([bytes], name));
    }
    return data;
  }, files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") })));
  await page.dispatchEvent("body", "dragover", { dataTransfer: data });
  await page.dispatchEvent("body", "drop", { dataTransfer: data });
}

/** Opens the log of a story. */
async function openLog(page, story, name = "coordination-events.ndjson") {
  await page.goto("/");
  await waitUntilLoaded(page);
  await drop(page, [{ name, bytes: readFileSync(join(fixtures, story, "logs/coordination-events.ndjson")) }]);
  await expect(band(page)).toContainText(`${name} 파일을 보고 있습니다`);
  await expect(band(page).getByRole("progressbar")).toHaveCount(0);
}

/** Opens the browser's chooser by a command of the palette. */
async function openChooser(page, command) {
  await page.goto("/");
  await waitUntilLoaded(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill(command);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("option", { name: command, exact: true }).click();
  return chooser;
}

const main = (page) => page.getByRole("main");

test("a dropped log shows the whole dashboard without a request to a monitor", { tag: "@quick" }, async ({ page }) => {
  // The network is cut: parts of the web font are not there yet.
  allowProblems(page, [/ERR_INTERNET_DISCONNECTED/]);
  await openLog(page, "blocked-task");
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.context().setOffline(true);
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "협업" }).click();
  await main(page).locator("a[href*='/s/']").first().click();
  await expect(page).toHaveURL(/\/s\/ws_/);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(main(page).getByText("onsae").first()).toBeVisible();
  const session = new URL(page.url()).pathname.match(/\/s\/[^/]+/)[0];
  await main(page).getByRole("link", { name: "흐름", exact: true }).click();
  await expect(page.locator("svg.flow, .flow svg").first()).toBeVisible();
  for (const name of ["이벤트", "작업", "에이전트"]) {
    await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name }).click();
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(main(page).getByRole("alert")).toHaveCount(0);
  }
  await page.goBack();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("onsae");
  await expect(page.getByRole("option").first()).toBeVisible();
  await page.keyboard.press("Escape");
  expect(session).toContain("ws_");
  expect(asked.filter((url) => url.includes("/api/"))).toEqual([]);
});

test("a dropped log has its past", async ({ page }) => {
  await openLog(page, "trouble");
  await band(page).getByRole("button", { name: "마지막 이벤트 시점 보기" }).click();
  await expect(page.getByRole("region", { name: "지난 시점" })).toBeVisible();
  await expect(page).toHaveURL(/at=2026-/);
  await page.getByRole("region", { name: "지난 시점" }).getByRole("button", { name: "지금으로" }).click();
  await expect(page.getByRole("region", { name: "지난 시점" })).toHaveCount(0);
});

test("a chosen folder shows names and tasks, and the list of files says what each is", async ({ page }) => {
  const chooser = await openChooser(page, "기록 파일 열기");
  const log = readFileSync(join(fixtures, "trouble/logs/coordination-events.ndjson"));
  const half = gzipSync(log);
  await chooser.setFiles([
    { name: "coordination-events.ndjson", mimeType: "application/x-ndjson", buffer: log },
    { name: "half.ndjson.gz", mimeType: "application/gzip", buffer: half.subarray(0, half.length / 2) },
    { name: "server.ndjson", mimeType: "application/x-ndjson", buffer: Buffer.from('{"level":"info"}\n') },
  ]);
  await expect(band(page)).toContainText("coordination-events.ndjson +2");
  await expect(band(page).getByRole("progressbar")).toHaveCount(0);
  await band(page).getByRole("button", { name: "파일 목록" }).click();
  const lines = page.getByRole("dialog", { name: "파일 목록" }).getByRole("listitem");
  await expect(lines.filter({ hasText: "coordination-events.ndjson" })).toContainText("협업 로그");
  await expect(lines.filter({ hasText: "half.ndjson" })).toHaveClass(/is-bad/);
  await page.keyboard.press("Escape");
  await expect(page.getByText("half.ndjson").first(), "a file that could not be read is no silent gap").toBeVisible();
});

test("a dropped home shows its agents' names and tasks", async ({ page }) => {
  // As in browsers without File System Access.
  await page.addInitScript(() => delete window.showDirectoryPicker);
  const chooser = await openChooser(page, "기록 폴더 열기");
  await chooser.setFiles(join(fixtures, "blocked-task"));
  await expect(band(page)).toContainText("blocked-task 파일을 보고 있습니다");
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "작업" }).click();
  await expect(main(page).locator("a[href*='/tasks/onsae/']").first()).toBeVisible();
});

test("a dropped home shows the notes and changes of categories in it", async ({ page }, testInfo) => {
  await page.addInitScript(() => delete window.showDirectoryPicker);
  const home = testInfo.outputPath("home");
  cpSync(join(fixtures, "everything"), home, { recursive: true });
  const session = "ws_31bc9f75-05f7-497d-9c42-abc7b8e0a70f";
  const content = { kind: "note", place: { workSessionId: session }, text: "배포 보류" };
  writeFileSync(join(home, "task-hub-shared.ndjson"), `${JSON.stringify({ at: 1_771_600_000_000, by: "온새", id: "a", revision: 1, content })}\n`);
  const chooser = await openChooser(page, "기록 폴더 열기");
  await chooser.setFiles(home);
  await expect(band(page)).toContainText("파일을 보고 있습니다");
  await expect(band(page).getByRole("progressbar")).toHaveCount(0);
  await show(page, `/s/${session}`);
  const notes = main(page).locator("section.notes");
  await expect(notes).toContainText("배포 보류");
  await expect(notes.getByRole("textbox"), "nothing can be written").toHaveCount(0);
  await show(page, "/audit");
  await expect(main(page)).toContainText("훑어보기는 의견을 정하는 자리였음");
});

test("pasted lines are a log", async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  const lines = readFileSync(join(fixtures, "ping-pong/logs/coordination-events.ndjson"), "utf8");
  await page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
  }, lines);
  await expect(band(page)).toContainText("clipboard.ndjson 파일을 보고 있습니다");
  await expect(band(page)).toContainText(`이벤트 ${lines.trim().split("\n").length}건`);
});

test("dropped transcripts show what agents said to each other, and whose each one is", async ({ page }) => {
  await page.goto("/");
  await waitUntilLoaded(page);
  const folder = join(fixtures, "transcripts/2026.2");
  const names = ["eden/70e14d35-13d4-4028-8a08-4708e7f7c260.jsonl", "dajim/5aeaee0a-158c-49e6-9eac-9bcb16168674.jsonl"];
  await drop(page, names.map((name) => ({ name: name.split("/")[1], bytes: readFileSync(join(folder, name)) })));
  await expect(band(page)).toContainText(/이벤트 [1-9]\d*건/);
  await band(page).getByRole("button", { name: "파일 목록" }).click();
  const list = page.getByRole("dialog", { name: "파일 목록" });
  await expect(list).toContainText("eden 에이전트의 기록으로 보고 읽었습니다.");
  await expect(list).toContainText("dajim 에이전트의 기록으로 보고 읽었습니다. 에이전트끼리 주고받은 메시지나 위임이 없습니다.");
  await page.keyboard.press("Escape");
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "협업" }).click();
  await main(page).locator("a[href*='/s/']").first().click();
  await expect(main(page).getByRole("article").first()).toBeVisible();
});

test("a page without a monitor offers to open files, and keeps to them when a monitor comes", { tag: "@quick" }, async ({ page }) => {
  allowProblems(page, [/404/]);
  let isUp = false;
  await page.route("**/api/**", (route) => (isUp ? route.continue() : route.fulfill({ status: 404, contentType: "text/html", body: "<h1>404</h1>" })));
  await page.goto("/");
  const offer = page.getByRole("region", { name: "모니터 없이 기록 파일 보기" });
  await expect(offer).toContainText("어디에도 전송하지 않습니다");
  const chooser = page.waitForEvent("filechooser");
  await offer.getByRole("button", { name: "파일 열기" }).click();
  await (await chooser).setFiles(join(fixtures, "trouble/logs/coordination-events.ndjson"));
  await expect(band(page)).toContainText("coordination-events.ndjson");
  await expect(page.getByRole("button", { name: /연 파일/ })).toBeVisible();
  isUp = true;
  await page.waitForTimeout(5_000);
  await expect(band(page)).toBeVisible();
  await band(page).getByRole("button", { name: "파일 닫기" }).click();
  await expect(band(page)).toHaveCount(0);
  await expect(page.getByRole("button", { name: /실시간/ })).toBeVisible();
});

test("a category is changed in opened files only", async ({ page, monitor }) => {
  await openLog(page, "trouble");
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "협업" }).click();
  await main(page).locator("a[href*='/s/']").first().click();
  await expect(page).toHaveURL(/\/s\/ws_/);
  const before = JSON.stringify(await monitor.get("/api/v2/category-changes"));
  await page.keyboard.press("c");
  await page.getByRole("dialog").getByRole("radio", { name: /법무/ }).check({ force: true });
  await page.getByRole("dialog").getByRole("button", { name: "바꾸기", exact: true }).click();
  await expect(main(page).getByText("법무").first()).toBeVisible();
  expect(JSON.stringify(await monitor.get("/api/v2/category-changes"))).toBe(before);
});

test("a folder is followed: appended lines come, and a rewritten log is read again", async ({ page }) => {
  const lines = readFileSync(join(fixtures, "ping-pong/logs/coordination-events.ndjson"), "utf8").trim().split("\n");
  await page.goto("/");
  await waitUntilLoaded(page);
  // The folder is one of the browser's own; the dialog that asks for one cannot be used by a test.
  await page.evaluate(() => {
    window.writeLog = async (text, keep) => {
      const root = await navigator.storage.getDirectory();
      const logs = await (await root.getDirectoryHandle("home", { create: true })).getDirectoryHandle("logs", { create: true });
      const file = await logs.getFileHandle("coordination-events.ndjson", { create: true });
      const writer = await file.createWritable({ keepExistingData: keep });
      if (keep) await writer.seek((await file.getFile()).size);
      await writer.write(text);
      await writer.close();
    };
    window.showDirectoryPicker = async () => (await navigator.storage.getDirectory()).getDirectoryHandle("home");
  });
  const write = (some, keep) => page.evaluate(([text, keep]) => window.writeLog(text, keep), [some.map((line) => `${line}\n`).join(""), keep]);
  await write(lines.slice(0, 3), false);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("기록 폴더");
  await page.getByRole("option", { name: "기록 폴더 열기" }).click();
  await expect(band(page)).toContainText("이벤트 3건");
  await write(lines.slice(3, 6), true);
  await expect(band(page), "appended lines").toContainText("이벤트 6건");
  await write(lines.slice(2, 4), false);
  await expect(band(page), "a log that was rewritten").toContainText("이벤트 2건");
});

test("a demo site shows the demo home that its host names, and asks no monitor", async ({ page }, testInfo) => {
  // As in docs/guide/files.md.
  const folder = testInfo.outputPath("site");
  execFileSync(monitorProgram, ["rehearse", "--demo", join(folder, "demo-home")]);
  const archive = join(folder, "demo-home.tgz");
  execFileSync("tar", ["-C", folder, "-czf", archive, "demo-home"]);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.route("**/demo-home.tgz", (route) => route.fulfill({ path: archive }));
  await page.route(/\/$/, async (route) => {
    const answer = await route.fetch();
    const text = await answer.text();
    await route.fulfill({ response: answer, body: text.replace('name="task-hub:files" content=""', 'name="task-hub:files" content="demo-home.tgz"') });
  });
  await page.goto("/");
  await expect(band(page)).toContainText("demo-home.tgz 파일을 보고 있습니다");
  await expect(band(page).getByRole("progressbar")).toHaveCount(0);
  await expect(main(page).getByRole("heading", { level: 1 })).toHaveText(/지금 결정할 것 \d+건/);
  await show(page, "/tasks");
  await expect(main(page).locator("a[href*='/tasks/']").first()).toBeVisible();
  await show(page, "/agents");
  await expect(main(page)).toContainText("이든");
  expect(asked.filter((url) => url.includes("/api/"))).toEqual([]);
});

test("a session is saved as an evidence file, which opens on the page; a changed one is refused", { tag: "@quick" }, async ({ page, monitor }) => {
  const id = (await monitor.get("/api/v2/sessions?limit=1")).sessions[0].workSessionId;
  await page.goto(`/s/${encodeURIComponent(id)}`);
  await waitUntilLoaded(page);
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  const dialog = page.getByRole("dialog", { name: "증거 파일 저장" });
  await expect(dialog).toContainText("이 협업의 모든 로그 줄");
  await dialog.getByRole("radio", { name: /NDJSON/ }).check();
  await dialog.getByLabel("받는 사람에게 남길 메모").fill("2월 배포 검토");
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "증거 파일 저장" }).click();
  const text = readFileSync(await (await download).path(), "utf8");
  expect(text).toContain("2월 배포 검토");
  await expect(dialog).toHaveCount(0);

  await drop(page, [{ name: "evidence.ndjson", bytes: Buffer.from(text) }]);
  await expect(band(page)).toContainText("evidence.ndjson");
  await band(page).getByRole("button", { name: "파일 목록" }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "evidence.ndjson" })).toContainText("파일 자체는 온전함");
  await page.keyboard.press("Escape");
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "협업" }).click();
  await expect(main(page).locator("a[href*='/s/']").first()).toBeVisible();

  await drop(page, [{ name: "forged.ndjson", bytes: Buffer.from(text.replace('"text":"', '"text":" ')) }]);
  await expect(band(page)).toContainText("온전하지 않거나");
  await expect(page.getByText(/hash of its bytes differs/).first()).toBeVisible();
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "협업" }).click();
  await expect(main(page).locator("a[href*='/s/']"), "of a forged file nothing is shown").toHaveCount(0);
});

test("notes of a session go with its evidence file on request, and are shown where it is opened", async ({ page, monitor }) => {
  const id = (await monitor.get("/api/v2/sessions?limit=1")).sessions[0].workSessionId;
  await page.goto(`/s/${encodeURIComponent(id)}`);
  await waitUntilLoaded(page);
  const notes = main(page).locator("section.notes");
  await notes.getByRole("textbox", { name: "메모 쓰기" }).fill("담당자 010-1234-5678에게 확인함");
  await notes.getByRole("button", { name: "메모 남기기", exact: true }).click();
  await expect(notes.getByRole("listitem")).toContainText("확인함");
  const dialog = page.getByRole("dialog", { name: "증거 파일 저장" });
  const saved = async (withNotes) => {
    await page.getByRole("button", { name: "증거 파일 저장" }).click();
    await dialog.getByRole("radio", { name: /NDJSON/ }).check();
    await expect(dialog.getByRole("checkbox", { name: /메모와 해결 표시도 담기/ })).not.toBeChecked();
    if (withNotes) await dialog.getByRole("checkbox", { name: /메모와 해결 표시도 담기/ }).check();
    await expect(dialog.getByRole("status").filter({ hasText: "메모와 해결 표시 1건" })).toHaveCount(withNotes ? 1 : 0);
    if (withNotes) {
      await dialog.getByText("가린 줄", { exact: false }).first().click();
      await expect(dialog.getByRole("listitem").filter({ hasText: "메모" })).toContainText("담당자 [redacted-phone]에게 확인함");
    }
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "증거 파일 저장" }).click();
    return readFileSync(await (await download).path(), "utf8");
  };
  expect(await saved(false)).not.toContain("확인함");
  const text = await saved(true);
  expect(text).toContain("확인함");
  expect(text, "masked with the lines").not.toContain("1234-5678");
  await drop(page, [{ name: "evidence.ndjson", bytes: Buffer.from(text) }]);
  await expect(band(page)).toContainText("메모와 해결 표시 1건");
  await show(page, `/s/${encodeURIComponent(id)}`);
  await expect(notes).toContainText("에게 확인함");
  await expect(notes.getByRole("textbox"), "nothing can be written").toHaveCount(0);
});

test("a session of an opened log is saved as evidence", { tag: "@quick" }, async ({ openPage, page }, testInfo) => {
  await openLog(page, "trouble");
  await page.getByRole("navigation", { name: "주 메뉴" }).getByRole("link", { name: "협업" }).click();
  await main(page).locator("a[href*='/s/']").first().click();
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  const dialog = page.getByRole("dialog", { name: "증거 파일 저장" });
  await expect(dialog).toContainText("이 협업의 모든 로그 줄");
  await expect(dialog.getByRole("radio", { name: /HTML/ })).toBeChecked();
  const save = async () => {
    const download = page.waitForEvent("download");
    await dialog.getByRole("button", { name: "증거 파일 저장" }).click();
    return (await download).path();
  };
  const verify = (file) => execFileSync(monitorProgram, ["verify", file, "--home", join(fixtures, "trouble")], { encoding: "utf8" });
  const title = await main(page).getByRole("heading", { level: 1 }).innerText();
  const file = await save();
  expect(verify(file)).toContain("The log has every line of it");
  const opened = await openPage(null);
  await opened.context().setOffline(true);
  const named = testInfo.outputPath("evidence.html");
  copyFileSync(file, named);
  await opened.goto(pathToFileURL(named).href);
  await expect(main(opened).getByRole("heading", { level: 1 })).toHaveText(title);
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  await dialog.getByRole("radio", { name: /NDJSON/ }).check();
  expect(verify(await save())).toContain("The log has every line of it");

  // A host that lacks the file answers with its home page.
  await page.route("**/evidence-page.txt", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><h1>Hub</h1>" }));
  await page.getByRole("button", { name: "증거 파일 저장" }).click();
  await expect(dialog.getByRole("radio", { name: /HTML/ })).toBeChecked();
  await dialog.getByRole("button", { name: "증거 파일 저장" }).click();
  await expect(page.getByText("NDJSON으로 저장해 주세요.")).toBeVisible();
});

test("what was opened before is offered again", async ({ page }) => {
  allowProblems(page, [/404/]);
  await page.route("**/api/**", (route) => route.fulfill({ status: 404, contentType: "text/html", body: "<h1>404</h1>" }));
  const offer = page.getByRole("region", { name: "모니터 없이 기록 파일 보기" });
  await page.goto("/");
  await expect(offer).toBeVisible();
  await page.evaluate(async (text) => {
    const root = await navigator.storage.getDirectory();
    const logs = await (await root.getDirectoryHandle("my-home", { create: true })).getDirectoryHandle("logs", { create: true });
    const writer = await (await logs.getFileHandle("coordination-events.ndjson", { create: true })).createWritable();
    await writer.write(text);
    await writer.close();
    window.showDirectoryPicker = async () => root.getDirectoryHandle("my-home");
  }, readFileSync(join(fixtures, "trouble/logs/coordination-events.ndjson"), "utf8"));
  await offer.getByRole("button", { name: "폴더 열기" }).click();
  await expect(band(page)).toContainText("my-home 파일을 보고 있습니다");
  await expect(band(page).getByRole("progressbar")).toHaveCount(0);
  await page.reload();
  await offer.getByRole("button", { name: "my-home" }).click();
  await expect(band(page)).toContainText("my-home 파일을 보고 있습니다");
  await expect(band(page)).not.toContainText("이벤트 0건");
});
