// List of all views of the page, by name and address. Layout tests, accessibility tests and screenshots share it.
import { address, titledSession } from "./steps.mjs";

/** The sizes of the visual set. */
export const SIZES = [
  { name: "1440", width: 1440, height: 1000 },
  { name: "820", width: 820, height: 1180 },
  { name: "390", width: 390, height: 844 },
];

/** A home with session stores and no log, and a moment just behind its last line. */
export const STORES = { story: "openclaw-2026.9/dot-openclaw", clock: 1_795_230_300_000 };

/** Names and addresses of the views of stored sessions, over that home. */
export const storeViews = {
  stores: "/sessions",
  records: "/sessions?records=1",
  store: "/sessions/agent:eden:main?tools=1",
  archive: "/sessions/archive/seum/9005c244-ddd0-4986-8da8-a2c8b3599fc0",
};

/** Names and addresses of the views of talk from both log and transcripts, over the home of `startMixed`. */
export const mixedViews = { origin: "/s/ws_fork/t/conv:fork", "origin-events": "/events?session=ws_fork&group=off" };

/** Names and addresses of all views over the story `everything`. */
export async function views(monitor) {
  const session = await titledSession(monitor, "결제 게이트웨이 v2.14.0");
  const detail = await monitor.get(`/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`);
  const thread = [...detail.threads].sort((a, b) => b.messageCount - a.messageCount)[0];
  const spawned = await sessionWithDelegations(monitor);
  const { tasks } = await monitor.get("/api/v2/tasks");
  return {
    home: "/",
    sessions: "/all",
    category: "/all?group=category",
    session: address(session),
    thread: address(session, thread),
    whole: `${address(session)}/whole`,
    flow: `${address(session)}/flow`,
    "flow-table": `${address(session)}/flow?view=table`,
    events: "/events",
    quality: "/events?role=system.observability&table=1",
    delegations: `/events?session=${encodeURIComponent(spawned.workSessionId)}`,
    tree: "/events?view=tree",
    tasks: "/tasks",
    task: `/tasks/${tasks[0].agentId}/${tasks[0].id}`,
    agents: "/agents",
    audit: "/audit",
    rules: "/rules?category=legal_compliance",
    drift: "/drift?table=1",
    search: "/search?q=배포",
    help: "/search",
    "nothing-found": "/search?q=없는말없는말 from:eden",
    found: "/all?q=배포",
    nothing: "/all?q=없는말없는말",
    unknown: "/no/such/page",
  };
}

/** A session whose delegation tree is worth a picture. */
async function sessionWithDelegations(monitor) {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  return sessions.reduce((best, session) => (session.delegationCount > best.delegationCount ? session : best));
}
