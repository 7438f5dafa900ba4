import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { parseJsonObject } from '#base';
import type { ClientFormatId } from '#canonical';
import { askAs } from '../ask-as.ts';

/** What a client does that a polite one does not. */
export type Departure = 'leaves-before' | 'leaves-midway';

/** What a client got. */
export interface Received {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

/** Received, in the terms of its format. */
export type Said =
  | { type: 'answer'; text: string }
  | { type: 'error'; status: number }
  /** The beginning of a stream, then an error in the format of the client. */
  | { type: 'cut' }
  | { type: 'misshapen'; why: string };

interface Ask {
  format: ClientFormatId;
  model: string;
  stream: boolean;
  /** Comes back in the row of the request. */
  id: string;
  leaves?: Departure | undefined;
  /** Resolves when a client that disconnects before the first event may. */
  hasArrived?(): Promise<unknown>;
}

const QUESTION = 'Tell me.';

/** One client with one connection, as long as the gateway keeps it. */
export class FaultClient implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  readonly #url: string;
  readonly #apiKey: string;

  constructor(url: string, apiKey: string) {
    this.#url = url;
    this.#apiKey = apiKey;
  }

  /** Resolves with what arrived, also if the connection broke. */
  async send(ask: Ask): Promise<Received> {
    const { path, body } = createBody(ask);
    const sent = request(`${this.#url}${path}`, {
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${this.#apiKey}`,
        'x-request-id': ask.id,
      },
    });
    sent.on('error', () => undefined);
    sent.end(JSON.stringify(body));
    if (ask.leaves === 'leaves-before') void ask.hasArrived?.().then(() => sent.destroy());
    return read(sent, ask.leaves === 'leaves-midway');
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

const NOTHING: Received = { status: 0, headers: {}, text: '' };

async function read(sent: ClientRequest, leaves: boolean): Promise<Received> {
  const response = await once(sent, 'response').then(
    ([got]) => got as IncomingMessage,
    () => undefined,
  );
  if (!response) return NOTHING;
  const { statusCode: status = 0, headers } = response;
  let text = '';
  try {
    for await (const part of response.setEncoding('utf8')) {
      text += part as string;
      if (leaves && text.includes('wor')) sent.destroy();
    }
  } catch {
    // The connection broke: what arrived is judged.
  }
  return { status, headers, text };
}

function createBody({ format, model, stream }: Ask): { path: string; body: object } {
  const { path, body } = askAs(format, { model, stream, most: 50, text: QUESTION });
  return { path, body: format === 'responses' ? { ...body, store: false } : body };
}

/** Reads what a client received as a strict client of its format would. */
export function understand(format: ClientFormatId, stream: boolean, received: Received): Said {
  const { status, text } = received;
  const type = String(received.headers['content-type']);
  const misshapen = (why: string): Said => ({
    type: 'misshapen',
    why: `${why}: ${status} ${text.slice(-300)}`,
  });
  if (status === 0) return misshapen('no answer');
  if (status !== 200 || !stream) {
    if (!type.startsWith('application/json')) return misshapen(`content type ${type}`);
    const body = parse(text);
    if (!body) return misshapen('not JSON');
    if (status !== 200) return isError(format, body) ? { type: 'error', status } : misshapen('not its error');
    const words = readWords(format, body);
    return words === undefined ? misshapen('not its answer') : { type: 'answer', text: words };
  }
  if (!type.startsWith('text/event-stream')) return misshapen(`content type ${type}`);
  return understandStream(format, text) ?? misshapen('neither ended nor failed');
}

interface Part {
  text?: string;
}

/** What the formats' answers, events and errors may have. */
interface Body {
  type?: string;
  status?: string;
  stop_reason?: string;
  content?: Part[];
  choices?: { finish_reason?: string | null; message?: { content?: string }; delta?: { content?: string } }[];
  output?: { content?: Part[] }[];
  candidates?: { finishReason?: string; content?: { parts?: Part[] } }[];
  delta?: string | Part;
  response?: Body;
  error?: { message?: unknown; type?: unknown; code?: unknown; status?: unknown } | null;
}

const parse = (text: string): Body | undefined => parseJsonObject(text);

function isError(format: ClientFormatId, { type, error }: Body): boolean {
  if (typeof error?.message !== 'string' || error.message === '') return false;
  if (format === 'messages') return type === 'error' && typeof error.type === 'string';
  if (format === 'gemini') return typeof error.code === 'number' && typeof error.status === 'string';
  return typeof error.type === 'string' && typeof error.code === 'string';
}

function readWords(format: ClientFormatId, body: Body): string | undefined {
  switch (format) {
    case 'messages':
      return body.stop_reason === 'end_turn' ? joinText(body.content) : undefined;
    case 'chat':
      return body.choices?.[0]?.finish_reason === 'stop'
        ? (body.choices[0].message?.content ?? '')
        : undefined;
    case 'responses':
      if (body.status !== 'completed') return undefined;
      return body.output?.map(({ content }) => joinText(content)).join('');
    case 'gemini':
      return body.candidates?.[0]?.finishReason === 'STOP'
        ? joinText(body.candidates[0].content?.parts)
        : undefined;
  }
}

function joinText(parts: readonly Part[] = []): string {
  return parts.map(({ text = '' }) => text).join('');
}

function understandStream(format: ClientFormatId, text: string): Said | undefined {
  const events = text
    .split('\n\n')
    .map((block) => /^data: ?(.*)$/m.exec(block)?.[1])
    .filter((data) => data !== undefined);
  const isDone = isLast(format, events.at(-1) ?? '');
  const bodies = events.map(parse).filter((body) => body !== undefined);
  const hasFailed = bodies.some((body) => isStreamError(format, body));
  if (isDone === hasFailed) return undefined;
  if (!isDone) return isStreamError(format, bodies.at(-1) ?? {}) ? { type: 'cut' } : undefined;
  return { type: 'answer', text: bodies.map((body) => readDelta(format, body)).join('') };
}

function isLast(format: ClientFormatId, data: string): boolean {
  if (format === 'chat') return data === '[DONE]';
  const body = parse(data);
  if (format === 'messages') return body?.type === 'message_stop';
  if (format === 'responses') return body?.type === 'response.completed';
  return body?.candidates?.[0]?.finishReason === 'STOP';
}

/** A Responses stream fails with an `error` and ends with the failed response. */
function isStreamError(format: ClientFormatId, body: Body): boolean {
  if (format !== 'responses') return isError(format, body);
  return body.type === 'response.failed' && typeof body.response?.error?.message === 'string';
}

function readDelta(format: ClientFormatId, { type, delta, choices, candidates }: Body): string {
  if (format === 'chat') return choices?.[0]?.delta?.content ?? '';
  if (format === 'gemini') return joinText(candidates?.[0]?.content?.parts);
  if (typeof delta === 'string') return type === 'response.output_text.delta' ? delta : '';
  return delta?.text ?? '';
}
