// Fake OpenClaw gateway. It replays captured responses to `POST /tools/invoke` (`fixtures/openclaw-*/captures`), can
// drop connections, and records the requests.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";

const fixtures = path.join(import.meta.dirname, "../../fixtures");

/** Answers that nobody captured, by the contract's table. */
const OTHERS = {
  "rate-limited": { status: 429, headers: ["Retry-After: 7"], response: { error: { message: "Too many requests", type: "rate_limited" } } },
  "tool-forbidden": { status: 403, headers: [], response: { ok: false, error: { type: "tool_error", message: "forbidden for this caller" } } },
  "tool-failed": { status: 500, headers: [], response: { ok: false, error: { type: "tool_error", message: "tool execution failed" } } },
  "moved": { status: 307, headers: ["Location: http://127.0.0.1:1/"], response: "" },
};

/** A captured answer of a version, `2026.2` or `2026.9`. */
export async function captured(version, name) {
  if (OTHERS[name]) return OTHERS[name];
  return JSON.parse(await readFile(path.join(fixtures, `openclaw-${version}/captures/http-${name}.json`), "utf8"));
}

/**
 * Starts one. `gateway.part` says what comes next: a captured answer `{status, headers, response}`, "cut" (the request
 * is read and the link ends), "shut" (the link ends before), "hold" (the answer waits for `gateway.release()`), or a
 * function of the request's body that gives an answer.
 */
export async function startGateway(token) {
  const held = [];
  const gateway = {
    token,
    part: await captured("2026.9", "send-ok"),
    /** Bodies, in the order in which they came. */
    heard: [],
    /** Answers what was held. */
    release(answer) {
      for (const give of held.splice(0)) give(answer);
    },
    async stop() {
      gateway.release(OTHERS["tool-failed"]);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer(async (request, response) => {
    if (gateway.part === "shut") return request.socket.destroy();
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const body = JSON.parse(Buffer.concat(pieces).toString("utf8") || "null");
    gateway.heard.push({ path: `${request.method} ${request.url}`, headers: request.headers, body });
    const give = ({ status, headers, response: said }) => {
      for (const line of headers) response.appendHeader(line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim());
      response.writeHead(status).end(typeof said === "string" ? said : JSON.stringify(said));
    };
    if (request.headers.authorization !== `Bearer ${token}`) return give(await captured("2026.9", "no-auth"));
    if (gateway.part === "cut") return request.socket.destroy();
    if (gateway.part === "hold") return held.push(give);
    give(typeof gateway.part === "function" ? await gateway.part(body) : gateway.part);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  gateway.url = `http://127.0.0.1:${server.address().port}`;
  return gateway;
}
