// Scripted substitute for a model server, for tests with the real OpenClaw: OpenAI's chat-completions format on
// loopback, streamed or not. An answer depends only on the request, so every run is the same.
import { createServer } from "node:http";

/** Every word of the story, for the model that says them and the checks that look for them. */
export const SAID = {
  human: "결제 게이트웨이 점검을 이든에게 부탁하고 문서는 일꾼에게 맡겨 주세요. (받은 말 1)",
  request: "[Goal] 결제 게이트웨이 v3.1 점검: staging 상태를 확인하고 결과를 알려 주세요.",
  answer: "staging 확인했습니다. 오류율 0.02%, 배포해도 좋습니다.",
  task: "결제 게이트웨이 설치 문서의 오타 세 곳을 고쳐 주세요.",
  label: "docs-fix",
  result: "오타 세 곳을 고쳤습니다. 남은 것은 없습니다.",
  told: "이든의 점검이 끝났고 문서는 일꾼에게 맡겼습니다.",
  nudge: "저녁 배포 전에 한 번 더 물어봐 주세요. (받은 말 2)",
  home: "일꾼이 문서의 오타를 고쳤습니다.",
  again: "[Goal] 저녁 배포 전 재점검: 결제 알림 지연이 있는지 봐 주세요.",
  calm: "결제 알림 지연은 없습니다. 그대로 진행하세요.",
  reported: "재점검도 이상이 없습니다.",
};

/**
 * Who is asked what, by words of the newest question; tool calls are made one after the other. A part may `fail` with an
 * HTTP status and an error text, or answer `late`, after so many milliseconds.
 */
const PARTS = [
  {
    asked: SAID.human,
    calls: [
      ["sessions_send", { sessionKey: "agent:eden:main", message: SAID.request, timeoutSeconds: 60 }],
      ["sessions_spawn", { task: SAID.task, label: SAID.label, agentId: "worker-quick", runTimeoutSeconds: 120 }],
    ],
    says: SAID.told,
  },
  {
    asked: SAID.nudge,
    calls: [["sessions_send", { sessionKey: "agent:eden:main", message: SAID.again, timeoutSeconds: 60 }]],
    says: SAID.reported,
  },
  { asked: SAID.request, calls: [], says: SAID.answer },
  { asked: SAID.again, calls: [], says: SAID.calm },
  // The child's own first message; its parent is told of the task too, and has nothing to do for it.
  { asked: `[Subagent Task]\n\n${SAID.task}`, calls: [], says: SAID.result },
];

/** Plays `parts` on a free port; `asked` keeps what it was asked, for a failure's sake. */
export async function startModel(parts = PARTS) {
  const asked = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      if (!request.url.endsWith("/chat/completions")) return response.writeHead(404).end();
      const question = JSON.parse(body);
      const turn = next(question.messages, parts);
      asked.push({ question: lastAsked(question.messages).slice(-200), turn });
      const number = asked.length;
      setTimeout(() => answer(response, question, turn, number), turn.late ?? 0);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked,
    url: `http://127.0.0.1:${server.address().port}/v1`,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

/** The next turn: a part is played to its end, a step of the gateway is declined, of anything else there is nothing to say. */
function next(messages, parts) {
  const asks = (message, part) => message.role === "user" && !isContext(message) && textOf(message).includes(part.asked);
  const at = messages.findLastIndex((message) => parts.some((part) => asks(message, part)));
  const part = parts.find((part) => at >= 0 && asks(messages[at], part));
  const since = messages.slice(at + 1);
  const done = since.filter((message) => message.role === "tool").length;
  if (part && done < part.calls.length) return { call: part.calls[done] };
  // Steps of a talk and the results of children stand in what the gateway adds for one run.
  const added = messages.filter((message) => message.role === "system" || message.role === "developer" || isContext(message)).map(textOf).join("\n");
  if (added.includes("Agent-to-agent announce step:")) return { says: "ANNOUNCE_SKIP" };
  if (added.includes("Agent-to-agent reply step:")) return { says: "REPLY_SKIP" };
  const over = since.some((message) => message.role === "assistant" && textOf(message).includes(part?.says));
  if (part && !over) return { says: part.says, fail: part.fail, late: part.late };
  return { says: added.includes(SAID.result) ? SAID.home : "NO_REPLY" };
}

/** The gateway's own notes of the moment come in the user's name. */
const isContext = (message) => message.role === "user" && textOf(message).startsWith("<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>");

const lastAsked = (messages) => textOf(messages.findLast((message) => message.role === "user" && !isContext(message)));

function textOf(message) {
  if (typeof message?.content === "string") return message.content;
  return (message?.content ?? []).map((block) => block.text ?? "").join("\n");
}

function answer(response, question, turn, number) {
  if (turn.fail) {
    response.writeHead(turn.fail.status, { "content-type": "application/json" });
    return response.end(JSON.stringify({ error: { message: turn.fail.message, type: "invalid_request_error" } }));
  }
  const call = turn.call && {
    index: 0,
    id: `call_${number}`,
    type: "function",
    function: { name: turn.call[0], arguments: JSON.stringify(turn.call[1]) },
  };
  const message = { role: "assistant", content: turn.says ?? null, ...(call ? { tool_calls: [call] } : {}) };
  const finish = call ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  const head = { id: `chatcmpl-${number}`, created: Math.floor(Date.now() / 1000), model: question.model };
  if (!question.stream) {
    response.writeHead(200, { "content-type": "application/json" });
    return response.end(JSON.stringify({ ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage }));
  }
  const chunk = (choices, more = {}) =>
    response.write(`data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices, ...more })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  chunk([{ index: 0, delta: message, finish_reason: null }]);
  chunk([{ index: 0, delta: {}, finish_reason: finish }]);
  chunk([], { usage });
  response.end("data: [DONE]\n\n");
}
