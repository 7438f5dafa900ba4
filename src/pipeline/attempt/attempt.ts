import type { GenerationEvent } from '#canonical';
import type { Exchange, OutboundFormat } from '#wire';
import { append } from '#base';
import { type Mapping, billsToEnd } from '#catalogue';
import { type UpstreamFailure, toGatewayError } from '#errors';
import { type UpstreamRequest, accountOf, attributeFailure } from '#providers';
import { AnswerReader } from '../answer/answer-reader.ts';
import { recordCreatedObjects } from '../answer/save-created-objects.ts';
import { Meter, type MeteredUsage } from '../price/meter.ts';
import { OUTPUT_LIMIT_HEADER } from '../price/output-limit.ts';
import { printBody } from '../request/print-body.ts';
import { readDiagnosis } from '../misses/read-diagnosis.ts';
import { createPricing } from '../price/pricing.ts';
import { explainEnd } from './explain-end.ts';
import { hashLater } from './hash-later.ts';
import { GrowingHold } from './holds/growing-hold.ts';
import { type DestinationPrices, findPrices, holdFirstSlice } from './holds/hold-elsewhere.ts';
import { type LoweredLimit, holdToEnd } from './holds/hold-to-end.ts';
import { findMarks } from './set-marks.ts';
import { toTarget } from './target.ts';
import type { ExpectedAnswer } from './dispatch/dispatch.ts';
import { ResumedAnswer } from './resumed-answer.ts';
import { walkRoute } from './route/route-walk.ts';
import { type AttemptTarget, SingleAttempt } from './dispatch/single-attempt.ts';
import { SpeedProbe } from './dispatch/speed-probe.ts';
import type { AttemptEnding, AttemptResult, AttemptTools } from './attempt-types.ts';
import { findFirstEventWait } from './dispatch/first-event-wait.ts';

/** Tries the mappings in order until one answers; where the project wants it, another continues an answer that is cut. */
export function attempt(tools: AttemptTools, route: readonly Mapping[]): Promise<AttemptResult> {
  const { request, caller } = tools.trip.facts;
  const mayResume = caller?.continue && request?.stream && request.choices === 1;
  return mayResume ? new ResumedAnswer(tools, tryRoute).run(route) : tryRoute(tools, route);
}

function tryRoute(tools: AttemptTools, route: readonly Mapping[]): Promise<AttemptResult> {
  return walkRoute(tools, route, {
    begin: (mapping, provider, listener) => new TextAttempt(tools, { mapping, provider, listener }),
    waiting: findFirstEventWait(tools.trip),
  });
}

/** One request for text to one provider. */
class TextAttempt extends SingleAttempt<Exchange> {
  readonly meter: Meter;
  /** The meter of all that is paid from the same hold. */
  readonly #total: MeteredUsage;
  readonly #tools: AttemptTools;
  /** Absent for an answer that is not charged. */
  readonly #priced: DestinationPrices | undefined;
  readonly #hold: GrowingHold | undefined;
  readonly #isStream: boolean;
  /** Whether it is held slice by slice; all other answers are held from the beginning. */
  #isSliced: boolean;
  /** The output limit that the budget allows at a provider that bills streams to their end. */
  #lowered: LoweredLimit | undefined;
  /** Only for streams. */
  readonly #speed: SpeedProbe | undefined;
  /** Events that wait for the hold. */
  #waiting: GenerationEvent[] | undefined;
  /** The block that the caller has seen begin and not end. */
  #openBlock: number | undefined;

  constructor(tools: AttemptTools, place: AttemptTarget) {
    super(tools, place);
    const { mapping, provider, listener } = place;
    this.#tools = tools;
    this.meter = new Meter(tools.trip, mapping, {
      ...createPricing(tools.ports, tools.trip, mapping),
      clock: tools.ports.clock,
      rates: tools.ports.rates,
    });
    const { ports, trip, share } = tools;
    this.#total = share?.sum(this.meter) ?? this.meter;
    const { stream, choices } = trip.get('request');
    this.#isStream = stream;
    this.#isSliced = stream && choices === 1;
    if (stream) this.#speed = new SpeedProbe(tools.ports.clock, listener);
    this.#priced = findPrices(ports, trip, { mapping, account: accountOf(provider) });
    if (this.#priced) {
      const { prices } = this.#priced;
      const held = { meter: this.meter, prices, total: this.#total, earlier: share?.earlier ?? 0n };
      this.#hold = new GrowingHold(ports, trip, held);
    }
  }

  override async run(): Promise<AttemptEnding> {
    hashLater(this.#tools);
    this.#tools.onOpen?.({ meter: this.meter, cancel: () => this.cancel() });
    try {
      await this.#holdMore();
    } catch (thrown) {
      return { type: 'unsupported', error: toGatewayError(thrown) };
    }
    return super.run();
  }

  /**
   * Holds the missing amount before the request is sent: for an answer that is billed to its end, or a prompt that is
   * cached elsewhere.
   */
  #holdMore(): Promise<void> | undefined {
    if (!this.#priced) return undefined;
    const { ports, trip, share } = this.#tools;
    const { prices, isElsewhere } = this.#priced;
    const needed = { prices, earlier: share?.earlier ?? 0n };
    if (this.#isSliced && billsToEnd(this.mapping, true)) return this.#holdToEnd(needed);
    if (!isElsewhere) return undefined;
    return this.#isSliced ? holdFirstSlice(ports, trip, needed) : this.#holdToEnd(needed);
  }

  /** Holds in advance the part that the provider bills even for a cancelled answer; without a limit, slice by slice. */
  async #holdToEnd(needed: Parameters<typeof holdToEnd>[2]): Promise<void> {
    const { ports, trip } = this.#tools;
    this.#lowered = await holdToEnd(ports, trip, needed);
    if (this.#lowered) this.meter.boundOutput(this.#lowered.tokens);
    const isBounded = (trip.get('request').maxOutputTokens ?? this.mapping.maxOutput) !== undefined;
    if (this.#lowered || isBounded) this.#isSliced = false;
  }

  get #format(): OutboundFormat {
    return this.provider.getFormat(this.mapping.format);
  }

  protected open(): Exchange {
    const { trip } = this.#tools;
    const asked = trip.get('request');
    const request = this.#lowered ? { ...asked, maxOutputTokens: this.#lowered.tokens } : asked;
    const toolPlan = trip.facts.toolPlans?.get(this.mapping);
    const target = toTarget(this.mapping, findMarks(trip.facts.sentBefore, this.mapping));
    return this.#format.openExchange(toolPlan?.prepare(request) ?? request, target);
  }

  /** Exchange and trip release the body, because reading a long answer needs no prompt. */
  protected print(exchange: Exchange): UpstreamRequest | Promise<UpstreamRequest> {
    const { path, headers, body } = exchange;
    exchange.body = {};
    const printed = printBody(this.#tools.trip.facts.queue, body, this.#tools.trip.takeReceived());
    if (printed instanceof Promise) return printed.then((bytes) => ({ path, headers, body: bytes }));
    return { path, headers, body: printed };
  }

  protected expectAnswer(): ExpectedAnswer {
    return { isStream: this.#isStream, awaited: this.#isStream ? 'event' : 'whole' };
  }

  protected createReader(exchange: Exchange): AnswerReader {
    return new AnswerReader(exchange, this.#format, {
      queue: this.#tools.trip.arrival.tenant,
      onWhole: () => this.meter.receiveWhole(),
      onEvents: (events) => this.passOn(() => this.#relay(events)),
      onFailure: (failure) => this.dispatch.fail(failure),
      onSign: () => this.dispatch.refresh(),
    });
  }

  #relay(events: GenerationEvent[]): void {
    if (this.#waiting) {
      append(this.#waiting, events);
      return;
    }
    const { dispatch } = this;
    if (!dispatch.hasBegun) {
      const failure = findEarlyFailure(events);
      if (failure) {
        dispatch.fail(failure);
        return;
      }
      this.#begin(events[0]);
    }
    for (let at = 0; at < events.length; at += 1) {
      const event = this.#observe(events[at] as GenerationEvent);
      events[at] = event;
      if (this.#mustBeHeld(event) && this.#hold?.keepAhead() === false) {
        if (at > 0) this.#deliver(events.slice(0, at));
        this.#await(this.#hold, events.slice(at));
        return;
      }
    }
    this.#deliver(events);
  }

  /** Whether it waits for the hold: what is not delivered in slices is charged at its end. */
  #mustBeHeld({ type }: GenerationEvent): boolean {
    return type === 'generation-end' || (this.#isSliced && !this.dispatch.isUnattended);
  }

  /** Pauses the provider until the first of these events is held; the others are not metered yet. */
  #await(hold: GrowingHold, events: GenerationEvent[]): void {
    this.#waiting = events;
    this.#speed?.stop();
    this.dispatch.wait();
    void hold.catchUp().then(
      (isHeld) => this.passOn(() => (isHeld ? this.#proceed() : this.#endAtLimit(hold))),
      (thrown: unknown) => this.dispatch.failToPassOn(thrown),
    );
  }

  get #isWaiting(): boolean {
    return this.#waiting !== undefined;
  }

  #proceed(): void {
    const [first, ...rest] = this.#waiting ?? [];
    this.#waiting = undefined;
    if (first) this.#deliver([first]);
    if (rest.length > 0) this.#relay(rest);
    if (!this.#isWaiting) this.dispatch.proceed();
  }

  /** The budget covers no more: the answer ends as it does at a limit of its output. */
  #endAtLimit({ refusal }: GrowingHold): void {
    this.#waiting = undefined;
    this.dispatch.stopProvider();
    const events: GenerationEvent[] = [];
    if (this.#openBlock !== undefined) events.push({ type: 'block-end', index: this.#openBlock });
    const end = this.meter.observe({ type: 'generation-end', finish: { reason: 'length' } });
    events.push(refusal ? explainEnd(this.#tools.trip, end, refusal) : end);
    this.#deliver(events);
  }

  #deliver(events: GenerationEvent[]): void {
    const { dispatch } = this;
    const { delivery, onProgress } = this.#tools;
    const last = events.at(-1);
    if (last?.type === 'generation-end') this.#recordEnd();
    for (const event of events) {
      if (event.type === 'block-start') this.#openBlock = event.index;
      else if (event.type === 'block-end') this.#openBlock = undefined;
    }
    if (!dispatch.isUnattended) delivery.push(events);
    onProgress(this.#total);
    this.#speed?.look(this.meter);
    if (last?.type === 'generation-end') dispatch.end({ type: 'answered' });
    else if (last?.type === 'generation-error') dispatch.end({ type: 'cut', failure: last.failure });
    else if (this.meter.isRunaway && !this.meter.isEnded)
      dispatch.fail({ kind: 'garbled', message: 'the provider exceeded the output limit by far' });
    else if (!dispatch.isUnattended && !delivery.isReady) this.#pause();
  }

  #pause(): void {
    this.#speed?.stop();
    this.dispatch.pause();
  }

  /** The cost is final, and the provider's counts are known. */
  #recordEnd(): void {
    const { ports, trip, share } = this.#tools;
    const { reportedUsage } = this.meter;
    trip.set({ cost: this.#total.bill.customer });
    const { prompt, caller } = trip.facts;
    const isResumed = share !== undefined && share.earlier > 0n;
    if (!reportedUsage || !prompt || !caller || isResumed) return;
    const recipient = { mapping: this.mapping, holder: caller.keyId, account: accountOf(this.provider) };
    ports.prompts.learn(prompt, recipient, reportedUsage);
  }

  #observe(event: GenerationEvent): GenerationEvent {
    if (event.type !== 'block-delta') recordCreatedObjects(this.#tools.trip, event, this.provider);
    if (event.type === 'generation-error')
      return { ...event, failure: attributeFailure(event.failure, this.provider) };
    const reportedMiss = readDiagnosis(event);
    if (reportedMiss !== undefined) this.#tools.trip.set({ reportedMiss });
    const observed = this.meter.observe(event);
    if (this.#isSliced) this.#hold?.recordInput(event);
    const { trip } = this.#tools;
    const refusal = this.#lowered?.refusal ?? trip.facts.outputBound;
    return refusal ? explainEnd(trip, observed, refusal) : observed;
  }

  #begin(start: GenerationEvent | undefined): void {
    const { trip } = this.#tools;
    this.dispatch.begin();
    this.#speed?.start();
    if (this.#lowered) trip.arrival.reply.addHeader(OUTPUT_LIMIT_HEADER, String(this.#lowered.tokens));
    if (start?.type === 'generation-start') trip.set({ upstreamId: start.id });
    // Another choice may still need it for its next mapping, or another mapping for the rest of the answer.
    if (trip.get('request').choices === 1 && !trip.facts.caller?.continue) trip.releasePrompt();
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
