import { createSeededRandom } from '../seeded-random.ts';
import { type MockUpstream, startMockUpstream } from '../mock-upstream.ts';
import type { Truth, UpstreamExchange, UpstreamFormat } from '../upstream-exchange.ts';
import { type AnswerEvent, createAnswer, createAnswerEvents } from '../upstream-answers.ts';
import { formatSse } from '#base';
import type { Reply } from '../upstream-replies.ts';

/** The shape of a healthy answer: its first event after about 80 ms, twenty deltas within 200 ms. */
const FIRST_MS = 80;
const JITTER_MS = 40;
const DELTAS = 20;
const SPREAD_MS = 200;
/** A few take longer to begin. */
const LATE_SHARE = 0.02;
const LATE_MS = 60;

/** How an answer differs from a healthy one. */
export interface Pace {
  /** Added to the time before the first event. */
  lateMs?: number;
  /** How many times as long the deltas take. */
  slowness?: number;
  /** A stream is cut after this many deltas. */
  cutAt?: number;
}

/** A provider of the routed model: healthy until it is given another conduct. */
export class RouteProvider implements AsyncDisposable {
  readonly id: string;
  readonly format: UpstreamFormat;
  readonly upstream: MockUpstream;
  readonly #random: () => number;
  #conduct: Reply | undefined;

  private constructor(id: string, format: UpstreamFormat, parts: { upstream: MockUpstream; seed: number }) {
    this.id = id;
    this.format = format;
    this.upstream = parts.upstream;
    this.#random = createSeededRandom(parts.seed);
    this.upstream.script({ reply: (exchange) => (this.#conduct ?? this.answer())(exchange) });
  }

  static async start(id: string, format: UpstreamFormat, seed: number): Promise<RouteProvider> {
    return new RouteProvider(id, format, { upstream: await startMockUpstream(), seed });
  }

  /** What it does from now on; healthy again if `undefined`. */
  behave(conduct: Reply | undefined): void {
    this.#conduct = conduct;
  }

  get truths(): readonly Truth[] {
    return this.upstream.truths;
  }

  /** A number in [0, 1), the next of its seed. */
  draw(): number {
    return this.#random();
  }

  /** An honest answer whose text names the provider. */
  answer({ lateMs = 0, slowness = 1, cutAt }: Pace = {}): Reply {
    return async (exchange) => {
      const tail = this.draw() < LATE_SHARE ? this.draw() * LATE_MS : 0;
      const firstMs = FIRST_MS + (this.draw() - 0.5) * JITTER_MS + tail + lateMs;
      const spreadMs = SPREAD_MS * slowness;
      if (exchange.truth.stream) await this.#stream(exchange, { firstMs, spreadMs, cutAt });
      else await this.#print(exchange, firstMs + spreadMs);
    };
  }

  async #print(exchange: UpstreamExchange, afterMs: number): Promise<void> {
    await exchange.pause(afterMs);
    const { body, tokens } = createAnswer(toPlan(this.id), exchange.truth);
    exchange.truth.outputTokens = tokens;
    await exchange.sendJson(body);
  }

  async #stream(exchange: UpstreamExchange, timing: Timing): Promise<void> {
    await exchange.pause(timing.firstMs);
    const startedMs = performance.now();
    await exchange.sendHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    let deltas = 0;
    for (const event of createAnswerEvents(toPlan(this.id), exchange.truth)) {
      if (exchange.closed.aborted) return;
      if (event.tokens > 0) {
        if (deltas === timing.cutAt) {
          exchange.reset();
          return;
        }
        await exchange.pause(startedMs + (timing.spreadMs * deltas) / DELTAS - performance.now());
        deltas += 1;
      }
      await send(exchange, event);
    }
    await exchange.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.upstream.close();
  }
}

interface Timing {
  firstMs: number;
  spreadMs: number;
  cutAt: number | undefined;
}

/** The whole text of a provider's answer: no other provider's has any word of it. */
export function textOf(providerId: string): string {
  return Array.from({ length: DELTAS }, (_, number) => `${providerId}-${number} `).join('');
}

function toPlan(id: string): { text: string; chunks: number } {
  return { text: textOf(id), chunks: DELTAS };
}

async function send(exchange: UpstreamExchange, event: AnswerEvent): Promise<void> {
  exchange.truth.chunksSent += 1;
  exchange.truth.outputTokens += event.tokens;
  await exchange.sendBody(formatSse(event));
}
