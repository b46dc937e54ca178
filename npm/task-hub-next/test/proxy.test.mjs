// Tests of `createProxy` against an HTTP server in place of the monitor: refusals, headers, bodies, identity, streams.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";

import { createProxy } from "../proxy.js";

const TOKEN = "test-write-token-0123456789";
const EVENT = "data: one\n\n";
let monitor;
let url;
/** Requests that the monitor received. */
let received;

before(async () => {
  monitor = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    received.push({ method: request.method, url: request.url, headers: request.headers, rawHeaders: request.rawHeaders, body });
    if (request.url === "/api/live") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(EVENT);
      return;
    }
    if (request.url === "/api/moved") return response.writeHead(302, { location: "http://example.org/" }).end();
    const headers = { "content-type": "application/json", etag: '"1"', "set-cookie": "a=b", "x-request-id": "r1", "retry-after": "7" };
    response.writeHead(request.url === "/api/picture" ? 200 : 203, {
      ...headers,
      ...(request.url === "/api/picture" ? { "content-security-policy": "default-src 'none'; sandbox" } : {}),
    });
    response.end("{}");
  });
  await new Promise((resolve) => monitor.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${monitor.address().port}`;
});
beforeEach(() => (received = []));
after(() => {
  monitor.closeAllConnections();
  monitor.close();
});

/** Sends a request through a proxy, as Next.js calls its handlers. */
async function send(path, { method = "GET", headers = {}, body, signal, ...options } = {}) {
  const handlers = createProxy({ monitor: url, token: TOKEN, hosts: ["hub.example.org"], ...options });
  const init = { method, headers: { host: "hub.example.org", ...headers }, body, signal, ...(body ? { duplex: "half" } : {}) };
  const request = new Request(`http://hub.example.org/api/proxy/${path}`, init);
  const parts = path.replace(/\?.*/, "").split("/").map(decodeURIComponent);
  return handlers[method === "HEAD" ? "GET" : method](request, { params: Promise.resolve({ path: parts }) });
}

async function assertRefused(answer, status, code) {
  assert.equal(answer.status, status);
  const body = await answer.json();
  assert.equal(body.code, code);
  assert.equal(typeof body.error, "string");
  assert.equal(answer.headers.get("cache-control"), "no-store, no-transform");
  assert.deepEqual(received, [], "the monitor receives nothing");
}

test("read_is_forwarded_with_chosen_headers_only", async () => {
  const headers = { accept: "application/json", "if-none-match": '"0"', "last-event-id": "5", cookie: "session=1", authorization: "Basic x", "x-forwarded-for": "10.0.0.1" };
  const answer = await send("v2/sessions/%EB%B0%B0%ED%8F%AC%2F%EB%B0%A9%20%231%3F?a=1&b=%20", { headers });
  const [request] = received;
  assert.equal(request.url, "/api/v2/sessions/%EB%B0%B0%ED%8F%AC%2F%EB%B0%A9%20%231%3F?a=1&b=%20");
  assert.deepEqual(
    ["accept", "if-none-match", "last-event-id", "cookie", "authorization", "x-forwarded-for", "x-task-monitor-token", "via"].map((name) => request.headers[name]),
    ["application/json", '"0"', "5", undefined, undefined, undefined, undefined, "1.1 task-hub-next"],
  );
  assert.equal(answer.status, 203);
  assert.deepEqual(Object.fromEntries(answer.headers), {
    "cache-control": "no-store, no-transform",
    "content-security-policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
    "content-type": "application/json",
    "cross-origin-resource-policy": "same-origin",
    etag: '"1"',
    "referrer-policy": "no-referrer",
    "retry-after": "7",
    "x-content-type-options": "nosniff",
    "x-request-id": "r1",
  });
});

test("policy_of_the_monitor_is_passed_on", async () => {
  assert.equal((await send("picture")).headers.get("content-security-policy"), "default-src 'none'; sandbox");
});

test("token_goes_with_writes_only_and_never_back", async () => {
  for (const method of ["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE"]) {
    const body = method === "GET" || method === "HEAD" ? undefined : '{"a":1}';
    const answer = await send("v2/x", { method, body, headers: { "x-task-monitor-token": "forged", "content-type": "application/json" } });
    const request = received.pop();
    assert.equal(request.method, method);
    assert.equal(request.body, body ?? "");
    assert.equal(request.headers["x-task-monitor-token"], body && TOKEN, method);
    assert.ok(!JSON.stringify([...answer.headers]).includes(TOKEN) && !(await answer.text()).includes(TOKEN));
  }
  await send("v2/x", { method: "DELETE", token: "" });
  assert.equal(received.pop().headers["x-task-monitor-token"], undefined);
});

test("foreign_host_is_refused", async () => {
  for (const host of ["evil.example", "hub.example.org.evil.example", ""]) {
    await assertRefused(await send("v2/home", { headers: { host } }), 421, "misdirected_host");
  }
  assert.equal((await send("v2/home", { headers: { host: "HUB.example.org:8443" } })).status, 203);
  assert.equal((await send("v2/home", { headers: { host: "[::1]:3000" }, hosts: "a.example, [::1]" })).status, 203);
});

test("requests_of_other_sites_are_refused", async () => {
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "https://hub.example.org:444" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ]) {
    for (const method of ["GET", "PATCH"]) {
      await assertRefused(await send("v2/home", { method, headers }), 403, "forbidden_origin");
    }
  }
  for (const headers of [{ origin: "https://hub.example.org", "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, {}]) {
    assert.equal((await send("v2/home", { method: "PATCH", headers })).status, 203);
  }
});

test("large_body_is_refused_whatever_its_stated_length", async () => {
  const body = () => new ReadableStream({ start: (out) => (out.enqueue(new Uint8Array(40_000)), out.enqueue(new Uint8Array(40_000)), out.close()) });
  await assertRefused(await send("v2/x", { method: "POST", body: body(), headers: { "content-length": "3" } }), 413, "too_large");
  assert.equal((await send("v2/x", { method: "POST", body: "x".repeat(64 * 1024) })).status, 203);
});

test("dot_segments_do_not_leave_the_api", async () => {
  const handlers = createProxy({ monitor: url, hosts: ["h"] });
  for (const part of [".", ".."]) {
    const request = new Request("http://h/api/proxy/x", { headers: { host: "h" } });
    await assertRefused(await handlers.GET(request, { params: { path: [part, "metrics"] } }), 404, "not_found");
  }
});

test("user_is_named_to_the_monitor", async () => {
  const utf8 = (name) => {
    const at = received[0].rawHeaders.findIndex((header) => header.toLowerCase() === name);
    return at < 0 ? undefined : Buffer.from(received[0].rawHeaders[at + 1], "latin1").toString("utf8");
  };
  const forged = { "x-forwarded-user": "admin", "x-forwarded-groups": "ops" };
  for (const [user, name, groups] of [
    [() => "eden", "eden", undefined],
    [async (request) => request.headers.get("x-session"), "s1", undefined],
    [() => ({ name: "eden", groups: null }), "eden", undefined],
    [() => ({ name: "김하늘", groups: ["배포", "ops"] }), "김하늘", "배포,ops"],
    [undefined, undefined, undefined],
  ]) {
    received = [];
    assert.equal((await send("v2/home", { user, headers: { ...forged, "x-session": "s1" } })).status, 203);
    assert.deepEqual([utf8("x-forwarded-user"), utf8("x-forwarded-groups")], [name, groups]);
  }
  received = [];
  await send("v2/home", { user: () => ({ name: "eden", groups: ["a"] }), identityHeader: "Remote-User", groupsHeader: "Remote-Groups", headers: forged });
  assert.deepEqual(["remote-user", "remote-groups", "x-forwarded-user"].map(utf8), ["eden", "a", undefined]);
});

test("request_without_user_is_refused", async () => {
  for (const user of [() => undefined, async () => null, () => "", () => ({ name: "" }), () => ({})]) {
    await assertRefused(await send("v2/home", { user }), 401, "unauthorized");
  }
  await assert.rejects(send("v2/home", { user: () => Promise.reject(new Error("no session store")) }), /no session store/);
  assert.deepEqual(received, []);
});

test("names_that_would_break_a_header_are_refused", async () => {
  for (const user of [
    "eden\r\nx-task-monitor-token: x",
    "eden\u0000",
    "eden\u0085",
    " \t",
    "x".repeat(201),
    5,
    { name: "eden", groups: "ops" },
    { name: "eden", groups: ["a,ops"] },
    { name: "eden", groups: ["a\nb"] },
    { name: "eden", groups: [""] },
    { name: "eden", groups: Array(200).fill("x".repeat(200)) },
  ]) {
    const given = typeof user === "object" || typeof user === "string" ? user : { name: user };
    await assertRefused(await send("v2/home", { user: () => given }), 403, "forbidden");
  }
});

test("unreachable_monitor_is_a_bad_gateway", async () => {
  const closed = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => closed.on("listening", resolve));
  const { port } = closed.address();
  await new Promise((resolve) => closed.close(resolve));
  await assertRefused(await send("v2/home", { monitor: `http://127.0.0.1:${port}` }), 502, "source_unavailable");
});

test("event_stream_is_passed_on_as_it_comes", async () => {
  const abort = new AbortController();
  const answer = await send("live", { signal: abort.signal });
  assert.equal(answer.headers.get("content-type"), "text/event-stream");
  // The monitor does not end this answer.
  const { value } = await answer.body.getReader().read();
  assert.equal(new TextDecoder().decode(value), EVENT);
  abort.abort();
});

test("redirect_is_not_followed", async () => {
  const answer = await send("moved");
  assert.deepEqual([answer.status, answer.headers.get("location")], [302, null]);
});

test("monitor_may_be_below_a_path", async () => {
  for (const base of [`${url}/hub`, `${url}/hub/`]) {
    received = [];
    await send("v2/home", { monitor: base });
    assert.equal(received[0].url, "/hub/api/v2/home");
  }
});

test("settings_come_from_the_environment", async () => {
  const env = { TASK_MONITOR_URL: url, TASK_MONITOR_WRITE_TOKEN: "from-the-environment-01", TASK_HUB_HOST_NAMES: "a.example,b.example" };
  const old = { ...process.env };
  Object.assign(process.env, env);
  try {
    const request = new Request("http://b.example/api/proxy/v2/x", { method: "PUT", headers: { host: "b.example" }, body: "{}" });
    await createProxy().PUT(request, { params: { path: ["v2", "x"] } });
  } finally {
    for (const name of Object.keys(env)) {
      if (old[name] === undefined) delete process.env[name];
      else process.env[name] = old[name];
    }
  }
  assert.equal(received[0].headers["x-task-monitor-token"], env.TASK_MONITOR_WRITE_TOKEN);
});

test("wrong_options_are_refused", () => {
  for (const options of [{ monitor: "monitor" }, { monitor: "file:///x" }, { identityHeader: "X User" }, { identityHeader: "Accept" }, { groupsHeader: "X-Task-Monitor-Token" }]) {
    assert.throws(() => createProxy(options), /^Error: task-hub-next: /, JSON.stringify(options));
  }
});
