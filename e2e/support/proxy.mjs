// TCP proxy with faults between page and monitor. It can refuse upgrades, buffer event streams, cut connections in
// mid-frame, or leave them half-open.
import { connect, createServer } from "node:net";

/** Starts a proxy to a local port. `kind`: "plain", "refuses" (upgrades) or "buffers" (refuses, and holds event streams). */
export async function startProxy(target, kind = "plain") {
  const connections = new Set();
  const proxy = {
    kind,
    /** Times of the first refused upgrade, and of the first answer to `events` and `poll`. */
    first: {},

    /** Ends each connection after this many more bytes to the page. */
    cut(bytes = 0) {
      for (const connection of connections) {
        connection.budget = bytes;
        if (bytes === 0) connection.end();
      }
    },

    /** Drops all bytes of the open connections and leaves them open. */
    halfOpen() {
      for (const connection of connections) connection.dead = true;
    },

    async stop() {
      for (const connection of connections) connection.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    const connection = {
      budget: Infinity,
      dead: false,
      holds: false,
      asked: null,
      end() {
        near.destroy();
        far.destroy();
        connections.delete(connection);
      },
    };
    connections.add(connection);
    for (const side of [near, far]) {
      side.on("error", () => !connection.dead && connection.end());
      side.on("close", () => !connection.dead && connection.end());
    }
    near.on("data", (bytes) => {
      if (connection.dead) return;
      const head = bytes.toString("latin1", 0, 4096);
      if (proxy.kind !== "plain" && /^GET [^\r]*\r\n/.test(head) && /\r\nupgrade: *websocket/i.test(head)) {
        proxy.first.refused ??= Date.now();
        near.end("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        return;
      }
      connection.asked = /^GET [^ ]*\/live\/(events|poll)/.exec(head)?.[1] ?? null;
      if (connection.asked === "events" && proxy.kind === "buffers") connection.holds = true;
      far.write(bytes);
    });
    far.on("data", (bytes) => {
      if (connection.dead || connection.holds) return;
      if (connection.asked) proxy.first[connection.asked] ??= Date.now();
      const part = bytes.subarray(0, connection.budget);
      connection.budget -= part.length;
      near.write(part);
      if (connection.budget <= 0) near.end(() => connection.end());
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  proxy.port = server.address().port;
  proxy.url = `http://127.0.0.1:${proxy.port}`;
  return proxy;
}
