// Stand-in for the WebSocket of OpenClaw's gateway: it holds approvals and resolves them as the real program does (2026.9.6),
// or cuts the connection when a decision has arrived.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

/** Starts one. `approvals` are those of `approval.get`, by id; `cut` ends the connection instead of a reply to a decision. */
export async function startApprovalGateway(approvals) {
  const gateway = { approvals, cut: false, decisions: [] };
  const server = createServer((_, response) => response.writeHead(404).end());
  const sockets = new Set();
  server.on("upgrade", (request, socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    const key = `${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    socket.write(frame({ type: "event", event: "connect.challenge", payload: { nonce: "n-1", ts: 7 } }));
    let bytes = Buffer.alloc(0);
    socket.on("data", (more) => {
      bytes = Buffer.concat([bytes, more]);
      for (let read = unframed(bytes); read; read = unframed(bytes)) {
        bytes = bytes.subarray(read.length);
        if (read.opcode === 8) return socket.end();
        if (read.opcode === 1) answer(JSON.parse(read.text), socket);
      }
    });
  });

  function answer({ id, method, params }, socket) {
    const approval = gateway.approvals[params.id];
    if (method === "approval.resolve") {
      gateway.decisions.push(params);
      const applied = approval.status === "pending";
      if (applied) Object.assign(approval, { status: params.decision === "deny" ? "denied" : "allowed", decision: params.decision });
      if (gateway.cut) return socket.destroy();
      return socket.write(frame({ type: "res", id, ok: true, payload: { applied, approval } }));
    }
    socket.write(frame({ type: "res", id, ok: true, payload: method === "connect" ? { type: "hello-ok", protocol: 4 } : { approval } }));
  }

  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  gateway.url = `http://127.0.0.1:${server.address().port}`;
  gateway.stop = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return gateway;
}

/** A text frame. */
function frame(value) {
  const text = Buffer.from(JSON.stringify(value));
  const head = text.length < 126 ? Buffer.from([0x81, text.length]) : Buffer.from([0x81, 126, text.length >> 8, text.length & 255]);
  return Buffer.concat([head, text]);
}

/** The first frame of a client, which masks its bytes; nothing while it is not whole. */
function unframed(bytes) {
  if (bytes.length < 2) return;
  const short = bytes[1] & 127;
  const begin = short === 126 ? 8 : 6;
  if (bytes.length < begin) return;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < begin + size) return;
  const mask = bytes.subarray(begin - 4, begin);
  const text = Buffer.from(bytes.subarray(begin, begin + size).map((byte, at) => byte ^ mask[at % 4])).toString("utf8");
  return { opcode: bytes[0] & 15, text, length: begin + size };
}
