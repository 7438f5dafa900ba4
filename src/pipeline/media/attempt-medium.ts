import { type SseMessage, isSmallJson, printJsonSlowly } from '#base';
import type { Mapping } from '#catalogue';
import type { EventReading, MediaExchange, MediaResult, WholeAnswer } from '#media';
import type { UpstreamRequest } from '#providers';
import type { MediumDelivery } from './medium-delivery.ts';
import type { UpstreamFailure } from '#errors';
import { toCallerError } from '#errors';
import { findPlace, isFailure } from '#media';
import type { DispatchTools, ExpectedAnswer } from '../attempt/dispatch/dispatch.ts';
import { type AttemptTarget, SingleAttempt } from '../attempt/dispatch/single-attempt.ts';
import { MediumMeter } from './medium-meter.ts';
import { MediumReader } from './medium-reader.ts';
import { inTurns } from '../request/step-scheduler.ts';
import { printBody } from '../request/print-body.ts';
import { walkRoute } from '../attempt/route/route-walk.ts';
import type { AttemptResult } from '../attempt/attempt-types.ts';
import { findMediumWait } from '../attempt/dispatch/first-event-wait.ts';

/** What all attempts of one trip share. */
interface MediumTools extends DispatchTools {
  delivery: MediumDelivery;
}

/** Tries the mappings in order until one answers. After the first byte there is no other mapping. */
export function attemptMedium(tools: MediumTools, route: readonly Mapping[]): Promise<AttemptResult> {
  return walkRoute(tools, route, {
    begin: (mapping, provider, listener) => new MediumAttempt(tools, { mapping, provider, listener }),
    waiting: findMediumWait(tools.trip),
  });
}

type OpenExchange = MediaExchange & { basePath: string | undefined };

/** One media request to one provider. */
class MediumAttempt extends SingleAttempt<OpenExchange> {
  readonly meter: MediumMeter;
  readonly #tools: MediumTools;
  /** Without its body, which can be large. */
  #exchange: Pick<MediaExchange, 'answer' | 'decodeFailure'> | undefined;

  constructor(tools: MediumTools, place: AttemptTarget) {
    super(tools, place);
    this.#tools = tools;
    this.meter = new MediumMeter(tools.trip, place.mapping);
  }

  protected open(): OpenExchange {
    const { ports, trip } = this.#tools;
    const task = trip.get('task');
    const { own, catalogue } = ports.live(trip.get('caller'));
    const { providerId } = this.mapping;
    const provider = own?.providers.get(providerId) ?? catalogue.providers.get(providerId);
    const { protocol, basePath } = findPlace(this.mapping, task.operation, provider);
    return { ...task.openExchange(this.mapping, protocol), basePath };
  }

  protected async print({ path, headers, body, basePath }: OpenExchange): Promise<UpstreamRequest> {
    const { queue } = this.#tools.trip.facts;
    const address = this.provider.addressMedium?.(path, this.mapping.externalId) ?? path;
    const printed = Buffer.isBuffer(body) ? body : await printBody(queue, body);
    return { path: address, headers, body: printed, ...(basePath !== undefined && { basePath }) };
  }

  protected expectAnswer({ answer }: OpenExchange): ExpectedAnswer {
    const isStream = answer.type !== 'whole';
    return { isStream, awaited: isStream || !this.#tools.trip.get('task').isSlow ? 'event' : 'whole' };
  }

  protected createReader({ answer, decodeFailure }: OpenExchange): MediumReader {
    this.#exchange = { answer, decodeFailure };
    return new MediumReader(this.#exchange, {
      queue: this.#tools.trip.arrival.tenant,
      onWhole: (whole) => this.passOn(() => this.#takeWhole(whole)),
      onEvents: (messages) => this.passOn(() => this.#takeEvents(messages)),
      onBytes: (bytes, contentType) => this.passOn(() => this.#takeBytes(bytes, contentType)),
      onBytesEnd: () => this.#endBytes(),
      onFailure: (failure) => this.dispatch.fail(failure),
    });
  }

  protected cut(failure: UpstreamFailure): void {
    this.#tools.delivery.cut(toCallerError(failure));
  }

  #takeWhole(answer: WholeAnswer): void {
    const { answer: expected } = this.#exchange ?? {};
    const result = expected?.type === 'bytes' ? undefined : expected?.decode?.(answer);
    if (!result) return;
    if (isFailure(result)) {
      this.dispatch.fail(result);
      return;
    }
    const { body } = result;
    if (Buffer.isBuffer(body)) this.#keep(result, body);
    else if (isSmallJson(body)) this.#keep(result, JSON.stringify(body));
    else
      inTurns(this.#tools.trip.arrival.tenant ?? '', printJsonSlowly(body, undefined)).then(
        (text) => this.passOn(() => this.#keep(result, text)),
        (thrown: unknown) => this.dispatch.failToPassOn(thrown),
      );
  }

  #keep({ contentType, reported }: MediaResult, body: string | Buffer): void {
    this.#begin();
    this.meter.addBytes(body.length);
    this.meter.report(reported);
    if (!this.dispatch.isUnattended) this.#tools.delivery.keep({ contentType, body });
    this.#answer();
  }

  #takeEvents(messages: readonly SseMessage[]): void {
    const { answer } = this.#exchange ?? {};
    if (answer?.type !== 'events') return;
    for (const message of messages) {
      const reading = answer.read(message);
      if (reading.failure) {
        this.dispatch.fail(reading.failure);
        return;
      }
      this.meter.report(reading.reported);
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
    if (this.dispatch.isUnattended) return;
    if (bytes) this.#tools.delivery.pushBytes(bytes, contentType);
    else if (message) this.#tools.delivery.pushEvent(message, isLast);
  }

  #takeBytes(bytes: Buffer, contentType: string): void {
    if (bytes.length === 0) return;
    this.#begin();
    this.meter.addBytes(bytes.length);
    if (!this.dispatch.isUnattended) this.#tools.delivery.pushBytes(bytes, contentType);
    this.#pace();
  }

  #endBytes(): void {
    if (this.dispatch.isOver) return;
    if (this.dispatch.hasBegun) this.#answer();
    else this.dispatch.fail({ kind: 'garbled', message: 'the provider returned an empty response' });
  }

  #begin(): void {
    if (!this.dispatch.hasBegun) this.dispatch.begin();
  }

  #pace(): void {
    if (this.dispatch.isUnattended || this.#tools.delivery.isReady) this.dispatch.refresh();
    else this.dispatch.pause();
  }

  #answer(): void {
    this.meter.end();
    this.#tools.trip.set({ cost: this.meter.bill.customer });
    this.dispatch.end({ type: 'answered' });
  }
}
