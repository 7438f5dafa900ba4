import type { Clock } from '#base';
import type { Finish, GenerationEvent, ModelUsage, PriceOptions, ToolUse, Usage } from '#canonical';
import type { Mapping, UnitCount } from '#catalogue';
import type { ToolPlan } from '../request/tool-plan.ts';
import type { Bill, Trip } from '../request/trip.ts';
import { ToolTally, createUsage, inputTokensOf, outputTokensOf } from '#canonical';
import { priceParts, priceUnits } from '#catalogue';
import { tallyBlock } from '#wire';
import type { BilledPart } from '../request/billed-part.ts';
import { PLAIN_PRICING, type Pricing, listBilledParts } from './pricing.ts';
import { estimateTokens } from './prompt-size.ts';

/** A token of ordinary text is shorter than this; an answer beyond it ignores its limit. */
const MOST_BYTES_PER_TOKEN = 24;
const SLACK_BYTES = 65_536;
/** No answer is longer than a context; this is the longest where the catalogue tells none. */
const MOST_TOKENS = 1_000_000;

/** What Google charges for a picture of a megapixel; an estimate for pictures whose usage never came. */
const PICTURE_TOKENS = 1290;

const NOTHING: Usage = createUsage();
/** Turns that a provider takes by itself read the context again, each; a usage of more than so many is not believed. */
const MOST_READINGS = 32;
const MOST_SEARCHES = 10_000;

/** What is known of the use of a request. */
export interface Metered {
  /** Whether any part of an answer passed. */
  readonly hasDelivered: boolean;
  /** The bill if the trip ended now. */
  readonly bill: Bill;
  readonly finish: Finish | undefined;
}

/** What is needed to charge for hosted tools; only where the request has some. */
interface ToolMeter {
  plan: ToolPlan;
  clock: Pick<Clock, 'monotonicMs'>;
  startedMs: number;
  /** What was seen so far. */
  tally: ToolTally;
}

/** Measures what one generation used, from its events as they pass. */
export class Meter implements Metered {
  readonly #trip: Trip;
  readonly #mapping: Mapping;
  readonly #mostBytes: number;
  readonly #pricing: Pricing;
  #reported: Usage | undefined;
  #served: PriceOptions | undefined;
  #parts: readonly ModelUsage[] | undefined;
  #textBytes = 0;
  #reasoningBytes = 0;
  #pictures = 0;
  #openIsReasoning = false;
  #hasBegun = false;
  #isEnded = false;
  #isEstimated = false;
  readonly #tools: ToolMeter | undefined;
  #reportedTools: readonly ToolUse[] | undefined;
  /** The bill of an answer that has ended. */
  #final: Bill | undefined;
  finish: Finish | undefined;

  constructor(
    trip: Trip,
    mapping: Mapping,
    pricing: Pricing & { clock?: Pick<Clock, 'monotonicMs'> } = PLAIN_PRICING,
  ) {
    this.#trip = trip;
    this.#mapping = mapping;
    this.#pricing = pricing;
    const plan = trip.facts.toolPlans?.get(mapping);
    const { clock } = pricing;
    if (plan && clock) this.#tools = { plan, clock, startedMs: clock.monotonicMs(), tally: new ToolTally() };
    const { maxOutput, contextLength = MOST_TOKENS } = mapping;
    const most = trip.get('request').maxOutputTokens ?? maxOutput ?? contextLength;
    this.#mostBytes = most * MOST_BYTES_PER_TOKEN + SLACK_BYTES;
  }

  /** Whether any part of an answer passed. */
  get hasDelivered(): boolean {
    return this.#textBytes + this.#reasoningBytes + this.#pictures > 0;
  }

  /** Whether the upstream goes on far beyond what it was allowed. */
  get isRunaway(): boolean {
    return this.#textBytes + this.#reasoningBytes > this.#mostBytes;
  }

  /** Notes an event and gives it back, with usage filled in where the upstream told none. */
  observe(event: GenerationEvent): GenerationEvent {
    switch (event.type) {
      case 'generation-start':
        this.#hasBegun = true;
        this.#reported = this.#believe(event.usage);
        this.#served = event.served;
        break;
      case 'block-start':
        this.#openIsReasoning = event.block.type === 'reasoning';
        if (event.block.type === 'media') this.#pictures += 1;
        if (this.#tools) tallyBlock(this.#tools.tally, event.block);
        break;
      case 'block-delta':
        if (this.#openIsReasoning) this.#reasoningBytes += Buffer.byteLength(event.text);
        else this.#textBytes += Buffer.byteLength(event.text);
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
    const reported = this.#believe(event.usage);
    if (reported !== undefined || event.usage === undefined) this.#reportedTools = event.tools;
    if (reported) {
      this.#reported = reported;
      this.#parts = event.parts;
      return event;
    }
    this.#isEstimated = true;
    this.#reported = this.#estimate();
    return { ...event, usage: this.#reported };
  }

  /** A usage that the model can have come to; what it cannot is as good as untold. */
  #believe(reported: Usage | undefined): Usage | undefined {
    if (!reported) return undefined;
    const most = MOST_READINGS * Math.max(this.#mapping.contextLength ?? 0, MOST_TOKENS);
    const isPossible = inputTokensOf(reported) <= most && outputTokensOf(reported) <= most;
    return isPossible && reported.webSearches <= MOST_SEARCHES ? reported : undefined;
  }

  /** What is known now; counted where the upstream has not told the whole. */
  get usage(): Usage {
    return this.#isEnded ? (this.#reported ?? NOTHING) : this.#estimate();
  }

  /**
   * The bill if the trip ended now. Nothing delivered and no end: the customer pays nothing, and what the provider has
   * begun is the operator's.
   */
  get bill(): Bill {
    if (!this.#isEnded) return this.#charge();
    return (this.#final ??= this.#charge());
  }

  #charge(): Bill {
    const usage = this.#hasBegun ? this.usage : NOTHING;
    const parts = this.#price(usage);
    const units = this.#hasBegun ? this.#countUnits() : undefined;
    const tools = units ? priceUnits(this.#mapping.price?.units, units) : 0n;
    const provider = priceParts(parts) + tools;
    const owed = this.#isEnded || this.hasDelivered ? provider : 0n;
    return {
      usage,
      parts,
      ...(units && { units }),
      provider,
      customer: this.#trip.capAtHold(owed),
      estimated: this.#hasBegun && (this.#isEstimated || !this.#isEnded),
    };
  }

  #price(usage: Usage): BilledPart[] {
    if (usage === NOTHING) return [];
    return listBilledParts(this.#mapping, this.#pricing, { usage, served: this.#served, parts: this.#parts });
  }

  /** What hosted tools are charged for: as the provider reports them at the end, until then as they are seen. */
  #countUnits(): readonly UnitCount[] | undefined {
    if (!this.#tools) return undefined;
    const { plan, clock, startedMs, tally } = this.#tools;
    return plan.count(this.#reportedTools ?? tally.uses ?? [], clock.monotonicMs() - startedMs);
  }

  #estimate(): Usage {
    const input = this.#reported ?? createUsage({ inputUncached: this.#trip.get('inputEstimate') });
    return {
      ...input,
      outputText: Math.max(input.outputText, estimateTokens(this.#textBytes)),
      outputReasoning: Math.max(input.outputReasoning, estimateTokens(this.#reasoningBytes)),
      outputImage: Math.max(input.outputImage, this.#pictures * PICTURE_TOKENS),
    };
  }
}
