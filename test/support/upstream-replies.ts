import { once } from 'node:events';
import { type JsonObject, formatSse } from '#base';
import { readRecording, toRecordedMessages } from './recordings.ts';
import { type AnswerEvent, type AnswerPlan, createAnswer, createAnswerEvents } from './upstream-answers.ts';
import type { UpstreamExchange } from './upstream-exchange.ts';

/** How the mock provider handles one request. */
export type Reply = (exchange: UpstreamExchange) => Promise<void>;

const SSE = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };

interface TextAnswer {
  status: number;
  type: string;
  text: string;
  headers?: Record<string, string>;
}

export async function sendText(exchange: UpstreamExchange, answer: TextAnswer): Promise<void> {
  const length = String(Buffer.byteLength(answer.text));
  await exchange.sendHead(answer.status, {
    'content-type': answer.type,
    'content-length': length,
    ...answer.headers,
  });
  exchange.truth.chunksSent += 1;
  await exchange.end(answer.text);
}

async function sendEvent(exchange: UpstreamExchange, event: AnswerEvent): Promise<void> {
  if (exchange.closed.aborted) return;
  exchange.truth.chunksSent += 1;
  exchange.truth.outputTokens += event.tokens;
  await exchange.sendBody(formatSse(event));
}

/** The format's own error object. */
function createErrorBody(exchange: UpstreamExchange, type: string, message: string): JsonObject {
  const { format } = exchange.truth;
  if (format === 'messages') return { type: 'error', error: { type, message } };
  if (format === 'gemini') return { error: { code: 500, message, status: type.toUpperCase() } };
  return { error: { message, type, param: null, code: type } };
}

/** An honest answer in the request's format, JSON or streamed as requested; `everyMs` spaces the events. */
export function answer(plan: AnswerPlan = {}, everyMs = 0): Reply {
  return async (exchange) => {
    if (!exchange.truth.stream) {
      await exchange.pause(everyMs);
      const { body, tokens } = createAnswer(plan, exchange.truth);
      exchange.truth.outputTokens = tokens;
      await exchange.sendJson(body);
      return;
    }
    await exchange.sendHead(200, SSE);
    for (const event of createAnswerEvents(plan, exchange.truth)) {
      await sendEvent(exchange, event);
      await exchange.pause(everyMs);
    }
    await exchange.end();
  };
}

/** An honest answer that halts until it is released: a stream after its first words, another before its first byte. */
export function haltedAnswer(released: Promise<unknown>, plan: AnswerPlan = {}): Reply {
  return async (exchange) => {
    const halt = (): Promise<unknown> =>
      Promise.race([released, once(exchange.closed, 'abort').catch(() => undefined)]);
    if (!exchange.truth.stream) {
      await halt();
      return answer(plan)(exchange);
    }
    await exchange.sendHead(200, SSE);
    const events = createAnswerEvents(plan, exchange.truth);
    const firstWords = 1 + events.findIndex(({ tokens }) => tokens > 0);
    for (const event of events.slice(0, firstWords)) await sendEvent(exchange, event);
    await halt();
    for (const event of events.slice(firstWords)) await sendEvent(exchange, event);
    if (!exchange.closed.aborted) await exchange.end();
  };
}

/** An answer whose usage is left out. */
export function answerWithoutUsage(plan: AnswerPlan = {}): Reply {
  return answer({ ...plan, usage: null });
}

/** Never sends a byte. */
export function hang(): Reply {
  return async () => undefined;
}

export function resetBeforeHeaders(): Reply {
  return async (exchange) => exchange.reset();
}

/** Announces a longer body than it sends, then resets. */
export function resetMidBody(plan: AnswerPlan = {}): Reply {
  return async (exchange) => {
    const text = JSON.stringify(createAnswer(plan, exchange.truth).body);
    await exchange.sendHead(200, {
      'content-type': 'application/json',
      'content-length': String(text.length),
    });
    await exchange.sendBody(text.slice(0, Math.floor(text.length / 2)));
    await exchange.pause(20);
    exchange.reset();
  };
}

/** How a stream stops before its end: a FIN, a reset, a proper end of the body, or silence. */
type CutKind = 'fin' | 'reset' | 'end' | 'silence';

/** Streams `count` events and then stops. */
export function cutAfter(
  count: number,
  { how = 'fin', ...plan }: AnswerPlan & { how?: CutKind } = {},
): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, SSE);
    for (const event of createAnswerEvents(plan, exchange.truth).slice(0, count))
      await sendEvent(exchange, event);
    await exchange.pause(20);
    if (how === 'fin') exchange.cut();
    else if (how === 'reset') exchange.reset();
    else if (how === 'end') await exchange.end();
  };
}

/** A captive portal's page with status 200. */
export function wrongContentType(): Reply {
  const text = '<html><body>Please log in to the network.</body></html>';
  return (exchange) => sendText(exchange, { status: 200, type: 'text/html', text });
}

/** Any status with the format's error object; 429, 500, 503, 529, 401, 400… */
export function fail(
  status: number,
  type: string,
  { message = `mock ${type}`, headers = {} }: { message?: string; headers?: Record<string, string> } = {},
): Reply {
  return (exchange) =>
    sendText(exchange, {
      status,
      type: 'application/json',
      text: JSON.stringify(createErrorBody(exchange, type, message)),
      headers,
    });
}

/** 429 with any `retry-after` text, sensible or not; without an argument the header is absent. */
export function rateLimited(retryAfter?: string): Reply {
  return fail(
    429,
    'rate_limit_error',
    retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } },
  );
}

export function overloaded(status: 529 | 503 = 529): Reply {
  return fail(status, 'overloaded_error');
}

/** Status 200 with an error object instead of an answer. */
export function errorWithOk(type = 'api_error'): Reply {
  return (exchange) => exchange.sendJson(createErrorBody(exchange, type, 'mock error with status 200'));
}

/** `count` events, then an error as an event; with 0 the error is the first event. */
export function errorAfter(count: number, type = 'overloaded_error'): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, SSE);
    for (const event of createAnswerEvents({}, exchange.truth).slice(0, count))
      await sendEvent(exchange, event);
    await sendEvent(exchange, { ...createErrorEvent(exchange, type), tokens: 0 });
    await exchange.end();
  };
}

function createErrorEvent(exchange: UpstreamExchange, type: string): Omit<AnswerEvent, 'tokens'> {
  const message = 'mock error in the stream';
  const { format } = exchange.truth;
  if (format === 'responses')
    return { event: 'error', data: JSON.stringify({ type: 'error', code: type, message, param: null }) };
  const data = JSON.stringify(createErrorBody(exchange, type, message));
  return format === 'messages' ? { event: 'error', data } : { data };
}

/** The whole answer one byte at a time, head included. */
export function slowDrip(everyMs: number, plan: AnswerPlan = {}): Reply {
  return async (exchange) => {
    const { stream } = exchange.truth;
    const events = createAnswerEvents(plan, exchange.truth);
    const body = stream
      ? events.map(formatSse).join('')
      : JSON.stringify(createAnswer(plan, exchange.truth).body);
    const bytes = Buffer.from(body);
    const type = stream ? SSE['content-type'] : 'application/json';
    const head = Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    );
    for (const byte of Buffer.concat([head, bytes])) {
      if (exchange.closed.aborted) return;
      await exchange.sendRaw(Buffer.of(byte));
      await exchange.pause(everyMs);
    }
    await exchange.end();
  };
}

/** Text deltas without end, whatever `max_tokens` was, as fast as they are read or at an interval. */
export function endless(everyMs = 0, text = 'more '): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, SSE);
    const events = createAnswerEvents({ text, chunks: 1 }, exchange.truth);
    const at = events.findIndex((event) => event.tokens > 0);
    for (const event of events.slice(0, at)) await sendEvent(exchange, event);
    const delta = events[at] ?? { data: '', tokens: 0 };
    while (!exchange.closed.aborted) {
      await sendEvent(exchange, delta);
      await (everyMs > 0 ? exchange.pause(everyMs) : new Promise(setImmediate));
    }
  };
}

/** One event whose line never ends within `bytes` bytes. */
export function hugeEvent(bytes: number): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, SSE);
    await exchange.sendBody('data: "');
    const block = Buffer.alloc(64 * 1024, 'x');
    for (let sent = 0; sent < bytes && !exchange.closed.aborted; sent += block.length)
      await exchange.sendBody(block);
    await exchange.sendBody('"\n\n');
    await exchange.end();
  };
}

/** Status 3xx to another address, which must not be followed. */
export function redirect(location: string, status = 302): Reply {
  return (exchange) =>
    sendText(exchange, { status, type: 'text/plain', text: 'moved', headers: { location } });
}

/** An open connection that only sends comments, without end. */
export function onlyComments(everyMs: number): Reply {
  return async (exchange) => {
    await exchange.sendHead(200, SSE);
    while (!exchange.closed.aborted) {
      await exchange.sendBody(': keep-alive\n\n');
      await exchange.pause(everyMs);
    }
  };
}

/** The test's own bytes, then a FIN. */
export function raw(bytes: string | Buffer): Reply {
  return async (exchange) => {
    await exchange.sendRaw(bytes);
    await exchange.pause(20);
    exchange.cut();
  };
}

/** Any text with status 200. */
export function answerText(type: string, text: string): Reply {
  return (exchange) => sendText(exchange, { status: 200, type, text });
}

/** Replays a recorded answer, such as `groq/groq-tool-call.chunks.txt`. */
export function replay(file: string): Reply {
  const recording = readRecording(file);
  return async (exchange) => {
    if (recording.kind === 'body') {
      await sendText(exchange, { status: 200, type: 'application/json', text: recording.text });
      return;
    }
    await exchange.sendHead(200, SSE);
    for (const message of toRecordedMessages(recording)) await sendEvent(exchange, { ...message, tokens: 0 });
    await exchange.end();
  };
}

/** The first request gets the first reply, the last reply serves all that follow. */
export function sequence(...replies: [Reply, ...Reply[]]): Reply {
  let turn = 0;
  return (exchange) => {
    const reply = replies[Math.min(turn, replies.length - 1)] ?? replies[0];
    turn += 1;
    return reply(exchange);
  };
}
