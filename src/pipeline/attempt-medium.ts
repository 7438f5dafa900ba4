import type { SseMessage } from '#base';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { EventReading, MediaExchange, WholeAnswer } from '#media';
import type { Provider, UpstreamCall } from '#providers';
import type { MediumDelivery } from './medium-delivery.ts';
import { GatewayError, toCallerError } from '#errors';
import { findPlace, isFailure } from '#media';
import { redactFailure } from '#providers';
import { AttemptClocks } from './attempt-clocks.ts';
import { MediumMeter } from './medium-meter.ts';
import { MediumReader } from './medium-reader.ts';
import {
  type AttemptEnding,
  type Attempted,
  type RouteTools,
  type Try,
  describeTrace,
  tellOwner,
  tryRoute,
} from './try-route.ts';

/** What all attempts of one trip share. */
export interface MediumTools extends RouteTools {
  delivery: MediumDelivery;
}

/** Tries the mappings in order until one answers. After the first byte there is no other mapping. */
export function attemptMedium(tools: MediumTools, route: readonly Mapping[]): Promise<Attempted> {
  return tryRoute(tools, route, (mapping, provider) => new MediumAttempt(tools, mapping, provider));
}

/** One request for a medium to one provider, from dispatch to its last byte. */
class MediumAttempt implements Try {
  readonly meter: MediumMeter;
  readonly #tools: MediumTools;
  readonly #mapping: Mapping;
  readonly #provider: Provider;
  readonly #clocks: AttemptClocks;
  readonly #ending = Promise.withResolvers<AttemptEnding>();
  #exchange: Pick<MediaExchange, 'answer' | 'decodeFailure'> | undefined;
  #reader: MediumReader | undefined;
  #call: UpstreamCall | undefined;
  #isOver = false;
  #hasBegun = false;

  constructor(tools: MediumTools, mapping: Mapping, provider: Provider) {
    this.#tools = tools;
    this.#mapping = mapping;
    this.#provider = provider;
    this.meter = new MediumMeter(tools.trip, mapping);
    this.#clocks = new AttemptClocks(tools.ports, (message) => this.#fail({ kind: 'timed-out', message }));
  }

  get status(): number {
    return this.#reader?.status ?? 0;
  }

  async run(): Promise<AttemptEnding> {
    const { ports, trip, delivery } = this.#tools;
    if (trip.arrival.reply.isOver) return { type: 'canceled' };
    const opened = this.#open();
    if (opened instanceof GatewayError) return { type: 'unsayable', error: opened };
    const { path, headers, body, basePath, ...exchange } = opened;
    this.#exchange = exchange;
    this.#reader = new MediumReader(exchange, {
      onWhole: (answer) => this.#guard(() => this.#takeWhole(answer)),
      onEvents: (messages) => this.#guard(() => this.#takeEvents(messages)),
      onBytes: (bytes, contentType) => this.#guard(() => this.#takeBytes(bytes, contentType)),
      onBytesEnd: () => this.#endBytes(),
      onFailure: (failure) => this.#fail(failure),
    });
    delivery.onReady(() => this.#resume());
    trip.arrival.reply.onGone(() => this.#end({ type: 'canceled' }));
    const isWhole = exchange.answer.manner === 'whole' && trip.get('task').isSlow;
    this.#clocks.start(isWhole ? 'whole' : 'event');
    if (trip.facts.dispatchedMs === undefined) trip.note({ dispatchedMs: ports.clock.monotonicMs() });
    const address = this.#provider.addressMedium?.(path, this.#mapping.externalId) ?? path;
    const request = { path: address, headers: { ...headers, ...describeTrace(trip) }, body };
    this.#call = this.#provider.transport.send(
      basePath === undefined ? request : { ...request, basePath },
      this.#reader,
    );
    return this.#ending.promise;
  }

  #open(): (MediaExchange & { basePath: string | undefined }) | GatewayError {
    const { ports, trip } = this.#tools;
    const task = trip.get('task');
    const { own, catalogue } = ports.live(trip.get('caller'));
    const { providerId } = this.#mapping;
    const provider = own?.providers.get(providerId) ?? catalogue.providers.get(providerId);
    const { protocol, basePath } = findPlace(this.#mapping, task.operation, provider);
    try {
      return { ...task.openExchange(this.#mapping, protocol), basePath };
    } catch (thrown) {
      if (thrown instanceof GatewayError) return thrown;
      throw thrown;
    }
  }

  /** Nothing thrown here may reach the socket that called: an answer that cannot be passed on ends this attempt alone. */
  #guard(work: () => void): void {
    if (this.#isOver) return;
    try {
      work();
    } catch (thrown) {
      const detail = thrown instanceof Error ? thrown.stack : String(thrown);
      const message = 'the answer of the provider could not be passed on';
      this.#fail({ kind: 'garbled', message, ...(detail && { detail }) });
    }
  }

  #takeWhole(answer: WholeAnswer): void {
    const { answer: manner } = this.#exchange ?? {};
    const result = manner?.manner === 'bytes' ? undefined : manner?.decode?.(answer);
    if (!result) return;
    if (isFailure(result)) {
      this.#fail(result);
      return;
    }
    this.#begin();
    this.meter.addBytes(result.body.length);
    this.meter.tell(result.told);
    this.#tools.delivery.keep(result);
    this.#answer();
  }

  #takeEvents(messages: readonly SseMessage[]): void {
    const { answer } = this.#exchange ?? {};
    if (answer?.manner !== 'events') return;
    for (const message of messages) {
      const reading = answer.read(message);
      if (reading.failure) {
        this.#fail(reading.failure);
        return;
      }
      this.meter.tell(reading.told);
      this.#relay(reading, answer.contentType ?? '');
      if (reading.isLast) {
        this.#answer();
        return;
      }
    }
    this.#pace();
  }

  #relay({ message, bytes, isLast = false }: EventReading, contentType: string): void {
    if (!message && !bytes?.length) return;
    this.#begin();
    this.meter.addBytes(bytes?.length ?? message?.data.length ?? 0);
    if (bytes) this.#tools.delivery.pushBytes(bytes, contentType);
    else if (message) this.#tools.delivery.pushEvent(message, isLast);
  }

  #takeBytes(bytes: Buffer, contentType: string): void {
    if (bytes.length === 0) return;
    this.#begin();
    this.meter.addBytes(bytes.length);
    this.#tools.delivery.pushBytes(bytes, contentType);
    this.#pace();
  }

  #endBytes(): void {
    if (this.#isOver) return;
    if (this.#hasBegun) this.#answer();
    else this.#fail({ kind: 'garbled', message: 'the provider answered nothing' });
  }

  #begin(): void {
    if (this.#hasBegun) return;
    const { ports, trip } = this.#tools;
    this.#hasBegun = true;
    const firstEventMs = trip.facts.firstEventMs ?? ports.clock.monotonicMs() - trip.arrival.startedMs;
    trip.note({ mapping: this.#mapping, firstEventMs });
    this.#clocks.awaitNext();
  }

  #pace(): void {
    if (this.#tools.delivery.isReady) {
      this.#clocks.refresh();
      return;
    }
    this.#clocks.pause();
    this.#call?.pause();
  }

  #resume(): void {
    if (this.#isOver) return;
    this.#clocks.awaitNext();
    this.#call?.resume();
  }

  #answer(): void {
    this.meter.end();
    this.#tools.trip.note({ cost: this.meter.bill.customer });
    this.#end({ type: 'answered' });
  }

  /** A failure before the first byte is a value for the next mapping; later it cuts the caller's answer. */
  #fail(raw: UpstreamFailure): void {
    if (this.#isOver) return;
    const failure = tellOwner(redactFailure(raw, this.#provider), this.#provider);
    if (this.#hasBegun) this.#tools.delivery.cut(toCallerError(failure));
    this.#end({ type: this.#hasBegun ? 'cut' : 'failed', failure });
  }

  #end(ending: AttemptEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clocks.stop();
    if (ending.type !== 'answered') this.#call?.abort();
    this.#ending.resolve(ending);
  }
}
