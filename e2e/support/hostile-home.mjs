// Generator of an OpenClaw home for `hostile.spec.mjs`. Every text that the page may show is an attack, such as script
// injection.
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

import { WRAPPINGS } from "./hostile-data.mjs";
import { FIXTURE_NOW } from "./monitor.mjs";

/** Messages of one thread: what a page of it holds, so that opening it draws all of them. */
export const TALK = 80;
/** Payloads that share one task, one plan and one raw event: each of those is opened. */
export const BUNDLE = 40;

const line = (text) => text.replace(/[\r\n\u2028\u2029\u0085\u000b\u000c]+/g, " ");
const chunks = (list, size) => Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
const hour = 3_600_000;

/** Every payload in every wrapping, as messages of threads that a page draws at once. */
function talks(texts) {
  const said = texts.flatMap((text) => Object.values(WRAPPINGS).map((wrap) => wrap(text)));
  return chunks(said, TALK).flatMap((part, talk) =>
    part.map((text, n) => {
      const asks = n % 2 === 0;
      const [from, to] = asks ? ["eden", "seum"] : ["seum", "eden"];
      return {
        type: asks ? "a2a.send" : "a2a.response",
        agentId: from,
        ts: FIXTURE_NOW - 20 * hour + talk * 100_000 + n * 1_000,
        data: {
          fromAgent: from,
          toAgent: to,
          message: text,
          ...(asks ? {} : { replyPreview: text.slice(0, 200) }),
          conversationId: `talk-${talk}`,
          workSessionId: `ws_talk_${talk}`,
          eventRole: "conversation.main",
          fromSessionType: "main",
          toSessionType: "main",
        },
      };
    }),
  );
}

/** What one payload does to every field of the events of a session that bears its name. */
function session(text, place) {
  const common = { workSessionId: text, conversationId: text, previousWorkSessionId: text, parentConversationId: text };
  const main = { ...common, eventRole: "conversation.main", fromSessionType: "main", toSessionType: "main" };
  const worker = `agent-${place}`;
  const at = FIXTURE_NOW - 10 * hour + place * 20_000;
  const event = (n, type, data, agentId = text) => ({ type, agentId, ts: at + n * 1_000, data });
  return [
    event(0, "a2a.send", {
      ...main, fromAgent: text, toAgent: worker, message: `말 ${text}`, label: text, collabSubTags: [text, `${text} 둘`],
      collabIntent: text, categorySource: text, categoryVersion: text, messageIntent: text, topicId: text, taskId: text,
      payloadType: text, payloadJson: JSON.stringify({ [text]: text, taskTitle: text, acceptanceCriteria: [text], status: text }),
    }),
    event(1, "a2a.retry", { ...main, fromAgent: text, toAgent: worker, attempt: 1, maxAttempts: 3, errorCategory: text, errorCode: text, reason: text, backoffMs: 10, elapsedMs: 20 }),
    event(2, "a2a.response", { ...main, fromAgent: worker, toAgent: text, outcome: "no_reply", waitStatus: text, waitError: text, message: `[outcome] no_reply: 메시지가 전달되었으나 응답을 수신하지 못했습니다 (${text})` }),
    event(3, "a2a.send", { ...main, fromAgent: worker, toAgent: text, message: text, runId: text }),
    event(4, "a2a.response", { ...common, fromAgent: worker, toAgent: text, outcome: "blocked", message: `[outcome] blocked: 동시 처리 한도 초과 (agent: ${text})` }, text),
    event(5, "a2a.response", { ...main, fromAgent: text, toAgent: worker, message: text, replyPreview: text.slice(0, 200), turn: 1, maxTurns: 3, outcome: text, terminationReason: text }),
    event(6, "a2a.complete", { ...main, fromAgent: text, toAgent: worker, outcome: "failed", error: text, terminationReason: text, waitError: text }),
    event(7, "a2a.auto_route", { senderAgentId: text, targetAgentId: worker, channelId: text, maxTurns: 5, message: text, conversationId: text, workSessionId: text }),
    event(8, "a2a.spawn", { ...common, fromAgent: text, toAgent: worker, targetSessionKey: `agent:${worker}:subagent:${text}`, message: text, replyPreview: text, label: text, depth: 0, hop: 0, runId: `run ${text}` }),
    event(9, "a2a.spawn_result", { ...common, fromAgent: text, toAgent: worker, status: place % 2 === 0 ? "error" : "accepted", error: text, label: text, runId: `run ${text}`, replyPreview: `spawn failed: ${text}` }),
    event(10, "a2a.response", { ...common, fromAgent: worker, toAgent: text, turn: 1, maxTurns: 1, runId: `run ${text}`, replyPreview: `[failed: ${text}]`, depth: 0 }),
    event(11, "task.blocked", { workSessionId: text, taskId: `task_row_${place}`, reason: text, unblockedBy: [text, worker] }, worker),
    event(12, "task.backlog_added", { workSessionId: text, taskId: `task_row_${place}`, assignee: text, isCrossAgent: true, title: text, summary: text }),
    event(13, "unblock.requested", { workSessionId: text, taskId: `task_row_${place}`, targetAgentId: text, requestCount: 1 }, worker),
    event(14, "continuation.backoff", { workSessionId: text, taskId: `task_row_${place}`, reason: text, consecutiveFailures: 2, backoffMs: 10 }, worker),
    event(15, "zombie.abandoned", { workSessionId: text, taskId: `task_row_${place}`, ageHours: 26, reassignCount: 1, action: text }, worker),
    event(16, "plan.submitted", { workSessionId: text, taskId: `task_row_${place}`, planId: text, title: text, description: text }, worker),
    event(17, "tool.called", { workSessionId: text, toolName: text, tool_name: text, error_message: text, status: text }, worker),
    // The name of a kind of event, and the key of a field.
    event(18, text, { workSessionId: text, [text]: text, nested: { [text]: [text, { [text]: null }] } }),
  ];
}

/** An event that holds many payloads: its raw panel shows all of them, as keys and as values. */
function everything(texts, place) {
  const list = Object.fromEntries(texts.map((text) => [text, text]));
  return { type: "custom.thing", agentId: "eden", ts: FIXTURE_NOW - 5 * hour + place * 1_000, data: { workSessionId: `ws_raw_${place}`, list, texts } };
}

function taskFile(id, texts, place) {
  const [first] = texts;
  const lines = texts.map(line);
  return [
    `# Task: ${id}`,
    "",
    "## Metadata",
    "- **Status:** blocked",
    `- **Priority:** ${place % 3 === 0 ? line(first) : "high"}`,
    "- **Created:** 2026-02-20T08:41:40.000Z",
    `- **Source:** ${place % 2 === 0 ? line(first) : `request:${line(first)}`}`,
    `- **Work Session:** ${line(first)}`,
    `- **Previous Work Session:** ${line(first)}`,
    `- **Created By Session:** agent:${line(first)}:main`,
    "",
    "## Description",
    ...lines,
    "",
    "## Context",
    ...lines,
    "",
    "## Steps",
    ...lines.map((text, n) => `- [${["x", ">", " ", "-"][n % 4]}] (s${n + 1}) ${text}`),
    "",
    "## Progress",
    ...lines.map((text) => `- ${text}`),
    ...lines.map((text) => `- [BLOCKED] ${text}`),
    ...lines.map((text) => `- [UNBLOCK REQUEST 1/3] Sent to ${text}`),
    ...lines.map((text) => `- Task cancelled: ${text}`),
    "",
    "## Last Activity",
    "2026-02-21T05:04:00.000Z",
    "",
    "## Blocking",
    "```json",
    JSON.stringify({ blockedReason: texts.join(" "), unblockedBy: texts, unblockedAction: texts.join(" "), unblockRequestCount: 2, escalationState: first }),
    "```",
    "",
    "## Backlog",
    "```json",
    JSON.stringify({ createdBy: first, assignee: first, dependsOn: texts, estimatedEffort: first, dueDate: first, milestoneId: first }),
    "```",
    "",
    "## Delegations",
    "```json",
    JSON.stringify({
      delegations: texts.map((text, n) => ({ delegationId: `d${n}`, runId: text, targetAgentId: text, task: text, label: text, status: "rejected", retryCount: 1, maxRetries: 3, previousErrors: [text], resultSnapshot: { content: text, outcomeStatus: text }, verificationNote: text })),
    }),
    "```",
    "",
  ].join("\n");
}

/** What was done: every text of an entry is hostile. */
function history(texts) {
  const entries = texts.map((text, n) =>
    ["---", "", `## [2026-02-17T05:${String(n % 60).padStart(2, "0")}:12.345Z] ${line(text)}`, "", `**Context:** ${line(text)}`, `**Task ID:** task_past_${n}`, `**Priority:** ${line(text)}`, "**Duration:** 2h 40m", "", "### Progress", `- ${line(text)}`, "", "### Summary", text, ""].join("\n"),
  );
  return `# Task History - February 2026\n\n${entries.join("\n")}`;
}

/** The Discord id of the so manieth person of the settings. */
const discordId = (n) => `123456789012345${String(n).padStart(3, "0")}`;

/** Words that may be taught: a word beside marks. What reads as code or a path is none, and one such refuses the whole file. */
const teachable = (text) => [...text].length <= 40 && /^[<>"'!?]*\p{Script=Latin}{2,}[<>"'!?]*$/u.test(text);
/** Any name of an agent may be. */
const hintable = (id) => id.length <= 200 && /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(id);

/**
 * Writes the home. Each text of `said` is a message in each wrapping. Each of `texts` names a session, an agent and a task,
 * has its part of a raw event and of a task that shows all fields, and stands in overrides, audit log and settings.
 */
export async function writeHome(home, said, texts) {
  const put = async (name, text) => {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const bundles = chunks(texts, BUNDLE);
  const events = [...talks(said), ...texts.flatMap(session), ...bundles.map(everything)];
  // Lines that are no event: as they are, as a cut record, and as a record without a kind.
  const bad = texts.flatMap((text, n) => [line(text), `{"type":"${line(text)}`, JSON.stringify({ ts: text, data: text })].slice(n % 3, (n % 3) + 1));
  await put("logs/coordination-events.ndjson", [...bad, ...events.map((event) => JSON.stringify(event))].map((text) => `${text}\n`).join(""));

  const agents = texts.map((text, n) => {
    // Half of the names stand in the configuration, half in the agents' own files.
    const named = n % 2 === 0;
    return { id: `agent-${n}`, name: text, ...(named ? { identity: { name: text, emoji: text, theme: text, avatar: text } } : {}) };
  });
  await put("openclaw.json", JSON.stringify({ agents: { list: [{ id: "eden", default: true }, { id: "seum" }, ...agents] } }));
  for (const [n, text] of texts.entries()) {
    if (n % 2 === 1) await put(`workspace-agent-${n}/IDENTITY.md`, `- **Name:** ${line(text)}\n- **Emoji:** ${line(text)}\n- **Avatar:** ${line(text)}\n- **Vibe:** ${line(text)}\n`);
    await put(`workspace-agent-${n}/tasks/task_row_${n}.md`, taskFile(`task_row_${n}`, [text], n));
  }
  for (const [n, part] of bundles.entries()) {
    await put(`workspace/tasks/task_all_${n}.md`, taskFile(`task_all_${n}`, part, n));
    const plan = { agentId: "eden", taskId: `task_all_${n}`, title: part.join(" "), steps: part, toolsRequested: part, id: `plan_all_${n}`, status: "rejected", submittedAt: "2026-02-17T02:25:00.000Z", decidedAt: "2026-02-17T02:40:00.000Z", decidedBy: part[0], rejectReason: part.join(" "), [part[0]]: part };
    await put(`workspace/.openclaw/plans/plan_all_${n}.json`, JSON.stringify(plan));
  }
  await put("workspace/task-history/2026-02.md", history(texts));
  await put("workspace/MILESTONES.md", texts.map((text, n) => (n % 10 === 0 ? `## ${line(text)}` : `- [${n % 2 === 0 ? "x" : " "}] ${line(text)}`)).join("\n"));
  await put("workspace/CURRENT_TASK.md", `# Current Task\n\n**Focus:** task_all_0\n\n## ${line(texts[0])}\n`);

  const ids = [...new Set(texts.map((text) => text.trim()).filter((text) => text !== ""))];
  const overrides = ids.map((id) => [id, { collabCategory: "infra_ops", updatedAt: "2026-02-21T02:55:00.000Z", updatedBy: id, reason: id }]);
  await put("work-session-category-overrides.json", JSON.stringify(Object.fromEntries(overrides)));
  const audit = ids.map((id, n) => JSON.stringify({ at: new Date(FIXTURE_NOW - 30 * hour + n).toISOString(), workSessionId: id, ...(n % 2 === 0 ? { from: id } : {}), to: n % 3 === 0 ? id : "infra_ops", by: id, reason: id, requestId: id }));
  await put("work-session-category-audit.ndjson", audit.map((text) => `${text}\n`).join(""));

  const words = [...new Map(texts.filter(teachable).map((text) => [text.toLowerCase(), text])).values()].slice(0, 150);
  const hints = [...new Set(ids.map((id) => id.toLowerCase()).filter(hintable))].slice(0, 100);
  const lessons = {
    words: words.map((word) => ({ word, category: "infra_ops", weight: 1 })),
    agents: hints.map((agent) => ({ agent, category: "infra_ops", weight: 1 })),
    updatedAt: "2026-02-21T02:55:00.000Z",
    updatedBy: texts[0],
  };
  await put("task-hub-classifier.json", JSON.stringify(lessons));
  await put("task-hub-shared.ndjson", shared(texts));
  const state = Object.fromEntries(texts.map((text, n) => [`agent-${n}`, { agentId: `agent-${n}`, role: text, currentTaskId: text, lastHeartbeatMs: FIXTURE_NOW, status: "interrupted", consecutiveFailures: 2, lastFailureReason: text, backoffUntilMs: FIXTURE_NOW + hour }]));
  await put("team-state.json", JSON.stringify({ version: 1, agents: state, lastUpdatedMs: FIXTURE_NOW }));
  await put("thread-route-cache.json", JSON.stringify({ version: 1, entries: Object.fromEntries(ids.map((id) => [id, { threadId: "1", channelId: "1", threadName: id, agents: [id], createdAt: 1 }])), updatedAt: 1 }));
  return { events: events.length, bad: bad.length, tasks: texts.length + bundles.length };
}

/** Notes on the talks and views for everybody, by hostile people. */
function shared(texts) {
  const record = (text, n) => {
    const place = { workSessionId: `ws_talk_${n % 4}` };
    const content = n % 12 === 0 ? { kind: "view", name: line(text).slice(0, 60), path: "/all" } : { kind: "note", place, text };
    return { at: FIXTURE_NOW - n, by: line(text).slice(0, 200), id: `note-${n}`, revision: 1, content };
  };
  const mark = { at: FIXTURE_NOW, by: line(texts[0]), id: "mark", revision: 1, content: { kind: "resolved", place: { workSessionId: "ws_talk_0" }, reason: texts[0] } };
  return [...texts.map(record), mark].map((one) => `${JSON.stringify(one)}\n`).join("");
}

/** The monitor's own settings: people named by their Discord ids, and a way back with a hostile label. */
export async function writeConfig(file, texts) {
  const quoted = (text) => JSON.stringify(line(text).replace(/\p{C}/gu, ""));
  const names = texts.filter((text) => [...line(text)].length <= 80 && line(text).replace(/\p{C}/gu, "").trim() !== "").slice(0, 40);
  const users = names.map((text, n) => `"${discordId(n)}" = ${quoted(text)}`);
  await writeFile(file, `[host_link]\nlabel = ${quoted(texts.find((text) => text.includes("<img")) ?? texts[0])}\nurl = "https://hub.example/"\n\n[discord_users]\n${users.join("\n")}\n`);
}
