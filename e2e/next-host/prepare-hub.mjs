// Script that copies the built page of Task-Hub into the Next.js app of this folder, below `public/hub`. It sets three
// values in the page's index.html: base path, API address, and the link back to the Next.js app.
import { cp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

const here = import.meta.dirname;
const bundle = process.env.TASK_HUB_BUNDLE ?? path.join(here, "../../dist");
const hub = path.join(here, "public/hub");

await rm(hub, { recursive: true, force: true });
await cp(bundle, hub, { recursive: true, filter: (file) => !/\.(br|zst|gz)$/.test(file) });

const index = path.join(hub, "index.html");
let html = await readFile(index, "utf8");
html = setAttribute(html, /<base\b[^>]*>/, "href", "/hub/");
html = setAttribute(html, /<meta\b[^>]*name="?task-hub:api-base"?[^>]*>/, "content", "/api/proxy");
html = setAttribute(html, /<meta\b[^>]*name="?task-hub:host-link"?[^>]*>/, "content", "Task-Hub /");
await writeFile(index, html);

function setAttribute(text, tag, name, value) {
  const found = text.match(tag)?.[0];
  if (!found) throw new Error(`the bundle's index.html has no ${tag}`);
  const without = found.replace(new RegExp(`\\s${name}=("[^"]*"|[^\\s>]*)`), "");
  return text.replace(found, without.replace(/\s*\/?>$/, ` ${name}="${value}">`));
}
