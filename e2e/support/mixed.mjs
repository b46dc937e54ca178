// Test home (OpenClaw state folder) in which some messages are both in the transcripts and in the coordination log. It
// is the fixture home `STORES`, whose sessions are in databases, plus a log like that of the OpenClaw fork
// (`docs/contract/events.md`).
import { eventually, message, startMonitor } from "./monitor.mjs";
import { STORES } from "./views.mjs";

/** The work session that the log names. */
export const LOGGED = "ws_fork";

/**
 * Starts the monitor on it. The log has the first message of the longest talk whole and its answer cut at 200
 * characters; of what was said after that it has nothing. It also has a delegation and a talk that no transcript tells of.
 */
export async function startMixed(options = {}) {
  const monitor = await startMonitor({ ...STORES, ...options });
  try {
    const messages = await eventually("the transcripts are told", () => longest(monitor));
    const [asked, answered] = messages;
    const place = { session: LOGGED, conversation: "fork" };
    const answer = message({ ...place, type: "a2a.response", from: answered.from, to: answered.to, text: answered.text, at: answered.at + 40 });
    delete answer.data.message;
    const delegated = { fromAgent: "ruda", toAgent: "seum", targetSessionKey: "agent:seum:subagent:9", label: "log-only", message: "로그에만 있는 일을 맡깁니다.", conversationId: "child", workSessionId: LOGGED };
    const alone = { session: "ws_alone", conversation: "alone", from: "seum", to: "dajim", at: asked.at + 120_000 };
    await monitor.append(
      message({ ...place, from: asked.from, to: asked.to, text: asked.text, at: asked.at + 40 }),
      answer,
      { type: "a2a.spawn", agentId: "ruda", ts: asked.at + 60_000, data: delegated },
      message({ ...alone, text: "로그에만 있는 부탁입니다." }),
      message({ ...alone, type: "a2a.response", from: alone.to, to: alone.from, text: "로그에만 있는 답입니다.", at: alone.at + 9_000 }),
    );
    const page = await eventually("the log is joined", async () => {
      const page = await monitor.get(`/api/v2/sessions/${LOGGED}/threads/conv:fork?limit=100`);
      return page.messages.length > 2 && page.messages[1].filled && page;
    });
    return { monitor, page, thread: `/s/${LOGGED}/t/conv%3Afork` };
  } catch (error) {
    await monitor.stop();
    throw error;
  }
}

/** The messages of the longest talk of all. */
async function longest(monitor) {
  const { sessions } = await monitor.get("/api/v2/sessions?limit=200");
  const of = (session) => `/api/v2/sessions/${encodeURIComponent(session.workSessionId)}`;
  const details = await Promise.all(sessions.map((session) => monitor.get(of(session))));
  const threads = details.flatMap(({ session, threads }) => threads.map((thread) => ({ session, thread })));
  const { session, thread } = threads.reduce((best, one) => (one.thread.messageCount > best.thread.messageCount ? one : best));
  if (thread.messageCount < 12) return null;
  return (await monitor.get(`${of(session)}/threads/${encodeURIComponent(thread.threadId)}?limit=100`)).messages;
}
