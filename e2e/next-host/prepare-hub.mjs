// Script that copies the bundle into public/hub and sets its three values for the host: base address, API address and
// link back to the host.
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
