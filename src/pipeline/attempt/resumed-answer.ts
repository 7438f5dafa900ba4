import type { CanonicalRequest, Finish } from '#canonical';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { MeteredUsage } from '../price/meter.ts';
import type { Bill, Trip } from '../request/trip.ts';
import type { AttemptEnding, AttemptResult, AttemptTools, HoldShare } from './attempt-types.ts';
import { estimateTokens } from '#canonical';
import { findNext, toGatewayError } from '#errors';
import { continueAnswer } from '#wire';
import { growHold } from '../price/grow-hold.ts';
import { boundTokens } from '../price/meter.ts';
import { FIRST_SLICE } from '../price/worst-case.ts';
import { findBudgets } from './find-budgets.ts';
import { ResumableDelivery } from './resumable-delivery.ts';
import { sumAnswered, sumBills } from './sum-bills.ts';

/** How often one answer continues at another provider. */
const MOST_RESUMPTIONS = 3;

/** Tries a route until an answer begins, and delivers it. */
type TryRoute = (tools: AttemptTools, route: readonly Mapping[]) => Promise<AttemptResult>;

/**
 * A streamed answer that continues where a provider cut it in its text: the next provider gets the text so far as the
 * beginning of its own answer. The caller pays what both bill.
 */
export class ResumedAnswer {
  readonly #tools: AttemptTools;
  readonly #tryRoute: TryRoute;
  readonly #delivery: ResumableDelivery;
  /** The request as it was first sent. */
  readonly #asked: { request: CanonicalRequest; inputEstimate: number };
  /** The bills of the providers that cut the answer. */
  readonly #bills: Bill[] = [];
  /** The meter of the last provider alone. */
  #last: MeteredUsage | undefined;
  #isOver = false;

  constructor(tools: AttemptTools, tryRoute: TryRoute) {
    this.#tools = tools;
    this.#tryRoute = tryRoute;
    this.#delivery = new ResumableDelivery(tools.delivery);
    this.#asked = { request: tools.trip.get('request'), inputEstimate: tools.trip.get('inputEstimate') };
  }

  async run(route: readonly Mapping[]): Promise<AttemptResult> {
    let attempted = await this.#tryRoute({ ...this.#tools, delivery: this.#delivery }, route);
    this.#last = attempted.meter;
    while (!this.#isOver && this.#bills.length < MOST_RESUMPTIONS) {
      const resumed = await this.#resume(attempted, route);
      if (!resumed) break;
      attempted = resumed;
    }
    this.#delivery.giveUp();
    return attempted;
  }

  /** The answer as another provider continued it, or as it was cut; undefined if no provider is called. */
  async #resume(cut: AttemptResult, route: readonly Mapping[]): Promise<AttemptResult | undefined> {
    const { trip } = this.#tools;
    const { text } = this.#delivery;
    if (text === undefined || !this.#isWorthResuming(cut.ending)) return undefined;
    const mapping = trip.get('mapping');
    const next = findContinuing(route, mapping);
    if (next.length === 0 || !(await this.#hold(cut, { route: next, text }))) return undefined;
    if (!this.#spendRetry(route)) return undefined;
    if (this.#last) this.#bills.push(this.#last.bill);
    this.#delivery.resume(sumAnswered(this.#bills));
    trip.set(this.#ask(text));
    const resumed = await this.#try(next);
    if (resumed && resumed.ending.type !== 'failed' && resumed.ending.type !== 'unsupported') return resumed;
    this.#isOver = true;
    trip.set({ mapping });
    const ending: AttemptEnding = trip.arrival.reply.isOver ? { type: 'canceled' } : cut.ending;
    return { ending, meter: resumed?.meter ?? cut.meter };
  }

  #isWorthResuming(ending: AttemptEnding): boolean {
    return ending.type === 'cut' && isPassing(ending.failure) && !this.#tools.trip.arrival.reply.isOver;
  }

  /** Whether the budget of the route's first provider allows another call. */
  #spendRetry([first]: readonly Mapping[]): boolean {
    const nowMs = this.#tools.ports.clock.monotonicMs();
    return first !== undefined && findBudgets(this.#tools, first.providerId).retries.spend(nowMs);
  }

  /** Holds what is owed so far and the next slice; false if the budget does not cover it. */
  async #hold(
    { meter }: AttemptResult,
    { route, text }: { route: readonly Mapping[]; text: string },
  ): Promise<boolean> {
    const { ports, trip } = this.#tools;
    const { answerPrices, hold } = trip.facts;
    if (!answerPrices || !hold) return true;
    const { maxOutputTokens = FIRST_SLICE } = this.#asked.request;
    const tokens = boundTokens(text) + Math.min(FIRST_SLICE, maxOutputTokens);
    let amount = 0n;
    for (const mapping of route) {
      const price = answerPrices.get(mapping)?.price(tokens) ?? 0n;
      if (price > amount) amount = price;
    }
    const missing = meter.bill.owed + amount - hold.amount;
    if (missing <= 0n) return true;
    try {
      await growHold(ports, trip, { amount: missing, leastAmount: missing });
      return true;
    } catch (thrown) {
      if (toGatewayError(thrown).code === 'internal_error') throw thrown;
      return false;
    }
  }

  #ask(text: string): Pick<Trip['facts'], 'request' | 'inputEstimate'> {
    const { request, inputEstimate } = this.#asked;
    const tokens = estimateTokens(Buffer.byteLength(text));
    const { maxOutputTokens: most } = request;
    const maxOutputTokens = most === undefined ? undefined : Math.max(1, most - tokens);
    return {
      request: continueAnswer(request, { text, maxOutputTokens }),
      inputEstimate: inputEstimate + tokens,
    };
  }

  /** Undefined if no provider can be called. */
  async #try(route: readonly Mapping[]): Promise<AttemptResult | undefined> {
    const { trip } = this.#tools;
    const bills = [...this.#bills];
    const sum = (meter: MeteredUsage): MeteredUsage => new ResumedMeter(trip, meter, bills);
    const share: HoldShare = { sum, earlier: sumBills(bills).owed };
    try {
      const { ending, meter } = await this.#tryRoute(
        { ...this.#tools, delivery: this.#delivery, share, isContinued: true },
        route,
      );
      this.#last = meter;
      return { ending, meter: sum(meter) };
    } catch (thrown) {
      if (toGatewayError(thrown).code === 'internal_error') throw thrown;
      return undefined;
    }
  }
}

/** The sum of the bills of providers that answered one after the other. */
class ResumedMeter implements MeteredUsage {
  readonly hasDelivered = true;
  readonly #trip: Trip;
  readonly #last: MeteredUsage;
  readonly #earlier: readonly Bill[];

  constructor(trip: Trip, last: MeteredUsage, earlier: readonly Bill[]) {
    this.#trip = trip;
    this.#last = last;
    this.#earlier = earlier;
  }

  get finish(): Finish | undefined {
    return this.#last.finish;
  }

  get bill(): Bill {
    const bill = sumBills([...this.#earlier, this.#last.bill]);
    return { ...bill, customer: this.#trip.capAtHold(bill.owed) };
  }
}

/** The mappings that can continue an answer; the one that cut it comes last. */
function findContinuing(route: readonly Mapping[], cut: Mapping): readonly Mapping[] {
  const able = route.filter(({ dialect }) => dialect.prefill && dialect.continuesPrefill);
  const others = able.filter((one) => one !== cut);
  return able.length > others.length ? [...others, cut] : others;
}

/** Whether another provider may do better; what cannot be read may be the gateway's own limit. */
function isPassing(failure: UpstreamFailure): boolean {
  return failure.kind !== 'garbled' && findNext(failure) !== 'stop';
}
