// The browser's side of Web Push: keys, and decryption of what the monitor sends.
import assert from "node:assert/strict";
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";

export const base64url = (bytes) => Buffer.from(bytes).toString("base64url");

/** A browser's keys, and what it reads of a message for it (RFC 8291). */
export function receiver() {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  const auth = randomBytes(16);
  return {
    keys: { p256dh: base64url(ecdh.getPublicKey()), auth: base64url(auth) },
    read(body) {
      const [salt, sender] = [body.subarray(0, 16), body.subarray(21, 21 + body[20])];
      const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), sender]);
      const input = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(sender), auth, info, 32));
      const key = Buffer.from(hkdfSync("sha256", input, salt, "Content-Encoding: aes128gcm\0", 16));
      const nonce = Buffer.from(hkdfSync("sha256", input, salt, "Content-Encoding: nonce\0", 12));
      const sealed = body.subarray(21 + body[20]);
      const cipher = createDecipheriv("aes-128-gcm", key, nonce);
      cipher.setAuthTag(sealed.subarray(-16));
      const text = Buffer.concat([cipher.update(sealed.subarray(0, -16)), cipher.final()]);
      // 2 marks the last record.
      assert.equal(text.at(-1), 2);
      return text.subarray(0, -1).toString();
    },
  };
}
