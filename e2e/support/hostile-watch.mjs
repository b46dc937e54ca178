// Detector of hostile texts that run as scripts or become HTML in the page. It wraps functions of the browser, such as
// `eval`, before the page's scripts run, and listens on the browser's DevTools protocol. The allowed elements and
// attributes are in `hostile-allowed.mjs`.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";

import { standingAt } from "./clock.mjs";
import { ALLOWED_ANYWHERE, ALLOWED_ELEMENTS } from "./hostile-allowed.mjs";
import { bundleInUse } from "./monitor.mjs";

const NAME = "__task_hub_watch__";
/** What a test has done in the page's place. */
const ACT = "__task_hub_act__";

/** Runs in the page, first of all scripts: hooks the ways in which a text becomes code or markup, and looks at every node. */
function inPage(allowed, anywhere, channel, hold) {
  const told = new Set();
  const tell = (kind, what) => {
    const key = `${kind} ${what}`;
    // Executions are counted, everything else is told once.
    if (kind !== "ran" && told.has(key)) return;
    told.add(key);
    globalThis[channel](JSON.stringify([kind, kind === "markup" ? what : String(what).slice(0, 400)]));
  };
  const replace = (owner, name, make) => {
    const was = Object.getOwnPropertyDescriptor(owner, name);
    if (!was) return;
    if (was.set) Object.defineProperty(owner, name, { ...was, set: make(was.set) });
    else Object.defineProperty(owner, name, { ...was, value: make(was.value ?? owner[name]) });
  };
  // What payloads call, and how text becomes a program.
  for (const name of ["alert", "confirm", "prompt", "print", "open"]) {
    replace(globalThis, name, () => (...said) => void tell("ran", `${name}(${said.map(String).join()})`));
  }
  const ours = (text) => /^\s*(async\s*)?(\(|function\b|[\w$]+\s*=>)/.test(text) && !/alert|confirm|prompt/.test(text);
  replace(globalThis, "eval", (was) =>
    function (text) {
      // The browser's driver evaluates functions of the test this way.
      if (typeof text === "string" && !ours(text)) tell("ran", `eval(${text})`);
      return was.call(this, text);
    },
  );
  replace(globalThis, "Function", (was) => new Proxy(was, {
    apply: (target, self, said) => (tell("ran", `Function(${said.join()})`), Reflect.apply(target, self, said)),
    construct: (target, said) => (tell("ran", `Function(${said.join()})`), Reflect.construct(target, said)),
  }));
  for (const name of ["setTimeout", "setInterval"]) {
    replace(globalThis, name, (was) =>
      function (what, ...rest) {
        if (typeof what === "string") tell("ran", `${name}(${what})`);
        return was.call(this, what, ...rest);
      },
    );
  }
  // How text becomes markup. What the framework does with its own static markup is told as it is: the test looks whether the
  // program holds it, word for word.
  const sink = (owner, name) =>
    owner && replace(owner, name, (was) =>
      function (...said) {
        const text = said.map(String).join(" ");
        if (text !== "") name === "innerHTML" ? tell("markup", text) : tell("sink", `${name}: ${text}`);
        // Writing into a loaded document ends it.
        return hold && this === document && name.startsWith("write") ? undefined : was.apply(this, said);
      },
    );
  for (const name of ["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTML", "setHTMLUnsafe"]) sink(Element.prototype, name);
  for (const name of ["innerHTML", "setHTML", "setHTMLUnsafe"]) sink(ShadowRoot.prototype, name);
  for (const name of ["write", "writeln"]) sink(Document.prototype, name);
  for (const name of ["parseHTML", "parseHTMLUnsafe"]) sink(Document, name);
  sink(Document.prototype, "execCommand");
  sink(DOMParser.prototype, "parseFromString");
  sink(Range.prototype, "createContextualFragment");
  sink(HTMLIFrameElement.prototype, "srcdoc");
  sink(HTMLScriptElement.prototype, "text");
  sink(Element.prototype, "attachShadow");
  sink(globalThis.XSLTProcessor?.prototype, "transformToFragment");
  addEventListener("securitypolicyviolation", (event) => tell("policy", `${event.violatedDirective} ${event.blockedURI} ${event.sample}`), true);

  const watch = { events: new Set(), sessions: new Set(), tasks: new Set(), classes: new Set(), shapes: {} };
  globalThis.__watch = watch;
  const LINK = new Set(["http:", "https:", "mailto:"]);
  // The properties of a document and a window: an element named like one of them would stand in its place.
  const own = (owner) => Object.getOwnPropertyNames(owner);
  const names = new Set([globalThis, Document.prototype, Node.prototype, EventTarget.prototype, Object.prototype, HTMLFormElement.prototype, Element.prototype].flatMap(own));
  const taken = (name) => names.has(name) || name === "__proto__";
  const plainClass = /^[a-z][a-z0-9]*([-_]+[a-z0-9]+)*$/;

  const look = (element) => {
    const name = element.localName;
    const attributes = allowed[name];
    const shape = (watch.shapes[name] ??= new Set());
    if (!attributes) tell("element", `<${name}>`);
    for (const { name: key, value } of element.attributes) {
      shape.add(key);
      if (key.startsWith("on")) tell("handler", `<${name} ${key}="${value}">`);
      else if (attributes && !attributes.includes(key) && !anywhere.includes(key)) tell("attribute", `<${name} ${key}="${value}">`);
      if (key === "http-equiv" && value !== "Content-Security-Policy") tell("attribute", `<${name} ${key}="${value}">`);
      if (key === "style" && /url\(|expression|@import|script|image-set/i.test(value)) tell("style", value);
      if ((key === "id" || key === "name") && element.namespaceURI.endsWith("xhtml") && name !== "meta" && taken(value)) tell("clobber", `<${name} ${key}="${value}">`);
      if (key === "class") for (const one of value.split(/\s+/)) if (one !== "" && (one.length > 48 || !plainClass.test(one))) tell("class", `<${name} class="${value}">`);
      if (["src", "srcset", "poster", "data", "action", "formaction", "ping", "background"].includes(key) && !isOwnPicture(element, key, value)) tell("source", `<${name} ${key}="${value}">`);
    }
    if (element.hasAttribute("href") || element.hasAttributeNS("http://www.w3.org/1999/xlink", "href")) link(element);
    if (["base", "link", "meta", "script"].includes(name) && element.parentNode?.localName !== "head") tell("element", `<${name}> in <${element.parentNode?.localName}>`);
    if (element.shadowRoot) tell("element", `a shadow root in <${name}>`);
    const { event, session, task } = element.dataset ?? {};
    if (event !== undefined) watch.events.add(event);
    if (session !== undefined) watch.sessions.add(session);
    if (task !== undefined) watch.tasks.add(task);
  };
  const isOwnPicture = (element, key, value) => {
    if (key !== "src") return false;
    // An agent's picture may be given as data: as a picture none of it runs, and it loads nothing.
    if (element.localName === "img" && /^data:image\//i.test(value)) return true;
    const url = new URL(value, document.baseURI);
    return ["img", "script"].includes(element.localName) && url.origin === location.origin;
  };
  const link = (element) => {
    if (element.localName === "link") {
      if (new URL(element.href).origin !== location.origin) tell("source", element.outerHTML);
      return;
    }
    if (element.localName === "base") return;
    // As the document understands it, whatever the attribute looks like.
    const protocol = element.protocol ?? new URL(element.href?.baseVal ?? element.getAttribute("href"), document.baseURI).protocol;
    // An address that the browser cannot read leads nowhere.
    if (protocol === ":") return tell("dead", element.getAttribute("href"));
    if (!LINK.has(protocol)) tell("link", `${protocol} in <${element.localName} href="${element.getAttribute("href")}">`);
    const foreign = element.origin !== undefined && element.origin !== location.origin && protocol !== "mailto:";
    // The way back to the embedding site is the operator's own and opens in place.
    const opens = element.target === "_blank" && !/\bnoopener\b/.test(element.rel);
    if (opens || (foreign && element.target !== "_blank" && !element.relList.contains("external"))) tell("opener", element.outerHTML.slice(0, 200));
  };
  const all = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return;
    look(node);
    for (const one of node.querySelectorAll("*")) look(one);
  };
  new MutationObserver((records) => {
    for (const record of records) {
      if (record.type === "attributes") look(record.target);
      for (const node of record.addedNodes) all(node);
    }
  }).observe(document, { subtree: true, childList: true, attributes: true });
}

/** The bundle in use: names of its files, its wasm files, the scripts in its page. Read once per worker. */
let bundle;
function readBundle() {
  if (bundle) return bundle;
  const { folder } = bundleInUse;
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)));
  const wasm = files.filter((name) => name.endsWith(".wasm")).map((name) => readFileSync(path.join(folder, name)));
  const scripts = [...readFileSync(path.join(folder, "index.html"), "utf8").matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map(([, text]) => text.trim());
  bundle = { files, wasm, scripts, markup: new Map() };
  return bundle;
}

/** True for markup that stands in the program as it was built, word for word. */
function isBuilt(markup) {
  const { wasm, markup: known } = readBundle();
  if (!known.has(markup)) known.set(markup, wasm.some((binary) => binary.includes(markup)));
  return known.get(markup);
}

/** Switches of a browser that can find no host but this machine. */
export const ALONE = ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"];

/**
 * A page of a context of its own under watch. `findings` holds what was found as `[kind, what]`, `counts` how often. Options:
 * `url` (the monitor's), `csp` (false turns the page's policy off), `now` (where its clock stands), `script` (runs after the
 * detector), `hold` (true stops whatever would lead away from the page, after it was noted).
 */
export async function openWatched(browser, { url, csp, now, script = "", hold = false }) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 9_000 }, locale: "ko-KR", timezoneId: "Asia/Seoul", reducedMotion: "reduce", serviceWorkers: "block", bypassCSP: !csp,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const watched = { page, context, findings: [], counts: {}, requests: 0, markup: 0, opening: true, missing: false };
  const found = (kind, what) => {
    watched.counts[kind] = (watched.counts[kind] ?? 0) + 1;
    if (watched.counts[kind] <= 200) watched.findings.push([kind, what]);
  };
  const told = ([kind, what]) => {
    if (kind !== "markup") return found(kind, what);
    watched.markup += 1;
    return isBuilt(what) ? undefined : found("markup", what);
  };
  const channel = `__told_${Math.random().toString(36).slice(2)}`;
  const session = await context.newCDPSession(page);
  session.on("Runtime.bindingCalled", ({ name, payload }) => name === channel && told(JSON.parse(payload)));
  await session.send("Runtime.enable");
  await session.send("Runtime.addBinding", { name: channel });
  await watchScripts(session, url, found);
  const ALLOWED = JSON.stringify(ALLOWED_ELEMENTS);
  await page.addInitScript(`(${inPage})(${ALLOWED}, ${JSON.stringify(ALLOWED_ANYWHERE)}, ${JSON.stringify(channel)}, ${hold});\n${standingAt(now)}\n${script}\n//# sourceURL=${NAME}`);

  page.on("dialog", (dialog) => (found("ran", `a dialog: ${dialog.message()}`), dialog.dismiss().catch(() => undefined)));
  page.on("popup", (popup) => found("ran", `a window: ${popup.url()}`));
  page.on("download", (download) => found("ran", `a download: ${download.url()}`));
  page.on("frameattached", () => found("element", "a frame"));
  page.on("pageerror", (error) => found("error", error.message));
  page.on("console", (entry) => {
    const own = entry.text() === "Service Worker registration blocked by Playwright";
    // Names that do not exist are asked for on purpose, and the monitor has no picture for an agent whose picture is a trick.
    const { url: asked } = entry.location();
    const missing = (watched.missing || asked.endsWith("/avatar")) && /status of (400|404)/.test(entry.text());
    if (!own && !missing && ["error", "warning"].includes(entry.type())) found(/Content Security Policy|requires 'Trusted/.test(entry.text()) ? "policy" : "console", `${entry.text()} ${asked}`);
  });
  context.on("request", (request) => {
    watched.requests += 1;
    const asked = new URL(request.url());
    if (asked.origin !== url) return found("request", request.url());
    if (request.isNavigationRequest()) return watched.opening ? undefined : found("navigation", request.url());
    const fits = request.method() === "GET" && (asked.pathname.startsWith("/api/v2/") || readBundle().files.includes(asked.pathname.slice(1)));
    return fits ? undefined : found("request", `${request.method()} ${request.url()}`);
  });
  if (hold) {
    const away = (asked) => asked.origin !== url;
    await context.route(away, (route) => route.abort("aborted"));
    await context.route((asked) => !away(asked), (route) => (route.request().isNavigationRequest() && !watched.opening ? route.abort("aborted") : route.continue()));
  }
  // As the page's own code would, past the hooks of the driver.
  watched.run = (expression) => session.send("Runtime.evaluate", { expression: `${expression}\n//# sourceURL=${ACT}`, allowUnsafeEvalBlockedByCSP: false });
  watched.open = async (path) => {
    watched.opening = true;
    await page.goto(url + path);
    watched.opening = false;
  };
  await watched.open("/");
  return watched;
}

/** What the driver puts into each page: its evaluator, and the word that keeps workers out. */
const DRIVER = /^\s*\(\(utilityScript, \.\.\.args\) => utilityScript\.evaluate\(\.\.\.args\)\)|^\s*\(\(\) => \{\s+(\(\(\) => \{\s+)?(const module = \{\};|if \(self\.ServiceWorkerContainer\))/;

/** Every program the browser compiles is a file of the bundle, the page's own starter, or the test's. */
async function watchScripts(session, url, found) {
  await session.send("Debugger.enable");
  await session.send("Debugger.setSkipAllPauses", { skip: true });
  session.on("Debugger.scriptParsed", async (script) => {
    const { scriptId, url: from, stackTrace, executionContextAuxData: world } = script;
    // The browser's driver works in a world of its own, too. What it evaluates has no address, and no caller with one.
    if (world?.isDefault === false) return;
    const ofPage = stackTrace?.callFrames.some((frame) => frame.url !== "" && frame.url !== NAME);
    if (from === "" && !ofPage && (stackTrace !== undefined || script.length === 0)) return;
    if (from === NAME || from === ACT || from.startsWith("__playwright") || from.startsWith("wasm://")) return;
    const name = from.startsWith(`${url}/`) ? new URL(from).pathname.slice(1) : null;
    if (name !== null && readBundle().files.includes(name) && /\.(js|wasm)$/.test(name)) return;
    const source = await session.send("Debugger.getScriptSource", { scriptId }).then((answer) => answer.scriptSource, () => "");
    if (readBundle().scripts.includes(source.trim()) || (from === "" && DRIVER.test(source))) return;
    found("script", `${from} ${source.slice(0, 200)}`);
  });
}
