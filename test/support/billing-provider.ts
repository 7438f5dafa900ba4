import type { JsonObject } from '#base';
import type { MockUpstream } from './mock-upstream.ts';
import type { UpstreamExchange } from './upstream-exchange.ts';

/** What a provider bills for an answer whose client has disconnected. */
export const HABITS = {
  stops: 'a stream that stops when it is closed',
  hidden: 'the same, while the model reasons without showing it',
  toEnd: 'a stream that is billed to its end, and reports it',
  silent: 'a stream that is billed to its end, and reports nothing in time',
  json: 'a whole answer, billed to its end',
} as const;

export type Habit = keyof typeof HABITS;

export const HABIT_NAMES = Object.keys(HABITS) as Habit[];

/** When a client disconnects, in the order of an answer. The provider is not asked before the third. */
export const MOMENTS = [
  'its head is sent',
  'half of its body is sent',
  'the provider has the request',
  'the head of the answer has come',
  'a comment has come',
  'the first event has come',
  'it reasons',
  'the first word has come',
  'ten words have come',
  'it is in a tool call',
  'all but the usage has come',
  'the whole answer has come',
] as const;

/** The first moment at which the provider has been asked, and the first at which its answer has begun. */
export const ASKED = 2;
const BEGUN = 5;
/** When a model reasons, shown or hidden. */
const REASONS = 6;
const LAST = MOMENTS.length - 1;

/** A whole answer begins with its end. */
export const hasBegun = (habit: Habit, moment: number): boolean =>
  moment >= (habit === 'json' ? LAST : BEGUN);

/** Tokens per second of hidden reasoning. */
export const HIDDEN_RATE = 400;
/** The hidden reasoning of one answer. */
const HIDDEN_MS = 500;
const HIDDEN_STEPS = 10;
const WORDS = 10;
/** Four bytes are one token, as the gateway estimates. */
const WORD = 'word';

/** What the provider has on its books for one request. */
export interface BillRecord {
  habit: Habit;
  input: number;
  output: number;
  /** When the request came, and when its connection was closed, on the monotonic clock. */
  askedAtMs: number;
  closedAtMs?: number;
}

interface Step {
  send: string;
  tokens: number;
}

/** A part of an answer: what is sent to reach a moment. */
type Part = Step[];

/** A provider that answers in five leaves, halts at any moment, and keeps its own bill. */
export class BillingProvider {
  readonly upstream: MockUpstream;
  readonly #records = new Map<string, BillRecord>();
  readonly #silenced = new Set<string>();
  readonly #halts = new Map<string, { reached: () => void; released: Promise<undefined> }>();
  readonly #watches = new Map<string, { step: number; reached: () => void }>();

  constructor(upstream: MockUpstream) {
    this.upstream = upstream;
    upstream.script({ reply: (exchange) => this.#answer(exchange) });
  }

  /** What it bills for the request with a text; nothing if it was never asked. */
  find(text: string): BillRecord | undefined {
    return this.#records.get(text);
  }

  /** Halts the answer to the request with a text at a moment, until it is released. */
  haltAt(text: string, moment: number): { reached: Promise<undefined>; release(): void } {
    const reached = Promise.withResolvers<undefined>();
    const released = Promise.withResolvers<undefined>();
    this.#halts.set(`${text} ${moment}`, {
      reached: () => reached.resolve(undefined),
      released: released.promise,
    });
    return { reached: reached.promise, release: () => released.resolve(undefined) };
  }

  /** Resolves when this many steps of the answer to the request with a text are taken, or when it ends. */
  watchFor(text: string, step: number): Promise<undefined> {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#watches.set(text, { step, reached: () => resolve(undefined) });
    return promise;
  }

  /** Sends nothing more in answer to the request with a text. */
  silence(text: string): void {
    this.#silenced.add(text);
  }

  async #answer(exchange: UpstreamExchange): Promise<void> {
    const text = readText(exchange);
    const habit = text.split(' ')[0] as Habit;
    const { inputTokens: input, receivedAtMs: askedAtMs } = exchange.truth;
    const record: BillRecord = { habit, input, output: 0, askedAtMs };
    exchange.closed.addEventListener('abort', () => (record.closedAtMs = performance.now()), { once: true });
    this.#records.set(text, record);
    const parts = habit === 'json' ? createWhole(record.input) : createStream(habit, record.input);
    const isToEnd = habit !== 'stops' && habit !== 'hidden';
    // What is billed to its end is on the books from the start.
    if (isToEnd) record.output = countTokens(parts);
    const reasoning = habit === 'hidden' ? new Reasoning(exchange, record) : undefined;
    let steps = 0;
    const count = (): void => {
      const watch = this.#watches.get(text);
      if (watch && watch.step <= steps) watch.reached();
      steps += 1;
    };
    for (const [at, part] of parts.entries()) {
      if (ASKED + at === REASONS) await reasoning?.go(count);
      await this.#halt(`${text} ${ASKED + at}`, exchange, habit);
      if (ASKED + at === REASONS) reasoning?.end();
      if (habit !== 'json' && at === parts.length - 1) part.push(...createEnd(record.output));
      for (const step of part) {
        count();
        if (this.#silenced.has(text)) await exchange.waitForClose();
        if (exchange.closed.aborted) return;
        if (!isToEnd) record.output += step.tokens;
        if (at === parts.length - 1) exchange.truth.completed = true;
        await exchange.sendRaw(step.send);
        await exchange.pause(this.paceMs);
      }
    }
    this.#halts.get(`${text} ${LAST}`)?.reached();
    this.#watches.get(text)?.reached();
  }

  /** Between two steps. */
  paceMs = 0;

  async #halt(place: string, exchange: UpstreamExchange, habit: Habit): Promise<void> {
    const halt = this.#halts.get(place);
    halt?.reached();
    // Only what is billed to its end, and says so, goes on before the connection is closed.
    const goesOn = habit === 'toEnd' || habit === 'json';
    if (halt) await Promise.race([exchange.waitForClose(), ...(goesOn ? [halt.released] : [])]);
  }
}

function readText({ truth }: UpstreamExchange): string {
  const [message] = truth.body['messages'] as JsonObject[];
  const content = message?.['content'];
  if (typeof content === 'string') return content;
  const [part] = content as JsonObject[];
  return part?.['text'] as string;
}

/** Generates without showing it, from the request until `end` or until its connection is closed. */
class Reasoning {
  readonly #startedMs = performance.now();
  readonly #exchange: UpstreamExchange;
  readonly #record: BillRecord;

  constructor(exchange: UpstreamExchange, record: BillRecord) {
    this.#exchange = exchange;
    this.#record = record;
    exchange.closed.addEventListener('abort', this.end, { once: true });
  }

  /** In steps, each of which is counted. */
  async go(count: () => void): Promise<void> {
    for (let step = 0; step < HIDDEN_STEPS; step += 1) {
      count();
      await this.#exchange.pause(HIDDEN_MS / HIDDEN_STEPS);
    }
  }

  readonly end = (): void => {
    this.#exchange.closed.removeEventListener('abort', this.end);
    if (this.#record.output > 0) return;
    this.#record.output = Math.round(((performance.now() - this.#startedMs) * HIDDEN_RATE) / 1_000);
  };
}

const countTokens = (parts: readonly Part[]): number =>
  parts.flat().reduce((sum, { tokens }) => sum + tokens, 0);

const HEAD = 'HTTP/1.1 200 OK\r\n';
const toChunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const toEvent = (payload: JsonObject & { type: string }, tokens = 0): Step => ({
  send: toChunk(`event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`),
  tokens,
});
const open = (index: number, block: JsonObject): Step =>
  toEvent({ type: 'content_block_start', index, content_block: block });
const grow = (index: number, delta: JsonObject, tokens: number): Step =>
  toEvent({ type: 'content_block_delta', index, delta }, tokens);
const close = (index: number): Step => toEvent({ type: 'content_block_stop', index });

/** The parts of a stream, each of which leads to the next moment. */
function createStream(habit: Habit, input: number): Part[] {
  const word = grow(1, { type: 'text_delta', text: WORD }, 1);
  const thought = grow(0, { type: 'thinking_delta', thinking: WORD }, 1);
  const parts: Part[] = [
    [{ send: `${HEAD}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`, tokens: 0 }],
    [{ send: toChunk(': wait\n\n'), tokens: 0 }],
    [toEvent({ type: 'message_start', message: createMessage({ input_tokens: input, output_tokens: 0 }) })],
    [open(0, { type: 'thinking', thinking: '', signature: '' }), ...(habit === 'hidden' ? [] : [thought])],
    [close(0), open(1, { type: 'text', text: '' }), word],
    Array.from({ length: WORDS - 1 }, () => word),
    [
      close(1),
      open(2, { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }),
      grow(2, { type: 'input_json_delta', partial_json: '{"path":"abc' }, 3),
    ],
    [grow(2, { type: 'input_json_delta', partial_json: 'def"}   ' }, 2), close(2)],
  ];
  // The end reports what was generated.
  return [...parts, []];
}

function createEnd(output: number): Part {
  const delta = { stop_reason: 'tool_use', stop_sequence: null };
  return [
    toEvent({ type: 'message_delta', delta, usage: { output_tokens: output } }),
    toEvent({ type: 'message_stop' }),
    { send: '0\r\n\r\n', tokens: 0 },
  ];
}

function createMessage(usage: JsonObject): JsonObject {
  const rest = { content: [], stop_reason: null, stop_sequence: null, usage };
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'mock', ...rest };
}

/** The same as one body, sent in pieces. */
function createWhole(input: number): Part[] {
  const output = countTokens(createStream('toEnd', input));
  const message = createMessage({ input_tokens: input, output_tokens: output });
  const content = [{ type: 'text', text: WORD.repeat(output) }];
  const body = JSON.stringify({ ...message, content, stop_reason: 'end_turn' });
  const head = `${HEAD}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  const pieces = LAST - ASKED - 1;
  const size = Math.ceil(body.length / pieces);
  const parts = Array.from({ length: pieces }, (_, at) => body.slice(at * size, (at + 1) * size));
  return [[{ send: head, tokens: output }], ...parts.map((send) => [{ send, tokens: 0 }])];
}
