// A thread written line by line, and where its messages stand on the open page.
import { FIXTURE_NOW, eventually, message } from "./monitor.mjs";

/** Writes a talk of so many messages, the newest at `now`; its end is the same however long it is. */
export async function writeThread(monitor, name, length, now = FIXTURE_NOW) {
  for (let first = 0; first < length; first += 5_000) {
    const part = [];
    for (let n = first; n < Math.min(length, first + 5_000); n += 1) part.push(line(name, length - n, now));
    await monitor.append(...part);
  }
  await eventually("all of it is read", async () => (await count(monitor, name)) === length, 200_000);
}

/** How many messages the monitor knows of the talk. */
export async function count(monitor, name) {
  return (await monitor.get(`/api/v2/sessions/ws_${name}`)).threads[0].messageCount;
}

/** The address of the talk. */
export const place = (monitor, name) => `${monitor.url}/s/ws_${name}/t/conv:${name}`;

/** The message that is `back` messages from the end. */
function line(name, back, now) {
  const asks = back % 2 === 0;
  const long = back % 17 === 0 ? "\n\n- 첫째 항목입니다\n- 둘째 항목입니다\n\n```yaml\nimages:\n  - name: gateway\n```" : "";
  return talk(name, `${back}번째 앞의 말입니다. ${"배포 확인 부탁드립니다. ".repeat(back % 9)}${long}`, -back * 10_000, asks, now);
}

/** One message of the talk, so many milliseconds after `now`. */
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

/** Scrolls the thread, and tells which message is then read first and where it stands in the view. */
export function scrollTo(page, position) {
  return page.evaluate((wanted) => {
    const column = document.querySelector(".thread");
    const scroller = column.scrollHeight > column.clientHeight + 1 ? column : document.scrollingElement;
    if (wanted !== null) scroller.scrollTop = wanted;
    const bars = [".thread-bar", ".thread-pick"].map((bar) => document.querySelector(bar)?.getBoundingClientRect().bottom ?? 0);
    const top = Math.max(0, ...bars);
    const rows = [...document.querySelectorAll(".stream [data-event]")];
    // Places are rounded: what begins less than a pixel above still begins here.
    const row = rows.find((one) => one.getBoundingClientRect().top >= top - 1);
    return { id: row.dataset.event, offset: row.getBoundingClientRect().top - top };
  }, position);
}

/** Where the message stands now; null when it is not drawn. */
export function offsetOf(page, { id }) {
  return page.evaluate((event) => {
    const bars = [".thread-bar", ".thread-pick"].map((bar) => document.querySelector(bar)?.getBoundingClientRect().bottom ?? 0);
    const row = document.querySelector(`.stream [data-event="${event}"]`);
    return row === null ? null : row.getBoundingClientRect().top - Math.max(0, ...bars);
  }, id);
}

/** The message at an end of what is drawn: 0 the oldest, -1 the newest. */
export const edge = (page, which) =>
  page.evaluate((end) => [...document.querySelectorAll(".stream article")].at(end)?.dataset.event, which);

/** How many messages are drawn. */
export const drawn = (page) => page.locator(".stream article").count();

/** Two frames have been painted. */
export const frames = (page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));

/** Where the reader is, what is read has moved by at most a pixel. */
export async function driftOf(page, read) {
  await frames(page);
  const now = await offsetOf(page, read);
  return now === null ? Infinity : Math.abs(now - read.offset);
}

/** True when the text stands between the bars of the thread. */
export async function inView(page, text) {
  const said = page.locator(".stream").getByText(text);
  if ((await said.count()) === 0) return false;
  const box = await said.boundingBox();
  const tail = await page.locator(".thread-tail").boundingBox();
  return box !== null && box.y > 0 && box.y + box.height <= tail.y + 1;
}
