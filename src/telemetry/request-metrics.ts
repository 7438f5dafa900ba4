import { Histogram } from './histogram.ts';
import { SeriesMap } from './series.ts';

/** A closed request as its log row has it; amounts in pico-USD as decimal digits. */
export interface ClosedRequest {
  requestId: string;
  endpoint: string;
  status: number;
  finishReason: string;
  errorCode?: string;
  modelId?: string;
  providerId?: string;
  externalId?: string;
  cached: boolean;
  usage: RequestUsage;
  customer: string;
  provider: string;
  attempts: readonly { providerId: string; externalId: string; outcome: string }[];
  firstEventMs?: number;
  durationMs: number;
}

interface RequestUsage {
  inputUncached: number;
  inputCacheRead: number;
  inputCacheWrite5m: number;
  inputCacheWrite1h: number;
  inputAudio: number;
  inputImage: number;
  outputText: number;
  outputReasoning: number;
  outputAudio: number;
  outputImage: number;
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];
const TOKENS_PER_SECOND = [5, 10, 20, 40, 80, 160, 320];
/** The speed of a shorter stream is not measured. */
const LEAST_STREAM_MS = 100;

export interface Count {
  count: number;
}
interface Cost {
  customer: bigint;
  provider: bigint;
}
interface Tokens {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  output: number;
  reasoning: number;
}

const createCount = (): Count => ({ count: 0 });
const createCost = (): Cost => ({ customer: 0n, provider: 0n });
const createTokens = (): Tokens => ({ input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 });
const createSeconds = (): Histogram => new Histogram(SECONDS);
const createSpeeds = (): Histogram => new Histogram(TOKENS_PER_SECOND);

/** The label of organizations' own providers and their models: of any number, and with names that are theirs. */
const CUSTOM = 'custom';
/** Series of each metric; tokens take five lines each, and times up to fourteen. All of them stay below 2,000 lines. */
const MOST_COUNTS = 120;
const MOST_TOKENS = 25;
const MOST_TIMES = 16;

/** What closed requests add up to: plain numbers, because this is on the path of every request. */
export class RequestMetrics {
  readonly requests = new SeriesMap(['endpoint', 'status'], MOST_COUNTS, createCount);
  readonly byModel = new SeriesMap(['provider', 'model'], MOST_COUNTS, createCount);
  readonly errors = new SeriesMap(['code'], MOST_COUNTS, createCount);
  readonly replays = new SeriesMap(['endpoint'], MOST_COUNTS, createCount);
  readonly cost = new SeriesMap(['provider', 'model'], MOST_COUNTS, createCost);
  readonly tokens = new SeriesMap(['provider', 'model'], MOST_TOKENS, createTokens);
  readonly attempts = new SeriesMap(['provider', 'provider_model', 'outcome'], MOST_COUNTS, createCount);
  readonly fallbacks = new SeriesMap(['provider', 'provider_model'], MOST_COUNTS, createCount);
  readonly mirrors = new SeriesMap(['mirror', 'outcome'], MOST_COUNTS, createCount);
  readonly duration = new SeriesMap(['endpoint'], MOST_COUNTS, createSeconds);
  readonly firstEvent = new SeriesMap(['provider', 'model'], MOST_TIMES, createSeconds);
  readonly speed = new SeriesMap(['provider', 'model'], MOST_TIMES, createSpeeds);

  readonly #isListed: (providerId: string) => boolean;

  /** `isListed` distinguishes providers of the catalogue or the configuration from organizations' own. */
  constructor(isListed: (providerId: string) => boolean = () => true) {
    this.#isListed = isListed;
  }

  add(request: ClosedRequest): void {
    const { endpoint, status, errorCode, cached, modelId, providerId, durationMs } = request;
    this.requests.of(endpoint, String(status)).count += 1;
    this.duration.of(endpoint).observe(durationMs / 1_000);
    if (errorCode !== undefined) this.errors.of(errorCode).count += 1;
    if (cached) this.replays.of(endpoint).count += 1;
    if (modelId !== undefined && providerId !== undefined)
      this.#addAnswered(request, ...this.#name(providerId, modelId));
    this.#addAttempts(request);
  }

  addMirrored(mirror: string, outcome: string): void {
    this.mirrors.of(mirror, outcome).count += 1;
  }

  /** Their labels. */
  #name(provider: string, model: string): [provider: string, model: string] {
    return this.#isListed(provider) ? [provider, model] : [CUSTOM, CUSTOM];
  }

  #addAnswered(request: ClosedRequest, provider: string, model: string): void {
    this.byModel.of(provider, model).count += 1;
    addTokens(this.tokens.of(provider, model), request.usage);
    this.#addTimes(request, provider, model);
    if (request.customer === '0' && request.provider === '0') return;
    const cost = this.cost.of(provider, model);
    cost.customer += BigInt(request.customer);
    cost.provider += BigInt(request.provider);
  }

  #addTimes(
    { firstEventMs, durationMs, usage, cached }: ClosedRequest,
    provider: string,
    model: string,
  ): void {
    if (firstEventMs === undefined || cached) return;
    this.firstEvent.of(provider, model).observe(firstEventMs / 1_000);
    const streamMs = durationMs - firstEventMs;
    const output = usage.outputText + usage.outputReasoning;
    if (streamMs >= LEAST_STREAM_MS && output > 0)
      this.speed.of(provider, model).observe((output * 1_000) / streamMs);
  }

  #addAttempts({ attempts, providerId, externalId }: ClosedRequest): void {
    for (const attempt of attempts)
      this.attempts.of(...this.#name(attempt.providerId, attempt.externalId), attempt.outcome).count += 1;
    const [first] = attempts;
    if (first === undefined || attempts.length < 2 || providerId === undefined) return;
    if (first.providerId !== providerId || first.externalId !== externalId)
      this.fallbacks.of(...this.#name(first.providerId, first.externalId)).count += 1;
  }
}

function addTokens(tokens: Tokens, usage: RequestUsage): void {
  tokens.input += usage.inputUncached + usage.inputAudio + usage.inputImage;
  tokens.cacheRead += usage.inputCacheRead;
  tokens.cacheWrite += usage.inputCacheWrite5m + usage.inputCacheWrite1h;
  tokens.output += usage.outputText + usage.outputAudio + usage.outputImage;
  tokens.reasoning += usage.outputReasoning;
}
