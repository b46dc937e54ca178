// Attack suite of a hostile web page: its server, and every request that a browser can send from it. An open server
// without protection is the control: the same attacks succeed there.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

/** Serves one empty page under any host name. */
export async function startAttacker() {
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end("<!doctype html><title>attack</title><body>");
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: server.address().port, stop: () => stop(server, new Set()) };
}

/** Answers everybody everything, says `secret` in all of it, and notes every change asked for. */
export async function startOpenServer(secret) {
  const changes = new Set();
  const sockets = new Set();
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://open");
    const origin = request.headers.origin ?? "*";
    response.setHeader("access-control-allow-origin", origin);
    if (origin !== "*") response.setHeader("access-control-allow-credentials", "true");
    response.setHeader("access-control-allow-methods", "GET, POST, PATCH, PUT, DELETE");
    response.setHeader("access-control-allow-headers", "content-type, x-task-monitor-token, x-http-method-override");
    response.setHeader("access-control-allow-private-network", "true");
    const attack = url.searchParams.get("attack");
    if (request.method !== "GET" && request.method !== "OPTIONS" && attack) changes.add(attack);
    const kind = {
      "/icons/mark-180.png": "image/svg+xml",
      "/api/v2/live/events": "text/event-stream",
      "/sw.js": "text/javascript",
    };
    const script = /^(script|import)/.test(attack ?? "") || url.pathname === "/sw.js";
    const style = attack?.startsWith("style");
    response.setHeader("content-type", script ? "text/javascript" : style ? "text/css" : (kind[url.pathname] ?? "text/html"));
    if (response.getHeader("content-type") === "image/svg+xml") {
      return response.end('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    }
    if (response.getHeader("content-type") === "text/event-stream") return response.write(`data: ${secret}\n\n`);
    if (script) return response.end(`globalThis.leaked = ${JSON.stringify(secret)};`);
    if (style) return response.end("body { color: red }");
    const tell = `(window.opener ?? window.parent).postMessage(${JSON.stringify(secret)}, "*")`;
    response.end(`<!doctype html>${secret}<script>if (window.opener || window.parent !== window) ${tell}</script>`);
  });
  server.on("upgrade", (request, socket) => {
    sockets.add(socket);
    const key = request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    const accept = createHash("sha1").update(key).digest("base64");
    socket.write(`HTTP/1.1 101 Open\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
    const text = Buffer.from(secret);
    socket.write(Buffer.concat([Buffer.from([0x81, text.length]), text]));
    socket.on("error", () => {});
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { port: server.address().port, changes, stop: () => stop(server, sockets) };
}

function stop(server, sockets) {
  for (const socket of sockets) socket.destroy();
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

/**
 * Runs in the attacking page: everything it can try against `target`. The names of the tries that brought it the
 * secret, or anything else that is not for it. Names that begin with what is `expected` are waited for.
 */
export async function attack({ target, socket, session, secrets, expected }) {
  const won = new Set();
  const tries = [];
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  /** How long a try may take: on a busy machine all of them together take long, and each has an end of its own. */
  const within = 120_000;
  /** Looks at what has no end of its own, taken when all else is over. */
  const looks = [];
  const settled = 2500;
  const leaks = (text) => typeof text === "string" && secrets.some((secret) => text.includes(secret));
  const attempt = (name, work) => {
    const url = (path) => `${target}${path}${path.includes("?") ? "&" : "?"}attack=${encodeURIComponent(name)}`;
    const one = async () => {
      try {
        if (await work(url, name)) won.add(name);
      } catch {
        // It was refused.
      }
    };
    tries.push(Promise.race([one(), pause(within)]));
  };
  const told = (event) => leaks(event.data) && won.add("message of another window");
  window.addEventListener("message", told);

  const of = encodeURIComponent(session);
  const changes = [
    `/api/work-sessions/${of}/category`,
    `/api/v2/sessions/${of}/category`,
    "/api/v2/categories",
    "/api/v2/classifier/config",
    "/api/v2/shared/evil",
  ];
  const reads = ["/api", "/api/work-sessions?limit=200", "/api/events?limit=500", "/api/v2/home", "/api/v2/sessions?limit=200"];
  reads.push("/api/v2/live/poll?wait=0", "/api/v2/health", "/");
  const item = { workSessionId: session, collabCategory: "legal_compliance" };
  const body = JSON.stringify({ ...item, updatedBy: "evil", items: [item], config: { words: [] }, content: { kind: "view", name: "evil", path: "/all" } });

  // Forms, which need nobody's leave: every way to write one down, and words that pretend to be another method.
  for (const enctype of ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain"]) {
    for (const path of changes) {
      attempt(`form ${enctype} ${path}`, async (url) => {
        const frame = document.createElement("iframe");
        frame.name = `f${Math.random()}`;
        document.body.append(frame);
        const form = document.createElement("form");
        Object.assign(form, { method: "post", enctype, action: url(path), target: frame.name });
        for (const [key, value] of [[body.slice(0, -1) + ',"x":"', '"}'], ["_method", "PATCH"], ["collabCategory", "legal_compliance"]]) {
          const field = document.createElement("input");
          Object.assign(field, { type: "hidden", name: key, value });
          form.append(field);
        }
        document.body.append(form);
        form.submit();
      });
    }
  }

  // Requests of scripts, in every mode, with and without the cookies of the reader.
  for (const path of changes) {
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      for (const mode of ["cors", "no-cors", "same-origin"]) {
        for (const kind of ["application/json", "text/plain;application/json", ""]) {
          attempt(`fetch ${mode} ${method} ${kind} ${path}`, async (url) => {
            const headers = kind ? { "content-type": kind } : {};
            const credentials = kind === "" ? "omit" : "include";
            const answer = await fetch(url(path), { method, mode, headers, credentials, body, keepalive: kind === "" });
            return leaks(await answer.text());
          });
        }
      }
      attempt(`xhr ${method} ${path}`, (url) => xhr(method, url(path), body));
    }
    attempt(`override ${path}`, async (url) => {
      const headers = { "x-http-method-override": "PATCH", "x-task-monitor-token": "guess", "content-type": "application/json" };
      return leaks(await (await fetch(url(path), { method: "POST", headers, body, credentials: "include" })).text());
    });
    for (const type of ["text/plain", "application/json", "application/x-www-form-urlencoded"]) {
      attempt(`beacon ${type} ${path}`, (url) => {
        navigator.sendBeacon(url(path), new Blob([body], { type }));
      });
    }
  }
  for (const path of reads) {
    for (const mode of ["cors", "no-cors", "same-origin"]) {
      for (const credentials of ["include", "omit"]) {
        attempt(`read ${mode} ${credentials} ${path}`, async (url) => {
          return leaks(await (await fetch(url(path), { mode, credentials })).text());
        });
      }
    }
    attempt(`read xhr ${path}`, (url) => xhr("GET", url(path)));
    attempt(`import ${path}`, (url) => import(url(path)).then(() => true));
  }
  function xhr(method, url, text) {
    return new Promise((resolve) => {
      const request = new XMLHttpRequest();
      request.open(method, url);
      request.withCredentials = true;
      request.setRequestHeader("content-type", "application/json");
      request.onload = () => resolve(leaks(request.responseText));
      request.onerror = () => resolve(false);
      request.send(text);
    });
  }

  // Streams.
  for (const path of ["/ws", "/api/v2/live"]) {
    attempt(`socket ${path}`, (url) => {
      return new Promise((resolve) => {
        const wire = new WebSocket(url(path).replace(target, socket));
        wire.onopen = () => resolve(true);
        wire.onmessage = () => resolve(true);
        wire.onerror = () => resolve(false);
      });
    });
  }
  for (const withCredentials of [true, false]) {
    attempt(`events ${withCredentials}`, (url) => {
      return new Promise((resolve) => {
        const source = new EventSource(url("/api/v2/live/events"), { withCredentials });
        // An open one would keep one of the six connections from the others.
        const over = (success) => () => (source.close(), resolve(success));
        Object.assign(source, { onopen: over(true), onmessage: over(true), onerror: over(false) });
      });
    });
  }

  // Elements that load what they are told to.
  const element = (tag, attributes) =>
    new Promise((resolve) => {
      const made = Object.assign(document.createElement(tag), attributes);
      made.onload = () => resolve(made);
      made.onerror = () => resolve(null);
      document.body.append(made);
    });
  attempt("image of a file", async (url) => element("img", { src: url("/icons/mark-180.png") }));
  for (const path of [...reads, "/sw.js"]) {
    attempt(`image ${path}`, async (url) => (await element("img", { src: url(path) })) !== null);
    attempt(`script ${path}`, async (url) => (await element("script", { src: url(path) })) !== null);
    attempt(`style ${path}`, async (url) => (await element("link", { rel: "stylesheet", href: url(path) })) !== null);
    for (const [tag, place] of [["iframe", "src"], ["object", "data"], ["embed", "src"]]) {
      attempt(`${tag} ${path}`, async (url, name) => {
        const made = Object.assign(document.createElement(tag), { [place]: url(path) });
        document.body.append(made);
        // Not every element tells when it has failed.
        looks.push([name, () => leaks(made.contentDocument?.documentElement?.innerText)]);
      });
    }
  }
  for (const path of ["/", "/api/v2/home", "/api/events?limit=500"]) {
    attempt(`window ${path}`, async (url, name) => {
      const other = window.open(url(path), "_blank");
      looks.push([name, () => leaks(other.document.documentElement.innerText)]);
    });
  }
  await Promise.all(tries);
  const look = () => {
    for (const [name, sees] of looks) {
      try {
        if (sees()) won.add(name);
      } catch {
        // What stands there is of another origin.
      }
    }
    if (leaks(globalThis.leaked)) won.add("script told a secret");
  };
  // Where successes are expected they are waited for; where none is there is nothing to wait for but the time.
  const end = Date.now() + within;
  do {
    await pause(settled);
    look();
  } while (Date.now() < end && !expected.every((kind) => [...won].some((name) => name.startsWith(kind))));
  return { tried: tries.length, won: [...won].sort() };
}
