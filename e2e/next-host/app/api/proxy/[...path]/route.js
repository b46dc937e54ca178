// Forwards /api/proxy/* to the monitor's /api/*. Only the host knows the write token; the browser never sees it.
export const dynamic = "force-dynamic";

const MONITOR = process.env.TASK_MONITOR_URL ?? "http://127.0.0.1:3847";
const TOKEN = process.env.TASK_MONITOR_WRITE_TOKEN ?? "";

async function forward(request, { params }) {
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

  let answer;
  try {
    answer = await fetch(target, {
      method: request.method,
      headers,
      body: writes ? await request.arrayBuffer() : undefined,
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
  return new Response(answer.body, { status: answer.status, headers: passed });
}

export { forward as GET, forward as PATCH, forward as DELETE };
