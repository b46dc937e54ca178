import type { NextConfig } from "next";

export interface TaskHubOptions {
  /** Path of the dashboard in the app. Default: `/hub`. */
  path?: string;
  /** Path of the route with the handlers of `createProxy`, or the address of another proxy. Default: `/api/proxy`. */
  apiBase?: string;
  /** Link from the dashboard back to a page of the app. `href` is used as it is, without the app's `basePath`. */
  backLink?: { label: string; href: string };
}

type NextConfigFunction = (phase: string, context: { defaultConfig: NextConfig }) => NextConfig | Promise<NextConfig>;

/** Adds the dashboard to the configuration of a Next.js app: its files, rewrites and security headers. */
export function withTaskHub(
  nextConfig?: NextConfig | Promise<NextConfig> | NextConfigFunction,
  options?: TaskHubOptions,
): (phase: string, context: { defaultConfig: NextConfig }) => Promise<NextConfig>;
