// Copier of the dashboard into the `public` folder of a Next.js app. Next.js loads a configuration in several processes
// at once, so each file is replaced as a whole, and processes that copy the same dashboard do not disturb each other.
//
// A marker file lists the files that were copied. Only those are ever replaced or removed.
import { createHash } from "node:crypto";
import { lstat, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

const MARKER = ".task-hub-next.json";
const STAGING = ".task-hub-next-";
/** A staging folder of this age was left by a process that was killed. */
const STAGING_MAX_AGE_MS = 3_600_000;

const PACKAGE = path.dirname(fileURLToPath(import.meta.url));

/** Copies the dashboard into `folder`, unless this dashboard with these values is there. */
export async function copyDashboard(folder, values, bundle) {
  const files = await readDashboard(bundle ?? (await findBundle()), values);
  const stamp = stampOf(files);
  // The folder before the marker: another process lists a file in the marker before it creates it.
  const present = await filesBelow(folder);
  const marker = await readMarker(folder);
  await refuseForeignFiles(folder, present.filter((name) => !marker.files.includes(name)));
  if (marker.stamp === stamp && [...files.keys()].every((name) => present.includes(name))) return;

  await mkdir(folder, { recursive: true });
  await removeOldStaging(folder);
  const staging = await mkdtemp(path.join(folder, STAGING));
  const replace = async (name, bytes) => {
    const staged = path.join(staging, "file");
    await writeFile(staged, bytes);
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await rename(staged, path.join(folder, name));
  };
  try {
    await replace(MARKER, markerText({ files: [...new Set([...marker.files, ...files.keys()])] }));
    for (const [name, bytes] of files) await replace(name, bytes);
    const old = present.filter((name) => !files.has(name));
    await Promise.all(old.map((name) => rm(path.join(folder, name), { force: true })));
    await replace(MARKER, markerText({ stamp, files: [...files.keys()] }));
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** The bundle inside the package; in a clone of the repository that of `TASK_HUB_BUNDLE` or of `make bundle`. */
async function findBundle() {
  const folders = [path.join(PACKAGE, "bundle"), process.env.TASK_HUB_BUNDLE, path.join(PACKAGE, "../../dist")];
  for (const folder of folders.filter(Boolean)) {
    if (await stat(path.join(folder, "index.html")).catch(() => null)) return folder;
  }
  throw new Error(
    "task-hub-next: the dashboard's files are missing: install the package that `make dist` packs, " +
      "or run `make bundle` in the repository, or name a bundle's folder in TASK_HUB_BUNDLE",
  );
}

/** Names and contents of the files to copy, index.html with its values and last: it names the others. */
async function readDashboard(bundle, values) {
  const names = (await filesBelow(bundle)).filter((name) => !/\.(br|zst|gz)$/.test(name) && name !== "index.html");
  const files = new Map();
  for (const name of names) files.set(name, await readFile(path.join(bundle, name)));
  files.set("index.html", Buffer.from(fillIn(await readFile(path.join(bundle, "index.html"), "utf8"), values)));
  return files;
}

function fillIn(html, { base, apiBase, hostLink }) {
  html = replaceTag(html, /<base\b[^>]*>/, `<base href="${escape(base)}">`);
  for (const [name, content] of [["task-hub:api-base", apiBase], ["task-hub:host-link", hostLink]]) {
    html = replaceTag(html, new RegExp(`<meta\\b[^>]*\\b${name}\\b[^>]*>`), `<meta name="${name}" content="${escape(content)}">`);
  }
  return html;
}

function replaceTag(html, pattern, tag) {
  if (!pattern.test(html)) throw new Error(`task-hub-next: the bundle's index.html has no ${pattern}`);
  return html.replace(pattern, () => tag);
}

function escape(text) {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function stampOf(files) {
  const digest = createHash("sha256");
  for (const [name, bytes] of files) digest.update(`${name}\n${bytes.length}\n`).update(bytes);
  return digest.digest("hex");
}

/**
 * Files below a folder, with `/` between the parts of a name; none if there is no such folder. Names that begin with a
 * dot are left out: the marker, staging folders of other processes, and files of editors and systems.
 */
async function filesBelow(folder, prefix = "") {
  const found = await readdir(path.join(folder, prefix), { withFileTypes: true }).catch((error) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  const names = [];
  for (const entry of found.filter(({ name }) => !name.startsWith("."))) {
    if (entry.isDirectory()) names.push(...(await filesBelow(folder, `${prefix}${entry.name}/`)));
    else names.push(prefix + entry.name);
  }
  return names.sort();
}

async function readMarker(folder) {
  const text = await readFile(path.join(folder, MARKER), "utf8").catch(() => "{}");
  const { stamp, files = [] } = JSON.parse(text);
  return { stamp, files };
}

function markerText(marker) {
  return `${JSON.stringify({ writtenBy: "task-hub-next", ...marker }, null, 2)}\n`;
}

async function refuseForeignFiles(folder, names) {
  const foreign = [];
  for (const name of names) {
    // Another process may have removed an old file of the dashboard since the folder was listed.
    if (await lstat(path.join(folder, name)).catch(() => null)) foreign.push(name);
  }
  if (foreign.length === 0) return;
  const some = foreign.slice(0, 3).join(", ") + (foreign.length > 3 ? ", …" : "");
  const shown = path.relative(process.cwd(), folder);
  throw new Error(`task-hub-next: ${shown} has files that do not belong to the dashboard (${some}): move or delete them, or choose another path`);
}

async function removeOldStaging(folder) {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(STAGING)) continue;
    const found = await stat(path.join(folder, name)).catch(() => null);
    if (found?.isDirectory() && Date.now() - found.mtimeMs > STAGING_MAX_AGE_MS) {
      await rm(path.join(folder, name), { recursive: true, force: true });
    }
  }
}
