import type { GenerationEvent } from '#canonical';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { Provider } from '#providers';
import type { Exchange, OutboundFormat } from '#wire';
import type { Delivery } from '../answer/delivery.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { GatewayError } from '#errors';
import { redactFailure } from '#providers';
import { AnswerReader } from '../answer/answer-reader.ts';
import { Dispatch } from './dispatch.ts';
import { noteMade } from '../answer/keep-made.ts';
import { Meter, type Metered } from '../price/meter.ts';
import { inTurn } from '../request/pace.ts';
import { printBody } from '../request/print-body.ts';
import { createPricing } from '../price/pricing.ts';
import { toTarget } from './target.ts';
import { type AttemptEnding, type Attempted, type Try, tryRoute } from './try-route.ts';

/** What all attempts of one trip share. */
export interface AttemptTools {
  ports: Ports;
  trip: Trip;
  delivery: Pick<Delivery, 'push' | 'isReady' | 'onReady'>;
  /** Called as delivery goes on, so that a crash loses little. */
  onProgress(meter: Metered): void;
  /** Told of each attempt before anything is sent. */
  onOpen?(attempt: OpenAttempt): void;
}

/** An attempt as its neighbours see it. */
export interface OpenAttempt {
  meter: Metered;
  cancel(): void;
}

/** Tries the mappings in order until one answers. After the first event there is no other mapping. */
export function attempt(tools: AttemptTools, route: readonly Mapping[]): Promise<Attempted> {
  return tryRoute(tools, route, (mapping, provider) => new SingleAttempt(tools, mapping, provider));
}

/** One request to one provider, from dispatch to its last event. */
class SingleAttempt implements Try {
  readonly meter: Meter;
  readonly #tools: AttemptTools;
  readonly #mapping: Mapping;
  readonly #provider: Provider;
  readonly #dispatch: Dispatch;
  #reader: AnswerReader | undefined;

  constructor(tools: AttemptTools, mapping: Mapping, provider: Provider) {
    this.#tools = tools;
    this.#mapping = mapping;
    this.#provider = provider;
    this.meter = new Meter(tools.trip, mapping, {
      ...createPricing(tools.ports, tools.trip, mapping),
      clock: tools.ports.clock,
    });
    this.#dispatch = new Dispatch(tools, { mapping, provider, onCut: (failure) => this.#cut(failure) });
  }

  get status(): number {
    return this.#reader?.status ?? 0;
  }

  async run(): Promise<AttemptEnding> {
    const { trip } = this.#tools;
    const dispatch = this.#dispatch;
    if (this.#isLeft()) return { type: 'canceled' };
    this.#tools.onOpen?.({ meter: this.meter, cancel: () => dispatch.end({ type: 'canceled' }) });
    if (this.#isLeft()) return { type: 'canceled' };
    const { isHeavy } = trip.facts;
    const exchange = await inTurn(isHeavy, () => this.#open());
    if (exchange instanceof GatewayError) return { type: 'unsayable', error: exchange };
    const body = await takeBody(exchange, trip);
    if (this.#isLeft()) return { type: 'canceled' };
    this.#reader = new AnswerReader(exchange, this.#format, {
      onEvents: (events) => this.#relay(events),
      onFailure: (failure) => dispatch.fail(failure),
      onSign: () => dispatch.refresh(),
    });
    dispatch.start(trip.get('request').stream ? 'event' : 'whole');
    const { path, headers } = exchange;
    dispatch.send({ path, headers, body }, this.#reader);
    return dispatch.ending;
  }

  /** Whether nobody waits for this attempt any more: the caller left, or another choice failed. */
  #isLeft(): boolean {
    return this.#tools.trip.arrival.reply.isOver || this.#dispatch.isOver;
  }

  get #format(): OutboundFormat {
    return this.#provider.getFormat(this.#mapping.format);
  }

  #open(): Exchange | GatewayError {
    try {
      const { trip } = this.#tools;
      const request = trip.get('request');
      const plan = trip.facts.toolPlans?.get(this.#mapping);
      return this.#format.openExchange(plan?.prepare(request) ?? request, toTarget(this.#mapping));
    } catch (thrown) {
      if (thrown instanceof GatewayError) return thrown;
      throw thrown;
    }
  }

  #relay(events: GenerationEvent[]): void {
    if (this.#dispatch.isOver) return;
    try {
      this.#handOn(events);
    } catch (thrown) {
      this.#dispatch.failToPassOn(thrown);
    }
  }

  #handOn(events: GenerationEvent[]): void {
    const dispatch = this.#dispatch;
    if (!dispatch.hasBegun) {
      const failure = findEarlyFailure(events);
      if (failure) {
        dispatch.fail(failure);
        return;
      }
      this.#begin(events[0]);
    }
    const { delivery, trip, onProgress } = this.#tools;
    for (let at = 0; at < events.length; at += 1) events[at] = this.#observe(events[at] as GenerationEvent);
    const last = events.at(-1);
    if (last?.type === 'generation-end') trip.note({ cost: this.meter.bill.customer });
    delivery.push(events);
    onProgress(this.meter);
    if (last?.type === 'generation-end') dispatch.end({ type: 'answered' });
    else if (last?.type === 'generation-error') dispatch.end({ type: 'cut', failure: last.failure });
    else if (this.meter.isRunaway)
      dispatch.fail({ kind: 'garbled', message: 'the provider went on far beyond the output limit' });
    else if (!delivery.isReady) dispatch.pause();
  }

  #observe(event: GenerationEvent): GenerationEvent {
    if (event.type !== 'block-delta') noteMade(this.#tools.trip, event, this.#provider);
    if (event.type !== 'generation-error') return this.meter.observe(event);
    return { ...event, failure: redactFailure(event.failure, this.#provider) };
  }

  #begin(start: GenerationEvent | undefined): void {
    const { trip } = this.#tools;
    this.#dispatch.begin();
    if (start?.type === 'generation-start') trip.note({ upstreamId: start.id });
    // Another choice may still need it for its next mapping.
    if (trip.get('request').choices === 1) trip.releasePrompt();
  }

  /** After the first event a failure ends the caller's stream with an error. */
  #cut(failure: UpstreamFailure): void {
    try {
      this.#tools.delivery.push([{ type: 'generation-error', failure }]);
    } catch {
      // The delivery is what failed; the ending still reaches the row and the caller's connection.
    }
  }
}

/** The body as text; exchange and trip let go of it, because reading a long answer needs no prompt. */
function takeBody(exchange: Exchange, trip: Trip): string | Buffer | Promise<Buffer> {
  const { body } = exchange;
  exchange.body = {};
  return printBody(trip.facts.isHeavy, body, trip.takeReceived());
}

/** An error that comes before any content: nothing was relayed, so another mapping may still answer. */
function findEarlyFailure(events: readonly GenerationEvent[]): UpstreamFailure | undefined {
  for (const event of events) {
    if (event.type === 'generation-error') return event.failure;
    if (event.type !== 'generation-start') return undefined;
  }
  return undefined;
}
