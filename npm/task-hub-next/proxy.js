// Route handlers that forward the dashboard's requests to the monitor: `/api/proxy/*` of the app to the monitor's
// `/api/*`. They add the write token to requests that change data; the browser never sees it.
//
// The proxy writes in the name of its users. It therefore accepts requests only under its own host names and only from
// its own pages. No WebSocket passes a route handler; the dashboard then uses server-sent events.

/** No route of the dashboard takes a larger body. The bytes are counted: a request can state a wrong length. */
const MAX_BODY_BYTES = 64 * 1024;
/** Limits of the monitor; it ignores longer names and headers. */
const MAX_NAME_CHARS = 200;
const MAX_IDENTITY_HEADER_BYTES = 16 * 1024;

const REQUEST_HEADERS = ["accept", "content-type", "if-none-match", "last-event-id"];
const RESPONSE_HEADERS = ["content-type", "etag", "retry-after", "x-request-id"];
const TOKEN_HEADER = "x-task-monitor-token";
/** For monitors that send no policy: an answer opened as a page runs nothing. */
const ANSWER_POLICY = "default-src 'none'; sandbox; frame-ancestors 'none'";

/** An answer of the proxy itself, in the form of the monitor's errors. */
class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }

  response() {
    return Response.json({ error: this.message, code: this.code }, { status: this.status, headers: ownHeaders() });
  }
}

export function createProxy(options = {}) {
  const settings = checkedOptions(options);
  const handler = async (request, context) => {
    try {
      return await forward(settings, request, context);
    } catch (error) {
      if (error instanceof Refusal) return error.response();
      throw error;
    }
  };
  return { GET: handler, POST: handler, PATCH: handler, PUT: handler, DELETE: handler };
}

function checkedOptions(options) {
  const monitor = options.monitor ?? process.env.TASK_MONITOR_URL ?? "http://127.0.0.1:3847";
  if (!/^https?:$/.test(URL.canParse(monitor) ? new URL(monitor).protocol : "")) {
    throw new Error("task-hub-next: monitor (or TASK_MONITOR_URL) must be an address such as http://127.0.0.1:3847");
  }
  const hosts = options.hosts ?? process.env.TASK_HUB_HOST_NAMES ?? "localhost,127.0.0.1,[::1]";
  const identityHeader = options.identityHeader ?? "X-Forwarded-User";
  const groupsHeader = options.groupsHeader ?? "X-Forwarded-Groups";
  const reserved = [...REQUEST_HEADERS, TOKEN_HEADER, "via"];
  for (const name of [identityHeader, groupsHeader]) {
    if (!/^[\w-]+$/.test(name) || reserved.includes(name.toLowerCase())) {
      throw new Error(`task-hub-next: ${JSON.stringify(name)} cannot be the header of a user or of groups`);
    }
  }
  if (identityHeader.toLowerCase() === groupsHeader.toLowerCase()) {
    throw new Error("task-hub-next: identityHeader and groupsHeader must be two headers");
  }
  return {
    monitor: monitor.endsWith("/") ? monitor : `${monitor}/`,
    token: (options.token ?? process.env.TASK_MONITOR_WRITE_TOKEN ?? "").trim(),
    hosts: (typeof hosts === "string" ? hosts.split(",") : hosts).map((name) => name.trim().toLowerCase()).filter(Boolean),
    user: options.user,
    identityHeader,
    groupsHeader,
  };
}

async function forward(settings, request, { params }) {
  refuseForeign(settings, request);
  const headers = new Headers();
  for (const name of REQUEST_HEADERS) {
    const value = request.headers.get(name);
    if (value) headers.set(name, value);
  }
  // With it the monitor does not take the request for one of a program on this machine, which rights do not limit.
  headers.set("via", "1.1 task-hub-next");
  if (settings.user) setIdentity(settings, headers, await settings.user(request));

  const writes = request.method !== "GET" && request.method !== "HEAD";
  if (writes && settings.token) headers.set(TOKEN_HEADER, settings.token);
  const target = targetOf(settings, request, (await params).path ?? []);
  const body = writes ? await bodyOf(request) : undefined;

  let answer;
  try {
    const { method, signal } = request;
    answer = await fetch(target, { method, headers, body, signal, cache: "no-store", redirect: "manual" });
  } catch {
    throw new Refusal(502, "source_unavailable", "The monitor cannot be reached");
  }
  const passed = ownHeaders(answer.headers.get("content-security-policy") ?? ANSWER_POLICY);
  for (const name of RESPONSE_HEADERS) {
    const value = answer.headers.get(name);
    if (value) passed.set(name, value);
  }
  return new Response(answer.body, { status: answer.status, headers: passed });
}

/** Refuses other host names, to which a foreign page may lead its own name (DNS rebinding), and pages of other sites. */
function refuseForeign(settings, request) {
  const host = request.headers.get("host") ?? "";
  if (!settings.hosts.includes(host.replace(/:\d+$/, "").toLowerCase())) {
    throw new Refusal(421, "misdirected_host", "This host name is not answered here; TASK_HUB_HOST_NAMES lists those that are");
  }
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const foreignOrigin = origin !== null && origin.replace(/^https?:\/\//, "") !== host;
  // A request without both headers comes from a program: a browser sends the origin with each write.
  if (foreignOrigin || (site !== null && site !== "same-origin" && site !== "none")) {
    throw new Refusal(403, "forbidden_origin", "Only pages of this host may send requests here");
  }
}

/** Names the signed-in user to the monitor, which writes the name into its audit log. */
function setIdentity({ identityHeader, groupsHeader }, headers, user) {
  const { name, groups: given } = typeof user === "string" ? { name: user } : (user ?? {});
  const groups = given ?? [];
  if (!name) throw new Refusal(401, "unauthorized", "Nobody is signed in");
  const isName = (text) =>
    typeof text === "string" && text.trim() !== "" && [...text].length <= MAX_NAME_CHARS && !/\p{Cc}/u.test(text);
  // A comma would make two groups of one.
  if (!isName(name) || !Array.isArray(groups) || !groups.every((group) => isName(group) && !group.includes(","))) {
    throw new Refusal(403, "forbidden", "The name of the signed-in user or of a group cannot be passed on");
  }
  headers.set(identityHeader, headerValue(name));
  if (groups.length > 0) headers.set(groupsHeader, headerValue(groups.join(",")));
}

/** The UTF-8 bytes of a text, as `Headers` takes them: one character for each byte. */
function headerValue(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_IDENTITY_HEADER_BYTES) throw new Refusal(403, "forbidden", "The user has too many groups to be passed on");
  return String.fromCharCode(...bytes);
}

function targetOf(settings, request, parts) {
  // `URL` would resolve these, and so leave the API.
  if (parts.some((part) => part === "." || part === "..")) throw new Refusal(404, "not_found", "There is no such route");
  const target = new URL(`api/${parts.map(encodeURIComponent).join("/")}`, settings.monitor);
  target.search = new URL(request.url).search;
  return target;
}

async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.byteLength;
    if (size > MAX_BODY_BYTES) throw new Refusal(413, "too_large", "The body is larger than any route takes");
    pieces.push(piece);
  }
  return new Blob(pieces);
}

/** Headers of every answer. `no-transform` stops Next.js from compressing an event stream, which would delay its events. */
function ownHeaders(policy = ANSWER_POLICY) {
  return new Headers({
    "cache-control": "no-store, no-transform",
    "content-security-policy": policy,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
  });
}
