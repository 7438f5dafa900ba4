import { type SseMessage, isSmallJson, printJsonSlowly } from '#base';
import type { Mapping } from '#catalogue';
import type { EventReading, MediaExchange, MediaResult, WholeAnswer } from '#media';
import type { Provider } from '#providers';
import type { MediumDelivery } from './medium-delivery.ts';
import { GatewayError, toCallerError } from '#errors';
import { findPlace, isFailure } from '#media';
import { Dispatch } from '../attempt/dispatch.ts';
import { MediumMeter } from './medium-meter.ts';
import { MediumReader } from './medium-reader.ts';
import { inTurn, inTurns } from '../request/pace.ts';
import { printBody } from '../request/print-body.ts';
import {
  type AttemptEnding,
  type Attempted,
  type RouteTools,
  type Try,
  tryRoute,
} from '../attempt/try-route.ts';

/** What all attempts of one trip share. */
interface MediumTools extends RouteTools {
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
  readonly #dispatch: Dispatch;
  #exchange: Pick<MediaExchange, 'answer' | 'decodeFailure'> | undefined;
  #reader: MediumReader | undefined;

  constructor(tools: MediumTools, mapping: Mapping, provider: Provider) {
    this.#tools = tools;
    this.#mapping = mapping;
    this.#provider = provider;
    this.meter = new MediumMeter(tools.trip, mapping);
    this.#dispatch = new Dispatch(tools, {
      mapping,
      provider,
      // The caller's answer is cut where it had begun.
      onCut: (failure) => tools.delivery.cut(toCallerError(failure)),
    });
  }

  get status(): number {
    return this.#reader?.status ?? 0;
  }

  async run(): Promise<AttemptEnding> {
    const { trip } = this.#tools;
    const dispatch = this.#dispatch;
    const { reply } = trip.arrival;
    if (isLeft(reply)) return { type: 'canceled' };
    const opened = await inTurn(trip.facts.isHeavy, () => this.#open());
    if (opened instanceof GatewayError) return { type: 'unsayable', error: opened };
    const { path, headers, body: said, basePath, ...exchange } = opened;
    const body = Buffer.isBuffer(said) ? said : await printBody(trip.facts.isHeavy, said);
    if (isLeft(reply)) return { type: 'canceled' };
    this.#exchange = exchange;
    this.#reader = new MediumReader(exchange, {
      onWhole: (answer) => this.#guard(() => this.#takeWhole(answer)),
      onEvents: (messages) => this.#guard(() => this.#takeEvents(messages)),
      onBytes: (bytes, contentType) => this.#guard(() => this.#takeBytes(bytes, contentType)),
      onBytesEnd: () => this.#endBytes(),
      onFailure: (failure) => dispatch.fail(failure),
    });
    const isWhole = exchange.answer.manner === 'whole' && trip.get('task').isSlow;
    dispatch.start(isWhole ? 'whole' : 'event');
    const address = this.#provider.addressMedium?.(path, this.#mapping.externalId) ?? path;
    const request = { path: address, headers, body };
    dispatch.send(basePath === undefined ? request : { ...request, basePath }, this.#reader);
    return dispatch.ending;
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

  #guard(work: () => void): void {
    if (this.#dispatch.isOver) return;
    try {
      work();
    } catch (thrown) {
      this.#dispatch.failToPassOn(thrown);
    }
  }

  #takeWhole(answer: WholeAnswer): void {
    const { answer: manner } = this.#exchange ?? {};
    const result = manner?.manner === 'bytes' ? undefined : manner?.decode?.(answer);
    if (!result) return;
    if (isFailure(result)) {
      this.#dispatch.fail(result);
      return;
    }
    const { body } = result;
    if (Buffer.isBuffer(body)) this.#keep(result, body);
    else if (isSmallJson(body)) this.#keep(result, JSON.stringify(body));
    else
      void inTurns(printJsonSlowly(body, undefined)).then((text) =>
        this.#guard(() => this.#keep(result, text)),
      );
  }

  #keep({ contentType, reported }: MediaResult, body: string | Buffer): void {
    this.#begin();
    this.meter.addBytes(body.length);
    this.meter.report(reported);
    this.#tools.delivery.keep({ contentType, body });
    this.#answer();
  }

  #takeEvents(messages: readonly SseMessage[]): void {
    const { answer } = this.#exchange ?? {};
    if (answer?.manner !== 'events') return;
    for (const message of messages) {
      const reading = answer.read(message);
      if (reading.failure) {
        this.#dispatch.fail(reading.failure);
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
    if (this.#dispatch.isOver) return;
    if (this.#dispatch.hasBegun) this.#answer();
    else this.#dispatch.fail({ kind: 'garbled', message: 'the provider answered nothing' });
  }

  #begin(): void {
    if (!this.#dispatch.hasBegun) this.#dispatch.begin();
  }

  #pace(): void {
    if (this.#tools.delivery.isReady) this.#dispatch.refresh();
    else this.#dispatch.pause();
  }

  #answer(): void {
    this.meter.end();
    this.#tools.trip.note({ cost: this.meter.bill.customer });
    this.#dispatch.end({ type: 'answered' });
  }
}

/** Whether the caller left. */
function isLeft(reply: { readonly isOver: boolean }): boolean {
  return reply.isOver;
}
