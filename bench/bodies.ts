import type { JsonObject } from '#base';
import type { ClientFormatId } from '#canonical';

const PROSE =
  'The build failed after the last change to the parser, so read the log, find the first error that is not a consequence of another one, and say in two sentences what caused it. ';

interface BodyPlan {
  format: ClientFormatId;
  model: string;
  /** Approximate size as JSON text. */
  bytes: number;
  stream: boolean;
}

/** A tool call and its result. */
interface Call {
  id: string;
  name: string;
  input: JsonObject;
  result: string;
}

interface OfferedTool {
  name: string;
  description: string;
  schema: JsonObject;
}

/** A format's encoding of the parts of a conversation. */
interface Wording {
  /** Everything but the conversation and the tools. */
  frame(plan: BodyPlan): JsonObject;
  /** The member that holds the conversation. */
  turns: string;
  /** Instructions as a turn, if the format has them there. */
  instruct?(text: string): JsonObject;
  ask(text: string): JsonObject;
  call(call: Call): JsonObject[];
  tools(tools: OfferedTool[]): JsonObject[];
}

const WORDINGS: Record<ClientFormatId, Wording> = {
  chat: {
    frame: ({ stream }) => ({
      max_tokens: 1000,
      ...(stream && { stream, stream_options: { include_usage: true } }),
    }),
    turns: 'messages',
    instruct: (content) => ({ role: 'system', content }),
    ask: (content) => ({ role: 'user', content }),
    call: ({ id, name, input, result }) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name, arguments: JSON.stringify(input) } }],
      },
      { role: 'tool', tool_call_id: id, content: result },
    ],
    tools: (tools) =>
      tools.map(({ name, description, schema }) => ({
        type: 'function',
        function: { name, description, parameters: schema },
      })),
  },
  messages: {
    frame: ({ stream }) => ({ max_tokens: 1000, system: PROSE.trimEnd(), ...(stream && { stream }) }),
    turns: 'messages',
    ask: (content) => ({ role: 'user', content }),
    call: ({ id, name, input, result }) => [
      { role: 'assistant', content: [{ type: 'tool_use', id, name, input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
    ],
    tools: (tools) =>
      tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })),
  },
  responses: {
    frame: ({ stream }) => ({
      max_output_tokens: 1000,
      instructions: PROSE.trimEnd(),
      store: false,
      ...(stream && { stream }),
    }),
    turns: 'input',
    ask: (content) => ({ role: 'user', content }),
    call: ({ id, name, input, result }) => [
      { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) },
      { type: 'function_call_output', call_id: id, output: result },
    ],
    tools: (tools) =>
      tools.map(({ name, description, schema }) => ({
        type: 'function',
        name,
        description,
        parameters: schema,
        strict: false,
      })),
  },
  gemini: {
    frame: () => ({
      systemInstruction: { parts: [{ text: PROSE.trimEnd() }] },
      generationConfig: { maxOutputTokens: 1000 },
    }),
    turns: 'contents',
    ask: (text) => ({ role: 'user', parts: [{ text }] }),
    call: ({ id, name, input, result }) => [
      { role: 'model', parts: [{ functionCall: { id, name, args: input } }] },
      { role: 'user', parts: [{ functionResponse: { id, name, response: { output: result } } }] },
    ],
    tools: (tools) => [
      {
        functionDeclarations: tools.map(({ name, description, schema }) => ({
          name,
          description,
          parametersJsonSchema: schema,
        })),
      },
    ],
  },
};

/** A request body an agent might send: instructions, tools, and turns that call them until the size is reached. */
export function createBody(plan: BodyPlan): string {
  const wording = WORDINGS[plan.format];
  const tools = Math.min(10, Math.ceil(plan.bytes / 4000));
  const turnBytes = plan.bytes - tools * 330 - 400;
  const turns = Math.max(1, Math.floor(turnBytes / 3000));
  const text = PROSE.repeat(Math.max(1, Math.round(turnBytes / turns / PROSE.length)));
  return JSON.stringify({
    model: plan.model,
    ...wording.frame(plan),
    [wording.turns]: [
      ...(wording.instruct ? [wording.instruct(PROSE.trimEnd())] : []),
      ...Array.from({ length: turns }, (_, at) =>
        at === 0 ? [wording.ask(text)] : wording.call(createCall(at, text)),
      ).flat(),
    ],
    tools: wording.tools(Array.from({ length: tools }, (_, at) => createTool(at))),
  });
}

function createCall(at: number, result: string): Call {
  return { id: `call_${at}`, name: 'tool_0', input: { path: `src/file-${at}.ts`, from: at }, result };
}

function createTool(at: number): OfferedTool {
  return {
    name: `tool_${at}`,
    description: 'Reads a file and gives back its lines with their numbers.',
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'The file, relative to the root of the repository.' },
        from: { type: 'integer', description: 'The first line.' },
      },
      required: ['path'],
    },
  };
}
