import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { at, listAt } from './answers.ts';
import { listen, type Listening } from './listen.ts';

/** The call that every scripted model makes first; then it says what it was answered. */
export const SCRIPTED_CALL = {
  name: 'execute',
  arguments: { entity: 'users', action: 'list', params: { limit: 1 }, select_fields: ['id'] },
};

/** What answers in the place of OpenAI and Anthropic. */
export function startModelServer(): Promise<Listening> {
  const server = createServer((request, response) => {
    answer(request).then(
      (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
      (error: unknown) => server.emit('error', error),
    );
  });
  return listen(server);
}

async function answer(request: IncomingMessage): Promise<object> {
  const body: unknown = await json(request);
  return request.url?.startsWith('/v1/messages') === true
    ? anthropicAnswer(body)
    : openAiAnswer(body);
}

function openAiAnswer(body: unknown): object {
  const result = at(body, 'input.0');
  const isResult = at(result, 'type') === 'function_call_output';
  const { name, arguments: args } = SCRIPTED_CALL;
  const call = { type: 'function_call', call_id: 'c1', name, arguments: JSON.stringify(args) };
  const text = { type: 'output_text', text: String(at(result, 'output')) };
  const message = { type: 'message', role: 'assistant', content: [text] };
  return { id: 'r1', object: 'response', output: [isResult ? message : call] };
}

function anthropicAnswer(body: unknown): object {
  const last = at(listAt(body, 'messages').at(-1), 'content.0');
  const isResult = at(last, 'type') === 'tool_result';
  const { name, arguments: input } = SCRIPTED_CALL;
  return {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    content: isResult
      ? [{ type: 'text', text: at(last, 'content') }]
      : [{ type: 'tool_use', id: 't1', name, input }],
    stop_reason: isResult ? 'end_turn' : 'tool_use',
    usage: {},
  };
}
