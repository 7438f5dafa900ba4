import type { JsonObject } from '#base';
import type { MovableClock } from './movable-clock.ts';
import type { MockUpstream } from './mock-upstream.ts';
import type { UpstreamExchange } from './upstream-exchange.ts';

export type BilledBy = 'anthropic' | 'openai';

/** What a provider has on its books for one request. */
export interface Billed {
  id: string;
  by: BilledBy;
  model: string;
  /** When it came. */
  at: number;
  input: number;
  read: number;
  /** For 5 minutes and for an hour. */
  written: number;
  writtenLong: number;
  output: number;
  tier: string;
  geo: string;
  /** Pico-USD. */
  cost: bigint;
  /** Whether the answer reached its end. */
  isWhole: boolean;
  fate: string | undefined;
}

/** As a provider names it, and its prices: USD per million tokens of input, cache read, written (5m, 1h) and output. */
const MODELS: Readonly<Record<string, { name: string; prices: readonly number[] }>> = {
  'claude-haiku-4-5-20251001': { name: 'claude-haiku-4-5-20251001', prices: [1, 0.1, 1.25, 2, 5] },
  'claude-sonnet-4-6': { name: 'claude-sonnet-4-6', prices: [3, 0.3, 3.75, 6, 15] },
  'claude-opus-4-6': { name: 'claude-opus-4-6', prices: [5, 0.5, 6.25, 10, 25] },
  'gpt-5-mini': { name: 'gpt-5-mini-2025-08-07', prices: [0.25, 0.025, 0.25, 0.25, 2] },
  'gpt-4o': { name: 'gpt-4o-2024-08-06', prices: [2.5, 1.25, 2.5, 2.5, 10] },
};
const FACTORS: Readonly<Record<string, bigint>> = { 'priority gpt-5-mini': 18n, 'us claude-opus-4-6': 11n };
const MINUTES = 60_000;

export function priceOf(
  model: string,
  { input, read, written, writtenLong, output }: Omit<Billed, 'cost'>,
): bigint {
  const entry = Object.values(MODELS).find(({ name }) => name === model);
  const counts = [input, read, written, writtenLong, output];
  return (entry?.prices ?? []).reduce(
    (sum, price, at) => sum + BigInt(Math.round(price * 1_000)) * 1_000n * BigInt(counts[at] ?? 0),
    0n,
  );
}

/** Words in a prompt that decide what happens to it. */
export const FATES = {
  /** The first call fails after the work was done; the second is answered. Both are billed. */
  retried: 'RETRIED',
  /** A stream that halts after some words, until its client disconnects. */
  left: 'LEFT',
  /** Ends in the next hour. */
  late: 'LATE',
} as const;

/** A provider of two formats that keeps its own bill, by the gateway's clock. */
export class BillingRecord {
  readonly bills: Billed[] = [];
  readonly #clock: MovableClock;
  readonly #cut = new Set<string>();
  #number = 0;

  constructor(upstream: MockUpstream, clock: MovableClock) {
    this.#clock = clock;
    upstream.script({ reply: (exchange) => this.#answer(exchange) });
  }

  async #answer(exchange: UpstreamExchange): Promise<void> {
    const { truth } = exchange;
    const text = truth.rawBody;
    const bill = this.#bill(exchange);
    this.bills.push(bill);
    if (bill.fate === FATES.retried && !this.#cut.has(text)) {
      this.#cut.add(text);
      await exchange.sendJson({ error: { type: 'api_error', message: 'lost the answer' } }, 500);
      return;
    }
    if (bill.fate === FATES.left) return this.#halt(exchange, bill);
    if (bill.fate === FATES.late) {
      this.#clock.advance(30 * MINUTES);
      bill.at = this.#clock.now();
    }
    bill.isWhole = true;
    await exchange.sendJson(bill.by === 'anthropic' ? toMessage(bill) : toCompletion(bill));
  }

  /** A usage that follows from the prompt: the same for both calls of a request. */
  #bill({ truth }: UpstreamExchange): Billed {
    this.#number += 1;
    const read = (name: string, fallback: string): string => {
      const value = truth.body[name];
      return typeof value === 'string' ? value : fallback;
    };
    const asked = read('model', '');
    const by: BilledBy = truth.format === 'messages' ? 'anthropic' : 'openai';
    const seed = Buffer.from(truth.rawBody).reduce((sum, byte) => (sum * 31 + byte) % 9_973, 7);
    const isCaching = by === 'anthropic' && seed % 2 === 0;
    const name = MODELS[asked]?.name ?? asked;
    const bill = {
      id: `${by === 'anthropic' ? 'msg' : 'chatcmpl'}_${String(this.#number).padStart(4, '0')}`,
      by,
      model: name,
      at: this.#clock.now(),
      input: 100 + seed,
      read: seed % 3 === 0 ? 1_024 + seed : 0,
      written: isCaching ? 2_000 + seed : 0,
      writtenLong: isCaching && seed % 4 === 0 ? 500 + seed : 0,
      output: 20 + (seed % 700),
      tier: read('service_tier', 'default'),
      geo: read('inference_geo', 'global'),
      isWhole: false,
      fate: Object.values(FATES).find((fate) => truth.rawBody.includes(fate)),
    };
    const factor = FACTORS[`${bill.tier} ${asked}`] ?? FACTORS[`${bill.geo} ${asked}`] ?? 10n;
    return { ...bill, cost: (priceOf(name, bill) * factor) / 10n };
  }

  async #halt(exchange: UpstreamExchange, bill: Billed): Promise<void> {
    const WORDS = 12;
    // One token more than anyone can see.
    bill.output = WORDS + 1;
    bill.cost = priceOf(bill.model, bill);
    await exchange.sendHead(200, { 'content-type': 'text/event-stream' });
    const send = (payload: JsonObject & { type: string }): Promise<void> =>
      exchange.sendBody(`event: ${payload.type}\ndata: ${JSON.stringify(payload)}\n\n`);
    await send({ type: 'message_start', message: { ...toMessage(bill), content: [], stop_reason: null } });
    await send({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    for (let at = 0; at < WORDS; at += 1)
      await send({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'word' } });
    await exchange.waitForClose();
  }
}

function toMessage({
  id,
  model,
  input,
  read,
  written,
  writtenLong,
  output,
  tier,
  geo,
  isWhole,
}: Billed): JsonObject {
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: [{ type: 'text', text: 'done' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: input,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written + writtenLong,
      cache_creation: { ephemeral_5m_input_tokens: written, ephemeral_1h_input_tokens: writtenLong },
      output_tokens: isWhole ? output : 0,
      service_tier: tier === 'default' ? 'standard' : tier,
      inference_geo: geo,
    },
  };
}

function toCompletion({ id, model, input, read, output, tier }: Billed): JsonObject {
  const message = { role: 'assistant', content: 'done' };
  return {
    id,
    object: 'chat.completion',
    created: 1,
    model,
    service_tier: tier,
    choices: [{ index: 0, finish_reason: 'stop', message }],
    usage: {
      prompt_tokens: input + read,
      completion_tokens: output,
      total_tokens: input + read + output,
      prompt_tokens_details: { cached_tokens: read },
    },
  };
}
