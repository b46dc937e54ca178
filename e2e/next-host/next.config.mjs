// Configuration of the Next.js host app. It serves the bundle's files from public/hub. Every other address below /hub
// is a deep link into the bundle.
//
// The response headers set what a page cannot set for itself. The rest of the policy is in the bundle's index.html.
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
