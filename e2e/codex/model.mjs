// Stand-in for a language model on loopback. It answers the real Codex as OpenAI's Responses API does, with scripted
// turns: which one comes next follows from the results of tools in the question.
import { createServer } from "node:http";

/** A turn in which the model runs a command. Codex asks a person before it runs one outside its sandbox. */
export function shell(cmd, why) {
  const outside = why ? { sandbox_permissions: "require_escalated", justification: why } : {};
  return { name: "exec_command", args: { cmd, ...outside } };
}

/** A turn in which it makes an agent. */
export function spawnAgent(message) {
  return { name: "spawn_agent", namespace: "multi_agent_v1", args: { message, agent_type: "default" } };
}

/** A turn in which it waits for the agent that it made last. */
export function waitAgent() {
  return { name: "wait_agent", namespace: "multi_agent_v1", args: { timeout_ms: 60_000 }, forLast: true };
}

/** A turn in which it answers with a text, and ends. */
export function says(text) {
  return { text };
}

/**
 * Listens on a free port; `asked` keeps the results of tools that it was given, for tests and failures. `parts` are the
 * scripts: `of`, a text that only the questions of a script hold, and its `turns`.
 */
export async function startModel(parts) {
  const asked = [];
  let count = 0;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => (body += bytes));
    request.on("end", () => {
      if (request.method !== "POST" || !request.url.endsWith("/responses")) return response.writeHead(404).end("{}");
      const { input, tools = [] } = JSON.parse(body);
      const results = input.filter((item) => item.type.endsWith("_call_output")).map((item) => item.output);
      const said = input.filter((item) => item.type === "message" && item.role === "user").map(textOf).join("\n");
      // A question without tools is for a title, and of no part.
      const part = (tools.length > 0 && parts.find(({ of }) => said.includes(of))) || { turns: [says("쿠폰")] };
      const turn = part.turns[Math.min(results.length, part.turns.length - 1)];
      if (tools.length > 0) asked.push({ turn: turn.text ?? turn.name, results });
      answer(response, turn, results, (count += 1));
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    asked,
    url: `http://127.0.0.1:${server.address().port}/v1`,
    stop: () => new Promise((resolve) => (server.closeAllConnections(), server.close(resolve))),
  };
}

function textOf({ content }) {
  return typeof content === "string" ? content : content.map((part) => part.text ?? "").join("\n");
}

function answer(response, turn, results, number) {
  const id = `resp_${number}`;
  response.writeHead(200, { "content-type": "text/event-stream" });
  const tell = (type, fields) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  tell("response.created", { response: { id } });
  const item = turn.text === undefined ? callOf(turn, results, number) : messageOf(turn, number);
  tell("response.output_item.added", { output_index: 0, item });
  tell("response.output_item.done", { output_index: 0, item });
  const usage = { input_tokens: 10, input_tokens_details: null, output_tokens: 5, output_tokens_details: null, total_tokens: 15 };
  tell("response.completed", { response: { id, usage } });
  response.end();
}

function messageOf({ text }, number) {
  return { type: "message", role: "assistant", id: `msg_${number}`, content: [{ type: "output_text", text }] };
}

function callOf({ name, namespace, args, forLast }, results, number) {
  const last = forLast ? { targets: [JSON.parse(results.at(-1)).agent_id] } : {};
  const call = { type: "function_call", id: `fc_${number}`, call_id: `call_${number}`, name, arguments: JSON.stringify({ ...args, ...last }) };
  return namespace ? { ...call, namespace } : call;
}
