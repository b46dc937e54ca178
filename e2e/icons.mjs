// Generator of the PNG icons in public/icons/ from mark.svg: `node icons.mjs`. Run it again after a change of mark.svg.
import { readFile } from "node:fs/promises";
import path from "node:path";

import { startBrowser } from "./support/browser.mjs";

const folder = path.join(import.meta.dirname, "../public/icons");
const PAPER = "#f8f8f5";
/** File, pixels, and how much of them the mark takes: a mask may cut away a fifth at each side. */
const icons = [
  ["mark-180.png", 180, 0.72],
  ["mark-192.png", 192, 0.78],
  ["mark-512.png", 512, 0.78],
  ["mark-maskable-512.png", 512, 0.56],
];

const mark = await readFile(path.join(folder, "mark.svg"), "utf8");
const browser = await startBrowser();
const page = await browser.newPage({ colorScheme: "light" });
for (const [name, size, part] of icons) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>body{margin:0;display:grid;place-items:center;height:100vh;background:${PAPER}}svg{width:${part * 100}vw}</style>${mark}`);
  await page.screenshot({ path: path.join(folder, name) });
}
await browser.close();
