import { type Deadline, startDeadline } from '#base';
import type { Timeouts } from '../../request/ports.ts';
import type { Mapping } from '#catalogue';
import type { UpstreamFailure } from '#errors';
import type { AnswerSink, Provider, UpstreamCall, UpstreamRequest } from '#providers';
import type { CallerPace } from '../../answer/delivery.ts';
import type { Trip } from '../../request/trip.ts';
import { type AttemptEnding, type RouteTools, type StallWatch, failureOf } from '../attempt-types.ts';
import { billsToEnd, isFree } from '#catalogue';
import { attributeFailure } from '#providers';
import { AttemptClocks } from './attempt-clocks.ts';

const TRACEPARENT = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** What all attempts of one request share. */
export interface DispatchTools extends RouteTools {
  delivery: CallerPace;
}

interface Dispatched {
  mapping: Mapping;
  provider: Provider;
  /** The first part of the answer arrived. */
  onBegin(): void;
  /** Ends an answer that has begun; an earlier failure is returned, so that the next mapping is tried. */
  onCut(failure: UpstreamFailure): void;
  /** The caller has disconnected. */
  onLeave(): void;
  stalls: StallWatch | undefined;
}

/** What the timeouts of an attempt wait for first, and whether the answer is a stream. */
export interface ExpectedAnswer {
  awaited: 'event' | 'whole';
  isStream: boolean;
}

/** One request at one provider: its connection, its timeouts and its single ending. */
export class Dispatch {
  readonly #tools: DispatchTools;
  readonly #dispatched: Dispatched;
  readonly #clocks: AttemptClocks;
  readonly #ending = Promise.withResolvers<AttemptEnding>();
  readonly #leave = (): void => this.#takeLeave();
  readonly #giveUp = (): void => this.end({ type: 'canceled' });
  #call: UpstreamCall | undefined;
  #spanId: string | undefined;
  #isStream = false;
  /** Set while an answer is read although its caller has disconnected. */
  #unattended: Deadline | undefined;
  #isOver = false;
  #hasBegun = false;
  #isWaiting = false;

  constructor(tools: DispatchTools, dispatched: Dispatched) {
    this.#tools = tools;
    this.#dispatched = dispatched;
    const onTimeout = (message: string): void => this.fail({ kind: 'timed-out', message });
    const findTimeouts = (): Timeouts => {
      const { timeouts, providerTimeouts } = tools.ports.live();
      return providerTimeouts?.get(dispatched.provider.id) ?? timeouts;
    };
    this.#clocks = new AttemptClocks(findTimeouts, onTimeout, dispatched.stalls);
  }

  get ending(): Promise<AttemptEnding> {
    return this.#ending.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The span of the call, if the provider was sent it. */
  get spanId(): string | undefined {
    return this.#spanId;
  }

  /** How long the call waited for a connection. */
  get connectMs(): number | undefined {
    return this.#call?.connectMs;
  }

  get longestSilenceMs(): number {
    return this.#clocks.longestSilenceMs;
  }

  /** Whether any part of an answer arrived. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether the caller has disconnected, and the answer is only read for its usage. */
  get isUnattended(): boolean {
    return this.#unattended !== undefined;
  }

  /** Starts the timeouts; from here the request notices a disconnecting caller. */
  start({ awaited, isStream }: ExpectedAnswer): void {
    this.#isStream = isStream;
    const { ports, trip } = this.#tools;
    trip.arrival.reply.onGone(this.#leave);
    this.#clocks.start(awaited);
    if (trip.facts.dispatchedMs === undefined) trip.set({ dispatchedMs: ports.clock.monotonicMs() });
  }

  send(request: UpstreamRequest, sink: AnswerSink): void {
    const { trip } = this.#tools;
    const call = trip.trace?.beginCall();
    this.#spanId = call?.spanId;
    const headers = { ...request.headers };
    addTrace(headers, trip, call?.traceparent);
    this.#call = this.#dispatched.provider.transport.send({ ...request, headers }, sink);
  }

  /** The first part of the answer arrived. */
  begin(): void {
    const { ports, trip, delivery } = this.#tools;
    this.#hasBegun = true;
    delivery.onReady(() => this.#resume());
    const firstEventMs = trip.facts.firstEventMs ?? ports.clock.monotonicMs() - trip.arrival.startedMs;
    trip.set({ mapping: this.#dispatched.mapping, firstEventMs });
    this.#clocks.awaitNext();
    this.#dispatched.onBegin();
  }

  /** Restarts the idle timeout. */
  refresh(): void {
    this.#clocks.refresh();
  }

  /**
   * Pauses the provider until `proceed`, even if the caller reads more meanwhile. What has been read is taken first: undici
   * puts the rest of a read back where more is read behind it, so that many pauses would fill the memory.
   */
  wait(): void {
    this.#isWaiting = true;
    this.#clocks.pause();
    setImmediate(() => {
      if (this.#isWaiting) this.pause();
    });
  }

  proceed(): void {
    this.#isWaiting = false;
    if (this.isUnattended || this.#tools.delivery.isReady) this.#resume();
  }

  /** Pauses the provider until the caller reads more. */
  pause(): void {
    this.#clocks.pause();
    this.#call?.pause();
  }

  #takeLeave(): void {
    const { ports } = this.#tools;
    if (this.#hasBegun) this.#clocks.leave();
    this.#dispatched.onLeave();
    if (!this.#isWorthReading || !ports.unattended.isOpen) {
      this.#giveUp();
      return;
    }
    this.#unattended = startDeadline(ports.live().timeouts.afterLeavingMs, this.#giveUp);
    ports.unattended.add(this.#giveUp);
    if (this.#hasBegun) this.#resume();
  }

  /** An answer that costs the operator nothing is not read to its end. */
  get #isWorthReading(): boolean {
    const { mapping } = this.#dispatched;
    if (this.#tools.trip.facts.credential === 'own') return false;
    if (!mapping.price || isFree(mapping.price)) return false;
    return billsToEnd(mapping, this.#isStream);
  }

  #resume(): void {
    if (this.#isOver || this.#isWaiting) return;
    this.#clocks.awaitNext();
    this.#call?.resume();
  }

  /** Ends only this attempt: an error thrown while an answer is passed on must not reach the caller's socket. */
  failToPassOn(thrown: unknown): void {
    const detail = thrown instanceof Error ? thrown.stack : String(thrown);
    const message = 'the response of the provider could not be passed on';
    this.fail({ kind: 'garbled', message, ...(detail && { detail }) });
  }

  fail(raw: UpstreamFailure): void {
    if (this.#isOver) return;
    const { provider, onCut } = this.#dispatched;
    const failure = attributeFailure(raw, provider);
    if (this.#hasBegun && !this.isUnattended) onCut(failure);
    this.end({ type: this.#hasBegun ? 'cut' : 'failed', failure });
  }

  /** The answer ends here, whatever else the provider sends. */
  stopProvider(): void {
    this.#call?.abort();
  }

  end(ending: AttemptEnding): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clocks.stop();
    this.#tools.trip.arrival.reply.offGone(this.#leave);
    if (ending.type !== 'answered') this.#call?.abort();
    this.#call = undefined; // settlement waits for a commit and must not keep the sent body in memory
    this.#unattended?.stop();
    this.#tools.ports.unattended.remove(this.#giveUp);
    this.#ending.resolve(this.isUnattended ? toCanceled(ending) : ending);
  }
}

/** An answer whose caller has disconnected counts as canceled, however it ends. */
function toCanceled(ending: AttemptEnding): AttemptEnding {
  const failure = failureOf(ending);
  return { type: 'canceled', ...(failure && { failure }) };
}

/** Adds headers that link a provider's log to the gateway's: the span of the call, or else that of the caller. */
function addTrace(headers: Record<string, string>, { arrival }: Trip, span: string | undefined): void {
  headers['x-request-id'] = arrival.requestId;
  const { traceparent } = arrival.headers;
  if (span !== undefined) headers['traceparent'] = span;
  else if (typeof traceparent === 'string' && TRACEPARENT.test(traceparent))
    headers['traceparent'] = traceparent;
}
