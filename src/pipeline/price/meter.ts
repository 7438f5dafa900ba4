import type { Clock } from '#base';
import type { Block, Finish, GenerationEvent, ModelUsage, PriceOptions, ToolUse, Usage } from '#canonical';
import type { Mapping, UnitCount } from '#catalogue';
import type { ToolPlan } from '../request/tool-plan.ts';
import type { TokenRates } from '../request/memory/token-rates.ts';
import type { Bill, Trip } from '../request/trip.ts';
import { ToolTally, createUsage, inputTokensOf, outputTokensOf, estimateTokens, sumUsages } from '#canonical';
import { priceParts, priceUnits } from '#catalogue';
import { keepsPrompt } from '../request/memory/caches-by-itself.ts';
import { completeUsage, isWholeUsage, namesModels, sumUses } from './complete-usage.ts';
import { PLAIN_PRICING, type Pricing, listBilledParts } from './pricing.ts';
import { Readings } from './readings.ts';
import { UnseenWork } from './unseen-work.ts';

/** Ordinary text has more bytes per token; denser text is settled at the end. */
const LEAST_BYTES_PER_TOKEN = 3;
/** A token of ordinary text is shorter; an answer beyond it ignores its limit. */
const MOST_BYTES_PER_TOKEN = 24;
const SLACK_BYTES = 65_536;
/** No answer is longer than a context; this is the longest if the catalogue has none. */
const MOST_TOKENS = 1_000_000;

/** What Google charges for a one-megapixel image; an estimate for images without reported usage. */
const PICTURE_TOKENS = 1290;

const NOTHING: Usage = createUsage();
/** Each turn a provider adds by itself reads the context again; usage beyond this many readings is rejected. */
const MOST_READINGS = 32;
const MOST_SEARCHES = 10_000;

function toMostBytes(tokens: number): number {
  return tokens * MOST_BYTES_PER_TOKEN + SLACK_BYTES;
}

/** An upper estimate of the tokens of a text. */
export function boundTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / LEAST_BYTES_PER_TOKEN);
}

/** The known usage of a request. */
export interface MeteredUsage {
  /** Whether any part of an answer was relayed. */
  readonly hasDelivered: boolean;
  /** The bill if the trip ended now. */
  readonly bill: Bill;
  readonly finish: Finish | undefined;
}

/** What an attempt reports to its meter besides its events. */
export interface AttemptMeter extends MeteredUsage {
  /** The request is sent: from here the provider may bill. */
  send(): void;
  /** The caller has disconnected; it owes nothing if its answer had not begun. */
  leave(): void;
  /** The attempt is over. Without an answer the operator owes what `mayBeBilled`. */
  stop(mayBeBilled: boolean): void;
}

/** What charging for hosted tools needs; only if the request has some. */
interface ToolMeter {
  plan: ToolPlan;
  clock: Pick<Clock, 'monotonicMs'>;
  startedMs: number;
  /** Uses seen so far. */
  tally: ToolTally;
  readings: Readings;
}

/** A bill before the hold bounds what the customer pays. */
type Cost = Omit<Bill, 'customer'>;

/** Measures what one generation used from its events. */
export class Meter implements AttemptMeter {
  readonly #trip: Trip;
  readonly #mapping: Mapping;
  #mostBytes: number;
  readonly #pricing: Pricing;
  #reported: Usage | undefined;
  #served: PriceOptions | undefined;
  #parts: readonly ModelUsage[] | undefined;
  #textBytes = 0;
  #reasoningBytes = 0;
  #images = 0;
  /** The kind of the block that is open. */
  #open: Block['type'] | undefined;
  /** Whether anything but calls of tools was relayed. */
  #hasText = false;
  #hasBegun = false;
  #isEnded = false;
  #isEstimated = false;
  readonly #tools: ToolMeter | undefined;
  /** The tool uses that the provider has reported so far; all of them at the end. */
  #reportedTools: readonly ToolUse[] | undefined;
  readonly #unseen: UnseenWork | undefined;
  /** Whether the answer had begun when the caller disconnected. */
  #left: 'before' | 'during' | undefined;
  /** Whether the provider may bill an answer of which nothing arrived. */
  #mayBeBilled = false;
  /** The cost of an ended answer. */
  #final: Cost | undefined;
  finish: Finish | undefined;

  constructor(
    trip: Trip,
    mapping: Mapping,
    pricing: Pricing & { clock?: Pick<Clock, 'monotonicMs'>; rates?: TokenRates } = PLAIN_PRICING,
  ) {
    this.#trip = trip;
    this.#mapping = mapping;
    this.#pricing = pricing;
    const plan = trip.facts.toolPlans?.get(mapping);
    const { clock, rates } = pricing;
    if (plan && clock) {
      const startedMs = clock.monotonicMs();
      this.#tools = { plan, clock, startedMs, tally: new ToolTally(), readings: new Readings() };
    }
    const { maxOutput, contextLength = MOST_TOKENS } = mapping;
    const request = trip.get('request');
    const most = request.maxOutputTokens ?? maxOutput ?? contextLength;
    this.#mostBytes = toMostBytes(most);
    if (clock && rates) this.#unseen = new UnseenWork({ mapping, request, clock, rates, most });
  }

  /** The request is sent with a lower output limit than it asks for. */
  boundOutput(tokens: number): void {
    this.#mostBytes = toMostBytes(tokens);
    this.#unseen?.boundTokens(tokens);
  }

  /** The whole answer has arrived, so that nothing is saved by ending it. */
  receiveWhole(): void {
    this.#mostBytes = Infinity;
  }

  send(): void {
    this.#unseen?.start();
  }

  leave(): void {
    this.#left = this.#hasBegun ? 'during' : 'before';
  }

  stop(mayBeBilled: boolean): void {
    this.#mayBeBilled = mayBeBilled;
    this.#unseen?.show();
  }

  /** Whether any part of an answer was relayed. */
  get hasDelivered(): boolean {
    return this.#textBytes + this.#reasoningBytes + this.#images > 0;
  }

  /** How often the provider has read the prompt again, after it ran a tool. */
  get rereads(): number {
    return this.#tools?.readings.more ?? 0;
  }

  /** Whether the upstream far exceeds its output limit. */
  get isRunaway(): boolean {
    return this.#textBytes + this.#reasoningBytes > this.#mostBytes;
  }

  /** Notes an event and returns it, with usage filled in if the upstream reported none. */
  observe(event: GenerationEvent): GenerationEvent {
    switch (event.type) {
      case 'generation-start':
        this.#hasBegun = true;
        this.#reported = this.#checkUsage(event.usage);
        if (this.#reported && inputTokensOf(this.#reported) === 0) this.#reported = undefined;
        this.#served = event.served;
        break;
      case 'block-start':
        this.#open = event.block.type;
        if (this.#open === 'media') this.#images += 1;
        if (this.#open !== 'reasoning') this.#unseen?.show();
        this.#tools?.readings.tally(this.#tools.tally, event.block);
        break;
      case 'block-delta':
        this.#hasText ||= this.#open !== 'tool-call';
        if (this.#open === 'reasoning') this.#reasoningBytes += Buffer.byteLength(event.text);
        else this.#textBytes += Buffer.byteLength(event.text);
        break;
      case 'block-end':
        this.#unseen?.hide();
        break;
      case 'tools-used':
        this.#reportedTools = event.tools;
        break;
      case 'generation-end':
        return this.#end(event);
      default:
    }
    return event;
  }

  #end(event: GenerationEvent & { type: 'generation-end' }): GenerationEvent {
    this.#isEnded = true;
    this.finish = event.finish;
    this.#served = event.served ?? this.#served;
    const reported = this.#checkUsage(event.usage);
    this.#reportedTools = reported !== undefined || event.usage === undefined ? event.tools : undefined;
    const delivered = { hasDelivered: this.hasDelivered, hasText: this.#hasText || this.#images > 0 };
    if (reported && (namesModels(event.parts) || isWholeUsage(reported, delivered))) {
      this.#reported = reported;
      this.#unseen?.learn(outputTokensOf(reported));
      this.#parts = event.parts;
      return event;
    }
    this.#isEstimated = true;
    this.#reported = completeUsage(reported ?? NOTHING, sumUsages(this.#estimate()));
    return { ...event, usage: this.#reported };
  }

  /** The reported usage if it is possible for the model; an impossible one counts as not reported. */
  #checkUsage(reported: Usage | undefined): Usage | undefined {
    if (!reported) return undefined;
    const { contextLength = MOST_TOKENS } = this.#mapping;
    const most = MOST_READINGS * Math.max(contextLength, MOST_TOKENS);
    const isPossible = inputTokensOf(reported) <= most && outputTokensOf(reported) <= most;
    return isPossible && reported.webSearches <= MOST_SEARCHES ? reported : undefined;
  }

  /** The usage so far; counted by the gateway until the upstream has reported all of it. */
  get usage(): Usage {
    return sumUses(this.#uses);
  }

  /** The same by model, and by reading of the prompt. */
  get #uses(): readonly ModelUsage[] {
    if (!this.#isEnded) return this.#estimate().map((usage) => ({ usage }));
    return this.#parts ?? (this.#reported ? [{ usage: this.#reported }] : []);
  }

  /** An upper estimate of the tokens of the output so far, hidden ones included. */
  get outputBound(): number {
    const visible = Math.ceil((this.#textBytes + this.#reasoningBytes) / LEAST_BYTES_PER_TOKEN);
    return visible + this.#images * PICTURE_TOKENS + (this.#unseen?.tokens ?? 0);
  }

  /** Whether the answer is complete, so that its cost is final. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The usage that the provider reported, if it is that of one model. */
  get reportedUsage(): Usage | undefined {
    return namesModels(this.#parts) || this.#isEstimated ? undefined : this.#reported;
  }

  /**
   * The bill if the trip ended now. With nothing delivered and no end the customer pays nothing, and the provider's
   * charge is the operator's, unless the customer left an answer that had begun.
   */
  get bill(): Bill {
    const cost = this.#isEnded ? (this.#final ??= this.#computeCost()) : this.#computeCost();
    return { ...cost, customer: this.#trip.capAtHold(cost.owed) };
  }

  #computeCost(): Cost {
    const isUnanswered = !this.#hasBegun && this.#mayBeBilled;
    const uses = this.#hasBegun || isUnanswered ? this.#uses : [];
    const parts = listBilledParts(this.#mapping, this.#pricing, { served: this.#served, parts: uses });
    const units = this.#hasBegun ? this.#countUnits() : undefined;
    const tools = units ? priceUnits(this.#mapping.price?.units, units) : 0n;
    const provider = priceParts(parts) + tools;
    const isOwed = this.#isEnded || this.hasDelivered || this.#left === 'during';
    return {
      usage: sumUses(uses),
      parts,
      ...(units && { units }),
      provider,
      owed: isOwed && this.#left !== 'before' ? provider : 0n,
      estimated: isUnanswered || (this.#hasBegun && (this.#isEstimated || !this.#isEnded)),
    };
  }

  /** Hosted tool units: as the provider reports them at the end, until then as seen. */
  #countUnits(): readonly UnitCount[] | undefined {
    if (!this.#tools) return undefined;
    const { plan, clock, startedMs, tally } = this.#tools;
    return plan.count(this.#reportedTools ?? tally.uses ?? [], clock.monotonicMs() - startedMs);
  }

  /** The usage of each reading of the prompt so far. */
  #estimate(): Usage[] {
    const first = this.#reported ?? createUsage({ inputUncached: this.#trip.get('inputEstimate') });
    const readings = this.#tools?.readings.list(first, keepsPrompt(this.#mapping, first)) ?? [first];
    const last = readings.pop() ?? first;
    const isUnread = this.#left !== undefined || !this.#hasBegun;
    const unseen = isUnread && this.#unseen ? this.#unseen.usage : NOTHING;
    const outputText = Math.max(last.outputText, estimateTokens(this.#textBytes), unseen.outputText);
    const seen = Math.max(last.outputReasoning, estimateTokens(this.#reasoningBytes));
    const outputReasoning = Math.max(seen, unseen.outputReasoning);
    const outputImage = Math.max(last.outputImage, this.#images * PICTURE_TOKENS);
    return [...readings, { ...last, outputText, outputReasoning, outputImage }];
  }
}
