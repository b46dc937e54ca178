// Search for leaked canaries, secrets that a test plants, in bytes that left the server or the page. A secret is found
// in plain, reversed, hexadecimal, URL-encoded, escaped and base64 form, also if only twelve consecutive characters of
// it appear.
const PIECE = 12;

/** All encodings of a secret, as text. */
function forms(secret) {
  const bytes = Buffer.from(secret);
  const each = (write) => [...bytes].map(write).join("");
  const hex = (byte) => byte.toString(16).padStart(2, "0");
  const found = [
    ["plain", secret, 1],
    ["reversed", [...secret].reverse().join(""), 1],
    ["hex", each(hex), 2],
    ["HEX", each(hex).toUpperCase(), 2],
    ["bytes", [...bytes].join(", "), 3],
    ["url", each((byte) => `%${hex(byte)}`), 3],
    ["URL", each((byte) => `%${hex(byte).toUpperCase()}`), 3],
    ["escaped", each((byte) => `\\u00${hex(byte)}`), 6],
  ];
  for (const shift of [0, 1, 2]) {
    for (const alphabet of ["base64", "base64url"]) {
      // The first and last characters depend on the bytes around the secret.
      const text = Buffer.concat([Buffer.alloc(shift), bytes]).toString(alphabet).replace(/=+$/, "");
      found.push([alphabet, text.slice(shift === 0 ? 0 : shift + 1, -1), 1]);
    }
  }
  return found;
}

/** A search for named secrets: `{ name: secret }`. */
export function canaries(secrets) {
  /** Every piece of every form, by its first three bytes. */
  const pieces = new Map();
  const first = new Uint8Array(1 << 24);
  for (const [name, secret] of Object.entries(secrets)) {
    for (const [form, text, width] of forms(secret)) {
      const length = PIECE * width;
      for (let from = 0; from + length <= text.length; from += 1) {
        const piece = Buffer.from(text.slice(from, from + length), "latin1");
        const key = (piece[0] << 16) | (piece[1] << 8) | piece[2];
        first[key] = 1;
        if (!pieces.has(key)) pieces.set(key, []);
        pieces.get(key).push({ piece, said: `${name} (${form})` });
      }
    }
  }
  return {
    pieces: [...pieces.values()].flat().length,

    /** The secrets found in some bytes. */
    in(bytes) {
      const found = new Set();
      for (let at = 0; at + PIECE <= bytes.length; at += 1) {
        const key = (bytes[at] << 16) | (bytes[at + 1] << 8) | bytes[at + 2];
        if (first[key] === 0) continue;
        for (const { piece, said } of pieces.get(key)) {
          if (bytes.compare(piece, 0, piece.length, at, Math.min(at + piece.length, bytes.length)) === 0) found.add(said);
        }
      }
      return [...found];
    },
  };
}
