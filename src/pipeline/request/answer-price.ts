import type { PicoUsd } from '#base';

/** The possible cost of an answer, by its length. */
export interface AnswerPrice {
  /** The provider's account whose prompt cache it counts on. */
  account?: string | undefined;
  /** The most output tokens. */
  maxOutput: number;
  /** The most it costs, prompt included, with that many output tokens. */
  price(outputTokens: number): PicoUsd;
}
