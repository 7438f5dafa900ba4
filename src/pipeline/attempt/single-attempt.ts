import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink, Provider, UpstreamRequest } from '#providers';
import type { Delivery } from '../answer/delivery.ts';
import type { Metered } from '../price/meter.ts';
import type { AttemptEnding, RouteTools, Try } from './try-route.ts';
import { GatewayError } from '#errors';
import { inTurn } from '../request/pace.ts';
import { Dispatch } from './dispatch.ts';

/** What all attempts of one request share. */
export interface SharedTools extends RouteTools {
  delivery: Pick<Delivery, 'isReady' | 'onReady'>;
}

/** Reads the bytes of a provider's answer. */
type Reader = AnswerSink & { readonly status: number };

/** One request to one provider, from dispatch to the end of its answer; text and other media differ in the abstract steps. */
export abstract class SingleAttempt<Exchange> implements Try {
  abstract readonly meter: Metered;
  protected readonly mapping: Mapping;
  protected readonly provider: Provider;
  protected readonly dispatch: Dispatch;
  readonly #tools: SharedTools;
  #reader: Reader | undefined;

  constructor(tools: SharedTools, mapping: Mapping, provider: Provider) {
    this.#tools = tools;
    this.mapping = mapping;
    this.provider = provider;
    this.dispatch = new Dispatch(tools, { mapping, provider, onCut: (failure) => this.cut(failure) });
  }

  get status(): number {
    return this.#reader?.status ?? 0;
  }

  async run(): Promise<AttemptEnding> {
    if (this.#isLeft()) return { type: 'canceled' };
    const exchange = await inTurn(this.#tools.trip.facts.isHeavy, () => this.#tryOpen());
    if (exchange instanceof GatewayError) return { type: 'unsayable', error: exchange };
    const request = await this.print(exchange);
    if (this.#isLeft()) return { type: 'canceled' };
    this.#reader = this.createReader(exchange);
    this.dispatch.start(this.isWhole(exchange) ? 'whole' : 'event');
    this.dispatch.send(request, this.#reader);
    return this.dispatch.ending;
  }

  /** Encodes the request for the provider; throws GatewayError where the provider's format cannot say it. */
  protected abstract open(): Exchange;

  /** The request as it is sent. */
  protected abstract print(exchange: Exchange): UpstreamRequest | Promise<UpstreamRequest>;

  /** Whether the answer comes in one piece, so that nothing is expected before its end. */
  protected abstract isWhole(exchange: Exchange): boolean;

  protected abstract createReader(exchange: Exchange): Reader;

  /** Ends with an error what the caller was sent already. */
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

  /** Whether the caller left, or another choice failed. */
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
