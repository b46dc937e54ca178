// Static host of a bundle, without a monitor: files of a folder, and 404 for all else, the API too.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import path from "node:path";

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves a folder on a free port of this machine. */
export async function startSite(folder) {
  const server = createServer(async (request, response) => {
    // The parser of addresses has resolved `..` by then.
    const { pathname } = new URL(request.url, "http://site");
    const file = path.join(folder, pathname.endsWith("/") ? `${pathname}index.html` : pathname);
    const bytes = await readFile(file).catch(() => null);
    if (bytes === null) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
