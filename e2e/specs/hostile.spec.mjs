// Browser tests of hostile text in every place that shows text, with and without the content security policy. No script
// runs, nothing is fetched, and the page contains only known elements.
//
// As a control, an unsafe renderer draws the same texts, and the tests must notice their effects.
//
// Proves (security): Hostile text runs nothing, loads nothing and adds no element.
// Long form: `make soak ARGS=hostile`.
import assert from "node:assert/strict";

import { walkUnsafely } from "../support/hostile-control.mjs";
import { WRAPPINGS, payloads, sample } from "../support/hostile-data.mjs";
import { writeConfig, writeHome } from "../support/hostile-home.mjs";
import { assertAlive, glance, inventory, isLiteral, walkPages, walkPanel, walkThread, walkWords } from "../support/hostile-walk.mjs";
import { ALONE, openWatched } from "../support/hostile-watch.mjs";
import { FIXTURE_NOW } from "../support/monitor.mjs";
import { test as base, expect } from "../support/test.mjs";
import { waitUntilLoaded } from "../support/steps.mjs";

/** The long form: every text in every wrapping, then every text in every other field, in homes of a limited size. */
const LONG = process.env.TASK_HUB_SOAK === "1";
const all = payloads();
const parts = (size) => Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
/** Texts that are sent as messages, and texts in all other fields, home by home. */
const messages = LONG ? parts(1_000) : [sample(all, 90)];
const batches = LONG
  ? [...messages.map((part) => [part, part.slice(0, 1)]), ...parts(400).map((part) => [part.slice(0, 1), part])]
  : messages.map((part) => [part, part.filter((_, n) => n % 10 === 0)]);

const test = base.extend({
  launchOptions: [async ({ launchOptions }, use) => use({ ...launchOptions, args: [...launchOptions.args, ...ALONE] }), { scope: "worker" }],
  /** Starts a monitor over a home that holds these texts: `{ monitor, there }`. */
  openHome: async ({ startMonitor }, use, info) => {
    await use(async ([messages, fields]) => {
      const texts = (list) => list.map((payload) => payload.text);
      const config = info.outputPath("monitor.toml");
      await writeConfig(config, texts(fields));
      const monitor = await startMonitor({ story: null, args: ["--config", config] });
      await monitor.halt();
      const written = await writeHome(monitor.home, texts(messages), texts(fields));
      await monitor.start();
      let before = -1;
      await expect(async () => {
        const [events, tasks] = [await monitor.get("/api/v2/events?limit=1"), await monitor.get("/api/v2/tasks?limit=500")];
        const still = events.total === before;
        before = events.total;
        // An event whose type is white space is a bad line, and a bad line may hold an event.
        assert.ok(still && events.total >= written.events * 0.99 && tasks.tasks.length >= Math.min(500, written.tasks));
      }).toPass();
      return { monitor, there: await inventory(monitor) };
    });
  },
});
// The recorder of traces puts scripts of its own into the page.
test.use({ trace: "off" });

const talks = ({ sessions }) => sessions.map((session) => session.workSessionId).filter((id) => id.startsWith("ws_talk_"));
const threadOf = (talk) => talk.replace("ws_talk_", "conv:talk-");

/** Opens every message of the home in a watched page: how many there were, and how many were compared letter by letter. */
async function walkTalks(watched, { monitor, there }) {
  const sum = { drawn: 0, literal: 0 };
  for (const talk of talks(there)) {
    const { messages, literal } = await walkThread(watched, monitor, talk, threadOf(talk));
    sum.drawn += messages.length;
    sum.literal += literal;
  }
  return sum;
}

test("the lists of texts are complete and without duplicates", () => {
  const count = (from) => all.filter((payload) => payload.from === from).length;
  assert.deepEqual([count("brs-kb"), count("blns")], [4_462, 464]);
  assert.ok(count("own") >= 110, `${count("own")} of our own`);
  assert.equal(new Set(all.map((payload) => payload.text)).size, all.length);
  assert.equal(sample(all, 90).filter((payload) => payload.from === "own").length, count("own"), "the short form has all our own");
  assert.ok(all.filter((payload) => isLiteral(payload.text)).length > 500, "many are shown letter by letter");
});

test("some hostile texts run nothing and break no page", { tag: "@quick" }, async ({ browser, openHome }) => {
  const own = all.filter((payload, n) => payload.from === "own" && n % 24 === 0);
  const home = await openHome([own, own.slice(0, 2)]);
  const watched = await openWatched(browser, { url: home.monitor.url, csp: false, now: FIXTURE_NOW });
  await waitUntilLoaded(watched.page);
  assert.equal((await walkTalks(watched, home)).drawn, own.length * Object.keys(WRAPPINGS).length);
  await glance(watched);
  await assertAlive(watched);
  assert.deepEqual(watched.findings, []);
  await watched.context.close();
});

test("the detector finds nothing in a harmless home", async ({ browser, monitor }) => {
  const watched = await openWatched(browser, { url: monitor.url, csp: true, now: FIXTURE_NOW });
  await waitUntilLoaded(watched.page);
  const there = await inventory(monitor);
  if (LONG) await walkPages(watched, monitor, there, { each: 12, since: FIXTURE_NOW - 48 * 3_600_000 });
  else await glance(watched);
  const [session] = there.sessions;
  const { threads } = await monitor.get(`/api/v2/sessions/${session.workSessionId}`);
  assert.ok((await walkThread(watched, monitor, session.workSessionId, threads[0].threadId)).messages.length > 0);
  await assertAlive(watched);
  assert.deepEqual(watched.findings, []);
  await watched.context.close();
});

for (const [n, batch] of batches.entries()) {
  test(`hostile text in every field runs, loads and adds nothing (home ${n + 1})`, async ({ browser, openHome }) => {
    test.setTimeout(LONG ? 5_400_000 : 600_000);
    const home = await openHome(batch);
    const { monitor, there } = home;
    const taught = await monitor.get("/api/v2/classifier/config");
    assert.ok(taught.trouble === undefined && taught.config.agents.length > 0, `the file of taught words is in force: ${taught.trouble}`);
    await Promise.all([true, false].map(async (csp) => {
      const watched = await openWatched(browser, { url: monitor.url, csp, now: FIXTURE_NOW });
      const where = () => `${csp ? "with" : "without"} the policy, at ${watched.at}`;
      try {
        await waitUntilLoaded(watched.page);
        const { drawn, literal } = await walkTalks(watched, home);
        assert.equal(drawn, batch[0].length * Object.keys(WRAPPINGS).length, "every text in every wrapping is a message");
        const each = LONG ? 6 : 2;
        const took = await walkPages(watched, monitor, there, { each, since: FIXTURE_NOW - 11 * 3_600_000 });
        await walkWords(watched, batch[1].filter((_, place) => place % Math.ceil(batch[1].length / each) === 0).map((payload) => payload.text));
        assert.ok((await walkPanel(watched)) > 0, "lines that are no event are shown");
        await assertAlive(watched);
        console.log(`home ${n + 1}, ${csp ? "with" : "without"} the policy: ${drawn} messages, ${literal} compared letter by letter, ${there.sessions.length} sessions, ${watched.requests} requests, ms ${JSON.stringify(took)}`);
      } catch (error) {
        throw new Error(`${where()}: ${error.message}; found ${JSON.stringify(watched.findings.slice(0, 20))}`, { cause: error });
      }
      assert.deepEqual(watched.findings, [], where());
      await watched.context.close();
    }));
  });
}

/** What a text could do in an unsafe page, by the detector's name for it. */
const WAYS = {
  ran: ["alert(1)", "confirm(1)", "prompt(1)", "print()", "open('about:blank')", "eval('1 + 1')", "new Function('return 1')()", "Function('return 1')()", "setTimeout('void 0')", "setInterval('void 0', 1e6)"],
  script: ["add('script').append('void 0')", "add('button', { onclick: 'void 0' }).click()", "add('a', { href: 'javascript:void 0' }).click()", "add('img', { onerror: 'void 0', src: 'data:,' })", "add('script', { src: 'data:,void 0' })"],
  markup: ["add('p').innerHTML = '<b>never built</b>'"],
  sink: [
    "add('p').outerHTML = '<b></b>'", "add('p').insertAdjacentHTML('beforeend', '<b></b>')", "add('p').setHTMLUnsafe('<b></b>')", "new DOMParser().parseFromString('<b></b>', 'text/html')", "new Range().createContextualFragment('<b></b>')",
    "Document.parseHTMLUnsafe('<b></b>')", "document.implementation.createHTMLDocument().write('<b></b>')", "document.execCommand('insertHTML', false, '<b></b>')", "document.createElement('iframe').srcdoc = '<b></b>'", "document.createElement('script').text = 'void 0'", "add('div').attachShadow({ mode: 'open' })",
  ],
  element: ["add('iframe')", "add('object')", "add('style')", "add('marquee')", "add('form').append(document.createElement('output'))", "add('svg:use')", "add('svg:foreignObject')", "add('math:math')"],
  attribute: ["add('a', { ping: '/x' })", "add('p', { contenteditable: '' })", "add('button', { formaction: '/x' })", "add('img', { srcset: '/x' })"],
  handler: ["add('p', { onmouseover: '1' })", "document.querySelector('main').setAttribute('onfocus', '1')"],
  style: ["add('p', { style: 'background: url(/x)' })"],
  class: ["add('p', { class: 'a\\\"onclick=1' })"],
  clobber: ["add('p', { id: '__proto__' })", "add('p', { id: 'body' })", "add('input', { name: 'cookie' })"],
  link: ["add('a', { href: 'javascript:1' })", "add('a', { href: 'java\\tscript:1' })", "add('a', { href: 'data:text/html,x' })", "add('a', { href: 'vbscript:1' })", "add('a', { href: 'blob:http://x/y' })", "add('svg:a', { href: 'javascript:svg' })"],
  opener: ["add('a', { href: 'https://evil.example/', target: '_blank' })", "add('a', { href: 'https://evil.example/' })"],
  source: ["add('img', { src: 'https://evil.example/x' })", "add('img', { src: 'data:text/html,x' })", "add('link', { rel: 'preload', as: 'image', href: 'https://evil.example/y' })"],
  request: ["fetch('https://evil.example/').catch(() => 0)", "fetch('/api/v2/home', { method: 'POST' }).catch(() => 0)", "fetch('/elsewhere').catch(() => 0)", "new Image().src = 'https://evil.example/pixel'", "navigator.sendBeacon('https://evil.example/b', '1')"],
  error: ["queueMicrotask(() => { throw new Error('x') })"],
  navigation: ["location.assign('/elsewhere')"],
};

test("the detector notices each effect on its own", async ({ browser, monitor }) => {
  for (const csp of [false, true]) {
    const watched = await openWatched(browser, { url: monitor.url, csp, now: FIXTURE_NOW, hold: true });
    await waitUntilLoaded(watched.page);
    assert.deepEqual(watched.findings, [], "before anything happens nothing is found");
    await watched.page.evaluate(() => {
      const spaces = { svg: "http://www.w3.org/2000/svg", math: "http://www.w3.org/1998/Math/MathML" };
      globalThis.add = (name, attributes = {}) => {
        const [local, space] = name.split(":").reverse();
        const element = document.createElementNS(spaces[space] ?? "http://www.w3.org/1999/xhtml", local);
        for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
        document.querySelector("main").append(element);
        return element;
      };
    });
    // The policy prevents all of these; the detector still sees the attempt.
    const ways = csp ? { policy: [...WAYS.script, "add('img', { src: 'https://evil.example/z' })", "eval('1 + 1')"] } : WAYS;
    for (const [kind, list] of Object.entries(ways)) {
      for (const way of list) {
        const before = watched.counts[kind] ?? 0;
        await watched.run(way);
        await expect.poll(() => watched.counts[kind] ?? 0, { message: `${kind}: ${way} is noticed`, timeout: 10_000, intervals: [20] }).toBeGreaterThan(before);
      }
    }
    await watched.context.close();
  }
});

test("the detector finds what texts do in an unsafe renderer", async ({ browser, openHome }) => {
  test.setTimeout(LONG ? 5_400_000 : 300_000);
  const found = {};
  let pages = 0;
  let executions = 0;
  let count = 0;
  const homes = LONG ? messages : [sample(all, 31).filter((payload) => payload.from !== "own")];
  for (const texts of homes) {
    const { monitor, there } = await openHome([texts, texts.slice(0, 1)]);
    const threads = [];
    for (const talk of talks(there)) {
      const answer = await monitor.get(`/api/v2/sessions/${talk}/threads/${encodeURIComponent(threadOf(talk))}?limit=80`);
      threads.push([`/s/${talk}/t/${encodeURIComponent(threadOf(talk))}`, answer.messages]);
      count += answer.messages.length;
    }
    const unsafe = await walkUnsafely(browser, monitor.url, threads);
    pages += unsafe.pages;
    executions += unsafe.executions;
    for (const [kind, count] of Object.entries(unsafe.counts)) found[kind] = (found[kind] ?? 0) + count;
    await monitor.stop();
  }
  console.log(`unsafe: ${count} messages on ${pages} pages, ${executions} executions, ${JSON.stringify(found)}`);
  assert.ok(executions >= (LONG ? 2_000 : 50), `only ${executions} executions are noticed: the detector is blind`);
  for (const kind of ["script", "element", "attribute", "handler", "link", "source", "request", "markup"]) assert.ok(found[kind] > 0, `nothing of kind ${kind} is noticed`);
});
