// A TCP proxy of our own between page and server: it can refuse upgrades, hold event streams back, cut every wire in
// the middle of a frame, and leave wires half-open. It notes when what was asked for first came.
import { connect, createServer } from "node:net";

/** Starts a proxy to a port of this machine. `kind`: "plain", "refuses" (upgrades) or "buffers" (event streams, too). */
export async function startProxy(target, kind = "plain") {
  const wires = new Set();
  const proxy = {
    kind,
    /** When what first happened, by its name: refused, events, poll. */
    first: {},

    /** So many more bytes pass towards the page, then each wire ends. */
    cut(bytes = 0) {
      for (const wire of wires) {
        wire.budget = bytes;
        if (bytes === 0) wire.end();
      }
    },

    /** Nothing passes any more over the wires that stand, and nobody is told. */
    halfOpen() {
      for (const wire of wires) wire.dead = true;
    },

    async stop() {
      for (const wire of wires) wire.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const wire = {
      budget: Infinity,
      dead: false,
      holds: false,
      asked: null,
      end() {
        near.destroy();
        far.destroy();
        wires.delete(wire);
      },
    };
    wires.add(wire);
    for (const side of [near, far]) {
      side.on("error", () => !wire.dead && wire.end());
      side.on("close", () => !wire.dead && wire.end());
    }
    near.on("data", (bytes) => {
      if (wire.dead) return;
      const head = bytes.toString("latin1", 0, 4096);
      if (proxy.kind !== "plain" && /^GET [^\r]*\r\n/.test(head) && /\r\nupgrade: *websocket/i.test(head)) {
        proxy.first.refused ??= Date.now();
        near.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
      }
      wire.asked = /^GET [^ ]*\/live\/(events|poll)/.exec(head)?.[1] ?? null;
      if (wire.asked === "events" && proxy.kind === "buffers") wire.holds = true;
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (wire.dead || wire.holds) return;
      if (wire.asked) proxy.first[wire.asked] ??= Date.now();
      const part = bytes.subarray(0, wire.budget);
      wire.budget -= part.length;
      near.write(part);
      if (wire.budget <= 0) near.end(() => wire.end());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.port = server.address().port;
  proxy.url = `http://127.0.0.1:${proxy.port}`;
  return proxy;
}
