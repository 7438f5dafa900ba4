import { setTimeout as sleep } from 'node:timers/promises';
import { createSeededRandom } from './seeded-random.ts';
import type { MockUpstream } from './mock-upstream.ts';
import {
  type Reply,
  answer,
  cutAfter,
  errorAfter,
  errorWithOk,
  fail,
  overloaded,
  rateLimited,
  resetBeforeHeaders,
  resetMidBody,
} from './upstream-replies.ts';

/** A client's view of one request. */
export interface Sighting {
  requestId: string;
  /** 0 without a status. */
  status: number;
  stream: boolean;
  /** The answer was complete. */
  whole: boolean;
  retryAfter: string | undefined;
  startedAtMs: number;
  /** When the status arrived. */
  answeredAtMs: number;
  endedAtMs: number;
  /** Cumulative bytes of the answer's text, with the time of each part. */
  delivered: { atMs: number; bytes: number }[];
}

interface Target {
  url: string;
  apiKey: string;
}

interface TrafficOptions {
  seed: number;
  clients: number;
  /** The target of a client's next request; `undefined` while no gateway is running. */
  findTarget(client: number): Target | undefined;
  /** The share of streams that take four seconds. */
  slowShare?: number;
  /** How many clients never request such a stream. */
  quickClients?: number;
  /** The share of requests with a fault of the provider, or whose client disconnects. */
  faultShare?: number;
  /** An answer has begun. */
  onAnswer?(): void;
}

const NO_TARGET_MS = 20;
const REFUSED_MS = 25;
export const MAX_TOKENS = 60;
const SLOW = 'slowly';
const SLOW_DELTAS = 40;

/** Scripts the mock provider for this traffic. */
export function scriptTraffic(upstream: MockUpstream): void {
  upstream.script({ reply: answer({ text: 'one two three four five six', chunks: 6 }, 5) });
  upstream.script({
    match: { marker: SLOW },
    reply: answer({ text: 'word '.repeat(SLOW_DELTAS), chunks: SLOW_DELTAS }, 100),
  });
}

/** Failures of the provider or the client; a marker in the request selects one. */
const FAULTS: readonly Reply[] = [
  resetBeforeHeaders(),
  resetMidBody(),
  fail(500, 'broken'),
  overloaded(),
  rateLimited('1'),
  errorWithOk(),
  cutAfter(1),
  cutAfter(4),
  cutAfter(4, { how: 'reset' }),
  errorAfter(3),
];
/** The client's own fault. */
const LEAVE = 'leave';
const LEAVE_WITHIN_MS = 60;

export function scriptFaults(upstream: MockUpstream): void {
  for (const [number, reply] of FAULTS.entries())
    upstream.script({ match: { marker: `fault ${number}.` }, reply });
}

/** Clients that send one request after the other in two formats, streamed and not, until stopped. */
export class Traffic {
  readonly sightings: Sighting[] = [];
  readonly #options: TrafficOptions;
  readonly #random: () => number;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#random = createSeededRandom(options.seed);
  }

  /** Ends when `stop` aborts and every open answer is complete, or at once when `cut` aborts. */
  async run(stop: AbortSignal, cut?: AbortSignal): Promise<Sighting[]> {
    const client = async (number: number): Promise<void> => {
      while (!stop.aborted) {
        const target = this.#options.findTarget(number);
        if (!target) {
          await sleep(NO_TARGET_MS);
          continue;
        }
        const sighting = await this.#ask(target, number < (this.#options.quickClients ?? 0), cut);
        this.sightings.push(sighting);
        if (sighting.status !== 200) await sleep(REFUSED_MS);
      }
    };
    await Promise.all(Array.from({ length: this.#options.clients }, (_, number) => client(number)));
    return this.sightings;
  }

  #chooseFault(): string {
    const number = Math.floor(this.#random() * (FAULTS.length + 1));
    return number === FAULTS.length ? LEAVE : `fault ${number}.`;
  }

  async #ask({ url, apiKey }: Target, isQuick: boolean, cut: AbortSignal | undefined): Promise<Sighting> {
    const chance = this.#random();
    const isSlow = !isQuick && chance < (this.#options.slowShare ?? 0.1);
    const isMessages = this.#random() < 0.4;
    const stream = isSlow || this.#random() < 0.6;
    const fault = this.#random() < (this.#options.faultShare ?? 0) ? this.#chooseFault() : undefined;
    const body = {
      model: 'mock-model',
      max_tokens: MAX_TOKENS,
      stream,
      ...(stream && !isMessages && { stream_options: { include_usage: true } }),
      messages: [{ role: 'user', content: `${fault ?? (isSlow ? SLOW : 'fast')} ${chance}` }],
    };
    const sighting = createSighting(stream);
    try {
      const response = await fetch(`${url}${isMessages ? '/v1/messages' : '/v1/chat/completions'}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` },
        signal:
          fault === LEAVE ? AbortSignal.timeout(Math.ceil(this.#random() * LEAVE_WITHIN_MS)) : (cut ?? null),
      });
      if (response.ok) this.#options.onAnswer?.();
      await watch(response, sighting);
    } catch {
      // The gateway crashed during this request; the ledger decides its outcome.
    }
    sighting.endedAtMs = performance.now();
    return sighting;
  }
}

function createSighting(stream: boolean): Sighting {
  const nowMs = performance.now();
  return {
    requestId: '',
    status: 0,
    stream,
    whole: false,
    retryAfter: undefined,
    startedAtMs: nowMs,
    answeredAtMs: nowMs,
    endedAtMs: nowMs,
    delivered: [],
  };
}

async function watch(response: Response, sighting: Sighting): Promise<void> {
  sighting.status = response.status;
  sighting.requestId = response.headers.get('x-request-id') ?? '';
  sighting.retryAfter = response.headers.get('retry-after') ?? undefined;
  sighting.answeredAtMs = performance.now();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for await (const part of response.body ?? []) {
    const piece = decoder.decode(part as Uint8Array, { stream: true });
    text += piece;
    for (const [, words = ''] of piece.matchAll(
      /"(?:content|text)":"((?:word |one|two|three|four|five|six| )*)"/g,
    ))
      bytes += words.length;
    sighting.delivered.push({ atMs: performance.now(), bytes });
  }
  sighting.whole =
    sighting.status === 200 && (!sighting.stream || /data: \[DONE\]|event: message_stop/.test(text));
}
