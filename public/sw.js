// Service worker that opens the dashboard when its server cannot be reached. It caches the last loaded page and the
// files of that page: scripts, wasm and styles with a content hash in their names, fonts and icons. It never caches API
// responses.
const PAGE = "task-hub-page";
const FILES = "task-hub-files";
const PUSH = "task-hub-push";
const scope = new URL("./", self.location).href;
const named = /-([0-9a-f]{16})(_bg)?\.(js|wasm|css)$/;
const isPart = (url) => url.startsWith(scope) && (named.test(url) || url.startsWith(`${scope}fonts/`) || url.startsWith(`${scope}icons/`) || url === `${scope}files-worker.js`);

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(scope)) return;
  if (request.mode === "navigate") event.respondWith(page(request));
  else if (isPart(request.url)) event.respondWith(part(request));
});

// The page tells which files it was made of: those that came before this worker did, and none of an earlier build; and how
// its push subscription was registered.
self.addEventListener("message", (event) => {
  const files = (event.data?.files ?? []).filter(isPart);
  if (files.length > 0) event.waitUntil(keepOnly(files));
  if (event.data?.push !== undefined) event.waitUntil(storePush(event.data.push));
});

// A message of the monitor, also while no page is open. Browsers want each to be shown.
self.addEventListener("push", (event) => event.waitUntil(showMessage(event.data)));

async function showMessage(data) {
  const { title = "Task-Hub", body = "", tag = "many", path = "", over = false } = read(data);
  const icon = `${scope}icons/mark-192.png`;
  // One with the same tag takes the place of an older one: what was settled is silent.
  await self.registration.showNotification(title, { body, tag, icon, data: path, silent: over, renotify: !over });
  const shown = await self.registration.getNotifications();
  await navigator.setAppBadge?.(shown.filter((notification) => !notification.silent).length).catch(() => undefined);
}

async function storePush(push) {
  if (push) await (await caches.open(PUSH)).put(scope, new Response(JSON.stringify(push)));
  else await caches.delete(PUSH);
}

// A push service may replace the subscription while no page is open: the monitor gets the new one. It forgets the old one
// when the push service no longer knows it.
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewPush(event.newSubscription)));

async function renewPush(renewed) {
  const known = await (await (await caches.open(PUSH)).match(scope))?.json();
  if (!known) return;
  const { pushManager } = self.registration;
  const options = { userVisibleOnly: true, applicationServerKey: known.key };
  const { endpoint, keys } = (renewed ?? (await pushManager.subscribe(options))).toJSON();
  const body = JSON.stringify({ ...JSON.parse(known.body), endpoint, keys });
  await fetch(known.url, { method: "POST", headers: { "content-type": "application/json" }, body });
}

function read(data) {
  try {
    return data?.json() ?? {};
  } catch {
    return {};
  }
}

// A notification leads to what it is about: in a tab that is open, without loading it again.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPath(event.notification.data));
});

async function openPath(path) {
  const address = new URL(path, scope);
  if (!address.href.startsWith(scope)) return;
  const [tab] = await self.clients.matchAll({ type: "window" });
  const shown = await tab?.focus().catch(() => undefined);
  if (!shown) return void (await self.clients.openWindow(address.href));
  if (await opens(shown, address)) return;
  await shown.navigate(address.href).catch(() => self.clients.openWindow(address.href));
}

// A page that has not started, or has crashed, gives no answer.
function opens(tab, address) {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => resolve(true);
    setTimeout(() => resolve(false), 1_000);
    tab.postMessage({ open: address.pathname + address.search }, [port2]);
  });
}

async function page(request) {
  const kept = await caches.open(PAGE);
  const last = () => kept.match(scope, { ignoreVary: true });
  try {
    const answer = await fetch(request);
    if (isPage(answer)) await kept.put(scope, answer.clone());
    // A proxy whose monitor is away says so itself; the page can say it better.
    return answer.status < 502 || answer.status > 504 ? answer : ((await last()) ?? answer);
  } catch (error) {
    const page = await last();
    if (page) return page;
    throw error;
  }
}

function isPage(answer) {
  return answer.ok && !answer.redirected && (answer.headers.get("content-type") ?? "").includes("text/html");
}

async function part(request) {
  const files = await caches.open(FILES);
  const known = await files.match(request.url);
  if (known && (await isWhole(request.url, known))) return known;
  const answer = await fetch(request);
  if (answer.ok) await files.put(request.url, answer.clone());
  return answer;
}

// A name tells its content. The page refuses what is not what was built, so a kept file that was damaged would be
// refused each time anew.
async function isWhole(url, answer) {
  const hash = url.match(named)?.[1];
  if (!hash) return true;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await answer.clone().arrayBuffer()));
  return hash === Array.from(digest.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function keepOnly(wanted) {
  const files = await caches.open(FILES);
  const known = new Set((await files.keys()).map((request) => request.url));
  await Promise.all(wanted.filter((url) => !known.has(url)).map((url) => files.add(url).catch(() => undefined)));
  const kept = await caches.open(PAGE);
  // Asked for as a person would: the monitor tells programs about its API here.
  const answer = await fetch(scope, { headers: { accept: "text/html" } }).catch(() => undefined);
  if (answer && isPage(answer)) await kept.put(scope, answer);
  const old = [...known].filter((url) => !wanted.includes(url));
  await Promise.all(old.map((url) => files.delete(url)));
}
