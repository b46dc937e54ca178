// Navigation helpers of `hostile.spec.mjs`, which tests texts that try to run scripts or load files. The helpers open
// the pages, threads and dialogs that display these texts, and fail if a session or a message is missing.
import assert from "node:assert/strict";

import { expect } from "./test.mjs";
import { frames } from "./thread.mjs";
import { unfold, waitUntilLoaded, walk } from "./steps.mjs";

const MORE = /더 보기|더 불러오기/;
const encode = encodeURIComponent;

/** Everything of a paged answer of the API. */
async function paged(monitor, route, part, mark) {
  const all = [];
  for (let after = ""; ; ) {
    const answer = await monitor.get(`${route}${after}`);
    all.push(...answer[part]);
    if (!answer.next) {
      assert.equal(all.length, answer.total, `all of ${route}`);
      return all;
    }
    after = `&${mark}=${encode(answer.next)}`;
  }
}

/** Sessions and tasks of the home, from the API. */
export async function inventory(monitor) {
  const sessions = await paged(monitor, "/api/v2/sessions?limit=200", "sessions", "after");
  const { tasks } = await monitor.get("/api/v2/tasks?limit=500");
  return { sessions, tasks };
}

/** Presses “more” buttons, at most so often, and scrolls to the end, so that rows far from the window are drawn too. */
async function toTheEnd(page, presses = Infinity) {
  await page.evaluate(
    async ([more, most]) => {
      const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      const wanted = new RegExp(more);
      const buttons = () => [...document.querySelectorAll("main button:not([aria-expanded])")].filter((one) => wanted.test(one.textContent) && one.checkVisibility());
      const scrollers = () => [document.scrollingElement, ...document.querySelectorAll("main, main > *, main > * > *")].filter((one) => one.scrollHeight > one.clientHeight + 40);
      for (let turn = 0; turn < 5_000; turn += 1) {
        for (const one of scrollers()) one.scrollTop = one.scrollHeight;
        await frame();
        const ready = buttons();
        if (ready.length === 0 || most <= 0) return;
        const free = ready.filter((one) => !one.disabled);
        for (const button of free) button.click();
        if (free.length > 0) most -= 1;
      }
      throw new Error("the page never ends");
    },
    [MORE.source, Math.min(presses, 5_000)],
  );
}

/** The names that the detector has not seen. */
const unseen = (page, what, names) => page.evaluate(([set, wanted]) => wanted.filter((name) => !globalThis.__watch[set].has(name)), [what, names]);

/** A thread: every message of it and every mark is drawn. */
export async function walkThread(watched, monitor, session, thread) {
  const { page } = watched;
  const answer = await monitor.get(`/api/v2/sessions/${encode(session)}/threads/${encode(thread)}?limit=80`);
  const ids = answer.messages.map((message) => message.id);
  await go(watched, `/s/${encode(session)}/t/${encode(thread)}`);
  await expect.poll(() => unseen(page, "events", ids), `every message of ${thread} is drawn`).toEqual([]);
  await unfold(page);
  const plain = answer.messages.filter((message) => isLiteral(message.text)).map(({ id, text }) => [id, text]);
  const other = await page.evaluate((said) => {
    const flat = (text) => text.replace(/\s+/g, " ").trim();
    return said.filter(([id, text]) => !flat(document.querySelector(`[data-event="${id}"]`).textContent).includes(flat(text)));
  }, plain);
  assert.deepEqual(other, [], "a text without a meaning in markdown is shown as it was written");
  return { messages: answer.messages, literal: plain.length };
}

/** A text that is no markdown, no address and no form of Discord: what is shown is what was written, letter by letter. */
export const isLiteral = (text) =>
  /^[\x21-\x7e][\x20-\x7e]*$/.test(text) && !/[*_`~[\]|\\&#@]|:\/\/|www\.|mailto|xmpp/i.test(text) && !/^[-+=>\d]|<[a-z0-9+.-]*:|\s$|  /i.test(text);

/** Goes there within the page, and looks at all of it. */
export async function go(watched, path) {
  watched.at = path;
  await walk(watched.page, path);
}

/** Goes there, brings all of it, at most so many presses further, and opens every fold. */
export async function goThrough(watched, path, presses) {
  await go(watched, path);
  await toTheEnd(watched.page, presses);
  await unfold(watched.page);
}

/** Every page but the threads. `each` says of how many sessions, tasks and raw events the own
 * pages are opened; `since` from when on every event is drawn as a line. */
export async function walkPages(watched, monitor, { sessions, tasks }, { each, since }) {
  const { page } = watched;
  const took = {};
  const timed = async (name, work) => {
    const start = Date.now();
    await work();
    took[name] = (took[name] ?? 0) + Date.now() - start;
  };
  const spread = (list, count) => list.filter((_, n) => n % Math.max(1, Math.ceil(list.length / count)) === 0);
  await timed("home", () => goThrough(watched, "/"));
  await timed("lists", async () => {
    await goThrough(watched, "/all");
    const ids = sessions.map((session) => session.workSessionId);
    const missing = async () => {
      await toTheEnd(page);
      return unseen(page, "sessions", ids);
    };
    await expect.poll(missing, { message: "every session's card is drawn", timeout: 60_000 }).toEqual([]);
    await goThrough(watched, "/all?group=category");
  });
  await timed("events", async () => {
    // The newest are those of the sessions; all of them are drawn, each as a line of its own.
    const { total } = await monitor.get(`/api/v2/events?limit=1&since=${since}`);
    await goThrough(watched, "/events?group=off", Math.ceil(total / 100));
    for (const path of ["/events", "/events?view=tree", "/events?role=system.observability&table=1"]) await goThrough(watched, path, 2);
  });
  await timed("tasks", async () => {
    await goThrough(watched, "/tasks");
    const own = tasks.filter((task) => task.id.startsWith("task_all_"));
    for (const task of [...own, ...spread(tasks, each)]) await goThrough(watched, `/tasks/${encode(task.agentId)}/${encode(task.id)}`);
  });
  await timed("agents", async () => {
    for (const path of ["/agents", "/agents?role=worker&since=all"]) await goThrough(watched, path);
  });
  await timed("others", async () => {
    for (const path of ["/audit", "/rules", "/drift", "/drift?since=30d&table=1"]) await goThrough(watched, path);
  });
  await timed("sessions", async () => {
    for (const session of spread(sessions, each)) {
      const id = encode(session.workSessionId);
      for (const path of [`/s/${id}`, `/s/${id}/whole`, `/s/${id}/flow`, `/s/${id}/flow?view=table`, `/events?session=${id}`]) await goThrough(watched, path);
      const { threads } = await monitor.get(`/api/v2/sessions/${id}`);
      for (const thread of threads.slice(0, 1)) await walkThread(watched, monitor, session.workSessionId, thread.threadId);
    }
  });
  await timed("raw", async () => {
    const { events } = await monitor.get("/api/v2/events?type=custom.thing&limit=100");
    const mixed = await monitor.get("/api/v2/events?limit=200");
    for (const event of [...events, ...spread(mixed.events, each)]) {
      await go(watched, `/events?open=${encode(event.id)}`);
      await expect(page.getByRole("dialog").locator("pre").first()).toBeVisible();
    }
  });
  return took;
}

/** A look at each kind of page, as far as it shows without asking for more. */
export async function glance(watched) {
  for (const path of ["/", "/all", "/all?group=category", "/events", "/events?view=tree", "/events?role=system.observability&table=1", "/tasks", "/agents", "/audit", "/rules", "/drift?table=1"]) await goThrough(watched, path, 0);
}

/** What a reader types and what an address says: palette, search, filters, names that do not exist. */
export async function walkWords(watched, texts) {
  const { page } = watched;
  watched.missing = true;
  for (const text of texts) {
    const word = encode(text.toWellFormed().slice(0, 300));
    for (const path of [`/all?q=${word}`, `/events?type=${word}`, `/s/${word}/t/${word}?at=${word}`, `/tasks/${word}/${word}`, `/c/${word}`, `/no/${word}`]) await go(watched, path);
  }
  watched.missing = false;
  await go(watched, "/");
  for (const text of texts) {
    const field = page.getByRole("combobox", { name: "명령과 찾기" });
    // The key does nothing while the page still closes the last palette.
    await expect(async () => {
      await page.keyboard.press("Control+k");
      await expect(field).toBeVisible({ timeout: 10_000 });
    }).toPass();
    await field.fill(text.replace(/[\r\n]/g, " "));
    await frames(page);
    await page.keyboard.press("Escape");
    await expect(field).toHaveCount(0);
  }
}

/** The panel that shows lines which are no event. */
export async function walkPanel(watched) {
  const { page } = watched;
  await go(watched, "/events");
  await page.getByRole("button", { name: /^데이터 상태/ }).click();
  const panel = page.getByRole("dialog", { name: "데이터 상태" });
  await expect(panel.locator("code").first()).toBeVisible();
  const shown = await panel.locator("code").count();
  await page.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  return shown;
}

/** The page still reacts to a click. */
export async function assertAlive(watched) {
  const { page } = watched;
  await go(watched, "/all");
  await page.getByRole("navigation", { name: "주 메뉴", exact: true }).getByRole("link", { name: "작업", exact: true }).click();
  await expect(page).toHaveURL(/\/tasks$/);
  await waitUntilLoaded(page);
}
