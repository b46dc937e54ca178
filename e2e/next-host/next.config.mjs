// Configuration of an example Next.js app that hosts the dashboard, used by the browser tests. It serves the
// dashboard's files from public/hub, and the dashboard's index.html for every other address below /hub.
//
// It also sets the security headers that a page cannot set for itself. The rest of the content security policy is in
// that index.html.
const guards = [
  { key: "content-security-policy", value: "frame-ancestors 'self'" },
  { key: "x-content-type-options", value: "nosniff" },
  { key: "referrer-policy", value: "no-referrer" },
  { key: "cross-origin-opener-policy", value: "same-origin" },
  { key: "cross-origin-resource-policy", value: "same-origin" },
];

export default {
  skipTrailingSlashRedirect: true,
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
  async headers() {
    return [{ source: "/:path*", headers: guards }];
  },
  async rewrites() {
    return {
      afterFiles: [
        { source: "/hub", destination: "/hub/index.html" },
        { source: "/hub/:path*", destination: "/hub/index.html" },
      ],
    };
  },
};
