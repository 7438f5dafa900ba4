import type { Finish, GenerationEvent } from '#canonical';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { AttemptEnding, AttemptResult, AttemptTools, OpenAttempt } from './attempt-types.ts';
import type { Delivery, EventSink } from '../answer/delivery.ts';
import type { MeteredUsage } from '../price/meter.ts';
import type { Bill } from '../request/trip.ts';
import { toGatewayError } from '#errors';
import { attempt } from './attempt.ts';
import { sumAnswered, sumBills } from './sum-bills.ts';

/** What all choices share: the tools of their attempts and the delivery of the whole answer. */
type FanOutTools = AttemptTools & { delivery: Delivery };

/**
 * Serves a request with `n` choices as `n` generations, each with its own attempts, in one answer: one hold, one
 * bill, one row. The first choice that fails ends them all.
 */
export class FanOut implements MeteredUsage {
  readonly #tools: FanOutTools;
  readonly #count: number;
  readonly #open: (OpenAttempt | undefined)[] = [];
  /** The meters of choices that have ended, with all of their attempts. */
  readonly #closed: (MeteredUsage | undefined)[] = [];
  readonly #resumes: (() => void)[] = [];
  #ended = 0;
  #failed: AttemptEnding | undefined;

  constructor(tools: FanOutTools) {
    this.#tools = tools;
    this.#count = tools.trip.get('request').choices;
    tools.delivery.onReady(() => {
      for (const resume of this.#resumes) resume();
    });
  }

  async run(route: readonly Mapping[]): Promise<AttemptResult> {
    const runs = Array.from({ length: this.#count }, (_, choice) => this.#runChoice(choice, route));
    await Promise.all(runs);
    return { ending: this.#failed ?? { type: 'answered' }, meter: this };
  }

  async #runChoice(choice: number, route: readonly Mapping[]): Promise<void> {
    const tools: AttemptTools = {
      ...this.#tools,
      delivery: this.#createChoiceSink(choice),
      share: { sum: () => this, earlier: 0n },
      onOpen: (opened) => {
        this.#open[choice] = opened;
        if (this.#failed && this.#failed.type !== 'canceled') opened.cancel();
      },
    };
    const ending = await attempt(tools, route).then(
      ({ ending, meter }) => {
        this.#closed[choice] = meter;
        return ending;
      },
      (thrown: unknown): AttemptEnding => ({ type: 'unsupported', error: toGatewayError(thrown) }),
    );
    if (ending.type !== 'answered' && !this.#failed) this.#fail(choice, ending);
  }

  /**
   * A stream that already shows other choices can no longer be refused, so it ends with an error. If the caller has
   * left, every choice ends on its own.
   */
  #fail(choice: number, ending: AttemptEnding): void {
    this.#failed = ending;
    if (ending.type === 'canceled') return;
    for (const opened of this.#open) opened?.cancel();
    const { delivery } = this.#tools;
    const failure = findUnreported(ending);
    if (failure && delivery.hasBegun) delivery.push([{ type: 'generation-error', failure }], choice);
  }

  /** The caller's delivery restricted to one choice. */
  #createChoiceSink(choice: number): EventSink {
    const { delivery } = this.#tools;
    return {
      get isReady(): boolean {
        return delivery.isReady;
      },
      onReady: (run) => {
        this.#resumes[choice] = run;
      },
      push: (events) => this.#push(delivery, choice, events),
    };
  }

  /** The last choice's end carries the usage of all choices. */
  #push(delivery: EventSink, choice: number, events: readonly GenerationEvent[]): void {
    const last = events.at(-1);
    if (last?.type !== 'generation-end') {
      delivery.push(events, choice);
      return;
    }
    this.#ended += 1;
    const end = this.#ended === this.#count ? { ...last, usage: sumAnswered(this.#bills) } : last;
    delivery.push([...events.slice(0, -1), end], choice);
  }

  get #meters(): MeteredUsage[] {
    return this.#open.flatMap((opened, choice) => this.#closed[choice] ?? opened?.meter ?? []);
  }

  get #bills(): Bill[] {
    return this.#meters.map(({ bill }) => bill);
  }

  get hasDelivered(): boolean {
    return this.#meters.some(({ hasDelivered }) => hasDelivered);
  }

  get finish(): Finish | undefined {
    return this.#meters.find(({ finish }) => finish)?.finish;
  }

  get bill(): Bill {
    const bill = sumBills(this.#bills);
    return { ...bill, customer: this.#tools.trip.capAtHold(bill.owed) };
  }
}

/** The failure of a choice that ended before its first event, which its own attempt did not report to the caller. */
function findUnreported(ending: AttemptEnding): UpstreamFailure | undefined {
  if (ending.type === 'failed') return ending.failure;
  if (ending.type === 'unsupported') return { kind: 'request-refused', message: ending.error.message };
  return undefined;
}
