// Next.js configuration of an app that serves the dashboard. `withTaskHub` adds the routes and security headers of the
// dashboard to a configuration, and copies the dashboard's files into the app's `public` folder.
import path from "node:path";

import { copyDashboard } from "./public-files.js";

/**
 * Values of PHASE_DEVELOPMENT_SERVER and PHASE_PRODUCTION_BUILD in `next/constants`. Only these load the configuration
 * to build an app: a started app serves what was built, possibly from a read-only folder.
 */
const PHASES_THAT_COPY = ["phase-development-server", "phase-production-build"];

/**
 * What the monitor sends with the dashboard and a page cannot set for itself. The rest of the content security policy is
 * in the dashboard's index.html.
 */
const SECURITY_HEADERS = [
  { key: "content-security-policy", value: "frame-ancestors 'self'" },
  { key: "x-content-type-options", value: "nosniff" },
  { key: "referrer-policy", value: "no-referrer" },
  { key: "cross-origin-opener-policy", value: "same-origin" },
  { key: "cross-origin-resource-policy", value: "same-origin" },
];

export function withTaskHub(nextConfig = {}, options = {}) {
  const hub = checkedOptions(options);
  return async (phase, context) => {
    const config = await (typeof nextConfig === "function" ? nextConfig(phase, context) : nextConfig);
    if (config.output === "export") {
      throw new Error("task-hub-next: `output: \"export\"` makes a site without rewrites and route handlers, and the dashboard needs both");
    }
    if (PHASES_THAT_COPY.includes(phase)) {
      await copyDashboard(path.join(process.cwd(), "public", hub.path), pageValues(hub, config.basePath ?? ""));
    }
    return {
      ...config,
      // The dashboard's address ends with a slash: the scope of its service worker and of its installed app. Next.js can
      // only switch its redirect off for the whole app, so `redirects` does the same for all other addresses.
      ...(config.trailingSlash ? {} : { skipTrailingSlashRedirect: true }),
      redirects: async () => [...trailingSlashRedirects(config, hub), ...((await config.redirects?.()) ?? [])],
      // After those of the app: of two values for one header, Next.js sends the later.
      headers: async () => [
        ...((await config.headers?.()) ?? []),
        { source: `${hub.path}/:path*`, headers: SECURITY_HEADERS },
      ],
      rewrites: async () => addRewrites(await config.rewrites?.(), hub.path),
    };
  };
}

function checkedOptions({ path: hubPath = "/hub", apiBase = "/api/proxy", backLink } = {}) {
  const isPath = (text) => /^(\/[\w.~-]+)+$/.test(text) && !text.split("/").some((part) => /^\.+$/.test(part));
  const wanted = String(hubPath).replace(/\/$/, "");
  if (!isPath(wanted)) {
    throw new Error(`task-hub-next: path is ${JSON.stringify(hubPath)}, and must be a path such as "/hub"`);
  }
  const api = String(apiBase).replace(/\/$/, "");
  if (!isPath(api) && !/^https?:\/\/[^\s]+$/.test(api)) {
    throw new Error(`task-hub-next: apiBase is ${JSON.stringify(apiBase)}, and must be a path such as "/api/proxy"`);
  }
  if (backLink && (!backLink.label?.trim() || !/^\S+$/.test(backLink.href ?? ""))) {
    throw new Error("task-hub-next: backLink needs a label and an href without blanks");
  }
  return { path: wanted, apiBase: api, backLink };
}

/** What the dashboard's index.html is told, as addresses that the browser sees. */
function pageValues(hub, basePath) {
  return {
    base: `${basePath}${hub.path}/`,
    apiBase: hub.apiBase.startsWith("/") ? `${basePath}${hub.apiBase}` : hub.apiBase,
    hostLink: hub.backLink ? `${hub.backLink.label.trim()} ${hub.backLink.href}` : "",
  };
}

/** The redirects that Next.js adds by itself when `trailingSlash` is not set, for all addresses but the dashboard's. */
function trailingSlashRedirects(config, hub) {
  if (config.trailingSlash || config.skipTrailingSlashRedirect) return [];
  const dashboard = hub.path.slice(1).replaceAll(".", "\\.");
  const redirects = [{ source: `/:path((?!${dashboard}(?:/|$)).+)/`, destination: "/:path", permanent: true }];
  if (config.basePath) {
    redirects.push({ source: `${config.basePath}/`, destination: config.basePath, basePath: false, permanent: true });
  }
  return redirects;
}

/** The app's rewrites, a list or an object of lists, and index.html for each address of the dashboard without a file. */
function addRewrites(rewrites = [], hubPath) {
  const { beforeFiles = [], afterFiles = [], fallback = [] } = Array.isArray(rewrites) ? { afterFiles: rewrites } : rewrites;
  const destination = `${hubPath}/index.html`;
  const pages = [
    { source: hubPath, destination },
    // Only for page loads, as the monitor does: a missing script stays a 404.
    { source: `${hubPath}/:path+`, destination, has: [{ type: "header", key: "accept", value: ".*text/html.*" }] },
  ];
  // Before those of the app, which may rewrite every address.
  return { beforeFiles, afterFiles: [...pages, ...afterFiles], fallback };
}
