// Installs each artefact of `make dist` as its users would, on a root without Rust, and measures the time to the first
// session card in a browser. `make dist-check` runs it.
//
// Each way starts from the artefact alone: an empty folder, an environment with only the system's programs, and a demo
// home. The container's program runs in its own root without any other file, and so does one of the archive; another
// runs in a root of Debian 11. The Next.js app is new, and built; podman runs it and the container's image as
// `compose.yaml` says. `cargo install` starts from this checkout.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import { startBrowser } from "../support/browser.mjs";
import { eventually, freePort } from "../support/monitor.mjs";

const run = promisify(execFile);
const packages = path.resolve(process.argv[2]);
const checkout = path.resolve(import.meta.dirname, "../..");
const names = await readdir(packages);
const artefact = (pattern) => {
  const found = names.filter((name) => pattern.test(name));
  assert.equal(found.length, 1, `one artefact like ${pattern} in ${packages}`);
  return path.join(packages, found[0]);
};
/** Only what a system without developer tools has. */
const env = { PATH: `/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:${path.dirname(process.execPath)}`, LANG: "C.UTF-8" };

const WAYS = {
  async archive(folder) {
    const file = artefact(/linux-gnu\.tar\.gz$/);
    await run("tar", ["-xzf", file, "-C", folder], { env });
    const [unpacked] = await readdir(folder);
    const program = path.join(folder, unpacked, "task-monitor");
    await checkStatic(program);
    await checkUnits(path.join(folder, unpacked), program);
    return { command: [program], bytes: (await stat(file)).size };
  },
  async npm(folder) {
    const files = [artefact(/^task-hub-monitor-\d.*\.tgz$/), artefact(/^task-hub-monitor-linux-x64-.*\.tgz$/)];
    await run("npm", ["init", "-y"], { cwd: folder, env });
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", ...files], { cwd: folder, env: { ...env, HOME: folder } });
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size));
    return { command: ["npx", "--no-install", "task-monitor"], cwd: folder, bytes: sizes[0] + sizes[1] };
  },
  async "empty root"(folder, home) {
    // A root that holds nothing else: what a scratch container gives the program.
    const root = path.join(folder, "root");
    await mkdir(root);
    return inRoot(root, folder, home);
  },
  async "Debian 11"(folder, home) {
    return inRoot(await debianRoot("bullseye"), folder, home);
  },
  async "cargo install"(folder) {
    // With the compiler of this checkout, and with what it has compiled before.
    const cargo = { ...process.env, CARGO_TARGET_DIR: path.dirname(packages), TASK_HUB_BUNDLE: path.join(checkout, "dist") };
    const words = ["install", "--locked", "--path", "crates/monitor", "--features", "embed", "--root", folder];
    await run("cargo", words, { cwd: checkout, env: cargo, maxBuffer: 64 << 20 });
    const program = path.join(folder, "bin/task-monitor");
    return { command: [program], bytes: (await stat(program)).size, limitSecs: 3600 };
  },
  async "Next.js"(folder) {
    const bytes = await nextApp(folder);
    return {
      command: [path.join(await demoProgram(), "task-monitor")],
      bytes,
      // Installs and builds Next.js itself.
      limitSecs: 300,
      async front(monitor) {
        const port = String(await freePort());
        const url = `http://127.0.0.1:${port}`;
        const server = spawn(process.execPath, [NEXT, "start", "-H", "127.0.0.1", "-p", port], {
          cwd: folder,
          env: { ...nextEnv(folder), TASK_MONITOR_URL: monitor },
          stdio: ["ignore", "ignore", "inherit"],
        });
        this.end = () => server.kill("SIGKILL");
        await eventually("the Next.js app answers", async () => (await fetch(`${url}/api/proxy/health`)).ok);
        return `${url}/hub`;
      },
    };
  },
  async compose(folder, home) {
    const file = artefact(/\.oci\.tar$/);
    const app = path.join(folder, "next-app");
    const bytes = (await stat(file)).size + (await nextApp(app));
    await writeFile(path.join(app, "Containerfile"), await nextContainerfile());
    // The user that both containers run as.
    await run("chown", ["-R", "1000:1000", home]);
    const [port, nextPort] = [await freePort(), await freePort()];
    const variables = { OPENCLAW_STATE_DIR: home, NEXT_APP: app, TASK_MONITOR_PORT: port, NEXT_PORT: nextPort };
    return {
      command: await podmanSession(folder, file),
      args: [],
      env: { ...process.env, ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)])) },
      url: `http://127.0.0.1:${port}`,
      endMs: 60_000,
      bytes,
      limitSecs: 300,
      async front() {
        const url = `http://127.0.0.1:${nextPort}`;
        await eventually("the Next.js container answers", async () => (await fetch(`${url}/api/proxy/health`)).ok);
        return `${url}/hub`;
      },
    };
  },
  async container(folder, home) {
    const file = artefact(/\.oci\.tar$/);
    const image = (await run("buildah", ["pull", "--quiet", `oci-archive:${file}`])).stdout.trim();
    const container = (await run("buildah", ["from", image])).stdout.trim();
    const words = ["run", "--isolation", "chroot", "--network", "host", "--volume", `${home}:/home/.openclaw`];
    return {
      command: ["buildah", ...words, container, "--", "/task-monitor"],
      home: "/home/.openclaw",
      // buildah stores its images below the home directory of the user who pulled them.
      env: process.env,
      bytes: (await stat(file)).size,
      end: () => run("buildah", ["rm", container]).then(() => run("buildah", ["rmi", image])),
    };
  },
};

/** Next.js in an app. */
const NEXT = "node_modules/next/dist/bin/next";
const nextEnv = (folder) => ({ ...env, HOME: folder, NEXT_TELEMETRY_DISABLED: "1" });

/** Makes a new Next.js app with the package, and builds it; the package's bytes. */
async function nextApp(folder) {
  const file = artefact(/^task-hub-next-.*\.tgz$/);
  // Next.js and React come from npm's cache, which the modules of `next-host` filled, or from the registry.
  const npm = Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(HOME|npm_config_.*)$/i.test(name)));
  const { next, react, "react-dom": dom } = createRequire(import.meta.url)("../next-host/package.json").dependencies;
  for (const [name, text] of Object.entries(NEXT_APP)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const modules = [file, `next@${next}`, `react@${react}`, `react-dom@${dom}`];
  await run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", ...modules], { cwd: folder, env: { ...env, ...npm } });
  await run(process.execPath, [NEXT, "build"], { cwd: folder, env: nextEnv(folder) });
  return (await stat(file)).size;
}

/** The Containerfile of a Next.js app that docs/guide/nextjs.md shows. */
async function nextContainerfile() {
  const guide = await readFile(path.join(checkout, "docs/guide/nextjs.md"), "utf8");
  return /```dockerfile\n([^`]+)```/.exec(guide)[1];
}

/**
 * The command that starts `compose.yaml` with the image of `file` and the Next.js app, until it gets SIGTERM.
 *
 * Everything of podman is below `folder`. It runs in a mount namespace of its own, with control groups of version 2, which
 * crun needs, and with no limits set: both are possible in a container, too. An image of the name that the app's
 * Containerfile begins with holds this machine's Node.js, so that no registry is needed.
 */
async function podmanSession(folder, file) {
  const from = /^FROM (\S+)/m.exec(await nextContainerfile())[1];
  const base = path.join(folder, "node-image");
  const { stdout } = await run("ldd", [process.execPath]);
  for (const [library] of stdout.matchAll(/\/\S+/g)) await cp(library, path.join(base, library), { recursive: true, dereference: true });
  await cp(process.execPath, path.join(base, "bin/node"));
  await mkdir(path.join(base, "tmp"), { mode: 0o777 });
  await writeFile(path.join(base, "Containerfile"), "FROM scratch\nCOPY . /\nENV PATH=/bin\n");
  const containers = path.join(folder, "containers.conf");
  await writeFile(
    containers,
    `[containers]
cgroups = "disabled"
default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
log_driver = "k8s-file"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
`,
  );
  const storage = path.join(folder, "storage.conf");
  await writeFile(storage, `[storage]\ndriver = "vfs"\ngraphroot = "${folder}/images"\nrunroot = "${folder}/run"\n`);
  const session = path.join(folder, "session.sh");
  await writeFile(
    session,
    `set -e
umount --recursive /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
export CONTAINERS_CONF=${containers} CONTAINERS_STORAGE_CONF=${storage} BUILDAH_ISOLATION=chroot
podman load --quiet --input ${file}
podman build --quiet --tag docker.io/library/${from} ${base}
compose() { ${process.env.TASK_HUB_PODMAN_COMPOSE} --file ${path.join(checkout, "docs/deploy/compose.yaml")} --profile next "$@"; }
trap 'compose down --timeout 5; exit 0' TERM
compose up --detach --build
while sleep 1; do :; done
`,
  );
  return ["unshare", "--mount", "bash", session];
}

/** The program of the archive in another root, in a folder of its own there. */
async function inRoot(root, folder, home) {
  const unpacked = path.join(folder, "unpacked");
  await mkdir(unpacked);
  await run("tar", ["-xzf", artefact(/linux-gnu\.tar\.gz$/), "-C", unpacked, "--strip-components=1"], { env });
  const place = await mkdtemp(path.join(root, "task-hub-"));
  const program = path.join(place, "task-monitor");
  await cp(path.join(unpacked, "task-monitor"), program);
  await chmod(program, 0o755);
  await cp(home, path.join(place, "home"), { recursive: true });
  const inside = `/${path.basename(place)}`;
  return {
    command: ["chroot", root, `${inside}/task-monitor`],
    home: `${inside}/home`,
    bytes: (await stat(program)).size,
    end: () => rm(place, { recursive: true, force: true }),
  };
}

/** A root file system of Debian's own packages, made once. */
async function debianRoot(suite) {
  const root = path.join(path.dirname(packages), "roots", suite);
  const whole = path.join(root, ".whole");
  if (!(await stat(whole).catch(() => null))) {
    await rm(root, { recursive: true, force: true });
    await mkdir(root, { recursive: true });
    console.log(`  making a root of Debian ${suite} in ${root}`);
    await run("debootstrap", ["--variant=minbase", suite, root], { maxBuffer: 64 << 20 });
    await writeFile(whole, "");
  }
  return root;
}

/** Files of a new Next.js app, as docs/guide/nextjs.md has them. */
const NEXT_APP = {
  "package.json": `{ "private": true }\n`,
  "next.config.mjs": `import { withTaskHub } from "task-hub-next";

export default withTaskHub({}, { backLink: { label: "Home", href: "/" } });
`,
  "app/api/proxy/[...path]/route.js": `import { createProxy } from "task-hub-next/proxy";

export const { GET, POST, PATCH, PUT, DELETE } = createProxy();
`,
  "app/layout.jsx": "export default ({ children }) => <html lang=\"en\"><body>{children}</body></html>;\n",
  "app/page.jsx": "export default () => <a href=\"/hub/\">Conversations</a>;\n",
};

/** The program names no loader, no library and no version of glibc: any Linux with this processor runs it. */
async function checkStatic(program) {
  const words = ["--wide", "--program-headers", "--dynamic", "--version-info", program];
  const { stdout } = await run("readelf", words, { env, maxBuffer: 64 << 20 });
  assert.match(stdout, /There is no dynamic section/);
  assert.doesNotMatch(stdout, /INTERP|NEEDED|GLIBC_/);
}

/** systemd finds nothing wrong with the units, and rates what they allow as little. */
async function checkUnits(unpacked, program) {
  const units = path.join(unpacked, "examples/systemd");
  for (const name of await readdir(units)) {
    const unit = path.join(units, name);
    await writeFile(unit, (await readFile(unit, "utf8")).replace(/^ExecStart=\S+/m, `ExecStart=${program}`));
    const verified = await run("systemd-analyze", ["verify", unit], { env });
    assert.equal(verified.stdout + verified.stderr, "", `systemd-analyze verify ${name}`);
    const rated = await run("systemd-analyze", ["security", "--offline=true", unit], { env });
    const level = Number(/exposure level for \S+: ([\d.]+)/.exec(rated.stdout)[1]);
    assert.ok(level <= 2, `${name} is rated ${level}`);
    console.log(`  ${name}: exposure ${level}`);
  }
}

/** Seconds from the artefact to the first card on the screen. */
async function check(name, install, browser) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-dist-"));
  const home = path.join(folder, "demo");
  const work = path.join(folder, "work");
  await mkdir(work);
  await run(path.join(await demoProgram(), "task-monitor"), ["rehearse", "--demo", home], { env });
  const start = performance.now();
  const way = await install(work, home);
  const limitSecs = way.limitSecs ?? 60;
  const port = await freePort();
  const serve = ["serve", "--home", way.home ?? home, "--port", String(port)];
  const [program, ...words] = [...way.command, ...(way.args ?? serve)];
  const child = spawn(program, words, { cwd: way.cwd ?? work, env: way.env ?? { ...env, HOME: folder }, stdio: ["ignore", "inherit", "pipe"], detached: true });
  let output = "";
  child.stderr.on("data", (bytes) => (output += bytes));
  try {
    const url = way.url ?? `http://127.0.0.1:${port}`;
    await eventually(`${name} answers`, async () => {
      assert.equal(child.exitCode, null, output);
      return (await fetch(`${url}/readyz`)).ok;
    }, limitSecs * 1000);
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${(await way.front?.(url)) ?? url}/all`);
    await page.locator(".session-card").first().waitFor();
    const seconds = (performance.now() - start) / 1000;
    await context.close();
    console.log(`${name}: ${(way.bytes / 1e6).toFixed(1)} MB, first card after ${seconds.toFixed(1)} s`);
    assert.ok(seconds < limitSecs, `${name} takes under ${limitSecs} s`);
  } finally {
    // The whole group: buildah does not pass signals on to what it runs.
    const end = (signal) => child.exitCode === null && child.signalCode === null && process.kill(-child.pid, signal);
    end("SIGTERM");
    const forced = setTimeout(() => end("SIGKILL"), way.endMs ?? 10_000);
    await new Promise((resolve) => (child.exitCode === null && child.signalCode === null ? child.on("exit", resolve) : resolve()));
    clearTimeout(forced);
    await way.end?.();
    await rm(folder, { recursive: true, force: true });
  }
}

let unpackedProgram;
/** The program that writes the demo homes, unpacked once. */
async function demoProgram() {
  if (!unpackedProgram) {
    unpackedProgram = await mkdtemp(path.join(os.tmpdir(), "task-hub-dist-demo-"));
    await run("tar", ["-xzf", artefact(/linux-gnu\.tar\.gz$/), "-C", unpackedProgram, "--strip-components=1"], { env });
  }
  return unpackedProgram;
}

await run("sha256sum", ["--check", "--quiet", "SHA256SUMS"], { cwd: packages });
const browser = await startBrowser();
try {
  // Further arguments name the ways to check.
  const chosen = process.argv.slice(3);
  if (chosen.length === 0 || chosen.includes("Debian 11")) await debianRoot("bullseye");
  for (const [name, install] of Object.entries(WAYS)) {
    if (chosen.length === 0 || chosen.includes(name)) await check(name, install, browser);
  }
} finally {
  await browser.close();
  if (unpackedProgram) await rm(unpackedProgram, { recursive: true, force: true });
}
