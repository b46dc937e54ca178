// Font of the page: `node font-pieces.mjs MODULES PRETENDARD OUT` writes OUT/pretendard.css and the pieces that it names.
//
// Pretendard comes in pieces by how often a syllable occurs. Three quarters of its bytes are pieces of syllables that hardly
// any text has: most are not in KS X 1001, the 2,350 syllables of the Korean standard. What is in the standard among them,
// and what is no syllable, becomes one piece here; the others are drawn with a font of the system.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

const [modules, pretendard, out] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(modules), "package.json"));
const subsetFont = require("subset-font");
const fontverter = createRequire(require.resolve("subset-font"))("fontverter");

// The licence reserves its name for the font as its maker gives it.
const [FAMILY, OWN_NAME, REST_FAMILY, REST_NAME] = ["Pretendard Variable", "Pretendard", "Hangul Rest", "HangulRest"];
const FOLDER = "woff2-dynamic-subset";

/** The syllables of KS X 1001: rows 16 to 40. */
function standardSyllables() {
  const decoder = new TextDecoder("euc-kr");
  const cells = Array.from({ length: 94 }, (_, cell) => cell + 0xa1);
  const rows = Array.from({ length: 25 }, (_, row) => row + 0xb0);
  return new Set(rows.flatMap((row) => cells.map((cell) => decoder.decode(Uint8Array.of(row, cell)).codePointAt(0))));
}

/** The code points of a `unicode-range`. */
function codePoints(range) {
  return range.split(",").flatMap((part) => {
    const [first, last = first] = part.trim().slice(2).split("-").map((hex) => parseInt(hex, 16));
    return Array.from({ length: last - first + 1 }, (_, step) => first + step);
  });
}

const isSyllable = (point) => point >= 0xac00 && point <= 0xd7a3;
const hex = (point) => point.toString(16).toUpperCase();

/** The same font under another name: a name of the same length, so that no table moves. */
function renamed(font) {
  const utf16 = (text) => Buffer.from(text, "utf16le").swap16();
  for (const encode of [utf16, Buffer.from]) {
    const [old, name] = [encode(OWN_NAME), encode(REST_NAME)];
    for (let at = font.indexOf(old); at >= 0; at = font.indexOf(old, at + 1)) name.copy(font, at);
  }
  return font;
}

const standard = standardSyllables();
const sheet = await readFile(path.join(pretendard, "pretendardvariable-dynamic-subset.css"), "utf8");
const rules = [...sheet.matchAll(/@font-face\s*\{[^}]*?(PretendardVariable\.subset\.\d+\.woff2)[^}]*?unicode-range:\s*([^;}]+)[^}]*\}/g)];
if (rules.length < 50) throw new Error(`the sheet of the font has another form: ${rules.length} rules`);
const kept = [];
const rest = [];
for (const [rule, file, range] of rules) {
  const points = codePoints(range);
  const rare = points.filter((point) => isSyllable(point) && !standard.has(point));
  if (rare.length * 2 < points.length) kept.push({ rule, file });
  else rest.push(...points.filter((point) => !rare.includes(point)));
}
await mkdir(path.join(out, FOLDER), { recursive: true });
for (const { file } of kept) await copyFile(path.join(pretendard, FOLDER, file), path.join(out, FOLDER, file));
const whole = await readFile(path.join(pretendard, "woff2/PretendardVariable.woff2"));
const piece = await subsetFont(whole, String.fromCodePoint(...rest), { targetFormat: "sfnt" });
await writeFile(path.join(out, FOLDER, "HangulRest.woff2"), await fontverter.convert(renamed(piece), "woff2"));
const model = kept[0];
const restRule = model.rule
  .replaceAll(FAMILY, REST_FAMILY)
  .replace(model.file, "HangulRest.woff2")
  .replace(/unicode-range:[^;}]+/, `unicode-range:${rest.map((point) => `U+${hex(point)}`).join(",")}`);
// Comments and line ends out: two thirds of the sheet is `unicode-range`, the rest is air.
const minified = [...kept.map(({ rule }) => rule), restRule].map((rule) => rule.replace(/\s*\n\s*/g, ""));
await writeFile(path.join(out, "pretendard.css"), minified.join(""));
