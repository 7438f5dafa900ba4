import { ApiError, GATEWAY } from '../api/client.ts';
import type { RequestBody } from './compose-request.ts';

/** A call of a tool by a model. */
export interface ToolCall {
  id: string;
  name: string;
  args: string;
}

/** What a model has answered so far. */
export interface Answer {
  state: 'waiting' | 'streaming' | 'done' | 'failed' | 'stopped';
  text: string;
  reasoning: string;
  calls: readonly ToolCall[];
  /** Data URLs. */
  images: readonly string[];
  requestId?: string;
  finish?: string;
  error?: string;
  /** Milliseconds to the first text, and to the end. */
  firstMs?: number;
  wholeMs?: number;
}

export const NO_ANSWER: Answer = { state: 'waiting', text: '', reasoning: '', calls: [], images: [] };

interface Chunk {
  error?: { message?: string };
  choices?: {
    finish_reason?: string | null;
    delta?: {
      content?: string | null;
      reasoning?: string | null;
      reasoning_content?: string | null;
      images?: { image_url?: { url?: string } }[];
      tool_calls?: { index?: number; id?: string; function?: { name?: string; arguments?: string } }[];
    };
  }[];
}

interface Run {
  body: RequestBody;
  token: string;
  signal: AbortSignal;
  onChange(answer: Answer): void;
}

/** Calls a model and reports its answer as it grows; never throws. */
export async function streamAnswer({ body, token, signal, onChange }: Run): Promise<void> {
  const startedMs = performance.now();
  let answer = NO_ANSWER;
  const change = (next: Partial<Answer>): void => {
    answer = { ...answer, ...next };
    onChange(answer);
  };
  const sinceStart = (): number => performance.now() - startedMs;
  try {
    const response = await send(body, token, signal);
    const requestId = response.headers.get('x-request-id');
    if (requestId !== null) change({ requestId });
    if (!response.ok || !response.body) throw await toError(response);
    for await (const chunk of readChunks(response.body)) {
      if (chunk.error) throw new Error(chunk.error.message ?? 'the stream ended with an error');
      const next = addChunk(answer, chunk);
      const isFirst = answer.firstMs === undefined && hasContent(next);
      change({ ...next, state: 'streaming', ...(isFirst && { firstMs: sinceStart() }) });
    }
    change({ state: 'done', wholeMs: sinceStart() });
  } catch (error) {
    const state = signal.aborted ? 'stopped' : 'failed';
    const message = error instanceof Error ? error.message : String(error);
    change({ state, wholeMs: sinceStart(), ...(state === 'failed' && { error: message }) });
  }
}

const hasContent = ({ text, reasoning, calls, images }: Answer): boolean =>
  text !== '' || reasoning !== '' || calls.length + images.length > 0;

/** Without cookies: these endpoints take keys and tokens only. */
function send(body: RequestBody, token: string, signal: AbortSignal): Promise<Response> {
  return fetch(`${GATEWAY}/v1/chat/completions`, {
    method: 'POST',
    credentials: 'omit',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'x-gateway-client': 'sluice-playground',
    },
    body: JSON.stringify(body),
    signal,
  });
}

async function toError(response: Response): Promise<ApiError> {
  const answer = (await response.json().catch(() => undefined)) as
    | { error?: { message?: string } }
    | undefined;
  const message = answer?.error?.message ?? `the gateway answered with status ${response.status}`;
  return new ApiError(message, { status: response.status, code: 'playground' });
}

/** The data of server-sent events. */
async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Chunk> {
  const reader = body
    .pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? '')).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const data = line.startsWith('data:') ? line.slice(5).trim() : '';
      if (data !== '' && data !== '[DONE]') yield JSON.parse(data) as Chunk;
    }
    if (done) return;
  }
}

function addChunk(answer: Answer, { choices = [] }: Chunk): Answer {
  const [choice] = choices;
  const { content, reasoning, reasoning_content: thought, ...rest } = choice?.delta ?? {};
  const { tool_calls: calls = [], images = [] } = rest;
  const all = answer.calls.map((call) => ({ ...call }));
  for (const { index = 0, id, function: named } of calls) {
    const call = (all[index] ??= { id: id ?? '', name: '', args: '' });
    call.name += named?.name ?? '';
    call.args += named?.arguments ?? '';
  }
  return {
    ...answer,
    text: answer.text + (content ?? ''),
    reasoning: answer.reasoning + (reasoning ?? thought ?? ''),
    calls: all,
    images: [...answer.images, ...images.flatMap(({ image_url: image }) => image?.url ?? [])],
    ...(choice?.finish_reason && { finish: choice.finish_reason }),
  };
}
