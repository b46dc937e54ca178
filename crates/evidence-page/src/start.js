// Start of an evidence page. It has no server: what the program loads lies in this file, and the address of a view is the
// part of the page's address behind "#".
(() => {
  const element = (id) => document.getElementById(id);
  const lines = element("evidence").textContent.slice(1);
  // A damaged file has another first line; its lines are refused as a whole.
  const sessionOf = (line) => {
    try {
      return JSON.parse(line).scope.session;
    } catch {
      return undefined;
    }
  };
  const file = location.href.split("#")[0];
  const name = file.split("?")[0].split("/").at(-1);
  const session = sessionOf(lines.slice(0, lines.indexOf("\n")));
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

  const files = packedFiles().then((files) => {
    for (const [name, bytes] of files) {
      if (!name.endsWith(".css")) continue;
      const sheet = document.createElement("style");
      sheet.dataset.href = `./${name}`;
      sheet.textContent = new TextDecoder().decode(bytes);
      document.head.append(sheet);
    }
    return files;
  });

  document.querySelector('meta[name="task-hub:files"]').content = name;
  window.fetch = async (request) => {
    const wanted = String(request.url ?? request).split(/[?#]/)[0].split("/").at(-1);
    if (wanted === name) return new Response(lines);
    const bytes = (await files).get(wanted);
    if (!bytes) throw new TypeError(`${wanted} is not in this file`);
    return new Response(bytes, { headers: { "content-type": "application/wasm" } });
  };
})();

// Files of the program by name: one packed stream as a text (`pack.rs`).
async function packedFiles() {
  const pack = document.getElementById("program");
  const index = JSON.parse(pack.dataset.files);
  const total = index.reduce((sum, [, size]) => sum + size, 0);
  // Zeros fill up the last character.
  const packed = bytesOf(pack.textContent).subarray(0, Number(pack.dataset.bytes));
  const bytes = pack.dataset.packing === "gzip" ? await ungzipped(packed) : unpacked(packed, total);
  let at = 0;
  return new Map(index.map(([name, size]) => [name, bytes.subarray(at, (at += size))]));
}

async function ungzipped(packed) {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// A character below 128 is 7 bits. Another one is one of the 29 values that are no such character, and 6 bits more.
function bytesOf(text) {
  const hidden = [...Array(128).keys()].filter((value) => value < 9 || (value > 12 && value < 32) || value === 60);
  const bytes = new Uint8Array(Math.floor((text.length * 13) / 8));
  let [at, held, count] = [0, 0, 0];
  const push = (value, width) => {
    held = (held << width) | value;
    count += width;
    while (count >= 8) {
      count -= 8;
      bytes[at++] = held >> count;
    }
    held &= 255;
  };
  for (let place = 0; place < text.length; place++) {
    const code = text.charCodeAt(place);
    if (code < 128) {
      push(code, 7);
    } else {
      push(hidden[(code - 0xa0) >> 6], 7);
      push((code - 0xa0) & 63, 6);
    }
  }
  return bytes.subarray(0, at);
}

// LZMA without header and end mark: lc = 4, lp = 0, pb = 0. Names and states are those of its specification.
function unpacked(packed, size) {
  const IS_MATCH = 0, IS_REP = 12, IS_REP_G0 = 24, IS_REP_G1 = 36, IS_REP_G2 = 48, IS_REP0_LONG = 60;
  const SLOT = 72, SPECIAL = SLOT + 4 * 64, ALIGN = SPECIAL + 128, LENGTH = ALIGN + 16;
  // Two choices, then trees of 3, 3 and 8 bits.
  const LENGTH_SIZE = 2 + 8 + 8 + 256, LITERAL = LENGTH + 2 * LENGTH_SIZE;
  const odds = new Uint16Array(LITERAL + (0x300 << 4)).fill(1024);
  const out = new Uint8Array(size);
  let [at, range, code] = [5, 0xffffffff, 0];
  for (const byte of packed.subarray(1, 5)) code = ((code << 8) | byte) >>> 0;

  const narrow = () => {
    if (range >= 0x1000000) return;
    range = (range << 8) >>> 0;
    code = ((code << 8) | packed[at++]) >>> 0;
  };
  const bit = (place) => {
    narrow();
    const odd = odds[place];
    const bound = (range >>> 11) * odd;
    if (code < bound) {
      range = bound;
      odds[place] = odd + ((2048 - odd) >> 5);
      return 0;
    }
    range -= bound;
    code -= bound;
    odds[place] = odd - (odd >> 5);
    return 1;
  };
  const direct = (width) => {
    let value = 0;
    while (width-- > 0) {
      narrow();
      range >>>= 1;
      const one = code >= range ? 1 : 0;
      if (one) code -= range;
      value = (value << 1) | one;
    }
    return value;
  };
  const tree = (place, width) => {
    let value = 1;
    for (let left = width; left > 0; left--) value = (value << 1) | bit(place + value);
    return value - (1 << width);
  };
  const reverse = (place, width) => {
    let [value, node] = [0, 1];
    for (let shift = 0; shift < width; shift++) {
      const one = bit(place + node);
      node = (node << 1) | one;
      value |= one << shift;
    }
    return value;
  };
  const length = (place) => {
    if (!bit(place)) return 2 + tree(place + 2, 3);
    return bit(place + 1) ? 18 + tree(place + 18, 8) : 10 + tree(place + 10, 3);
  };

  let [pos, state, rep0, rep1, rep2, rep3] = [0, 0, 0, 0, 0, 0];
  while (pos < size) {
    if (!bit(IS_MATCH + state)) {
      const place = LITERAL + 0x300 * (pos ? out[pos - 1] >> 4 : 0);
      let symbol = 1;
      if (state >= 7) {
        for (let match = out[pos - rep0 - 1]; symbol < 256; match <<= 1) {
          const expected = (match >> 7) & 1;
          const one = bit(place + ((1 + expected) << 8) + symbol);
          symbol = (symbol << 1) | one;
          if (one !== expected) break;
        }
      }
      while (symbol < 256) symbol = (symbol << 1) | bit(place + symbol);
      out[pos++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
      continue;
    }
    let left;
    if (bit(IS_REP + state)) {
      if (bit(IS_REP_G0 + state)) {
        let distance = rep1;
        if (bit(IS_REP_G1 + state)) {
          distance = rep2;
          if (bit(IS_REP_G2 + state)) {
            distance = rep3;
            rep3 = rep2;
          }
          rep2 = rep1;
        }
        rep1 = rep0;
        rep0 = distance;
      } else if (!bit(IS_REP0_LONG + state)) {
        out[pos] = out[pos - rep0 - 1];
        pos++;
        state = state < 7 ? 9 : 11;
        continue;
      }
      left = length(LENGTH + LENGTH_SIZE);
      state = state < 7 ? 8 : 11;
    } else {
      [rep3, rep2, rep1] = [rep2, rep1, rep0];
      left = length(LENGTH);
      state = state < 7 ? 7 : 10;
      const slot = tree(SLOT + 64 * Math.min(left - 2, 3), 6);
      const width = (slot >> 1) - 1;
      rep0 = slot < 4 ? slot : (2 | (slot & 1)) << width;
      if (slot >= 14) rep0 += (direct(width - 4) << 4) + reverse(ALIGN, 4);
      else if (slot >= 4) rep0 += reverse(SPECIAL + rep0 - slot, width);
    }
    for (; left > 0; left--, pos++) out[pos] = out[pos - rep0 - 1];
  }
  return out;
}
