import type { PicoUsd } from '#base';
import type { GenerationEvent } from '#canonical';
import type { Meter, MeteredUsage } from '../../price/meter.ts';
import { coverDebt } from '../../price/cover-debt.ts';
import { growHold } from '../../price/grow-hold.ts';
import type { AnswerPrice } from '../../request/answer-price.ts';
import type { Ports } from '../../request/ports.ts';
import type { Trip } from '../../request/trip.ts';
import { outputTokensOf } from '#canonical';
import { type GatewayError, toGatewayError } from '#errors';

/** Output is held in slices of this many tokens, larger ones for long answers. */
const LEAST_SLICE = 1_024;
const MOST_SLICE = 8_192;
/** A smaller addition does not help. */
const LEAST_GROWTH = 64;
const MOST_OUTPUT = 1_000_000;

interface Held {
  meter: Meter;
  prices: AnswerPrice;
  /** The meter of all answers that share the hold. */
  total: MeteredUsage;
  /** The amount owed for the answer before this part of it. */
  earlier: PicoUsd;
}

/** Keeps the hold of one answer ahead of it: nothing is delivered that is not held. */
export class GrowingHold {
  readonly #ports: Ports;
  readonly #trip: Trip;
  readonly #meter: Meter;
  readonly #prices: AnswerPrice;
  readonly #total: Held['total'];
  readonly #earlier: PicoUsd;
  /** How much more the prompt costs than was held for it, as soon as the provider reports it; negative for less. */
  #promptExcess = 0n;
  #rereads = 0;
  /** The bill when the prompt was last counted. */
  #counted = 0n;
  /** Output tokens that are held; computed at the first event. */
  #coveredOutput: number | undefined;
  #growing: Promise<boolean> | undefined;
  /** Why the hold cannot grow. */
  #refusal: GatewayError | undefined;

  constructor(ports: Ports, trip: Trip, { meter, prices, total, earlier }: Held) {
    this.#ports = ports;
    this.#trip = trip;
    this.#meter = meter;
    this.#prices = prices;
    this.#total = total;
    this.#earlier = earlier;
  }

  /** Why nothing more can be held, if the budget refused. */
  get refusal(): GatewayError | undefined {
    return this.#refusal;
  }

  /** The provider has counted the prompt. */
  recordPrompt(): void {
    const { usage, provider } = this.#meter.bill;
    this.#counted = provider;
    this.#promptExcess = provider - this.#prices.price(outputTokensOf(usage));
    this.#coveredOutput = undefined;
  }

  /** Notes what an event shows of the prompt: its count, or that the provider has read it again. */
  recordInput(event: GenerationEvent): void {
    const { rereads } = this.#meter;
    if (event.type === 'generation-start' && event.usage) this.recordPrompt();
    else if (rereads > this.#rereads) {
      this.#rereads = rereads;
      const [excess, counted] = [this.#promptExcess, this.#counted];
      this.recordPrompt();
      // The next reading shows when it is over, and what one costs is an estimate, which lowers nothing.
      const ahead = this.#promptExcess + this.#counted - counted;
      this.#promptExcess = ahead > excess ? ahead : excess;
    }
  }

  /** Whether the output so far is held; asks for the next slice before it is needed. */
  keepAhead(): boolean {
    const { outputBound, isEnded } = this.#meter;
    if (isEnded) return this.#missing <= 0n;
    const isLow = outputBound > this.#covered - LEAST_SLICE / 2;
    if (isLow && !this.#refusal)
      this.#growing ??= this.#grow(outputBound).finally(() => (this.#growing = undefined));
    return outputBound <= this.#covered;
  }

  /** Resolves with whether the output so far is held after all. */
  async catchUp(): Promise<boolean> {
    while (!this.keepAhead()) {
      if (this.#meter.isEnded) return this.#coverEnd();
      if (!this.#growing || !(await this.#growing)) return this.keepAhead();
    }
    return true;
  }

  /** Holds the rest of a complete answer, which is not cut any more. */
  async #coverEnd(): Promise<boolean> {
    await this.#growing;
    await coverDebt(this.#ports, this.#trip, this.#total);
    return true;
  }

  /** The cost of a complete answer beyond its hold. */
  get #missing(): PicoUsd {
    return this.#total.bill.owed - this.#trip.get('hold').amount;
  }

  async #grow(output: number): Promise<boolean> {
    const slice = Math.min(Math.max(output, LEAST_SLICE), MOST_SLICE);
    const base = Math.max(output, this.#covered);
    const held = this.#trip.get('hold').amount;
    const before = this.#earlier + this.#promptExcess;
    const missingFor = (tokens: number): PicoUsd => before + this.#prices.price(tokens) - held;
    const amount = missingFor(base + slice);
    if (amount <= 0n) {
      this.#coveredOutput = base + slice;
      return true;
    }
    const least = missingFor(base + LEAST_GROWTH);
    return this.#add(amount, least > 0n ? least : 1n);
  }

  /** Returns whether the answer may continue: it does while the database is unavailable, and its settlement charges the rest. */
  async #add(amount: PicoUsd, leastAmount: PicoUsd): Promise<boolean> {
    try {
      await growHold(this.#ports, this.#trip, { amount, leastAmount });
      this.#coveredOutput = undefined;
      return true;
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (error.status === 402) this.#refusal = error;
      else this.#coveredOutput = this.#covered + MOST_SLICE;
      return error.status !== 402;
    }
  }

  get #covered(): number {
    return (this.#coveredOutput ??= this.#findCovered());
  }

  /** By the line between no and the most output, which no price is above. */
  #findCovered(): number {
    const { price } = this.#prices;
    const [none, most] = [price(0), price(MOST_OUTPUT)];
    const held = this.#trip.get('hold').amount - this.#earlier - this.#promptExcess;
    if (most <= held) return Infinity;
    return held <= none ? 0 : Number(((held - none) * BigInt(MOST_OUTPUT)) / (most - none));
  }
}
