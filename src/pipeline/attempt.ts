import type { GenerationEvent } from '#canonical';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { Provider, UpstreamCall } from '#providers';
import type { Exchange, OutboundFormat } from '#wire';
import type { Delivery } from './delivery.ts';
import type { Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { printJson } from '#base';
import { GatewayError } from '#errors';
import { redactFailure } from '#providers';
import { AnswerReader } from './answer-reader.ts';
import { AttemptClocks } from './attempt-clocks.ts';
import { Meter, type Metered } from './meter.ts';
import { toTarget } from './target.ts';
import {
  type AttemptEnding,
  type Attempted,
  type Try,
  describeTrace,
  tellOwner,
  tryRoute,
} from './try-route.ts';

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
  readonly #ending = Promise.withResolvers<AttemptEnding>();
  #reader: AnswerReader | undefined;
  #call: UpstreamCall | undefined;
  #isOver = false;
  #hasEvents = false;
  readonly #clocks: AttemptClocks;

  constructor(tools: AttemptTools, mapping: Mapping, provider: Provider) {
    this.#tools = tools;
    this.#mapping = mapping;
    this.#provider = provider;
    this.meter = new Meter(tools.trip, mapping);
    this.#clocks = new AttemptClocks(tools.ports, (message) => this.#fail({ kind: 'timed-out', message }));
  }

  get status(): number {
    return this.#reader?.status ?? 0;
  }

  async run(): Promise<AttemptEnding> {
    const { trip, delivery } = this.#tools;
    if (trip.arrival.reply.isOver) return { type: 'canceled' };
    this.#tools.onOpen?.({ meter: this.meter, cancel: () => this.#end({ type: 'canceled' }) });
    if (this.#isOver) return this.#ending.promise;
    const exchange = this.#open();
    if (exchange instanceof GatewayError) return { type: 'unsayable', error: exchange };
    this.#reader = new AnswerReader(exchange, this.#format, {
      onEvents: (events) => this.#relay(events),
      onFailure: (failure) => this.#fail(failure),
      onSign: () => this.#clocks.refresh(),
    });
    delivery.onReady(() => this.#resume());
    trip.arrival.reply.onGone(() => this.#end({ type: 'canceled' }));
    this.#clocks.start(trip.get('request').stream ? 'event' : 'whole');
    if (trip.facts.dispatchedMs === undefined)
      trip.note({ dispatchedMs: this.#tools.ports.clock.monotonicMs() });
    this.#call = this.#provider.transport.send(
      {
        path: exchange.path,
        headers: { ...exchange.headers, ...describeTrace(trip) },
        body: takeBody(exchange, trip),
      },
      this.#reader,
    );
    return this.#ending.promise;
  }

  get #format(): OutboundFormat {
    return this.#provider.getFormat(this.#mapping.format);
  }

  #open(): Exchange | GatewayError {
    try {
      return this.#format.openExchange(this.#tools.trip.get('request'), toTarget(this.#mapping));
    } catch (thrown) {
      if (thrown instanceof GatewayError) return thrown;
      throw thrown;
    }
  }

  /** Nothing thrown here may reach the socket that called: an answer that cannot be passed on ends this attempt alone. */
  #relay(events: GenerationEvent[]): void {
    if (this.#isOver) return;
    try {
      this.#handOn(events);
    } catch (thrown) {
      const detail = thrown instanceof Error ? thrown.stack : String(thrown);
      this.#fail({
        kind: 'garbled',
        message: 'the answer of the provider could not be passed on',
        ...(detail && { detail }),
      });
    }
  }

  #handOn(events: GenerationEvent[]): void {
    if (!this.#hasEvents) {
      const failure = findEarlyFailure(events);
      if (failure) {
        this.#fail(failure);
        return;
      }
      this.#begin(events);
    }
    const { delivery, trip, onProgress } = this.#tools;
    for (let at = 0; at < events.length; at += 1) events[at] = this.#observe(events[at] as GenerationEvent);
    const last = events.at(-1);
    if (last?.type === 'generation-end') trip.note({ cost: this.meter.cost });
    delivery.push(events);
    onProgress(this.meter);
    if (last?.type === 'generation-end') this.#end({ type: 'answered' });
    else if (last?.type === 'generation-error') this.#end({ type: 'cut', failure: last.failure });
    else if (this.meter.isRunaway)
      this.#fail({ kind: 'garbled', message: 'the provider went on far beyond the output limit' });
    else if (!delivery.isReady) this.#pause();
  }

  #observe(event: GenerationEvent): GenerationEvent {
    if (event.type !== 'generation-error') return this.meter.observe(event);
    return { ...event, failure: redactFailure(event.failure, this.#provider) };
  }

  #begin(events: readonly GenerationEvent[]): void {
    const { ports, trip } = this.#tools;
    this.#hasEvents = true;
    const start = events[0];
    trip.note({
      mapping: this.#mapping,
      firstEventMs: trip.facts.firstEventMs ?? ports.clock.monotonicMs() - trip.arrival.startedMs,
      ...(start?.type === 'generation-start' && { upstreamId: start.id }),
    });
    // Another choice may still need it for its next mapping.
    if (trip.get('request').choices === 1) trip.forgetPrompt();
    this.#clocks.awaitNext();
  }

  #pause(): void {
    this.#clocks.pause();
    this.#call?.pause();
  }

  #resume(): void {
    if (this.#isOver) return;
    this.#clocks.awaitNext();
    this.#call?.resume();
  }

  /** A failure before the first event is a value for the next mapping; later it ends the caller's stream with an error. */
  #fail(raw: UpstreamFailure): void {
    if (this.#isOver) return;
    const failure = tellOwner(redactFailure(raw, this.#provider), this.#provider);
    if (!this.#hasEvents) {
      this.#end({ type: 'failed', failure });
      return;
    }
    try {
      this.#tools.delivery.push([{ type: 'generation-error', failure }]);
    } catch {
      // The delivery is what failed; the ending below still reaches the row and the caller's connection.
    }
    this.#end({ type: 'cut', failure });
  }

  #end(ending: AttemptEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clocks.stop();
    if (ending.type !== 'answered') this.#call?.abort();
    this.#ending.resolve(ending);
  }
}

/** The body as text; exchange and trip let go of it, because reading a long answer needs no prompt. */
function takeBody(exchange: Exchange, trip: Trip): string | Buffer {
  const text = printJson(exchange.body, trip.takeReceived());
  exchange.body = {};
  return text;
}

/** An error that comes before any content: nothing was relayed, so another mapping may still answer. */
function findEarlyFailure(events: readonly GenerationEvent[]): UpstreamFailure | undefined {
  for (const event of events) {
    if (event.type === 'generation-error') return event.failure;
    if (event.type !== 'generation-start') return undefined;
  }
  return undefined;
}
