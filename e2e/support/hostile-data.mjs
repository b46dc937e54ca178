// Hostile texts for the tests, from two public lists and from this project. Each text is used once, in several forms of
// Markdown.
import { readFileSync } from "node:fs";
import path from "node:path";

import { own } from "./hostile-own.mjs";

const file = path.join(import.meta.dirname, "../../fixtures/hostile/payloads.jsonl");

/** Where a text stands as markdown: by itself, as what a link leads to, as an image's, as a bare address. */
export const WRAPPINGS = {
  plain: (text) => text,
  link: (text) => `[x](${text})`,
  image: (text) => `![x](${text})`,
  auto: (text) => `<${text}>`,
};

/** All payloads as `{ from, text }`, each text once: the project's own last. */
export function payloads() {
  const seen = new Set();
  const all = [];
  const add = (from, text) => {
    if (seen.has(text)) return;
    seen.add(text);
    all.push({ from, text });
  };
  for (const line of readFileSync(file, "utf8").split("\n")) {
    if (line !== "") add(...JSON.parse(line));
  }
  for (const text of own) add("own", text);
  return all;
}

/** Every so manieth of the public lists, and all of our own: the same ones in each run. */
export function sample(all, step) {
  return all.filter((payload, place) => payload.from === "own" || place % step === 0);
}
