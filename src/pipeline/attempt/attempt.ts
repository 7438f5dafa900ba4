import type { GenerationEvent } from '#canonical';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { Provider, UpstreamRequest } from '#providers';
import type { Exchange, OutboundFormat } from '#wire';
import type { Delivery } from '../answer/delivery.ts';
import type { Ports } from '../request/ports.ts';
import type { Trip } from '../request/trip.ts';
import { redactFailure } from '#providers';
import { AnswerReader } from '../answer/answer-reader.ts';
import { noteMade } from '../answer/keep-made.ts';
import { Meter, type Metered } from '../price/meter.ts';
import { printBody } from '../request/print-body.ts';
import { createPricing } from '../price/pricing.ts';
import { toTarget } from './target.ts';
import { SingleAttempt } from './single-attempt.ts';
import { type AttemptEnding, type Attempted, tryRoute } from './try-route.ts';

/** What all attempts of one trip share. */
export interface AttemptTools {
  ports: Ports;
  trip: Trip;
  delivery: Pick<Delivery, 'push' | 'isReady' | 'onReady'>;
  /** Called during delivery, so that a crash loses little. */
  onProgress(meter: Metered): void;
  /** Called with each attempt before anything is sent. */
  onOpen?(attempt: OpenAttempt): void;
}

/** An attempt as the other attempts of its trip see it. */
export interface OpenAttempt {
  meter: Metered;
  cancel(): void;
}

/** Tries the mappings in order until one answers. After the first event there is no other mapping. */
export function attempt(tools: AttemptTools, route: readonly Mapping[]): Promise<Attempted> {
  return tryRoute(tools, route, (mapping, provider) => new TextAttempt(tools, mapping, provider));
}

/** One request for text to one provider. */
class TextAttempt extends SingleAttempt<Exchange> {
  readonly meter: Meter;
  readonly #tools: AttemptTools;

  constructor(tools: AttemptTools, mapping: Mapping, provider: Provider) {
    super(tools, mapping, provider);
    this.#tools = tools;
    this.meter = new Meter(tools.trip, mapping, {
      ...createPricing(tools.ports, tools.trip, mapping),
      clock: tools.ports.clock,
    });
  }

  override run(): Promise<AttemptEnding> {
    this.#tools.onOpen?.({ meter: this.meter, cancel: () => this.dispatch.end({ type: 'canceled' }) });
    return super.run();
  }

  get #format(): OutboundFormat {
    return this.provider.getFormat(this.mapping.format);
  }

  protected open(): Exchange {
    const { trip } = this.#tools;
    const request = trip.get('request');
    const toolPlan = trip.facts.toolPlans?.get(this.mapping);
    return this.#format.openExchange(toolPlan?.prepare(request) ?? request, toTarget(this.mapping));
  }

  /** Exchange and trip release the body, because reading a long answer needs no prompt. */
  protected print(exchange: Exchange): UpstreamRequest | Promise<UpstreamRequest> {
    const { trip } = this.#tools;
    const { path, headers, body } = exchange;
    exchange.body = {};
    const printed = printBody(trip.facts.isHeavy, body, trip.takeReceived());
    if (printed instanceof Promise) return printed.then((bytes) => ({ path, headers, body: bytes }));
    return { path, headers, body: printed };
  }

  protected isWhole(): boolean {
    return !this.#tools.trip.get('request').stream;
  }

  protected createReader(exchange: Exchange): AnswerReader {
    return new AnswerReader(exchange, this.#format, {
      onEvents: (events) => this.passOn(() => this.#relay(events)),
      onFailure: (failure) => this.dispatch.fail(failure),
      onSign: () => this.dispatch.refresh(),
    });
  }

  #relay(events: GenerationEvent[]): void {
    const { dispatch } = this;
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
      dispatch.fail({ kind: 'garbled', message: 'the provider exceeded the output limit by far' });
    else if (!delivery.isReady) dispatch.pause();
  }

  #observe(event: GenerationEvent): GenerationEvent {
    if (event.type !== 'block-delta') noteMade(this.#tools.trip, event, this.provider);
    if (event.type !== 'generation-error') return this.meter.observe(event);
    return { ...event, failure: redactFailure(event.failure, this.provider) };
  }

  #begin(start: GenerationEvent | undefined): void {
    const { trip } = this.#tools;
    this.dispatch.begin();
    if (start?.type === 'generation-start') trip.note({ upstreamId: start.id });
    // Another choice may still need it for its next mapping.
    if (trip.get('request').choices === 1) trip.releasePrompt();
  }

  /** After the first event, a failure ends the caller's stream with an error. */
  protected cut(failure: UpstreamFailure): void {
    try {
      this.#tools.delivery.push([{ type: 'generation-error', failure }]);
    } catch {
      // Delivery itself failed; the ending still reaches the log row and the caller's connection.
    }
  }
}

/** An error before any content: nothing was relayed, so another mapping may still answer. */
function findEarlyFailure(events: readonly GenerationEvent[]): UpstreamFailure | undefined {
  for (const event of events) {
    if (event.type === 'generation-error') return event.failure;
    if (event.type !== 'generation-start') return undefined;
  }
  return undefined;
}
