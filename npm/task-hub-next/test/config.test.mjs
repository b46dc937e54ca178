// Tests of `withTaskHub`: composition with the configuration of an app, and the files it copies.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { promisify } from "node:util";

import { withTaskHub } from "../index.js";
import { copyDashboard } from "../public-files.js";

const BUILD = "phase-production-build";
const START = "phase-production-server";
const INDEX = `<base href="/" /><meta name="task-hub:api-base" content="api" /><meta name="task-hub:host-link" content="" /><script src="a-1.js"></script>`;
const run = promisify(execFile);
const before = process.cwd();
let app;
let bundle;

beforeEach(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "task-hub-next-"));
  app = path.join(folder, "app");
  bundle = path.join(folder, "bundle");
  await mkdir(app);
  await writeBundle({ "a-1.js": "1", "a-1.js.br": "packed", "fonts/f.woff2": "font", "fonts/.keep": "" });
  process.chdir(app);
  process.env.TASK_HUB_BUNDLE = bundle;
});

afterEach(async () => {
  process.chdir(before);
  delete process.env.TASK_HUB_BUNDLE;
  await rm(path.dirname(app), { recursive: true });
});

async function writeBundle(files) {
  await rm(bundle, { recursive: true, force: true });
  for (const [name, text] of Object.entries({ "index.html": INDEX, ...files })) {
    await mkdir(path.dirname(path.join(bundle, name)), { recursive: true });
    await writeFile(path.join(bundle, name), text);
  }
}

const load = (config, options, phase = START) => withTaskHub(config, options)(phase, { defaultConfig: {} });
const hub = (...parts) => path.join(app, "public/hub", ...parts);
const index = (folder = hub()) => readFile(path.join(folder, "index.html"), "utf8");
const served = async () => (await readdir(hub(), { recursive: true })).filter((name) => path.extname(name) && !name.startsWith(".")).sort();

test("headers_of_app_come_first_and_ours_cover_the_path", async () => {
  const own = { source: "/:path*", headers: [{ key: "x-own", value: "1" }] };
  const headers = await (await load({ headers: async () => [own] })).headers();
  assert.deepEqual(headers[0], own);
  assert.deepEqual(headers.slice(1).map((entry) => entry.source), ["/hub/:path*"]);
  assert.deepEqual(headers[1].headers.map(({ key }) => key), [
    "content-security-policy",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
  ]);
});

test("rewrites_of_app_are_kept_in_every_form", async () => {
  const rule = (name) => ({ source: `/${name}`, destination: "/x" });
  const pages = [
    { source: "/hub", destination: "/hub/index.html" },
    { source: "/hub/:path+", destination: "/hub/index.html", has: [{ type: "header", key: "accept", value: ".*text/html.*" }] },
  ];
  for (const [rewrites, expected] of [
    [undefined, { beforeFiles: [], afterFiles: pages, fallback: [] }],
    [() => [rule("a")], { beforeFiles: [], afterFiles: [...pages, rule("a")], fallback: [] }],
    [async () => ({ fallback: [rule("c")] }), { beforeFiles: [], afterFiles: pages, fallback: [rule("c")] }],
    [
      async () => ({ beforeFiles: [rule("b")], afterFiles: [rule("a")], fallback: [rule("c")] }),
      { beforeFiles: [rule("b")], afterFiles: [...pages, rule("a")], fallback: [rule("c")] },
    ],
  ]) {
    assert.deepEqual(await (await load({ rewrites })).rewrites(), expected);
  }
});

test("config_may_be_object_function_or_promise", async () => {
  const context = { defaultConfig: { a: 1 } };
  const from = (config) => withTaskHub(config)(START, context);
  assert.equal((await from({ poweredByHeader: false })).poweredByHeader, false);
  assert.equal((await from(Promise.resolve({ poweredByHeader: false }))).poweredByHeader, false);
  assert.deepEqual((await from((phase, given) => ({ env: { phase, same: given === context } }))).env, { phase: START, same: true });
  assert.equal((await from(async () => ({ distDir: "out" }))).distDir, "out");
});

test("only_the_dashboard_keeps_its_trailing_slash", async () => {
  const own = { source: "/old", destination: "/new", permanent: false };
  const config = await load({ basePath: "/portal", redirects: async () => [own] }, { path: "/tools/hub.v2" });
  assert.equal(config.skipTrailingSlashRedirect, true);
  const redirects = await config.redirects();
  assert.deepEqual(redirects, [
    { source: "/:path((?!tools/hub\\.v2(?:/|$)).+)/", destination: "/:path", permanent: true },
    { source: "/portal/", destination: "/portal", basePath: false, permanent: true },
    own,
  ]);
  const pattern = new RegExp(`^/${/\((.*)\)\/$/.exec(redirects[0].source)[1]}/$`);
  for (const [address, redirected] of [
    ["/a/", true],
    ["/a/b/", true],
    ["/tools/hub.v22/", true],
    ["/tools/hub.v2/", false],
    ["/tools/hub.v2/tasks/", false],
    ["/a", false],
  ]) {
    assert.equal(pattern.test(address), redirected, address);
  }
  for (const kept of [{ trailingSlash: true }, { skipTrailingSlashRedirect: true }]) {
    const config = await load(kept);
    assert.deepEqual([await config.redirects(), config.skipTrailingSlashRedirect], [[], kept.skipTrailingSlashRedirect]);
  }
});

test("options_reach_the_page_below_the_base_path", async () => {
  await load({ basePath: "/portal" }, { path: "/tools/hub/", apiBase: "/api/hub", backLink: { label: 'A "$& hub"', href: "/x" } }, BUILD);
  const text = await index(path.join(app, "public/tools/hub"));
  assert.ok(text.includes('<base href="/portal/tools/hub/">'), text);
  assert.ok(text.includes('<meta name="task-hub:api-base" content="/portal/api/hub">'), text);
  assert.ok(text.includes('<meta name="task-hub:host-link" content="A &quot;$&amp; hub&quot; /x">'), text);
  await load({}, { apiBase: "https://api.example.org/hub" }, BUILD);
  assert.ok((await index()).includes('content="https://api.example.org/hub"'));
});

test("wrong_options_are_refused", async () => {
  for (const options of [
    { path: "/" },
    { path: "hub" },
    { path: "/../x" },
    { path: "/hub:a" },
    { apiBase: "api" },
    { backLink: { label: "Home" } },
    { backLink: { label: " ", href: "/" } },
    { backLink: { label: "Home", href: "/a b" } },
  ]) {
    assert.throws(() => withTaskHub({}, options), /^Error: task-hub-next: /, JSON.stringify(options));
  }
  await assert.rejects(load({ output: "export" }), /output: "export"/);
});

test("files_are_copied_for_build_and_development_only", async () => {
  await load({}, {}, START);
  await assert.rejects(stat(hub()));
  await load({}, {}, "phase-development-server");
  assert.deepEqual(await served(), ["a-1.js", "fonts/f.woff2", "index.html"]);
});

test("same_bundle_is_copied_once", async () => {
  await load({}, {}, BUILD);
  await utimes(hub("index.html"), 1, 1);
  await load({}, {}, BUILD);
  assert.equal((await stat(hub("index.html"))).mtimeMs, 1000);
  await rm(hub("a-1.js"));
  await load({}, {}, BUILD);
  assert.equal(await readFile(hub("a-1.js"), "utf8"), "1", "a missing file comes back");
});

test("new_bundle_or_option_replaces_the_copy", async () => {
  await load({}, {}, BUILD);
  await writeBundle({ "a-2.js": "2" });
  await load({}, {}, BUILD);
  assert.deepEqual(await served(), ["a-2.js", "index.html"]);
  await load({}, { backLink: { label: "Home", href: "/" } }, BUILD);
  assert.ok((await index()).includes("Home /"));
});

test("foreign_files_are_refused_and_stay", async () => {
  await mkdir(hub(), { recursive: true });
  await writeFile(hub("own.txt"), "mine");
  await assert.rejects(load({}, {}, BUILD), /public\/hub has files that do not belong to the dashboard \(own\.txt\)/);
  assert.deepEqual(await readdir(hub()), ["own.txt"]);
  await rm(hub("own.txt"));
  await load({}, {}, BUILD);
  await writeFile(hub("own.txt"), "mine");
  await writeBundle({ "a-2.js": "2" });
  await assert.rejects(load({}, {}, BUILD), /own\.txt/);
  assert.deepEqual(await served(), ["a-1.js", "fonts/f.woff2", "index.html", "own.txt"]);
});

test("concurrent_loads_leave_one_whole_copy", async () => {
  const module = JSON.stringify(path.join(import.meta.dirname, "../index.js"));
  const script = `const { withTaskHub } = await import(${module}); await withTaskHub()("${BUILD}", {});`;
  for (const round of [1, 2, 3]) {
    const files = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`part-${round}-${at}.js`, "x".repeat(5000)]));
    await writeBundle(files);
    await Promise.all([1, 2, 3, 4].map(() => run(process.execPath, ["--input-type=module", "-e", script], { cwd: app })));
    assert.deepEqual(await served(), ["index.html", ...Object.keys(files)].sort());
    assert.equal(await readFile(hub("part-" + round + "-59.js"), "utf8"), "x".repeat(5000));
    assert.deepEqual((await readdir(hub())).filter((name) => name.startsWith(".")), [".task-hub-next.json"]);
  }
});

test("missing_or_unusable_bundle_is_one_clear_error", async () => {
  await writeBundle({});
  await writeFile(path.join(bundle, "index.html"), "<html></html>");
  await assert.rejects(load({}, {}, BUILD), /the bundle's index\.html has no/);
  await assert.rejects(copyDashboard(hub(), { base: "/", apiBase: "", hostLink: "" }, path.join(bundle, "none")), { code: "ENOENT" });
});
