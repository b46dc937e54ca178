// Generator of threads of any length, and functions for the positions of their messages on the open page.
import { FIXTURE_NOW, eventually, message } from "./monitor.mjs";

/** Appends a thread of `length` messages, the newest at `now`. Its last messages do not depend on the length. */
export async function writeThread(monitor, name, length, now = FIXTURE_NOW) {
  for (let first = 0; first < length; first += 5_000) {
    const part = [];
    for (let n = first; n < Math.min(length, first + 5_000); n += 1) part.push(line(name, length - n, now));
    await monitor.append(...part);
  }
  await eventually("all messages are read", async () => (await count(monitor, name)) === length, 200_000);
}

/** The number of messages the monitor has of the thread. */
export async function count(monitor, name) {
  return (await monitor.get(`/api/v2/sessions/ws_${name}`)).threads[0].messageCount;
}

/** The address of the thread. */
export const place = (monitor, name) => `${monitor.url}/s/ws_${name}/t/conv:${name}`;

/** The message `back` messages from the end. */
function line(name, back, now) {
  const asks = back % 2 === 0;
  const long = back % 17 === 0 ? "\n\n- 첫째 항목입니다\n- 둘째 항목입니다\n\n```yaml\nimages:\n  - name: gateway\n```" : "";
  return talk(name, `${back}번째 앞의 말입니다. ${"배포 확인 부탁드립니다. ".repeat(back % 9)}${long}`, -back * 10_000, asks, now);
}

/** One message of the thread, `after` milliseconds later than `now`. */
export function talk(name, text, after, asks = true, now = FIXTURE_NOW) {
  return message({
    from: asks ? "eden" : "seum",
    to: asks ? "seum" : "eden",
    type: asks ? "a2a.send" : "a2a.response",
    text,
    session: `ws_${name}`,
    conversation: name,
    at: now + after,
  });
}

/** Scrolls the thread (not with null) and returns the first message in view and its offset. */
export function scrollTo(page, position) {
  return page.evaluate((wanted) => {
    const column = document.querySelector(".thread");
    const scroller = column.scrollHeight > column.clientHeight + 1 ? column : document.scrollingElement;
    if (wanted !== null) scroller.scrollTop = wanted;
    const bars = [".thread-bar", ".thread-pick"].map((bar) => document.querySelector(bar)?.getBoundingClientRect().bottom ?? 0);
    const top = Math.max(0, ...bars);
    const rows = [...document.querySelectorAll(".stream [data-event]")];
    // Positions are rounded: less than a pixel above still counts as in view.
    const row = rows.find((one) => one.getBoundingClientRect().top >= top - 1);
    return { id: row.dataset.event, offset: row.getBoundingClientRect().top - top };
  }, position);
}

/** The offset of a message now; null when it is not drawn. */
export function offsetOf(page, { id }) {
  return page.evaluate((event) => {
    const bars = [".thread-bar", ".thread-pick"].map((bar) => document.querySelector(bar)?.getBoundingClientRect().bottom ?? 0);
    const row = document.querySelector(`.stream [data-event="${event}"]`);
    return row === null ? null : row.getBoundingClientRect().top - Math.max(0, ...bars);
  }, id);
}

/** The id of the oldest (0) or newest (-1) drawn message. */
export const edge = (page, which) =>
  page.evaluate((end) => [...document.querySelectorAll(".stream article")].at(end)?.dataset.event, which);

/** The number of drawn messages. */
export const drawn = (page) => page.locator(".stream article").count();

/** Waits for two painted frames. */
export const frames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));

/** Pixels by which a message moved since `scrollTo` returned it. */
export async function driftOf(page, read) {
  await frames(page);
  const now = await offsetOf(page, read);
  return now === null ? Infinity : Math.abs(now - read.offset);
}

/** True when the message with this text is between the bars of the thread. */
export async function inView(page, text) {
  const said = page.locator(".stream").getByText(text);
  if ((await said.count()) === 0) return false;
  const box = await said.boundingBox();
  const tail = await page.locator(".thread-tail").boundingBox();
  return box !== null && box.y > 0 && box.y + box.height <= tail.y + 1;
}
