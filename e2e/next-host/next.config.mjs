// The host serves the bundle's files from public/hub; every other address below /hub is a deep link into it.
export default {
  skipTrailingSlashRedirect: true,
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
  async rewrites() {
    return {
      afterFiles: [
        { source: "/hub", destination: "/hub/index.html" },
        { source: "/hub/:path*", destination: "/hub/index.html" },
      ],
    };
  },
};
