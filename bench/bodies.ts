import type { JsonObject } from '#base';

const PROSE =
  'The build failed after the last change to the parser, so read the log, find the first error that is not a consequence of another one, and say in two sentences what caused it. ';

export interface BodyPlan {
  format: 'chat' | 'messages';
  model: string;
  /** Roughly, as JSON text. */
  bytes: number;
  stream: boolean;
}

/** A request body an agent might send: instructions, tools, and turns that call them until the size is reached. */
export function createBody(plan: BodyPlan): string {
  const tools = Math.min(10, Math.ceil(plan.bytes / 4000));
  const turnBytes = plan.bytes - tools * 330 - 400;
  const turns = Math.max(1, Math.floor(turnBytes / 3000));
  const text = PROSE.repeat(Math.max(1, Math.round(turnBytes / turns / PROSE.length)));
  const body: JsonObject = {
    model: plan.model,
    max_tokens: 1000,
    ...(plan.format === 'messages' && { system: PROSE.trimEnd() }),
    messages: [
      ...(plan.format === 'chat' ? [{ role: 'system', content: PROSE.trimEnd() }] : []),
      ...Array.from({ length: turns }, (_, at) => createTurn(plan.format, text, at)).flat(),
    ],
    tools: Array.from({ length: tools }, (_, at) => createTool(plan.format, at)),
    ...(plan.stream && { stream: true }),
    ...(plan.stream && plan.format === 'chat' && { stream_options: { include_usage: true } }),
  };
  return JSON.stringify(body);
}

/** One question with its answer; every second one goes through a tool. The last turn is the caller's. */
function createTurn(format: 'chat' | 'messages', text: string, at: number): JsonObject[] {
  if (at === 0) return [{ role: 'user', content: text }];
  const id = `call_${at}`;
  const input = { path: `src/file-${at}.ts`, from: at };
  if (format === 'chat') {
    const call = { id, type: 'function', function: { name: 'tool_0', arguments: JSON.stringify(input) } };
    return [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content: text },
    ];
  }
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'tool_0', input }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: text }] },
  ];
}

function createTool(format: 'chat' | 'messages', at: number): JsonObject {
  const schema = {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'The file, relative to the root of the repository.' },
      from: { type: 'integer', description: 'The first line.' },
    },
    required: ['path'],
  };
  const name = `tool_${at}`;
  const description = 'Reads a file and gives back its lines with their numbers.';
  if (format === 'messages') return { name, description, input_schema: schema };
  return { type: 'function', function: { name, description, parameters: schema } };
}
