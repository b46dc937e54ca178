// Start of an evidence page. It has no server: what the program loads lies in this file, and the address of a view is the
// part of the page's address behind "#".
(() => {
  const element = (id) => document.getElementById(id);
  const lines = element("evidence").textContent.slice(1);
  const file = location.href.split("#")[0];
  const name = file.split("?")[0].split("/").at(-1);
  const session = JSON.parse(lines.slice(0, lines.indexOf("\n"))).scope.session;
  const first = session ? `/s/${encodeURIComponent(session)}` : "/";
  // Firefox gives files no origin; the program's router needs one that is an address.
  const { get: origin } = Object.getOwnPropertyDescriptor(URL.prototype, "origin");
  Object.defineProperty(URL.prototype, "origin", {
    get() {
      return this.protocol === "file:" ? "file://" : origin.call(this);
    },
  });
  const address = () => new URL(location.hash.slice(1) || first, document.baseURI);

  for (const change of ["pushState", "replaceState"]) {
    const native = history[change].bind(history);
    history[change] = (state, title, url) => {
      const { pathname, search, hash } = new URL(url ?? "", address());
      native(state, title, `${file}#${pathname}${search}${hash}`);
    };
  }
  if (!location.hash) history.replaceState(history.state, "", first);
  // The program's script says `pageLocation` where it was written with `location`.
  const pageLocation = {
    get href() {
      return location.href;
    },
    get origin() {
      return address().origin;
    },
    get pathname() {
      return address().pathname;
    },
    get search() {
      return address().search;
    },
    get hash() {
      return address().hash;
    },
    protocol: "file:",
    hostname: "",
    reload: () => location.reload(),
  };
  window.pageLocation = pageLocation;
  Object.defineProperty(Document.prototype, "pageLocation", { value: pageLocation });

  document.querySelector('meta[name="task-hub:files"]').content = name;
  window.fetch = async (request) => {
    const wanted = String(request.url ?? request).split(/[?#]/)[0].split("/").at(-1);
    if (wanted === name) return new Response(lines);
    const part = element(`part:${wanted}`);
    if (!part) throw new TypeError(`${wanted} is not in this file`);
    const packed = Uint8Array.from(atob(part.textContent), (letter) => letter.charCodeAt(0));
    const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(bytes, { headers: { "content-type": "application/wasm" } });
  };
})();
