// Proxy route of the Next.js test app: requests to /api/proxy/* are sent to the monitor's /api/*. The app adds the
// write token to requests that change data; the browser never sees it.
export const dynamic = "force-dynamic";

const MONITOR = process.env.TASK_MONITOR_URL ?? "http://127.0.0.1:3847";
const TOKEN = process.env.TASK_MONITOR_WRITE_TOKEN ?? "";

// The names this host is reached by. Any other name may be a foreign page's own, made to lead here (DNS rebinding).
const NAMES = (process.env.TASK_HUB_HOST_NAMES ?? "localhost,127.0.0.1,[::1]").split(",").map((name) => name.trim().toLowerCase());

// The largest body any route of the monitor takes. Counted as it comes: what a request says of itself may be wrong.
const LARGEST = 64 * 1024;

async function bodyOf(request) {
  const pieces = [];
  let size = 0;
  for await (const piece of request.body ?? []) {
    size += piece.byteLength;
    if (size > LARGEST) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Why this request is not passed on, if it is not: the host writes in its users' names, so it must know its own page. */
function refusal(request) {
  const host = request.headers.get("host") ?? "";
  if (!NAMES.includes(host.replace(/:\d+$/, "").toLowerCase())) return [421, "misdirected_host", "this host name is not answered here"];
  const site = request.headers.get("sec-fetch-site");
  const origin = request.headers.get("origin");
  const foreign = origin !== null && origin.replace(/^https?:\/\//, "") !== host;
  // Who names neither is no page: a browser names the origin of each write.
  if (foreign || (site !== null && site !== "same-origin" && site !== "none")) {
    return [403, "forbidden_origin", "only this host's own pages may ask"];
  }
  return null;
}

async function forward(request, { params }) {
  const refused = refusal(request);
  if (refused) {
    const [status, code, error] = refused;
    return Response.json({ error, code }, { status, headers: { "cache-control": "no-store" } });
  }
  const { path } = await params;
  const target = new URL(`/api/${path.map(encodeURIComponent).join("/")}`, MONITOR);
  target.search = new URL(request.url).search;

  const headers = new Headers();
  for (const name of ["accept", "content-type", "if-none-match", "last-event-id"]) {
    const value = request.headers.get(name);
    if (value) headers.set(name, value);
  }
  const writes = request.method !== "GET" && request.method !== "HEAD";
  if (writes && TOKEN) headers.set("x-task-monitor-token", TOKEN);

  const body = writes ? await bodyOf(request) : undefined;
  if (body === null) return Response.json({ error: "the body is larger than any route takes", code: "too_large" }, { status: 413 });

  let answer;
  try {
    answer = await fetch(target, {
      method: request.method,
      headers,
      body,
      cache: "no-store",
      redirect: "manual",
      signal: request.signal,
    });
  } catch {
    return Response.json({ error: "the monitor cannot be reached", code: "source_unavailable" }, { status: 502 });
  }

  const passed = new Headers();
  for (const name of ["content-type", "etag", "x-request-id"]) {
    const value = answer.headers.get(name);
    if (value) passed.set(name, value);
  }
  // `no-transform` keeps Next.js from compressing, and so from holding back, an event stream.
  passed.set("cache-control", "no-store, no-transform");
  passed.set("x-content-type-options", "nosniff");
  return new Response(answer.body, { status: answer.status, headers: passed });
}

export { forward as GET, forward as POST, forward as PATCH, forward as PUT, forward as DELETE };
