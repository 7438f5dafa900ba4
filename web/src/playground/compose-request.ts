/** What is asked of every model, as the form has it: texts, which may be empty. */
export interface Question {
  system: string;
  prompt: string;
  files: readonly Attachment[];
  temperature: string;
  topP: string;
  maxTokens: string;
  effort: string;
  schema: string;
  tools: string;
}

/** A file beside the prompt, as a data URL; a text as it is. */
export interface Attachment {
  name: string;
  kind: 'image' | 'file' | 'text';
  data: string;
}

export const EMPTY_QUESTION: Question = {
  system: '',
  prompt: '',
  files: [],
  temperature: '',
  topP: '',
  maxTokens: '1024',
  effort: '',
  schema: '',
  tools: '',
};

export type Content = string | readonly object[];

export interface Message {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: Content;
  tool_calls?: readonly object[];
  tool_call_id?: string;
}

export type RequestBody = Record<string, unknown> & { model: string; messages: Message[] };

export function toContent({ prompt, files }: Pick<Question, 'prompt' | 'files'>): Content {
  if (files.length === 0) return prompt;
  return [{ type: 'text', text: prompt }, ...files.map(toPart)];
}

function toPart({ name, kind, data }: Attachment): object {
  if (kind === 'image') return { type: 'image_url', image_url: { url: data } };
  if (kind === 'file') return { type: 'file', file: { filename: name, file_data: data } };
  return { type: 'text', text: `<file name="${name}">\n${data}\n</file>` };
}

interface SaidPart {
  type: string;
  text?: string;
  image_url?: { url: string };
  file?: { filename: string };
}

/** What was asked, for showing it. */
export function readContent(content: Content): { text: string; images: string[]; files: string[] } {
  if (typeof content === 'string') return { text: content, images: [], files: [] };
  const [first, ...rest] = content as readonly SaidPart[];
  return {
    text: first?.text ?? '',
    images: rest.flatMap(({ image_url: image }) => image?.url ?? []),
    files: rest.flatMap(
      ({ text, file }) => file?.filename ?? /^<file name="([^"]*)/.exec(text ?? '')?.[1] ?? [],
    ),
  };
}

/** A request that continues with a result of a tool has no question of its own. */
export const toUserMessage = (content: Content): Message[] =>
  content === '' ? [] : [{ role: 'user', content }];

/** The body of POST /v1/chat/completions; throws where a text is no JSON or no number. */
export function composeRequest(model: string, question: Question, messages: readonly Message[]): RequestBody {
  const { system, temperature, topP, maxTokens, effort, schema, tools } = question;
  return {
    model,
    messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), ...messages],
    ...(maxTokens !== '' && { max_tokens: readNumber(maxTokens, 'Most output tokens') }),
    ...(temperature !== '' && { temperature: readNumber(temperature, 'Temperature') }),
    ...(topP !== '' && { top_p: readNumber(topP, 'Top p') }),
    ...(effort !== '' && { reasoning_effort: effort }),
    ...(schema.trim() !== '' && {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: readJson(schema, 'JSON schema') },
      },
    }),
    ...(tools.trim() !== '' && { tools: readTools(tools) }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

function readNumber(text: string, name: string): number {
  const number = Number(text);
  if (!Number.isFinite(number)) throw new Error(`${name} must be a number`);
  return number;
}

function readJson(text: string, name: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${name} is not JSON: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

/** Functions as OpenAI describes them, with or without their envelope. */
function readTools(text: string): unknown[] {
  const tools = readJson(text, 'Tools');
  if (!Array.isArray(tools)) throw new Error('Tools must be an array of functions');
  return tools.map((tool: unknown) =>
    typeof tool === 'object' && tool !== null && 'function' in tool
      ? tool
      : { type: 'function', function: tool },
  );
}
