import type { Caller, Hold, Pass } from '#accounts';
import type { CanonicalRequest, Finish, Usage } from '#canonical';
import type { Mapping, UnitCount } from '#catalogue';
import type { FailureKind, GatewayError } from '#errors';
import type { JsonObject, ParsedText, PicoUsd } from '#base';
import type { LogAttempt } from '#logs';
import type { MediaTask } from '#media';
import type { BilledPart } from './billed-part.ts';
import type { Arrival } from './arrival.ts';
import type { MadeObjects } from './made-objects.ts';
import type { ToolPlan } from './tool-plan.ts';
import type { RecordedReply } from './recorded-reply.ts';

/** One try at one provider, as the log row keeps it. */
export interface AttemptNote extends LogAttempt {
  outcome: 'answered' | 'canceled' | 'unsayable' | FailureKind;
}

/** How a trip ended. */
type Ending = 'answered' | 'replayed' | 'cut' | 'canceled' | 'failed';

/** What is kept of a request and its answer. */
interface Memory {
  previousId?: string;
  /** The new items of the request as JSON text: smaller than what it was parsed into. */
  input: string;
  /** The answer as the caller sees it, once it is complete. */
  answer?: JsonObject;
}

/** What every request names, whatever it asks for. */
type Asked = Pick<CanonicalRequest, 'model' | 'stream'>;

/** What is learnt on the way. */
export interface TripFacts {
  caller: Caller;
  request: CanonicalRequest;
  /** Its body with the bytes it came in; until they are sent on. */
  received: ParsedText | undefined;
  /** Whether its steps are taken in turn with those of other large requests. */
  isHeavy: boolean;
  /** What is asked for instead, where it is no text generation. */
  task: MediaTask;
  /** What is ordered, where the work outlives its request. */
  order: Asked;
  /** Upper bound of the prompt in tokens without its images, how many those are, and the gateway's guess of all. */
  inputBound: number;
  images: number;
  inputEstimate: number;
  mapping: Mapping;
  /** What hosted tools may cost by mapping; only where there are some. */
  toolPlans: ReadonlyMap<Mapping, ToolPlan>;
  /** Whose credentials the route is tried with: the provider bills their owner. */
  credential: 'own' | 'gateway';
  hold: Hold;
  /** What the caller's rate limits let in, to be given back at the end. */
  pass: Pass;
  /** Whether the caller is told how it stands with them. */
  areLimitsShown: boolean;
  /** What the caller pays, known when the last event has passed. */
  cost: PicoUsd;
  upstreamId: string;
  /** When the first provider was asked, on the monotonic clock. */
  dispatchedMs: number;
  /** Milliseconds from arrival to the first event. */
  firstEventMs: number;
  /** HTTP status sent to the caller. */
  status: number;
  /** What the caller sends and is sent, of projects that keep it. */
  recorded: RecordedReply;
  /** What its answers have left in accounts at providers; absent where that is nothing. */
  made: MadeObjects;
  /** What is to be kept for requests that go on from this one. */
  memory: Memory;
}

/** The bill of a trip. */
export interface Bill {
  usage: Usage;
  /** What else was counted; absent where nothing was. */
  units?: readonly UnitCount[];
  /** What was priced at which rate; absent where nothing was generated. */
  parts?: readonly BilledPart[];
  customer: PicoUsd;
  provider: PicoUsd;
  estimated: boolean;
}

/** The complete record of a trip: what settlement, log and telemetry are made from. */
export interface Outcome {
  ending: Ending;
  facts: Readonly<Partial<TripFacts>>;
  attempts: readonly AttemptNote[];
  bill: Bill;
  finish?: Finish;
  error?: GatewayError;
}

/** One logbook per request: facts are noted on the way, and it is closed once. */
export class Trip {
  arrival: Arrival;
  readonly attempts: AttemptNote[] = [];
  readonly #facts: Partial<TripFacts> = {};
  #closed = false;

  constructor(arrival: Arrival) {
    this.arrival = arrival;
  }

  get facts(): Readonly<Partial<TripFacts>> {
    return this.#facts;
  }

  /** What the caller asked for, as far as it is known; of a body that is no request, what it says by itself. */
  get asked(): Asked | undefined {
    return this.#facts.request ?? this.#facts.task ?? this.#facts.order ?? this.#readReceived();
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  note(facts: Partial<TripFacts>): void {
    Object.assign(this.#facts, facts);
  }

  /** What came, once: whoever sends it on must not keep its bytes while the answer is awaited. */
  takeReceived(): ParsedText | undefined {
    const { received } = this.#facts;
    this.#facts.received = undefined;
    return received;
  }

  #readReceived(): Asked | undefined {
    const { received } = this.#facts;
    if (!received) return undefined;
    const { model, stream } = received.body;
    return { model: typeof model === 'string' ? model : '', stream: stream === true };
  }

  /** Lets go of the prompt once an answer has begun: a long answer must not keep it in memory. */
  releasePrompt(): void {
    const { request } = this.#facts;
    if (!request) return;
    request.system = [];
    request.turns = [];
    request.tools = [];
    request.origin = { format: request.origin.format, body: {} };
  }

  /** A fact the path has passed already; its absence is a fault of the path. */
  get<Name extends keyof TripFacts>(name: Name): TripFacts[Name] {
    const value = this.#facts[name];
    if (value === undefined) throw new Error(`the trip has not noted "${name}" yet`);
    return value;
  }

  /** What the caller pays of what is owed: never more than is held. */
  capAtHold(owed: PicoUsd): PicoUsd {
    const held = this.#facts.hold?.amount ?? 0n;
    return owed > held ? held : owed;
  }

  /** Closes the record; a second closing is a fault of the path and throws. */
  close(ending: Ending, rest: { bill: Bill; finish?: Finish; error?: GatewayError }): Outcome {
    if (this.#closed) throw new Error('a trip is closed once');
    this.#closed = true;
    return { ending, facts: this.#facts, attempts: this.attempts, ...rest };
  }
}
