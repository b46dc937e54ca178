// Scripted substitute for Anthropic's model server, for tests with the real Claude Code: the Messages API on loopback,
// streamed or not. An answer depends only on the first messages of the request and the number of earlier answers in it,
// so every run is the same.
import { createServer } from "node:http";

/** Every word of the story, for the model that says them and the checks that look for them. */
export const SAID = {
  human: "쿠폰을 쓰면 할인이 두 번 들어갑니다. 고쳐 주세요.",
  task: "쿠폰 중복 적용 고치기",
  mate: "나라는 할인 계산을 시험한다.",
  mateLabel: "할인 계산 시험",
  request: "1번 과제입니다. 장바구니 쪽을 먼저 봐 주세요.",
  mateAsks: "시험 결과 파일 만들기",
  report: "장바구니에서 한 번, 결제에서 또 한 번 들어갑니다.",
  child: "쿠폰 코드가 쓰인 곳을 찾는다.",
  childLabel: "쿠폰 코드 찾기",
  found: "세 곳에서 쓰입니다.",
  asks: "결과 파일 만들기",
  done: "할인이 한 번만 들어가게 고쳤습니다.",
  again: "고맙습니다. 하나 더, 시험은 통과하나요?",
};

/** A program's own session has no team: these are its parts, by a text that only its first question holds. */
const PARTS = [
  { of: SAID.mate, turns: [
      call("SendMessage", { to: "team-lead", summary: "원인", message: SAID.report }),
      call("Bash", { command: "touch mate.txt", description: SAID.mateAsks }),
      says("보고했습니다."),
    ] },
  { of: SAID.child, turns: [call("Bash", { command: "ls not-there", description: "폴더 보기" }), says(SAID.found)] },
  {
    of: SAID.human,
    turns: [
      call("TaskCreate", { subject: SAID.task, description: "장바구니와 결제 단계를 본다", activeForm: "고치는 중" }),
      call("Agent", { description: SAID.mateLabel, prompt: SAID.mate, subagent_type: "general-purpose", name: "nara", run_in_background: true }),
      call("TaskUpdate", { taskId: "1", status: "in_progress" }),
      call("SendMessage", { to: "nara", summary: "부탁", message: SAID.request }),
      call("Agent", { description: SAID.childLabel, prompt: SAID.child, subagent_type: "general-purpose" }),
      call("Bash", { command: "touch made.txt", description: SAID.asks }),
      call("TaskUpdate", { taskId: "1", status: "completed" }),
      says(SAID.done),
    ],
  },
];

/** A turn in which the model calls a tool. */
export function call(name, input) {
  return { type: "tool_use", name, input };
}

/** A turn in which it answers with a text, and ends. */
export function says(text) {
  return { type: "text", text };
}

/**
 * Listens on a free port; `asked` keeps what it was asked, for a failure's sake. `parts` are the scripts: `of`, a text that
 * only the first question of a script holds, and its `turns`.
 */
export async function startModel(parts = PARTS) {
  const asked = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      const isTurn = request.url.startsWith("/v1/messages") && !request.url.includes("count_tokens");
      if (!isTurn) return json(response, { input_tokens: 10 });
      const question = JSON.parse(body);
      const turn = next(question, parts);
      asked.push({ turn: turn.text ?? turn.name, messages: question.messages.length, last: resultsOf(question.messages.at(-1)) });
      answer(response, question, turn, asked.length);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked,
    url: `http://127.0.0.1:${server.address().port}`,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

/** The turn behind as many as were. A question without tools is for a title, and of no part. */
function next({ messages, tools = [] }, parts) {
  const first = messages.filter((message) => message.role === "user").slice(0, 2).map(textOf).join("\n");
  const part = parts.find(({ of }) => first.includes(of));
  if (!part || tools.length === 0) return says("쿠폰");
  const done = messages.filter((message) => message.role === "assistant").length;
  return part.turns[Math.min(done, part.turns.length - 1)];
}

function textOf(message) {
  if (typeof message.content === "string") return message.content;
  return message.content.map((block) => block.text ?? "").join("\n");
}

/** What the tools of the last turn gave the model. */
function resultsOf(message) {
  if (typeof message.content === "string") return [];
  const results = message.content.filter((block) => block.type === "tool_result");
  return results.map(({ content, is_error }) => ({ text: typeof content === "string" ? content : textOf({ content }), failed: is_error === true }));
}

function json(response, value) {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function answer(response, question, turn, number) {
  const block = turn.type === "tool_use" ? { id: `toolu_${String(number).padStart(6, "0")}`, ...turn } : turn;
  const stop = turn.type === "tool_use" ? "tool_use" : "end_turn";
  const usage = { input_tokens: 10, output_tokens: 10 };
  const message = { id: `msg_${number}`, type: "message", role: "assistant", model: question.model, stop_sequence: null };
  if (!question.stream) return json(response, { ...message, content: [block], stop_reason: stop, usage });
  response.writeHead(200, { "content-type": "text/event-stream" });
  const tell = (type, fields) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  tell("message_start", { message: { ...message, content: [], stop_reason: null, usage } });
  const begun = turn.type === "tool_use" ? { ...block, input: {} } : { ...block, text: "" };
  tell("content_block_start", { index: 0, content_block: begun });
  const delta = turn.type === "tool_use" ? { type: "input_json_delta", partial_json: JSON.stringify(turn.input) } : { type: "text_delta", text: turn.text };
  tell("content_block_delta", { index: 0, delta });
  tell("content_block_stop", { index: 0 });
  tell("message_delta", { delta: { stop_reason: stop, stop_sequence: null }, usage });
  tell("message_stop", {});
  response.end();
}
