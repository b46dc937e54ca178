// Shared steps and checks of the browser tests, for the Korean page. They find elements by role and name.
import { expect as base } from "@playwright/test";

import { PATIENCE } from "./monitor.mjs";

// Benches use these steps outside the runner, where no configuration sets the time limit.
const expect = base.configure({ timeout: PATIENCE });

/** The status element that says how the page is connected. */
export function connection(page) {
  return page.getByRole("status", { name: /연결 상태|Connection/ });
}

const LIVE = /실시간|주기 확인|Live|Polling/i;

/** True while the page says that its link is alive. */
export async function isLive(page) {
  return LIVE.test(await connection(page).innerText());
}

/** Waits until the page shows data and its link is alive. */
export async function waitUntilLoaded(page) {
  await expect(connection(page)).toHaveText(LIVE, { useInnerText: true });
  await expect(page.getByRole("main")).toHaveText(/\S/, { useInnerText: true });
  await expect(page.locator("[aria-busy=true], .skeleton")).toHaveCount(0);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
}

/** Goes to an address within the open page, as a link does, without a reload. Opened files have no live link. */
export async function show(page, path) {
  await page.evaluate((to) => {
    history.pushState(null, "", to);
    dispatchEvent(new PopStateEvent("popstate", { state: null }));
  }, path);
  await page.waitForFunction(() => !document.querySelector("[aria-busy=true], .skeleton"));
}

/** The same on a page of a monitor, whose link is alive then. */
export async function walk(page, path) {
  await show(page, path);
  await waitUntilLoaded(page);
}

/** Opens every fold of the page. */
export const unfold = async (page) => {
  await page.evaluate(() => {
    for (const details of document.querySelectorAll("main details:not([open])")) details.open = true;
    for (const button of document.querySelectorAll("main .bubble__fold[aria-expanded=false], main [aria-expanded=false][aria-controls]")) button.click();
  });
  await drawn(page);
};

/** Every text is drawn whole: large ones are drawn a slice a frame. */
export const drawn = (page) => page.waitForFunction(() => !document.querySelector(".md[aria-busy=true]"));

/** Opens the palette with `/` and types into it. */
export async function seek(page, text) {
  await page.keyboard.press("/");
  await expect(page.getByRole("combobox", { name: "명령과 찾기" })).toBeFocused();
  await page.keyboard.insertText(text);
}

/** A line of the open palette. */
export const offered = (page, name) => page.getByRole("dialog").getByRole("option", { name });

/** A place of the main menu. */
export function menu(page, name) {
  return page.getByRole("navigation", { name: "주 메뉴", exact: true }).getByRole("link", { name, exact: true });
}

/** The first session whose title holds `words`, from the API. */
export async function titledSession(monitor, words) {
  const { sessions } = await monitor.get(`/api/v2/sessions?limit=50&q=${encodeURIComponent(words)}`);
  const found = sessions.find((session) => session.title.includes(words));
  if (!found) throw new Error(`no session is called ${words}; there are: ${sessions.map((one) => one.title).join(" | ")}`);
  return found;
}

/** The address of a session's page, or of one of its threads. */
export function address(session, thread) {
  const path = `/s/${encodeURIComponent(session.workSessionId)}`;
  return thread ? `${path}/t/${encodeURIComponent(thread.threadId)}` : path;
}

/** All threads of a session, busiest first. */
export async function threadsOf(monitor, session) {
  const detail = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`);
  return [...detail.threads].sort((a, b) => b.messageCount - a.messageCount);
}

/** Visible text of the page's main part. */
export async function mainText(page) {
  return page.getByRole("main").innerText();
}

/** Marks the open document. A reload removes the mark. */
export async function markDocument(page) {
  await page.evaluate(() => (window.e2eMarked = true));
}

/** True when the page was not reloaded since `markDocument`. */
export async function wasNotReloaded(page) {
  return page.evaluate(() => window.e2eMarked === true);
}

/** The busiest session of a story, or the one with these words in its title; its flow and the flow's address. */
export async function sessionWithFlow(monitor, words) {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=50");
  const busiest = [...sessions].sort((a, b) => b.eventCount - a.eventCount)[0];
  const found = words ? await titledSession(monitor, words) : busiest;
  const flow = await monitor.get(`/api/v2/sessions/${encodeURIComponent(found.workSessionId)}/flow`);
  return { ...found, flow, path: `${address(found)}/flow` };
}
