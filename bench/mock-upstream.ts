import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import { announce } from './child.ts';

/**
 * A provider that costs as little as possible: it reads the body, searches it for two markers, and sends prepared
 * bytes.
 */
const CHUNKS = 100;
/** Slow streams send one delta every second for this long. */
const SLOW_MS = 120_000;
const SLOW_EVERY_MS = 1000;

const STREAM_MARK = Buffer.from('"stream":true');
const SLOW_MARK = Buffer.from('bench-slow');
const WORDS = 'The quick brown fox jumps over the lazy dog and keeps going ';

interface Prepared {
  json: Buffer;
  first: Buffer;
  delta: Buffer;
  last: Buffer;
}

const chunkOf = (fields: object): string =>
  `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'bench', ...fields })}\n\n`;
const eventOf = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const choice = (delta: object, finish: string | null = null): object[] => [
  { index: 0, delta, finish_reason: finish },
];

const chatUsage = { prompt_tokens: 500, completion_tokens: CHUNKS, total_tokens: 500 + CHUNKS };
const chat: Prepared = {
  json: Buffer.from(
    JSON.stringify({
      id: 'chatcmpl-bench',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'bench',
      choices: [
        { index: 0, message: { role: 'assistant', content: WORDS.repeat(20) }, finish_reason: 'stop' },
      ],
      usage: chatUsage,
    }),
  ),
  first: Buffer.from(chunkOf({ choices: choice({ role: 'assistant', content: '' }) })),
  delta: Buffer.from(chunkOf({ choices: choice({ content: 'quick brown fox ' }) })),
  last: Buffer.from(
    `${chunkOf({ choices: choice({}, 'stop') })}${chunkOf({ choices: [], usage: chatUsage })}data: [DONE]\n\n`,
  ),
};

const message = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'bench', stop_sequence: null };
const messages: Prepared = {
  json: Buffer.from(
    JSON.stringify({
      ...message,
      content: [{ type: 'text', text: WORDS.repeat(20) }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 500, output_tokens: CHUNKS },
    }),
  ),
  first: Buffer.from(
    eventOf('message_start', {
      message: { ...message, content: [], stop_reason: null, usage: { input_tokens: 500, output_tokens: 1 } },
    }) + eventOf('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  ),
  delta: Buffer.from(
    eventOf('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'quick brown fox ' } }),
  ),
  last: Buffer.from(
    eventOf('content_block_stop', { index: 0 }) +
      eventOf('message_delta', {
        delta: { stop_reason: 'end_turn', stop_sequence: null },
        usage: { output_tokens: CHUNKS },
      }) +
      eventOf('message_stop', {}),
  ),
};

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const prepared = request.url?.includes('/messages') ? messages : chat;
    answer(request, response, { prepared, body: parts.length === 1 ? parts[0]! : Buffer.concat(parts) });
  });
});

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { prepared, body }: { prepared: Prepared; body: Buffer },
): void {
  if (!body.includes(STREAM_MARK)) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': prepared.json.length });
    response.end(prepared.json);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  request.socket.setNoDelay(true);
  response.write(prepared.first);
  if (body.includes(SLOW_MARK)) sendSlowly(response, prepared);
  else setImmediate(sendNext, response, prepared, CHUNKS);
}

/** One delta per turn of the event loop, so that each is sent in its own packet. */
function sendNext(response: ServerResponse, prepared: Prepared, left: number): void {
  if (response.destroyed) return;
  if (left === 0) {
    response.end(prepared.last);
    return;
  }
  const next = (): void => void setImmediate(sendNext, response, prepared, left - 1);
  if (response.write(prepared.delta)) next();
  else response.once('drain', next);
}

function sendSlowly(response: ServerResponse, prepared: Prepared): void {
  const timer = setInterval(() => response.write(prepared.delta), SLOW_EVERY_MS);
  const ending = setTimeout(() => {
    clearInterval(timer);
    response.end(prepared.last);
  }, SLOW_MS);
  response.on('close', () => {
    clearInterval(timer);
    clearTimeout(ending);
  });
}

server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', 4096, () => announce(server));
