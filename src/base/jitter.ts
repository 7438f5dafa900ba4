import type { RandomSource } from './identifier.ts';

/** Spreads simultaneous work: a time between 0.8 and 1.2 of the given one. */
export function jitter(timeMs: number, random: RandomSource): number {
  const bytes = new Uint8Array(2);
  random(bytes);
  const share = ((bytes[0] ?? 0) * 256 + (bytes[1] ?? 0)) / 65_536;
  return Math.round(timeMs * (0.8 + 0.4 * share));
}
