import type { Caller, Hold, LimiterSlot } from '#accounts';
import { type CanonicalRequest, type Finish, type Usage, createUsage } from '#canonical';
import type { Mapping, PricedPart, UnitCount } from '#catalogue';
import type { FailureKind, GatewayError } from '#errors';
import type { JsonObject, ParsedText, PicoUsd } from '#base';
import type { LogAttempt, LogNames } from '#logs';
import type { MediaTask } from '#media';
import type { FirstReason, AttemptReason, Session } from '#routing';
import type { RequestTrace } from '#telemetry';
import type { HashedPrompt } from '../misses/hash-prompt.ts';
import type { SentPrefix } from '../misses/sent-prefixes.ts';
import type { AnswerPrice } from './answer-price.ts';
import type { Preferences } from './options/preferences.ts';
import type { PromptSize } from './prompt-size.ts';
import type { Arrival } from './arrival.ts';
import type { CreatedObjects } from './created-objects.ts';
import type { ToolPlan } from './tool-plan.ts';
import type { RecordedReply } from './recorded-reply.ts';

/** One attempt at one provider, as the log row stores it. */
export interface AttemptRecord extends LogAttempt {
  reason?: AttemptReason;
  outcome: 'answered' | 'canceled' | 'outpaced' | 'unsupported' | FailureKind;
}

/** How a trip ended. */
type Ending = 'answered' | 'replayed' | 'cut' | 'canceled' | 'failed';

/** What is stored of a request and its answer. */
interface Memory {
  previousId?: string;
  /** The new items of the request as JSON text: smaller than parsed. */
  input: string;
  /** The answer as the caller sees it, once complete. */
  answer?: JsonObject;
}

/** What every request has, whatever its operation. */
type RequestBasics = Pick<CanonicalRequest, 'model' | 'stream'>;

/**
 * The facts of a request, in the order of the steps that set them first (`path/serve.ts`). A class, so that all its fields
 * exist from the beginning.
 */
export class TripFacts {
  // identify
  caller!: Caller;
  /** The preferences of its key and project, then with its own (receive, permit); absent if there are none. */
  preferences!: Preferences;
  /** The request and reply as bytes, for projects that keep payloads. */
  recorded!: RecordedReply;

  // receive, recall and decode
  /** The body with its original bytes, until they are forwarded. */
  received!: ParsedText | undefined;
  /** The queue in which its steps wait for those of other large requests; undefined for a small one. */
  queue!: string | undefined;
  /** The client, session and user that it names; by its headers alone until its body is read. */
  names!: LogNames;
  /** Its body asks for an answer that is not from the response cache. */
  isFresh!: true;
  /** Stored for requests that continue this one; the reply adds the answer. */
  memory!: Memory;
  request!: CanonicalRequest;
  prompt!: PromptSize;
  /** The gateway's estimate of the prompt in tokens. */
  inputEstimate!: number;
  /** The part of its prompt that was sent before, where its project lets the gateway set cache marks. */
  sentBefore!: SentPrefix;
  /** The task of a media request. */
  task!: MediaTask;
  /** The order of a job that outlives its request. */
  order!: RequestBasics;
  /** The model for which the tokens of a prompt are only counted. */
  countedModelId!: string;

  // permit
  /** The id of the model that it names; absent if rules allow only the others it names. */
  requestedModelId!: string;
  /** The experiment it takes part in; its mappings are tried first, none for the control group. */
  trial!: { name: string; mappings: ReadonlySet<Mapping> };

  // limit
  /** Whether the rate-limit headers are sent. */
  areLimitsShown!: boolean;
  /** The reserved part of the caller's rate limits, returned at the end. */
  limiterSlot!: LimiterSlot;

  // permit objects
  /** The credentials of the gateway that have what the request refers to; absent if it may use any. */
  accounts!: ReadonlySet<string>;

  // plan
  /** Where the last prompt of its conversation is cached; absent if nowhere. */
  session!: Session;
  /** The mapping that was planned first, and why. */
  choice!: { mapping: Mapping; reason: FirstReason };
  /** Whose credentials the route is tried with: the provider bills their owner. */
  credential!: 'own' | 'gateway';

  // price and admit
  /** The possible cost of hosted tools by mapping; only if there are some. */
  toolPlans!: ReadonlyMap<Mapping, ToolPlan>;
  hold!: Hold;
  /** The possible cost of an answer by mapping; absent if it is not charged. */
  answerPrices!: ReadonlyMap<Mapping, AnswerPrice>;
  /** Why the output limit of the request was lowered: the budget that does not cover more. */
  outputBound!: GatewayError;

  // attempt
  /** When the first provider was called, on the monotonic clock. */
  dispatchedMs!: number;
  /** Its prompt is being hashed, and is then kept as hashes; only for sessions. */
  isHashed!: true;
  hashed!: HashedPrompt;
  /** The mapping that answers or, if none does, the last one tried. */
  mapping!: Mapping;
  /** The call whose answer has begun. */
  answering!: Pick<AttemptRecord, 'providerId' | 'externalId' | 'reason' | 'waitedMs'>;
  /** Milliseconds from arrival to the first event. */
  firstEventMs!: number;
  upstreamId!: string;
  /** Why its prompt was not cached, as the provider reports it. */
  reportedMiss!: string;
  /** Whether the last attempt to enlarge the hold failed because the database was unavailable. */
  isHoldBehind!: boolean;
  /** Why the answer ended early: its budget. */
  shortage!: GatewayError;
  /** The amount that the caller pays, known after the last event. */
  cost!: PicoUsd;

  // reply
  /** The objects created in accounts at providers; absent if there are none. */
  createdObjects!: CreatedObjects;
  /** HTTP status sent to the caller. */
  status!: number;
}

/** A part of a bill, with the mapping whose price it has. */
export interface BilledPart extends PricedPart {
  mapping: Mapping;
}

/** The bill of a trip. */
export interface Bill {
  usage: Usage;
  /** Other counted units; absent if there are none. */
  units?: readonly UnitCount[];
  /** What was priced at which rate; absent if nothing was generated. */
  parts?: readonly BilledPart[];
  /** The bill of the call that answered, where calls before it may be billed, too. */
  answered?: Bill;
  /** What the caller owes, and what it pays: never more than is held. */
  owed: PicoUsd;
  customer: PicoUsd;
  provider: PicoUsd;
  estimated: boolean;
}

/** The bill of a request that costs nothing. */
export const NO_BILL: Bill = { usage: createUsage(), owed: 0n, customer: 0n, provider: 0n, estimated: false };

/** The complete record of a trip, from which settlement, log and telemetry are created. */
export interface Outcome {
  ending: Ending;
  facts: Readonly<Partial<TripFacts>>;
  attempts: readonly AttemptRecord[];
  bill: Bill;
  finish?: Finish;
  error?: GatewayError;
}

/** The record of one request: facts are set along the path, and it is closed once. */
export class Trip {
  arrival: Arrival;
  /** Absent where requests are not traced. */
  readonly trace: RequestTrace | undefined;
  readonly attempts: AttemptRecord[] = [];
  readonly #facts: Partial<TripFacts> = new TripFacts();
  #closed = false;

  constructor(arrival: Arrival, trace?: RequestTrace) {
    this.arrival = arrival;
    this.trace = trace;
  }

  get facts(): Readonly<Partial<TripFacts>> {
    return this.#facts;
  }

  /** What the caller requested, as far as known; for an invalid body, the fields it has. */
  get asked(): RequestBasics | undefined {
    return this.#facts.request ?? this.#facts.task ?? this.#facts.order ?? this.#readReceived();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  set(facts: Partial<TripFacts>): void {
    Object.assign(this.#facts, facts);
  }

  /** Takes the received body, once: the sender must not keep its bytes during the answer. */
  takeReceived(): ParsedText | undefined {
    const { received } = this.#facts;
    this.#facts.received = undefined;
    return received;
  }

  #readReceived(): RequestBasics | undefined {
    const { received } = this.#facts;
    if (!received) return undefined;
    const { model, stream } = received.body;
    return { model: typeof model === 'string' ? model : '', stream: stream === true };
  }

  /** Releases the prompt once an answer has begun: a long answer must not keep it in memory. */
  releasePrompt(): void {
    const { request } = this.#facts;
    if (!request) return;
    request.system = [];
    request.turns = [];
    request.tools = [];
    request.origin = { format: request.origin.format, body: {} };
  }

  /** A fact that must be set by now; a missing one is a bug in the path. */
  get<Name extends keyof TripFacts>(name: Name): TripFacts[Name] {
    const value = this.#facts[name];
    if (value === undefined) throw new Error(`the trip has no "${name}" yet`);
    return value;
  }

  /** What the caller pays of the amount owed: never more than is held. */
  capAtHold(owed: PicoUsd): PicoUsd {
    const held = this.#facts.hold?.amount ?? 0n;
    return owed > held ? held : owed;
  }

  /** Closes the record; throws if it is closed already, which is a bug in the path. */
  close(ending: Ending, rest: { bill: Bill; finish?: Finish; error?: GatewayError }): Outcome {
    if (this.#closed) throw new Error('a trip is closed once');
    this.#closed = true;
    return { ending, facts: this.#facts, attempts: this.attempts, ...rest };
  }
}
