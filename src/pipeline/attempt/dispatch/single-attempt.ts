import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink, Provider, UpstreamRequest } from '#providers';
import type { AttemptMeter } from '../../price/meter.ts';
import { type AttemptEnding, type Attempt, type AttemptListener, failureOf } from '../attempt-types.ts';
import { GatewayError } from '#errors';
import { inTurn } from '../../request/step-scheduler.ts';
import { Dispatch, type DispatchTools, type ExpectedAnswer } from './dispatch.ts';

/** Where an attempt is made, and what receives its events. */
export interface AttemptTarget {
  mapping: Mapping;
  provider: Provider;
  listener: AttemptListener;
}

/** Reads the bytes of a provider's answer. */
type Reader = AnswerSink & { readonly status: number };

/** One request to one provider, from dispatch to the end of its answer; text and other media differ in the abstract steps. */
export abstract class SingleAttempt<Exchange> implements Attempt {
  abstract readonly meter: AttemptMeter;
  protected readonly mapping: Mapping;
  protected readonly provider: Provider;
  protected readonly dispatch: Dispatch;
  readonly #tools: DispatchTools;
  #reader: Reader | undefined;

  constructor(tools: DispatchTools, { mapping, provider, listener }: AttemptTarget) {
    this.#tools = tools;
    this.mapping = mapping;
    this.provider = provider;
    this.dispatch = new Dispatch(tools, {
      mapping,
      provider,
      onBegin: () => listener.onBegin(),
      onCut: (failure) => this.cut(failure),
      onLeave: () => this.meter.leave(),
      stalls: listener.stalls,
    });
  }

  get status(): number {
    return this.#reader?.status ?? 0;
  }

  get spanId(): string | undefined {
    return this.dispatch.spanId;
  }

  get connectMs(): number | undefined {
    return this.dispatch.connectMs;
  }

  get longestSilenceMs(): number {
    return this.dispatch.longestSilenceMs;
  }

  async run(): Promise<AttemptEnding> {
    if (this.#isLeft()) return { type: 'canceled' };
    const exchange = await inTurn(this.#tools.trip.facts.queue, () => this.#tryOpen());
    if (exchange instanceof GatewayError) return { type: 'unsupported', error: exchange };
    if (!(await this.#send(exchange))) return { type: 'canceled' };
    const ending = await this.dispatch.ending;
    this.meter.stop(mayBeBilled(ending));
    return ending;
  }

  /** Returns whether it was sent. Not a part of `run`, which would keep the printed request until the end of the answer. */
  #send(exchange: Exchange): boolean | Promise<boolean> {
    const request = this.print(exchange);
    return request instanceof Promise
      ? request.then((printed) => this.#dispatch(exchange, printed))
      : this.#dispatch(exchange, request);
  }

  #dispatch(exchange: Exchange, request: UpstreamRequest): boolean {
    if (this.#isLeft()) return false;
    this.#reader = this.createReader(exchange);
    this.dispatch.start(this.expectAnswer(exchange));
    this.meter.send();
    this.dispatch.send(request, this.#reader);
    return true;
  }

  cancel(): void {
    this.dispatch.end({ type: 'canceled' });
  }

  giveUp(failure: UpstreamFailure): void {
    if (this.#reader) this.dispatch.fail(failure); // a large request may still wait to be printed
  }

  /** Encodes the request for the provider; throws GatewayError where the provider's format cannot express it. */
  protected abstract open(): Exchange;

  /** The request as it is sent. */
  protected abstract print(exchange: Exchange): UpstreamRequest | Promise<UpstreamRequest>;

  protected abstract expectAnswer(exchange: Exchange): ExpectedAnswer;

  protected abstract createReader(exchange: Exchange): Reader;

  /** Ends an answer that the caller has begun to receive with an error. */
  protected abstract cut(failure: UpstreamFailure): void;

  /** Passes a part of the answer on; what throws ends this attempt alone. */
  protected passOn(work: () => void): void {
    if (this.dispatch.isOver) return;
    try {
      work();
    } catch (thrown) {
      this.dispatch.failToPassOn(thrown);
    }
  }

  /** Whether the caller disconnected, or another choice failed. */
  #isLeft(): boolean {
    return this.#tools.trip.arrival.reply.isOver || this.dispatch.isOver;
  }

  #tryOpen(): Exchange | GatewayError {
    try {
      return this.open();
    } catch (thrown) {
      if (thrown instanceof GatewayError) return thrown;
      throw thrown;
    }
  }
}

/** Whether a provider may bill a request that it did not answer: it received the request and did not refuse it. */
function mayBeBilled(ending: AttemptEnding): boolean {
  const failure = failureOf(ending);
  return failure === undefined || failure.kind === 'timed-out';
}
