// The host serves the bundle's files from public/hub; every other address below /hub is a deep link into it.
// What no page can say of itself; the rest of its policy the bundle's index.html brings along.
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
