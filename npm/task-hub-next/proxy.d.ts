import type { NextRequest } from "next/server";

export interface SignedInUser {
  name: string;
  groups?: readonly string[];
}

export interface ProxyOptions {
  /** Address of the monitor. Default: `TASK_MONITOR_URL`, else `http://127.0.0.1:3847`. */
  monitor?: string;
  /** Write token of the monitor, added to requests that change data. Default: `TASK_MONITOR_WRITE_TOKEN`. */
  token?: string;
  /** Host names under which the app is reached. Default: `TASK_HUB_HOST_NAMES`, else `localhost,127.0.0.1,[::1]`. */
  hosts?: readonly string[] | string;
  /** The signed-in user of a request. Without a user the request is answered with 401. */
  user?: (request: NextRequest) => SignedInUserResult | Promise<SignedInUserResult>;
  /** `identity.header` of the monitor. Default: `X-Forwarded-User`. */
  identityHeader?: string;
  /** `identity.groups_header` of the monitor. Default: `X-Forwarded-Groups`. */
  groupsHeader?: string;
}

type SignedInUserResult = string | SignedInUser | null | undefined;
type RouteHandler = (request: NextRequest, context: { params: Promise<{ path: string[] }> }) => Promise<Response>;

/** Route handlers for `app/api/proxy/[...path]/route.js`. */
export function createProxy(options?: ProxyOptions): Record<"GET" | "POST" | "PATCH" | "PUT" | "DELETE", RouteHandler>;
